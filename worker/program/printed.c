/* Finds metrics in text; see printed.h. */
#include "worker/program/printed.h"
#include "common/mem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_LONGEST = 64 << 10,
    OTHERS_MOST = 8,    /* names remembered that nobody asked for */
    NAME_LONGEST = 40,  /* of such a name */
    NUMBER_LONGEST = 64 /* characters of a number that can matter */
};

/* One name that is looked for. */
struct wanted {
    char *name;
    size_t length;
    int64_t last_step;
};

struct printed {
    struct wanted *wanted;
    size_t wanted_count;
    printed_call *call;
    void *context;
    struct buf line; /* an incomplete line */
    char *others[OTHERS_MOST];
    size_t other_count;
};

/* A value found in the present line. */
struct found {
    struct wanted *wanted;
    double value;
    int64_t step; /* in brackets behind the value; -1: none */
};

/* What the present line holds. */
struct findings {
    struct found items[32]; /* a line with more metrics is cut */
    size_t count;
    int64_t step, epoch; /* -1: not said */
};

struct printed *printed_create(const char *const *names, printed_call *call, void *context)
{
    struct printed *printed = MEM_NEW(struct printed);
    printed->call = call;
    printed->context = context;
    while (names[printed->wanted_count])
        printed->wanted_count++;
    printed->wanted = MEM_ARRAY(struct wanted, printed->wanted_count);
    for (size_t i = 0; i < printed->wanted_count; i++)
        printed->wanted[i] = (struct wanted){.name = mem_text(names[i]), .length = strlen(names[i])};
    return printed;
}

void printed_destroy(struct printed *printed)
{
    if (!printed)
        return;
    for (size_t i = 0; i < printed->other_count; i++)
        free(printed->others[i]);
    for (size_t i = 0; i < printed->wanted_count; i++)
        free(printed->wanted[i].name);
    buf_fini(&printed->line);
    free(printed->wanted);
    free(printed);
}

/* --- characters --- */

/* What names of metrics are made of: "val_loss", "train/acc", "top-5". */
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '@';
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* Behind a terminal's colour sequence (ESC [ numbers character) when one begins here. */
static const char *skip_colours(const char *at, const char *end)
{
    while (end - at > 1 && at[0] == '\033' && at[1] == '[') {
        at += 2;
        while (at < end && (isdigit((unsigned char)*at) || *at == ';'))
            at++;
        at += at < end;
    }
    return at;
}

/* The number at `at`, which has to end where a word could not go on; behind it, or NULL when there is none. */
static const char *read_number(const char *at, const char *end, double *number)
{
    char text[NUMBER_LONGEST];
    size_t length = 0;
    while (at + length < end && length < sizeof text - 1 && (is_word(at[length]) || at[length] == '+'))
        length++;
    memcpy(text, at, length);
    text[length] = '\0';
    char *rest;
    *number = strtod(text, &rest);
    if (rest == text || isalnum((unsigned char)*rest) || *rest == '_' ||
        (*rest == '.' && isdigit((unsigned char)rest[1])))
        return NULL;
    return at + (rest - text);
}

/* A whole number in brackets, "(12)", or -1; *at moves behind it. */
static int64_t read_bracket(const char **at, const char *end)
{
    enum { DIGITS_MOST = 15 };
    const char *digit = skip_blanks(*at, end);
    if (digit == end || *digit++ != '(')
        return -1;
    const char *first = digit;
    int64_t number = 0;
    for (; digit < end && isdigit((unsigned char)*digit) && digit - first < DIGITS_MOST; digit++)
        number = number * 10 + (*digit - '0');
    if (digit == first || digit == end || *digit != ')')
        return -1;
    *at = digit + 1;
    return number;
}

/* --- one line --- */

static struct wanted *find_wanted(const struct printed *printed, const char *name, size_t length)
{
    for (size_t i = 0; i < printed->wanted_count; i++)
        if (printed->wanted[i].length == length && memcmp(printed->wanted[i].name, name, length) == 0)
            return &printed->wanted[i];
    return NULL;
}

