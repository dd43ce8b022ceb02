/* One trial of a kernel, tried in this process. */
#ifndef GANNET_TESTS_KERNEL_TRIAL_H
#define GANNET_TESTS_KERNEL_TRIAL_H

#include "worker/trainer/training.h"

/* What to try. */
struct trial_text {
    const char *kernel, *metric;  /* the kernel and the objective's name */
    const char *options, *params; /* JSON objects with ' in place of " */
    uint64_t seed, number;
};

/* What came of it: run.ending, run.detail, run.samples, ... */
struct tried {
    bool opened; /* the kernel took the options; else `trouble` says why not */
    struct err trouble;
    struct training run;
};

/* Opens the kernel, runs the trial, closes it. tried_fini the result. */
struct tried try_trial(const struct trial_text *text);
void tried_fini(struct tried *tried);

/* The last value of a metric; NaN when there is none. */
double tried_last(const struct tried *tried, const char *metric);

/* A JSON value from a text with ' in place of ". */
json_t *json_of_quoted(const char *text);

#endif
