/* The strategy gp: a Gaussian process that learns from every trial, and proposes where the next one is worth most; see
 * search/README.md.
 *
 *     gp.c        the strategy: what comes in, when to fit, which way to propose
 *     model       what is believed: surrogates (fit, posterior) of the columns of a sample, the past
 *     propose     what to look for (acquisition) and where (optimiser, candidates)
 *
 * What is kept between calls follows from notes, observations and tells alone: an ask only fits what they set aside,
 * and posteriors that grow point by point are bit by bit those made anew. */
#include "search/registry.h"
#include "search/gp/linalg.h"
#include "search/gp/propose.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    INITIAL_LEAST = 4,
    INITIAL_MOST = 8, /* Sobol's points before the model starts; 3 + D / 4 in between */
    FIT_ALWAYS = 20,  /* news up to which each is a mark for a fit; afterwards when there are 1 / 12 more */
    FIT_EVERY = 12,
    MOST_RETRIES = 4 /* refused points before chance is tried */
};

enum {
    OPTION_ACQUISITION,
    OPTION_WARP,
    OPTION_FAILURES,
    OPTION_COST,
    OPTION_MAIN_EFFECTS,
    OPTION_TRANSFORM,
    OPTION_PENDING,
    OPTION_RANDOM,
    OPTION_MIDDLE,
    OPTION_STARTUP
};
static const char *const acquisitions[] = {"auto", "improvement", "bound", NULL};
static const char *const failures[] = {"both", "bad", "chance", NULL};
static const char *const costs[] = {"none", "time", "energy", NULL}; /* as enum sample_cost */

static const struct gannet_option options[] = {
    [OPTION_ACQUISITION] = {.name = "acquisition",
                            .type = GANNET_WORD,
                            .words = acquisitions,
                            .default_value = "auto",
                            .help = "what makes a point worth trying: its expected improvement, an optimistic bound "
                                    "of random optimism, or now one and now the other"},
    [OPTION_WARP] = {.name = "warp",
                     .type = GANNET_SWITCH,
                     .default_value = "false",
                     .help = "learn where in its range a parameter matters most (bends each axis)"},
    [OPTION_FAILURES] = {.name = "failures",
                         .type = GANNET_WORD,
                         .words = failures,
                         .default_value = "both",
                         .help = "how failed trials count: as bad results, as a lower chance of success nearby, both"},
    [OPTION_COST] = {.name = "cost",
                     .type = GANNET_WORD,
                     .words = costs,
                     .default_value = "none",
                     .help =
                         "what improvement is set against: the time that a trial is expected to take, or its joules "
                         "(the time while they are known of less than half of the trials)"},
    [OPTION_MAIN_EFFECTS] = {.name = "main_effects",
                             .type = GANNET_SWITCH,
                             .default_value = "true",
                             .help = "also learn what each parameter does whatever the others are"},
    [OPTION_TRANSFORM] = {.name = "transform",
                          .type = GANNET_SWITCH,
                          .default_value = "true",
                          .help = "of bad losses only the order counts, and the best ones are told apart more finely"},
    [OPTION_PENDING] = {.name = "pending",
                        .type = GANNET_SWITCH,
                        .default_value = "true",
                        .help = "trials that run lower the uncertainty around them, so that others go elsewhere"},
    [OPTION_RANDOM] = {.name = "random",
                       .type = GANNET_NUMBER,
                       .min = 0,
                       .max = 1,
                       .default_value = "0.04",
                       .help = "share of random proposals: no model is right everywhere"},
    [OPTION_MIDDLE] = {.name = "middle",
                       .type = GANNET_SWITCH,
                       .default_value = "true",
                       .help =
                           "the first trial is the middle of all ranges, or their defaults: people write ranges around "
                           "what they believe"},
    [OPTION_STARTUP] = {.name = "startup_trials",
                        .type = GANNET_INTEGER,
                        .min = 0,
                        .max = 10000,
                        .default_value = "0",
                        .help = "trials before the model starts; 0: 3 and one for every four parameters, 4 to 8"},
    {.name = NULL},
};

struct gp {
    const struct gannet_problem *problem;
    struct gp_domain domain;
    struct history *history;
    struct visited taken; /* the points that trials have */
    void *sobol;          /* the strategy that makes the initial points */
    struct gp_model model;
    uint32_t initial;
    uint64_t news;      /* tells, and observations at rungs: a trial that is paused there may never be told */
    uint64_t next_mark; /* the count of news at which theta is fitted next */
};

static void destroy_gp(void *self)
{
    struct gp *gp = self;
    sobol_strategy.destroy(gp->sobol);
    model_fini(&gp->model);
    history_destroy(gp->history);
    visited_fini(&gp->taken);
    domain_fini(&gp->domain);
    free(gp);
}

static uint32_t initial_points(const struct gannet_problem *problem)
{
    uint32_t given = (uint32_t)problem->options[OPTION_STARTUP].number, usual = 3 + problem->space->count / 4;
    if (given)
        return given;
    return usual < INITIAL_LEAST ? INITIAL_LEAST : usual > INITIAL_MOST ? INITIAL_MOST : usual;
}

