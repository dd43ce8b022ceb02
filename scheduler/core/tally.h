/* What results are worth, what they add up to, and whether they reach a limit of the experiment: the one place for the
 * coordinator's core, for ask and tell, and for the store. Pure functions over a plain struct. */
#ifndef GANNET_SCHEDULER_CORE_TALLY_H
#define GANNET_SCHEDULER_CORE_TALLY_H

#include "common/metric.h"
#include "scheduler/core/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the trials that ended add up to. */
struct tally {
    uint64_t ended[TRIAL_STATES]; /* by the state they ended in */
    bool has_best;                /* some trial counts as a success and keeps all limits of metrics */
    uint64_t best_trial;          /* the best of those, the first of equal ones */
    double best;                  /* its value of the first metric */
    uint64_t ignored;             /* trials that ended and no longer count: they are in none of the above */
    uint64_t added;               /* trials that a person added, and that count: they are in the above */
    uint64_t skipped;             /* numbers below the highest in use that no trial has */
};

/* Trials of this session that failed one after the other in the same way: with the same ending and the same last words.
 * It begins anew with each session, so that one that was resumed goes on. */
struct streak {
    uint64_t key;           /* of the ending and the words; 0: the last trial did not fail so */
    uint64_t count;         /* how many trials there are in a row */
    uint64_t failed, ended; /* trials of the experiment before the first of them */
    char words[240];        /* of the last */
};

/* See core.h; its metrics, target, max_trials, max_failures, same_failures and time are read here. */
struct core_config;

/* A run says that it succeeded, with these values of the metrics: a success needs a finite one of every objective.
 * `reported` says which metrics it spoke of; NULL: of all. COMPLETED, or DIVERGED or NO_VALUE with the metric at fault
 * in *culprit. */
enum ending tally_check_values(const struct metrics *metrics, const double *values, const bool *reported,
                               uint32_t *culprit);

/* The sentence for that: the run's own, else one that names a metric other than the first. `out` has room for it. */
const char *tally_detail(const struct metrics *metrics, uint32_t culprit, const char *detail, char *out, size_t size);

/* Adds a trial that ended. `maximize`: the first metric. */
void tally_add(struct tally *tally, bool maximize, uint64_t trial, const struct event_end *end);

/* The same of a trial that was added. */
void tally_add_added(struct tally *tally, bool maximize, uint64_t trial, const struct event_end *end);

/* An ended trial no longer counts, or does again; when that may change which is the best, none is until it is looked
 * for and offered. */
void tally_ignore(struct tally *tally, uint64_t trial, enum ending ending, bool added);
void tally_count_again(struct tally *tally, enum ending ending, bool added);

/* A trial that counts may be the best: it ended before those of `tally` that are as good. */
void tally_offer(struct tally *tally, bool maximize, uint64_t trial, double value);

/* Notes how a trial ended, before tally_add: with what sentence, and what last lines of error output. Words that differ
 * in numbers and paths alone are the same. What the configuration may be at fault for, such as running out of memory,
 * ends a streak as a success does. */
void streak_note(struct streak *streak, const struct tally *tally, enum ending ending, const char *detail,
                 const char *tail);

/* What such a failure is known by, and its last words, of which `words` gets as many as fit; 0: it ends a streak. */
uint64_t streak_key(enum ending ending, const char *detail, const char *tail, char *words, size_t size);

/* Which limit is reached after the experiment has run for `held` seconds: TARGET, TIME, FAILURES or SAME_FAILURES;
 * NONE: none. */
enum reason tally_reached(const struct tally *tally, const struct streak *streak, const struct core_config *config,
                          double held);

/* Whether a streak is as long as this limit (0: there is none), and longer than chance would have it when trials
 * succeed and fail in turn (streak.c). */
bool streak_is_reached(const struct streak *streak, const struct tally *tally, uint32_t limit);

/* The sentence of a streak: "5 trials in a row ended with: ModuleNotFoundError: No module named 'torch'". */
const char *streak_describe(const struct streak *streak, char *out, size_t size);

/* The highest number that a trial may have by limits.max_trials: those that are ignored, those that were added, and
 * numbers that no trial has leave room. 0: any. */
uint64_t tally_last_trial(const struct tally *tally, const struct core_config *config);

/* Whether limits.max_trials trials were asked for, when this number is the next one. */
bool tally_all_asked(const struct tally *tally, const struct core_config *config, uint64_t next_trial);

#endif
