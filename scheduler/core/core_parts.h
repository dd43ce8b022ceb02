/* The core's own struct, for the files of this folder alone. */
#ifndef GANNET_SCHEDULER_CORE_CORE_PARTS_H
#define GANNET_SCHEDULER_CORE_CORE_PARTS_H

#include "common/fitqueue.h"
#include "common/list.h"
#include "common/map.h"
#include "common/pool.h"
#include "common/ring.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core.h"
#include "scheduler/core/counters.h"
#include "scheduler/core/elsewhere.h"
#include "scheduler/core/node_fault.h"
#include "scheduler/core/forecast.h"
#include "scheduler/core/gather.h"
#include "scheduler/core/large.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/tally.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/snapshot.h"

struct core {
    struct core_config config;
    char no_slots[SNAPSHOT_NO_SLOTS]; /* why the last worker left that offered no slot; "": none did since one offered
                                         some */
    double *values;                   /* of the metrics of the run at hand */
    char detail[256];                 /* a sentence about those values */
    double now;                       /* of the present input */
    uint64_t session;

    struct ring outputs;  /* struct output */
    struct arena said;    /* what their events say, until the last of them is taken */
    uint64_t events;      /* number of the last event */
    uint64_t committed;   /* all up to this one are on disk */
    struct ring due_acts; /* struct due_act, by event */
    struct ring due_acks; /* struct due_ack, by event */
    uint64_t work;        /* outputs, acts and acknowledgements since the outputs were taken last */
    bool backlog;         /* there may be more to do, as soon as they are taken again */

    struct pool spare_trials, spare_leases;
    struct map trials;              /* number -> struct trial */
    uint64_t live[TRIAL_STATES];    /* trials by the state they have in memory */
    struct fitqueue queue;          /* waiting trials that may be leased, sized by their need */
    int64_t front, back;            /* the places at its ends that come next */
    struct suspects suspects;       /* waiting trials that may be leased alone, and the worker for them */
    struct node_faults node_faults; /* failures that may be their nodes' */
    struct elsewhere elsewhere;     /* slots that get none of what failed on their node */
    struct large large;             /* waiting trials that need more memory than a slot has */
    struct list_link delayed;       /* waiting trials that pause before they go on */
    struct list_link predicted;     /* trials in the queue, the oldest prediction first */
    uint32_t predictions_left;      /* predictions that may still be renewed in this input */

    struct map workers;       /* id -> struct worker */
    struct map jobs;          /* of (job, element) -> the list of its workers */
    struct map peers;         /* peer -> struct worker */
    struct map leases;        /* of (worker, trial, attempt) -> struct lease */
    uint32_t standstills;     /* leases of whose ranks some are said not to move */
    uint32_t lease_probes;    /* keys that are tried for a lease at most, beyond the first */
    struct list_link watched; /* all workers, the one that is looked at next first */
    size_t unwatched;         /* how many of them are still to be looked at */
    struct list_link batched; /* workers with something to be sent at the end of this input */
    struct vacant idle;       /* slots without a lease */
    struct vacant ahead;      /* slots with a lease and room behind it */
    struct gather gather;     /* slots without a lease, of trials on several nodes */
    int64_t vacancies;        /* the place of the slot that becomes vacant next */
    struct conduct conduct;   /* what is remembered of workers that came, went, or were set aside */
    uint32_t slots;           /* of all workers */
    uint32_t busy;            /* slots that have a lease */
    uint32_t fit;             /* workers that get leases */
    uint32_t endless;         /* workers whose time has no end */
    double run_seconds;       /* mean duration of recent runs; negative: none yet */

    uint64_t next_trial; /* the next number to ask for */
    uint64_t asked;      /* asks without an answer */
    uint64_t unmoved;    /* the last event when early stopping had nothing to move */
    bool unmoved_last;   /* whether only paused trials were left at that event */
    uint32_t returning;  /* waiting trials that go on after a pause */
    bool no_more;        /* the strategy has nothing left */
    uint64_t unanswered; /* no_more: numbers that were asked for and are not answered any more */
    uint64_t reopening;  /* trials that were reopened, and not taken up yet */

    enum experiment_state state;
    enum reason reason;
    bool forced;            /* what runs is being ended, too */
    double forced_since;    /* forced: since when */
    uint64_t end_event;     /* the event of the end; 0: not emitted yet */
    bool over;              /* OUTPUT_ENDED was emitted */
    double deadline;        /* from then on nothing may run; infinite: not known */
    bool worker_ends;       /* some worker's job has an end of its own */
    double job_span;        /* seconds that the session's own job has as a whole; 0: not known */
    double worker_span;     /* the most that such a job had left when its end became known; 0: none */
    bool leaving;           /* the session ends for a later one */
    enum ending leave_with; /* leaving: how the attempts end that are stopped */
    bool progressed;        /* a trial ended in this session, or a checkpoint went further */
    uint32_t idle_sessions; /* sessions before this one, in a row, in which that was not so */
    struct forecast *forecast;
    struct core_counters counters;
    double started;      /* `now` of the start */
    double held_before;  /* seconds of earlier sessions */
    double held_written; /* `now` when the seconds were last written down */
    double ticked;       /* `now` of the last tick */

    uint64_t tells;     /* number of the last tell or observation */
    uint64_t steps;     /* that early stopping counted */
    uint64_t stepped;   /* trials that it counted steps of */
    struct tally tally; /* of the trials that ended */
    struct streak streak;
    uint64_t attempts_failed, late, refused;
    uint32_t rate_buckets[64]; /* trials ended in each of the last 64 seconds of `now`, a ring */
    int64_t rate_second;       /* the second of the newest bucket */
};

#endif
