/* The model's structs, for its own files. */
#ifndef GANNET_TESTS_REFERENCE_PARTS_H
#define GANNET_TESTS_REFERENCE_PARTS_H

#include "tests/reference.h"

struct ref_run {
    uint32_t attempt;
    uint64_t worker;
    uint32_t slot;
    double leased;
    uint64_t memory;  /* that it was given; 0: as every other */
    double time;      /* likewise */
    int ending, late; /* -1: none */
    char *detail, *tail;
    double started, seconds, cpu_seconds;
    uint64_t peak_memory;
    bool measured, reported; /* started and seconds are known; the rest, too */
    uint64_t resumed;        /* the step that it went on from */
    struct phase_time phases[PHASES_COUNT];
    struct run_counters counters;
};

struct ref_sample {
    uint32_t attempt, number;
    struct msg_sample sample;
};

struct ref_trial {
    char *params;
    uint64_t told_before, told;
    bool from_start;
    double proposed, seconds, ended;
    int ending; /* -1: none */
    char *detail;
    bool has_value, infeasible;
    double value;
    uint64_t memory;                     /* that its next attempt is given; 0: as every other */
    double time;                         /* likewise */
    uint32_t returned, failures, losses; /* returned: the highest attempt given back */
    struct ref_run *runs;
    size_t run_count, run_capacity;
    struct ref_sample *samples; /* by attempt and number */
    size_t sample_count, sample_capacity;
};

struct ref_worker {
    uint64_t number;
    char *node;
    uint32_t pid;
    bool slots;
    struct node_job job;
};

struct reference {
    bool maximize;
    struct ref_trial *trials; /* of number i + 1 */
    size_t count, capacity;
    struct ref_worker *workers;
    size_t worker_count, worker_capacity;
    struct job_facts *jobs; /* their texts are owned */
    size_t job_count, job_capacity;
    uint32_t idle;      /* sessions in a row without progress, this one included */
    double run_seconds; /* of all attempts */
    struct snapshot snapshot;
    uint64_t sessions, tells;
    double held, held_since, written;
};

struct ref_trial *reference_trial_of(const struct reference *reference, uint64_t number);
struct ref_run *reference_run_of(const struct ref_trial *trial, uint32_t attempt); /* NULL: there is none */
const struct ref_worker *reference_worker_of(const struct reference *reference,
                                             uint64_t number); /* NULL: there is none */

/* Whether no attempt up to this one began at the beginning, or took the sample's step again. */
bool reference_is_kept(const struct ref_trial *trial, const struct ref_sample *sample, uint32_t attempt);

/* Of jobs: what becomes known, what the store must say of a worker's (NULL: nothing), and their end. */
void reference_take_job(struct reference *reference, const struct event *event);
const struct job_facts *reference_job_of(const struct reference *reference, const struct ref_worker *worker);
void reference_free_jobs(struct reference *reference);

/* The run of highest attempt with this ending (-1: none yet); NULL: there is none. */
struct ref_run *reference_run_with(const struct ref_trial *trial, int ending);

#endif
