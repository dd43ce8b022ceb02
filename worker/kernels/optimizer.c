/* SGD with momentum, Adam and AdamW; see optimizer.h. Each is one loop over the weights w with gradients g; t counts
 * the steps from 1. */
#include "worker/kernels/optimizer.h"

#include "common/mem.h"
#include "common/clones.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void optimizer_init(struct optimizer *optimizer, const struct optimizer_rule *rule, size_t count)
{
    *optimizer = (struct optimizer){.rule = *rule, .count = count};
    if (rule->kind != OPTIMIZER_SGD || rule->momentum > 0)
        optimizer->first = mem_aligned(count, sizeof(float));
    if (rule->kind != OPTIMIZER_SGD)
        optimizer->second = mem_aligned(count, sizeof(float));
}

void optimizer_fini(struct optimizer *optimizer)
{
    free(optimizer->first);
    free(optimizer->second);
    *optimizer = (struct optimizer){0};
}

/* g = dw + decay w;  w -= lr g */
CLONES static void plain(size_t P, float *restrict w, const float *restrict dw, float lr, float decay)
{
#pragma omp simd
    for (size_t i = 0; i < P; i++)
        w[i] -= lr * (dw[i] + decay * w[i]);
}

/* g = dw + decay w;  v = momentum v + g;  w -= lr v: Polyak 1964 in the form of Sutskever et al. 2013 without the
 * dampening, as most libraries have it. */
CLONES static void heavy_ball(size_t P, float *restrict w, const float *restrict dw, float *restrict v, float lr,
                              float decay, float momentum)
{
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        v[i] = momentum * v[i] + (dw[i] + decay * w[i]);
        w[i] -= lr * v[i];
    }
}

/* Kingma and Ba 2015, algorithm 1 (Adam):
 *     g = dw + l2 w;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
 *     w -= lr m / (1 - b1^t) / (sqrt(v / (1 - b2^t)) + epsilon)
 * Loshchilov and Hutter 2019, algorithm 2 (AdamW): the decay leaves the gradients alone, w -= lr decay w. `rate` is
 * lr / (1 - b1^t), `scale` is 1 / sqrt(1 - b2^t), `keep` is 1 - lr decay of AdamW. */
CLONES static void adam(size_t P, float *restrict w, const float *restrict dw, float *restrict m, float *restrict v,
                        const struct optimizer_rule *rule, float l2, float keep, float rate, float scale)
{
    float b1 = rule->beta1, b2 = rule->beta2, epsilon = rule->epsilon;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        float g = dw[i] + l2 * w[i];
        m[i] = b1 * m[i] + (1 - b1) * g;
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        w[i] = keep * w[i] - rate * m[i] / (sqrtf(v[i]) * scale + epsilon);
    }
}

void optimizer_update(struct optimizer *optimizer, double lr, float *w, const float *dw)
{
    const struct optimizer_rule *rule = &optimizer->rule;
    double t = (double)++optimizer->steps;
    if (rule->kind == OPTIMIZER_SGD) {
        if (optimizer->first)
            heavy_ball(optimizer->count, w, dw, optimizer->first, (float)lr, rule->weight_decay, rule->momentum);
        else
            plain(optimizer->count, w, dw, (float)lr, rule->weight_decay);
        return;
    }
    bool decoupled = rule->kind == OPTIMIZER_ADAMW;
    float keep = decoupled ? (float)(1 - lr * (double)rule->weight_decay) : 1;
    float rate = (float)(lr / (1 - pow((double)rule->beta1, t)));
    float scale = (float)(1 / sqrt(1 - pow((double)rule->beta2, t)));
    adam(optimizer->count, w, dw, optimizer->first, optimizer->second, rule, decoupled ? 0 : rule->weight_decay, keep,
         rate, scale);
}

void optimizer_save(const struct optimizer *optimizer, struct buf *out)
{
    pack_add(out, &optimizer->steps, 1, sizeof optimizer->steps);
    pack_add(out, optimizer->first, optimizer->count, sizeof(float));
    pack_add(out, optimizer->second, optimizer->count, sizeof(float));
}

void optimizer_resume(struct optimizer *optimizer, struct pack *pack)
{
    pack_take(pack, &optimizer->steps, 1, sizeof optimizer->steps);
    pack_take(pack, optimizer->first, optimizer->count, sizeof(float));
    pack_take(pack, optimizer->second, optimizer->count, sizeof(float));
}

double schedule_lr(enum schedule schedule, double lr, int64_t at, int64_t updates, int64_t warmup)
{
    if (at < warmup)
        return lr * (double)(at + 1) / (double)warmup;
    double t = (double)(at - warmup) / (double)(updates - warmup);
    switch (schedule) {
    case SCHEDULE_STEP:
        return t < 0.5 ? lr : t < 0.75 ? lr / 10 : lr / 100;
    case SCHEDULE_COSINE:
        return lr * (1 + cos(M_PI * t)) / 2;
    default:
        return lr;
    }
}
