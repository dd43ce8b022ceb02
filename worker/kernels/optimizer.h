/* How weights follow their gradients, and with which learning rate. P is the number of weights of a network, all in one
 * array. */
#ifndef GANNET_WORKER_KERNELS_OPTIMIZER_H
#define GANNET_WORKER_KERNELS_OPTIMIZER_H

#include "worker/kernels/pack.h"

#include <stddef.h>
#include <stdint.h>

/* The words of the kernels' tables, in this order. */
#define OPTIMIZERS "sgd|adam|adamw"
enum optimizer_kind { OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_ADAMW };

/* What a configuration says of it. */
struct optimizer_rule {
    enum optimizer_kind kind;
    float momentum;     /* of SGD, 0: plain */
    float beta1, beta2; /* of Adam: of the means of gradients and of their squares */
    float epsilon;      /* of Adam */
    float weight_decay;
};

struct optimizer {
    struct optimizer_rule rule;
    size_t count;  /* P */
    int64_t steps; /* done */
    float *first;  /* [P]: SGD's velocity, Adam's mean of gradients; NULL: not needed */
    float *second; /* [P]: Adam's mean of squared gradients; NULL: not needed */
};

void optimizer_init(struct optimizer *optimizer, const struct optimizer_rule *rule, size_t count);
void optimizer_fini(struct optimizer *optimizer); /* {0} is fine */

/* One step: changes w[P] by its gradients dw[P] with the learning rate lr. */
void optimizer_update(struct optimizer *optimizer, double lr, float *w, const float *dw);

/* Of checkpoints. */
void optimizer_save(const struct optimizer *optimizer, struct buf *out);
void optimizer_resume(struct optimizer *optimizer, struct pack *pack);

/* How the learning rate changes during a trial: the words of the kernels' tables, in this order. */
#define SCHEDULES "constant|step|cosine"
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE };

/* The learning rate of update `at`, from 0, of `updates` in all, where `lr` is the largest. For the first `warmup`
 * updates it rises linearly (Goyal et al. 2017); then, with t from 0 to 1 over the rest:
 *
 *     step      a tenth of it from t = 1/2 on, a hundredth from t = 3/4 on (He et al. 2016, section 4.2)
 *     cosine    lr (1 + cos(pi t)) / 2 (Loshchilov and Hutter 2017, equation 5, without restarts) */
double schedule_lr(enum schedule schedule, double lr, int64_t at, int64_t updates, int64_t warmup);

#endif
