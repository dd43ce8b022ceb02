/* CMA-ES for trials that end in any order: the covariance matrix adaptation evolution strategy, with a margin for
 * parameters that have levels, probabilities for choices, and restarts.
 *
 * It begins with uniform points, and with good ones of earlier experiments; the best of them becomes the mean of a
 * normal distribution. From then on proposals are draws from the distribution as it stands, and every lambda results,
 * in the order in which they are told and from whatever distribution they were drawn, are a generation, which it
 * learns. A parameter that a configuration leaves out keeps its draw, which then drifts without being selected; a value
 * of a choice that is left out says nothing.
 *
 * What was drawn for a trial is more than its configuration shows, since levels hide where in them a draw lies. It is
 * found again when the trial is noted: the distribution is then still that of the ask, and draws are a function of
 * (seed, trial, retry). */
#include "search/registry.h"
#include "search/simple/cmaes_choices.h"
#include "search/simple/cmaes_normal.h"
#include "search/history/record.h"
#include "search/history/revisit.h"
#include "search/history/ranking.h"
#include "common/map.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RETRIES = 64 };

enum { OPTION_POPULATION, OPTION_SIGMA, OPTION_STARTUP, OPTION_RESTARTS };
static const struct gannet_option options[] = {
    [OPTION_POPULATION] = {.name = "population",
                           .type = GANNET_INTEGER,
                           .min = 0,
                           .max = 10000,
                           .default_value = "0",
                           .help = "results that make a generation, 4 or more; 0: 4 + 3 ln(parameters)"},
    [OPTION_SIGMA] = {.name = "sigma",
                      .type = GANNET_NUMBER,
                      .min = 0.001,
                      .max = 1,
                      .default_value = "0.2",
                      .help = "the first step size, as a part of each parameter's range"},
    [OPTION_STARTUP] = {.name = "startup_trials",
                        .type = GANNET_INTEGER,
                        .min = 0,
                        .max = 1e6,
                        .default_value = "0",
                        .help = "uniform trials before the best of them is the first mean; 0: a generation's worth"},
    [OPTION_RESTARTS] = {.name = "restarts",
                         .type = GANNET_SWITCH,
                         .default_value = "true",
                         .help = "when nothing moves any more, begin anew elsewhere with twice the population"},
    {.name = NULL},
};

/* What was drawn for a trial. */
struct cmaes_draw {
    uint64_t trial;
    uint32_t era;          /* of the distribution it is from */
    struct record *record; /* as far as it is known; waits for its generation to be full */
    double *x;             /* n coordinates */
    double *index;         /* of the choices; -1: inactive */
    double numbers[];      /* both of these */
};

struct cmaes {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    uint32_t n, choice_count; /* coordinates of the normal distribution, and choices */
    uint32_t *coordinate;     /* of each, the choices behind the others: its parameter */
    uint64_t *values;         /* of each choice */
    uint32_t lambda;
    uint32_t era; /* 0: uniform points; then counts the restarts */
    struct normal normal;
    struct choices choices;
    struct revisit *revisit;     /* tried before uniform points */
    struct map samples;          /* trial -> struct cmaes_draw, until it is told or, if later, learned */
    struct cmaes_draw **waiting; /* of the generation that fills */
    uint32_t count;
    double *point;     /* room for a point */
    double start_loss; /* of the first mean */
    double last_loss;  /* of the best of the generation before */
    uint32_t still;    /* generations in a row that ended with the same loss */
};

/* --- making one --- */

/* Choices without an order go behind, the others to the normal distribution. */
static void sort_parameters(struct cmaes *cmaes)
{
    const struct gannet_space *space = cmaes->problem->space;
    cmaes->coordinate = MEM_ARRAY(uint32_t, space->count);
    cmaes->values = MEM_ARRAY(uint64_t, space->count);
    for (uint32_t i = 0; i < space->count; i++)
        if (space->params[i].kind != GANNET_CHOICE)
            cmaes->coordinate[cmaes->n++] = i;
    for (uint32_t i = 0; i < space->count; i++)
        if (space->params[i].kind == GANNET_CHOICE) {
            cmaes->values[cmaes->choice_count] = space->params[i].levels;
            cmaes->coordinate[cmaes->n + cmaes->choice_count++] = i;
        }
}

