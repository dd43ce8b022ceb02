/* The operations as plain loops: what the others are compared with, and what is used where oneDNN is missing; see
 * ops.h. */
#include "worker/kernels/ops.h"

#include "common/clones.h"

#include <math.h>

static void *ref_create(void)
{
    return NULL;
}

static void ref_destroy(void *self)
{
    (void)self;
}

CLONES static void ref_linear(void *self, size_t B, size_t I, size_t O, const float *x, const float *w, const float *b,
                              float *y)
{
    (void)self;
    for (size_t n = 0; n < B; n++)
        for (size_t o = 0; o < O; o++) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (size_t i = 0; i < I; i++)
                sum += x[n * I + i] * w[o * I + i];
            y[n * O + o] = b[o] + sum;
        }
}

CLONES static void ref_linear_back_data(void *self, size_t B, size_t I, size_t O, const float *dy, const float *w,
                                        float *dx)
{
    (void)self;
    for (size_t n = 0; n < B; n++) {
        for (size_t i = 0; i < I; i++)
            dx[n * I + i] = 0;
        for (size_t o = 0; o < O; o++)
#pragma omp simd
            for (size_t i = 0; i < I; i++)
                dx[n * I + i] += dy[n * O + o] * w[o * I + i];
    }
}

CLONES static void ref_linear_back_weights(void *self, size_t B, size_t I, size_t O, const float *x, const float *dy,
                                           float *dw, float *db)
{
    (void)self;
    for (size_t o = 0; o < O; o++) {
        db[o] = 0;
        for (size_t i = 0; i < I; i++)
            dw[o * I + i] = 0;
        for (size_t n = 0; n < B; n++) {
            float d = dy[n * O + o];
            db[o] += d;
#pragma omp simd
            for (size_t i = 0; i < I; i++)
                dw[o * I + i] += d * x[n * I + i];
        }
    }
}

static float value_of(enum ops_activation f, float z)
{
    switch (f) {
    case OPS_TANH:
        return tanhf(z);
    case OPS_SIGMOID:
        return 1 / (1 + expf(-z));
    case OPS_GELU:
        return z / 2 * (1 + erff(z * (float)M_SQRT1_2));
    default:
        return z > 0 ? z : 0;
    }
}

static float slope_of(enum ops_activation f, float z)
{
    float a = value_of(f, z);
    switch (f) {
    case OPS_TANH:
        return 1 - a * a;
    case OPS_SIGMOID:
        return a * (1 - a);
    case OPS_GELU: /* the normal distribution's F(z) + z F'(z) */
        return (1 + erff(z * (float)M_SQRT1_2)) / 2 + z * expf(-z * z / 2) * 0.39894228f;
    default:
        return z > 0 ? 1 : 0;
    }
}

static void ref_activate(void *self, enum ops_activation f, size_t B, size_t O, const float *z, float *a)
{
    (void)self;
    for (size_t i = 0; i < B * O; i++)
        a[i] = value_of(f, z[i]);
}

static void ref_activate_back(void *self, enum ops_activation f, size_t B, size_t O, const float *z, const float *da,
                              float *dz)
{
    (void)self;
    for (size_t i = 0; i < B * O; i++)
        dz[i] = da[i] * slope_of(f, z[i]);
}

const struct ops ops_ref = {
    .name = "plain loops",
    .create = ref_create,
    .destroy = ref_destroy,
    .linear = ref_linear,
    .linear_back_data = ref_linear_back_data,
    .linear_back_weights = ref_linear_back_weights,
    .activate = ref_activate,
    .activate_back = ref_activate_back,
};
