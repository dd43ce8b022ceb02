/* A spec as YAML, freeing one, and its words; see spec.h. All goes by the table of keys, so whatever can be read is
 * written. */
#include "scheduler/spec/spec.h"
#include "scheduler/spec/defaults.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/parameter_json.h"
#include "scheduler/spec/type.h"

#include <stdlib.h>

void spec_destroy(struct spec *spec)
{
    if (!spec)
        return;
    key_fini_all(spec);
    for (uint32_t i = 1; i < spec->metric_count; i++) {
        free((char *)spec->metrics[i].name);
        free((char *)spec->metrics[i].step);
    }
    defaults_free_origins(spec);
    free(spec->file);
    free(spec->metrics);
    json_decref(spec->trial.args);
    space_destroy(spec->space);
    free(spec);
}

struct metrics spec_metrics(const struct spec *spec)
{
    return (struct metrics){spec->metrics, spec->metric_count};
}

const char *signal_word(enum trial_signal signal)
{
    return key_of_path("trial.signal")->words[signal];
}

const char *mps_name(enum mps_rule mps)
{
    return key_of_path("resources.mps")->words[mps];
}

const char *bind_name(enum bind bind)
{
    return key_of_path("resources.bind")->words[bind];
}

/* --- writing --- */

static void write_parameters(const struct spec *spec, struct buf *out)
{
    buf_text(out, "parameters:\n");
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        buf_text(out, "  ");
        emit_text(out, space_param(spec->space, i)->name);
        buf_text(out, ": ");
        parameter_emit(spec->space, i, spec->trial.args, out);
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
    bool is_list = key->type == &type_metric && spec->metric_count > 1;
    bool is_section = !is_list && (key_next(key->path, NULL) || key->type == &type_parameters);
    const char *gap = is_section || is_list || key->type == &type_constraints || key->type == &type_start ? "\n" : "";
    if (key->type == &type_parameters) {
        buf_text(out, gap);
        write_parameters(spec, out);
    } else if (is_section) {
        write_section(spec, key->path, "  ", &value);
        if (value.length)
            buf_format(out, "%s%s:\n%s", gap, key->path, buf_str(&value));
    } else if (key->type->write && key->type->write(key, spec, &value)) {
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
