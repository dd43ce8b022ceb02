/* The command that trains one configuration again, by hand. */
#ifndef GANNET_CLI_SESSION_RERUN_H
#define GANNET_CLI_SESSION_RERUN_H

#include "common/buf.h"
#include "common/err.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* What the command is made of. */
struct rerun {
    const struct spec *spec;
    const char *directory; /* the run directory, absolute; need not exist */
    const char *programs;  /* what is typed before the names of our programs: console.h */
    bool ran;              /* the trial has run: the command repeats that in a directory of its own */
};

/* Whether there is such a command: that of an experiment whose trials a loop of its own runs is `true`. */
bool rerun_is_there(const struct spec *spec);

/* Adds the command line for a trial (an object with its number and params), quoted for the shell: of a kernel
 * gannet-trainer, of a person's program the program itself, with the seed and the parameters that it finds in its
 * environment only. Of a trial that has run also with its number of threads and the variables of ours that the
 * program's source names, and what it wrote in the trial's directory is left alone: it gets `again` below that. Several
 * processes are started by a loop of the shell. -1 with a sentence, nothing added, when a placeholder can't be filled
 * in. */
int rerun_add(const struct rerun *rerun, const json_t *trial, struct buf *out, struct err *err);

#endif
