/* The tree-structured Parzen estimator: one density for the good trials, one for all others, and a proposal where the
 * first is highest beside the second.
 *
 * Bergstra, Bardenet, Bengio, Kegl: "Algorithms for hyper-parameter optimization" (NIPS 2011): the ratio orders points
 * as the expected improvement does. Watanabe: "Tree-structured Parzen estimator" (arXiv 2304.11127): which of the many
 * choices matter. What is ours: densities over all parameters at once, conditional ones included (density.h); trials
 * that run count as not good (the constant liar), failed ones too, so that the search keeps away from both; of
 * the others a bounded sample, so that an ask costs the same after ten thousand trials. */
#include "search/registry.h"
#include "search/history/history.h"
#include "search/history/ranking.h"
#include "search/visited.h"
#include "search/parzen/density.h"
#include "search/simple/initial_design.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_GOOD = 25,
    MOST_OTHERS = 1000, /* 64 candidates x 1,000 density kernels x 10 parameters: 0.64 million density kernels of 1 ns,
                           and their exp */
    MOST_PENDING = 500, /* the latest, of those that run */
    MOST_CANDIDATES = 1024
};

enum { OPTION_STARTUP, OPTION_GAMMA, OPTION_CANDIDATES, OPTION_BREADTH };

static const struct gannet_option options[] = {
    {"startup_trials", GANNET_INTEGER, 0, 1e6, NULL, "10", "trials that must have ended before the model is used"},
    {"gamma", GANNET_NUMBER, 0.01, 0.5, NULL, "0.1", "share of the trials that count as good (25 at most)"},
    {"candidates", GANNET_INTEGER, 1, (double)MOST_CANDIDATES, NULL, "64", "points drawn for one proposal"},
    {"breadth", GANNET_NUMBER, 0.01, 100, NULL, "1", "factor for the widths of the windows"},
    {NULL, GANNET_NUMBER, 0, 0, NULL, NULL, NULL},
};

struct tpe {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    uint32_t dimension;
    struct initial_design *initial_design; /* what is asked until there is a model */
    struct history *history;
    struct visited visited;
    struct density *good, *others;
    uint64_t noted;                /* notes so far */
    uint64_t revision, fitted_for; /* of the history, and the notes, that the densities hold for */
    bool fitted;
    struct ranked *order;
    size_t order_capacity;
    const double **points; /* scratch for fitting */
    double *weights;
    double *candidate; /* D */
};

static double option_tpe(const struct tpe *tpe, int index)
{
    return tpe->problem->options[index].number;
}

static void destroy_tpe(void *self)
{
    struct tpe *tpe = self;
    initial_design_destroy(tpe->initial_design);
    history_destroy(tpe->history);
    visited_fini(&tpe->visited);
    density_destroy(tpe->good);
    density_destroy(tpe->others);
    free(tpe->order);
    free(tpe->points);
    free(tpe->weights);
    free(tpe->candidate);
    free(tpe);
}

static void *create_tpe(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                        size_t why_size)
{
    struct tpe *tpe = MEM_NEW(struct tpe);
    tpe->problem = problem;
    tpe->host = host;
    tpe->dimension = problem->space->count;
    tpe->history = history_create(problem, 0);
    visited_init(&tpe->visited, problem->space);
    tpe->good = density_create(problem->space, host);
    tpe->others = density_create(problem->space, host);
    tpe->points = MEM_ARRAY(const double *, MOST_OTHERS + MOST_PENDING);
    tpe->weights = MEM_ARRAY(double, MOST_OTHERS + MOST_PENDING);
    tpe->candidate = MEM_ARRAY(double, tpe->dimension);
    tpe->initial_design = initial_design_create(problem, host, option_tpe(tpe, OPTION_STARTUP), why, why_size);
    if (tpe->initial_design)
        return tpe;
    destroy_tpe(tpe);
    return NULL;
}

/* --- the model --- */

/* How many of the trials in order are good: never one that failed. */
static uint32_t count_good(const struct tpe *tpe, uint32_t count)
{
    uint32_t good = (uint32_t)fmin(ceil(option_tpe(tpe, OPTION_GAMMA) * count), (double)MOST_GOOD);
    while (good > 0 && tpe->order[good - 1].tier == RANKING_FAILED)
        good--;
    return good;
}

static const double *point_at(const struct tpe *tpe, uint32_t place)
{
    return history_record(tpe->history, tpe->order[place].index)->unit;
}

/* The better, the heavier: from nearly 2 down to nearly 0, 1 in the mean. */
static void fit_good(struct tpe *tpe, uint32_t good)
{
    for (uint32_t i = 0; i < good; i++) {
        tpe->points[i] = point_at(tpe, i);
        tpe->weights[i] = 2 * (good - i) / (good + 1.0);
    }
    struct density_sample sample = {.points = tpe->points,
                                    .weights = tpe->weights,
                                    .count = good,
                                    .prior = 1,
                                    .breadth = option_tpe(tpe, OPTION_BREADTH)};
    density_fit(tpe->good, &sample);
}

