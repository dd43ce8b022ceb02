/* What stands for real trials: simulated seconds, and what can go wrong, on purpose: the options of the kernel synth
 * that make it crash, hang, leak, ... They try out everything that has to hold when it happens unasked. */
#ifndef GANNET_WORKER_KERNELS_FAULT_H
#define GANNET_WORKER_KERNELS_FAULT_H

#include "worker/kernels/kernel_settings.h"

/* In the order in which they are drawn; each is an option of synth: a probability, or the list of the trials it happens
 * to. */
enum fault {
    FAULT_REFUSE,  /* the configuration is refused before the first step */
    FAULT_CRASH,   /* the process is killed by the signal of crash_signal */
    FAULT_EXIT,    /* the process exits with exit_status */
    FAULT_HANG,    /* the step never ends */
    FAULT_LEAK,    /* the step leaves leak_bytes of memory behind in the process */
    FAULT_DIVERGE, /* the value becomes NaN and stays so */
    FAULT_NONE
};

/* When each happens, from the options. */
struct faults {
    const json_t *when[FAULT_NONE]; /* a number, a list of trials, or NULL: never */
    int64_t attempts;               /* it happens to the first so many attempts of a trial; 0: to all */
    int64_t step;                   /* at this step */
    int64_t leak_bytes;
    int signal, status; /* of crash and exit */
};

/* Reads them; -1 with a sentence. The options must outlive them. */
int faults_read(struct faults *faults, const struct kernel_settings *settings, struct err *err);

/* Which one happens to a trial: the same for every attempt that it can happen to. FAULT_NONE: none. */
enum fault faults_draw(const struct faults *faults, const struct kernel_trial *trial);

/* Lets it happen: may not return. Says on the error output what it does. */
void fault_happen(const struct faults *faults, enum fault fault);

/* Sleeps so many seconds, whatever signals come; 0 or less: not at all. */
void fault_pace(double seconds);

#endif
