/* What needs attention, in words; see attention.h. */
#include "cli/view/attention.h"
#include "cli/format.h"
#include "cli/json.h"

#include <stdio.h>

enum { NODES = 3, INDENT = 4 };

/* " on n1, n2 and 3 nodes more". */
static void add_nodes(const json_t *nodes, struct buf *out)
{
    size_t count = json_array_size(nodes), shown = count > NODES + 1 ? NODES : count;
    for (size_t i = 0; i < shown; i++)
        buf_format(out, "%s%s",
                   i == 0           ? " on "
                   : i + 1 == count ? " and "
                                    : ", ",
                   json_string_value(json_array_get(nodes, i)));
    if (shown < count)
        buf_format(out, " and %zu nodes more", count - shown);
}

/* "gannet logs digits 15"; on the screen ":logs 15". */
static void add_command(const struct attention_subject *subject, const char *command, const char *argument,
                        struct buf *out)
{
    if (subject->name) {
        buf_format(out, "%sgannet %s ", subject->programs, command);
        format_shell(subject->name, out);
    } else {
        buf_format(out, ":%s", command);
    }
    buf_format(out, " %s", argument);
}

static void add_count(const json_t *attention, const json_t *cause, struct buf *out)
{
    json_int_t count = json_integer_value(json_object_get(cause, "count")),
               looked = json_integer_value(json_object_get(attention, "looked_at"));
    if (looked < json_integer_value(json_object_get(attention, "failed")))
        buf_format(out, "of the last %" JSON_INTEGER_FORMAT " that failed %" JSON_INTEGER_FORMAT, looked, count);
    else if (count == 1)
        buf_format(out, "trial %" JSON_INTEGER_FORMAT " failed", json_integer_value(json_object_get(cause, "trial")));
    else
        buf_format(out, "%" JSON_INTEGER_FORMAT " trials failed", count);
}

void attention_add_cause(const json_t *attention, const json_t *cause, const struct attention_subject *subject,
                         struct buf *out)
{
    const char *line = json_text(cause, "line");
    char trial[32];
    snprintf(trial, sizeof trial, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(cause, "trial")));
    add_count(attention, cause, out);
    add_nodes(json_object_get(cause, "nodes"), out);
    buf_format(out, ", %s (", json_text(cause, "reason"));
    add_command(subject, "logs", trial, out);
    buf_format(out, ")%s%s", *line ? ": " : "", line);
}

void attention_add_remedy(const json_t *attention, const struct attention_subject *subject, struct buf *out)
{
    if (!json_array_size(json_object_get(attention, "causes")))
        return;
    add_command(subject, "retry", "--failed", out);
    buf_text(out, " tries what failed again, when it is mended");
}

static void write_line(const char *text, const struct look *look, struct buf *out)
{
    if (!*text)
        return;
    struct buf safe = {0};
    look_add(look, TINT_WARN, "  ! ", out);
    format_safe(text, &safe);
    format_hang(buf_str(&safe), INDENT, INDENT, look->width, out);
    buf_fini(&safe);
}

void attention_write(const json_t *attention, const struct attention_subject *subject, const struct look *look,
                     struct buf *out)
{
    const json_t *causes = json_object_get(attention, "causes"), *sentences = json_object_get(attention, "sentences");
    struct buf line = {0};
    if (!json_array_size(causes) && !json_array_size(sentences))
        return;
    buf_text(out, look->live ? "Attention\n" : "attention:\n");
    for (size_t i = 0; i < json_array_size(causes); i++) {
        buf_clear(&line);
        attention_add_cause(attention, json_array_get(causes, i), subject, &line);
        write_line(buf_str(&line), look, out);
    }
    for (size_t i = 0; i < json_array_size(sentences); i++)
        write_line(json_string_value(json_array_get(sentences, i)), look, out);
    buf_clear(&line);
    attention_add_remedy(attention, subject, &line);
    write_line(buf_str(&line), look, out);
    buf_fini(&line);
}
