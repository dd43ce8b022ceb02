/* The state of an experiment as a block of lines: what `gannet status` shows. */
#ifndef GANNET_CLI_VIEW_OVERVIEW_H
#define GANNET_CLI_VIEW_OVERVIEW_H

#include "cli/console.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/slurm/slurm_record.h"

/* What is shown; plain data, so that tests can make it up. */
struct overview {
    struct snapshot snapshot;
    const json_t *experiment;        /* as reader_experiment gives it */
    const json_t *best;              /* a trial, or null */
    const json_t *running;           /* the first trials that run, as running.h fills them; or NULL */
    const char *directory;           /* the run directory */
    const char *logs_say;            /* of nodes without workers, or of how a job ended, a sentence; NULL: nothing */
    const char *trouble;             /* what keeps the coordinator from going on; NULL: nothing */
    json_t *counters;                /* what the coordinator counted; NULL: there is no coordinator */
    bool lives;                      /* a coordinator runs it now */
    bool hidden;                     /* one may: somebody else's, who lets us read what is recorded */
    bool waits;                      /* none yet: it is started, and waits for room on the disk */
    const struct slurm_record *jobs; /* what was submitted to Slurm for it; NULL: nothing */
    double now;                      /* seconds since 1970 */
};

/* Adds the block: lines "Trials   142/400 ..." on a terminal, "trials: 142/400 ..." elsewhere. */
void overview_draw(const struct overview *overview, const struct look *look, struct buf *out);

/* "running", "ended", "interrupted" (the coordinator died), "not started", ... */
const char *overview_state(const struct overview *overview);

/* The same for a list: "ended" where it came to an end of its own, else why it is not running ("stopped", "paused",
 * "same_failures", ...). */
const char *overview_standing(const struct overview *overview);

/* Whether its state is "ended", and nothing runs it. */
bool overview_is_over(const struct overview *overview);

/* Whether a person has paused it, and it waits to be told to go on; what was submitted says so by its jobs. */
bool overview_is_paused(const struct overview *overview);

/* Adds why it ended: the reason's sentence, with the command that goes on where no job does. */
void overview_add_reason(const struct overview *overview, struct buf *out);

/* Whether its trials are those of a person's own loop (gannet ask, gannet tell): no coordinator ever ran it. */
bool overview_is_own_loop(const struct overview *overview);

/* Why nothing runs, or what is wrong; false (and nothing added) when all is well. */
bool overview_explain(const struct overview *overview, struct buf *out);

/* Of a worker: adds its node, and of several there which one it is: "n1", "n1:2"; why it gets no more leases; what
 * keeps slots of it from starting anything. What it says comes from another machine. */
void overview_add_worker(const struct snapshot_worker *worker, struct buf *out);
void overview_explain_aside(const struct snapshot_worker *worker, struct buf *out);
void overview_explain_wait(const struct snapshot_worker *worker, struct buf *out);

/* Adds that there are too few nodes for even one trial, and how another worker is started. */
void overview_explain_nodes(const struct snapshot *snapshot, const char *directory, struct buf *out);

/* It for programs: an object of the schema gannet.status/1 (docs/json.md). */
json_t *overview_json(const struct overview *overview);

#endif
