/* Lists of methods and their options; see method.h. */
#include "cli/view/method.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/view/table.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- options --- */

/* Adds what an option may be set to: "number 0 .. 1", "sequential, shuffled". */
static void add_type(const struct gannet_option *option, struct buf *out)
{
    char min[32], max[32];
    size_t count = 0;
    switch (option->type) {
    case GANNET_NUMBER:
    case GANNET_INTEGER:
        buf_format(out, "%s %s .. %s", option->type == GANNET_INTEGER ? "integer" : "number",
                   format_number(option->min, min, sizeof min), format_number(option->max, max, sizeof max));
        break;
    case GANNET_SWITCH:
        buf_text(out, "true, false");
        break;
    case GANNET_WORD:
        for (const char *const *word = option->words; *word; word++)
            buf_format(out, "%s%s", count++ ? ", " : "", *word);
        break;
    }
}

static json_t *option_json(const struct gannet_option *option)
{
    struct buf type = {0};
    add_type(option, &type);
    json_t *json = json_pack("{s:s, s:s, s:s, s:s}", "name", option->name, "type", buf_str(&type), "default",
                             option->default_value, "help", option->help);
    buf_fini(&type);
    return json;
}

json_t *method_options_json(const struct gannet_option *options)
{
    json_t *list = json_array();
    for (const struct gannet_option *row = options; row && row->name; row++)
        json_array_append_new(list, option_json(row));
    return list;
}

/* --- for people --- */

/* A type and its meaning as cells. Many words would make the type's column wider than a screen: they go behind the
 * meaning. */
static void add_meaning(struct text_table *table, const json_t *row, const char *default_value)
{
    enum { WIDEST = 30 };
    const char *type = json_text(row, "type");
    bool wide = strlen(type) > WIDEST && strchr(type, '|');
    struct buf meaning = {0};
    buf_text(&meaning, json_text(row, "help"));
    if (wide)
        buf_format(&meaning, ": %s", type);
    table_cell(table, TINT_NONE, wide ? "word" : type);
    table_cell(table, TINT_NONE, default_value);
    table_cell(table, TINT_NONE, buf_str(&meaning));
    buf_fini(&meaning);
}

void method_options_draw(const char *title, const char *values, const json_t *options, const struct look *look,
                         struct buf *out)
{
    const char *const titles[] = {title, values, "default", "meaning"};
    struct text_table *table = table_create();
    size_t index;
    const json_t *row;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        table_column(table, titles[i], false);
    json_array_foreach(options, index, row)
    {
        const json_t *default_value = json_object_get(row, "default");
        struct buf text = {0};
        format_scalar(default_value, &text);
        table_cell(table, TINT_STRONG, json_text(row, "name"));
        add_meaning(table, row, json_is_null(default_value) ? "must be given" : buf_str(&text));
        buf_fini(&text);
    }
    table_finish(table, look, out);
}

const char *method_metrics(const json_t *method)
{
    const char *metrics = json_text(method, "metrics");
    return strcmp(metrics, "*") == 0 ? "any" : metrics;
}

static void draw_list(const struct method_kind *kind, const json_t *list, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t index;
    const json_t *method;
    table_column(table, kind->title, false);
    table_column(table, "what it does", false);
    if (kind->metrics)
        table_column(table, "metrics", false);
    json_array_foreach(list, index, method)
    {
        table_cell(table, TINT_STRONG, json_text(method, "name"));
        table_cell(table, TINT_NONE, json_text(method, "summary"));
        if (kind->metrics)
            table_cell(table, TINT_NONE, method_metrics(method));
    }
    table_finish(table, look, out);
    buf_format(out, "\n%s\n", kind->hint);
}

static int unknown_method(struct console *console, const struct method_kind *kind, const json_t *list, const char *name)
{
    const char **names = MEM_ARRAY(const char *, json_array_size(list) + 1);
    size_t index;
    const json_t *method;
    struct err err;
    json_array_foreach(list, index, method) names[index] = json_text(method, "name");
    format_unknown(kind->unknown, name, names, json_array_size(list), kind->plural, &err);
    free(names);
    return console_fail(console, STATUS_NOT_FOUND, &err);
}

int method_show(struct console *console, const struct method_kind *kind, json_t *list, const char *name, bool json)
{
    json_t *method = name ? json_named(list, name) : NULL;
    struct buf text = {0};
    if (name && !method)
        return unknown_method(console, kind, list, name);
    if (json) {
        console_json(console, json_incref(method ? method : list));
        return STATUS_OK;
    }
    if (method)
        kind->explain(method, &console->out_look, &text);
    else
        draw_list(kind, list, &console->out_look, &text);
    console_print(console, &text);
    return STATUS_OK;
}
