/* The trial that a person means: "digits/12", "digits 12", "12" (of the last experiment), "digits/best". */
#ifndef GANNET_CLI_DATA_TARGET_H
#define GANNET_CLI_DATA_TARGET_H

#include "cli/data/source.h"

#include <stdbool.h>

struct target {
    char *experiment; /* for source_open; NULL: the last one */
    bool has_trial;
    bool best;      /* the best trial */
    uint64_t trial; /* else its number */
};

/* Reads one or two arguments; second may be NULL, so may be first. A name that exists as a file is no trial. -1 with a
 * sentence when the second is no trial. */
int target_read(const char *first, const char *second, struct target *out, struct err *err);
void target_fini(struct target *target);

/* Opens the experiment and finds the trial's number. 0 and *source, *trial; else an exit status with a sentence. */
int target_open(const struct target *target, struct source **source, uint64_t *trial, struct err *err);

#endif
