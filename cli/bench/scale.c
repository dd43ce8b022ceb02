/* The best and the median value of an objective; see scale.h. */
#include "cli/bench/scale.h"
#include "cli/bench/stats.h"
#include "common/mem.h"
#include "common/rng.h"
#include "worker/kernels/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values found so far: of configurations that have one. */
struct values {
    double *items;
    size_t count, room;
};

static void add_value(struct values *values, struct objective *objective, const double *unit)
{
    const struct space *space = objective_spec(objective)->space;
    if (!space_allowed(space, unit))
        return;
    struct buf text = {0};
    space_json(space, unit, &text);
    json_t *params = json_loads(buf_str(&text), 0, NULL);
    double value = params ? objective_truth(objective, params) : NAN;
    if (isfinite(value)) {
        MEM_GROW(values->items, values->room, values->count + 1);
        values->items[values->count++] = value;
    }
    json_decref(params);
    buf_fini(&text);
}

/* All configurations of a finite space. */
static void walk(struct values *values, struct objective *objective, double *unit)
{
    const struct space *space = objective_spec(objective)->space;
    space_first(space, unit);
    do
        add_value(values, objective, unit);
    while (space_next(space, unit));
}

/* Random points of the space, the same in every benchmark. */
static void draw(struct values *values, struct objective *objective, double *unit)
{
    const struct space *space = objective_spec(objective)->space;
    for (uint64_t i = 0; i < OBJECTIVE_POINTS; i++) {
        struct rng rng = rng_make(0, "median", i);
        for (uint32_t c = 0; c < space_dimension(space); c++)
            unit[c] = rng_unit(&rng);
        space_snap(space, unit);
        add_value(values, objective, unit);
    }
}

/* The least value of the function of a synth experiment in as many dimensions as the space has parameters. */
static double known_minimum(const struct spec *spec)
{
    const char *name = json_string_value(json_object_get(spec->trial.options, "function"));
    const struct function *function = function_find(name ? name : "branin");
    size_t d = space_count(spec->space);
    double *x = MEM_ARRAY(double, d);
    double minimum = function_minimum(function, d, x);
    free(x);
    return minimum;
}

static int check(const struct spec *spec, bool table, struct err *err)
{
    if (!table && spec->metric.maximize)
        return err_set(err, "%s: only the least value of a function is known; set metric.goal to minimize", spec->file);
    double size = space_size(spec->space, NULL);
    if (!table || size <= SCALE_MOST)
        return 0;
    return err_set(err,
                   "%s: the best of a table is known when all its configurations can be looked up, at most %d; "
                   "give every parameter a list of values that are in the table",
                   spec->file, SCALE_MOST);
}

static double least_or_most(const struct values *values, bool most)
{
    double best = values->items[0];
    for (size_t i = 1; i < values->count; i++)
        if (most ? values->items[i] > best : values->items[i] < best)
            best = values->items[i];
    return best;
}

int scale_find(struct objective *objective, double *optimum, double *median, struct err *err)
{
    const struct spec *spec = objective_spec(objective);
    bool table = strcmp(spec->trial.kernel, "table") == 0;
    if (check(spec, table, err))
        return -1;
    struct values values = {0};
    double *unit = MEM_ARRAY(double, space_dimension(spec->space) + 1);
    if (table)
        walk(&values, objective, unit);
    else
        draw(&values, objective, unit);
    free(unit);
    if (values.count) {
        *optimum = table ? least_or_most(&values, spec->metric.maximize) : known_minimum(spec);
        *median = stats_median(values.items, values.count);
    }
    size_t count = values.count;
    free(values.items);
    if (!count)
        return err_set(err, "%s: no configuration of this space has a value; `gannet run` says why", spec->file);
    if (*optimum == *median)
        return err_set(err, "%s: half of all configurations are as good as the best; there is nothing to search",
                       spec->file);
    return 0;
}
