/* One proposal; see propose.h.
 *
 * A history of up to MODEL_MOST trials is learned as a whole. Of a longer one, most proposals look at a region: the
 * trials around one of the best, in a box that holds them; the others look at the whole space with the best trials and
 * a spread of the rest. Either way a proposal costs the same however long the history is. (Regions: Eriksson et al.:
 * "Scalable global optimization via local Bayesian optimization", NeurIPS 2019; theirs grow and shrink with success,
 * ours by themselves as trials gather.) */
#include "search/gp/propose.h"
#include "search/history/ranking.h"
#include "search/pareto/chebyshev.h"
#include "search/pareto/ehvi.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODEL_MOST = 500,  /* trials that are learned as a whole; they come one by one, so a proposal costs 10 ms */
    REGION_MOST = 350, /* trials of a longer history that a proposal learns: all anew each time, 5 ms */
    AWAITED_MOST =
        64, /* trials that run and are minded: those nearest to a region; more cost time and were not seen to help */
    ANCHORS = 5,      /* good trials that the optimiser starts from */
    FEW_PENDING = 8,  /* so few that the hypervolume's improvement is worth its time */
    CANDIDATES = 500, /* with few trials; with many a prediction costs more, and there are fewer */
    CANDIDATES_MANY = 300,
    MANY_TRIALS = 200,
    ASCENTS = 3,
    MANY_RUNNING = 256, /* trials: 2,000 workers with trials of a minute ask every 30 ms, so an ask has one ascent */
    REGIONS = 8,        /* good trials that a region may lie around */
    FIRST_BY_PAST = 4   /* proposals that earlier experiments alone decide; of 8 no more are right after 30 trials */
};

static const double bound_share = 0.3;   /* of proposals that follow a bound rather than the improvement */
static const double most_kappa = 2.6;    /* of bounds, drawn evenly from 0.1 on */
static const double corner_reach = 0.01; /* around points in corners; see acquisition_score */
static const double region_share = 0.75; /* of proposals that look at a region, when the history is long */

/* What is known when a proposal is made. */
struct scene {
    const struct propose *propose;
    uint64_t state; /* of the random numbers */
    struct trial_sample sample;
    uint32_t n, objectives;
    double *rows;   /* n x W: the trials, at full depth */
    double *means;  /* n x K: what is believed of them */
    double *rating; /* n: means made one; infinite for what failed */
    bool *feasible; /* n: succeeded and keeps all limits */
    bool any_feasible;
    double *front; /* means of those that keep all limits, or, when none does, of all that succeeded */
    uint32_t front_count;
    double low[ACQUISITION_MOST], high[ACQUISITION_MOST]; /* of the front */
    double weights[ACQUISITION_MOST];
    enum surrogate_noise noise; /* of the losses; SURROGATE_EXACT: a point is not worth another trial */
    bool region;                /* around `centre` only */
    double *centre;             /* W */
};

static void scene_fini(struct scene *scene)
{
    sample_fini(&scene->sample);
    free(scene->rows);
    free(scene->means);
    free(scene->rating);
    free(scene->feasible);
    free(scene->front);
    free(scene->centre);
}

/* --- which trials --- */

/* A region's centre is one of the best trials, the best more often. */
static bool pick_centre(struct scene *scene)
{
    const struct propose *propose = scene->propose;
    struct ranked best[REGIONS];
    uint32_t count = ranking_best(propose->history, propose->model->problem, REGIONS, best);
    if (!count)
        return false;
    double draw = gannet_random(&scene->state);
    const struct record *chosen = history_record(propose->history, best[(uint32_t)(draw * draw * count)].index);
    domain_scale(propose->model->domain, chosen->unit, 1, scene->centre);
    return true;
}

