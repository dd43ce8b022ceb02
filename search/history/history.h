/* What a strategy was told and what it awaits: the raw material of every model.
 *
 * A strategy forwards its learn, note, observe and tell to a history and reads from it in ask. What stays is bounded:
 * of more than `most` ended trials a fixed choice is kept (see history_create), so that memory and the cost of an ask
 * are flat however long a search goes on. The order of records, and which are kept, is a function of what was told
 * alone.
 *
 * Alphabet: D parameters, n records of ended trials, p pending ones. */
#ifndef GANNET_SEARCH_HISTORY_HISTORY_H
#define GANNET_SEARCH_HISTORY_HISTORY_H

#include "search/strategy.h"

/* An ended trial, or one of an earlier experiment. */
struct record {
    uint64_t trial;    /* 0: of an earlier experiment */
    uint32_t source;   /* which earlier experiment, from 0; of our own trials: 0 */
    double *unit;      /* D: its canonical point; NaN: inactive */
    bool failed;       /* no loss: it diverged, crashed, was refused, ... */
    double loss;       /* lower is better; NaN when it failed */
    double *losses;    /* all objectives; NULL when there is one */
    double *violation; /* all limits; NULL when there are none */
    double seconds, energy;
    uint64_t step; /* where the loss was seen last; 0: no steps */
    bool ended;    /* false: observed at a rung and still going on or paused */
};

struct pending {
    uint64_t trial;
    double *unit; /* D */
};

struct history;

/* `most`: how many records are kept; the best half of them by loss, those that keep every limit first (by non-dominated
 * rank and then the first loss when there are several objectives), and of the others a sample that every one of them
 * had the same chance to be in. 0: 20,000. There may be a quarter more: the choice is made for many at once. Trials of
 * earlier experiments are bounded likewise, each experiment by itself. The problem must live on. */
struct history *history_create(const struct gannet_problem *problem, uint32_t most);
void history_destroy(struct history *history); /* NULL is fine */

void history_learn(struct history *history, const struct gannet_past *past);
void history_note(struct history *history, uint64_t trial, const double *unit);
void history_observe(struct history *history, const struct gannet_outcome_of_trial *so_far);
void history_tell(struct history *history, const struct gannet_outcome_of_trial *told);

/* Ended and observed trials of this experiment, in the order in which they were first told of; VOID ones leave no
 * record. A trial that is observed and later told has one record, at its first place. A record stays where it is in
 * memory until the next observe or tell. */
uint32_t history_count(const struct history *history);
const struct record *history_record(const struct history *history, uint32_t index);

/* How many tells there were in all, kept or not: what schedules of refits count. */
uint64_t history_told(const struct history *history);
/* Counts up with every learn, observe and tell: a model fitted at one revision holds until the next. */
uint64_t history_revision(const struct history *history);

/* Trials noted and not told, in the order of their notes. An observed trial is pending until it is told. */
uint32_t history_pending_count(const struct history *history);
const struct pending *history_pending(const struct history *history, uint32_t index);

/* Trials of earlier experiments, in the order they were learned. */
uint32_t history_past_count(const struct history *history);
const struct record *history_past(const struct history *history, uint32_t index);

/* The best record: of those that keep every limit the one with the least loss (of several objectives: the first loss),
 * the earlier of equal ones; NULL: there is none. Where trials are judged on their way (the problem has max_steps, or
 * something was observed) only those seen at the highest step count. It is never dropped. */
const struct record *history_best(const struct history *history);

#endif
