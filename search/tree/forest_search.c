/* The strategy `forest`: an extremely randomised forest, and a proposal where it promises most.
 *
 * Hutter, Hoos, Leyton-Brown: "Sequential model-based optimization for general algorithm configuration" (LION 5, 2011)
 * put a random forest where others have a Gaussian process, because trees take choices, conditions and ten thousand
 * trials as they come. Ours are extremely randomised trees, whose spread is wider between the trials; the bound's
 * weight is drawn anew for each proposal (Egele et al.: "Asynchronous decentralized Bayesian optimization for large
 * scale hyperparameter optimization", 2023), so that many slots ask for different points; trials that run lower the
 * spread in their leaves. Candidates are random points, neighbours and children of the best trials, and then the
 * neighbours of the best candidates. */
#include "search/registry.h"
#include "search/visited.h"
#include "search/simple/initial_design.h"
#include "search/tree/forest.h"
#include "search/tree/moves.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_STARTUP, OPTION_TREES, OPTION_LEAF, OPTION_CANDIDATES, OPTION_KAPPA, OPTION_RANDOM };

static const struct gannet_option options[] = {
    {"startup_trials", GANNET_INTEGER, 1, 1e6, NULL, "10", "trials that must have ended before the model is used"},
    {"trees", GANNET_INTEGER, 5, 500, NULL, "50", "trees in the forest"},
    {"leaf", GANNET_INTEGER, 2, 100, NULL, "3", "leaves of fewer trials are not split; more for noisy metrics"},
    {"candidates", GANNET_INTEGER, 10, 10000, NULL, "1000", "points looked at for one proposal"},
    {"kappa", GANNET_NUMBER, 0, 100, NULL, "1", "mean weight of the spread: how much is explored"},
    {"random", GANNET_NUMBER, 0, 1, NULL, "0.05", "share of random proposals"},
    {NULL, GANNET_NUMBER, 0, 0, NULL, NULL, NULL},
};

enum { ROUNDS = 4, PARENTS = 10, PATIENCE = 100 };

/* A candidate and what speaks for it. */
struct forest_offer {
    double score; /* higher is better */
    uint32_t index;
};

struct forest_search {
    const struct gannet_problem *problem;
    struct moves moves;
    uint32_t dimension;
    struct initial_design *initial_design; /* what is asked until there is a model */
    struct history *history;
    struct visited visited;
    struct forest *forest;
    uint32_t most;                  /* candidates */
    double *units;                  /* most x D */
    struct forest_offer *offers;    /* most */
    struct prediction *predictions; /* most */
    uint32_t count;                 /* of candidates so far */
};

static double option_forest_search(const struct forest_search *search, int index)
{
    return search->problem->options[index].number;
}

static void destroy_forest_search(void *self)
{
    struct forest_search *search = self;
    initial_design_destroy(search->initial_design);
    forest_destroy(search->forest);
    history_destroy(search->history);
    visited_fini(&search->visited);
    free(search->units);
    free(search->offers);
    free(search->predictions);
    free(search);
}

static void *create_forest_search(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                                  size_t why_size)
{
    struct forest_search *search = MEM_NEW(struct forest_search);
    search->problem = problem;
    search->moves = (struct moves){problem->space, host};
    search->dimension = problem->space->count;
    search->history = history_create(problem, 0);
    visited_init(&search->visited, problem->space);
    struct forest_setup setup = {(uint32_t)option_forest_search(search, OPTION_TREES),
                                 (uint32_t)option_forest_search(search, OPTION_LEAF)};
    search->forest = forest_create(problem, host, search->history, &setup);
    search->most = (uint32_t)option_forest_search(search, OPTION_CANDIDATES);
    search->units = MEM_ARRAY(double, (size_t)search->most * search->dimension);
    search->offers = MEM_ARRAY(struct forest_offer, search->most);
    search->predictions = MEM_ARRAY(struct prediction, search->most);
    search->initial_design =
        initial_design_create(problem, host, option_forest_search(search, OPTION_STARTUP), why, why_size);
    if (search->initial_design)
        return search;
    destroy_forest_search(search);
    return NULL;
}

/* --- candidates --- */

static double *unit_at(const struct forest_search *search, uint32_t index)
{
    return search->units + (size_t)index * search->dimension;
}

/* Whether a point may be proposed. */
static bool is_usable(const struct forest_search *search, const double *unit)
{
    return !visited_has(&search->visited, unit) && search->moves.host->allowed(search->moves.host, unit);
}

/* Keeps the candidate that was written to the next free place, if it may be proposed. */
static void keep_candidate(struct forest_search *search)
{
    search->count += is_usable(search, unit_at(search, search->count));
}

static const double *draw_parent(const struct forest_search *search, struct rng *rng)
{
    uint32_t count = forest_count(search->forest), most = count < PARENTS ? count : PARENTS;
    uint32_t place = (uint32_t)rng_below(rng, most);
    return history_record(search->history, forest_order(search->forest)[place].index)->unit;
}

