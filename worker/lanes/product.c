/* See product.h. A tile of c stays in registers while its products are added up: 4 x 3 vectors, with the 3 of b and one
 * of a that makes the 16 registers of AVX, and 12 sums in flight, more than the 8 that two multipliers with a latency
 * of 4 cycles need. */
#include "worker/lanes/product.h"

enum { TILE_ROWS = 4, TILE_COLUMNS = 3 };

/* M and N are constants where it is called. */
LANES_INLINE void multiply_tile(size_t M, size_t N, size_t K, const struct lanes_matrix *a,
                                const struct lanes_matrix *b, const lanes *bias, lanes *c, size_t row)
{
    lanes sums[TILE_ROWS][TILE_COLUMNS];
    const lanes *as = a->at, *bs = b->at;
    size_t a_row = a->row, a_step = a->step, b_row = b->row, b_step = b->step;
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            sums[m][n] = bias ? bias[n] : LANES_OF(0);
    for (size_t k = 0; k < K; k++, as += a_step, bs += b_step)
        for (size_t m = 0; m < M; m++)
            for (size_t n = 0; n < N; n++)
                sums[m][n] += as[m * a_row] * bs[n * b_row];
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            c[m * row + n] = sums[m][n];
}

/* M rows of c, all of its columns; M is a constant where it is called. */
LANES_INLINE void multiply_rows(size_t M, size_t N, size_t K, const struct lanes_matrix *a,
                                const struct lanes_matrix *b, const lanes *bias, lanes *c, size_t row)
{
    struct lanes_matrix part = *b;
    size_t n = 0;
    for (; n + TILE_COLUMNS <= N; n += TILE_COLUMNS) {
        multiply_tile(M, TILE_COLUMNS, K, a, &part, bias ? bias + n : NULL, c + n, row);
        part.at += TILE_COLUMNS * b->row;
    }
    for (; n < N; n++) {
        multiply_tile(M, 1, K, a, &part, bias ? bias + n : NULL, c + n, row);
        part.at += b->row;
    }
}

CLONES_OF_PRODUCTS static void multiply_all(size_t M, size_t N, size_t K, const struct lanes_matrix *a,
                                            const struct lanes_matrix *b, const lanes *bias, lanes *c, size_t row)
{
    struct lanes_matrix part = *a;
    size_t m = 0;
    for (; m + TILE_ROWS <= M; m += TILE_ROWS) {
        multiply_rows(TILE_ROWS, N, K, &part, b, bias, c + m * row, row);
        part.at += TILE_ROWS * a->row;
    }
    for (; m < M; m++) {
        multiply_rows(1, N, K, &part, b, bias, c + m * row, row);
        part.at += a->row;
    }
}

void lanes_product(size_t M, size_t N, size_t K, const struct lanes_matrix *a, const struct lanes_matrix *b,
                   const lanes *bias, lanes *c, size_t row)
{
    multiply_all(M, N, K, a, b, bias, c, row);
}
