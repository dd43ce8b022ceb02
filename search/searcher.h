/* A search: a strategy at work on a space, with everything that is the same for all strategies - the start points,
 * constraints, no configuration twice in a finite space, checked options, and the rule that a proposal is a function of
 * (seed, strategy, trial number, history told so far).
 *
 * The conversation, all from one thread:
 *
 *     searcher_ask(1) ask(2) observe(2, ...) tell(1, ...) ask(3) ...     a running search
 *     searcher_recall(1, params) ... observe ... tell ... recall ...     a past one, brought back in the recorded
 *                                                                        order; then ask goes on
 *
 * Trials of earlier experiments are given to searcher_create: the strategy learns them before everything else.
 *
 * A searcher is pure: no file (but the plug-in it loads), no socket, no clock. */
#ifndef GANNET_SEARCH_SEARCHER_H
#define GANNET_SEARCH_SEARCHER_H

#include "common/endings.h"
#include "common/err.h"
#include "search/space.h"

#include <jansson.h>

/* A trial of an earlier experiment, its configuration already one of this space; see gannet_past. */
struct searcher_past {
    uint32_t source;    /* which experiment, from 0; those of one stand together, the first source first */
    const char *params; /* JSON object; what is missing takes its default or the middle */
    bool failed;
    double loss; /* lower is better; not read when it failed */
    double seconds;
};

/* How to make one. Everything is read during searcher_create only, but `space`, which must live on. */
struct searcher_setup {
    const struct space *space;
    const char *strategy;  /* its name */
    const char *plugin;    /* path of its shared object, or NULL: a built-in one */
    const json_t *options; /* an object, or NULL */
    uint64_t seed;
    uint64_t max_trials;      /* 0: not limited */
    bool repeat;              /* the same configuration may be proposed again */
    const char *const *start; /* start points: JSON objects with some of the parameters */
    uint32_t start_count;
    const struct searcher_past *past; /* trials of earlier experiments */
    size_t past_count;
    uint32_t objectives; /* losses that a trial is told with; 0: 1 */
    uint32_t limits;     /* violations that it is told with */
    uint64_t max_steps;  /* see gannet_problem */
    bool can_continue;   /* see gannet_problem */
};

struct searcher;

/* NULL with a sentence: unknown strategy (with suggestion and list), bad option, plug-in that can't be loaded, start
 * point or earlier trial outside the space. */
struct searcher *searcher_create(const struct searcher_setup *setup, struct err *err);
void searcher_destroy(struct searcher *searcher); /* NULL is fine */

/* The strategy's descriptor. */
const struct gannet_strategy *searcher_strategy(const struct searcher *searcher);

enum searcher_answer {
    SEARCHER_PROPOSED,
    SEARCHER_NO_MORE, /* every configuration was proposed, or the strategy has nothing left */
    SEARCHER_LATER,   /* ask again after the next tell */
    SEARCHER_BROKEN   /* err says why: the search can't go on */
};

/* A proposal: what trial `trial` is to try. */
struct proposal {
    char *params;         /* JSON object, owned by the receiver: free() */
    uint64_t fingerprint; /* space_fingerprint */
    bool from_start;      /* one of the start points */
    uint64_t from;        /* the trial whose last checkpoint it starts from; 0: from the beginning */
};

enum searcher_answer searcher_ask(struct searcher *searcher, uint64_t trial, struct proposal *out, struct err *err);

/* The same for a trial of the past, which had these params: what would be proposed now is only told, and the trial
 * keeps what it had. */
enum searcher_answer searcher_ask_again(struct searcher *searcher, uint64_t trial, const char *params,
                                        struct proposal *out, struct err *err);

/* A trial of the past had these params: the same as an ask that answered them, without asking. -1 with a sentence when
 * they don't fit the space. */
int searcher_recall(struct searcher *searcher, uint64_t trial, const char *params, struct err *err);

/* A trial with these params that a person added: the strategy notes it as one of its own, and no start point is taken
 * for it. Its tell follows directly. -1 with a sentence when they don't fit the space. */
int searcher_add(struct searcher *searcher, uint64_t trial, const char *params, struct err *err);

/* What was measured of a trial. */
struct measures {
    const double *losses;    /* `objectives` of them, lower is better; NaN: no value */
    const double *violation; /* `limits` of them, see gannet_outcome_of_trial; NULL: none is known */
    double seconds;
    double energy; /* joules; NaN: not measured */
    uint64_t step; /* the last step that the losses were seen at; 0: none */
};

/* How a trial that was asked or recalled and not told stands at a rung (others are ignored). */
void searcher_observe(struct searcher *searcher, uint64_t trial, const struct measures *so_far);

/* What came of a trial that was asked or recalled and not told before (others are ignored). A trial of which an
 * objective has no finite value counts as failed. */
void searcher_tell_all(struct searcher *searcher, uint64_t trial, enum ending ending, const struct measures *measured);

/* The same for a search with one objective, without limits and steps. */
void searcher_tell(struct searcher *searcher, uint64_t trial, enum ending ending, double loss, double seconds);

/* Answers of the strategy that were thrown away so far because a constraint forbade them, and because they repeated an
 * earlier one. */
void searcher_rejections(const struct searcher *searcher, uint64_t *forbidden, uint64_t *repeated);

#endif
