/* A run: the worker's side of a lease, from its arrival until the coordinator has acknowledged its end. A record and
 * the rules that it obeys; nothing here touches a process, a socket or a clock.
 *
 *     queued --begin--> starting --start--> running --end--> ended --acknowledged--> (forgotten)
 *                           |                  |               ^
 *                           '------------------'---stop--> stopping
 *
 * Samples are numbered from 0 in the order in which they were reported. The run keeps those that are not acknowledged:
 *
 *     0 ........... first ............ sent ............ first + kept
 *     acknowledged,  sent, not         not sent
 *     dropped        acknowledged
 */
#ifndef GANNET_WORKER_PROGRAM_RUN_H
#define GANNET_WORKER_PROGRAM_RUN_H

#include "common/arena.h"
#include "common/endings.h"
#include "common/gang.h"
#include "common/list.h"
#include "common/msg.h"
#include "common/phases.h"
#include "common/run_counters.h"
#include "worker/program/thin.h"

#include <stdbool.h>
#include <stdint.h>

/* The name of a checkpoint in the trial's directory. */
#define RUN_CHECKPOINT "checkpoint"

enum run_state { RUN_QUEUED, RUN_STARTING, RUN_RUNNING, RUN_STOPPING, RUN_ENDED };

enum { RUN_NO_ENDING = -1 };

struct run {
    uint64_t trial;
    uint32_t attempt;
    uint32_t slot;
    uint64_t seed;
    const char *params;      /* JSON */
    struct gang gang;        /* the processes that it is made of */
    uint64_t until, reached; /* the step to pause after, and that it came to before; 0: none */
    uint64_t known;          /* the step up to which its samples are recorded */
    bool went_on;            /* a program was given a checkpoint to go on from */
    uint64_t memory_limit;   /* bytes it may use, if that is more than its slot has; 0: as its slot says */
    double time_limit;       /* seconds it may take; 0: the task's trial_time */
    uint64_t from;           /* the trial whose checkpoint it starts from; 0: none */
    uint64_t resumed;        /* the step of the checkpoint that it went on from; 0: it began at the beginning */
    enum run_state state;
    double begun;   /* monotonic clock: when its turn came */
    double started; /* wall clock: when its turn came */
    double launch;  /* seconds from then to the first work */
    double ended;   /* monotonic clock: when, by what its process says; 0: it does not */
    double
        finish_at;  /* it has taken all of its steps: when it is stopped if it has not ended by itself; 0: it has not */
    double stop_at; /* STOPPING: when it is killed if it has not ended */

    int stop_ending;         /* STOPPING: what its result is to say; else RUN_NO_ENDING */
    const char *stop_detail; /* STOPPING: the sentence of that ending */

    struct msg_sample *samples; /* kept ones */
    uint32_t kept, first, sent;
    size_t samples_capacity;
    struct thin thin;             /* which samples are kept at all */
    struct msg_measure *measures; /* the task's metrics of which a sample came */
    int64_t *last_steps;          /* the highest step of each of `measures` */
    uint32_t measure_count;
    size_t measure_capacity, step_capacity;

    /* ENDED: the result. */
    enum ending ending;
    const char *detail, *tail;
    double seconds, cpu_seconds;
    uint64_t peak_memory;
    struct run_counters counters;
    struct phase_time phases[PHASES_COUNT];
    struct msg_named named[PHASES_NAMED_MOST]; /* phases that the program named */
    uint32_t named_count;
    struct phase_sketch *named_sketches[PHASES_NAMED_MOST]; /* of them */
    struct msg_operation *operations;                       /* what it did by kinds of operations */
    uint32_t operation_count;
    struct msg_gpu_sum *gpu; /* what a program did on GPUs */
    uint32_t gpu_count;
    const char *gpu_unknown; /* why that is not known; empty: it is, or was not asked for */
    double overtold;         /* seconds of phases that the program told of and can't have had; 0: it did not */
    double
        told_at; /* monotonic clock: when samples or the result were last sent; 0: never, or they are to be repeated */

    struct list_link link; /* in its slot's queue, or in the report's list of what is to be told */
    struct arena memory;   /* owns the texts */
};

/* A run in state QUEUED, with copies of what the lease says. */
struct run *run_create(const struct msg_lease *lease);
void run_destroy(struct run *run); /* NULL is fine */

/* Its turn has come. */
void run_begin(struct run *run, double now, double wall);

/* It was RUNNING as far as was known, but has not begun: it is QUEUED again. */
void run_requeue(struct run *run);

/* So much of its launch was the opening of its data. */
void run_stage(struct run *run, double seconds);

/* Adds a sample, if it is one that is recorded (thin.h). `metrics` are the task's, NULL at the end: what those come to
 * is kept of all samples. */
void run_sample(struct run *run, const char **metrics, const struct msg_sample *sample);

/* Whether a sample of the task's first metric came, and whether one came of this step or a later one. */
bool run_has_value(const struct run *run);
bool run_reached(const struct run *run, int64_t step);

/* Asks for its end: its result will say `ending`. What was asked first stands, but a cancellation wins over an early
 * stop. */
void run_stop(struct run *run, enum ending ending, const char *detail);

/* What was asked is answered in another way: the result says `ending`. */
void run_stop_instead(struct run *run, enum ending ending, const char *detail);

/* Its process says when it began and for how long it ran. Taken when that lies between `least` and now: a run that was
 * given ahead began earlier than was heard. */
void run_timed(struct run *run, double least, double now, double begun, double seconds);

/* It ended, in this way unless its end was asked for: then the result says what was asked - but one that completed
 * although it was to be stopped early, or had just run out of time, has completed. */
void run_end(struct run *run, double now, enum ending ending, const char *detail, const char *tail);

/* Adds what its process used, and the time that no phase accounts for as idle. Before run_end. */
void run_profile(struct run *run, double cpu_seconds, uint64_t peak_memory, const struct msg_phase *phases,
                 uint32_t count);

/* What it did by kinds of operations. Before run_end. */
void run_operations(struct run *run, const struct msg_operation *operations, uint32_t count);

/* What a program did on GPUs; `why` is why that is not known, or not all of it, or NULL. Before run_end. */
void run_gpu(struct run *run, const struct msg_gpu_sum *sums, uint32_t count, const char *why);

/* The program says how it spent some of its time: in a phase of ours, or in one that it names (PHASES_NAMED_MOST of
 * them; what is beyond that is work). */
void run_phase(struct run *run, const char *name, double seconds, uint64_t count);

/* It worked so long in all: what it did not say is work. Before run_end. */
void run_work(struct run *run, double seconds);

/* What the coordinator has on disk: drops those samples. True when the end is, too: the run can be forgotten. */
bool run_acknowledge(struct run *run, const struct msg_ack *ack);

/* Everything that was not acknowledged is to be sent again. */
void run_repeat(struct run *run);

/* The key of a run in a map: a hash, so whoever finds a run by it compares trial and attempt. */
uint64_t run_key(uint64_t trial, uint32_t attempt);

#endif
