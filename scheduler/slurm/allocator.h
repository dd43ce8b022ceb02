/* Which worker jobs an experiment has at Slurm: when one is submitted, taken back, looked after, and when it is better
 * to give up. A pure state machine like the core: what is known goes in, at most one question to the controller at a
 * time comes out; no clock, no file, no Slurm in it. elastic.c wraps it with the real things.
 *
 *     waits --(Slurm runs it)--> runs --(its worker joins)--> works --(it leaves)--> runs --> gone --> forgotten
 *
 * What Slurm's queue says counts only for jobs whose worker is not connected: a connected worker runs, whatever the
 * queue says. `gone` are jobs that Slurm does not list any more; it is asked once how each ended, and once when a job
 * whose worker joined will end.
 *
 * Two counters end the submitting, each with a reason: submissions that failed in a row (each failure makes the next
 * one wait longer), and jobs in a row that ended before their worker had anything to run. What runs then goes on. */
#ifndef GANNET_SCHEDULER_SLURM_ALLOCATOR_H
#define GANNET_SCHEDULER_SLURM_ALLOCATOR_H

#include "scheduler/slurm/interface.h"

enum { ALLOCATOR_TRIES = 5, ALLOCATOR_STARTS = 3 };

#define ALLOCATOR_ANY UINT32_MAX /* trials without a limit */

struct allocator_config {
    bool array;                    /* one array of jobs; else one job a worker, while there is work for it */
    uint32_t workers;              /* most jobs at a time */
    uint32_t per_job;              /* workers of one job, which share its node */
    uint32_t backlog;              /* most of them that wait in the queue, unless it is an array */
    double waits[ALLOCATOR_TRIES]; /* seconds before a submission, by the failures in a row before it */
    double look,
        look_most; /* seconds between two questions about the queue; the pause grows with how long nothing changed */
    double join;   /* seconds that a job may run without its worker having joined */
};

/* Sensible times, every one multiplied by `pace`; one worker at a time. */
void allocator_config_defaults(struct allocator_config *config, double pace);

/* A connected worker that is of a job. */
struct allocator_worker {
    uint32_t job;     /* the job's id, or its array's */
    uint32_t element; /* which of the array; SLURM_UNSET: none */
    uint32_t slots;
    bool busy;      /* it has something to run */
    bool described; /* when its job ends is known: Slurm need not be asked */
};

/* The search as it is now. */
struct allocator_view {
    uint64_t wanted; /* trials that have not ended and could run at the same time; ALLOCATOR_ANY */
    uint32_t slots;  /* of all workers, also of those that are of no job */
    const struct allocator_worker *workers;
    uint32_t worker_count;
};

struct allocator;

struct allocator *allocator_create(const struct allocator_config *config, double now);
void allocator_destroy(struct allocator *allocator); /* NULL is fine */

/* --- in --- */

void allocator_update(struct allocator *allocator, double now, const struct allocator_view *view);

/* A job submitted before (by a coordinator before this one, or by a person's command). `count`: elements of an array,
 * 0: it is none. */
void allocator_adopt(struct allocator *allocator, double now, uint32_t id, uint32_t count);

/* The work is done: what still waits is taken back, nothing is submitted any more. */
void allocator_end(struct allocator *allocator, double now);

/* --- out: questions for the controller, one at a time --- */

enum allocator_question {
    ALLOCATOR_SUBMIT,  /* `count` workers as elements of an array; 0: one, as a single job */
    ALLOCATOR_CANCEL,  /* `which` */
    ALLOCATOR_FIND,    /* all jobs of the experiment that have not ended */
    ALLOCATOR_INSPECT, /* job `id`, an array with all its elements */
};

struct allocator_order {
    enum allocator_question question;
    uint32_t count, id;
    char which[96]; /* "12", or "12_[3-5,9]" */
};

/* The next question; false: none now. It counts as asked until it is answered by one of the functions below. */
bool allocator_next(struct allocator *allocator, double now, struct allocator_order *out);

/* When allocator_next is to be called again, if nothing comes in before; infinite: not needed. */
double allocator_wake(const struct allocator *allocator, double now);

/* --- in: the answers --- */

void allocator_submitted(struct allocator *allocator, double now, uint32_t id);
void allocator_refused(struct allocator *allocator, double now, const char *why); /* SUBMIT: Slurm said no */
/* SUBMIT had no answer: it may have been taken. The queue is looked at before anything else is submitted. */
void allocator_unsure(struct allocator *allocator, double now, const char *why);
/* FIND: worker jobs only. One that is not known is adopted: it is from a submission whose answer was lost. */
void allocator_found(struct allocator *allocator, double now, const struct slurm_jobs *jobs);
void allocator_inspected(struct allocator *allocator, double now, const struct slurm_jobs *jobs); /* INSPECT */
void allocator_cancelled(struct allocator *allocator, double now);                                /* CANCEL worked */
void allocator_unanswered(struct allocator *allocator, double now); /* CANCEL, FIND or INSPECT failed: again later */

/* --- its state --- */

struct allocator_state {
    uint32_t waiting, running, working; /* jobs */
    const char *stopped;                /* why nothing is submitted any more; NULL: it is */
    uint32_t stopped_job;               /* the job at fault; 0: none is */
    uint32_t stopped_element;           /* its element; SLURM_UNSET: it is no element */
    bool hopeless;                      /* it is stopped, and no job is left */
    uint32_t failures;                  /* submissions that failed in a row */
    const char *failed;                 /* why the last submission failed; "" */
    double next;                        /* when the next submission may be made */
    uint64_t visits;                    /* jobs and workers looked at so far by all that came in */
};

/* Texts are valid until the next call of anything else. */
void allocator_get_state(const struct allocator *allocator, struct allocator_state *out);

#endif
