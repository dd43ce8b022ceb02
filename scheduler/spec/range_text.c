/* Ranges and distributions in one text; see range_text.h. */
#include "scheduler/spec/range_text.h"
#include "scheduler/spec/foreign.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum range_shape { EVEN, LOG, EXPONENTS, POWERS, WHOLE, WHOLE_LOG, NORMAL, LOG_NORMAL, CHOICE };

/* What is called, whatever is in front of it (tune., hp., np.random., trial.). */
static const struct {
    const char *name;
    enum range_shape shape;
} functions[] = {
    {"uniform", EVEN},
    {"quniform", EVEN},
    {"suggest_float", EVEN},
    {"suggest_uniform", EVEN},
    {"suggest_discrete_uniform", EVEN},
    {"linspace", EVEN},
    {"interval", EVEN},
    {"float", EVEN},
    {"log_uniform", LOG},
    {"qlog_uniform", LOG},
    {"suggest_log_uniform", LOG},
    {"reciprocal", LOG},
    {"geomspace", LOG},
    {"logspace", POWERS},
    {"int", WHOLE},
    {"integer", WHOLE},
    {"range", WHOLE},
    {"arange", WHOLE},
    {"randint", WHOLE},
    {"qrandint", WHOLE},
    {"uniform_int", WHOLE},
    {"suggest_int", WHOLE},
    {"log_randint", WHOLE_LOG},
    {"qlog_randint", WHOLE_LOG},
    {"normal", NORMAL},
    {"randn", NORMAL},
    {"qnormal", NORMAL},
    {"gaussian", NORMAL},
    {"log_normal", LOG_NORMAL},
    {"qlog_normal", LOG_NORMAL},
    {"choice", CHOICE},
    {"pchoice", CHOICE},
    {"choices", CHOICE},
    {"grid_search", CHOICE},
    {"categorical", CHOICE},
    {"suggest_categorical", CHOICE},
    {"sample_from", CHOICE},
};

/* A number as it was written, so that it is shown so. */
struct written_number {
    char text[32];
    double number;
};

/* --- reading --- */

/* The number at the beginning of a text; what follows it, or NULL. */
static const char *read_number(const char *text, struct written_number *out)
{
    char *end;
    text += strspn(text, " ");
    out->number = strtod(text, &end);
    size_t length = (size_t)(end - text);
    if (length > 1 && end[-1] == '.' && *end == '.') { /* "1..5" */
        length--;
        end--;
    }
    if (!length || length >= sizeof out->text || !isfinite(out->number) || isalpha((unsigned char)*text))
        return NULL;
    snprintf(out->text, sizeof out->text, "%.*s", (int)length, text);
    return end;
}

/* The first two numbers among what a function is called with: a name in quotes, as Optuna and hyperopt have it, and
 * names of arguments come before them. */
static bool read_two(const char *at, struct written_number two[2])
{
    int found = 0;
    while (*at && found < 2) {
        const char *end = NULL;
        if (*at == '"' || *at == '\'') {
            const char *close = strchr(at + 1, *at);
            at = close ? close + 1 : at + strlen(at);
            continue;
        }
        if (isalpha((unsigned char)*at) || *at == '_') {
            at += strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
            continue;
        }
        if (isdigit((unsigned char)*at) || strchr("+-.", *at))
            end = read_number(at, &two[found]);
        found += end != NULL;
        at = end ? end : at + 1;
    }
    return found == 2;
}

/* The function that a text calls, by the last part of its name; -1: none. `inside` gets what it is called with. Within
 * {} YAML ends the text at its first comma: then its bracket is not closed. */
