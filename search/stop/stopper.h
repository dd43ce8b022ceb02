/* Early stopping: looks at trials on their way and says which are not worth their remaining steps.
 *
 * A stopper is a function of what it was told, in the order in which it was told: samples, resumptions and ends of
 * trials. Whoever drives it records that order, and telling a new stopper the same again gives it the same state.
 *
 * The conversation, from one thread:
 *
 *     stopper_until(7)          3: trial 7 is to pause after step 3 (0: it runs to its end)
 *     stopper_sample(7, 1)      go on
 *     stopper_sample(7, 3)      pause, at a rung: the strategy is to observe it
 *     stopper_next()            resume trial 4 ... or give up trial 2 ... or nothing for now
 *     stopper_resumed(4)        it was done
 *     stopper_until(4)          9
 *     stopper_ended(7, ...)     however that came about; once for every trial that was sampled or has ended
 *
 * A stopper pauses only when trials can be continued from a checkpoint; otherwise it stops them. */
#ifndef GANNET_SEARCH_STOP_STOPPER_H
#define GANNET_SEARCH_STOP_STOPPER_H

#include "common/endings.h"
#include "common/err.h"
#include "search/strategy.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* How to make one. Read during stopper_create only. */
struct stopper_setup {
    const char *name;      /* asha, hyperband, median, patience, extrapolate */
    const json_t *options; /* an object, or NULL */
    uint64_t seed;         /* of the experiment */
    uint32_t objectives;   /* losses of a sample; 1 or more */
    bool can_pause;        /* trials can be continued from a checkpoint */
    bool maximize;         /* the first objective, whose losses then are negated values: for the sentences */
    bool use_best;         /* what counts of a trial is its best loss so far instead of the last one */
};

enum stopper_action { STOPPER_GO_ON, STOPPER_STOP, STOPPER_PAUSE };

enum { STOPPER_WHY = 200 };

struct stopper_decision {
    enum stopper_action action;
    bool rung;             /* the trial was compared with others at this step: the strategy is to observe it */
    uint32_t bracket;      /* with several brackets, of which one the rung is, from 1; else 0 */
    double cut_off;        /* what the first metric would have had to come to, as it is reported; NAN: nothing that can
                            * be said by one number */
    char why[STOPPER_WHY]; /* "rung 2 at step 9: 0.412 is 7th of 12; the best 4, up to 0.335, go on"; "" without a rung
                            */
};

/* What to do about a paused trial. */
struct stopper_move {
    uint64_t trial;
    bool resume;           /* take it up again, up to stopper_until; else end it, as stopped early */
    double cut_off;        /* as in struct stopper_decision */
    char why[STOPPER_WHY]; /* a sentence */
};

struct stopper;

/* NULL with a sentence: unknown name (with suggestion and list), bad option, options that exclude each other, or more
 * objectives than it can compare. */
struct stopper *stopper_create(const struct stopper_setup *setup, struct err *err);
void stopper_destroy(struct stopper *stopper); /* NULL is fine */

/* The step after which a trial that is about to begin or to go on is to pause; 0: none, it runs to its end. */
uint64_t stopper_until(struct stopper *stopper, uint64_t trial);

/* The step at which a trial is complete: as the options say, else the longest trial so far; 0: not known yet. */
uint64_t stopper_max_steps(const struct stopper *stopper);

/* A trial reached a step with these losses (`objectives` of them, lower is better; what is not finite counts as the
 * worst). A step that was seen before says nothing new: go on. */
void stopper_sample(struct stopper *stopper, uint64_t trial, uint64_t step, const double *losses,
                    struct stopper_decision *out);

/* The next move with paused trials; false: none for now. It counts as made when stopper_resumed or stopper_ended is
 * called. `last`: no trial runs, waits, or will come; then the best go on until one is complete, and at last every
 * paused trial is ended. */
bool stopper_next(struct stopper *stopper, bool last, struct stopper_move *out);

/* A paused trial goes on. */
void stopper_resumed(struct stopper *stopper, uint64_t trial);

/* A trial ended: it is forgotten, but what it showed at rungs stays. One that failed counts as the worst; should it be
 * tried again, that is another one for all that is asked and told from then on. */
void stopper_ended(struct stopper *stopper, uint64_t trial, enum ending ending);

/* --- which there are --- */

/* What a person can choose, for lists and checks. */
struct stopper_info {
    const char *name, *summary;
    const struct gannet_option *options; /* ends with a NULL name */
    bool pauses;                         /* makes use of checkpoints */
};

/* The i-th one, or NULL at the end; and by name, or NULL. */
const struct stopper_info *stopper_info(size_t i);
const struct stopper_info *stopper_find(const char *name);

#endif
