/* Means over the steps that sequences have; see backend.h. Shapes: B examples of T steps of D numbers. */
#include "worker/backend/ref.h"

#include <string.h>

void ref_mean_steps(void *self, const struct tensor *x, const struct tensor *lengths, const struct tensor *y)
{
    size_t B = x->size[0], T = x->size[1], D = x->size[2];
    const float *xs = ref_read(self, x);
    float *ys = ref_write(self, y);
    memset(ys, 0, B * D * sizeof *ys);
    for (size_t b = 0; b < B; b++, ys += D) {
        size_t length = ref_length(lengths, b, T);
        for (size_t t = 0; t < length; t++)
            for (size_t i = 0; i < D; i++)
                ys[i] += xs[(b * T + t) * D + i];
        for (size_t i = 0; i < D; i++)
            ys[i] /= (float)length;
    }
    ref_done(self);
}

void ref_mean_steps_back(void *self, const struct tensor *dy, const struct tensor *lengths, const struct tensor *dx)
{
    size_t B = dx->size[0], T = dx->size[1], D = dx->size[2];
    const float *dys = ref_read(self, dy);
    float *dxs = ref_write(self, dx);
    memset(dxs, 0, B * T * D * sizeof *dxs);
    for (size_t b = 0; b < B; b++, dys += D) {
        size_t length = ref_length(lengths, b, T);
        for (size_t t = 0; t < length; t++)
            for (size_t i = 0; i < D; i++)
                dxs[(b * T + t) * D + i] = dys[i] / (float)length;
    }
    ref_done(self);
}
