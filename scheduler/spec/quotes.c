/* Placeholders in quotes; see quotes.h. A text in quotes that has blanks of its own is most often a command for another
 * shell, sh -c "train ${args}", whose words the values are quoted for just right: those are let be. */
#include "scheduler/spec/quotes.h"
#include "common/trial_command.h"
#include "scheduler/spec/expand.h"

#include <stdbool.h>
#include <string.h>

/* Whether a value, or one of a list of values, is written with quotes for a shell. */
static bool needs_quotes(const struct node *node)
{
    if (node->kind == NODE_SCALAR)
        return node->scalar.kind == SCALAR_TEXT && trial_command_needs_quotes(node->text);
    for (uint32_t i = 0; i < node->count; i++)
        if (node->entries[i].node->kind == NODE_LIST || needs_quotes(node->entries[i].node))
            return true;
    return false;
}

static bool parameter_needs_quotes(const struct node *parameter)
{
    const struct node *values = parameter;
    if (parameter->kind == NODE_MAP)
        values = node_find(parameter, node_find(parameter, "values") ? "values" : "value");
    return values && values->kind != NODE_MAP && needs_quotes(values);
}

/* Of a placeholder's name, "params.c:-x": the parameter; NULL: it is of none. */
static const struct node *parameter_named(const char *name, size_t length, const struct node *parameters)
{
    if (length < 7 || strncmp(name, "params.", 7) != 0)
        return NULL;
    for (uint32_t i = 0; i < parameters->count; i++) {
        const char *key = parameters->entries[i].key;
        size_t end = strlen(key) + 7;
        if (end <= length && strncmp(name + 7, key, end - 7) == 0 && (end == length || name[end] == ':'))
            return parameters->entries[i].node;
    }
    return NULL;
}

/* Whether quotes around a placeholder make its values others. */
static bool is_spoilt(const char *name, size_t length, const struct node *parameters)
{
    bool all = length == 4 && strncmp(name, "args", length) == 0, spoilt = all && parameters->count > 1;
    const struct node *one = parameter_named(name, length, parameters);
    for (uint32_t i = 0; all && i < parameters->count; i++)
        spoilt |= parameter_needs_quotes(parameters->entries[i].node);
    return spoilt || (one && parameter_needs_quotes(one));
}

/* The first spoilt placeholder between two quotes; NULL: there is none, or this is a command of its own. */
static const char *find_spoilt(const char *at, const char *end, const struct node *parameters)
{
    const char *found = NULL;
    while (at < end && !strchr(" \t\n;|&", *at)) {
        const char *behind = strncmp(at, "${", 2) == 0 ? expand_placeholder_end(at) : NULL;
        if (behind && !found && at[-1] != '$' && is_spoilt(at + 2, (size_t)(behind - at) - 3, parameters))
            found = at;
        at = behind ? behind : at + 1;
    }
    return at < end ? NULL : found;
}

static void report_quoted(struct problems *problems, const struct node *text, const char *at, const char *quote,
                          const char *end)
{
    int length = (int)(expand_placeholder_end(at) - at);
    problem_hint(
        problem_add(problems, PROBLEM_QUOTED_VALUE, node_mark_within(text, (size_t)(at - text->text), (size_t)length),
                    "'%.*s' stands in quotes, and what is filled in is quoted for the shell already", length, at),
        "leave the quotes out: %.*s", (int)(end - quote) - 1, quote + 1);
}

/* The quote that ends what begins at `quote`; NULL: none does, or there is a command within, with quotes of its own. */
static const char *closing_quote(const char *quote)
{
    const char *at = quote + 1;
    for (; *at && *at != *quote; at++) {
        if (*quote == '"' && (*at == '`' || strncmp(at, "$(", 2) == 0))
            return NULL;
        at += *quote == '"' && *at == '\\' && at[1];
    }
    return *at ? at : NULL;
}

/* A comment may have an apostrophe. */
static bool begins_comment(const char *text, const char *at)
{
    return *at == '#' && (at == text || strchr(" \t\n;|&", at[-1]));
}

void quotes_check(struct problems *problems, const struct node *text, const struct node *parameters)
{
    const char *end;
    if (strstr(text->text, "<<"))
        return; /* a text within the text, where quotes are none */
    for (const char *at = text->text; *at; at++) {
        if (begins_comment(text->text, at) && !(at = strchr(at, '\n')))
            return;
        if (*at == '\\' && at[1])
            at++;
        else if (*at == '"' || *at == '\'') {
            if (!(end = closing_quote(at)))
                return;
            const char *spoilt = find_spoilt(at + 1, end, parameters);
            if (spoilt)
                report_quoted(problems, text, spoilt, at, end);
            at = end;
        }
    }
}
