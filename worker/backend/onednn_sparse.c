/* Products of which a factor is often 0; see onednn.h. What a ReLU or dropout let through, and the gradient behind it,
 * are zeros for a half or more, and what is multiplied by them need not be. The numbers of a row of `a` that are not 0
 * are found as bits; each takes its row of `b`, which lies in the first cache, into sums that stay in registers.
 *
 * Shapes: c[M,N] = a[M,K] b[K,N], in panels of up to 7 vectors of columns, BLOCK numbers of K at a time. With half of
 * the numbers left a product takes 0.6 of the time of a whole one at the processor's peak: a sum costs a load from the
 * cache beside its multiplication, and the end of each row of bits is mispredicted. */
#include "worker/backend/onednn.h"

#include "common/clones.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    VECTOR = ONEDNN_VECTOR, /* numbers: a register of AVX-512; of two of AVX the panel takes 14 of 16 */
    BLOCK = 64,             /* the bits of a word */
    MOST_VECTORS = 7,       /* of a panel: 28 KiB of b, in a first cache of 32 */
    LEAST_ROWS = 32,        /* of c: each is computed from what was once brought into the cache */
    SAMPLES = 8,            /* rows in which zeros are counted beforehand */
    SAMPLE_WIDTH = 512,     /* and numbers of each */
};

/* Multiplications from which it is worth it. */
static const size_t least_work = 1 << 20;

typedef float numbers __attribute__((vector_size(VECTOR * sizeof(float))));
typedef numbers anywhere __attribute__((aligned(sizeof(float)), may_alias)); /* the same where no vector begins */

#define INLINE static inline __attribute__((always_inline))

/* --- zeros --- */

/* Bits of 16 numbers that are not 0. NaN is none. */
#ifdef __SSE2__
static inline uint64_t bits_of_16(const float *a)
{
    __m128 zero = _mm_setzero_ps();
    __m128i is[4];
    for (size_t i = 0; i < 4; i++)
        is[i] = _mm_castps_si128(_mm_cmpneq_ps(_mm_loadu_ps(a + 4 * i), zero));
    __m128i all = _mm_packs_epi16(_mm_packs_epi32(is[0], is[1]), _mm_packs_epi32(is[2], is[3]));
    return (uint64_t)(unsigned)_mm_movemask_epi8(all);
}
#else
static inline uint64_t bits_of_16(const float *a)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < 16; i++)
        bits |= (uint64_t)(a[i] != 0) << i;
    return bits;
}
#endif

