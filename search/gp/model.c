/* Fitting and teaching all processes; see model.h. */
#include "search/gp/model.h"
#include "search/gp/transform.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    FIT_MOST = 300, /* trials that a fit takes: one evaluation of the density is 5 ms for so many */
    WARP_LEAST = 4  /* trials for each coordinate before warps are fitted */
};

void model_init(struct model *model, const struct gannet_problem *problem, const struct domain *domain,
                const struct model_settings *settings)
{
    *model = (struct model){.problem = problem, .domain = domain, .settings = *settings};
    model->columns = problem->objectives + problem->limits + (settings->cost != SAMPLE_NO_COST);
    model->surrogates = MEM_ARRAY(struct surrogate, model->columns + 1);
    for (uint32_t c = 0; c <= model->columns; c++)
        surrogate_init(&model->surrogates[c], domain);
}

void model_fini(struct model *model)
{
    for (uint32_t c = 0; model->surrogates && c <= model->columns; c++)
        surrogate_fini(&model->surrogates[c]);
    free(model->surrogates);
    past_fini(&model->past);
    sample_fini(&model->aside);
}

void model_set_aside(struct model *model, const struct history *history)
{
    sample_fini(&model->aside);
    sample_init(&model->aside, history, model->problem, model->domain, model->settings.cost, FIT_MOST, NULL, NULL);
    model->fit_due = true;
}

/* --- what a process is taught --- */

/* Points with values, and doubts when some have any. */
struct lesson {
    struct cloud points;
    double *values, *doubts;
    bool doubtful;
};

static void lesson_fini(struct lesson *lesson)
{
    cloud_fini(&lesson->points);
    free(lesson->values);
    free(lesson->doubts);
}

static bool is_objective(const struct model *model, uint32_t column)
{
    return column < model->problem->objectives;
}

/* Excesses keep their sign, 0 being the limit, but not their size: what is far beyond it is just that. Those that
 * happen to lie on the limit say nothing about sizes. */
static void squash(double *values, uint32_t n)
{
    double sum = 0, largest = 0;
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(values[i]));
    for (uint32_t i = 0; i < n; i++)
        sum += log(fmax(fabs(values[i]), 1e-3 * largest)) / n;
    for (uint32_t i = 0; i < n && largest > 0; i++)
        values[i] = -asinh(values[i] / exp(sum));
}

/* Around 0; returns what 1 was. */
static double standardize(double *values, uint32_t n)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += values[i] / n;
    for (uint32_t i = 0; i < n; i++)
        squares += (values[i] - sum) * (values[i] - sum) / n;
    double scale = squares > 1e-12 ? sqrt(squares) : 1;
    for (uint32_t i = 0; i < n; i++)
        values[i] = (values[i] - sum) / scale;
    return scale;
}

/* The rows of a sample that say something about a column: of an objective failed ones too, if they count as bad. */
static void choose_rows(const struct model *model, const struct sample *sample, uint32_t column, struct lesson *lesson)
{
    double *x = MEM_ARRAY(double, model->domain->width);
    for (uint32_t i = 0; i < sample->points.count; i++) {
        bool success = column == model->columns, bad = is_objective(model, column) && model->settings.failures_bad;
        double value = success ? (sample->failed[i] ? -1 : 1) : sample_column(sample, column)[i];
        if (!isfinite(value) && !(bad && sample->failed[i]))
            continue;
        cloud_get(&sample->points, i, x);
        lesson->values[lesson->points.count] = value;
        cloud_add(&lesson->points, x);
    }
    free(x);
}

/* The values of own trials, made fit for a process. */
static void prepare(struct model *model, uint32_t column, struct lesson *lesson)
{
    uint32_t n = lesson->points.count;
    if (is_objective(model, column))
        (model->settings.transform ? transform : transform_plain)(lesson->values, n, lesson->values);
    else if (column < model->problem->objectives + model->problem->limits)
        squash(lesson->values, n);
    else if (column < model->columns)
        model->cost_scale = standardize(lesson->values, n);
}

/* Own trials and behind them, of a single objective, those of earlier experiments. */
static void lesson_init(struct model *model, const struct sample *sample, uint32_t column, struct lesson *lesson)
{
    bool first = column == 0 && model->problem->objectives == 1;
    uint32_t room = sample->points.count + (first ? past_count(&model->past) : 0) + 1;
    *lesson = (struct lesson){.values = MEM_ARRAY(double, room), .doubts = MEM_ARRAY(double, room)};
    cloud_init(&lesson->points, model->domain->width, room);
    choose_rows(model, sample, column, lesson);
    prepare(model, column, lesson);
    if (first && past_count(&model->past)) {
        past_add(&model->past, &lesson->points, lesson->values, lesson->doubts);
        lesson->doubtful = true;
    }
}

/* --- fits --- */

static void weigh_past(struct model *model)
{
    if (!model->past.count)
        return;
    struct lesson lesson = {.values = MEM_ARRAY(double, model->aside.points.count + 1)};
    cloud_init(&lesson.points, model->domain->width, model->aside.points.count + 1);
    choose_rows(model, &model->aside, 0, &lesson);
    prepare(model, 0, &lesson);
    past_weigh(&model->past, &lesson.points, lesson.values);
    lesson_fini(&lesson);
}

static void fit_column(struct model *model, uint32_t column)
{
    struct lesson lesson;
    lesson_init(model, &model->aside, column, &lesson);
    uint32_t n = lesson.points.count;
    bool warp = model->settings.warp && is_objective(model, column) && n >= WARP_LEAST * model->domain->width;
    if (n)
        surrogate_fit(&model->surrogates[column], &(struct fit_data){model->domain, &lesson.points, lesson.values,
                                                                     lesson.doubtful ? lesson.doubts : NULL, warp});
    lesson_fini(&lesson);
}

static void fit_all(struct model *model, const struct history *history)
{
    const struct sample *aside = &model->aside;
    if (!model->past.sources && history_past_count(history))
        past_init(&model->past, model->domain, history);
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

static void await(const struct sample *sample, struct surrogate *surrogate, uint32_t count)
{
    double *x = MEM_ARRAY(double, sample->awaited.dimension + 1);
    for (uint32_t i = 0; i < count; i++) {
        cloud_get(&sample->awaited, i, x);
        surrogate_await(surrogate, x);
    }
    free(x);
}

static void learn_column(struct model *model, const struct sample *sample, uint32_t column)
{
    struct surrogate *surrogate = &model->surrogates[column];
    if (!surrogate->fitted)
        return;
    bool minded = is_objective(model, column) && model->settings.pending;
    uint32_t awaited = minded ? sample->awaited.count : 0;
    struct lesson lesson;
    lesson_init(model, sample, column, &lesson);
    surrogate_learn(surrogate, &lesson.points, lesson.values, lesson.doubtful ? lesson.doubts : NULL, awaited);
    await(sample, surrogate, awaited);
    lesson_fini(&lesson);
}

bool model_learn(struct model *model, const struct history *history, const struct sample *sample)
{
    if (model->fit_due)
        fit_all(model, history);
    for (uint32_t c = 0; model->fitted && c <= model->columns; c++)
        learn_column(model, sample, c);
    return model->fitted && model->surrogates[0].fitted;
}
