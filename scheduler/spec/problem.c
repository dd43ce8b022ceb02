/* The list of problems; see problem.h. What it looks like on a terminal is in problem_show.c. */
#include "scheduler/spec/problem.h"
#include "scheduler/spec/text.h"
#include "common/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sentence longer than this quotes something enormous and is cut. */
enum { LONGEST_SENTENCE = 600 };

const struct problem_kind problem_kinds[] = {
#define X(id, name, warning, meaning) {name, warning, meaning},
    PROBLEM_CODES(X)
#undef X
};

static void fini_problem(struct problem *problem)
{
    free(problem->option);
    free(problem->code);
    free(problem->message);
    free(problem->hint);
}

void problems_fini(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        fini_problem(&problems->items[i]);
    free(problems->items);
    free(problems->file);
    free(problems->text);
    for (size_t i = 0; i < problems->option_count; i++)
        free(problems->options[i]);
    free(problems->options);
    *problems = (struct problems){0};
}

/* What a file says may be quoted; to a terminal it must not say anything: what isn't visible becomes a '?'. */
static void make_visible(char *text)
{
    size_t length = strlen(text), size;
    char *to = text;
    for (const char *at = text, *end = text + length; at < end; at += size) {
        int32_t character = text_character(at, (size_t)(end - at), &size);
        bool visible = text_plain(character) && character >= ' ' && character != 0x85;
        if (visible)
            memmove(to, at, size);
        else
            *to = '?';
        to += visible ? size : 1;
    }
    *to = '\0';
}

static char *format_sentence(const char *format, va_list args)
{
    char text[LONGEST_SENTENCE];
    int length = vsnprintf(text, sizeof text, format, args);
    assert(length >= 0);
    if ((size_t)length >= sizeof text)
        strcpy(text + text_whole(text, sizeof text - 4), "...");
    make_visible(text);
    return mem_text(text);
}

static struct problem *add_problem(struct problems *problems, enum problem_code code, struct source_mark mark,
                                   const char *hint, const char *format, va_list args)
{
    const struct problem_kind *kind = &problem_kinds[code];
    MEM_GROW(problems->items, problems->capacity, problems->count + 1);
    struct problem *problem = &problems->items[problems->count];
    *problem = (struct problem){.warning = kind->warning,
                                .line = mark.line,
                                .column = mark.column,
                                .end_column = mark.end_column,
                                .option = mem_text(mark.option),
                                .code = mem_text(kind->name),
                                .message = format_sentence(format, args),
                                .order = problems->count++};
    problems->errors += !kind->warning;
    if (hint)
        problem_hint(problem, "%s", hint);
    return problem;
}

struct problem *problem_add(struct problems *problems, enum problem_code code, struct source_mark mark,
                            const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct problem *problem = add_problem(problems, code, mark, NULL, format, args);
    va_end(args);
    return problem;
}

void problem_say(struct problems *problems, enum problem_code code, struct source_mark mark, const char *hint,
                 const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_problem(problems, code, mark, hint, format, args);
    va_end(args);
}

void problem_hint(struct problem *problem, const char *format, ...)
{
    free(problem->hint);
    va_list args;
    va_start(args, format);
    problem->hint = format_sentence(format, args);
    va_end(args);
}

static int by_number(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int by_place(const void *first, const void *second)
{
    const struct problem *a = first, *b = second;
    if (a->warning != b->warning)
        return a->warning - b->warning;
    if (!a->option != !b->option)
        return a->option ? 1 : -1;
    if (!a->option && a->line != b->line)
        return by_number(a->line, b->line);
    if (!a->option && a->column != b->column)
        return by_number(a->column, b->column);
    return by_number(a->order, b->order);
}

static bool is_same_problem(const struct problem *a, const struct problem *b)
{
    return a->warning == b->warning && !a->option == !b->option && a->line == b->line && a->column == b->column &&
           strcmp(a->message, b->message) == 0;
}

static void drop_problem(struct problems *problems, size_t index)
{
    struct problem *problem = &problems->items[index];
    problems->errors -= !problem->warning;
    fini_problem(problem);
    memmove(problem, problem + 1, (--problems->count - index) * sizeof *problem);
}

/* What an anchor names is checked at each of its aliases and would be reported at each. */
void problems_sort(struct problems *problems)
{
    if (problems->count)
        qsort(problems->items, problems->count, sizeof *problems->items, by_place);
    for (size_t i = problems->count; i-- > 1;)
        if (is_same_problem(&problems->items[i], &problems->items[i - 1]))
            drop_problem(problems, i);
}
