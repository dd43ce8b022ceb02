/* How an experiment stands: one plain struct, made by the core (or from the store of a dead one), shown by the command
 * line. */
#ifndef GANNET_SCHEDULER_CORE_SNAPSHOT_H
#define GANNET_SCHEDULER_CORE_SNAPSHOT_H

#include "scheduler/core/event.h"

#include <jansson.h>

struct snapshot_worker {
    char name[64]; /* its node's name */
    uint64_t worker;
    uint32_t part; /* of several that share the node, from 1; 0: it has the node alone */
    uint32_t slots;
    uint32_t busy;    /* slots that have a lease */
    double heard;     /* seconds since its last word */
    char version[32]; /* of gannet, as it says; empty: not known */
    double ahead;     /* seconds by which its clock is ahead of the coordinator's; NaN: not known */
    bool suspect;
    char aside[400];     /* why it was set aside, and what to do; empty: it was not */
    uint32_t waiting;    /* slots that can't start a run at present */
    char why[200];       /* what the first of them lacks; empty: none does */
    struct node_job job; /* .job 0: none */
};

/* All workers together, however few of them a snapshot lists. */
struct snapshot_sums {
    uint32_t workers;
    uint32_t suspect, aside; /* of these */
    uint32_t waiting;        /* that have slots which can't start a run */
    uint32_t other_version;  /* of another gannet than the coordinator */
};

/* A run whose ranks wait for one of them. */
struct snapshot_standstill {
    uint64_t trial;
    char text[400]; /* which rank that is, on which node, since when, and why */
};
enum { SNAPSHOT_STANDSTILLS = 8 };

/* Connections of workers whose key is not this experiment's. The core does not know them; who has the sockets does. */
struct snapshot_strangers {
    uint64_t count;
    double seconds;   /* since the last */
    char address[64]; /* where the last came from; "": by a local socket */
};

enum { SNAPSHOT_NO_SLOTS = 400 }; /* bytes of the sentence about a worker that can't take part, its end included */

struct snapshot {
    char version[32]; /* the coordinator's; empty: it is dead */
    enum experiment_state state;
    enum reason reason;
    uint64_t trials[TRIAL_STATES]; /* by state */
    uint64_t max_trials;           /* 0: not limited */
    uint64_t added;                /* trials among these that a person added: they don't count for max_trials */
    uint64_t ignored;              /* trials that ended and are in none of the above: a person ignores them */
    uint64_t attempts_failed;      /* attempts that were or will be repeated */
    uint64_t late;                 /* results that came too late to count */
    uint64_t refused;              /* messages that were not understood or not allowed */
    uint32_t slots, busy;
    uint32_t nodes;      /* that a trial takes a slot on each of; at most 1: it takes one slot */
    uint32_t nodes_here; /* nodes > 1: different ones that there are workers on */
    bool has_best;
    uint64_t best_trial;
    double best;
    double held;                      /* seconds the experiment has run in all */
    double rate;                      /* trials ended a second, over the last minute or so; 0: none yet */
    double left;                      /* seconds to go, a guess; negative: not known */
    bool early_stop;                  /* trials may be stopped on their way */
    uint64_t steps, stepped;          /* steps that they took, and how many trials took any */
    uint64_t max_steps;               /* steps of a complete one; 0: not known yet */
    bool has_deadline;                /* it is known when the time of the job is up */
    double deadline;                  /* seconds until the time of the job is up */
    double warn;                      /* seconds before that at which running trials are stopped */
    uint64_t exceeds_walltime;        /* waiting trials that would not end in time */
    uint64_t exceeding_trial;         /* the one of them that is expected to run longest */
    double exceeding_seconds;         /* how long that one may run */
    uint64_t uncommitted;             /* events not yet on disk */
    char no_slots[SNAPSHOT_NO_SLOTS]; /* why the last worker left without having offered a slot; "": none did so */
    struct snapshot_standstill standstills[SNAPSHOT_STANDSTILLS]; /* some of them */
    uint32_t standstill_count;
    struct snapshot_strangers strangers;
    struct snapshot_sums sums;
    struct snapshot_worker *workers; /* owned by the snapshot; all, or a few that there is something to say of */
    uint32_t worker_count;
};

void snapshot_fini(struct snapshot *snapshot);

/* What one worker comes to, as in that JSON. */
json_t *snapshot_encode_worker(const struct snapshot_worker *worker);

/* Counts one more worker. */
void snapshot_add_sums(struct snapshot *snapshot, const struct snapshot_worker *worker);

/* To JSON and back (the answer to ASK status). -1 with a sentence when the JSON is not a snapshot. */
json_t *snapshot_encode(const struct snapshot *snapshot);
int snapshot_decode(const json_t *json, struct snapshot *out, struct err *err);

#endif
