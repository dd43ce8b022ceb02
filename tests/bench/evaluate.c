/* The objective of an experiment file for programs of other languages, computed by the kernels themselves, so that
 * every tool that is compared with gannet sees the same values (docs/bench.md):
 *
 *     evaluate FILE            answers each line of its input with a line:
 *         {"seed": 1, "trial": 3, "params": {"x1": 0.5}}  ->  {"value": 2.5, "true": 2.4, "seconds": 1.0}
 *                                                         or  {"failed": "bad_config", "why": "...", "seconds": 1.0}
 *     evaluate --task FILE     writes the task as one JSON object: name, goal, optimum, median, parameters
 *
 * A trial of several steps has "curve": [[step, value], ...] as well. A line that can't be understood is answered with
 * {"error": "..."}.
 */
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/spec/spec.h"
#include "search/searcher.h"
#include "worker/kernels/functions.h"
#include "worker/trainer/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel opened with its own copy of the options. */
struct source {
    struct kernel_task task;
    struct opened opened;
    struct run run;
};

struct objective {
    const struct spec *spec;
    struct source seen, exact; /* `exact` has neither noise nor random repeats */
    bool noisy;                /* the two differ */
    double seconds;            /* of a step; 0: a trial takes one second */
};

/* --- opening --- */

static bool set_if_given(json_t *options, const char *name, json_t *value)
{
    bool given = json_object_get(options, name) != NULL;
    if (given)
        json_object_set(options, name, value);
    json_decref(value);
    return given;
}

static int source_open(struct source *source, const struct spec *spec, const json_t *options, struct err *err)
{
    source->task =
        (struct kernel_task){.options = options, .base = spec->base, .metric = spec->metric.name, .threads = 1};
    source->opened = (struct opened){.kernel = kernel_find(spec->trial.kernel), .metric = spec->metric.name};
    if (!source->opened.kernel)
        return err_set(err, "there is no kernel '%s'", spec->trial.kernel);
    return source->opened.kernel->open(&source->task, &source->opened.self, err);
}

static void source_close(struct source *source)
{
    if (source->opened.self)
        source->opened.kernel->close(source->opened.self);
    run_fini(&source->run);
    json_decref((json_t *)source->task.options);
}

static int objective_open(struct objective *objective, const struct spec *spec, struct err *err)
{
    *objective = (struct objective){.spec = spec};
    if (!spec->trial.kernel)
        return err_set(err, "the experiment runs a command; only kernels can be evaluated");
    json_t *seen = spec->trial.options ? json_deep_copy(spec->trial.options) : json_object();
    objective->seconds = json_number_value(json_object_get(seen, "seconds"));
    set_if_given(seen, "seconds", json_integer(0)); /* time is virtual */
    json_t *exact = json_deep_copy(seen);
    objective->noisy = set_if_given(exact, "noise", json_integer(0));
    objective->noisy |= set_if_given(exact, "repeat", json_string("mean"));
    return source_open(&objective->seen, spec, seen, err) || source_open(&objective->exact, spec, exact, err) ? -1 : 0;
}

static void objective_close(struct objective *objective)
{
    source_close(&objective->seen);
    source_close(&objective->exact);
}

/* --- evaluating --- */

static bool is_objective(const struct objective *objective, const struct msg_sample *sample)
{
    return strcmp(sample->metric, objective->spec->metric.name) == 0;
}

/* The trial's value: NaN when it failed. */
static double evaluate(const struct objective *objective, struct source *source, uint64_t seed, uint64_t trial,
                       const json_t *params)
{
    struct run *run = &source->run;
    struct kernel_trial asked = {.number = trial, .attempt = 1, .seed = rng_mix(seed, trial), .params = params};
    double value = NAN;
    run_trial(run, &source->opened, &asked);
    if (run->ending != ENDING_COMPLETED)
        return NAN;
    for (uint32_t i = 0; i < run->sample_count; i++) {
        double at = run->samples[i].value;
        bool better = isnan(value) || (objective->spec->metric.maximize ? at > value : at < value);
        if (is_objective(objective, &run->samples[i]) && (better || !objective->spec->metric.use_best))
            value = at;
    }
    return value;
}

