/* Optimizers, each one loop over the weights; the formulas and papers are in backend.h. Norms are summed in double
 * precision in an order of the compiler's. */
#include "worker/backend/ref.h"

#include "common/clones.h"

#include <math.h>

#define G(i) (dw[i] + l2 * w[i])

CLONES static void plain(size_t P, const struct update *u, float *restrict w, const float *restrict dw)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep;
#pragma omp simd
    for (size_t i = 0; i < P; i++)
        w[i] = keep * w[i] - lr * G(i);
}

CLONES static void heavy_ball(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                              float *restrict v)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep, momentum = u->momentum;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        v[i] = momentum * v[i] + G(i);
        w[i] = keep * w[i] - lr * v[i];
    }
}

CLONES static void nesterov(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                            float *restrict v)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep, momentum = u->momentum;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        float g = G(i);
        v[i] = momentum * v[i] + g;
        w[i] = keep * w[i] - lr * (g + momentum * v[i]);
    }
}

CLONES static void adam(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                        float *restrict m, float *restrict v)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep, b1 = u->beta1, b2 = u->beta2, epsilon = u->epsilon, scale = u->scale;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        float g = G(i);
        m[i] = b1 * m[i] + (1 - b1) * g;
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        w[i] = keep * w[i] - lr * m[i] / (sqrtf(v[i]) * scale + epsilon);
    }
}

CLONES static void rmsprop(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                           float *restrict m, float *restrict v)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep, b2 = u->beta2, epsilon = u->epsilon, momentum = u->momentum;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        float g = G(i);
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        m[i] = momentum * m[i] + g / (sqrtf(v[i]) + epsilon);
        w[i] = keep * w[i] - lr * m[i];
    }
}

CLONES static void adadelta(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                            float *restrict moved, float *restrict v)
{
    float lr = u->lr, l2 = u->l2, keep = u->keep, b2 = u->beta2, epsilon = u->epsilon;
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        float g = G(i);
        v[i] = b2 * v[i] + (1 - b2) * g * g;
        float d = g * sqrtf(moved[i] + epsilon) / sqrtf(v[i] + epsilon);
        moved[i] = b2 * moved[i] + (1 - b2) * d * d;
        w[i] = keep * w[i] - lr * d;
    }
}

CLONES static double norm_of(size_t P, const float *w)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < P; i++)
        sum += (double)w[i] * (double)w[i];
    return sqrt(sum);
}

CLONES static void lars(size_t P, const struct update *u, float *restrict w, const float *restrict dw,
                        float *restrict v)
{
    float l2 = u->l2, momentum = u->momentum;
    double ours = norm_of(P, w), gradient = norm_of(P, dw) + (double)l2 * ours;
    float lr = u->lr * (ours > 0 && gradient > 0 ? (float)((double)u->trust * ours / gradient) : 1);
#pragma omp simd
    for (size_t i = 0; i < P; i++) {
        v[i] = momentum * v[i] + lr * G(i);
        w[i] -= v[i];
    }
}

void ref_update(void *self, const struct update *u, const struct tensor *w, const struct tensor *dw,
                const struct tensor *first, const struct tensor *second)
{
    (void)self;
    size_t P = tensor_count(w);
    switch (u->kind) {
    case UPDATE_SGD:
        if (u->momentum == 0)
            plain(P, u, w->at, dw->at);
        else
            (u->nesterov ? nesterov : heavy_ball)(P, u, w->at, dw->at, first->at);
        break;
    case UPDATE_ADAM:
        adam(P, u, w->at, dw->at, first->at, second->at);
        break;
    case UPDATE_RMSPROP:
        rmsprop(P, u, w->at, dw->at, first->at, second->at);
        break;
    case UPDATE_ADADELTA:
        adadelta(P, u, w->at, dw->at, first->at, second->at);
        break;
    case UPDATE_LARS:
        lars(P, u, w->at, dw->at, first->at);
        break;
    }
}

void ref_clip(void *self, float limit, const struct tensor *g)
{
    double norm = norm_of(tensor_count(g), g->at);
    if (norm > (double)limit)
        ref_mix(self, 0, g, (float)((double)limit / norm), g);
}
