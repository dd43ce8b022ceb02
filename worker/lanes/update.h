/* One step of the optimizers of LANES networks of the same kind; what each kind does is said with enum update_kind of
 * worker/backend/backend.h. P is the number of weights of a network. */
#ifndef GANNET_WORKER_LANES_UPDATE_H
#define GANNET_WORKER_LANES_UPDATE_H

#include "worker/backend/backend.h"
#include "worker/lanes/vector.h"

/* The constants of each network's step. */
struct lanes_update {
    enum update_kind kind;
    bool nesterov;
    lanes lr, l2, keep, momentum, beta1, beta2, epsilon, scale, trust;
};

/* Puts the constants of network f there. */
void lanes_update_set(struct lanes_update *update, size_t f, const struct update *of);

/* first and second may be NULL where the kind does not use them; sgd always has the first. UPDATE_LARS takes the P
 * weights for a layer's. */
void lanes_update(size_t P, const struct lanes_update *update, lanes *w, const lanes *dw, lanes *first, lanes *second);

/* Scales each network's gradients so that the root of their sum of squares is at most its limit; 0: any. */
void lanes_clip(size_t P, const lanes *limit, lanes *dw);

/* mean = decay mean + (1 - decay) w */
void lanes_average(size_t P, const lanes *decay, const lanes *w, lanes *mean);

#endif
