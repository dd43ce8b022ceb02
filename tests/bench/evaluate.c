/* The objective of an experiment file for programs of other languages, computed by the kernels themselves, so that
 * every tool that is compared with gannet sees the same values (docs/bench.md):
 *
 *     evaluate FILE            answers each line of its input with a line:
 *         {"seed": 1, "trial": 3, "params": {"x1": 0.5}}  ->  {"value": 2.5, "true": 2.4, "seconds": 1.0}
 *                                                         or  {"failed": "bad_config", "why": "...", "seconds": 1.0}
 *     evaluate --task FILE     writes the task as one JSON object: name, goal, optimum, median, steps, parameters
 *
 * Where trials have several steps there is "curve": [[step, value], ...] as well. What can't be understood is answered
 * with {"error": "..."}.
 */
#include "cli/bench/objective.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
    putchar('\n');
    fflush(stdout);
    json_decref(json);
}

/* --- trials --- */

static json_t *curve(const struct objective_outcome *outcome)
{
    json_t *points = json_array();
    for (size_t i = 0; i < outcome->count; i++)
        json_array_append_new(points,
                              json_pack("[I, f]", (json_int_t)outcome->samples[i].step, outcome->samples[i].value));
    return points;
}

static json_t *answer(const struct bench_objective *objective, const struct objective_outcome *outcome)
{
    json_t *made = outcome->ending == ENDING_COMPLETED
                       ? json_pack("{s:f, s:f}", "value", outcome->value, "true", outcome->truth)
                       : json_pack("{s:s, s:s}", "failed", ending_name(outcome->ending), "why", outcome->detail.text);
    if (objective_steps(objective) > 1)
        json_object_set_new(made, "curve", curve(outcome));
    json_object_set_new(made, "seconds", json_real(outcome->seconds > 0 ? outcome->seconds : 1));
    return made;
}

static json_t *answer_line(struct bench_objective *objective, const char *line, struct objective_outcome *outcome)
{
    json_error_t error;
    json_int_t seed, trial;
    json_t *question = json_loads(line, 0, &error), *params = NULL, *made;
    if (!question ||
        json_unpack_ex(question, &error, 0, "{s:I, s:I, s:o}", "seed", &seed, "trial", &trial, "params", &params)) {
        made = json_pack("{s:s}", "error", error.text);
    } else if (!json_is_object(params)) {
        made = json_pack("{s:s}", "error", "'params' is no object");
    } else {
        objective_run(objective, (uint64_t)seed, (uint64_t)trial, params, outcome);
        made = answer(objective, outcome);
    }
    json_decref(question);
    return made;
}

static void answer_all(struct bench_objective *objective)
{
    struct objective_outcome outcome = {0};
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0)
        print_json(answer_line(objective, line, &outcome));
    objective_outcome_fini(&outcome);
    free(line);
}

/* --- the task --- */

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

static void describe(const struct bench_objective *objective)
{
    const struct spec *spec = objective_spec(objective);
    json_t *parameters = json_array();
    for (uint32_t i = 0; i < space_count(spec->space); i++)
        json_array_append_new(parameters, parameter(spec->space, space_param(spec->space, i)));
    print_json(json_pack("{s:s, s:s, s:f, s:f, s:I, s:o}", "name", objective_name(objective), "goal",
                         spec->metric.maximize ? "maximize" : "minimize", "optimum", objective_optimum(objective),
                         "median", objective_median(objective), "steps", (json_int_t)objective_steps(objective),
                         "parameters", parameters));
}

/* --- main --- */

/* The objective of a file; NULL with all that is wrong on the error output. */
static struct bench_objective *open_objective(const char *file)
{
    struct problems problems = {0};
    struct err err;
    struct spec *spec = spec_read(file, NULL, 0, &problems);
    struct bench_objective *objective = spec ? objective_open(spec, &err) : NULL;
    struct buf text = {0};
    problems_show(&problems, &text);
    if (spec && !objective)
        buf_format(&text, "evaluate: %s\n", err.text);
    fputs(buf_str(&text), stderr);
    buf_fini(&text);
    problems_fini(&problems);
    return objective;
}

int main(int argc, char **argv)
{
    bool task = argc == 3 && strcmp(argv[1], "--task") == 0;
    if (argc != 2 && !task) {
        fprintf(stderr, "usage: evaluate [--task] FILE\n");
        return 2;
    }
    struct bench_objective *objective = open_objective(argv[argc - 1]);
    if (objective && task)
        describe(objective);
    else if (objective)
        answer_all(objective);
    objective_close(objective);
    return objective ? 0 : 1;
}