static void remember_other(struct printed *printed, const char *name, size_t length)
{
    if (printed->other_count == OTHERS_MOST || length > NAME_LONGEST || !isalpha((unsigned char)*name))
        return;
    for (size_t i = 0; i < printed->other_count; i++)
        if (strncmp(printed->others[i], name, length) == 0 && !printed->others[i][length])
            return;
    printed->others[printed->other_count++] = mem_text_n(name, length);
}

/* "step" or "epoch", in any case. */
static int64_t *step_named(struct findings *findings, const char *name, size_t length)
{
    if (length == 4 && strncasecmp(name, "step", 4) == 0)
        return &findings->step;
    if (length == 5 && strncasecmp(name, "epoch", 5) == 0)
        return &findings->epoch;
    return NULL;
}

/* Takes a name with its number; behind the number. */
static const char *take_finding(struct printed *printed, struct findings *findings, const char *name, size_t length,
                                double value, const char *at, const char *end)
{
    struct wanted *wanted = find_wanted(printed, name, length);
    int64_t *step = step_named(findings, name, length);
    if (wanted && findings->count < sizeof findings->items / sizeof *findings->items)
        findings->items[findings->count++] = (struct found){wanted, value, read_bracket(&at, end)};
    else if (step && value >= 0 && value < 1e15)
        *step = (int64_t)value;
    else if (!step && !wanted)
        remember_other(printed, name, length);
    return at;
}

/* Looks behind a word for "=" or ":" (a closing quote before it, as JSON has) and a number. */
static const char *read_pair(struct printed *printed, struct findings *findings, const char *name, const char *at,
                             const char *end)
{
    size_t length = (size_t)(at - name);
    double value;
    at = skip_colours(at, end);
    if (at < end && (*at == '"' || *at == '\''))
        at++;
    const char *sign = skip_blanks(at, end);
    if (sign == end || (*sign != '=' && *sign != ':'))
        return at;
    const char *number = skip_colours(skip_blanks(sign + 1, end), end);
    const char *behind = read_number(number, end, &value);
    return behind ? take_finding(printed, findings, name, length, value, behind, end) : sign + 1;
}

static void report_findings(struct printed *printed, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        const struct found *found = &findings->items[i];
        int64_t step = found->step >= 0       ? found->step
                       : findings->step >= 0  ? findings->step
                       : findings->epoch >= 0 ? findings->epoch
                                              : found->wanted->last_step + 1;
        found->wanted->last_step = step;
        printed->call(printed->context, found->wanted->name, step, found->value);
    }
}

static void read_line(struct printed *printed, const char *at, const char *end)
{
    struct findings findings = {.step = -1, .epoch = -1};
    while (at < end) {
        at = skip_colours(at, end);
        const char *name = at;
        while (at < end && is_word(*at))
            at++;
        if (at > name)
            at = read_pair(printed, &findings, name, at, end);
        else if (at < end)
            at++;
    }
    report_findings(printed, &findings);
}

/* --- lines --- */

static const char *line_end(const char *at, size_t length)
{
    const char *feed = memchr(at, '\n', length);
    const char *back = memchr(at, '\r', feed ? (size_t)(feed - at) : length);
    return back ? back : feed;
}

void printed_read(struct printed *printed, const char *bytes, size_t length)
{
    while (length) {
        const char *end = line_end(bytes, length);
        size_t taken = end ? (size_t)(end - bytes) : length;
        if (printed->line.length || !end) {
            if (taken > LINE_LONGEST - printed->line.length) {
                taken = LINE_LONGEST - printed->line.length;
                end = NULL;
            }
            buf_add(&printed->line, bytes, taken);
            if (end || printed->line.length == LINE_LONGEST)
                printed_end(printed);
        } else {
            read_line(printed, bytes, end);
        }
        taken += end != NULL;
        bytes += taken;
        length -= taken;
    }
}

void printed_end(struct printed *printed)
{
    read_line(printed, buf_str(&printed->line), buf_str(&printed->line) + printed->line.length);
    buf_clear(&printed->line);
}

void printed_others(const struct printed *printed, struct buf *out)
{
    for (size_t i = 0; i < printed->other_count; i++)
        buf_format(out, i ? ", %s" : "%s", printed->others[i]);
}