static void take_sample(struct scene *scene)
{
    const struct propose *propose = scene->propose;
    struct gp_model *model = propose->model;
    uint32_t most = MODEL_MOST - model_past_places(model, propose->history);
    bool is_long = history_count(propose->history) > most;
    scene->centre = MEM_ARRAY(double, model->domain->width);
    scene->region =
        is_long && model->surrogates[0].fitted && gannet_random(&scene->state) < region_share && pick_centre(scene);
    sample_init(&scene->sample, propose->history, model->problem, model->domain, model->settings.cost,
                is_long ? REGION_MOST : most, scene->region ? scene->centre : NULL,
                model->surrogates[0].covariance.weight);
    sample_await(&scene->sample, propose->history, model->domain, AWAITED_MOST, scene->region ? scene->centre : NULL,
                 model->surrogates[0].covariance.weight);
    scene->n = scene->sample.points.count;
}

/* --- how good they are --- */

static void find_keeps(struct scene *scene)
{
    const struct gannet_problem *problem = scene->propose->model->problem;
    for (uint32_t i = 0; i < scene->n; i++) {
        scene->feasible[i] = !scene->sample.failed[i];
        for (uint32_t k = 0; k < problem->limits; k++)
            if (!(sample_column(&scene->sample, problem->objectives + k)[i] <= 0))
                scene->feasible[i] = false;
        scene->any_feasible = scene->any_feasible || scene->feasible[i];
    }
}

/* The means of all trials, so that noise does not make one the best; those that keep no limit are put last. */
static void fill_means(struct scene *scene)
{
    struct gp_model *model = scene->propose->model;
    uint32_t n = scene->n, width = model->domain->width, objectives = scene->objectives;
    double *column = MEM_ARRAY(double, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        design_get(&scene->sample.points, i, scene->rows + (size_t)i * width);
        if (model->domain->max_steps)
            scene->rows[(size_t)i * width + width - 1] = 1;
    }
    for (uint32_t k = 0; k < objectives; k++) {
        surrogate_means(&model->surrogates[k], model_past_count(model, k), scene->rows, n, column);
        for (uint32_t i = 0; i < n; i++)
            scene->means[(size_t)i * objectives + k] = column[i];
    }
    free(column);
}

/* Weights for this proposal, and the scale that they go by: of the front of what keeps all limits. */
static void scalarize(struct scene *scene)
{
    uint32_t objectives = scene->objectives, count = 0;
    for (uint32_t i = 0; i < scene->n; i++)
        if (scene->feasible[i] || (!scene->any_feasible && !scene->sample.failed[i]))
            memcpy(scene->front + (size_t)count++ * objectives, scene->means + (size_t)i * objectives,
                   objectives * sizeof(double));
    chebyshev_draw((uint64_t)(gannet_random(&scene->state) * 0x1p53), objectives, scene->weights);
    chebyshev_scale(scene->front, count, objectives, scene->low, scene->high);
    for (uint32_t i = 0; i < scene->n; i++) {
        const double *means = scene->means + (size_t)i * objectives;
        scene->rating[i] =
            objectives == 1 ? means[0] : chebyshev_loss(means, objectives, scene->weights, scene->low, scene->high);
        if (scene->sample.failed[i])
            scene->rating[i] = INFINITY;
        else if (scene->any_feasible && !scene->feasible[i])
            scene->rating[i] += 1e3;
    }
    scene->front_count = count;
}

/* --- what to look for --- */

/* The best of the own trials' means. While none of them has a loss, of those that earlier experiments had, but only for
 * the first that run: the others lie anywhere, since all is better than infinity, and show soon where this one differs.
 */
static double find_best(const struct scene *scene)
{
    const struct posterior *posterior = &scene->propose->model->surrogates[0].posterior;
    double best = INFINITY;
    for (uint32_t i = 0; i < scene->n; i++)
        best = fmin(best, scene->rating[i]);
    bool by_past = isinf(best) && history_pending_count(scene->propose->history) < FIRST_BY_PAST;
    for (uint32_t i = 0; by_past && i < posterior->known; i++)
        best = fmin(best, posterior_mean(posterior, i));
    return best;
}