/* Those that are not good, from the best to the worst at even distances if they are many, and those that run. */
static void fit_others(struct tpe *tpe, uint32_t good, uint32_t count)
{
    uint32_t all = count - good, kept = all < MOST_OTHERS ? all : MOST_OTHERS;
    uint32_t pending = history_pending_count(tpe->history);
    uint32_t first = pending > MOST_PENDING ? pending - MOST_PENDING : 0;
    for (uint32_t i = 0; i < kept; i++) {
        tpe->points[i] = point_at(tpe, good + (uint32_t)((uint64_t)i * all / kept));
        tpe->weights[i] = (double)all / kept;
    }
    for (uint32_t i = first; i < pending; i++, kept++) {
        tpe->points[kept] = history_pending(tpe->history, i)->unit;
        tpe->weights[kept] = 1;
    }
    struct density_sample sample = {.points = tpe->points,
                                    .weights = tpe->weights,
                                    .count = kept,
                                    .prior = 1,
                                    .breadth = option_tpe(tpe, OPTION_BREADTH)};
    density_fit(tpe->others, &sample);
}

/* The densities are a function of the history and of what runs: they are made when somebody asks. */
static void fit_densities(struct tpe *tpe)
{
    uint32_t count = history_count(tpe->history);
    if (tpe->fitted && tpe->revision == history_revision(tpe->history) && tpe->fitted_for == tpe->noted)
        return;
    MEM_GROW(tpe->order, tpe->order_capacity, count);
    ranking_order(tpe->history, tpe->problem, tpe->order);
    uint32_t good = count_good(tpe, count);
    fit_good(tpe, good);
    fit_others(tpe, good, count);
    tpe->revision = history_revision(tpe->history);
    tpe->fitted_for = tpe->noted;
    tpe->fitted = true;
}

/* --- proposals --- */

/* Draws a point that may be proposed; false when many in a row may not. */
static bool draw_candidate(struct tpe *tpe, struct rng *rng, double *unit)
{
    enum { PATIENCE = 20 };
    for (int i = 0; i < PATIENCE; i++) {
        density_draw(tpe->good, rng, unit);
        tpe->host->snap(tpe->host, unit);
        if (!visited_has(&tpe->visited, unit) && tpe->host->allowed(tpe->host, unit))
            return true;
    }
    return false;
}

/* Whether there is no model yet. */
static bool is_starting(const struct tpe *tpe)
{
    return history_count(tpe->history) < option_tpe(tpe, OPTION_STARTUP);
}

static enum gannet_answer ask_tpe(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    struct tpe *tpe = self;
    if (is_starting(tpe))
        return initial_design_ask(tpe->initial_design, ask, unit, why, why_size);
    fit_densities(tpe);
    struct rng rng = {ask->random};
    double best = -INFINITY;
    for (int i = 0; i < option_tpe(tpe, OPTION_CANDIDATES); i++) {
        if (!draw_candidate(tpe, &rng, tpe->candidate))
            continue;
        double score = density_log(tpe->good, tpe->candidate) - density_log(tpe->others, tpe->candidate);
        if (!(score > best))
            continue;
        best = score;
        memcpy(unit, tpe->candidate, tpe->dimension * sizeof *unit);
    }
    if (best > -INFINITY)
        return GANNET_PROPOSED;
    for (uint32_t d = 0; d < tpe->dimension; d++)
        unit[d] = rng_unit(&rng);
    return GANNET_PROPOSED;
}

/* --- what it learns --- */

static void learn_tpe(void *self, const struct gannet_past *past)
{
    initial_design_learn(((struct tpe *)self)->initial_design, past);
}

static void note_tpe(void *self, uint64_t trial, const double *unit)
{
    struct tpe *tpe = self;
    initial_design_note(tpe->initial_design, trial, unit, !is_starting(tpe));
    history_note(tpe->history, trial, unit);
    visited_add(&tpe->visited, unit);
    tpe->noted++;
}

static void observe_tpe(void *self, const struct gannet_outcome_of_trial *so_far)
{
    history_observe(((struct tpe *)self)->history, so_far);
}

static void tell_tpe(void *self, const struct gannet_outcome_of_trial *told)
{
    history_tell(((struct tpe *)self)->history, told);
}

const struct gannet_strategy tpe_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "tpe",
    .summary = "densities of good and of other trials (Parzen estimators); cheap, for any kind of space",
    .options = options,
    .uses_history = true,
    .create = create_tpe,
    .learn = learn_tpe,
    .ask = ask_tpe,
    .note = note_tpe,
    .observe = observe_tpe,
    .tell = tell_tpe,
    .destroy = destroy_tpe,
};
