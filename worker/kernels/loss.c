/* Softmax and cross entropy; see loss.h. */
#include "worker/kernels/loss.h"

#include <math.h>

/* The largest of z[C]; the first of several. Any when one is NaN. */
static size_t largest_logit(const float *z, size_t C)
{
    size_t at = 0;
    for (size_t c = 1; c < C; c++)
        if (z[c] > z[at])
            at = c;
    return at;
}

void loss_add(struct loss *loss, size_t B, size_t C, const float *z, const int32_t *labels, float *dz)
{
    for (size_t n = 0; n < B; n++, z += C) {
        size_t top = largest_logit(z, C), label = (size_t)labels[n];
        float sum = 0; /* of exp(z_c - z_top): the largest term is 1, so that nothing overflows */
        for (size_t c = 0; c < C; c++) {
            float e = expf(z[c] - z[top]);
            sum += e;
            if (dz)
                dz[n * C + c] = e;
        }
        loss->sum += (double)(logf(sum) + z[top] - z[label]);
        loss->hits += top == label;
        for (size_t c = 0; dz && c < C; c++)
            dz[n * C + c] = (dz[n * C + c] / sum - (float)(c == label)) / (float)B;
    }
    loss->count += B;
}

double loss_mean(const struct loss *loss)
{
    return loss->sum / (double)loss->count;
}

double loss_accuracy(const struct loss *loss)
{
    return (double)loss->hits / (double)loss->count;
}
