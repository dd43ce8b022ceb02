/* Reading a command line along its tables; see option.h. */
#include "cli/option.h"
#include "cli/format.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

struct given_option {
    const struct option *option;
    const char *text; /* of a switch: NULL */
    int64_t number;   /* of a COUNT */
};

const struct option option_common[] = {
    {.name = "help", .short_name = 'h', .help = "show this help"},
    {.name = "color",
     .type = OPTION_WORD,
     .value = "auto|always|never",
     .help = "when to use colours (also: NO_COLOR)"},
    {.name = "plain", .help = "plain lines: no colour, nothing redrawn, no drawing characters"},
    {.name = NULL}};

const struct argument argument_experiment[] = {{"EXP", "the experiment; default: the last one", false}, {0}};

/* --- finding a row --- */

static const struct option *find_name(const struct option *table, const char *name, size_t length)
{
    for (; table && table->name; table++)
        if (strlen(table->name) == length && strncmp(table->name, name, length) == 0)
            return table;
    return NULL;
}

static const struct option *find_short_name(const struct option *table, char short_name)
{
    for (; table && table->name; table++)
        if (table->short_name == short_name)
            return table;
    return NULL;
}

/* The names of both tables, with their dashes; free() each and the list. */
static char **all_names(const struct syntax *syntax, size_t *count)
{
    const struct option *tables[] = {syntax->options, option_common};
    char **names = NULL;
    size_t capacity = 0;
    *count = 0;
    for (size_t t = 0; t < 2; t++)
        for (const struct option *row = tables[t]; row && row->name; row++) {
            MEM_GROW(names, capacity, *count + 1);
            names[(*count)++] = mem_format("--%s", row->name);
        }
    return names;
}

/* A person may have meant an option that belongs behind `--`. */
static void add_foreign(const struct syntax *syntax, struct err *err)
{
    struct err known = *err;
    for (const struct argument *row = syntax->arguments; row && row->name; row++)
        if (strncmp(row->name, "-- ", 3) == 0)
            err_write(err, "%s. Behind `--` stand %s", known.text, row->help);
}

static int unknown_option(const struct syntax *syntax, const char *given, struct err *err)
{
    size_t count;
    char **names = all_names(syntax, &count);
    char *name = mem_text_n(given, strcspn(given, "=")), *what = mem_format("%s has no option", syntax->command);
    format_unknown(what, name, (const char *const *)names, count, "options", err);
    add_foreign(syntax, err);
    free(what);
    free(name);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return -1;
}

/* --- values --- */

bool option_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    while (length && *words) {
        size_t end = strcspn(words, "|");
        if (end == length && strncmp(words, word, length) == 0)
            return true;
        words += end + (words[end] == '|');
    }
    return false;
}

static int check_value(const struct syntax *syntax, struct given_option *given, struct err *err)
{
    const struct option *option = given->option;
    if (option->type == OPTION_WORD && !option_word(option->value, given->text))
        return err_set(err, "%s: --%s is %s, not '%s'", syntax->command, option->name, option->value, given->text);
    if (option->type != OPTION_COUNT)
        return 0;
    if (!units_integer(given->text, &given->number) || given->number < 1)
        return err_set(err, "%s: --%s needs a whole number from 1, not '%s'", syntax->command, option->name,
                       given->text);
    return 0;
}

static int add_given(const struct syntax *syntax, struct args *args, const struct option *option, const char *text,
                     struct err *err)
{
    if (option->type != OPTION_SWITCH && !text)
        return err_set(err, "%s: --%s needs a value: --%s %s", syntax->command, option->name, option->name,
                       option->value);
    if (option->type == OPTION_SWITCH && text)
        return err_set(err, "%s: --%s takes no value, but got '%s'", syntax->command, option->name, text);
    if (!option->many && option->type != OPTION_SWITCH && args_has(args, option->name))
        return err_set(err, "%s: --%s is given twice", syntax->command, option->name);
    MEM_GROW(args->given, args->given_capacity, args->given_count + 1);
    struct given_option *given = &args->given[args->given_count++];
    *given = (struct given_option){.option = option, .text = text};
    return check_value(syntax, given, err);
}

/* --- the words of the line; each function returns how many words it used, or -1 --- */