/* The same of up to BLOCK numbers. */
static uint64_t bits_of(const float *a, size_t count)
{
    uint64_t bits = 0;
    size_t i = 0;
    for (; i + 16 <= count; i += 16)
        bits |= bits_of_16(a + i) << i;
    for (; i < count; i++)
        bits |= (uint64_t)(a[i] != 0) << i;
    return bits;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows of `a` as it lies in memory, spread over it. */
static bool has_zeros(const struct onednn_product *product)
{
    const struct onednn_matrix *a = &product->a;
    size_t rows = a->turned ? product->K : product->M, width = a->turned ? product->M : product->K;
    size_t samples = smaller(rows, SAMPLES), seen = smaller(width, SAMPLE_WIDTH), left = 0;
    for (size_t i = 0; i < samples; i++)
        for (size_t n = 0; n < seen; n += BLOCK)
            left += (size_t)__builtin_popcountll(
                bits_of(a->at + rows * i / samples * a->row + n, smaller(seen - n, BLOCK)));
    return 4 * left <= 3 * samples * seen;
}

/* Without registers for the sums oneDNN's whole products are quicker. */
static bool has_registers(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool onednn_is_sparse(const struct onednn_product *product)
{
    return has_registers() && product->M >= LEAST_ROWS && product->N >= 2 * VECTOR && product->K >= BLOCK / 2 &&
           product->M * product->N * product->K >= least_work && has_zeros(product);
}

/* --- sums --- */

/* Columns of the result, and the rows of b that belong to them, one behind the other. */
struct sparse_panel {
    size_t vectors, columns; /* columns: numbers of the last vector may be left over */
    numbers *b;              /* [BLOCK][vectors] */
};

/* Some rows of c, of one panel and one block. */
struct sparse_rows {
    size_t count;
    const float *a; /* of rows a_row numbers apart */
    size_t a_row;
    const uint64_t *bits; /* of each */
    float *c;             /* of rows c_row numbers apart */
    size_t c_row;
    bool first; /* of the blocks: c has nothing yet */
};

/* Unrolled, so that sums stay in registers. */
#define EACH_VECTOR _Pragma("GCC unroll 8") for (size_t v = 0; v < V; v++)

/* The last sum of a panel whose columns are no whole vectors. */
static void store_few(const numbers *sum, float *c, size_t count, bool first)
{
    const float *sums = (const float *)sum;
    for (size_t i = 0; i < count; i++)
        c[i] = first ? sums[i] : c[i] + sums[i];
}

/* V is a constant where it is called. */
INLINE void store_sums(size_t V, const struct sparse_panel *panel, const numbers *sums, float *c, bool first)
{
    size_t whole = panel->columns == V * VECTOR ? V : V - 1;
    EACH_VECTOR
    {
        anywhere *to = (anywhere *)(c + v * VECTOR);
        if (v == V - 1 && whole < V) {
            numbers last = sums[v];
            store_few(&last, c + v * VECTOR, panel->columns - v * VECTOR, first);
        } else {
            numbers before = first ? (numbers){0} : (numbers)*to;
            *to = before + sums[v];
        }
    }
}

INLINE void sum_rows(size_t V, const struct sparse_panel *panel, const struct sparse_rows *rows, numbers *sums)
{
    for (size_t m = 0; m < rows->count; m++) {
        const float *a = rows->a + m * rows->a_row;
        EACH_VECTOR
        sums[v] = (numbers){0};
        for (uint64_t bits = rows->bits[m]; bits; bits &= bits - 1) {
            size_t k = (size_t)__builtin_ctzll(bits);
            const numbers *b = panel->b + k * V;
            EACH_VECTOR
            sums[v] += a[k] * b[v];
        }
        store_sums(V, panel, sums, rows->c + m * rows->c_row, rows->first);
    }
}

/* With as many sums as the panel has vectors: others would be in memory. */
#define SUM_ROWS(V)                                                                                                    \
    {                                                                                                                  \
        numbers sums[V];                                                                                               \
        sum_rows(V, panel, rows, sums);                                                                                \
        break;                                                                                                         \
    }

CLONES_OF_PRODUCTS static void sum_panel(const struct sparse_panel *panel, const struct sparse_rows *rows)
{
    switch (panel->vectors) {
    case 1:
        SUM_ROWS(1)
    case 2:
        SUM_ROWS(2)
    case 3:
        SUM_ROWS(3)
    case 4:
        SUM_ROWS(4)
    case 5:
        SUM_ROWS(5)
    case 6:
        SUM_ROWS(6)
    default:
        SUM_ROWS(7)
    }
}

/* --- a part --- */

/* What a part is computed with, in the caller's memory. */
struct sparse_work {
    numbers *b;     /* [BLOCK][MOST_VECTORS] */
    uint64_t *bits; /* [blocks][rows] */
    const float *a; /* [rows][K]: a itself, or turned */
    size_t a_row;
};

static size_t count_blocks(size_t K)
{
    return (K + BLOCK - 1) / BLOCK;
}

/* Floats for so many bytes, in whole lines. */
static size_t floats_for(size_t bytes)
{
    enum { LINE = 64 };
    return (bytes + LINE - 1) / LINE * LINE / sizeof(float);
}

size_t onednn_sparse_numbers(const struct onednn_product *product)
{
    size_t M = product->M, K = product->K;
    return BLOCK * MOST_VECTORS * VECTOR + floats_for(count_blocks(K) * M * sizeof(uint64_t)) +
           (product->a.turned ? floats_for(M * K * sizeof(float)) : 0);
}

/* The rows of `a` one behind the other and their bits; how many are set. */
static size_t prepare_rows(const struct onednn_product *product, const struct onednn_part *part,
                           struct sparse_work *work, float *turned)
{
    size_t K = product->K, left = 0;
    const struct onednn_matrix *a = &product->a;
    work->a = a->turned ? turned : a->at + part->row * a->row;
    work->a_row = a->turned ? K : a->row;
    if (a->turned)
        onednn_turn(K, part->rows, a->at + part->row, a->row, turned, K);
    for (size_t k = 0, i = 0; k < K; k += BLOCK)
        for (size_t m = 0; m < part->rows; m++, i++) {
            work->bits[i] = bits_of(work->a + m * work->a_row + k, smaller(K - k, BLOCK));
            left += (size_t)__builtin_popcountll(work->bits[i]);
        }
    return left;
}

/* So many rows into the panel, `row` numbers apart. */
CLONES_OF_PRODUCTS static void copy_rows(const struct sparse_panel *panel, const float *from, size_t row, size_t count)
{
    size_t V = panel->vectors, whole = panel->columns / VECTOR;
    for (size_t i = 0; i < count; i++, from += row) {
        for (size_t v = 0; v < whole; v++)
            panel->b[i * V + v] = (numbers)((const anywhere *)from)[v];
        if (whole < V)
            memcpy(&panel->b[i * V + whole], from + whole * VECTOR, (panel->columns - whole * VECTOR) * sizeof *from);
    }
}

/* Brings rows k .. of b, and the columns of the panel, together. */
static void fill_panel(const struct onednn_product *product, struct sparse_panel *panel, size_t column, size_t k,
                       size_t count)
{
    const struct onednn_matrix *b = &product->b;
    size_t row = panel->vectors * VECTOR;
    float *to = (float *)panel->b;
    if (panel->columns < row)
        memset(to, 0, count * row * sizeof *to);
    if (b->turned) {
        onednn_turn(panel->columns, count, b->at + column * b->row + k, b->row, to, row);
        return;
    }
    copy_rows(panel, b->at + k * b->row + column, b->row, count);
}

/* Whether all numbers of so many rows of the panel are finite: 0 times others is NaN, and so is each sum with that. */
CLONES_OF_PRODUCTS static bool are_finite(const struct sparse_panel *panel, size_t count)
{
    enum { SUMS = 4 /* side by side, since each waits for the one before */ };
    numbers sums[SUMS] = {0};
    float all = 0;
    for (size_t i = 0; i + SUMS <= count * panel->vectors; i += SUMS)
        for (size_t n = 0; n < SUMS; n++)
            sums[n] += 0 * panel->b[i + n];
    for (size_t i = count * panel->vectors / SUMS * SUMS; i < count * panel->vectors; i++)
        sums[0] += 0 * panel->b[i];
    for (size_t i = 0; i < SUMS * VECTOR; i++)
        all += sums[i / VECTOR][i % VECTOR];
    return all == 0;
}

/* False when a number of b is not finite. */
static bool multiply_panel(const struct onednn_product *product, const struct onednn_part *part,
                           const struct sparse_work *work, struct sparse_panel *panel, size_t column,
                           struct sparse_rows *rows)
{
    for (size_t k = 0, block = 0; k < product->K; k += BLOCK, block++) {
        size_t count = smaller(product->K - k, BLOCK);
        fill_panel(product, panel, column, k, count);
        if (!are_finite(panel, count))
            return false;
        rows->a = work->a + k;
        rows->bits = work->bits + block * part->rows;
        rows->c = product->c + part->row * product->N + column;
        rows->first = k == 0;
        sum_panel(panel, rows);
    }
    return true;
}

bool onednn_multiply_sparse(const struct onednn_product *product, const struct onednn_part *part, float *memory,
                            size_t *taken)
{
    size_t vectors = (part->columns + VECTOR - 1) / VECTOR, panels = (vectors + MOST_VECTORS - 1) / MOST_VECTORS;
    size_t blocks = count_blocks(product->K);
    struct sparse_work work = {.b = (numbers *)memory, .bits = (uint64_t *)(memory + BLOCK * MOST_VECTORS * VECTOR)};
    float *turned = (float *)work.bits + floats_for(blocks * product->M * sizeof(uint64_t));
    size_t left = prepare_rows(product, part, &work, turned);
    struct sparse_rows rows = {.count = part->rows, .a_row = work.a_row, .c_row = product->N};
    for (size_t i = 0; i < panels; i++) {
        size_t first = vectors * i / panels, end = vectors * (i + 1) / panels;
        struct sparse_panel panel = {end - first, smaller(part->columns - first * VECTOR, (end - first) * VECTOR),
                                     work.b};
        if (!multiply_panel(product, part, &work, &panel, part->column + first * VECTOR, &rows))
            return false;
    }
    *taken = left * part->columns;
    return true;
}