static json_t *curve(const struct objective *objective, const struct run *run)
{
    json_t *points = json_array();
    for (uint32_t i = 0; i < run->sample_count; i++)
        if (is_objective(objective, &run->samples[i]))
            json_array_append_new(points, json_pack("[I, f]", (json_int_t)run->samples[i].step, run->samples[i].value));
    return points;
}

/* The answer to one question. */
static json_t *answer(struct objective *objective, uint64_t seed, uint64_t trial, const json_t *params)
{
    const struct run *run = &objective->seen.run;
    double value = evaluate(objective, &objective->seen, seed, trial, params);
    json_t *made = isnan(value) ? json_pack("{s:s, s:s}", "failed", ending_name(run->ending), "why", run->detail.text)
                                : json_pack("{s:f}", "value", value);
    if (!isnan(value) && objective->noisy)
        value = evaluate(objective, &objective->exact, seed, trial, params);
    if (!isnan(value))
        json_object_set_new(made, "true", json_real(value));
    if (run->sample_count > 1)
        json_object_set_new(made, "curve", curve(objective, run));
    double steps = run->sample_count > 1 ? run->sample_count : 1;
    json_object_set_new(made, "seconds", json_real(objective->seconds > 0 ? objective->seconds * steps : 1));
    return made;
}

static json_t *answer_line(struct objective *objective, const char *line)
{
    json_error_t error;
    json_t *question = json_loads(line, 0, &error), *params;
    json_int_t seed, trial;
    json_t *made =
        !question ? json_pack("{s:s}", "error", error.text)
        : json_unpack_ex(question, &error, 0, "{s:I, s:I, s:o}", "seed", &seed, "trial", &trial, "params", &params)
            ? json_pack("{s:s}", "error", error.text)
        : !json_is_object(params) ? json_pack("{s:s}", "error", "'params' is no object")
                                  : answer(objective, (uint64_t)seed, (uint64_t)trial, params);
    json_decref(question);
    return made;
}

static void print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    fflush(stdout);
    json_decref(json);
}

static void answer_all(struct objective *objective)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0)
        print_json(answer_line(objective, line));
    free(line);
}

/* --- the task: optimum and median --- */

enum { MOST_CONFIGURATIONS = 1000000, RANDOM_CONFIGURATIONS = 10000 };

struct values {
    double *at;
    size_t count, room;
};

static void add_value(struct objective *objective, struct values *values, const char *text)
{
    json_t *params = json_loads(text, 0, NULL);
    double value = evaluate(objective, &objective->exact, 0, 1, params);
    json_decref(params);
    if (isnan(value))
        return;
    MEM_GROW(values->at, values->room, values->count + 1);
    values->at[values->count++] = value;
}

static void add_all(struct objective *objective, struct values *values)
{
    const struct space *space = objective->spec->space;
    double *unit = MEM_ARRAY(double, space_dimension(space));
    struct buf text = {0};
    bool more = true;
    for (space_first(space, unit); more; more = space_next(space, unit)) {
        if (!space_allowed(space, unit))
            continue;
        buf_clear(&text);
        space_json(space, unit, &text);
        add_value(objective, values, buf_str(&text));
    }
    buf_fini(&text);
    free(unit);
}