static void *create_cmaes(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                          size_t why_size)
{
    if (problem->objectives > 1) {
        snprintf(why, why_size, "it searches for one objective and there are %u; use evolution", problem->objectives);
        return NULL;
    }
    struct cmaes *cmaes = MEM_NEW(struct cmaes);
    cmaes->problem = problem;
    cmaes->host = host;
    sort_parameters(cmaes);
    double population = problem->options[OPTION_POPULATION].number;
    cmaes->lambda = population > 0 ? (uint32_t)fmax(population, 4) : 4 + (uint32_t)(3 * log(problem->space->count));
    cmaes->point = MEM_ARRAY(double, problem->space->count);
    cmaes->revisit = revisit_create(problem, host, cmaes->lambda / 2);
    return cmaes;
}

static void destroy_sample(struct cmaes_draw *sample)
{
    free(sample->record);
    free(sample);
}

static void destroy_cmaes(void *self)
{
    struct cmaes *cmaes = self;
    struct map_entry entry;
    for (size_t at = 0; map_next(&cmaes->samples, &at, &entry);)
        destroy_sample(entry.value);
    map_fini(&cmaes->samples);
    revisit_destroy(cmaes->revisit);
    normal_fini(&cmaes->normal);
    choices_fini(&cmaes->choices);
    free(cmaes->waiting);
    free(cmaes->coordinate);
    free(cmaes->values);
    free(cmaes->point);
    free(cmaes);
}

/* --- drawing --- */

/* The later retries reach further, since what lies near was refused. */
static void draw_step(const struct cmaes *cmaes, uint64_t trial, uint32_t retry, double *x, double *index)
{
    struct rng rng = rng_make(cmaes->problem->seed, "cmaes", rng_mix(trial, retry));
    bool uniform = cmaes->era == 0;
    if (!uniform)
        normal_draw(&cmaes->normal, &rng, x);
    for (uint32_t i = 0; i < cmaes->n; i++) {
        double mean = uniform ? 0 : cmaes->normal.mean[i], reach = 1 + retry / 8;
        double coordinate = uniform ? rng_unit(&rng) : mean + reach * (x[i] - mean);
        x[i] = fmin(fmax(coordinate, 0), 1);
    }
    if (!uniform && retry < 8)
        choices_draw(&cmaes->choices, &rng, index);
    else
        for (uint32_t c = 0; c < cmaes->choice_count; c++)
            index[c] = (double)rng_below(&rng, cmaes->values[c]);
}

/* The point that a draw stands for, not yet canonical. */
static void place_step(const struct cmaes *cmaes, const double *x, const double *index, double *unit)
{
    for (uint32_t i = 0; i < cmaes->n; i++)
        unit[cmaes->coordinate[i]] = x[i];
    for (uint32_t c = 0; c < cmaes->choice_count; c++) {
        uint32_t at = cmaes->coordinate[cmaes->n + c];
        unit[at] = cmaes->host->level(cmaes->host, at, (uint64_t)index[c]);
    }
}

static struct cmaes_draw *make_sample(const struct cmaes *cmaes, uint64_t trial)
{
    struct cmaes_draw *sample = mem_zero(1, sizeof *sample + cmaes->problem->space->count * sizeof *sample->numbers);
    sample->trial = trial;
    sample->era = cmaes->era;
    sample->x = sample->numbers;
    sample->index = sample->numbers + cmaes->n;
    return sample;
}

static enum gannet_answer ask_cmaes(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const struct cmaes *cmaes = self;
    if (cmaes->era == 0 && !ask->retry && revisit_next(cmaes->revisit, unit))
        return GANNET_PROPOSED;
    struct cmaes_draw *sample = make_sample(cmaes, ask->trial);
    draw_step(cmaes, ask->trial, ask->retry, sample->x, sample->index);
    place_step(cmaes, sample->x, sample->index, unit);
    destroy_sample(sample);
    return GANNET_PROPOSED;
}

static bool same_point(const double *a, const double *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return false;
    return true;
}

/* Of a point from elsewhere: where it lies; the mean for what is left out. */
static void read_point(const struct cmaes *cmaes, const double *unit, struct cmaes_draw *sample)
{
    for (uint32_t i = 0; i < cmaes->n; i++) {
        double coordinate = unit[cmaes->coordinate[i]];
        sample->x[i] = !isnan(coordinate) ? coordinate : cmaes->era ? cmaes->normal.mean[i] : .5;
    }
    for (uint32_t c = 0; c < cmaes->choice_count; c++) {
        uint32_t at = cmaes->coordinate[cmaes->n + c];
        sample->index[c] = isnan(unit[at]) ? -1 : cmaes->host->natural(cmaes->host, at, unit[at]);
    }
}

