/* SPDX-License-Identifier: 0BSD
 *
 * The interface between gannet and a search strategy. Built-in strategies and a person's own use this same listener.
 *
 * A plug-in is a shared object that exports one descriptor under this name, and includes nothing of gannet but this
 * file:
 *
 *     const struct gannet_strategy gannet_strategy = {
 *         .abi = GANNET_STRATEGY_ABI, .name = "mine", .summary = "...",
 *         .create = ..., .ask = ..., .tell = ..., .destroy = ...,
 *     };
 *
 *     cc -shared -fPIC -o mine.so mine.c        then in the experiment file:  strategy: {name: mine, plugin: ./mine.so}
 *
 * plugins/hello.c is a whole one. The rules:
 *
 * - A strategy is a function of what it was told. What `ask` proposes may depend on the problem (its seed and options),
 *   on the ask itself and on the notes and tells that came before, in their order, and on nothing else: no clock, no
 *   file, no other source of randomness, no address. An ask leaves no trace: on a restart the notes and tells of the
 *   past come again, but not its asks. gannet then resumes and replays a search exactly, and saves no state.
 * - All calls on one strategy come from one thread, one after another. They may take long: workers do not wait for them
 *   as long as proposals are ready. No call may end the process, print, or throw.
 * - Points are vectors in the unit cube: `count` doubles, one a parameter, parameters before those that depend on them
 *   and otherwise in the order of the experiment file. How 0..1 maps to values (range, logarithm, steps, choices, a
 *   normal distribution) is gannet's business; equal steps in the unit cube are equally probable under the space's own
 *   distribution.
 */
#ifndef GANNET_SEARCH_STRATEGY_H
#define GANNET_SEARCH_STRATEGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts up whenever anything below changes. gannet refuses a strategy of another number, naming both. */
#define GANNET_STRATEGY_ABI 2

enum gannet_kind {
    GANNET_REAL,   /* continuous or stepped */
    GANNET_INT,    /* integers */
    GANNET_CHOICE, /* one of several values without an order */
    GANNET_ORDERED /* one of several values in their order */
};

/* One parameter that is to be chosen (constants are not shown to strategies). All pointers live as long as the
 * strategy. */
struct gannet_param {
    const char *name;
    enum gannet_kind kind;
    double min, max; /* REAL, INT: the range (infinite for an untruncated normal); choices: 0 and count - 1 */
    bool log;        /* the range is even in the logarithm */
    uint64_t levels; /* how many different values it has; 0: continuous, or more than 2^40 */
    const char *const *choices; /* CHOICE, ORDERED: `levels` texts, for people; else NULL */
    double preferred;           /* the person's `default:` in the unit cube; NaN: none given */
    bool conditional;           /* is left out (inactive) in some configurations */
};

/* What gannet does for a strategy: pure functions of the space. `host` is the pointer that `create` received. */
struct gannet_host {
    /* Makes a point canonical, in place: each coordinate clamped into 0..1 and moved to the middle of its level (a
     * continuous one to where its value, rounded to some 12 digits, lies), NaN where the parameter is inactive. A
     * coordinate that was NaN and is active is set to 0.5. */
    void (*snap)(const struct gannet_host *host, double *unit);
    /* Whether the configuration at this canonical point satisfies the experiment's constraints. */
    bool (*allowed)(const struct gannet_host *host, const double *unit);
    /* The number that coordinate `unit` of parameter `index` stands for: its value; of choices: the index of the
     * choice. */
    double (*natural)(const struct gannet_host *host, uint32_t index, double unit);
    /* The other way: the middle of the level nearest to a value (of choices: an index). */
    double (*unit)(const struct gannet_host *host, uint32_t index, double natural);
    /* The middle of a level, from 0 in the order of the values, of a parameter that has levels. */
    double (*level)(const struct gannet_host *host, uint32_t index, uint64_t level);
};

struct gannet_space {
    uint32_t count; /* parameters; at least 1 */
    const struct gannet_param *params;
    double size; /* how many different configurations, at most; infinite when any parameter is continuous */
};

enum gannet_type { GANNET_NUMBER, GANNET_INTEGER, GANNET_SWITCH, GANNET_WORD };

/* One option that the experiment file may set under strategy.options. */
struct gannet_option {
    const char *name; /* NULL ends the table */
    enum gannet_type type;
    double min, max;           /* NUMBER and INTEGER: the range, both ends included */
    const char *const *words;  /* WORD: the valid ones, NULL at the end */
    const char *default_value; /* the default, as text */
    const char *help;          /* one line */
};

/* The checked setting of an option; problem.options[i] belongs to options[i] of the descriptor. */
struct gannet_setting {
    double number;    /* NUMBER, INTEGER; SWITCH: 0 or 1; WORD: its index among the words */
    const char *word; /* WORD: the word; else NULL */
};

/* What the search is about. Lives as long as the strategy. */
struct gannet_problem {
    const struct gannet_space *space;
    uint64_t seed;       /* of the experiment */
    uint64_t max_trials; /* how many trials there will be at most; 0: not known. A person may resume with more. */
    const struct gannet_setting *options; /* the descriptor's options, checked, defaults filled in */
    uint32_t objectives; /* losses that a trial is told with; 1 or more. Of several, a trial is better than another when
                          * it is better in one and worse in none (Pareto) */
    uint32_t limits;     /* metrics that have a limit: violations that a trial is told with; 0 or more */
    uint64_t max_steps;  /* the step at which a trial is complete, when trials are judged on their way; 0: they are not,
                          * or it is not known */
    bool can_continue;   /* trials may start from another trial's checkpoint; see gannet_ask.from */
};

