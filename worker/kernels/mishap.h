/* What can go wrong with a trial, on purpose: the options of the kernel synth that make it crash, hang, leak, ... They
 * try out everything that has to hold when it happens unasked. */
#ifndef GANNET_WORKER_KERNELS_MISHAP_H
#define GANNET_WORKER_KERNELS_MISHAP_H

#include "worker/kernels/settings.h"

/* In the order in which they are drawn; each is an option of synth: a probability, or the list of the trials it happens
 * to. */
enum mishap {
    MISHAP_REFUSE,  /* the configuration is refused before the first step */
    MISHAP_CRASH,   /* the process is killed by the signal of crash_signal */
    MISHAP_EXIT,    /* the process exits with exit_status */
    MISHAP_HANG,    /* the step never ends */
    MISHAP_LEAK,    /* the step leaves leak_bytes of memory behind in the process */
    MISHAP_DIVERGE, /* the value becomes NaN and stays so */
    MISHAP_NONE
};

/* When each happens, from the options. */
struct mishaps {
    const json_t *when[MISHAP_NONE]; /* a number, a list of trials, or NULL: never */
    int64_t attempts;                /* it happens to the first so many attempts of a trial; 0: to all */
    int64_t step;                    /* at this step */
    int64_t leak_bytes;
    int signal, status; /* of crash and exit */
};

/* Reads them; -1 with a sentence. The options must outlive them. */
int mishaps_read(struct mishaps *mishaps, const struct settings *settings, struct err *err);

/* Which one happens to a trial: the same for every attempt that it can happen to. MISHAP_NONE: none. */
enum mishap mishaps_draw(const struct mishaps *mishaps, const struct kernel_trial *trial);

/* Lets it happen: may not return. Says on the error output what it does. */
void mishap_happen(const struct mishaps *mishaps, enum mishap mishap);

#endif
