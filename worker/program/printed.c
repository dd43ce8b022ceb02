/* Finds metrics in text; see printed.h. */
#include "worker/program/printed.h"
#include "common/mem.h"
#include "worker/program/printed_line.h"
#include "worker/program/printed_pattern.h"
#include "worker/program/printed_value.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_LONGEST = 64 << 10,
    OTHERS_NAMED = 8,   /* names in the sentence about them */
    OTHERS_A_LINE = 32, /* of a line with more of those that nobody asked for the rest is left out */
    NAME_LONGEST = 40,  /* of a name that nobody asked for */
    COMMA_LONGEST = 60  /* of what is quoted of a value with a comma */
};

struct printed_metric {
    char *name;
    size_t length;
    bool wanted;
    bool percent; /* a percent sign behind its value divides it by 100 */
    int64_t last_step;
    enum printed_stream stream; /* where it came first; PRINTED_STREAMS: it has not come */
    uint64_t count;             /* its values so far */
    bool is_held;               /* one value more than are told, which is the last: */
    int64_t held_step;
    double held;
};

/* A stream's incomplete line. */
struct unfinished {
    struct buf text;
    bool returned; /* a carriage return came last: only a line feed keeps the text */
};

/* A value found in the present line. */
struct found {
    const char *name; /* in the line */
    size_t length;
    struct printed_metric *wanted; /* NULL: it is another */
    double value;
    int64_t step; /* in brackets behind the value; -1: none */
};

/* What the present line holds. */
struct findings {
    struct found *items;
    size_t count, capacity, others;
    int64_t step, epoch; /* -1: not said */
    bool has_wanted;
};

struct printed {
    struct printed_metric *metrics; /* those that are looked for come first */
    size_t metric_count, metric_capacity, wanted_count;
    printed_call *call;
    void *context;
    struct unfinished lines[PRINTED_STREAMS];
    struct buf plain; /* a line without a terminal's sequences */
    struct findings findings;
    char *others[OTHERS_NAMED];
    size_t other_count;
    char *pattern_text;          /* NULL: there is none */
    struct line_pattern pattern; /* of that text */
    char *comma;                 /* the first value that had a comma for its point, with its name; NULL: none */
    char *unread;                /* the first that is no number, with its name; NULL: none */
};

static struct printed_metric *add_metric(struct printed *printed, const char *name, size_t length, bool wanted)
{
    MEM_GROW(printed->metrics, printed->metric_capacity, printed->metric_count + 1);
    struct printed_metric *metric = &printed->metrics[printed->metric_count++];
    *metric = (struct printed_metric){
        .name = mem_text_n(name, length), .length = length, .wanted = wanted, .stream = PRINTED_STREAMS};
    return metric;
}

struct printed *printed_create(const char *const *names, const char *pattern, printed_call *call, void *context)
{
    struct printed *printed = MEM_NEW(struct printed);
    printed->call = call;
    printed->context = context;
    printed->pattern_text = mem_text(pattern);
    if (pattern &&
        line_pattern_read(printed->pattern_text, &printed->pattern, NULL)) /* whoever read the task has checked it */
        printed->pattern.count = 0;
    for (; names[printed->wanted_count]; printed->wanted_count++)
        add_metric(printed, names[printed->wanted_count], strlen(names[printed->wanted_count]), true);
    return printed;
}

void printed_percent(struct printed *printed, const char *const *names)
{
    for (; names && *names; names++)
        for (size_t i = 0; i < printed->wanted_count; i++)
            printed->metrics[i].percent |= strcmp(printed->metrics[i].name, *names) == 0;
}

void printed_destroy(struct printed *printed)
{
    if (!printed)
        return;
    for (size_t i = 0; i < printed->other_count; i++)
        free(printed->others[i]);
    for (size_t i = 0; i < printed->metric_count; i++)
        free(printed->metrics[i].name);
    for (int i = 0; i < PRINTED_STREAMS; i++)
        buf_fini(&printed->lines[i].text);
    buf_fini(&printed->plain);
    free(printed->metrics);
    free(printed->findings.items);
    free(printed->comma);
    free(printed->unread);
    free(printed->pattern_text);
    free(printed);
}

/* --- names --- */

