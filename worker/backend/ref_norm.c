/* Normalisation over examples or within one; see backend.h. Shapes: R rows (all axes but the last) of C channels.
 * Statistics and gradients of gamma and beta are summed over the rows in their order, in double precision. */
#include "worker/backend/ref.h"

#include <math.h>
#include <string.h>

/* Zeros to add up in. */
static double *clear_sums(void *self, size_t count)
{
    double *sums = (double *)(void *)ref_scratch(self, 2 * count); /* aligned to 64 bytes */
    memset(sums, 0, count * sizeof *sums);
    return sums;
}

/* y[C] = gamma (x[C] - mean[C]) / sqrt(variance[C] + epsilon) + beta; of each row */
static void apply_columns(size_t R, size_t C, const float *x, const float *gamma, const float *beta, float epsilon,
                          const float *mean, const float *variance, float *y)
{
    for (size_t r = 0; r < R; r++)
        for (size_t c = 0; c < C; c++) {
            float scale = gamma[c] / sqrtf(variance[c] + epsilon);
            y[r * C + c] = (x[r * C + c] - mean[c]) * scale + beta[c];
        }
}

static void measure_columns(void *self, size_t R, size_t C, const float *x, float *mean, float *variance)
{
    double *sums = clear_sums(self, C);
    for (size_t i = 0; i < R * C; i++)
        sums[i % C] += (double)x[i];
    for (size_t c = 0; c < C; c++)
        mean[c] = (float)(sums[c] / (double)R);
    memset(sums, 0, C * sizeof *sums);
    for (size_t i = 0; i < R * C; i++) {
        double d = (double)x[i] - (double)mean[i % C];
        sums[i % C] += d * d;
    }
    for (size_t c = 0; c < C; c++)
        variance[c] = (float)(sums[c] / (double)R);
}

void ref_batch_norm_apply(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                          float epsilon, const struct tensor *mean, const struct tensor *variance,
                          const struct tensor *y)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    apply_columns(R, C, ref_read(self, x), gamma->at, beta->at, epsilon, mean->at, variance->at, ref_write(self, y));
    ref_done(self);
}

void ref_batch_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                    float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    const float *xs = ref_read(self, x);
    measure_columns(self, R, C, xs, mean->at, variance->at);
    apply_columns(R, C, xs, gamma->at, beta->at, epsilon, mean->at, variance->at, ref_write(self, y));
    ref_done(self);
}

/* With n = (x - mean) / sqrt(variance + epsilon), what y has been made of:
 *     dbeta = sum dy,  dgamma = sum dy n,  dx = gamma / sqrt(variance + epsilon) (dy - dbeta / R - n dgamma / R) */
void ref_batch_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                         float epsilon, const struct tensor *mean, const struct tensor *variance,
                         const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    const float *xs = ref_read(self, x), *dys = ref_read(self, dy), *gs = gamma->at, *ms = mean->at, *vs = variance->at;
    float *dxs = ref_write(self, dx), *dgs = dgamma->at, *dbs = dbeta->at;
    double *sums = clear_sums(self, 2 * C);
    for (size_t i = 0; i < R * C; i++) {
        size_t c = i % C;
        sums[c] += (double)dys[i];
        sums[C + c] += (double)dys[i] * (double)(xs[i] - ms[c]) / sqrt((double)(vs[c] + epsilon));
    }
    for (size_t c = 0; c < C; c++) {
        dbs[c] = (float)sums[c];
        dgs[c] = (float)sums[C + c];
    }
    for (size_t i = 0; i < R * C; i++) {
        size_t c = i % C;
        float root = sqrtf(vs[c] + epsilon), n = (xs[i] - ms[c]) / root;
        dxs[i] = gs[c] / root * (dys[i] - (dbs[c] + n * dgs[c]) / (float)R);
    }
    ref_done(self);
}

static void measure_row(size_t C, const float *x, float *mean, float *variance)
{
    double sum = 0, squares = 0;
    for (size_t c = 0; c < C; c++)
        sum += (double)x[c];
    for (size_t c = 0; c < C; c++)
        squares += ((double)x[c] - sum / (double)C) * ((double)x[c] - sum / (double)C);
    *mean = (float)(sum / (double)C);
    *variance = (float)(squares / (double)C);
}

void ref_layer_norm(void *self, const struct tensor *x, const struct tensor *gamma, const struct tensor *beta,
                    float epsilon, const struct tensor *mean, const struct tensor *variance, const struct tensor *y)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    const float *xs = ref_read(self, x), *gs = gamma->at, *bs = beta->at;
    float *ys = ref_write(self, y), *ms = mean->at, *vs = variance->at;
    for (size_t r = 0; r < R; r++, xs += C, ys += C) {
        measure_row(C, xs, &ms[r], &vs[r]);
        for (size_t c = 0; c < C; c++)
            ys[c] = gs[c] * (xs[c] - ms[r]) / sqrtf(vs[r] + epsilon) + bs[c];
    }
    ref_done(self);
}

/* dx of one row; adds to the sums of dbeta[C] and, behind them, dgamma[C]. */
static void back_row(size_t C, const float *x, const float *dy, const float *gamma, float mean, float root, float *dx,
                     double *sums)
{
    double given = 0, along = 0; /* sums of gamma dy, and of gamma dy n */
    for (size_t c = 0; c < C; c++) {
        double n = (double)((x[c] - mean) / root);
        sums[c] += (double)dy[c];
        sums[C + c] += (double)dy[c] * n;
        given += (double)(gamma[c] * dy[c]);
        along += (double)(gamma[c] * dy[c]) * n;
    }
    for (size_t c = 0; c < C; c++) {
        double n = (double)((x[c] - mean) / root);
        dx[c] = (float)(((double)(gamma[c] * dy[c]) - (given + n * along) / (double)C) / (double)root);
    }
}

void ref_layer_norm_back(void *self, const struct tensor *x, const struct tensor *dy, const struct tensor *gamma,
                         float epsilon, const struct tensor *mean, const struct tensor *variance,
                         const struct tensor *dx, const struct tensor *dgamma, const struct tensor *dbeta)
{
    size_t C = gamma->size[0], R = tensor_count(x) / C;
    const float *xs = ref_read(self, x), *dys = ref_read(self, dy), *ms = mean->at, *vs = variance->at;
    float *dxs = ref_write(self, dx), *dgs = dgamma->at, *dbs = dbeta->at;
    double *sums = clear_sums(self, 2 * C);
    for (size_t r = 0; r < R; r++)
        back_row(C, xs + r * C, dys + r * C, gamma->at, ms[r], sqrtf(vs[r] + epsilon), dxs + r * C, sums);
    for (size_t c = 0; c < C; c++) {
        dbs[c] = (float)sums[c];
        dgs[c] = (float)sums[C + c];
    }
    ref_done(self);
}
