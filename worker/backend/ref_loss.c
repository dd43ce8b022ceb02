/* Losses; see backend.h. Shapes: B examples, C classes or O outputs. */
#include "worker/backend/ref.h"

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

/* sum_c t_c z_c of the targets t = (1 - smoothing) onehot(label) + smoothing / C */
static float weigh_targets(const float *z, size_t C, size_t label, float smoothing)
{
    float sum = 0;
    for (size_t c = 0; smoothing > 0 && c < C; c++)
        sum += z[c];
    return (1 - smoothing) * z[label] + smoothing / (float)C * sum;
}

/* The loss of one example. The largest output is taken off before exp, so that nothing overflows. */
static float row_loss(const float *z, size_t C, size_t label, float smoothing, size_t top, float share, float *dz)
{
    float sum = 0;
    for (size_t c = 0; c < C; c++) {
        float e = expf(z[c] - z[top]);
        sum += e;
        if (dz)
            dz[c] = e;
    }
    for (size_t c = 0; dz && c < C; c++)
        dz[c] = (dz[c] / sum - smoothing / (float)C - (c == label ? 1 - smoothing : 0)) * share;
    return logf(sum) + z[top] - weigh_targets(z, C, label, smoothing);
}

void ref_softmax_loss(void *self, const struct tensor *z, const struct tensor *labels, float smoothing,
                      const struct tensor *losses, const struct tensor *hits, const struct tensor *dz)
{
    size_t B = z->size[0], C = z->size[1];
    const float *zs = ref_read(self, z);
    const int32_t *of = labels->at;
    int32_t *hit = hits->at;
    float *loss = losses->at, *dzs = ref_write(self, dz);
    for (size_t n = 0; n < B; n++, zs += C, dzs = dzs ? dzs + C : NULL) {
        size_t top = largest_logit(zs, C), label = (size_t)of[n];
        loss[n] = row_loss(zs, C, label, smoothing, top, 1 / (float)B, dzs);
        hit[n] = top == label;
    }
    ref_done(self);
}

void ref_square_loss(void *self, const struct tensor *z, const struct tensor *targets, const struct tensor *losses,
                     const struct tensor *dz)
{
    size_t B = z->size[0], O = tensor_width(z);
    const float *zs = ref_read(self, z), *ts = ref_read(self, targets);
    float *loss = losses->at, *dzs = ref_write(self, dz);
    for (size_t n = 0; n < B; n++) {
        float sum = 0;
        for (size_t i = n * O; i < (n + 1) * O; i++) {
            float d = zs[i] - ts[i];
            sum += d * d;
            if (dzs)
                dzs[i] = 2 * d / (float)(B * O);
        }
        loss[n] = sum / (float)O;
    }
    ref_done(self);
}
