/* Filling in paths; see expand.h. */
#include "scheduler/spec/expand.h"
#include "scheduler/spec/emit.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

const char *expand_placeholder_end(const char *text)
{
    const char *end = strchr(text, '}');
    return end ? end + 1 : NULL;
}

/* Adds the value of the placeholder at `at`; returns what comes behind it, or NULL after a problem. */
static const char *add_variable(struct reading *reading, const struct node *node, const char *at, struct buf *out)
{
    const char *end = expand_placeholder_end(at);
    struct source_mark mark = node_mark_within(node, (size_t)(at - node->text), end ? (size_t)(end - at) : strlen(at));
    if (!end || strncmp(at, "${env.", 6) != 0) {
        problem_say(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "paths know ~ and ${env.NAME} alone",
                    "this can't be filled in in a path");
        return NULL;
    }
    char *name = mem_text_n(at + 6, (size_t)(end - at) - 7);
    const char *value = getenv(name);
    if (value)
        buf_text(out, value);
    else
        problem_say(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "set it, or write the path out",
                    "the environment has no variable '%s'", name);
    free(name);
    return value ? end : NULL;
}

/* "~" or "~/...": our home directory in front. Returns what is left, or NULL after a problem. */
static const char *add_home(struct reading *reading, const struct node *node, struct buf *out)
{
    const char *text = node->text, *home = getenv("HOME");
    if (text[0] != '~' || (text[1] && text[1] != '/'))
        return text;
    if (!home) {
        problem_say(reading->problems, PROBLEM_BAD_PLACEHOLDER, node_mark_within(node, 0, 1),
                    "set it, or write the path out", "the environment has no variable 'HOME'");
        return NULL;
    }
    buf_text(out, home);
    return text + 1;
}

/* The next placeholder at or behind `at`, with the literal text before it added; NULL when only text is left, which is
 * then added, too. */
static const char *add_literal(const char *at, struct buf *out)
{
    for (const char *next; (next = strstr(at, "${")); at = next + 2) {
        bool literal = next > at && next[-1] == '$'; /* "$${" stands for "${" */
        buf_add(out, at, (size_t)(next - at) - literal);
        if (!literal)
            return next;
        buf_text(out, "${");
    }
    buf_text(out, at);
    return NULL;
}

/* Fills `out`; false after a problem. */
static bool fill_in(struct reading *reading, const struct node *node, struct buf *out)
{
    const char *at = add_home(reading, node, out);
    for (const char *placeholder; at; at = add_variable(reading, node, placeholder, out))
        if (!(placeholder = add_literal(at, out)))
            break;
    if (at && !out->length)
        problem_add(reading->problems, PROBLEM_BAD_VALUE, node->mark, "the path is empty");
    return at && out->length;
}

char *expand_path(struct reading *reading, const struct node *node, const char *base)
{
    struct buf filled = {0};
    char *joined = NULL;
    if (fill_in(reading, node, &filled)) {
        const char *path = buf_str(&filled);
        while (strncmp(path, "./", 2) == 0 && path[2])
            path += 2;
        joined = path_join(base, path);
    }
    buf_fini(&filled);
    return joined;
}

void expand_write_path(struct buf *out, const char *path)
{
    struct buf literal = {0};
    for (const char *next; (next = strstr(path, "${")); path = next + 2) {
        buf_add(&literal, path, (size_t)(next - path));
        buf_text(&literal, "$${");
    }
    buf_text(&literal, path);
    emit_text(out, buf_str(&literal));
    buf_fini(&literal);
}