/* The longest of the names that are looked for that stands at `at` as whole words; NULL: none does. */
static struct printed_metric *find_wanted(const struct printed *printed, const char *at, const char *end)
{
    struct printed_metric *best = NULL;
    for (size_t i = 0; i < printed->wanted_count; i++) {
        struct printed_metric *metric = &printed->metrics[i];
        size_t length = metric->length;
        if (length > (size_t)(end - at) || memcmp(metric->name, at, length) != 0)
            continue;
        bool goes_on = at + length < end && printed_is_word(at[length]) && printed_is_word(at[length - 1]);
        if (!goes_on && (!best || length > best->length))
            best = metric;
    }
    return best;
}

static bool is_named(const char *name, size_t length, const char *word)
{
    return length == strlen(word) && strncasecmp(name, word, length) == 0;
}

/* What stands before a number in logs and is no name of it. */
static bool is_log_word(const char *name, size_t length)
{
    static const char *const words[] = {"info", "debug", "warning", "warn", "error", "critical", "line", "eta"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_named(name, length, words[i]))
            return true;
    return false;
}

static bool may_be_metric(const char *name, size_t length)
{
    return length <= NAME_LONGEST && isalpha((unsigned char)*name) && !is_log_word(name, length);
}

static void remember_other(struct printed *printed, const char *name, size_t length)
{
    if (printed->other_count == OTHERS_NAMED)
        return;
    for (size_t i = 0; i < printed->other_count; i++)
        if (strncmp(printed->others[i], name, length) == 0 && !printed->others[i][length])
            return;
    printed->others[printed->other_count++] = mem_text_n(name, length);
}

static int64_t *step_named(struct findings *findings, const char *name, size_t length)
{
    return is_named(name, length, "step") ? &findings->step : is_named(name, length, "epoch") ? &findings->epoch : NULL;
}

/* --- one line --- */

static void remember_comma(struct printed *printed, const char *name, const char *number, const char *end)
{
    const char *behind = number;
    while (behind < end && (printed_is_word(*behind) || *behind == ','))
        behind++;
    if (!printed->comma && behind - name < COMMA_LONGEST)
        printed->comma = mem_text_n(name, (size_t)(behind - name));
}

/* "loss=None", to the next blank. */
static void remember_unread(struct printed *printed, const char *name, size_t length, const char *value,
                            const char *end)
{
    const char *behind = value, *between = name + length;
    size_t gap = (size_t)(value - between);
    bool has_sign = memchr(between, '=', gap) || memchr(between, ':', gap);
    while (behind < end && !isspace((unsigned char)*behind))
        behind++;
    if (!printed->unread && has_sign && behind > value && behind - name < COMMA_LONGEST)
        printed->unread = mem_text_n(name, (size_t)(behind - name));
}

/* The value behind a name that ends at `at`, and what may stand between; `plain`: blanks alone may. NULL: there is
 * none. */
static const char *find_value(const char *at, const char *end, bool plain)
{
    const char *name_end = at;
    if (at < end && (*at == '"' || *at == '\''))
        at++;
    const char *sign = printed_skip_blanks(at, end);
    if (sign < end && (*sign == '=' || *sign == ':' || (plain && *sign == '|')))
        return printed_skip_blanks(sign + 1, end);
    return plain && at == name_end && sign > at && sign < end ? sign : NULL;
}

static void add_found(struct findings *findings, struct found found)
{
    if (!found.wanted && findings->others == OTHERS_A_LINE)
        return;
    MEM_GROW(findings->items, findings->capacity, findings->count + 1);
    findings->items[findings->count++] = found;
    findings->others += !found.wanted;
    findings->has_wanted |= found.wanted != NULL;
}

/* Looks behind a name for its value, and notes it; where to go on. */
static const char *read_pair(struct printed *printed, struct findings *findings, const char *name, size_t length,
                             struct printed_metric *wanted, const char *end)
{
    const char *behind = name + length;
    int64_t *step = wanted ? NULL : step_named(findings, name, length);
    const char *quoted = behind + (behind < end && (*behind == '"' || *behind == '\''));
    const char *number = step ? printed_step(quoted, end, step) : NULL;
    if (number)
        return number;
    const char *value_at = find_value(behind, end, wanted != NULL);
    double value;
    bool comma;
    if (!value_at || step)
        return behind;
    bool percent = wanted && wanted->percent;
    const char *value_end = (percent ? printed_share : printed_value)(value_at, end, &value, &comma);
    if (!value_end) {
        if (wanted && comma)
            remember_comma(printed, name, value_at, end);
        else if (wanted)
            remember_unread(printed, name, length, value_at, end);
        return comma ? value_at : behind;
    }
    if (wanted || may_be_metric(name, length))
        add_found(findings,
                  (struct found){name, length, wanted, value, wanted ? printed_bracket(&value_end, end) : -1});
    return value_end;
}

