/* Fitting and teaching all processes; see model.h. */
#include "search/gp/model.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <float.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

enum {
    FIT_MOST = 300, /* points that a fit takes: one evaluation of the density is 5 ms for so many */
    WARP_LEAST = 4  /* trials for each coordinate before warps are fitted */
};

/* The variance of noise, in units of all values', above which losses may be noisy. What is fitted to a hundred losses
 * without noise is 2e-6, with it up to 0.5; before anything is known it is 0.0025. */
static const double least_noise = 0.0005;

void model_init(struct gp_model *model, const struct gannet_problem *problem, const struct gp_domain *domain,
                const struct model_settings *settings)
{
    *model = (struct gp_model){.problem = problem, .domain = domain, .settings = *settings};
    model->columns = problem->objectives + problem->limits + (settings->cost != SAMPLE_NO_COST);
    model->surrogates = MEM_ARRAY(struct surrogate, model->columns + 1);
    for (uint32_t c = 0; c <= model->columns; c++)
        surrogate_init(&model->surrogates[c], domain);
}

void model_fini(struct gp_model *model)
{
    for (uint32_t c = 0; model->surrogates && c <= model->columns; c++)
        surrogate_fini(&model->surrogates[c]);
    free(model->surrogates);
    prior_experiments_fini(&model->past);
    sample_fini(&model->aside);
}

void model_set_aside(struct gp_model *model, const struct history *history)
{
    sample_fini(&model->aside);
    uint32_t most = FIT_MOST - model_past_places(model, history);
    sample_init(&model->aside, history, model->problem, model->domain, model->settings.cost, most, NULL, NULL);
    model->fit_due = true;
}

/* --- what a process is taught --- */

/* Points with values, and extra noises when some have any. */
struct training_set {
    struct design points;
    double *values, *extra_noises;
    bool has_extra_noise;
};

static void training_set_fini(struct training_set *training_set)
{
    design_fini(&training_set->points);
    free(training_set->values);
    free(training_set->extra_noises);
}

static bool is_objective(const struct gp_model *model, uint32_t column)
{
    return column < model->problem->objectives;
}

/* Medians of the violations on one side of a limit: what lies farther from it is as far as that, so that a wild one
 * does not make all others, and with them the limit, too small to be seen. */
static const double far_away = 3;

/* What counts as far beyond the limit, or with -1 within it: three times the median of those on that side. */
static double far_from_limit(const double *values, uint32_t n, double side)
{
    double *sizes = MEM_ARRAY(double, n + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (side * values[i] > 0)
            sizes[count++] = side * values[i];
    gsl_sort(sizes, 1, count);
    double far = count ? far_away * fmin(sizes[count / 2], DBL_MAX / far_away) : 0;
    free(sizes);
    return far;
}

/* Violations keep their sign, 0 being the limit, but not their size: what is far beyond it is just that. Those that
 * happen to lie on the limit say nothing about sizes. */
static void squash(double *values, uint32_t n)
{
    double sum = 0, largest = 0, beyond = far_from_limit(values, n, 1), within = far_from_limit(values, n, -1);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = fmax(fmin(values[i], beyond), -within);
        largest = fmax(largest, fabs(values[i]));
    }
    for (uint32_t i = 0; i < n; i++)
        sum += log(fmax(fabs(values[i]), 1e-3 * largest)) / n;
    for (uint32_t i = 0; i < n && largest > 0; i++)
        values[i] = -asinh(values[i] / exp(sum));
}

/* The rows of a sample that say something about a column: of an objective failed ones too, if they count as bad. */
static void choose_rows(const struct gp_model *model, const struct trial_sample *sample, uint32_t column,
                        struct training_set *training_set)
{
    double *x = MEM_ARRAY(double, model->domain->width);
    for (uint32_t i = 0; i < sample->points.count; i++) {
        bool success = column == model->columns, bad = is_objective(model, column) && model->settings.failures_bad;
        double value = success ? (sample->failed[i] ? -1 : 1) : sample_column(sample, column)[i];
        if (!isfinite(value) && !(bad && sample->failed[i]))
            continue;
        design_get(&sample->points, i, x);
        training_set->values[training_set->points.count] = value;
        design_add(&training_set->points, x);
    }
    free(x);
}

/* The values of own trials, made fit for a process. */
static void prepare_values(struct gp_model *model, uint32_t column, double *values, uint32_t n)
{
    if (is_objective(model, column))
        (model->settings.transform ? transform : transform_plain)(values, n, values);
    else if (column < model->problem->objectives + model->problem->limits)
        squash(values, n);
    else if (column < model->columns)
        model->cost_scale = transform_standardize(values, n);
}

