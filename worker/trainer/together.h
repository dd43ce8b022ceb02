/* Several runs of one process: in each round all of them take a step, those whose trials match together
 * (struct kernel_fusion), the others one after the other. */
#ifndef GANNET_WORKER_TRAINER_TOGETHER_H
#define GANNET_WORKER_TRAINER_TOGETHER_H

#include "worker/trainer/training.h"

/* A run in a round. */
struct together {
    struct training *training; /* begun, with a step to take */
    bool goes;                 /* set: there is another step to take; else training_end is due */
    double cpu_seconds;        /* set: its share of the processor time of its step */
    uint32_t mates;            /* set: how many took that step together */
};

/* The next step of each of them. All are of one kernel, whose `self` were joined; what ends a run is seen behind the
 * step of its group. */
void together_step(struct together *runs, size_t count);

#endif