static int read_call(const char *text, const char **inside)
{
    size_t length = strcspn(text, "([");
    const char *name = text + length;
    char last[40];
    bool closed = strchr(")]", text[strlen(text) - 1]);
    if (!length || !text[length] || (!closed && strpbrk(text, ")]")))
        return -1;
    while (name > text && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
        name--;
    snprintf(last, sizeof last, "%.*s", (int)(text + length - name), name);
    *inside = text + length + 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (foreign_same_name(functions[i].name, last))
            return (int)functions[i].shape;
    return -1;
}

/* "0.1..0.5", "1e-5 to 1e-2", "[0.1:0.5]". */
static bool read_span(const char *text, struct written_number two[2])
{
    static const char *const between[] = {"...", "..", " to ", " - ", " .. ", " ... ", "~"};
    bool bracket = strchr("[(", *text) && *text;
    const char *at = read_number(text + bracket, &two[0]), *last = NULL;
    for (size_t i = 0; at && !last && i < sizeof between / sizeof *between; i++)
        if (strncmp(at, between[i], strlen(between[i])) == 0)
            last = read_number(at + strlen(between[i]), &two[1]);
    if (at && !last && bracket && (*at == ':' || *at == ','))
        last = read_number(at + 1, &two[1]);
    return last && strcmp(last, bracket && strchr("])", *last) ? last : "") == 0;
}

/* --- writing --- */

static void write_real(double number, struct written_number *out)
{
    *out = (struct written_number){.number = number};
    snprintf(out->text, sizeof out->text, "%.6g", number);
}

static bool is_whole(const struct written_number *written)
{
    return !strpbrk(written->text, ".eE");
}

static void add_range(struct written_number two[2], enum range_shape shape, struct buf *here)
{
    bool whole = shape == WHOLE || shape == WHOLE_LOG, log = shape == LOG || shape == WHOLE_LOG;
    int low = two[0].number > two[1].number;
    buf_format(here, "{min: %s, max: %s%s%s}", two[low].text, two[!low].text, log ? ", log: true" : "",
               !whole && is_whole(&two[0]) && is_whole(&two[1]) ? ", type: float" : "");
}

/* W&B's and hyperopt's exponents of e, and numpy's of 10, as values. */
static void add_powers(struct written_number two[2], enum range_shape shape, struct buf *here)
{
    for (int i = 0; i < 2; i++)
        write_real(shape == POWERS ? pow(10, two[i].number) : exp(two[i].number), &two[i]);
    add_range(two, LOG, here);
}

/* What stands in the brackets of a choice, if it is a plain list. */
static void add_choice(const char *inside, struct buf *here)
{
    const char *open = strchr(inside, '['), *from = open ? open + 1 : inside;
    size_t length = strcspn(from, "])");
    buf_format(here, length ? "[%.*s]" : "[a, b]", (int)length, from);
}

static void add_shape(enum range_shape shape, const char *inside, struct buf *here)
{
    struct written_number two[2];
    if (shape == CHOICE)
        add_choice(inside, here);
    else if (!read_two(inside, two))
        buf_format(here, "{min: ..., max: ...%s}", shape == LOG || shape == WHOLE_LOG ? ", log: true" : "");
    else if (shape == NORMAL || shape == LOG_NORMAL)
        buf_format(here, "{mean: %s, stddev: %s%s}", two[0].text, two[1].text, shape == NORMAL ? "" : ", log: true");
    else if (shape == EXPONENTS || shape == POWERS)
        add_powers(two, shape, here);
    else
        add_range(two, shape, here);
}

/* hyperopt's loguniform takes exponents, and so does whoever gives a logarithm a negative end. */
static enum range_shape settle_shape(enum range_shape shape, const char *text, const char *inside)
{
    struct written_number two[2];
    if (shape == EVEN && strstr(inside, "log=True"))
        return LOG;
    if (shape == WHOLE && strstr(inside, "log=True"))
        return WHOLE_LOG;
    if (shape == LOG && (strncmp(text, "hp.", 3) == 0 || (read_two(inside, two) && two[0].number < 0)))
        return EXPONENTS;
    return shape;
}

/* --- what is asked --- */

static bool is_range(const char *text, struct buf *here)
{
    const char *inside;
    struct written_number two[2];
    int shape = read_call(text, &inside);
    if (shape >= 0) {
        add_shape(settle_shape((enum range_shape)shape, text, inside), inside, here);
        return true;
    }
    if (!read_span(text, two))
        return false;
    add_range(two, is_whole(&two[0]) && is_whole(&two[1]) ? WHOLE : EVEN, here);
    return true;
}

/* [1e-5, 1e-2, log]: two numbers and a word for how they are spread. */
static bool is_range_list(const struct node *list, struct buf *here)
{
    static const struct {
        const char *word;
        enum range_shape shape;
    } words[] = {{"log", LOG},     {"loguniform", LOG}, {"log10", LOG}, {"uniform", EVEN},
                 {"linear", EVEN}, {"float", EVEN},     {"int", WHOLE}, {"integer", WHOLE}};
    struct written_number two[2];
    if (list->count != 3 || !node_is(list->entries[2].node, SCALAR_TEXT))
        return false;
    for (int i = 0; i < 2; i++)
        if (!node_number(list->entries[i].node, &two[i].number) || !read_number(list->entries[i].node->text, &two[i]))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (foreign_same_name(words[i].word, list->entries[2].node->text)) {
            add_range(two, words[i].shape, here);
            return true;
        }
    return false;
}

bool range_text_is(const struct node *node, struct buf *here)
{
    if (node->kind == NODE_LIST)
        return is_range_list(node, here);
    return node_is(node, SCALAR_TEXT) && is_range(node->text, here);
}

bool range_text_may_be(const struct node *list)
{
    double low, high;
    return list->kind == NODE_LIST && list->count == 2 && node_is(list->entries[0].node, SCALAR_REAL) &&
           node_is(list->entries[1].node, SCALAR_REAL) && node_number(list->entries[0].node, &low) &&
           node_number(list->entries[1].node, &high) && low >= 0 && high > low && high >= 10 * low;
}