/* Of a single objective, trials of earlier experiments, and own ones behind them, so that what was learned of earlier
 * ones stays when own ones come. */
static void training_set_init(struct gp_model *model, const struct trial_sample *sample, uint32_t column,
                              struct training_set *training_set)
{
    uint32_t past = model_past_count(model, column);
    uint32_t capacity = sample->points.count + past + 1;
    *training_set = (struct training_set){.values = MEM_ARRAY(double, capacity),
                                          .extra_noises = MEM_ARRAY(double, capacity),
                                          .has_extra_noise = past > 0};
    design_init(&training_set->points, model->domain->width, capacity);
    if (past)
        prior_experiments_add(&model->past, &training_set->points, training_set->values, training_set->extra_noises);
    choose_rows(model, sample, column, training_set);
    prepare_values(model, column, training_set->values + past, training_set->points.count - past);
}

uint32_t model_past_count(const struct gp_model *model, uint32_t column)
{
    return column == 0 && model->problem->objectives == 1 ? prior_experiments_count(&model->past) : 0;
}

uint32_t model_past_places(const struct gp_model *model, const struct history *history)
{
    uint32_t count = model->problem->objectives == 1 ? history_past_count(history) : 0;
    return count < PAST_JOINING ? count : PAST_JOINING;
}

/* --- fits --- */

static void weigh_past(struct gp_model *model)
{
    if (!model->past.count)
        return;
    struct training_set training_set = {.values = MEM_ARRAY(double, model->aside.points.count + 1)};
    design_init(&training_set.points, model->domain->width, model->aside.points.count + 1);
    choose_rows(model, &model->aside, 0, &training_set);
    prepare_values(model, 0, training_set.values, training_set.points.count);
    prior_experiments_weigh(&model->past, &training_set.points, training_set.values);
    training_set_fini(&training_set);
}

static void fit_column(struct gp_model *model, uint32_t column)
{
    struct training_set training_set;
    training_set_init(model, &model->aside, column, &training_set);
    uint32_t n = training_set.points.count;
    bool warp = model->settings.warp && is_objective(model, column) && n >= WARP_LEAST * model->domain->width;
    if (n)
        surrogate_fit(&model->surrogates[column],
                      &(struct fit_data){model->domain, &training_set.points, training_set.values,
                                         training_set.has_extra_noise ? training_set.extra_noises : NULL, warp});
    training_set_fini(&training_set);
}

static void fit_all(struct gp_model *model, const struct history *history)
{
    const struct trial_sample *aside = &model->aside;
    if (!model->past.sources && history_past_count(history))
        prior_experiments_init(&model->past, model->domain, history);
    model->has_failures = false;
    for (uint32_t i = 0; i < aside->points.count; i++)
        model->has_failures = model->has_failures || aside->failed[i];
    weigh_past(model);
    for (uint32_t c = 0; c < model->columns; c++)
        fit_column(model, c);
    if (model->has_failures && model->settings.failures_chance)
        fit_column(model, model->columns);
    model->fit_due = false;
    model->fitted = true;
    sample_fini(&model->aside);
}

/* --- learning --- */

static void await_points(const struct trial_sample *sample, struct surrogate *surrogate, uint32_t count)
{
    double *x = MEM_ARRAY(double, sample->awaited.dimension + 1);
    for (uint32_t i = 0; i < count; i++) {
        design_get(&sample->awaited, i, x);
        surrogate_await(surrogate, x);
    }
    free(x);
}

static void learn_column(struct gp_model *model, const struct trial_sample *sample, uint32_t column)
{
    struct surrogate *surrogate = &model->surrogates[column];
    if (!surrogate->fitted)
        return;
    bool minded = is_objective(model, column) && model->settings.pending;
    uint32_t awaited = minded ? sample->awaited.count : 0;
    struct training_set training_set;
    training_set_init(model, sample, column, &training_set);
    surrogate_learn(surrogate, &training_set.points, training_set.values,
                    training_set.has_extra_noise ? training_set.extra_noises : NULL, awaited);
    await_points(sample, surrogate, awaited);
    training_set_fini(&training_set);
}

bool model_learn(struct gp_model *model, const struct history *history, const struct trial_sample *sample)
{
    if (model->fit_due)
        fit_all(model, history);
    for (uint32_t c = 0; model->fitted && c <= model->columns; c++)
        learn_column(model, sample, c);
    return model->fitted && model->surrogates[0].fitted;
}

bool model_may_be_noisy(const struct gp_model *model)
{
    for (uint32_t k = 0; k < model->problem->objectives; k++)
        if (model->surrogates[k].fitted && model->surrogates[k].covariance.noise > least_noise)
            return true;
    return false;
}