/* The one loss: expected improvement over the best mean, now and then a bound. */
static void aim_single(struct scene *scene, struct acquisition *acquisition)
{
    enum propose_for aim = scene->propose->aim;
    double draw = gannet_random(&scene->state);
    bool bound = aim == PROPOSE_BOUND || (aim == PROPOSE_AUTO && draw < bound_share);
    acquisition->kind = bound ? ACQUISITION_BOUND : ACQUISITION_IMPROVEMENT;
    acquisition->weights[0] = 1;
    bool may_repeat = scene->noise == SURROGATE_NOISY || scene->noise == SURROGATE_UNKNOWN;
    acquisition->reach = may_repeat || scene->propose->taken->finite ? 0 : corner_reach;
    acquisition->best = find_best(scene);
}

/* Several: a bound for many at once, each with weights of its own; the hypervolume of two when few run. */
static void aim_several(struct scene *scene, struct acquisition *acquisition)
{
    bool few = history_pending_count(scene->propose->history) < FEW_PENDING;
    bool volume = scene->objectives == 2 && few && scene->propose->aim != PROPOSE_BOUND;
    acquisition->kind = volume ? ACQUISITION_VOLUME : ACQUISITION_BOUND;
    for (uint32_t k = 0; k < scene->objectives; k++) {
        acquisition->low[k] = scene->low[k];
        acquisition->weights[k] = scene->weights[k] / (scene->high[k] - scene->low[k]);
    }
    if (!volume)
        return;
    double corners[2];
    for (uint32_t k = 0; k < 2; k++)
        corners[k] = scene->high[k] + 0.1 * (scene->high[k] - scene->low[k]);
    memcpy(acquisition->reference, corners, sizeof corners);
    double *staircase = MEM_ARRAY(double, 2 * (size_t)scene->front_count + 2);
    acquisition->front_count = ehvi_front(scene->front, scene->front_count, corners, staircase);
    free(scene->front);
    acquisition->front = scene->front = staircase;
}

static void add_chances(struct gp_model *model, struct acquisition *acquisition)
{
    const struct gannet_problem *problem = model->problem;
    if (model_success(model)->fitted && model->has_failures) {
        acquisition->blur[0] = 0.1; /* values are -1 and 1: half way between, chances are even */
        acquisition->chance[acquisition->chances++] = &model_success(model)->posterior;
    }
    for (uint32_t k = 0; k < problem->limits && acquisition->chances < ACQUISITION_MOST; k++) {
        struct surrogate *limit = &model->surrogates[problem->objectives + k];
        if (!limit->fitted)
            continue;
        acquisition->blur[acquisition->chances] = 1e-4;
        acquisition->chance[acquisition->chances++] = &limit->posterior;
    }
}

static void set_acquisition(struct scene *scene, struct acquisition *acquisition)
{
    struct gp_model *model = scene->propose->model;
    acquisition->objectives = scene->objectives;
    acquisition->kappa = 0.1 + (most_kappa - 0.1) * gannet_random(&scene->state);
    for (uint32_t k = 0; k < scene->objectives; k++)
        acquisition->objective[k] = &model->surrogates[k].posterior;
    add_chances(model, acquisition);
    if (!scene->any_feasible && acquisition->chances && scene->n)
        acquisition->kind = ACQUISITION_FEASIBLE;
    else if (scene->objectives > 1)
        aim_several(scene, acquisition);
    else
        aim_single(scene, acquisition);
    const struct surrogate *cost = &model->surrogates[model->columns - 1];
    if (model->settings.cost != SAMPLE_NO_COST && cost->fitted) {
        acquisition->cost = &model->surrogates[model->columns - 1].posterior;
        acquisition->cost_scale = model->cost_scale;
    }
}

/* --- where --- */