static int read_long(const struct syntax *syntax, struct args *args, char **words, int count, struct err *err)
{
    const char *name = words[0] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const struct option *option = find_name(syntax->options, name, length);
    if (!option)
        option = find_name(option_common, name, length);
    if (!option)
        return unknown_option(syntax, words[0], err);
    bool next = !equals && option->type != OPTION_SWITCH && count > 1;
    const char *text = equals ? equals + 1 : next ? words[1] : NULL;
    return add_given(syntax, args, option, text, err) ? -1 : 1 + next;
}

static int read_short(const struct syntax *syntax, struct args *args, char **words, int count, struct err *err)
{
    for (const char *short_name = words[0] + 1; *short_name; short_name++) {
        const struct option *option = find_short_name(syntax->options, *short_name);
        if (!option)
            option = find_short_name(option_common, *short_name);
        if (!option)
            return unknown_option(syntax, words[0], err);
        if (option->type == OPTION_SWITCH) {
            if (add_given(syntax, args, option, NULL, err))
                return -1;
            continue;
        }
        bool next = !short_name[1] && count > 1;
        const char *text = short_name[1] ? short_name + 1 : next ? words[1] : NULL;
        return add_given(syntax, args, option, text, err) ? -1 : 1 + next;
    }
    return 1;
}

static void add_rest(struct args *args, const char *text)
{
    MEM_GROW(args->rest, args->rest_capacity, args->rest_count + 2);
    args->rest[args->rest_count++] = text;
    args->rest[args->rest_count] = NULL;
}

/* Whether any number of them may be given. */
static bool is_many(const struct argument *row)
{
    size_t length = strlen(row->name);
    return length > 3 && strcmp(row->name + length - 3, "...") == 0;
}

/* Whether there are as many arguments as the table says. */
static int check_rest(const struct syntax *syntax, const struct args *args, struct err *err)
{
    size_t most = 0;
    bool many = false;
    for (const struct argument *row = syntax->arguments; row && row->name; row++, most++) {
        many = is_many(row);
        if (row->needed && args->rest_count <= most && !args_has(args, "help"))
            return err_set(err, "%s needs %s: %s", syntax->command, row->name, row->help);
    }
    if (args->rest_count > most && !many)
        return err_set(err, "%s: '%s' is one argument too many; see %s --help", syntax->command, args->rest[most],
                       syntax->command);
    return 0;
}

int args_read(const struct syntax *syntax, int argc, char **argv, struct args *out, struct err *err)
{
    *out = (struct args){.lists = MEM_NEW(struct arena)};
    bool options = true;
    for (int at = 0; at < argc;) {
        char **words = argv + at;
        int used = 1;
        if (options && strcmp(words[0], "--") == 0)
            options = false;
        else if (options && strncmp(words[0], "--", 2) == 0)
            used = read_long(syntax, out, words, argc - at, err);
        else if (options && words[0][0] == '-' && words[0][1])
            used = read_short(syntax, out, words, argc - at, err);
        else
            add_rest(out, words[0]);
        if (used < 0)
            return -1;
        at += used;
    }
    return check_rest(syntax, out, err);
}

void args_fini(struct args *args)
{
    free(args->given);
    free(args->rest);
    if (args->lists)
        arena_fini(args->lists);
    free(args->lists);
    *args = (struct args){0};
}

/* --- what was given --- */

static const struct given_option *last_given(const struct args *args, const char *name)
{
    for (size_t i = args->given_count; i > 0; i--)
        if (strcmp(args->given[i - 1].option->name, name) == 0)
            return &args->given[i - 1];
    return NULL;
}

bool args_has(const struct args *args, const char *name)
{
    return last_given(args, name) != NULL;
}

const char *args_text(const struct args *args, const char *name, const char *default_value)
{
    const struct given_option *given = last_given(args, name);
    return given ? given->text : default_value;
}

uint64_t args_count(const struct args *args, const char *name, uint64_t default_value)
{
    const struct given_option *given = last_given(args, name);
    return given ? (uint64_t)given->number : default_value;
}

const char *const *args_list(const struct args *args, const char *name, size_t *count)
{
    const char **list = arena_zero(args->lists, args->given_count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < args->given_count; i++)
        if (strcmp(args->given[i].option->name, name) == 0)
            list[(*count)++] = args->given[i].text;
    return list;
}

const char *args_rest(const struct args *args, size_t index)
{
    return index < args->rest_count ? args->rest[index] : NULL;
}