static void read_names(struct printed *printed, struct findings *findings, const char *at, const char *end)
{
    const char *start = at;
    while (at < end) {
        bool begins = at == start || !printed_is_word(at[-1]);
        struct printed_metric *wanted = begins ? find_wanted(printed, at, end) : NULL;
        const char *word = at;
        while (!wanted && at < end && printed_is_word(*at))
            at++;
        if (wanted)
            at = read_pair(printed, findings, word, wanted->length, wanted, end);
        else if (at > word)
            at = read_pair(printed, findings, word, (size_t)(at - word), NULL, end);
        else
            at++;
    }
}

/* --- a line by a pattern --- */

static size_t name_at(void *context, const char *at, const char *end)
{
    const struct printed_metric *wanted = find_wanted(context, at, end);
    const char *behind = at;
    while (!wanted && behind < end && printed_is_word(*behind))
        behind++;
    return wanted ? wanted->length : (size_t)(behind - at);
}

static void add_match(struct printed *printed, struct findings *findings, const struct printed_match *match)
{
    struct printed_metric *named =
        match->name ? find_wanted(printed, match->name, match->name + match->length) : printed->metrics;
    struct printed_metric *wanted = named && (!match->name || named->length == match->length) ? named : NULL;
    if (!wanted && !may_be_metric(match->name, match->length))
        return;
    double value = wanted && wanted->percent ? match->share : match->value;
    add_found(findings, (struct found){match->name, match->length, wanted, value, match->step});
    findings->has_wanted = true; /* the line is about metrics: it fits */
}

/* A step that the pattern does not name is what the line says in the usual way. */
static void read_matches(struct printed *printed, struct findings *findings, const char *at, const char *end)
{
    struct printed_match match;
    struct findings usual = {.step = -1, .epoch = -1};
    const char *line = at;
    while ((at = printed_match(&printed->pattern, at, end, name_at, printed, &match)) != NULL)
        add_match(printed, findings, &match);
    if (match.comma && !findings->count && !printed->comma && end - line < COMMA_LONGEST)
        printed->comma = mem_text_n(line, (size_t)(end - line));
    if (!findings->count || printed->pattern.has_step)
        return;
    read_names(printed, &usual, line, end);
    findings->step = usual.step;
    findings->epoch = usual.epoch;
    free(usual.items);
}

/* --- what was found --- */

static struct printed_metric *metric_of(struct printed *printed, const struct found *found)
{
    if (found->wanted)
        return found->wanted;
    for (size_t i = printed->wanted_count; i < printed->metric_count; i++)
        if (printed->metrics[i].length == found->length &&
            memcmp(printed->metrics[i].name, found->name, found->length) == 0)
            return &printed->metrics[i];
    bool full = printed->metric_count - printed->wanted_count >= PRINTED_OTHERS;
    return full ? NULL : add_metric(printed, found->name, found->length, false);
}

static void tell_value(struct printed *printed, struct printed_metric *metric, int64_t step, double value)
{
    metric->count++;
    metric->is_held = !metric->wanted && metric->count > PRINTED_OTHER_VALUES;
    metric->held_step = step;
    metric->held = value;
    if (!metric->is_held)
        printed->call(printed->context, metric->name, step, value);
}

static void take_found(struct printed *printed, const struct findings *findings, const struct found *found,
                       enum printed_stream stream)
{
    struct printed_metric *metric = metric_of(printed, found);
    int64_t step = found->step >= 0 ? found->step : findings->step >= 0 ? findings->step : findings->epoch;
    if (!metric || (step < 0 && metric->stream != PRINTED_STREAMS && metric->stream != stream))
        return;
    if (metric->stream == PRINTED_STREAMS)
        metric->stream = stream;
    metric->last_step = step >= 0 ? step : metric->last_step + 1;
    tell_value(printed, metric, metric->last_step, found->value);
}

