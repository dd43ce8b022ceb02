/* Learning rates over a trial; see schedule.h. */
#include "worker/nn/schedule.h"

#include <math.h>

/* From a to b as half a cosine, t from 0 to 1. */
static double ease(double a, double b, double t)
{
    return b + (a - b) * (1 + cos(M_PI * t)) / 2;
}

double schedule_lr(enum schedule schedule, double lr, int64_t at, int64_t updates, int64_t warmup)
{
    const double top = 0.3; /* of one-cycle */
    if (at < warmup)
        return lr * (double)(at + 1) / (double)warmup;
    double t = at < updates ? (double)(at - warmup) / (double)(updates - warmup) : 1;
    switch (schedule) {
    case SCHEDULE_STEP:
        return t < 0.5 ? lr : t < 0.75 ? lr / 10 : lr / 100;
    case SCHEDULE_COSINE:
        return lr * (1 + cos(M_PI * t)) / 2;
    case SCHEDULE_EXPONENTIAL:
        return lr * pow(0.01, t);
    case SCHEDULE_ONE_CYCLE:
        return t < top ? ease(lr / 25, lr, t / top) : ease(lr, lr / 250000, (t - top) / (1 - top));
    default:
        return lr;
    }
}

double schedule_scaled(enum lr_scaling scaling, double lr, double batch, double reference)
{
    double times = batch / reference;
    return scaling == LR_SCALING_LINEAR ? lr * times : scaling == LR_SCALING_SQRT ? lr * sqrt(times) : lr;
}