static void learn_cmaes(void *self, const struct gannet_past *past)
{
    revisit_learn(((struct cmaes *)self)->revisit, past);
}

static void note_cmaes(void *self, uint64_t trial, const double *unit)
{
    struct cmaes *cmaes = self;
    revisit_note(cmaes->revisit, unit);
    if (map_get(&cmaes->samples, trial))
        return;
    uint32_t count = cmaes->problem->space->count;
    struct cmaes_draw *sample = make_sample(cmaes, trial);
    bool found = false;
    for (uint32_t retry = 0; retry <= MOST_RETRIES && !found; retry++) {
        draw_step(cmaes, trial, retry, sample->x, sample->index);
        place_step(cmaes, sample->x, sample->index, cmaes->point);
        cmaes->host->snap(cmaes->host, cmaes->point);
        found = same_point(cmaes->point, unit, count);
    }
    if (!found)
        read_point(cmaes, unit, sample);
    for (uint32_t c = 0; c < cmaes->choice_count; c++)
        if (isnan(unit[cmaes->coordinate[cmaes->n + c]]))
            sample->index[c] = -1;
    map_put(&cmaes->samples, trial, sample);
}

/* --- learning --- */

/* Where a level begins: halfway from the middle of the one below; the first and the one behind the last, nowhere. */
static double level_edge(const struct cmaes *cmaes, uint32_t param, uint64_t level)
{
    const struct gannet_host *host = cmaes->host;
    if (level == 0 || level >= cmaes->problem->space->params[param].levels)
        return level ? INFINITY : -INFINITY;
    return (host->level(host, param, level - 1) + host->level(host, param, level)) / 2;
}

/* Every level that the mean is in can be left; see margin_keep. alpha is the paper's: one change in a generation
 * among all parameters. */
static void keep_margins(struct cmaes *cmaes)
{
    double alpha = 1.0 / ((double)cmaes->lambda * fmax(cmaes->n, 1));
    for (uint32_t i = 0; i < cmaes->n; i++) {
        uint32_t param = cmaes->coordinate[i];
        uint64_t low = 0, high = cmaes->problem->space->params[param].levels;
        while (high > low + 1) { /* level_edge(low) <= mean < level_edge(high) */
            uint64_t middle = low + (high - low) / 2;
            if (cmaes->normal.mean[i] >= level_edge(cmaes, param, middle))
                low = middle;
            else
                high = middle;
        }
        if (high)
            margin_keep(&cmaes->normal, i, level_edge(cmaes, param, low), level_edge(cmaes, param, low + 1), alpha);
    }
}

/* A new distribution around a point: x[n]. */
static void begin_era(struct cmaes *cmaes, const double *x)
{
    normal_fini(&cmaes->normal);
    choices_fini(&cmaes->choices);
    normal_init(&cmaes->normal, cmaes->n, cmaes->lambda, x, cmaes->problem->options[OPTION_SIGMA].number);
    choices_init(&cmaes->choices, cmaes->choice_count, cmaes->values);
    keep_margins(cmaes);
    cmaes->era++;
    cmaes->still = 0;
}

/* Elsewhere, with twice the population (Auger, Hansen: "A restart CMA evolution strategy with increasing population
 * size", CEC 2005). */
static void restart_elsewhere(struct cmaes *cmaes)
{
    struct rng rng = rng_make(cmaes->problem->seed, "cmaes restart", cmaes->era);
    double *x = MEM_ARRAY(double, cmaes->n);
    for (uint32_t i = 0; i < cmaes->n; i++)
        x[i] = rng_unit(&rng);
    cmaes->lambda = cmaes->lambda < 5000 ? 2 * cmaes->lambda : cmaes->lambda;
    begin_era(cmaes, x);
    free(x);
}

/* Whether the distribution has come to its end, or generations end with the same loss again and again. */
static bool is_stuck(struct cmaes *cmaes, const struct record *best)
{
    cmaes->still = best->loss == cmaes->last_loss ? cmaes->still + 1 : 0;
    cmaes->last_loss = best->loss;
    return normal_is_done(&cmaes->normal) || cmaes->still > 10 + 30 * cmaes->n / cmaes->lambda;
}

/* The mu best of the generation; the mean stands in for failed ones. False when all failed. */
static bool select_best(const struct cmaes *cmaes, const struct ranked *order, const double **x, const double **index)
{
    double *unknown = cmaes->point;
    for (uint32_t c = 0; c < cmaes->choice_count; c++)
        unknown[c] = -1;
    for (uint32_t k = 0; k < cmaes->normal.mu; k++) {
        const struct cmaes_draw *sample = cmaes->waiting[order[k].index];
        x[k] = sample->record->failed ? cmaes->normal.mean : sample->x;
        index[k] = sample->record->failed ? unknown : sample->index;
    }
    return !cmaes->waiting[order[0].index]->record->failed;
}

