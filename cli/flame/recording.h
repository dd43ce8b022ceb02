/* Sampling from beginning to end: of a command that is started for it, or of processes that run. */
#ifndef GANNET_CLI_FLAME_RECORDING_H
#define GANNET_CLI_FLAME_RECORDING_H

#include "cli/flame/stacks.h"
#include "common/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* What was seen. */
struct recording {
    struct stacks stacks;
    uint64_t lost;         /* samples and records that there was no room for */
    double seconds;        /* how long */
    int status;            /* of the command: what the shell exited with; 128 + N: signal N ended it */
    int python_minor;      /* the newest Python seen, 13 of 3.13; 0: none */
    bool python_has_names; /* it told the names of its functions */
};

/* Runs a command line by the shell and samples it and all that it starts. Ctrl-C ends it, and is no failure. -1 with a
 * sentence: it did not begin. */
int record_command(const char *line, struct recording *out, struct err *err);

/* Samples processes, which go on undisturbed. */
int record_processes(const pid_t *pids, size_t count, double seconds, struct recording *out, struct err *err);
void recording_fini(struct recording *recording);

/* Adds sentences on what is not in it: names of Python, samples without room; nothing when all is there. */
void recording_explain(const struct recording *recording, struct buf *out);

#endif
