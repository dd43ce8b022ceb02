/* See update.h. The formulas and papers are in worker/backend/backend.h, the same for one network in ref_update.c. */
#include "worker/lanes/update.h"

#include <math.h>

#define G(i) (dw[i] + u->l2 * w[i])

LANES_INLINE void take_root(lanes *x)
{
    for (size_t f = 0; f < LANES; f++)
        (*x)[f] = sqrtf((*x)[f]);
}

CLONES_OF_PRODUCTS static void follow_momentum(size_t P, const struct lanes_update *u, lanes *w, const lanes *dw,
                                               lanes *v)
{
    for (size_t i = 0; i < P; i++) {
        lanes g = G(i);
        v[i] = u->momentum * v[i] + g;
        lanes step = u->nesterov ? g + u->momentum * v[i] : v[i];
        w[i] = u->keep * w[i] - u->lr * step;
    }
}

CLONES_OF_PRODUCTS static void follow_adam(size_t P, const struct lanes_update *u, lanes *w, const lanes *dw, lanes *m,
                                           lanes *v)
{
    for (size_t i = 0; i < P; i++) {
        lanes g = G(i);
        m[i] = u->beta1 * m[i] + (1 - u->beta1) * g;
        v[i] = u->beta2 * v[i] + (1 - u->beta2) * g * g;
        lanes root = v[i];
        take_root(&root);
        w[i] = u->keep * w[i] - u->lr * m[i] / (root * u->scale + u->epsilon);
    }
}

CLONES_OF_PRODUCTS static void follow_rmsprop(size_t P, const struct lanes_update *u, lanes *w, const lanes *dw,
                                              lanes *m, lanes *v)
{
    for (size_t i = 0; i < P; i++) {
        lanes g = G(i);
        v[i] = u->beta2 * v[i] + (1 - u->beta2) * g * g;
        lanes root = v[i];
        take_root(&root);
        m[i] = u->momentum * m[i] + g / (root + u->epsilon);
        w[i] = u->keep * w[i] - u->lr * m[i];
    }
}

CLONES_OF_PRODUCTS static void follow_adadelta(size_t P, const struct lanes_update *u, lanes *w, const lanes *dw,
                                               lanes *moved, lanes *v)
{
    for (size_t i = 0; i < P; i++) {
        lanes g = G(i);
        v[i] = u->beta2 * v[i] + (1 - u->beta2) * g * g;
        lanes over = moved[i] + u->epsilon, under = v[i] + u->epsilon;
        take_root(&over);
        take_root(&under);
        lanes d = g * over / under;
        moved[i] = u->beta2 * moved[i] + (1 - u->beta2) * d * d;
        w[i] = u->keep * w[i] - u->lr * d;
    }
}

CLONES_OF_PRODUCTS static void add_squares(size_t P, const lanes *w, lanes_wide *sums)
{
    for (size_t i = 0; i < P; i++) {
        lanes_wide wide = __builtin_convertvector(w[i], lanes_wide);
        *sums += wide * wide;
    }
}

/* The rate of each network by the norms of its weights and gradients. Not returned: how vectors are passed by value
 * depends on the instructions that a file is compiled for, of which gcc warns. */
static void trust_rate(size_t P, const struct lanes_update *u, const lanes *w, const lanes *dw, lanes *rate)
{
    lanes_wide ours = {0}, gradients = {0};
    *rate = u->lr;
    add_squares(P, w, &ours);
    add_squares(P, dw, &gradients);
    for (size_t f = 0; f < LANES; f++) {
        double own = sqrt(ours[f]), gradient = sqrt(gradients[f]) + (double)u->l2[f] * own;
        (*rate)[f] *= own > 0 && gradient > 0 ? (float)((double)u->trust[f] * own / gradient) : 1;
    }
}

CLONES_OF_PRODUCTS static void follow_lars(size_t P, const struct lanes_update *u, const lanes *rate, lanes *w,
                                           const lanes *dw, lanes *v)
{
    for (size_t i = 0; i < P; i++) {
        v[i] = u->momentum * v[i] + *rate * G(i);
        w[i] -= v[i];
    }
}

static void follow_layer(size_t P, const struct lanes_update *u, lanes *w, const lanes *dw, lanes *v)
{
    lanes rate;
    trust_rate(P, u, w, dw, &rate);
    follow_lars(P, u, &rate, w, dw, v);
}

void lanes_update_set(struct lanes_update *update, size_t f, const struct update *of)
{
    update->kind = of->kind;
    update->nesterov = of->nesterov;
    update->lr[f] = of->lr;
    update->l2[f] = of->l2;
    update->keep[f] = of->keep;
    update->momentum[f] = of->momentum;
    update->beta1[f] = of->beta1;
    update->beta2[f] = of->beta2;
    update->epsilon[f] = of->epsilon;
    update->scale[f] = of->scale;
    update->trust[f] = of->trust;
}

void lanes_update(size_t P, const struct lanes_update *update, lanes *w, const lanes *dw, lanes *first, lanes *second)
{
    if (update->kind == UPDATE_SGD)
        follow_momentum(P, update, w, dw, first);
    else if (update->kind == UPDATE_ADAM)
        follow_adam(P, update, w, dw, first, second);
    else if (update->kind == UPDATE_RMSPROP)
        follow_rmsprop(P, update, w, dw, first, second);
    else if (update->kind == UPDATE_ADADELTA)
        follow_adadelta(P, update, w, dw, first, second);
    else
        follow_layer(P, update, w, dw, first);
}

CLONES_OF_PRODUCTS static void clip_gradients(size_t P, const lanes *limit, lanes *dw)
{
    lanes_wide sums = {0};
    lanes scale = LANES_OF(1);
    add_squares(P, dw, &sums);
    for (size_t f = 0; f < LANES; f++) {
        double norm = sqrt(sums[f]), most = (double)(*limit)[f];
        scale[f] = most > 0 && norm > most ? (float)(most / norm) : 1;
    }
    for (size_t i = 0; i < P; i++)
        dw[i] *= scale;
}

void lanes_clip(size_t P, const lanes *limit, lanes *dw)
{
    clip_gradients(P, limit, dw);
}

CLONES_OF_PRODUCTS static void average_weights(size_t P, const lanes *decay, const lanes *w, lanes *mean)
{
    for (size_t i = 0; i < P; i++)
        mean[i] = *decay * mean[i] + (1 - *decay) * w[i];
}

void lanes_average(size_t P, const lanes *decay, const lanes *w, lanes *mean)
{
    average_weights(P, decay, w, mean);
}