static struct model_settings read_settings(const struct gannet_problem *problem)
{
    double failed = problem->options[OPTION_FAILURES].number;
    return (struct model_settings){.warp = problem->options[OPTION_WARP].number != 0,
                                   .transform = problem->options[OPTION_TRANSFORM].number != 0,
                                   .pending = problem->options[OPTION_PENDING].number != 0,
                                   .failures_bad = failed != 2,
                                   .failures_chance = failed != 1,
                                   .cost = (enum sample_cost)problem->options[OPTION_COST].number};
}

static void *create_gp(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    if (problem->objectives > ACQUISITION_MOST || problem->limits >= ACQUISITION_MOST) {
        snprintf(why, why_size, "it takes at most %d objectives and %d limits; use forest or evolution for more",
                 ACQUISITION_MOST, ACQUISITION_MOST - 1);
        return NULL;
    }
    linalg_start();
    struct gp *gp = MEM_NEW(struct gp);
    gp->problem = problem;
    domain_init(&gp->domain, problem, host);
    if (problem->options[OPTION_MAIN_EFFECTS].number == 0)
        gp->domain.main_effects = false;
    visited_init(&gp->taken, problem->space);
    gp->history = history_create(problem, 0);
    gp->sobol = sobol_strategy.create(problem, host, why, why_size);
    struct model_settings settings = read_settings(problem);
    model_init(&gp->model, problem, &gp->domain, &settings);
    gp->initial = initial_points(problem);
    gp->next_mark = gp->initial;
    return gp;
}

/* Whether two trials have a loss. */
static bool has_losses(const struct gp *gp)
{
    uint32_t found = 0;
    for (uint32_t i = 0; found < 2 && i < history_count(gp->history); i++)
        found += !history_record(gp->history, i)->failed;
    return found == 2;
}

/* Whether there is something for the model to start from. */
static bool knows_enough(const struct gp *gp)
{
    bool has_own = history_count(gp->history) >= gp->initial && has_losses(gp);
    return has_own || history_past_count(gp->history) >= gp->initial;
}

static void mark_fit(struct gp *gp)
{
    model_set_aside(&gp->model, gp->history);
    gp->next_mark = gp->news + 1 + (gp->news > FIT_ALWAYS ? gp->news / FIT_EVERY : 0);
}

static void take_news(struct gp *gp)
{
    gp->news++;
    if (gp->news >= gp->next_mark && knows_enough(gp))
        mark_fit(gp);
}

/* With earlier trials the model starts at once. */
static void learn_gp(void *self, const struct gannet_past *past)
{
    struct gp *gp = self;
    history_learn(gp->history, past);
    if (knows_enough(gp) && !gp->model.fit_due)
        mark_fit(gp);
}

static void note_gp(void *self, uint64_t trial, const double *unit)
{
    struct gp *gp = self;
    if (!knows_enough(gp))
        sobol_strategy.note(gp->sobol, trial, unit);
    visited_add(&gp->taken, unit);
    history_note(gp->history, trial, unit);
}

static void observe_gp(void *self, const struct gannet_outcome_of_trial *so_far)
{
    struct gp *gp = self;
    history_observe(gp->history, so_far);
    take_news(gp);
}

static void tell_gp(void *self, const struct gannet_outcome_of_trial *told)
{
    struct gp *gp = self;
    history_tell(gp->history, told);
    take_news(gp);
}

/* The defaults, as far as there are any. Of choices without an order none is in the middle: one is drawn. */
static void propose_middle(const struct gp *gp, uint64_t random, double *unit)
{
    for (uint32_t d = 0; d < gp->domain.count; d++) {
        double draw = gannet_random(&random), preferred = gp->problem->space->params[d].preferred;
        unit[d] = gp->domain.axes[d].nominal ? draw : 0.5;
        if (!isnan(preferred))
            unit[d] = preferred;
    }
}

static bool wants_middle(const struct gp *gp, const struct gannet_ask *ask)
{
    bool first = history_told(gp->history) == 0 && history_pending_count(gp->history) == 0;
    return first && ask->retry == 0 && gp->problem->options[OPTION_MIDDLE].number != 0;
}

static enum gannet_answer ask_gp(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    struct gp *gp = self;
    if (!knows_enough(gp) && wants_middle(gp, ask)) {
        propose_middle(gp, ask->random, unit);
        return GANNET_PROPOSED;
    }
    if (!knows_enough(gp))
        return sobol_strategy.ask(gp->sobol, ask, unit, why, why_size);
    uint64_t state = ask->random;
    struct propose question = {.model = &gp->model,
                               .history = gp->history,
                               .taken = &gp->taken,
                               .aim = (enum propose_for)gp->problem->options[OPTION_ACQUISITION].number,
                               .random = ask->random};
    bool by_chance = gannet_random(&state) < gp->problem->options[OPTION_RANDOM].number || ask->retry > MOST_RETRIES;
    if (by_chance || !propose(&question, unit))
        optimiser_draw_open(&gp->domain, &gp->taken, ask->random, unit);
    *ask->again = !gp->taken.finite && visited_has(&gp->taken, unit);
    return GANNET_PROPOSED;
}

const struct gannet_strategy gp_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "gp",
    .summary = "Gaussian process: learns from every trial where the next is worth most; for any space and up to "
               "thousands of trials",
    .options = options,
    .uses_history = true,
    .create = create_gp,
    .learn = learn_gp,
    .ask = ask_gp,
    .note = note_gp,
    .observe = observe_gp,
    .tell = tell_gp,
    .destroy = destroy_gp,
};
