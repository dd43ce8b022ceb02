/* Comparing contenders: the numbers; see comparison.h. */
#include "cli/view/comparison.h"
#include "cli/bench/stats.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct effort_row {
    const char *name, *unit;
    size_t offset;
} efforts[EFFORTS] = {[EFFORT_TRIALS] = {"trials", "trials", offsetof(struct progress_place, trials)},
                      [EFFORT_SECONDS] = {"time", "of time", offsetof(struct progress_place, seconds)},
                      [EFFORT_CORES] = {"cores", "of one core", offsetof(struct progress_place, core_seconds)}};

static const char *effort_name(enum effort effort)
{
    return efforts[effort].name;
}

enum effort effort_named(const char *name)
{
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        if (strcmp(efforts[effort].name, name) == 0)
            return effort;
    return EFFORT_TRIALS;
}

const char *comparison_show_effort(enum effort effort, double passed, char *out, size_t size)
{
    char text[32];
    if (effort == EFFORT_TRIALS)
        snprintf(out, size, "%.0f trial%s", passed, passed == 1 ? "" : "s");
    else
        snprintf(out, size, "%s %s", units_show_duration(passed, text, sizeof text), efforts[effort].unit);
    return out;
}

/* --- numbers --- */

double comparison_common(const struct compared *compared, enum effort effort)
{
    double common = INFINITY;
    for (size_t i = 0; i < compared->count; i++)
        for (size_t j = 0; j < compared->items[i].count; j++)
            common = fmin(common, trial_data_passed(&compared->items[i].seeds[j].last, efforts[effort].offset));
    return isfinite(common) ? common : 0;
}

/* The best so far of each seed as losses: a seed without a value is worse than all. free() them. */
static double *losses_at(const struct compared_group *group, enum effort effort, double passed)
{
    double *losses = MEM_ARRAY(double, group->count + 1);
    for (size_t i = 0; i < group->count; i++) {
        double value = trial_data_best_at(&group->seeds[i], efforts[effort].offset, passed);
        losses[i] = isnan(value) ? INFINITY : group->seeds[i].metrics[0].maximize ? -value : value;
    }
    return losses;
}

static double value_of(double loss, bool maximize)
{
    return isinf(loss) && loss > 0 ? NAN : maximize ? -loss : loss;
}

struct standing_at comparison_standing(const struct compared_group *group, enum effort effort, double passed)
{
    double *losses = losses_at(group, effort, passed);
    bool maximize = group->seeds[0].metrics[0].maximize;
    struct standing_at standing = {0};
    for (size_t i = 0; i < group->count; i++)
        standing.none += isinf(losses[i]) && losses[i] > 0;
    standing.low = value_of(stats_quantile(losses, group->count, 0.25), maximize);
    standing.median = value_of(stats_median(losses, group->count), maximize);
    standing.high = value_of(stats_quantile(losses, group->count, 0.75), maximize);
    free(losses);
    return standing;
}

/* Whether these losses are ahead of others: by the better median, of equal ones in more of the pairs. */
static bool is_ahead(double *losses, size_t count, double *others, size_t other_count)
{
    double median = stats_median(losses, count), other = stats_median(others, other_count);
    return median < other || (median == other && rank_sum_test(losses, count, others, other_count).share > 0.5);
}

/* The leader at an effort; the first of those that are level. */
static size_t find_leader(const struct compared *compared, enum effort effort, double passed)
{
    size_t leader = 0;
    double *best = losses_at(&compared->items[0], effort, passed);
    for (size_t i = 1; i < compared->count; i++) {
        double *losses = losses_at(&compared->items[i], effort, passed);
        bool ahead = is_ahead(losses, compared->items[i].count, best, compared->items[leader].count);
        free(ahead ? best : losses);
        best = ahead ? losses : best;
        leader = ahead ? i : leader;
    }
    free(best);
    return leader;
}

size_t comparison_test(const struct compared *compared, enum effort effort, double passed, struct rank_sum *tests)
{
    size_t leader = find_leader(compared, effort, passed), count = 0;
    double *ahead = losses_at(&compared->items[leader], effort, passed);
    double *p = MEM_ARRAY(double, compared->count);
    for (size_t i = 0; i < compared->count; i++) {
        double *behind = losses_at(&compared->items[i], effort, passed);
        tests[i] = rank_sum_test(ahead, compared->items[leader].count, behind, compared->items[i].count);
        if (i != leader)
            p[count++] = tests[i].p;
        free(behind);
    }
    rank_sum_holm(p, count);
    for (size_t i = compared->count; i-- > 0;)
        if (i != leader)
            tests[i].p = p[--count];
    free(ahead);
    free(p);
    return leader;
}

/* --- the bests --- */

const struct trial_data *comparison_best_seed(const struct compared_group *group, size_t *which)
{
    const struct trial_data *best = NULL;
    for (size_t i = 0; i < group->count; i++) {
        const struct trial_data *seed = &group->seeds[i];
        if (seed->best_count && (!best || trial_data_is_better(seed, seed->best[seed->best_count - 1].value,
                                                               best->best[best->best_count - 1].value))) {
            best = seed;
            *which = i;
        }
    }
    return best;
}

