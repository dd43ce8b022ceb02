/* The core's own structs, for the files of this folder alone. The map of the folder:
 *
 *     core.c       create, destroy, the order of things after each input
 *     trial.c      trial_update changes a trial's state, trial_act does what follows from it; nobody else does either
 *     proposals.c  keeps proposals ready: asks the strategy, takes its answers
 *     queue.c      waiting trials
 *     place.c      which slot for the next trial, and how many leases ahead
 *     lease.c      a trial given to a slot: granted, given back, lost
 *     workers.c     workers: hello, silence, goodbye
 *     offer.c      what a worker offers and what it still holds
 *     heartbeat.c  the two sides' books are compared
 *     progress.c   samples
 *     result.c     runs that ended
 *     early_stop.c      early stopping looks at samples (early_stop.h)
 *     pause.c      trials that wait at a checkpoint, and go on
 *     cancel.c     a person takes one trial off
 *     walltime.c   the time of the job: what is still started, and how the session ends
 *     forecast.c   how long trials run (forecast.h)
 *     job.c        what becomes known of jobs
 *     limits.c     when the experiment ends, and how
 *     tally.c      what results are worth, and which limits they reach (tally.h)
 *     outbox.c     outputs; what waits for the disk
 *     dispatch.c   messages to workers
 *     restart.c    from memory to a core
 *     stand.c      how things stand: the snapshot
 */
#ifndef GANNET_SCHEDULER_CORE_PARTS_H
#define GANNET_SCHEDULER_CORE_PARTS_H

#include "common/fitqueue.h"
#include "common/list.h"
#include "common/map.h"
#include "common/ring.h"
#include "scheduler/core/core.h"
#include "scheduler/core/counters.h"
#include "scheduler/core/forecast.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/tally.h"

/* A trial that has not ended, or whose end is not on disk yet. */
struct trial {
    uint64_t number;
    char *params;
    enum trial_state state;
    uint64_t event;                 /* the event that gave it this state: act when it is committed */
    uint32_t attempts;              /* the highest attempt number used */
    uint32_t failures;              /* attempts that consumed a retry */
    uint32_t losses;                /* attempts whose worker was lost */
    double waits_since;             /* when it began to wait */
    struct memory_run *runs;        /* who was given which attempt, */
    size_t run_count, run_capacity; /* so many */
    struct lease *lease;            /* RUNNING: the lease that counts */
    uint32_t samples;               /* RUNNING: recorded of this attempt */
    bool begun;                     /* RUNNING: the attempt has said where it began */
    bool cancel;                    /* a person cancelled it */
    uint64_t from;                  /* the trial whose checkpoint it starts from; 0: none */
    uint64_t reached;               /* the step that it last paused at; 0: never, */
    uint32_t paused_attempt;        /* the attempt that did, */
    double spent;                   /* and the seconds of the attempts up to then */
    bool returning;                 /* WAITING to go on after a pause */
    uint64_t decided;               /* the highest step that early stopping looked at, */
    bool held;                      /* where it said pause, */
    char *stop;                     /* or stop, and why; NULL: it did not */
    uint64_t resumed;               /* the latest step that an attempt went on from */
    double cut;                     /* seconds of its longest attempt that ended because a job did */
    struct memory_seen *seen;       /* of each metric, over all attempts that count; NULL: nothing, or not kept */
    struct fitqueue_item queue;     /* WAITING and committed: its place in the queue, by what it is predicted to need */
    struct list_link predicted;     /* in the queue: in the order of the predictions, the oldest first */
    double need;                    /* seconds of a whole run that it will hardly need more of; negative: not known, */
    uint64_t need_version;          /* as predicted with this knowledge; 0: never */
    struct configuration *configuration; /* its parameters as a forecast needs them; NULL: not read yet */
    /* Ended: what is told once the end is committed. */
    enum ending ending;
    double *values; /* of the metrics, owned; NULL: it has none */
    double seconds;
    uint64_t step; /* the last one seen; 0: not known */
};

