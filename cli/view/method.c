/* Tables of options; see method.h. */
#include "cli/view/method.h"
#include "cli/format.h"
#include "cli/view/table.h"

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

void method_options_draw(const char *heading, const struct gannet_option *options, const struct look *look,
                         struct buf *out)
{
    struct text_table *table = table_create();
    table_column(table, heading, false);
    table_column(table, "values", false);
    table_column(table, "default", false);
    table_column(table, "meaning", false);
    for (const struct gannet_option *row = options; row && row->name; row++) {
        struct buf type = {0};
        add_type(row, &type);
        table_cell(table, TINT_STRONG, row->name);
        table_cell(table, TINT_NONE, buf_str(&type));
        table_cell(table, TINT_NONE, row->default_value);
        table_cell(table, TINT_NONE, row->help);
        buf_fini(&type);
    }
    table_draw(table, look, out);
    table_destroy(table);
}
