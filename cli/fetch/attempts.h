/* A walk over all attempts that never reads one twice: what has ended since it looked last, then a page of what was
 * before, until it has come to the beginning. Attempts of trials that live are not in it (attempts_alive). */
#ifndef GANNET_CLI_FETCH_ATTEMPTS_H
#define GANNET_CLI_FETCH_ATTEMPTS_H

#include "cli/data/source.h"

struct attempt {
    uint64_t told; /* of its trial; 0: that lives */
    uint64_t trial, attempt;
    uint64_t worker; /* as reader_places has it */
    uint32_t slot, part;
    double started;                           /* seconds since 1970 */
    double seconds;                           /* NaN: it runs, or nothing is known of its end */
    const char *reason;                       /* the ending's name; "": none */
    const char *state;                        /* that the ending stands for; "": none */
    double cpu_seconds, peak_memory, gpu_use; /* NaN: not known; gpu_use is a share */
    double queue, launch, stage;              /* seconds */
};

struct attempts {
    uint64_t newest, oldest; /* told */
    json_int_t reopened;
    bool begun, whole; /* the newest were read; all before them were */
};

/* What a reader does with them. */
struct attempts_visitor {
    void (*visit)(void *context, const struct attempt *attempt);
    void (*forget)(void *context); /* what was visited no longer holds: all come again */
    void *context;
};

/* Reads what is new, and `back` trials of what was before. -1 with a sentence. */
int attempts_update(struct attempts *attempts, struct source *source, uint64_t back,
                    const struct attempts_visitor *visitor, struct err *err);

/* Visits those of trials that live. */
int attempts_alive(struct source *source, const struct attempts_visitor *visitor, struct err *err);

#endif