const struct best_point *comparison_best(const struct trial_data *data)
{
    return &data->best[data->best_count - 1];
}

json_t *comparison_best_param(const struct trial_data *data, const char *name)
{
    for (size_t i = 0; data && i < data->param_count; i++) {
        const struct trial_param *param = &data->params[i];
        double value = param->values[comparison_best(data)->at];
        if (strcmp(param->name, name) != 0 || isnan(value))
            continue;
        if (param->level_count)
            return json_of_text((size_t)value < param->level_count ? param->levels[(size_t)value] : "?");
        return param->whole ? json_integer((json_int_t)value) : json_of_real(value);
    }
    return json_null();
}

json_t *comparison_param_names(const struct compared *compared)
{
    json_t *names = json_object();
    for (size_t i = 0; i < compared->count; i++)
        for (size_t j = 0; j < compared->items[i].seeds[0].param_count; j++)
            json_object_set_new(names, compared->items[i].seeds[0].params[j].name, json_true());
    return names;
}

enum { CURVE_POINTS = 50 };

static void add_standing(const struct compared_group *group, enum effort effort, double passed, json_t *out)
{
    struct standing_at at = comparison_standing(group, effort, passed);
    json_object_set_new(out, "median", json_of_known(at.median));
    json_object_set_new(out, "low", json_of_known(at.low));
    json_object_set_new(out, "high", json_of_known(at.high));
    json_object_set_new(out, "none", json_integer((json_int_t)at.none));
}

static json_t *curve_of(const struct compared_group *group, enum effort effort, double last)
{
    json_t *curve = json_array();
    for (size_t i = 1; i <= CURVE_POINTS && last > 0; i++) {
        double passed = last * (double)i / CURVE_POINTS;
        json_t *point = json_pack("{s:o}", "at", json_of_real(passed));
        add_standing(group, effort, passed, point);
        json_array_append_new(curve, point);
    }
    return curve;
}

static json_t *effort_of(const struct compared *compared, enum effort effort)
{
    double common = comparison_common(compared, effort);
    struct rank_sum *tests = MEM_ARRAY(struct rank_sum, compared->count);
    size_t leader = comparison_test(compared, effort, common, tests);
    json_t *contenders = json_array(), *tests_made = json_array();
    for (size_t i = 0; i < compared->count; i++) {
        json_t *one = json_pack("{s:o, s:o}", "name", json_of_text(compared->items[i].name), "curve",
                                curve_of(&compared->items[i], effort, common));
        add_standing(&compared->items[i], effort, common, one);
        json_array_append_new(contenders, one);
        if (i != leader)
            json_array_append_new(
                tests_made, json_pack("{s:o, s:o, s:o, s:o, s:o}", "better", json_of_text(compared->items[leader].name),
                                      "than", json_of_text(compared->items[i].name), "share",
                                      json_of_real(tests[i].share), "p", json_of_real(tests[i].p), "least_p",
                                      json_of_real(fmin(1, tests[i].least * (double)(compared->count - 1)))));
    }
    free(tests);
    return json_pack("{s:s, s:o, s:o, s:o}", "effort", effort_name(effort), "at", json_of_real(common), "contenders",
                     contenders, "compared", tests_made);
}

static json_t *best_of(const struct compared *compared, const struct compared_group *group)
{
    size_t which = 0;
    const struct trial_data *best = comparison_best_seed(group, &which);
    json_t *names = comparison_param_names(compared), *params = json_object(), *unused;
    const char *name;
    if (!best) {
        json_decref(names);
        json_decref(params);
        return json_null();
    }
    json_object_foreach(names, name, unused)
    {
        json_t *value = comparison_best_param(best, name);
        if (!json_is_null(value))
            json_object_set(params, name, value);
        json_decref(value);
    }
    json_decref(names);
    return json_pack("{s:o, s:o, s:o, s:o}", "experiment", json_of_text(group->experiments[which]), "trial",
                     json_of_u64(best->trials[comparison_best(best)->at].trial), "value",
                     json_of_real(comparison_best(best)->value), "params", params);
}

json_t *comparison_json(const struct compared *compared)
{
    const struct trial_metric *metric = &compared->items[0].seeds[0].metrics[0];
    json_t *list = json_array(), *over = json_array();
    for (size_t i = 0; i < compared->count; i++) {
        json_t *seeds = json_array();
        for (size_t j = 0; j < compared->items[i].count; j++)
            json_array_append_new(seeds, json_of_text(compared->items[i].experiments[j]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", json_of_text(compared->items[i].name),
                                              "experiments", seeds, "best", best_of(compared, &compared->items[i])));
    }
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        json_array_append_new(over, effort_of(compared, effort));
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "metric", json_of_text(metric->name), "goal",
                     metric->maximize ? "maximize" : "minimize", "test", "mann_whitney", "contenders", list, "efforts",
                     over);
}