/* What an attempt came to. */
struct outcome {
    const char *detail;   /* a sentence, or NULL */
    const double *values; /* of the metrics, NaN where there is none; NULL: there is none at all */
    double seconds;
};

/* A trial given to a slot. A lease that does not count any more (its trial went on elsewhere) stays until its worker
 * says that the slot is free. */
struct lease {
    uint64_t trial;
    uint32_t attempt;
    struct worker *worker;
    struct slot *slot;
    bool sent;             /* the worker was told, or took it along from before a restart, */
    double sent_at;        /* then */
    bool claimed;          /* seen in the worker's last OFFER or HEARTBEAT */
    bool stopping;         /* STOP_RUN was sent, */
    enum ending stop_with; /* with this ending */
    double since;          /* when it was granted */
    struct list_link link; /* in its slot's list, in the order of running */
};

struct slot {
    struct worker *worker;
    uint32_t index;
    struct list_link leases; /* the first one runs, the others wait behind it */
    uint32_t lease_count;
    double head_since;            /* when the first one came to the front */
    struct fitqueue_item vacancy; /* among the idle slots or those with room ahead, by the end of their worker's job */
    bool held_up;                 /* it gave leases back: nothing more behind the run in front */
    bool stuck;                   /* its run does not end although it should have */
};

struct worker {
    uint64_t id;
    uint64_t peer; /* 0: not connected */
    char *node, *machine;
    uint32_t pid;
    struct node_job job;
    bool job_ended;     /* and its job has ended: */
    enum ending doomed; /* how its runs end when it is lost */
    bool offered;       /* its slots are known and its runs claimed: it may get leases */
    bool fit;           /* it gets leases: offered, connected, not silent */
    bool endless;       /* connected, and neither is the end of its job known nor is it of a job */
    double heard;       /* when its last word came */
    double gone_since;  /* not connected: since when, */
    double patience;    /* and how long it has to come back */
    double until;       /* when the time of its own job is up; infinite: not known */
    uint32_t credit;    /* leases ahead that it takes, a slot */
    struct slot **slots;
    uint32_t slot_count;
    /* What is to be sent at the end of this input, batched. */
    struct msg leases, acks;
    size_t leases_capacity, acks_capacity;
    struct list_link mail;       /* in the list of workers with something to be sent */
    struct list_link colleagues; /* in the list of the workers of its job; in none: it is of no job */
};

/* Something to do when an event is committed: act on a trial, or let the strategy observe it at a rung. */
struct settle {
    uint64_t event, trial;
    double *values; /* of the metrics, owned: observe it; NULL: act on it */
    uint64_t step;
    double seconds;
};

/* An acknowledgement that is due when an event is committed. */
struct debt {
    uint64_t event, worker;
    struct msg_ack ack;
};

/* Vacant slots, in the order in which they became so. */
struct vacant {
    struct fitqueue known;   /* sized by minus the time at which their worker's job ends; -INFINITY: it does not */
    struct fitqueue guessed; /* of workers of jobs whose end is not known yet: all of one size */
};

struct core {
    struct core_config config;
    double *values;   /* of the metrics of the run at hand, */
    char detail[256]; /* and a sentence about them */
    double now;       /* of the present input */
    uint64_t session;

    struct ring outputs; /* struct output */
    uint64_t events;     /* number of the last event */
    uint64_t committed;  /* all up to this one are on disk */
    struct ring settles; /* struct settle, by event */
    struct ring debts;   /* struct debt, by event */

    struct map trials;           /* number -> struct trial */
    uint64_t live[TRIAL_STATES]; /* trials by the state they have in memory */
    struct fitqueue queue;       /* waiting trials that may be leased, sized by their need */
    int64_t front, back;         /* the places at its ends that come next */
    struct list_link predicted;  /* those in the queue, the oldest prediction first */
    uint32_t predictions_left;   /* predictions that may still be renewed in this input */

