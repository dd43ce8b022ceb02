/* One trial by hand: gannet-trainer --run, the command that trains a trial again. */
#ifndef GANNET_WORKER_TRAINER_BY_HAND_H
#define GANNET_WORKER_TRAINER_BY_HAND_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct by_hand {
    const char *kernel;
    const char *options, *params; /* JSON objects; NULL: empty */
    const char *base;             /* directory that relative paths in the options start from */
    const char *metric;           /* the objective; NULL: the first that the kernel reports */
    const char *profile;          /* names of operations that are timed, separated by commas; NULL: none */
    const char *searched; /* of --check: names of parameters, separated by commas, that trials differ in; NULL: it
                             is not known, and no trial is started */
    uint64_t seed, trial;
    uint64_t ranks; /* processes that train it together, at least 1 */
    int threads;    /* of the processor, of each */
    bool json;      /* as step_log.h has it */
};

/* Runs it and prints its step log, how it ended and where the time went. 0: it completed; -1 with a
 * sentence: it could not be run; 1: it ended otherwise, which was printed. */
int by_hand_run(const struct by_hand *wanted, struct err *err);

/* The object of a JSON text, an empty one of NULL; `what` is the option that gave it. -1 with a sentence. */
int by_hand_object(const char *what, const char *text, json_t **out, struct err *err);

#endif
