/* Comparing contenders: what programs read; see rivalry.h. */
#include "cli/view/rivalry.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

enum { CURVE_POINTS = 50 };

static json_t *real_or_null(double number)
{
    return isnan(number) ? json_null() : json_of_real(number);
}

static void add_standing(const struct rival *rival, enum effort effort, double passed, json_t *out)
{
    struct standing_at at = rivalry_standing(rival, effort, passed);
    json_object_set_new(out, "median", real_or_null(at.median));
    json_object_set_new(out, "low", real_or_null(at.low));
    json_object_set_new(out, "high", real_or_null(at.high));
    json_object_set_new(out, "none", json_integer((json_int_t)at.none));
}

static json_t *curve_of(const struct rival *rival, enum effort effort, double last)
{
    json_t *curve = json_array();
    for (size_t i = 1; i <= CURVE_POINTS && last > 0; i++) {
        double passed = last * (double)i / CURVE_POINTS;
        json_t *point = json_pack("{s:o}", "at", json_of_real(passed));
        add_standing(rival, effort, passed, point);
        json_array_append_new(curve, point);
    }
    return curve;
}

static json_t *effort_of(const struct rivals *rivals, enum effort effort)
{
    double common = rivalry_common(rivals, effort);
    struct rank_sum *tests = MEM_ARRAY(struct rank_sum, rivals->count);
    size_t leader = rivalry_test(rivals, effort, common, tests);
    json_t *contenders = json_array(), *compared = json_array();
    for (size_t i = 0; i < rivals->count; i++) {
        json_t *one = json_pack("{s:o, s:o}", "name", json_of_text(rivals->items[i].name), "curve",
                                curve_of(&rivals->items[i], effort, common));
        add_standing(&rivals->items[i], effort, common, one);
        json_array_append_new(contenders, one);
        if (i != leader)
            json_array_append_new(
                compared, json_pack("{s:o, s:o, s:o, s:o, s:o}", "better", json_of_text(rivals->items[leader].name),
                                    "than", json_of_text(rivals->items[i].name), "share", json_of_real(tests[i].share),
                                    "p", json_of_real(tests[i].p), "least_p",
                                    json_of_real(fmin(1, tests[i].least * (double)(rivals->count - 1)))));
    }
    free(tests);
    return json_pack("{s:s, s:o, s:o, s:o}", "effort", effort_name(effort), "at", json_of_real(common), "contenders",
                     contenders, "compared", compared);
}

static json_t *best_of(const struct rivals *rivals, const struct rival *rival)
{
    size_t which = 0;
    const struct trial_data *best = rivalry_best_seed(rival, &which);
    json_t *names = rivalry_param_names(rivals), *params = json_object(), *unused;
    const char *name;
    if (!best) {
        json_decref(names);
        json_decref(params);
        return json_null();
    }
    json_object_foreach(names, name, unused)
    {
        json_t *value = rivalry_best_param(best, name);
        if (!json_is_null(value))
            json_object_set(params, name, value);
        json_decref(value);
    }
    json_decref(names);
    return json_pack("{s:o, s:o, s:o, s:o}", "experiment", json_of_text(rival->experiments[which]), "trial",
                     json_of_u64(best->trials[rivalry_best(best)->at].trial), "value",
                     json_of_real(rivalry_best(best)->value), "params", params);
}

json_t *rivalry_json(const struct rivals *rivals)
{
    const struct trial_metric *metric = &rivals->items[0].seeds[0].metrics[0];
    json_t *list = json_array(), *efforts = json_array();
    for (size_t i = 0; i < rivals->count; i++) {
        json_t *seeds = json_array();
        for (size_t j = 0; j < rivals->items[i].count; j++)
            json_array_append_new(seeds, json_of_text(rivals->items[i].experiments[j]));
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "name", json_of_text(rivals->items[i].name),
                                              "experiments", seeds, "best", best_of(rivals, &rivals->items[i])));
    }
    for (enum effort effort = 0; effort < EFFORTS; effort++)
        json_array_append_new(efforts, effort_of(rivals, effort));
    return json_pack("{s:o, s:s, s:s, s:o, s:o}", "metric", json_of_text(metric->name), "goal",
                     metric->maximize ? "maximize" : "minimize", "test", "mann_whitney", "contenders", list, "efforts",
                     efforts);
}
