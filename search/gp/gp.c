/* The strategy gp. */
#include "search/builtin.h"
#include "search/gp/hunt.h"
#include "search/gp/linalg.h"
#include "search/gp/sample.h"
#include "search/gp/surrogate.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIT_MOST = 300,   /* trials that theta is fitted to */
    MODEL_MOST = 500, /* trials that a posterior takes */
    PENDING_MOST = 200,
    ANCHORS = 5,
};

enum { OPTION_ACQUISITION, OPTION_WARP, OPTION_FAILURES, OPTION_INITIAL };
static const char *const acquisitions[] = {"auto", "improvement", "bound", NULL};
static const char *const failures[] = {"both", "bad", "chance", NULL};

static const struct gannet_option options[] = {
    [OPTION_ACQUISITION] = {.name = "acquisition",
                            .type = GANNET_WORD,
                            .words = acquisitions,
                            .preset = "auto",
                            .help = "auto: expected improvement, now and then a random bound"},
    [OPTION_WARP] = {.name = "warp",
                     .type = GANNET_SWITCH,
                     .preset = "false",
                     .help = "warp the inputs once there are trials enough"},
    [OPTION_FAILURES] = {.name = "failures",
                         .type = GANNET_WORD,
                         .words = failures,
                         .preset = "both",
                         .help = "how failed trials count: as bad ones, by the chance to succeed, or both"},
    [OPTION_INITIAL] = {.name = "initial",
                        .type = GANNET_INTEGER,
                        .min = 0,
                        .max = 10000,
                        .preset = "0",
                        .help = "trials before the model starts; 0: by the number of parameters"},
    {.name = NULL},
};

struct gp {
    const struct gannet_problem *problem;
    struct domain domain;
    struct history *history;
    struct set taken;
    void *sobol;
    struct surrogate objective, chance;
    struct sample aside; /* the trials of the last mark, until theta has been fitted to them */
    bool fit_due;
    uint64_t next_mark;
    uint32_t finished, failed;
};

static void destroy(void *self)
{
    struct gp *gp = self;
    sobol_strategy.destroy(gp->sobol);
    surrogate_fini(&gp->objective);
    surrogate_fini(&gp->chance);
    sample_fini(&gp->aside);
    history_destroy(gp->history);
    set_fini(&gp->taken);
    domain_fini(&gp->domain);
    free(gp);
}

static uint32_t initial(const struct gp *gp)
{
    uint32_t given = (uint32_t)gp->problem->options[OPTION_INITIAL].number, d = gp->domain.count + 1;
    return given ? given : d < 6 ? 6 : d > 12 ? 12 : d;
}

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    linalg_start();
    struct gp *gp = MEM_NEW(struct gp);
    gp->problem = problem;
    domain_init(&gp->domain, problem->space, host);
    gp->history = history_create(problem, 0);
    gp->sobol = sobol_strategy.create(problem, host, why, why_size);
    surrogate_init(&gp->objective, &gp->domain);
    surrogate_init(&gp->chance, &gp->domain);
    gp->next_mark = initial(gp);
    return gp;
}

static bool knows_enough(const struct gp *gp)
{
    return history_told(gp->history) >= initial(gp) && gp->finished > 1;
}

static void set_aside(struct gp *gp)
{
    uint64_t told = history_told(gp->history);
    sample_fini(&gp->aside);
    sample_init(&gp->aside, gp->history, gp->problem, &gp->domain, SAMPLE_NO_COST, FIT_MOST, NULL, NULL);
    gp->fit_due = true;
    gp->next_mark = told + 1 + (told > 20 ? told / 12 : 0);
}

static void note(void *self, uint64_t trial, const double *unit)
{
    struct gp *gp = self;
    if (!knows_enough(gp))
        sobol_strategy.note(gp->sobol, trial, unit);
    if (gp->domain.finite)
        set_add(&gp->taken, domain_hash(&gp->domain, unit));
    history_note(gp->history, trial, unit);
}

static void tell(void *self, const struct gannet_outcome_of_trial *told)
{
    struct gp *gp = self;
    gp->finished += told->outcome == GANNET_FINISHED;
    gp->failed += told->outcome == GANNET_FAILED;
    history_tell(gp->history, told);
    if (history_told(gp->history) >= gp->next_mark && gp->finished > 1)
        set_aside(gp);
}

/* Keeps rows: with failures or without. */
static uint32_t objective_rows(const struct gp *gp, const struct sample *sample, struct cloud *points, double *values)
{
    bool bad = gp->problem->options[OPTION_FAILURES].number != 2;
    double *x = MEM_ARRAY(double, gp->domain.count);
    cloud_init(points, gp->domain.count, sample->points.count + 1);
    for (uint32_t i = 0; i < sample->points.count; i++)
        if (!sample->failed[i] || bad) {
            cloud_get(&sample->points, i, x);
            values[points->count] = sample_column(sample, 0)[i];
            cloud_add(points, x);
        }
    transform(values, points->count, values);
    free(x);
    return points->count;
}

static void labels(const struct sample *sample, double *values)
{
    for (uint32_t i = 0; i < sample->points.count; i++)
        values[i] = sample->failed[i] ? -1 : 1;
}