static int compare_ratings(const void *a, const void *b, void *context)
{
    const uint32_t *x = a, *y = b;
    const double *rating = context;
    if (rating[*x] != rating[*y])
        return rating[*x] < rating[*y] ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* Canonical points of the best trials; returns how many. */
static uint32_t find_anchors(const struct scene *scene, double *anchors)
{
    const struct gp_domain *domain = scene->propose->model->domain;
    uint32_t *order = MEM_ARRAY(uint32_t, scene->n + 1), count = 0;
    for (uint32_t i = 0; i < scene->n; i++)
        order[i] = i;
    qsort_r(order, scene->n, sizeof *order, compare_ratings, scene->rating);
    for (uint32_t i = 0; i < scene->n && count < ANCHORS && scene->rating[order[i]] < INFINITY; i++, count++) {
        double *unit = anchors + (size_t)count * domain->count;
        domain_unscale(domain, scene->rows + (size_t)order[i] * domain->width, unit);
        domain->host->snap(domain->host, unit);
    }
    free(order);
    return count;
}

/* The box around the trials of a region, numbers only: it holds all that the model can judge. */
static void find_box(const struct scene *scene, double *low, double *high)
{
    const struct gp_domain *domain = scene->propose->model->domain;
    for (uint32_t d = 0; d < domain->count; d++) {
        low[d] = 0;
        high[d] = 1;
        if (!scene->region || domain->axes[d].nominal || isnan(scene->centre[d]))
            continue;
        double square = 0;
        for (uint32_t i = 0; i < scene->n; i++)
            square += covariance_square(&domain->axes[d], scene->centre[d], scene->rows[(size_t)i * domain->width + d]);
        double reach = sqrt(square / scene->n);
        low[d] = fmax(0, scene->centre[d] - reach);
        high[d] = fmin(1, scene->centre[d] + reach);
    }
}

/* Noise makes another trial at the same point worth something; in a finite space there is none all the same. Only own
 * trials show it: those of earlier experiments differ at the same points by what the experiments differ in. */
static enum surrogate_noise find_noise(const struct scene *scene)
{
    const struct propose *propose = scene->propose;
    if (propose->taken->finite || !model_may_be_noisy(propose->model))
        return SURROGATE_EXACT;
    return surrogate_noise(&propose->model->surrogates[0], model_past_count(propose->model, 0));
}

static bool search_around(struct scene *scene, const struct acquisition *acquisition, double *unit)
{
    const struct propose *propose = scene->propose;
    const struct gp_domain *domain = propose->model->domain;
    double *anchors = MEM_ARRAY(double, (size_t)(ANCHORS + 2) * domain->count);
    double *low = anchors + (size_t)ANCHORS * domain->count, *high = low + domain->count;
    find_box(scene, low, high);
    struct optimiser settings = {.domain = domain,
                                 .acquisition = acquisition,
                                 .taken = scene->noise == SURROGATE_NOISY ? NULL : propose->taken,
                                 .beside = scene->noise == SURROGATE_UNKNOWN,
                                 .anchors = anchors,
                                 .anchor_count = find_anchors(scene, anchors),
                                 .low = low,
                                 .high = high,
                                 .local = scene->region,
                                 .candidates = scene->n < MANY_TRIALS ? CANDIDATES : CANDIDATES_MANY,
                                 .ascents = history_pending_count(propose->history) > MANY_RUNNING ? 1 : ASCENTS,
                                 .random = propose->random};
    bool found = optimiser_run(&settings, unit);
    free(anchors);
    return found;
}

bool propose(const struct propose *propose, double *unit)
{
    struct gp_model *model = propose->model;
    struct scene scene = {
        .propose = propose, .state = rng_mix(propose->random, 1), .objectives = model->problem->objectives};
    take_sample(&scene);
    bool found = model_learn(model, propose->history, &scene.sample);
    if (found) {
        scene.noise = find_noise(&scene);
        uint32_t n = scene.n + 1;
        scene.rows = MEM_ARRAY(double, (size_t)n * model->domain->width);
        scene.means = MEM_ARRAY(double, (size_t)n *scene.objectives);
        scene.rating = MEM_ARRAY(double, n);
        scene.feasible = MEM_ARRAY(bool, n);
        scene.front = MEM_ARRAY(double, (size_t)n *scene.objectives);
        find_keeps(&scene);
        fill_means(&scene);
        scalarize(&scene);
        struct acquisition acquisition = {0};
        set_acquisition(&scene, &acquisition);
        found = search_around(&scene, &acquisition, unit);
    }
    scene_fini(&scene);
    return found;
}