    struct map workers;    /* id -> struct worker */
    struct map jobs;       /* of (job, element) -> the list of its workers */
    struct map peers;      /* peer -> struct worker */
    struct map leases;     /* of (worker, trial, attempt) -> struct lease */
    struct list_link mail; /* workers with something batched */
    struct vacant idle;    /* slots without a lease */
    struct vacant ahead;   /* slots with a lease and room behind it */
    int64_t vacancies;     /* the place of the slot that becomes vacant next */
    uint32_t slots, busy;  /* slots of all workers; those with a lease */
    uint32_t fit, endless; /* workers that are so */
    double run_seconds;    /* mean duration of recent runs; negative: none yet */

    uint64_t next_trial; /* the next number to ask for */
    uint64_t asked;      /* asks without an answer */
    uint64_t unmoved;    /* the last event when early stopping had nothing to move, */
    bool unmoved_last;   /* and whether only paused trials were left then */
    uint32_t returning;  /* waiting trials that go on after a pause */
    bool no_more;        /* the strategy has nothing left */

    enum experiment_state state;
    enum reason reason;
    bool forced;            /* what runs is being ended, too, */
    double forced_since;    /* since then */
    uint64_t end_event;     /* the event of the end; 0: not emitted yet */
    bool over;              /* OUTPUT_ENDED was emitted */
    double deadline;        /* from then on nothing may run; infinite: not known */
    bool worker_ends;       /* some worker's job has an end of its own: */
    double worker_span;     /* the most that one had left when that became known; 0: none */
    bool leaving;           /* the session ends for a later one: */
    enum ending leave_with; /* how the attempts end that it stops */
    bool progressed;        /* a trial ended in this session, or a checkpoint went further */
    uint32_t idle_sessions; /* sessions before this one, in a row, in which that was not so */
    struct forecast *forecast;
    struct core_counters counters;
    double started;      /* `now` of the start */
    double held_before;  /* seconds of earlier sessions */
    double held_written; /* `now` when the seconds were last written down */
    double ticked;       /* `now` of the last tick */

    uint64_t tells;          /* number of the last tell or observation */
    uint64_t steps, stepped; /* steps that early stopping counted, and of how many trials */
    struct tally tally;      /* of the trials that ended */
    uint64_t attempts_failed, late, refused;
    uint32_t rate_buckets[64]; /* trials ended in each of the last 64 seconds of `now`, a ring */
    int64_t rate_second;       /* the second of the newest bucket */
};

/* --- core.c --- */
/* What is done at the end of every input: place, ask, check the limits, do what the disk allows, send what was batched.
 */
void core_settle(struct core *core);

/* --- trial.c --- */
struct trial *trial_find(const struct core *core, uint64_t number);
struct trial *trial_add(struct core *core, uint64_t number, const char *params);
void trial_free(struct trial *trial);
/* The only place where a trial's state changes: by an event that was just emitted. Acts are due when it is committed.
 */
void trial_update(struct core *core, struct trial *trial, const struct event *event);
/* What follows from the state a trial has on disk. Idempotent: may be called any number of times. */
void trial_act(struct core *core, struct trial *trial);
/* Ends a trial: emits its end and changes its state. */
void trial_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome);
/* Whether this attempt was given to this worker, by a lease that may not count any more. */
bool trial_was_given(const struct trial *trial, uint32_t attempt, uint64_t worker);
void trial_give(struct trial *trial, uint32_t attempt, uint64_t worker);
/* The attempt of a trial did not do: back to the queue, if a retry is left, else the end. */
void trial_retry_or_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome);

/* --- proposals.c --- */
void proposals_ask(struct core *core);
uint64_t proposals_missing(const struct core *core); /* how many it would ask for now */