static void fit_all(struct gp *gp)
{
    if (!gp->fit_due)
        return;
    double *values = MEM_ARRAY(double, gp->aside.points.count);
    struct cloud points;
    objective_rows(gp, &gp->aside, &points, values);
    bool warp = gp->problem->options[OPTION_WARP].number != 0 && points.count >= 4 * gp->domain.count;
    surrogate_fit(&gp->objective, &(struct fit_data){&gp->domain, &points, values, NULL, warp});
    cloud_fini(&points);
    if (gp->failed && gp->problem->options[OPTION_FAILURES].number != 1) {
        labels(&gp->aside, values);
        surrogate_fit(&gp->chance, &(struct fit_data){&gp->domain, &gp->aside.points, values, NULL, false});
    }
    free(values);
    gp->fit_due = false;
}

static int by_value(const void *a, const void *b, void *context)
{
    const uint32_t *i = a, *j = b;
    const double *v = context;
    return v[*i] != v[*j] ? (v[*i] < v[*j] ? -1 : 1) : (*i > *j) - (*i < *j);
}

static enum gannet_answer propose(struct gp *gp, const struct gannet_ask *ask, double *unit)
{
    fit_all(gp);
    uint32_t dimension = gp->domain.count;
    struct sample sample;
    sample_init(&sample, gp->history, gp->problem, &gp->domain, SAMPLE_NO_COST, MODEL_MOST, NULL, NULL);
    uint32_t n = sample.points.count;
    double *values = MEM_ARRAY(double, n), *mean = MEM_ARRAY(double, n), *rows = MEM_ARRAY(double, n *dimension),
           *x = MEM_ARRAY(double, dimension);
    struct cloud points;
    uint32_t count = objective_rows(gp, &sample, &points, values);
    uint32_t pending = history_pending_count(gp->history);
    if (pending > PENDING_MOST)
        pending = PENDING_MOST;
    surrogate_learn(&gp->objective, &points, values, NULL, pending);
    for (uint32_t i = 0; i < count; i++)
        cloud_get(&points, i, rows + i * dimension);
    posterior_predict(&gp->objective.posterior, rows, count, mean, NULL);
    uint32_t *order = MEM_ARRAY(uint32_t, count);
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
        if (mean[i] < best)
            best = mean[i];
    }
    qsort_r(order, count, sizeof *order, by_value, mean);
    double *anchors = MEM_ARRAY(double, (size_t)ANCHORS *dimension);
    uint32_t anchor_count = 0;
    for (uint32_t i = 0; i < count && anchor_count < ANCHORS; i++) {
        double *u = anchors + anchor_count * dimension;
        domain_unscale(&gp->domain, rows + order[i] * dimension, u);
        gp->domain.host->snap(gp->domain.host, u);
        anchor_count++;
    }
    uint32_t first = history_pending_count(gp->history) - pending;
    for (uint32_t i = 0; i < pending; i++) {
        domain_scale(&gp->domain, history_pending(gp->history, first + i)->unit, x);
        surrogate_await(&gp->objective, x);
    }
    bool chance = gp->chance.fitted;
    if (chance) {
        labels(&sample, values);
        surrogate_learn(&gp->chance, &sample.points, values, NULL, 0);
    }
    uint64_t state = ask->random;
    double draw = gannet_random(&state), kappa = 0.1 + 2.5 * gannet_random(&state);
    int kind = (int)gp->problem->options[OPTION_ACQUISITION].number;
    bool bound = kind == 2 || (kind == 0 && draw < 0.3);
    struct acquisition acquisition = {.kind = bound ? ACQUISITION_BOUND : ACQUISITION_IMPROVEMENT,
                                      .best = best,
                                      .kappa = kappa,
                                      .objective = &gp->objective.posterior,
                                      .chance = chance ? &gp->chance.posterior : NULL};
    struct hunt h = {&gp->domain, &acquisition, &gp->taken, anchors, anchor_count, n < 200 ? 500 : 300, 3, ask->random};
    bool found = hunt(&h, unit);
    free(order);
    free(anchors);
    free(values);
    free(mean);
    free(rows);
    free(x);
    cloud_fini(&points);
    sample_fini(&sample);
    if (!found)
        hunt_anywhere(&gp->domain, &gp->taken, ask->random, unit);
    return GANNET_PROPOSED;
}

static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    struct gp *gp = self;
    if (!knows_enough(gp))
        return sobol_strategy.ask(gp->sobol, ask, unit, why, why_size);
    uint64_t state = ask->random;
    if (ask->retry > 4 || gannet_random(&state) < 0.04) {
        hunt_anywhere(&gp->domain, &gp->taken, ask->random, unit);
        return GANNET_PROPOSED;
    }
    return propose(gp, ask, unit);
}

const struct gannet_strategy gp_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "gp",
    .summary = "Gaussian process: learns from every trial where the next is worth most; for any space and up to "
               "thousands of trials",
    .options = options,
    .uses_history = true,
    .create = create,
    .ask = ask,
    .note = note,
    .tell = tell,
    .destroy = destroy,
};
