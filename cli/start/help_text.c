/* Reading a help text; see help_text.h. Three steps: lines are gathered into entries (what stands left, what is said
 * about it), the left side is read word by word, and the default and the range are looked for in what is said. */
#include "cli/start/help_text.h"
#include "common/buf.h"
#include "common/units.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_OPTIONS = 1000, LONGEST_WORD = 256 };

/* --- values --- */

/* A word of a help text as JSON: True, 0.1, 3, 'sgd'; NULL for None and nothing. */
static json_t *value_of(const char *text, size_t length)
{
    char word[LONGEST_WORD];
    int64_t integer;
    double real;
    while (length && strchr(" '\"", text[length - 1]))
        length--;
    while (length && strchr(" '\"", *text))
        text++, length--;
    if (!length || length >= sizeof word)
        return NULL;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    if (strcasecmp(word, "none") == 0 || strcasecmp(word, "null") == 0)
        return NULL;
    if (strcasecmp(word, "true") == 0 || strcasecmp(word, "false") == 0)
        return json_boolean(tolower((unsigned char)*word) == 't');
    if (units_integer(word, &integer))
        return json_integer(integer);
    return units_number(word, &real) ? json_real(real) : json_string(word);
}

/* "{a,b}", "[a|b]" without the brackets. */
static json_t *choices_of(const char *text, size_t length, const char *separators)
{
    json_t *list = json_array();
    while (length) {
        size_t one = strcspn(text, separators);
        one = one < length ? one : length;
        json_t *value = value_of(text, one);
        if (value)
            json_array_append_new(list, value);
        length -= one + (one < length);
        text += one + (length > 0);
    }
    return list;
}

/* --- what is said about an option --- */

/* Where the default stands: behind "default: ", "default=", "defaults to ", "default is "; NULL: nowhere. */
static const char *find_default(const char *help)
{
    const char *at = strcasestr(help, "default");
    if (!at)
        return NULL;
    at += strlen("default");
    at += *at == 's';
    size_t marks = strspn(at, ":= ");
    at += marks;
    if (strncmp(at, "to ", 3) == 0 || strncmp(at, "is ", 3) == 0)
        return at + 3;
    return marks ? at : NULL;
}

static void read_default(json_t *option, const char *help)
{
    const char *at = find_default(help);
    if (!at)
        return;
    size_t length = strcspn(at, ")];,\n");
    length -= length && at[length - 1] == '.';
    json_t *value = value_of(at, length);
    if (!value)
        return;
    const char *type = json_is_real(value) ? "float" : json_is_integer(value) ? "int" : NULL;
    if (type && !json_object_get(option, "type"))
        json_object_set_new(option, "type", json_string(type));
    json_object_set_new(option, "default", value);
}

/* click: "[0<=x<=1]", "[x>=1]". */
static void read_range(json_t *option, const char *help)
{
    const char *x = strstr(help, "x<"), *least = strstr(help, "x>");
    double number;
    if (x && sscanf(x + 2 + (x[2] == '='), "%lf", &number) == 1)
        json_object_set_new(option, "max", json_real(number));
    if (least && sscanf(least + 2 + (least[2] == '='), "%lf", &number) == 1)
        json_object_set_new(option, "min", json_real(number));
    x = strstr(help, "<x") ? strstr(help, "<x") : strstr(help, "<=x");
    const char *begin = x;
    while (begin && begin > help && strchr("0123456789.e+-", begin[-1]))
        begin--;
    if (x && begin < x && sscanf(begin, "%lf", &number) == 1)
        json_object_set_new(option, "min", json_real(number));
}

/* --- the left side --- */

/* A row: the word that stands for a value, and its type. */
static const char *const metavars[][2] = {{"FLOAT", "float"},  {"INTEGER", "int"},   {"INT", "int"},
                                          {"BOOLEAN", "bool"}, {"BOOL", "bool"},     {"PATH", "path"},
                                          {"FILE", "path"},    {"FILENAME", "path"}, {"DIRECTORY", "path"},
                                          {"DIR", "path"},     {"TEXT", "text"},     {"STRING", "text"}};

/* What the left side is while it is read. */
struct option_side {
    json_t *option;
    unsigned values; /* words behind the last spelling */
    bool other;      /* a '/' stood before: what follows switches it off */
};

static void read_spelling(struct option_side *side, const char *word, size_t length)
{
    char spelling[LONGEST_WORD];
    size_t own = strcspn(word, "=[");
    own = own < length ? own : length;
    snprintf(spelling, sizeof spelling, "%.*s", (int)own, word);
    const char *before = json_string_value(json_object_get(side->option, "spelling"));
    bool no = before && (side->other || strncmp(spelling, "--no-", 5) == 0);
    if (no)
        json_object_set_new(side->option, "negative", json_string(spelling));
    else if (!before || strlen(spelling) > strlen(before))
        json_object_set_new(side->option, "spelling", json_string(spelling));
    side->values = own < length;
}

static void read_metavar(struct option_side *side, const char *word, size_t length)
{
    if (length > 2 && strchr("<[", *word))
        word++, length -= 2;
    if (length == 5 && strncmp(word, "RANGE", 5) == 0)
        return;
    side->values++;
    if (side->values > 1 || memmem(word, length, "...", 3))
        json_object_set_new(side->option, "many", json_true());
    for (size_t i = 0; i < sizeof metavars / sizeof *metavars; i++)
        if (strlen(metavars[i][0]) == length && strncasecmp(metavars[i][0], word, length) == 0)
            json_object_set_new(side->option, "type", json_string(metavars[i][1]));
}

/* A list of choices: {a,b}, [a|b], <a|b>. */
static void read_choices(struct option_side *side, const char *word, size_t length)
{
    side->values++;
    if (!json_object_get(side->option, "choices"))
        json_object_set_new(side->option, "choices", choices_of(word + 1, length - 2, ",|"));
}

