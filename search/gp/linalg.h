/* The linear algebra of Gaussian processes: one file that speaks to BLAS and LAPACK.
 *
 * A factor is the lower triangle L of a symmetric matrix A = L L', stored row after row, `stride` doubles apart, so
 * that one more row can be written behind the last. What stands above the diagonal is neither read nor of any use. */
#ifndef GANNET_SEARCH_GP_LINALG_H
#define GANNET_SEARCH_GP_LINALG_H

#include <stdbool.h>
#include <stdint.h>

/* Lets the library compute in the calling thread alone: the strategy has one core, and results must not depend on how
 * many there are. To be called before anything else. */
void linalg_start(void);

/* The processor core whose instructions the library computes with: "Haswell", "Zen". */
const char *linalg_core(void);

/* The least stride of rows that may become n long: each of them begins at a cache line, as the first does. Where
 * vectors begin elsewhere the library adds up in another order, and results must not depend on how much room there is.
 */
uint32_t linalg_stride(uint32_t n);

/* Turns the lower triangle of A into its factor. False when A is not positive definite; A is then spoilt. O(n^3). */
bool linalg_factor(double *a, uint32_t n, uint32_t stride);

/* Turns a factor into the lower triangle of A's inverse. O(n^3). */
void linalg_invert(double *factor, uint32_t n, uint32_t stride);

/* v = L^-1 v and v = L'^-1 v; O(n^2). */
void linalg_solve(const double *factor, uint32_t n, uint32_t stride, double *v);
void linalg_solve_transposed(const double *factor, uint32_t n, uint32_t stride, double *v);

/* Replaces each of `count` rows of n doubles, `row_stride` apart, by L^-1 times it. */
void linalg_solve_rows(const double *factor, uint32_t n, uint32_t stride, double *rows, uint32_t count,
                       uint32_t row_stride);

/* out[i] = the product of row i and v, for `count` rows of n doubles. */
void linalg_multiply_rows(const double *rows, uint32_t count, uint32_t row_stride, uint32_t n, const double *v,
                          double *out);

double linalg_dot(const double *a, const double *b, uint32_t n);

#endif
