/* What is left when an experiment has ended: the best trial and how to train it again, where the time went, how trials
 * ended, where everything is. */
#ifndef GANNET_CLI_VIEW_SUMMARY_H
#define GANNET_CLI_VIEW_SUMMARY_H

#include "cli/console.h"
#include "scheduler/core/snapshot.h"

/* Everything that is shown; plain data, so that tests can make it up. JSON in the shapes of docs/json.md, borrowed. */
struct summary {
    const json_t *example; /* the best trial with its attempts and samples, of a search that stops early; NULL: none */
    const json_t *experiment; /* name, metric, goal */
    const json_t *best;       /* a trial, or null */
    const json_t *completed;  /* the best that was trained to its end, when `best` was not; null or NULL: none */
    const json_t *front;      /* of several objectives what reader_front gives; NULL: there is one */
    const json_t *phases;     /* an array */
    const json_t *sample;     /* the trials that phases and `bound` were read of, {trials, of}; null or NULL: all */
    const char *bound;        /* what bounded most of the time; "": nothing is known */
    const json_t *failures;   /* an array of trials that failed, the first ones; the first of each reason with
                               * `detail` and `last_words` */
    struct snapshot snapshot;
    const char *programs;  /* what is typed before the names of our programs: console.h */
    const char *again;     /* the command that trains the best trial again */
    const char *directory; /* the run directory, as the person can type it */
    const char *handle;    /* how other commands call the experiment */
    bool submitted;        /* to Slurm, where it is to go on */
    const char *job_ended; /* how the end of its job ended it; "": that did not */
    const char *note;      /* why it got no workers there; "" */
};

/* Adds it for people. */
void summary_draw(const struct summary *summary, const struct look *look, struct buf *out);

/* It for programs: an object with name, directory, state, reason, trials (by state), seconds, best, phases, again. */
json_t *summary_json(const struct summary *summary);

#endif