/* Those that are looked for come first: what ends the run is told before the rest. */
static void take_findings(struct printed *printed, const struct findings *findings, enum printed_stream stream)
{
    bool all = findings->has_wanted || findings->step >= 0 || findings->epoch >= 0;
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].wanted)
            take_found(printed, findings, &findings->items[i], stream);
    for (size_t i = 0; i < findings->count; i++) {
        const struct found *found = &findings->items[i];
        if (!found->wanted)
            remember_other(printed, found->name, found->length);
        if (!found->wanted && all)
            take_found(printed, findings, found, stream);
    }
}

static void read_line(struct printed *printed, enum printed_stream stream, const char *at, size_t length)
{
    struct findings *findings = &printed->findings;
    *findings = (struct findings){.items = findings->items, .capacity = findings->capacity, .step = -1, .epoch = -1};
    if (memchr(at, '\033', length)) {
        printed_plain(at, at + length, &printed->plain);
        at = buf_str(&printed->plain);
        length = printed->plain.length;
    }
    (printed->pattern_text ? read_matches : read_names)(printed, findings, at, at + length);
    take_findings(printed, findings, stream);
}

/* --- lines --- */

static const char *line_end(const char *at, size_t length)
{
    const char *feed = memchr(at, '\n', length);
    const char *back = memchr(at, '\r', feed ? (size_t)(feed - at) : length);
    return back ? back : feed;
}

static void end_line(struct printed *printed, enum printed_stream stream)
{
    struct unfinished *line = &printed->lines[stream];
    line->returned = false;
    if (line->text.length)
        read_line(printed, stream, buf_str(&line->text), line->text.length);
    buf_clear(&line->text);
}

/* How much of a text that is too long is read by itself: up to where no value, and if possible no record, is cut. */
static size_t part_length(const char *text, size_t length)
{
    enum { LOOKED_BACK = 1024 };
    static const char *const between[] = {"}", ",;", " \t"};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        for (size_t at = length; at > 0 && length - at < LOOKED_BACK; at--)
            if (text[at - 1] && strchr(between[i], text[at - 1]))
                return at;
    return length;
}

static void read_long(struct printed *printed, enum printed_stream stream)
{
    struct buf *text = &printed->lines[stream].text;
    size_t length = part_length(buf_str(text), text->length);
    read_line(printed, stream, buf_str(text), length);
    buf_drop(text, length);
}

void printed_read(struct printed *printed, enum printed_stream stream, const char *bytes, size_t length)
{
    struct unfinished *line = &printed->lines[stream];
    while (length) {
        const char *end = line_end(bytes, length);
        size_t taken = end ? (size_t)(end - bytes) : length;
        if (line->returned && taken) {
            buf_clear(&line->text);
            line->returned = false;
        }
        if (taken > LINE_LONGEST - line->text.length) {
            taken = LINE_LONGEST - line->text.length;
            end = NULL;
        }
        if (end && *end == '\n' && !line->text.length)
            read_line(printed, stream, bytes, taken); /* without a copy */
        else
            buf_add(&line->text, bytes, taken);
        if (end && *end == '\n')
            end_line(printed, stream);
        else if (line->text.length == LINE_LONGEST)
            read_long(printed, stream);
        line->returned |= end && *end == '\r';
        taken += end != NULL;
        bytes += taken;
        length -= taken;
    }
}

void printed_forget(struct printed *printed, enum printed_stream stream)
{
    buf_clear(&printed->lines[stream].text);
    printed->lines[stream].returned = false;
}

void printed_end(struct printed *printed)
{
    for (int i = 0; i < PRINTED_STREAMS; i++)
        end_line(printed, (enum printed_stream)i);
    for (size_t i = 0; i < printed->metric_count; i++) {
        struct printed_metric *metric = &printed->metrics[i];
        if (metric->is_held)
            printed->call(printed->context, metric->name, metric->held_step, metric->held);
        metric->is_held = false;
    }
}

void printed_others(const struct printed *printed, struct buf *out)
{
    if (printed->comma)
        buf_format(out, "it printed '%s', and a decimal comma is not read: print a point (LC_NUMERIC=C)",
                   printed->comma);
    else if (printed->unread)
        buf_format(out, "it printed '%s', which is not read as a number", printed->unread);
    for (size_t i = 0; i < printed->other_count && !printed->comma; i++)
        buf_format(out, "%s%s", i ? ", " : printed->unread ? "; and it printed " : "it printed ", printed->others[i]);
}