static void learn_generation(struct cmaes *cmaes, const struct ranked *order)
{
    const double **x = MEM_ARRAY(const double *, cmaes->normal.mu),
                 **index = MEM_ARRAY(const double *, cmaes->normal.mu);
    if (select_best(cmaes, order, x, index)) {
        normal_learn(&cmaes->normal, x);
        choices_learn(&cmaes->choices, &cmaes->normal, index);
        keep_margins(cmaes);
    }
    free(x);
    free(index);
}

static void end_generation(struct cmaes *cmaes)
{
    struct ranked *order = MEM_ARRAY(struct ranked, cmaes->count);
    const struct record **records = MEM_ARRAY(const struct record *, cmaes->count);
    for (uint32_t i = 0; i < cmaes->count; i++)
        records[i] = cmaes->waiting[i]->record;
    ranking_sort(records, cmaes->count, cmaes->problem, order);
    const struct cmaes_draw *best = cmaes->waiting[order[0].index];
    if (cmaes->era == 0 && !best->record->failed) {
        cmaes->start_loss = best->record->loss;
        begin_era(cmaes, best->x);
    } else if (cmaes->era > 0) {
        learn_generation(cmaes, order);
        if (is_stuck(cmaes, best->record) && cmaes->problem->options[OPTION_RESTARTS].number != 0)
            restart_elsewhere(cmaes);
    }
    for (uint32_t i = 0; i < cmaes->count; i++) {
        map_remove(&cmaes->samples, cmaes->waiting[i]->trial);
        destroy_sample(cmaes->waiting[i]);
    }
    cmaes->count = 0;
    free(order);
    free(records);
}

static uint32_t generation_size(const struct cmaes *cmaes)
{
    double startup = cmaes->problem->options[OPTION_STARTUP].number;
    return cmaes->era == 0 && startup > 0 ? (uint32_t)startup : cmaes->lambda;
}

/* Puts a trial's result into the generation, or a later one in its place. */
static void add_result(struct cmaes *cmaes, struct cmaes_draw *sample, const struct gannet_outcome_of_trial *outcome)
{
    bool waits = sample->record;
    free(sample->record);
    sample->record = record_create(cmaes->problem, outcome);
    if (waits)
        return;
    if (cmaes->count == 0)
        cmaes->waiting = mem_resize(cmaes->waiting, generation_size(cmaes), sizeof(struct cmaes_draw *));
    cmaes->waiting[cmaes->count++] = sample;
    if (cmaes->count == generation_size(cmaes))
        end_generation(cmaes);
}

/* Whether a trial's result counts: it was drawn from this distribution, or it is a uniform point that came late and is
 * better than all that the first mean was chosen from. */
static bool draw_counts(const struct cmaes *cmaes, const struct cmaes_draw *sample,
                        const struct gannet_outcome_of_trial *outcome)
{
    return sample->era == cmaes->era || (sample->era == 0 && outcome->loss < cmaes->start_loss);
}

static void observe_cmaes(void *self, const struct gannet_outcome_of_trial *so_far)
{
    struct cmaes *cmaes = self;
    struct cmaes_draw *sample = map_get(&cmaes->samples, so_far->trial);
    if (sample && draw_counts(cmaes, sample, so_far))
        add_result(cmaes, sample, so_far);
}

static void tell_cmaes(void *self, const struct gannet_outcome_of_trial *told)
{
    struct cmaes *cmaes = self;
    struct cmaes_draw *sample = map_get(&cmaes->samples, told->trial);
    if (!sample)
        return; /* a rung's result was learned */
    if (told->outcome != GANNET_VOID && draw_counts(cmaes, sample, told))
        add_result(cmaes, sample, told);
    else if (!sample->record) {
        map_remove(&cmaes->samples, told->trial);
        destroy_sample(sample);
    }
}

const struct gannet_strategy cmaes_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "cmaes",
    .summary = "evolution strategy that learns a normal distribution; for numbers, at 50 trials a parameter and more",
    .options = options,
    .uses_history = true,
    .create = create_cmaes,
    .learn = learn_cmaes,
    .ask = ask_cmaes,
    .note = note_cmaes,
    .observe = observe_cmaes,
    .tell = tell_cmaes,
    .destroy = destroy_cmaes,
};