/* One question: "what shall trial N try?" */
struct gannet_ask {
    uint64_t trial; /* the trial's number, from 1. Numbers rise but may have gaps: start points use some. */
    uint32_t retry; /* 0 at first; 1, 2, ... when the last answer for this trial could not be used: a constraint forbids
                     * it, or the same configuration was proposed before. They follow each other directly. After 64
                     * gannet looks for a point itself. */
    uint64_t random; /* random bits for this question: a function of (seed, trial, retry). See gannet_random. */
    uint64_t *from;  /* where a strategy that trains in stretches (population-based training) writes the trial whose
                      * last checkpoint this one starts from; 0, which stands there: from the beginning. Only with
                      * problem.can_continue */
    bool *again; /* where a strategy says that its answer repeats an earlier configuration on purpose, since losses are
                  * noisy; false, which stands there: gannet refuses what came before. Not heeded in a finite space */
};

enum gannet_answer {
    GANNET_PROPOSED, /* the point was written */
    GANNET_NO_MORE,  /* there is nothing left to try, now and for ever */
    GANNET_LATER,    /* nothing until a running trial has been told; not allowed when none runs */
    GANNET_ERROR     /* something is broken; the search ends with the sentence written to `why` */
};

enum gannet_outcome {
    GANNET_FINISHED, /* ran to its end, or was stopped early with a value that counts */
    GANNET_FAILED,   /* the configuration failed: diverged, crashed, out of memory, timed out, refused */
    GANNET_VOID      /* says nothing about the configuration: cancelled, or its worker was lost too often */
};

/* What came of a trial, or what it has come to so far. Pointers are valid during the call. */
struct gannet_outcome_of_trial {
    uint64_t trial;
    const double *unit; /* its canonical point; NaN: inactive */
    enum gannet_outcome outcome;
    double loss;             /* FINISHED: lower is better (gannet negates a metric that is to be maximized); else NaN */
    const double *losses;    /* all `objectives` of them; losses[0] is `loss`. NaN where the trial gave no value */
    const double *violation; /* `limits` numbers: how far a limited metric lies beyond its limit; at or below 0 it is
                              * kept; NaN: the trial did not say */
    double seconds;          /* how long it ran */
    double energy;           /* joules that it took; NaN: not measured */
    uint64_t step;           /* the last step that the losses were seen at; 0: it has no steps */
};

/* A trial of an earlier experiment, for a search that starts from its history (start_from). */
struct gannet_past {
    uint32_t source;             /* which experiment, from 0, in the order of the experiment file */
    const double *unit;          /* its configuration in this space, canonical. Valid during the call. */
    enum gannet_outcome outcome; /* FINISHED or FAILED */
    double loss;                 /* FINISHED: in the units of that experiment, which may not be those of this one */
    double seconds;
};

/* A strategy. Fields after `abi` may only be read when the number is right. */
struct gannet_strategy {
    uint32_t abi;                        /* GANNET_STRATEGY_ABI; first for ever */
    const char *name;                    /* as written in the experiment file */
    const char *summary;                 /* one line: what it does and when to use it */
    const struct gannet_option *options; /* ends with a NULL name; NULL: no options */
    bool uses_history;                   /* `ask` depends on what was told. False: gannet may ask far ahead. */
    bool continues; /* its trials start from other trials' checkpoints (gannet_ask.from): gannet keeps the last one of
                     * each, and lets the same configuration come again. Only with problem.can_continue */

    /* Called once, before anything else. Returns the strategy's state, or NULL with a sentence in why[0 .. why_size-1]
     * when it can't search this problem (or is out of memory). Everything in the arguments lives until destroy. */
    void *(*create)(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size);

    /* Learns of a trial of an earlier experiment: all of them directly after create, one source after the other.
     * Optional: a strategy without it starts from nothing. */
    void (*learn)(void *self, const struct gannet_past *past);

    /* Proposes a point for a trial: fills unit[0 .. count-1], any values in 0..1 (gannet snaps them). On GANNET_ERROR
     * writes a sentence to why. Called from the strategy's thread whenever few ready proposals are left. */
    enum gannet_answer (*ask)(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size);

    /* Learns that a trial runs at this canonical point: once for every trial, the start points of the experiment file
     * included, directly after the ask that it came of. On a restart it is called for trials of the past without an ask
     * before it. Optional. */
    void (*note)(void *self, uint64_t trial, const double *unit);

    /* Learns how a trial stands at a rung - a step at which early stopping compares trials - while it goes on or is
     * paused. In the recorded order among the tells; a tell for the trial follows later. Optional. */
    void (*observe)(void *self, const struct gannet_outcome_of_trial *so_far);

    /* Learns what came of a trial: once for every trial, in the recorded order. Optional. */
    void (*tell)(void *self, const struct gannet_outcome_of_trial *told);

    /* Frees the state. Called once; never with NULL. */
    void (*destroy)(void *self);
};

/* What a plug-in exports. */
extern const struct gannet_strategy gannet_strategy;

/* The next random number in [0, 1) of a generator whose state starts as ask->random (SplitMix64). For plug-ins. */
static inline double gannet_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0; /* 2^53 */
}

#ifdef __cplusplus
}
#endif

#endif
