/* CSV; see csv_line.h. */
#include "cli/view/csv_line.h"
#include "cli/view/format.h"
#include "cli/view/json.h"

#include <string.h>

/* Adds a field, in quotes when a comma, quote or line break is in it. */
static void add_field(const char *text, struct buf *out)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        buf_text(out, text);
        return;
    }
    buf_text(out, "\"");
    for (; *text; text++)
        buf_text(out, *text == '"' ? "\"\"" : (char[]){*text, '\0'});
    buf_text(out, "\"");
}

static void add_value(const json_t *value, struct buf *out)
{
    struct buf text = {0};
    if (json_is_string(value))
        buf_text(&text, json_string_value(value));
    else if (json_is_array(value) && json_array_size(value))
        format_ranges(value, &text);
    else if (value && !json_is_null(value) && !json_is_array(value))
        json_add(value, &text);
    add_field(buf_str(&text), out);
    buf_fini(&text);
}

void csv_names(const struct columns *columns, struct buf *out)
{
    struct buf title = {0};
    for (size_t i = 0; i < columns->count; i++) {
        column_title(&columns->items[i], &title);
        buf_text(out, i ? "," : "");
        add_field(buf_str(&title), out);
        buf_clear(&title);
    }
    buf_fini(&title);
    buf_text(out, "\r\n");
}

void csv_trial(const json_t *trial, const struct columns *columns, struct buf *out)
{
    for (size_t i = 0; i < columns->count; i++) {
        buf_text(out, i ? "," : "");
        add_value(column_get(&columns->items[i], trial), out);
    }
    buf_text(out, "\r\n");
}