/* --- queue.c --- */
void queue_push(struct core *core, struct trial *trial, bool in_front);
void queue_remove(struct trial *trial); /* one that is not in the queue is fine */
/* Predicts anew what the trial needs, if more is known than before; false: not any more in this input. */
bool queue_renew(struct core *core, struct trial *trial);
/* At most so many, the oldest predictions first; as many more may be renewed by placing. */
void queue_renew_some(struct core *core, uint32_t most);
bool queue_is_renewed(const struct core *core);    /* every prediction is of what is known now */
struct trial *queue_head(const struct core *core); /* the first of all; NULL: the queue is empty */

/* --- place.c --- */
void place_init(struct core *core);
void place_all(struct core *core);                        /* leases waiting trials to vacant slots */
void place_refresh(struct core *core, struct slot *slot); /* puts the slot into the list where it belongs now */
void place_learn(struct core *core, double seconds);      /* a run took so long */

/* --- lease.c --- */
struct lease *lease_find(const struct core *core, uint64_t worker, uint64_t trial, uint32_t attempt);
/* Leases a trial: the event, and the change of its state. */
struct lease *lease_grant(struct core *core, struct trial *trial, struct slot *slot, uint32_t attempt);
/* The record alone, for a run that its worker has anyway. */
struct lease *lease_add(struct core *core, struct slot *slot, uint64_t trial, uint32_t attempt);
void lease_unclaim(struct slot *slot);                   /* before the worker says what it has */
void lease_free(struct core *core, struct lease *lease); /* the slot is rid of it; the trial is not touched */
void lease_move(struct core *core, struct lease *lease, struct slot *to); /* its run is in another slot */
void lease_return(struct core *core, struct lease *lease);                /* it was not started */
/* Its trial goes on without it; the slot stays taken. `ending` of its run: LOST, or what is known of its job. */
void lease_give_up(struct core *core, struct lease *lease, enum ending ending, const char *why);
/* Its worker is gone: the slot, too. */
void lease_lose(struct core *core, struct lease *lease, enum ending ending, const char *why);
void lease_stop(struct core *core, struct lease *lease, enum ending ending);
/* The trial whose running attempt this lease is; NULL: it does not count any more. */
struct trial *lease_trial(const struct core *core, const struct lease *lease);

/* --- workers.c --- */
struct worker *workers_find(const struct core *core, uint64_t id);
struct worker *workers_add(struct core *core, uint64_t id);
struct slot *workers_slot(struct core *core, struct worker *worker, uint32_t index); /* makes it when it is not there */
/* The worker has so many slots from now on; those behind them have no leases. */
void workers_trim(struct core *core, struct worker *worker, uint32_t slots);
void workers_hello(struct core *core, uint64_t peer, const struct msg_hello *hello);
void workers_goodbye(struct core *core, struct worker *worker, const struct msg_goodbye *goodbye);
void workers_lose(struct core *core, struct worker *worker, enum ending ending, const char *why);
void workers_fitness(struct core *core, struct worker *worker); /* works out anew whether it gets leases */
void workers_tick(struct core *core);
void workers_free(struct core *core, struct worker *worker);

/* --- job.c --- */
void job_enter(struct core *core, struct worker *worker, struct node_job job); /* from then on it is of this job */
void job_leave(struct core *core, struct worker *worker);                      /* it is of no job */

/* --- offer.c --- */
void offer_take(struct core *core, struct worker *worker, const struct msg_offer *offer);

/* --- heartbeat.c --- */
void heartbeat_take(struct core *core, struct worker *worker, const struct msg_heartbeat *heartbeat);

/* --- progress.c --- */
void progress_samples(struct core *core, struct worker *worker, const struct msg_samples *samples);
/* The samples first .. that are new, where `recorded` are recorded already; counts them in. */
struct event_sampled progress_new(uint32_t *recorded, uint32_t first, const struct msg_sample *samples, uint32_t count);

