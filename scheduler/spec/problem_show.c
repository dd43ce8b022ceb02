/* Problems as people and programs read them:
 *
 *     cifar.yaml:31:3: error: unknown key 'max_trails' in 'limits'
 *        31 |   max_trails: 400
 *           |   ^^^^^^^^^^ did you mean 'max_trials'?
 *
 * A hint that would make the last line too long goes to a line of its own, "= help: ...". */
#include "scheduler/spec/problem.h"
#include "scheduler/spec/text.h"
#include "common/utf8.h"

#include <string.h>

enum {
    SHOWN_PROBLEMS = 20,
    SHOWN_WIDTH = 110, /* characters of a line that are shown, and of a caret line with its hint */
    BEFORE_CARET = 60  /* of a longer line: what is shown before the place */
};

/* Whether a character shows itself, in a column of its own, and says nothing to a terminal. */
static bool is_visible(int32_t character)
{
    return text_plain(character) && !utf8_is_control((uint32_t)character) && !utf8_is_hidden((uint32_t)character);
}

/* A text that may be anything, a file's name above all: controls but tabs, and what is not UTF-8, are a '?', and what
 * hides is shown. */
static void add_visible(struct buf *out, const char *text)
{
    size_t size;
    for (size_t length = strlen(text), at = 0; at < length; at += size) {
        int32_t character = text_character(text + at, length - at, &size);
        if (character == '\t' || (text_plain(character) && !utf8_is_control((uint32_t)character)))
            utf8_add(text + at, size, (uint32_t)character, out);
        else
            buf_text(out, "?");
    }
}

/* What of a line is shown, in characters from 0. */
struct line_window {
    uint32_t first, count;
    bool cut_front, cut_back;
};

static struct line_window window_around(uint32_t column, uint32_t characters)
{
    struct line_window window = {.count = characters};
    if (characters > SHOWN_WIDTH) {
        window.first = column > BEFORE_CARET ? column - BEFORE_CARET : 0;
        window.count = characters - window.first < SHOWN_WIDTH ? characters - window.first : SHOWN_WIDTH;
    }
    window.cut_front = window.first > 0;
    window.cut_back = window.first + window.count < characters;
    return window;
}

/* The characters of the window, one column each: a tab is a space, what is not UTF-8 or is invisible a '?'. */
static void add_line(struct buf *out, const char *line, size_t length, struct line_window window)
{
    size_t size;
    uint32_t index = 0;
    buf_text(out, window.cut_front ? "..." : "");
    for (size_t at = 0; at < length && index < window.first + window.count; at += size, index++) {
        int32_t character = text_character(line + at, length - at, &size);
        if (index < window.first)
            continue;
        if (character == '\t')
            buf_text(out, " ");
        else if (is_visible(character))
            buf_add(out, line + at, size);
        else
            buf_text(out, "?");
    }
    buf_text(out, window.cut_back ? "...\n" : "\n");
}

static void add_repeated(struct buf *out, char c, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        buf_add(out, &c, 1);
}

/* The carets below the place. Returns how many characters the line has. */
static uint32_t add_caret(struct buf *out, const struct problem *problem, struct line_window window)
{
    uint32_t column = problem->column - 1, end = problem->end_column - 1;
    uint32_t shift = column - window.first + (window.cut_front ? 3 : 0);
    if (end > window.first + window.count)
        end = window.first + window.count;
    uint32_t carets = end > column ? end - column : 1;
    add_repeated(out, ' ', shift);
    add_repeated(out, '^', carets);
    return shift + carets;
}

static bool source_of(const struct problems *problems, const struct problem *problem, const char **line, size_t *length)
{
    *line = NULL;
    if (problem->option) {
        *line = problem->option;
        *length = strlen(problem->option);
    } else if (problem->line && problems->text) {
        *line = text_line(problems->text, problem->line, length);
    }
    return *line && problem->column && problem->column <= text_characters(*line, *length) + 1;
}

static void show_place(const struct problems *problems, const struct problem *problem, struct buf *out)
{
    buf_text(out, problem->option ? "--set " : "");
    add_visible(out, problem->option ? problem->option : problems->file);
    if (problem->line && !problem->option)
        buf_format(out, ":%u:%u", problem->line, problem->column);
    buf_text(out, ": ");
}

static void show_problem(const struct problems *problems, const struct problem *problem, struct buf *out)
{
    show_place(problems, problem, out);
    buf_text(out, problem->warning ? "warning: " : "error: ");
    add_visible(out, problem->message);
    buf_text(out, "\n");
    const char *line, *hint = problem->hint;
    size_t length;
    if (source_of(problems, problem, &line, &length)) {
        struct line_window window = window_around(problem->column - 1, (uint32_t)text_characters(line, length));
        problem->option ? buf_text(out, "      | ") : buf_format(out, "%5u | ", problem->line);
        add_line(out, line, length, window);
        buf_text(out, "      | ");
        uint32_t used = add_caret(out, problem, window);
        if (hint && used + 1 + text_characters(hint, strlen(hint)) <= SHOWN_WIDTH) {
            buf_text(out, " ");
            add_visible(out, hint);
            hint = NULL;
        }
        buf_text(out, "\n");
    }
    if (hint) {
        buf_text(out, "      = help: ");
        add_visible(out, hint);
        buf_text(out, "\n");
    }
}

void problems_show(struct problems *problems, struct buf *out)
{
    problems_sort(problems);
    for (size_t i = 0; i < problems->count && i < SHOWN_PROBLEMS; i++)
        show_problem(problems, &problems->items[i], out);
    if (problems->count <= SHOWN_PROBLEMS)
        return;
    add_visible(out, problems->file);
    buf_format(out, ": ... and %zu more, which gannet check --json lists\n", problems->count - SHOWN_PROBLEMS);
}

static void add_count(struct buf *out, size_t count, const char *what, const char *before)
{
    if (count)
        buf_format(out, "%s%zu %s%s", before, count, what, count == 1 ? "" : "s");
}

void problems_summary(const struct problems *problems, const char *consequence, struct buf *out)
{
    if (!problems->count)
        return;
    size_t warnings = problems->count - problems->errors;
    add_visible(out, problems->file);
    buf_text(out, ": ");
    add_count(out, problems->errors, "error", "");
    add_count(out, warnings, "warning", problems->errors ? ", " : "");
    if (problems->errors && consequence)
        buf_format(out, "; %s", consequence);
    buf_text(out, problems->errors && consequence ? ".\n" : "\n");
}

/* A text as JSON; a name that is not UTF-8 (only the file's can be) becomes "?". */
static json_t *json_of_text(const char *text)
{
    json_t *json = text ? json_string(text) : json_null();
    return json ? json : json_string("?");
}

json_t *problems_json(struct problems *problems)
{
    problems_sort(problems);
    json_t *list = json_array();
    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *problem = &problems->items[i];
        json_t *item = json_pack("{s:o, s:I, s:I, s:I, s:s, s:o, s:o, s:o}", "file", json_of_text(problems->file),
                                 "line", (json_int_t)problem->line, "column", (json_int_t)problem->column, "end_column",
                                 (json_int_t)problem->end_column, "severity", problem->warning ? "warning" : "error",
                                 "code", json_of_text(problem->code), "message", json_of_text(problem->message), "hint",
                                 json_of_text(problem->hint));
        if (problem->option)
            json_object_set_new(item, "option", json_of_text(problem->option));
        json_array_append_new(list, item);
    }
    return list;
}
