/* Writing an experiment file; see sketch.h. */
#include "cli/start/sketch.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/spec/emit.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 63, COMMENT_COLUMN = 58, LONGEST_COMMENT = 160 };

/* --- names --- */

static char *make_name(const char *text, size_t longest, bool (*may_begin)(int c))
{
    struct buf name = {0};
    if (!may_begin((unsigned char)*text))
        buf_text(&name, "p_");
    for (; *text && name.length < longest; text++)
        buf_format(&name, "%c", isalnum((unsigned char)*text) || strchr("._-", *text) ? *text : '_');
    return buf_take(&name);
}

static bool begins_parameter(int c)
{
    return (isalpha(c) && c < 128) || c == '_';
}

static bool begins_experiment(int c)
{
    return isalnum(c) && c < 128;
}

char *sketch_parameter_name(const char *text)
{
    return make_name(text, LONGEST_NAME, begins_parameter);
}

/* The last part of a path, without its ending. */
char *sketch_experiment_name(const char *text)
{
    char *last = mem_text(path_base(text));
    char *dot = strrchr(last, '.');
    if (dot && dot != last)
        *dot = '\0';
    char *name = *last ? make_name(last, LONGEST_NAME, begins_experiment) : mem_text("search");
    free(last);
    return name;
}

/* --- life --- */

void sketch_init(struct sketch *sketch, const char *called, const char *made_by)
{
    *sketch = (struct sketch){.name = sketch_experiment_name(called),
                              .made_by = mem_text(made_by),
                              .trial = json_object(),
                              .metric = json_array(),
                              .parameters = json_array(),
                              .more = json_object(),
                              .aside = MEM_ARRAY(struct texts, SKETCH_PLACES)};
}

void sketch_fini(struct sketch *sketch)
{
    for (int place = 0; sketch->aside && place < SKETCH_PLACES; place++)
        texts_fini(&sketch->aside[place]);
    free(sketch->aside);
    texts_fini(&sketch->moved);
    texts_fini(&sketch->kept);
    texts_fini(&sketch->left);
    json_decref(sketch->trial);
    json_decref(sketch->metric);
    json_decref(sketch->parameters);
    json_decref(sketch->more);
    free(sketch->name);
    free(sketch->made_by);
    free(sketch->base);
    *sketch = (struct sketch){0};
}

/* Names that differ in marks only would be the same variable of a command's environment. */
static bool is_alike(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if (*a != *b && (isalnum((unsigned char)*a) || isalnum((unsigned char)*b)))
            return false;
    return *a == *b;
}

bool sketch_add(struct sketch *sketch, const char *name, json_t *keys, const char *comment)
{
    char *fit = sketch_parameter_name(name);
    size_t index;
    const json_t *other;
    bool fresh = true;
    json_array_foreach(sketch->parameters, index, other) fresh &=
        !is_alike(fit, json_string_value(json_object_get(other, "name")));
    if (fresh)
        json_array_append_new(sketch->parameters, json_pack("{s:s, s:o, s:s?}", "name", fit, "keys", keys, "comment",
                                                            comment && *comment ? comment : NULL));
    else {
        sketch_leave(sketch, "%s: there is a parameter of that name already", name);
        json_decref(keys);
    }
    free(fit);
    return fresh;
}

static char *make_sentence(const char *format, va_list values)
{
    char *text = NULL;
    if (vasprintf(&text, format, values) < 0)
        abort();
    return text;
}

void sketch_say(struct sketch *sketch, enum sketch_place place, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    texts_add(&sketch->aside[place], make_sentence(format, values));
    va_end(values);
}

void sketch_leave(struct sketch *sketch, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    texts_add(&sketch->left, make_sentence(format, values));
    va_end(values);
}

/* --- writing --- */

/* A comment is one line of harmless characters, whatever a stranger's help text has in it. */
static void add_comment(const char *text, struct buf *out)
{
    struct buf safe = {0};
    format_safe(text, &safe);
    format_cut(&(struct look){.unicode = false}, buf_str(&safe), LONGEST_COMMENT, out);
    buf_fini(&safe);
}

static void add_lines(const struct texts *lines, const char *before, struct buf *out)
{
    for (size_t i = 0; i < lines->count; i++) {
        buf_text(out, before);
        add_comment(lines->items[i], out);
        buf_text(out, "\n");
    }
}

static void add_key(const char *indent, const char *key, const json_t *value, struct buf *out)
{
    buf_text(out, indent);
    emit_text(out, key);
    buf_text(out, ": ");
    emit_json(out, value);
    buf_text(out, "\n");
}

static void add_text(const char *key, const char *text, struct buf *out)
{
    buf_format(out, "%s: ", key);
    emit_text(out, text);
    buf_text(out, "\n");
}

static void add_metric(const struct sketch *sketch, struct buf *out)
{
    size_t index;
    const json_t *metric;
    add_lines(&sketch->aside[SKETCH_METRIC], "# ", out);
    buf_text(out, "metric:");
    if (json_array_size(sketch->metric) == 1)
        buf_text(out, " ");
    json_array_foreach(sketch->metric, index, metric)
    {
        buf_text(out, json_array_size(sketch->metric) == 1 ? "" : "\n  - ");
        emit_json(out, metric);
    }
    buf_text(out, "\n\n");
}

static void add_parameter(const json_t *parameter, struct buf *out)
{
    const char *comment = json_string_value(json_object_get(parameter, "comment"));
    size_t begin = out->length;
    buf_text(out, "  ");
    emit_text(out, json_string_value(json_object_get(parameter, "name")));
    buf_text(out, ": ");
    emit_json(out, json_object_get(parameter, "keys"));
    if (comment) {
        size_t width = out->length - begin;
        buf_format(out, "%*s# ", width < COMMENT_COLUMN ? (int)(COMMENT_COLUMN - width) : 2, "");
        add_comment(comment, out);
    }
    buf_text(out, "\n");
}

void sketch_write(const struct sketch *sketch, struct buf *out)
{
    const char *key;
    json_t *value;
    size_t index;
    buf_text(out, "# Made by `");
    add_comment(sketch->made_by, out);
    buf_format(out, "`. `gannet check %s.yaml` shows what it means, docs/experiment.md has every key.\nversion: 1\n",
               sketch->name);
    add_text("name", sketch->name, out);
    if (sketch->base)
        add_text("base", sketch->base, out);
    buf_text(out, "\n");
    add_lines(&sketch->aside[SKETCH_TRIAL], "# ", out);
    buf_text(out, "trial:\n");
    json_object_foreach(sketch->trial, key, value) add_key("  ", key, value, out);
    buf_text(out, "\n");
    add_metric(sketch, out);
    buf_text(out, "parameters:\n");
    json_array_foreach(sketch->parameters, index, value) add_parameter(value, out);
    buf_text(out, "\n");
    add_lines(&sketch->aside[SKETCH_MORE], "# ", out);
    json_object_foreach(sketch->more, key, value) add_key("", key, value, out);
    if (sketch->left.count)
        buf_text(out, "\n# Not searched, or not taken over:\n");
    add_lines(&sketch->left, "#   ", out);
}