/* Random points, neighbours and children of the best trials. */
static void gather_candidates(struct forest_search *search, uint32_t upto, struct rng *rng)
{
    for (uint32_t i = 0; i < 2 * search->most && search->count < upto; i++) {
        double *unit = unit_at(search, search->count);
        if (i % 5 < 2)
            moves_random(&search->moves, rng, unit);
        else if (i % 5 < 4)
            moves_step(&search->moves, draw_parent(search, rng), rng, unit);
        else {
            const double *a = draw_parent(search, rng);
            moves_cross(&search->moves, a, draw_parent(search, rng), rng, unit);
        }
        keep_candidate(search);
    }
}

static int by_score(const void *left, const void *right)
{
    const struct forest_offer *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Scores the candidates from `first` on: a lower confidence bound */
static void score_candidates(struct forest_search *search, uint32_t first, double kappa)
{
    forest_predict(search->forest, unit_at(search, first), search->count - first, search->predictions);
    for (uint32_t i = first; i < search->count; i++) {
        const struct prediction *p = &search->predictions[i - first];
        search->offers[i] = (struct forest_offer){kappa * p->spread - p->mean, i};
    }
}

/* Neighbours of the best candidates, in a few rounds. */
static void climb_rounds(struct forest_search *search, double kappa, struct rng *rng)
{
    for (uint32_t round = 1; round <= ROUNDS && search->count > 0; round++) {
        uint32_t first = search->count, upto = search->most / 2 + round * (search->most / 2 / ROUNDS);
        qsort(search->offers, search->count, sizeof *search->offers, by_score);
        uint32_t best = first < PARENTS ? first : PARENTS;
        for (uint32_t i = 0; i < search->most && search->count < upto; i++) {
            const double *from = unit_at(search, search->offers[i % best].index);
            moves_step(&search->moves, from, rng, unit_at(search, search->count));
            keep_candidate(search);
        }
        score_candidates(search, first, kappa);
    }
}

/* A random point, with some patience one that may be proposed. */
static void draw_random(struct forest_search *search, struct rng *rng, double *unit)
{
    for (int i = 0; i < PATIENCE; i++) {
        moves_random(&search->moves, rng, unit);
        if (is_usable(search, unit))
            return;
    }
}

/* Exponential, so that most proposals are greedy and some go far. */
static double draw_kappa(const struct forest_search *search, struct rng *rng)
{
    return -log(1 - rng_unit(rng)) * option_forest_search(search, OPTION_KAPPA);
}

/* Whether there is no model yet. */
static bool is_starting(const struct forest_search *search)
{
    return forest_count(search->forest) < option_forest_search(search, OPTION_STARTUP);
}

static enum gannet_answer ask_forest_search(void *self, const struct gannet_ask *ask, double *unit, char *why,
                                            size_t why_size)
{
    struct forest_search *search = self;
    struct rng rng = {ask->random};
    if (is_starting(search))
        return initial_design_ask(search->initial_design, ask, unit, why, why_size);
    double kappa = draw_kappa(search, &rng);
    search->count = 0;
    if (rng_unit(&rng) >= option_forest_search(search, OPTION_RANDOM)) {
        gather_candidates(search, search->most / 2, &rng);
        score_candidates(search, 0, kappa);
        climb_rounds(search, kappa, &rng);
    }
    qsort(search->offers, search->count, sizeof *search->offers, by_score);
    if (search->count > 0)
        memcpy(unit, unit_at(search, search->offers[0].index), search->dimension * sizeof *unit);
    else
        draw_random(search, &rng, unit);
    return GANNET_PROPOSED;
}

/* --- what it learns --- */

static void learn_forest_search(void *self, const struct gannet_past *past)
{
    initial_design_learn(((struct forest_search *)self)->initial_design, past);
}

static void note_forest_search(void *self, uint64_t trial, const double *unit)
{
    struct forest_search *search = self;
    initial_design_note(search->initial_design, trial, unit, !is_starting(search));
    history_note(search->history, trial, unit);
    visited_add(&search->visited, unit);
    forest_note(search->forest, unit);
}

static void observe_forest_search(void *self, const struct gannet_outcome_of_trial *so_far)
{
    struct forest_search *search = self;
    history_observe(search->history, so_far);
    forest_follow(search->forest);
}

static void tell_forest_search(void *self, const struct gannet_outcome_of_trial *told)
{
    struct forest_search *search = self;
    history_tell(search->history, told);
    forest_follow(search->forest);
}

const struct gannet_strategy forest_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "forest",
    .summary = "extremely randomised trees; for choices, conditions and thousands of trials",
    .options = options,
    .uses_history = true,
    .create = create_forest_search,
    .learn = learn_forest_search,
    .ask = ask_forest_search,
    .note = note_forest_search,
    .observe = observe_forest_search,
    .tell = tell_forest_search,
    .destroy = destroy_forest_search,
};
