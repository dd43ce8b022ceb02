/* Comparing contenders: what programs read; see comparison.h. */
#include "cli/view/comparison.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { CURVE_POINTS = 50 };

static json_t *real_or_null(double number)
{
    return isnan(number) ? json_null() : json_of_real(number);
}

static void add_standing(const struct compared_group *group, enum effort effort, double passed, json_t *out)
{
    struct standing_at at = comparison_standing(group, effort, passed);
    json_object_set_new(out, "median", real_or_null(at.median));
    json_object_set_new(out, "low", real_or_null(at.low));
    json_object_set_new(out, "high", real_or_null(at.high));
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
    json_t *list = json_array(), *efforts = json_array();
    for (size_t i = 0; i < compared->count; i++) {
        json_t *seeds = json_array();
        for (size_t j = 0; j < compared->items[i].count; j++)
            json_array_append_new(seeds, json_of_text(compared->items[i].experiments[j]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", json_of_text(compared->items[i].name),
                                              "experiments", seeds, "best", best_of(compared, &compared->items[i])));
    }
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        json_array_append_new(efforts, effort_of(compared, effort));
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "metric", json_of_text(metric->name), "goal",
                     metric->maximize ? "maximize" : "minimize", "test", "mann_whitney", "contenders", list, "efforts",
                     efforts);
}
