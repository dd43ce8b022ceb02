/* Products of matrices; see backend.h. Shapes: B examples, I inputs, O outputs. Each output adds its I products in an
 * order of the compiler's, each gradient of a weight its B products in their order. */
#include "worker/backend/ref.h"

#include "common/clones.h"

CLONES static void forward(size_t B, size_t I, size_t O, const float *x, const float *w, const float *b, float *y)
{
    for (size_t n = 0; n < B; n++)
        for (size_t o = 0; o < O; o++) {
            float sum = 0;
#pragma omp simd reduction(+ : sum)
            for (size_t i = 0; i < I; i++)
                sum += x[n * I + i] * w[o * I + i];
            y[n * O + o] = b ? b[o] + sum : sum;
        }
}

CLONES static void back_data(size_t B, size_t I, size_t O, const float *dz, const float *w, float *dx)
{
    for (size_t n = 0; n < B; n++) {
        for (size_t i = 0; i < I; i++)
            dx[n * I + i] = 0;
        for (size_t o = 0; o < O; o++)
#pragma omp simd
            for (size_t i = 0; i < I; i++)
                dx[n * I + i] += dz[n * O + o] * w[o * I + i];
    }
}

CLONES static void back_weights(size_t B, size_t I, size_t O, const float *x, const float *dz, float *dw, float *db)
{
    for (size_t o = 0; o < O; o++) {
        float sum = 0;
        for (size_t i = 0; i < I; i++)
            dw[o * I + i] = 0;
        for (size_t n = 0; n < B; n++) {
            float d = dz[n * O + o];
            sum += d;
#pragma omp simd
            for (size_t i = 0; i < I; i++)
                dw[o * I + i] += d * x[n * I + i];
        }
        if (db)
            db[o] = sum;
    }
}

void ref_dense(void *self, const struct tensor *x, const struct tensor *w, const struct tensor *b, enum activation f,
               const struct tensor *y)
{
    size_t count = tensor_count(y);
    float *ys = ref_write(self, y);
    forward(x->size[0], tensor_width(x), w->size[0], ref_read(self, x), ref_read(self, w), ref_read(self, b), ys);
    for (size_t i = 0; f != ACTIVATION_NONE && i < count; i++)
        ys[i] = ref_value(f, ys[i]);
    ref_done(self);
}

void ref_dense_back_data(void *self, const struct tensor *dz, const struct tensor *w, const struct tensor *dx)
{
    float *dxs = ref_write(self, dx);
    back_data(dz->size[0], tensor_width(dx), w->size[0], ref_read(self, dz), ref_read(self, w), dxs);
    ref_done(self);
}

void ref_dense_back_weights(void *self, const struct tensor *x, const struct tensor *dz, const struct tensor *dw,
                            const struct tensor *db)
{
    float *dws = ref_write(self, dw), *dbs = ref_write(self, db);
    back_weights(x->size[0], tensor_width(x), dw->size[0], ref_read(self, x), ref_read(self, dz), dws, dbs);
    ref_done(self);
}