static void read_side(struct option_side *side, const char *text)
{
    for (size_t between; *text; text += between) {
        size_t length = strcspn(text, " ,");
        const char *brace = *text == '{' ? strchr(text, '}') : NULL;
        if (brace)
            length = (size_t)(brace - text) + 1;
        bool list = length > 2 && strchr("[<", *text) && memchr(text, '|', length);
        if (brace || list)
            read_choices(side, text, length);
        else if (*text == '-')
            read_spelling(side, text, length);
        else if (length && *text != '|')
            read_metavar(side, text, length);
        text += length;
        between = strspn(text, " ,/");
        side->other = memchr(text, '/', between) != NULL;
    }
}

/* --- entries --- */

/* One entry of the help text while its lines are read. */
struct help_entry {
    struct buf side, help;
    size_t indent;
    bool open, positional;
};

/* The whole text, and where its reading stands. */
struct help_reading {
    json_t *options;
    struct buf usage; /* its first paragraph */
    bool in_usage, in_positional;
    struct help_entry entry;
};

/* An option that the usage has without brackets must be given. */
static bool is_required(const struct buf *usage, const char *spelling, const char *help)
{
    const char *at = usage->length ? strstr(buf_str(usage), spelling) : NULL;
    char after = at ? at[strlen(spelling)] : 0;
    if (strstr(help, "[required]"))
        return true;
    return at && at > usage->data && at[-1] == ' ' && !(at > usage->data + 1 && strchr("|[(", at[-2])) &&
           (after == ' ' || after == '=' || !after);
}

static void complete_option(struct help_reading *reading, struct option_side *side, const char *help)
{
    json_t *option = side->option;
    const char *spelling = json_string_value(json_object_get(option, "spelling"));
    bool positional = reading->entry.positional;
    if (!positional && !side->values)
        json_object_set_new(option, "type", json_string("flag"));
    read_default(option, help);
    read_range(option, help);
    if (!positional)
        json_object_set_new(option, "name", json_string(spelling + strspn(spelling, "-")));
    if (positional || is_required(&reading->usage, spelling, help))
        json_object_set_new(option, "required", json_true());
    json_object_set_new(option, "help", json_string(help));
}

static void close_entry(struct help_reading *reading)
{
    struct help_entry *entry = &reading->entry;
    struct option_side side = {.option = json_object()};
    const char *left = buf_str(&entry->side);
    if (entry->open && entry->positional)
        json_object_set_new(side.option, "name", json_stringn(left, strcspn(left, " ,")));
    else if (entry->open)
        read_side(&side, left);
    const char *spelling = json_string_value(json_object_get(side.option, "spelling"));
    bool about = spelling && (strcmp(spelling, "--help") == 0 || strcmp(spelling, "--version") == 0);
    if (entry->open && (spelling || entry->positional) && !about && json_array_size(reading->options) < MOST_OPTIONS) {
        complete_option(reading, &side, buf_str(&entry->help));
        json_array_append(reading->options, side.option);
    }
    json_decref(side.option);
    buf_clear(&entry->side);
    buf_clear(&entry->help);
    entry->open = false;
}

/* Where what is said begins: behind two spaces. */
static size_t side_length(const char *line, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (line[i] == '\t' || (line[i] == ' ' && line[i + 1] == ' '))
            return i;
    return length;
}

static void open_entry(struct help_reading *reading, const char *line, size_t length, size_t indent)
{
    struct help_entry *entry = &reading->entry;
    size_t side = side_length(line, length), gap = side + strspn(line + side, " \t");
    close_entry(reading);
    buf_add(&entry->side, line, side);
    if (gap < length)
        buf_add(&entry->help, line + gap, length - gap);
    entry->indent = indent;
    entry->open = true;
    entry->positional = *line != '-';
}

/* Whether options are listed from here on: behind an empty line, or at once, less far to the right than the usage goes
 * on behind its word. */
static bool ends_usage(const char *line, size_t length, size_t indent)
{
    return !length || (*line == '-' && indent < sizeof "usage: " - 1);
}

static void read_line(struct help_reading *reading, const char *line, size_t length)
{
    size_t indent = strspn(line, " \t");
    indent = indent < length ? indent : length;
    line += indent;
    length -= indent;
    if (length > 5 && strncasecmp(line, "usage:", 6) == 0)
        reading->in_usage = true;
    else if (ends_usage(line, length, indent))
        reading->in_usage = false;
    if (reading->in_usage) {
        buf_add(&reading->usage, line, length);
        buf_text(&reading->usage, " ");
        return;
    }
    bool option = length > 1 && *line == '-' && (line[1] == '-' || isalpha((unsigned char)line[1]));
    bool further = reading->entry.open && indent > reading->entry.indent + 1;
    if (length && !indent)
        reading->in_positional = strncasecmp(line, "positional arguments", 20) == 0;
    if (option || (length && reading->in_positional && indent && !further)) {
        open_entry(reading, line, length, indent);
    } else if (length && further) {
        buf_text(&reading->entry.help, reading->entry.help.length ? " " : "");
        buf_add(&reading->entry.help, line, length);
    } else if (length) {
        close_entry(reading);
    }
}

json_t *help_text_options(const char *text)
{
    struct help_reading reading = {.options = json_array()};
    while (*text) {
        size_t length = strcspn(text, "\n");
        size_t shown = length - (length && text[length - 1] == '\r');
        read_line(&reading, text, shown);
        text += length + (text[length] == '\n');
    }
    close_entry(&reading);
    buf_fini(&reading.usage);
    buf_fini(&reading.entry.side);
    buf_fini(&reading.entry.help);
    return reading.options;
}
