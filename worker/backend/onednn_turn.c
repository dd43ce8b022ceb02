/* Dense products forward of few examples with many inputs; see onednn.h. oneDNN reads a product's second matrix column
 * by column when its rows are the outputs; where these lie many pages apart, that takes as long as the multiplications.
 * Here the weights are turned in squares that stay in registers, some inputs at a time, so that what was turned stays
 * in the second cache.
 *
 * Shapes: y[M,N] = x[M,K] w[N,K]^T. */
#include "worker/backend/onednn.h"

#include "common/clones.h"

#include <string.h>

enum {
    SIDE = 8,            /* of a square: numbers of a vector of AVX */
    AT_ONCE = 512,       /* inputs: with 256 outputs 512 KiB are turned */
    MOST_ROWS = 128,     /* of x: with more the multiplications take so long that nothing else counts */
    MOST_COLUMNS = 256,  /* of y */
    LEAST_INPUTS = 4096, /* rows of 16 KiB; with 784 inputs nothing was gained */
};

typedef float numbers __attribute__((vector_size(SIDE * sizeof(float))));

/* to[j][i] = from[i][j]: three rounds, in which pairs of rows exchange halves, quarters and single numbers. */
static inline __attribute__((always_inline)) void turn_square(const float *from, size_t from_row, float *to,
                                                              size_t to_row)
{
    numbers a[SIDE], b[SIDE];
    for (size_t i = 0; i < SIDE; i++)
        memcpy(&a[i], from + i * from_row, sizeof a[i]);
    for (size_t i = 0; i < 4; i++) {
        b[i] = __builtin_shufflevector(a[i], a[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[i + 4] = __builtin_shufflevector(a[i], a[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (size_t i = 0; i < SIDE; i += 4)
        for (size_t j = i; j < i + 2; j++) {
            a[j] = __builtin_shufflevector(b[j], b[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[j + 2] = __builtin_shufflevector(b[j], b[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (size_t i = 0; i < SIDE; i += 2) {
        b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (size_t i = 0; i < SIDE; i++)
        memcpy(to + i * to_row, &b[i], sizeof b[i]);
}

/* What squares leave over: rows from r and columns from c on. */
static inline void turn_numbers(size_t r, size_t R, size_t c, size_t C, const float *from, size_t from_row, float *to,
                                size_t to_row)
{
    for (size_t i = r; i < R; i++)
        for (size_t j = c; j < C; j++)
            to[j * to_row + i] = from[i * from_row + j];
}

CLONES static void turn_matrix(size_t R, size_t C, const float *from, size_t from_row, float *to, size_t to_row)
{
    size_t rows = R / SIDE * SIDE, columns = C / SIDE * SIDE;
    for (size_t r = 0; r < rows; r += SIDE)
        for (size_t c = 0; c < columns; c += SIDE)
            turn_square(from + r * from_row + c, from_row, to + c * to_row + r, to_row);
    turn_numbers(0, rows, columns, C, from, from_row, to, to_row);
    turn_numbers(rows, R, 0, C, from, from_row, to, to_row);
}

void onednn_turn(size_t R, size_t C, const float *from, size_t from_row, float *to, size_t to_row)
{
    turn_matrix(R, C, from, from_row, to, to_row);
}

bool onednn_is_turned(size_t M, size_t N, size_t K)
{
    return M <= MOST_ROWS && N <= MOST_COLUMNS && N % ONEDNN_VECTOR == 0 && K >= LEAST_INPUTS;
}

size_t onednn_turned_numbers(size_t N)
{
    return AT_ONCE * N;
}

void onednn_multiply_turned(const struct onednn_turned *of, float *work)
{
    for (size_t k = 0; k < of->K; k += AT_ONCE) {
        size_t some = of->K - k < AT_ONCE ? of->K - k : AT_ONCE;
        onednn_turn(of->N, some, of->w + k, of->K, work, of->N);
        onednn_check(dnnl_sgemm('N', 'N', (dnnl_dim_t)of->M, (dnnl_dim_t)of->N, (dnnl_dim_t)some, 1, of->x + k,
                                (dnnl_dim_t)of->K, work, (dnnl_dim_t)of->N, k > 0, of->y, (dnnl_dim_t)of->y_row),
                     "multiply");
    }
}
