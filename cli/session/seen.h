/* An experiment as it stands now, fetched for overview.h: what its coordinator or its store says, and what was
 * submitted for it. */
#ifndef GANNET_CLI_SESSION_SEEN_H
#define GANNET_CLI_SESSION_SEEN_H

#include "cli/data/source.h"
#include "cli/view/overview.h"

struct seen {
    struct experiment_standing standing;
    struct slurm_record jobs;
    struct buf logs_say;                 /* what the overview's is */
    json_t *experiment, *best, *running; /* owned, as the overview's */
    struct overview overview;
};

/* Fetches it. Of an experiment whose coordinator does not answer the store tells what was recorded: then *unreached is
 * the coordinator's sentence, else empty. A Slurm that does not answer is said; it keeps nobody from seeing the rest.
 * 0, or an exit status with a sentence; seen_fini in any case. */
int seen_fetch(struct console *console, struct source *source, struct seen *out, struct err *unreached,
               struct err *err);

/* The same for who looks again and again: a few of the workers alone, none of the messages, and neither the best trial
 * nor those that run. Slurm is asked where no coordinator lives that goes on, unless `asks` is false. 0, or an exit
 * status with a sentence; seen_fini in any case. */
int seen_short(struct source *source, bool asks, struct seen *out, struct err *err);

/* The same for a list: what the store says, which is quick; only one that is locked is asked for at its coordinator.
 * Slurm is asked nothing. */
int seen_recorded(struct source *source, struct seen *out, struct err *err);

void seen_fini(struct seen *seen);

#endif
