/* Learning rate schedules; see schedule.h. */
#include "worker/kernels/schedule.h"

#include <math.h>

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
