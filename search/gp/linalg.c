/* Calls of BLAS and LAPACK; see linalg.h. LAPACK stores column after column: the lower triangle of our rows is the
 * upper one of its columns. */
#include "search/gp/linalg.h"

#include <cblas.h>
#include <lapacke.h>

void linalg_start(void)
{
    openblas_set_num_threads(1);
}

const char *linalg_core(void)
{
    return openblas_get_corename();
}

uint32_t linalg_stride(uint32_t n)
{
    enum { LINE = 64 / sizeof(double) };
    return (n + LINE - 1) / LINE * LINE;
}

bool linalg_factor(double *a, uint32_t n, uint32_t stride)
{
    char upper = 'U';
    lapack_int size = (lapack_int)n, leading = (lapack_int)stride, info = 0;
    LAPACK_dpotrf(&upper, &size, a, &leading, &info);
    return info == 0;
}

void linalg_invert(double *factor, uint32_t n, uint32_t stride)
{
    char upper = 'U';
    lapack_int size = (lapack_int)n, leading = (lapack_int)stride, info = 0;
    LAPACK_dpotri(&upper, &size, factor, &leading, &info);
}

void linalg_solve(const double *factor, uint32_t n, uint32_t stride, double *v)
{
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, (blasint)n, factor, (blasint)stride, v, 1);
}

void linalg_solve_transposed(const double *factor, uint32_t n, uint32_t stride, double *v)
{
    cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, (blasint)n, factor, (blasint)stride, v, 1);
}

void linalg_solve_rows(const double *factor, uint32_t n, uint32_t stride, double *rows, uint32_t count,
                       uint32_t row_stride)
{
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (blasint)count, (blasint)n, 1, factor,
                (blasint)stride, rows, (blasint)row_stride);
}

void linalg_multiply_rows(const double *rows, uint32_t count, uint32_t row_stride, uint32_t n, const double *v,
                          double *out)
{
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (blasint)count, (blasint)n, 1, rows, (blasint)row_stride, v, 1, 0, out, 1);
}

double linalg_dot(const double *a, const double *b, uint32_t n)
{
    return cblas_ddot((blasint)n, a, 1, b, 1);
}
