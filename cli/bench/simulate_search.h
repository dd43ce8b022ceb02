/* What the ways of simulating a search share: simulate.c, trial by trial; simulate_queue.c, with a strategy that takes
 * its time; and simulate_steps.c, step by step with early stopping. Only they include this. */
#ifndef GANNET_CLI_BENCH_SIMULATE_SEARCH_H
#define GANNET_CLI_BENCH_SIMULATE_SEARCH_H

#include "cli/bench/virtual_clock.h"
#include "cli/bench/simulate.h"

/* A trial that runs as a whole. */
struct flight {
    struct driver_result told;
    double truth;
};

struct search {
    const struct simulation *simulation;
    struct driver *driver;
    struct simulated *out;
    struct agenda agenda;             /* what running trials do next */
    struct objective_outcome outcome; /* what the trial at hand comes to */

    double now;          /* the virtual clock, seconds */
    double busy;         /* worker seconds of all trials */
    uint64_t asked;      /* trials that the contender was asked for */
    double best_loss;    /* as the contender saw it */
    double best;         /* the true value there */
    uint64_t next_count; /* where the next standing is due */

    double thinking;  /* seconds spent on tells since the last ask */
    double *thoughts; /* milliseconds of suggestions since the last standing */
    size_t thought_count, thought_capacity;
};

/* Seconds that a contender's thinking is measured by: processor time where it runs in this thread, so that other
 * programs don't count; that of an outside program is not known. */
double search_clock(const struct search *search);

/* Asks for the next trial; *params is the caller's. */
enum searcher_answer search_ask(struct search *search, json_t **params, struct err *err);

/* Tells the contender of a trial; when `ended` is false, of a rung that it has reached. -1 with a sentence. */
int search_tell(struct search *search, uint64_t trial, bool ended, const struct driver_result *told, struct err *err);

/* Finds out what a trial comes to, into search->outcome; its seconds. */
double search_try(struct search *search, uint64_t trial, const json_t *params);

/* A worker begins a trial now, and it is on the agenda when it ends; it has ended: tells the contender, takes the
 * standings, frees the flight. */
void search_start_trial(struct search *search, uint64_t trial, const json_t *params);
int search_end_trial(struct search *search, uint64_t trial, struct flight *flight, struct err *err);

/* A value was seen: the incumbent when it is better than the one so far. */
void search_see(struct search *search, double value, double truth);

/* The next count that a standing is due at: of the usual ones, and the end. */
uint64_t search_count_after(const struct search *search, uint64_t count);

/* Takes the standings that are due when `trials` trials have ended. */
void search_stand(struct search *search, uint64_t trials);

/* Nothing more will be handed out: takes the utilisation now, since what the workers still do says nothing about it. */
void search_measure(struct search *search);

/* Two of the ways, each in a file of its own: the search itself, until it is over: 0, -1 with a sentence, 1 when it was
 * stopped. */
int search_run_queued(struct search *search, struct err *err);
int search_run_steps(struct search *search, struct err *err);

#endif
