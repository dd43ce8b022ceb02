/* The best and the median value of an objective; see regret_scale.h. */
#include "cli/bench/regret_scale.h"
#include "cli/bench/stats.h"
#include "common/mem.h"
#include "search/searcher.h"
#include "common/test_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values found so far: of configurations that have one. */
struct scale_values {
    const struct regret_scale_setup *setup;
    double *items;
    size_t count, capacity;
};

static void add_value(struct scale_values *values, const char *text)
{
    json_t *params = json_loads(text, 0, NULL);
    double value = params ? values->setup->truth(values->setup->context, params) : NAN;
    if (isfinite(value)) {
        MEM_GROW(values->items, values->capacity, values->count + 1);
        values->items[values->count++] = value;
    }
    json_decref(params);
}

/* All configurations of a finite space. */
static void walk_space(struct scale_values *values)
{
    const struct space *space = values->setup->spec->space;
    double *unit = MEM_ARRAY(double, space_dimension(space) + 1);
    struct buf text = {0};
    space_first(space, unit);
    do {
        buf_clear(&text);
        space_json(space, unit, &text);
        if (space_allowed(space, unit))
            add_value(values, buf_str(&text));
    } while (space_next(space, unit));
    buf_fini(&text);
    free(unit);
}

/* The first proposals of random search, the same in every benchmark. -1 with a sentence. */
static int draw_configurations(struct scale_values *values, struct err *err)
{
    struct searcher_setup setup = {
        .space = values->setup->spec->space, .strategy = "random", .seed = 0, .repeat = true};
    struct searcher *searcher = searcher_create(&setup, err);
    enum searcher_answer answer = searcher ? SEARCHER_PROPOSED : SEARCHER_BROKEN;
    for (uint64_t trial = 1; trial <= SCALE_POINTS && answer == SEARCHER_PROPOSED; trial++) {
        struct proposal proposal = {0};
        answer = searcher_ask(searcher, trial, &proposal, err);
        if (answer != SEARCHER_PROPOSED)
            break;
        add_value(values, proposal.params);
        free(proposal.params);
        searcher_tell(searcher, trial, ENDING_CANCELLED, NAN, 0);
    }
    searcher_destroy(searcher);
    return answer == SEARCHER_BROKEN ? -1 : 0;
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

/* Whether all configurations can be looked at. */
static bool is_small(const struct spec *spec)
{
    return space_size(spec->space, NULL) <= (double)SCALE_MOST;
}

static int check_scale(const struct spec *spec, struct err *err)
{
    if (is_small(spec))
        return 0;
    if (strcmp(spec->trial.kernel, "table") == 0)
        return err_set(err,
                       "%s: the best of a table is known when all configurations can be looked up, at most %d; "
                       "give every parameter a list of values that are in the table",
                       spec->file, SCALE_MOST);
    if (spec->metric.maximize)
        return err_set(err, "%s: only the least value of a function is known; set metric.goal to minimize", spec->file);
    return 0;
}

static double best_of(const struct scale_values *values, bool maximize)
{
    double best = values->items[0];
    for (size_t i = 1; i < values->count; i++)
        if (maximize ? values->items[i] > best : values->items[i] < best)
            best = values->items[i];
    return best;
}

/* What follows from the values. -1 with a sentence. */
static int take_scale(struct scale_values *values, const struct spec *spec, double *optimum, double *median,
                      struct err *err)
{
    if (!values->count)
        return err_set(err, "%s: no configuration of this space has a value; `gannet run` says why", spec->file);
    *optimum = is_small(spec) ? best_of(values, spec->metric.maximize) : known_minimum(spec);
    *median = stats_median(values->items, values->count);
    if (*optimum == *median)
        return err_set(err, "%s: half of all configurations are as good as the best; there is nothing to search",
                       spec->file);
    return 0;
}

int regret_scale_find(const struct regret_scale_setup *setup, double *optimum, double *median, struct err *err)
{
    const struct spec *spec = setup->spec;
    struct scale_values values = {.setup = setup};
    int result = check_scale(spec, err);
    if (!result && is_small(spec))
        walk_space(&values);
    else if (!result)
        result = draw_configurations(&values, err);
    if (!result)
        result = take_scale(&values, spec, optimum, median, err);
    free(values.items);
    return result;
}
