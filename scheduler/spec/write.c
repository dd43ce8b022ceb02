/* A spec as YAML; see spec.h. It goes by the table of keys, so whatever can be read is written. */
#include "scheduler/spec/write.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/type.h"

#include <math.h>
#include <string.h>

/* --- parameters --- */

static void write_condition(const struct space *space, const struct condition *condition, struct buf *out)
{
    emit_text(out, space_param(space, condition->parent)->name);
    buf_text(out, condition->count == 1 ? ": " : ": [");
    for (uint32_t i = 0; i < condition->count; i++) {
        buf_text(out, i ? ", " : "");
        emit_value(out, &condition->values[i]);
    }
    buf_text(out, condition->count == 1 ? "" : "]");
}

static void write_range(const struct param *param, struct buf *out)
{
    void (*number)(struct buf *, double) = param->kind == PARAM_INT ? emit_whole : emit_number;
    buf_text(out, param->kind == PARAM_INT ? "{type: int, min: " : "{type: float, min: ");
    number(out, param->min);
    buf_text(out, ", max: ");
    number(out, param->max);
    buf_format(out, ", log: %s", param->log ? "true" : "false");
    if (param->step > 0) {
        buf_text(out, ", step: ");
        number(out, param->step);
    }
}

static void write_choice(const struct param *param, struct buf *out)
{
    buf_text(out, "{values: [");
    for (uint32_t i = 0; i < param->count; i++) {
        buf_text(out, i ? ", " : "");
        emit_value(out, &param->values[i]);
    }
    buf_format(out, "], ordered: %s", param->ordered ? "true" : "false");
    for (uint32_t i = 0; param->weights && i < param->count; i++) {
        buf_text(out, i ? ", " : ", weights: [");
        emit_number(out, param->weights[i]);
    }
    buf_text(out, param->weights ? "]" : "");
}

static void write_normal(const struct param *param, struct buf *out)
{
    const struct {
        const char *before;
        double number;
    } parts[] = {
        {"{mean: ", param->mean}, {", stddev: ", param->stddev}, {", min: ", param->min}, {", max: ", param->max}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (isfinite(parts[i].number)) {
            buf_text(out, parts[i].before);
            emit_number(out, parts[i].number);
        }
    buf_format(out, ", log: %s", param->log ? "true" : "false");
}

static void write_form(const struct param *param, struct buf *out)
{
    switch (param->kind) {
    case PARAM_REAL:
    case PARAM_INT:
        write_range(param, out);
        break;
    case PARAM_CHOICE:
        write_choice(param, out);
        break;
    case PARAM_NORMAL:
        write_normal(param, out);
        break;
    case PARAM_CONSTANT:
        buf_text(out, "{value: ");
        emit_value(out, param->values);
        break;
    }
}

void write_parameter(const struct space *space, uint32_t index, struct buf *out)
{
    const struct param *param = space_param(space, index);
    write_form(param, out);
    if (param->default_value.kind != VALUE_NONE) {
        buf_text(out, ", default: ");
        emit_value(out, &param->default_value);
    }
    for (uint32_t i = 0; i < param->condition_count; i++) {
        buf_text(out, i ? ", " : ", when: {");
        write_condition(space, &param->conditions[i], out);
    }
    buf_text(out, param->condition_count ? "}" : "");
    if (param->description) {
        buf_text(out, ", description: ");
        emit_text(out, param->description);
    }
    buf_text(out, "}");
}

/* --- lists over parameters --- */

static bool write_constraints(const struct space *space, struct buf *out)
{
    uint32_t count = space_constraint_count(space);
    for (uint32_t i = 0; i < count; i++) {
        buf_text(out, i ? ", " : "[");
        emit_text(out, space_constraint(space, i));
    }
    buf_text(out, count ? "]" : "");
    return count;
}

static bool write_start(const struct spec *spec, struct buf *out)
{
    for (uint32_t i = 0; i < spec->start_count; i++) {
        json_t *point = json_loads(spec->start[i], 0, NULL);
        buf_text(out, i ? ", " : "[");
        emit_json(out, point);
        json_decref(point);
    }
    buf_text(out, spec->start_count ? "]" : "");
    return spec->start_count;
}

bool write_value(const struct spec *spec, const struct key *key, struct buf *out)
{
    if (key->type == &type_constraints)
        return write_constraints(spec->space, out);
    if (key->type == &type_start)
        return write_start(spec, out);
    return key->type->write && key->type->write(key, spec, out);
}

/* --- the whole --- */

static void write_parameters(const struct spec *spec, struct buf *out)
{
    buf_text(out, "parameters:\n");
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        buf_text(out, "  ");
        emit_text(out, space_param(spec->space, i)->name);
        buf_text(out, ": ");
        write_parameter(spec->space, i, out);
        buf_text(out, "\n");
    }
}

static void write_section(const struct spec *spec, const char *section, const char *indent, struct buf *out);

/* A section with a flag is left out when the file had none: it says nothing about how the experiment runs. */
static bool is_absent(const struct spec *spec, const struct key *key)
{
    return key->type == &type_section && key->also != KEY_NOWHERE && !*KEY_AT_CONST(spec, key->also, bool);
}

/* From the first section on, an empty line stands before each key at the top. */
static void write_key(const struct spec *spec, const struct key *key, const char *indent, struct buf *out)
{
    struct buf value = {0};
    bool is_list = key->type == &type_metric && spec->other_count;
    bool is_section = !is_list && (key_next(key->path, NULL) || key->type == &type_parameters);
    const char *gap = is_section || is_list || key->type == &type_constraints || key->type == &type_start ? "\n" : "";
    if (key->type == &type_parameters) {
        buf_text(out, gap);
        write_parameters(spec, out);
    } else if (is_section) {
        write_section(spec, key->path, "  ", &value);
        if (value.length)
            buf_format(out, "%s%s:\n%s", gap, key->path, buf_str(&value));
    } else if (write_value(spec, key, &value)) {
        buf_format(out, "%s%s%s: %s\n", gap, indent, key_name(key), buf_str(&value));
    }
    buf_fini(&value);
}

static void write_section(const struct spec *spec, const char *section, const char *indent, struct buf *out)
{
    for (const struct key *key = NULL; (key = key_next(section, key));)
        if (!(key->flags & KEY_LATER) && !is_absent(spec, key))
            write_key(spec, key, indent, out);
}

void spec_write(const struct spec *spec, struct buf *out)
{
    buf_text(out,
             "# The experiment as gannet " GANNET_VERSION " runs it: every key with its value, defaults filled in.\n");
    write_section(spec, "", "", out);
}
