/* See kernel_row.h. */
#include "cli/data/kernel_row.h"

#include "cli/json.h"
#include "common/row_type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const json_t *kernel_row_find(const json_t *table, const char *name)
{
    size_t index;
    const json_t *row;
    json_array_foreach(table, index, row) if (row_type_covers(json_text(row, "name"), name)) return row;
    return NULL;
}

/* How many processors a process of a trial has; 0: the machine says. */
static uint32_t processors_of(const struct spec_resources *resources)
{
    uint32_t ranks = resources->ranks > 1 ? resources->ranks : 1, cpus = resources->cpus;
    if (!cpus && (resources->sockets || resources->per_socket || resources->gpus))
        return 0;
    return cpus ? (cpus + ranks - 1) / ranks : 1;
}

json_t *kernel_row_in_slot(const json_t *row, const struct spec *spec)
{
    uint32_t most = processors_of(&spec->resources);
    double threads;
    if (!row || strcmp(json_text(row, "name"), "threads") != 0 || !most || !json_number(row, "max", &threads) ||
        threads <= most)
        return json_incref((json_t *)row);
    json_t *copy = json_copy((json_t *)row);
    json_object_set_new(copy, "max", json_integer(most));
    json_object_set_new(copy, "why", json_string("resources.cpus gives a trial's process no more processors"));
    return copy;
}

void kernel_row_owners(const json_t *catalog, const char *table, const char *name, struct buf *out)
{
    size_t index, found = 0;
    const json_t *kernel;
    json_array_foreach(catalog, index, kernel)
    {
        if (json_named(json_object_get(kernel, table), name))
            buf_format(out, "%s%s", found++ ? ", " : "kernels that have it: ", json_text(kernel, "name"));
    }
    if (found)
        buf_text(out, "; ");
}

static struct row_type read_type(const json_t *row)
{
    struct row_type type = {.alternatives = json_text(row, "type")};
    json_number(row, "min", &type.min);
    json_number(row, "max", &type.max);
    return type;
}

/* A row without a type is one of a newer trainer, or of a test. */
static bool takes_value(const json_t *row, const json_t *value)
{
    struct row_type type = read_type(row);
    return !*type.alternatives || row_type_takes(type, value);
}

static void report_value(const json_t *row, const char *name, const json_t *value, bool warning, const char *key,
                         struct problems *problems)
{
    struct buf message = {0}, hint = {0};
    buf_format(&message, "%s '%s' can't be ", warning ? "the kernel's parameter" : "the kernel's option", name);
    json_add(value, &message);
    buf_text(&hint, "it takes: ");
    row_type_describe(read_type(row), &hint);
    if (*json_text(row, "why"))
        buf_format(&hint, " (%s)", json_text(row, "why"));
    if (warning)
        buf_text(&hint, "; such trials fail as bad_config");
    problems_report(problems, warning, key, false, "bad_value", buf_str(&message), buf_str(&hint));
    buf_fini(&message);
    buf_fini(&hint);
}

void kernel_row_check_option(const json_t *row, const char *name, const json_t *value, const char *key,
                             struct problems *problems)
{
    if (!takes_value(row, value))
        report_value(row, name, value, false, key, problems);
}

/* Takes over `value`; whether the kernel does, else it is reported. */
static bool check_value(const json_t *row, const char *name, json_t *value, const char *key, struct problems *problems)
{
    bool fits = takes_value(row, value);
    if (!fits)
        report_value(row, name, value, true, key, problems);
    json_decref(value);
    return fits;
}

static json_t *number_of(const struct param *param, double number)
{
    return param->kind == PARAM_INT ? json_integer((json_int_t)number) : json_real(number);
}

/* Both ends, and of what is continuous a number between them, which is whole in no range that a person writes. */
static void check_range(const json_t *row, const struct param *param, const char *key, struct problems *problems)
{
    bool between = param->kind == PARAM_REAL && param->step == 0 && param->min < param->max;
    double inner = param->min + (param->max - param->min) / M_PI;
    if (check_value(row, param->name, number_of(param, param->min), key, problems) &&
        check_value(row, param->name, number_of(param, param->max), key, problems) && between)
        check_value(row, param->name, json_real(inner), key, problems);
}

void kernel_row_check_param(const json_t *row, const struct param *param, const char *key, struct problems *problems)
{
    if (param->kind == PARAM_REAL || param->kind == PARAM_INT)
        check_range(row, param, key, problems);
    for (uint32_t i = 0; i < param->count && (param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT); i++)
        if (!check_value(row, param->name, value_to_json(&param->values[i]), key, problems))
            return;
}