static int add_random(struct objective *objective, struct values *values, struct err *err)
{
    struct searcher_setup setup = {.space = objective->spec->space, .strategy = "random", .repeat = true};
    struct searcher *searcher = searcher_create(&setup, err);
    struct proposal proposal;
    for (uint64_t trial = 1; searcher && trial <= RANDOM_CONFIGURATIONS; trial++) {
        if (searcher_ask(searcher, trial, &proposal, err) != SEARCHER_PROPOSED)
            break;
        add_value(objective, values, proposal.params);
        free(proposal.params);
    }
    searcher_destroy(searcher);
    return searcher ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The least value that the kernel's function has anywhere; NaN: not known. */
static double known_minimum(const struct spec *spec)
{
    const char *name = json_string_value(json_object_get(spec->trial.options, "function"));
    const struct function *function = name ? function_find(name) : NULL;
    if (!function || spec->metric.maximize)
        return NAN;
    size_t d = function->least == function->most ? function->most : space_count(spec->space);
    double *x = MEM_ARRAY(double, d), least = function_minimum(function, d, x);
    free(x);
    return least;
}

static int reference(struct objective *objective, double *optimum, double *median, struct err *err)
{
    const struct spec *spec = objective->spec;
    struct values values = {0};
    bool finite = space_size(spec->space, NULL) <= MOST_CONFIGURATIONS;
    if (finite)
        add_all(objective, &values);
    else if (add_random(objective, &values, err))
        return -1;
    if (!values.count)
        return err_set(err, "no configuration of the experiment has a value");
    qsort(values.at, values.count, sizeof *values.at, compare);
    *median = (values.at[(values.count - 1) / 2] + values.at[values.count / 2]) / 2;
    *optimum = !finite ? known_minimum(spec) : values.at[spec->metric.maximize ? values.count - 1 : 0];
    free(values.at);
    return 0;
}

/* --- the task: parameters --- */

static json_t *value_of(const struct value *value)
{
    struct buf text = {0};
    value_json(value, &text);
    json_t *made = json_loads(buf_str(&text), JSON_DECODE_ANY, NULL);
    buf_fini(&text);
    return made;
}

static json_t *values_of(const struct value *values, uint32_t count)
{
    json_t *made = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(made, value_of(&values[i]));
    return made;
}

static json_t *conditions_of(const struct space *space, const struct param *param)
{
    json_t *made = json_array();
    for (uint32_t i = 0; i < param->condition_count; i++) {
        const struct condition *condition = &param->conditions[i];
        json_array_append_new(made, json_pack("{s:s, s:o}", "parent", space_param(space, condition->parent)->name,
                                              "values", values_of(condition->values, condition->count)));
    }
    return made;
}

static json_t *parameter(const struct space *space, const struct param *param)
{
    static const char *const kinds[] = {[PARAM_REAL] = "real",
                                        [PARAM_INT] = "int",
                                        [PARAM_CHOICE] = "choice",
                                        [PARAM_NORMAL] = "normal",
                                        [PARAM_CONSTANT] = "constant"};
    json_t *made = json_pack("{s:s, s:s, s:o}", "name", param->name, "kind", kinds[param->kind], "when",
                             conditions_of(space, param));
    if (param->values)
        json_object_update_new(
            made, json_pack("{s:o, s:b}", "values", values_of(param->values, param->count), "ordered", param->ordered));
    else
        json_object_update_new(made, json_pack("{s:f, s:f, s:f, s:b}", "min", param->min, "max", param->max, "step",
                                               param->step, "log", param->log));
    return made;
}

static int describe(struct objective *objective, const char *file, struct err *err)
{
    const struct spec *spec = objective->spec;
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    double optimum, median;
    if (reference(objective, &optimum, &median, err))
        return -1;
    json_t *parameters = json_array();
    for (uint32_t i = 0; i < space_count(spec->space); i++)
        json_array_append_new(parameters, parameter(spec->space, space_param(spec->space, i)));
    json_t *task = json_pack("{s:s%, s:s, s:b, s:f, s:o}", "name", name, strcspn(name, "."), "goal",
                             spec->metric.maximize ? "maximize" : "minimize", "noisy", objective->noisy, "median",
                             median, "parameters", parameters);
    json_object_set_new(task, "optimum", isnan(optimum) ? json_null() : json_real(optimum));
    print_json(task);
    return 0;
}

/* --- main --- */

static struct spec *read_spec(const char *file)
{
    struct problems problems = {0};
    struct spec *spec = spec_read(file, NULL, 0, &problems);
    struct buf text = {0};
    problems_show(&problems, &text);
    fputs(buf_str(&text), stderr);
    buf_fini(&text);
    problems_fini(&problems);
    return spec;
}

int main(int argc, char **argv)
{
    bool task = argc == 3 && strcmp(argv[1], "--task") == 0;
    if (argc != 2 && !task) {
        fprintf(stderr, "usage: evaluate [--task] FILE\n");
        return 2;
    }
    struct spec *spec = read_spec(argv[argc - 1]);
    struct objective objective = {0};
    struct err err;
    int failed = !spec || objective_open(&objective, spec, &err) || (task && describe(&objective, argv[2], &err));
    if (failed && spec)
        fprintf(stderr, "evaluate: %s: %s\n", argv[argc - 1], err.text);
    if (!failed && !task)
        answer_all(&objective);
    objective_close(&objective);
    spec_destroy(spec);
    return failed;
}