/* --- early_stop.c --- */
/* Whether what metrics came to is kept with trials. */
bool early_stop_is_kept(const struct core *core);
/* The running attempt said where it began: at the beginning (0), so that what was seen before counts no more, or at the
 * step of a checkpoint. */
void early_stop_begin(struct trial *trial, uint64_t resumed);
/* New samples of the attempt that counts: keeps what they say and lets early stopping judge them. */
void early_stop_at(struct core *core, struct trial *trial, uint32_t attempt, const struct event_sampled *sampled);
/* What the trial came to so far, one value a metric; false: not every objective has a finite one. */
bool early_stop_values(const struct core *core, const struct trial *trial, double *values);
uint64_t early_stop_step(const struct trial *trial); /* the last step seen; 0: none */
/* The step up to which all objectives are recorded. */
uint64_t early_stop_known(const struct core *core, const struct trial *trial);
void early_stop_add(struct memory_seen *seen, int64_t step, double last, double min, double max);
void early_stop_forget(struct trial *trial);

/* --- pause.c --- */
/* The run of a trial paused, after `seconds`. */
void pause_trial(struct core *core, struct trial *trial, double seconds);
void pause_act(struct core *core, struct trial *trial); /* what follows from being paused */
/* Ends a paused trial with what it came to. */
void pause_end(struct core *core, struct trial *trial, enum ending ending, const char *why);
void pause_move(struct core *core); /* lets early stopping take up or end paused trials */

/* --- result.c --- */
void result_take(struct core *core, struct worker *worker, const struct msg_result *result);

/* --- limits.c --- */
void limits_check(struct core *core);
/* Begins the end: nothing new is started. `force`: what runs is ended, too. */
void limits_end(struct core *core, enum reason reason, const char *detail, bool force);
void limits_drain(struct core *core, struct worker *worker); /* DRAIN, when it ends and the worker is to leave */
bool limits_cancel_waiting(const struct core *core);         /* trials that have not begun will not */
/* Whether as many trials have begun as limits.max_trials allows. More may wait: --resume can set it lower. */
bool limits_full(const struct core *core);
double limits_held(const struct core *core); /* seconds the experiment has run in all */

/* --- outbox.c --- */
/* Writes an event down: a copy of it, numbered and kept, which is valid until the next output. */
const struct event *outbox_event(struct core *core, const struct event *what);
void outbox_send(struct core *core, uint64_t peer, const struct msg *msg);
void outbox_ask(struct core *core, uint64_t trial);
void outbox_tell(struct core *core, struct trial *trial);      /* takes over its values */
void outbox_observe(struct core *core, struct settle *settle); /* takes over its values */
void outbox_ended(struct core *core);
void outbox_settle(struct core *core, uint64_t event, uint64_t trial);
void outbox_settle_rung(struct core *core, const struct event *decided);
void outbox_owe(struct core *core, uint64_t event, uint64_t worker, struct msg_ack ack);
void outbox_fini(struct core *core);

/* --- dispatch.c --- */
void dispatch_message(struct core *core, uint64_t peer, const struct msg *msg);
void dispatch_welcome(struct core *core, struct worker *worker);
void dispatch_who(struct core *core, uint64_t peer);
void dispatch_heard(struct core *core, struct worker *worker, double wall);
void dispatch_lease(struct core *core, struct lease *lease, const struct trial *trial); /* batched */
void dispatch_ack(struct core *core, struct worker *worker, struct msg_ack ack);        /* batched */
void dispatch_stop(struct core *core, struct worker *worker, uint64_t trial, uint32_t attempt, enum ending ending);
void dispatch_refuse(struct core *core, uint64_t peer, const char *why);
void dispatch_drain(struct core *core, struct worker *worker, bool now);
void dispatch_flush(struct core *core); /* sends what was batched */

/* --- restart.c --- */
void restart_recall(struct core *core, const struct memory *memory);

#endif
