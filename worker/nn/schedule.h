/* How the learning rate changes during a trial. */
#ifndef GANNET_WORKER_NN_SCHEDULE_H
#define GANNET_WORKER_NN_SCHEDULE_H

#include <stdint.h>

/* The words of the kernels' tables, in this order. */
#define SCHEDULES "constant|step|cosine|exponential|one-cycle"
enum schedule { SCHEDULE_CONSTANT, SCHEDULE_STEP, SCHEDULE_COSINE, SCHEDULE_EXPONENTIAL, SCHEDULE_ONE_CYCLE };

/* The learning rate of update `at`, from 0, of `updates` in all, where `lr` is the largest. For the first `warmup`
 * updates it rises linearly (Goyal et al. 2017); then, with t from 0 to 1 over the rest, and 1 behind it:
 *
 *     step           a tenth of it from t = 1/2 on, a hundredth from t = 3/4 on (He et al. 2016, section 4.2)
 *     cosine         lr (1 + cos(pi t)) / 2 (Loshchilov and Hutter 2017, equation 5, without restarts)
 *     exponential    lr 0.01^t
 *     one-cycle      from lr / 25 up to lr at t = 0.3, then down to lr / 250,000, both as half a cosine (Smith and
 * Topin 2017 in the form that most libraries have) */
double schedule_lr(enum schedule schedule, double lr, int64_t at, int64_t updates, int64_t warmup);

/* The words of the kernels' tables, in this order. */
#define LR_SCALINGS "none|linear|sqrt"
enum lr_scaling { LR_SCALING_NONE, LR_SCALING_LINEAR, LR_SCALING_SQRT };

/* The learning rate for batches of `batch` examples, those of all processes together, where `lr` is right for
 * `reference`: linear (Goyal et al. 2017, section 2.1), or by the square root (Krizhevsky 2014, section 5; for Adam:
 * Malladi et al. 2022). */
double schedule_scaled(enum lr_scaling scaling, double lr, double batch, double reference);

#endif
