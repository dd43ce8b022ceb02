/* One run: a kernel takes a trial through its steps, and what it reports is kept. */
#ifndef GANNET_WORKER_TRAINER_RUN_H
#define GANNET_WORKER_TRAINER_RUN_H

#include "common/msg.h"
#include "worker/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel that was opened for a task. */
struct opened {
    const struct kernel *kernel;
    void *self;
    const char *metric; /* the objective's name */
};

/* Used for one run after the other, so that a short one allocates next to nothing. {0} is ready for use. */
struct run {
    /* Set by the caller, optional: asked after each step but the last whether to end the run; may take samples away. */
    bool (*halt)(void *context, struct run *run);
    void *context;

    /* Of the present or last run. */
    double started;              /* clock_monotonic() */
    double launch;               /* seconds from there to the first step */
    struct kernel_report report; /* with the profile */
    struct msg_sample *samples;  /* reported and not taken away */
    uint32_t sample_count;
    enum ending ending;
    struct err detail; /* the sentence about the ending; may be empty */

    /* Of run.c. */
    const struct opened *opened;
    size_t sample_room;
    bool valued, diverged; /* the objective was reported; and was no finite number */
    char **names;          /* of all metrics seen: samples point at them */
    size_t name_count, name_room;
};

/* Runs a trial to its end, whatever that is. */
void run_trial(struct run *run, const struct opened *opened, const struct kernel_trial *trial);

/* The same for one that can't even begin: ends with this. */
void run_refuse(struct run *run, enum ending ending, const char *detail);

void run_fini(struct run *run);

#endif
