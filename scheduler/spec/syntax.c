/* libyaml's complaints in our words; see load.h. Rows are tried from the top; one without words fits all. */
#include "scheduler/spec/load.h"

#include <string.h>

/* Where to point: at the problem, at the beginning of what was being read, or at that beginning when it is on an
 * earlier line (a bracket that was never closed). */
enum where { AT_PROBLEM, AT_START, AT_START_IF_ABOVE };

struct syntax_row {
    const char *problem, *context; /* libyaml's words; NULL: any */
    enum where where;
    const char *message, *hint;
};

#define NO_TOKEN  "found character that cannot start any token"
#define DIRECTIVE "a line that begins with '%' is a directive of YAML"

static const struct syntax_row rows[] = {
    {"could not find expected ':'", NULL, AT_START, "this line is neither 'key: value' nor '- item'",
     "a key is followed by a colon and a space"},
    {"mapping values are not allowed in this context", NULL, AT_PROBLEM, "a ':' can't stand here",
     "quote a text that holds ': '; else look at the indentation of this line and the one above"},
    {"mapping keys are not allowed in this context", NULL, AT_PROBLEM, "a '?' can't stand here",
     "put quotes around a text that begins with '? '"},
    {"block sequence entries are not allowed in this context", NULL, AT_PROBLEM, "a list item ('- ') can't stand here",
     "put the items on lines of their own below the key, or write [a, b]"},
    {"did not find expected key", "while parsing a block mapping", AT_PROBLEM,
     "this doesn't line up with the keys it belongs to, or follows a finished value",
     "keys of one map begin in one column"},
    {"did not find expected '-' indicator", NULL, AT_PROBLEM, "this doesn't line up with the list above it",
     "all items begin with '- ' in one column"},
    {"did not find expected ',' or ']'", NULL, AT_START_IF_ABOVE, "a ',' or the closing ']' of this list is missing",
     "write [a, b, c]"},
    {"did not find expected ',' or '}'", NULL, AT_START_IF_ABOVE, "a ',' or the closing '}' of this map is missing",
     "write {a: 1, b: 2}"},
    {"did not find expected node content", NULL, AT_PROBLEM, "a value is missing before this",
     "a text that begins with one of ,[]{}?: needs quotes"},
    {"did not find expected <document start>", NULL, AT_PROBLEM, "the experiment is over before this", NULL},
    {"found unexpected end of stream", "while scanning a quoted scalar", AT_START, "this quote is never closed", NULL},
    {"found unexpected document indicator", "while scanning a quoted scalar", AT_START, "this quote is never closed",
     NULL},
    {"found unknown escape character", NULL, AT_PROBLEM, "there is no such escape in double quotes",
     "use single quotes, or write \\\\ for a backslash"},
    {"did not find expected hexdecimal number", NULL, AT_PROBLEM, "hexadecimal digits are missing in this escape",
     "write \\xNN or \\uNNNN"},
    {"found invalid Unicode character escape code", NULL, AT_PROBLEM, "this escape stands for no character", NULL},
    {"found a tab character", NULL, AT_PROBLEM, "a tab can't indent YAML", "use spaces"},
    {"did not find expected alphabetic or numeric character", "while scanning an alias", AT_START,
     "a text can't begin with '*': it starts an alias", "put the text in quotes"},
    {"did not find expected alphabetic or numeric character", "while scanning an anchor", AT_START,
     "a text can't begin with '&': it starts an anchor", "put the text in quotes"},
    {"found undefined tag handle", NULL, AT_PROBLEM, "a text can't begin with '!': it starts a type",
     "put the text in quotes"},
    {NULL, "while scanning a directive", AT_START, DIRECTIVE, "put quotes around a text that begins with '%'"},
    {NULL, "while scanning a %", AT_START, DIRECTIVE, "put quotes around a text that begins with '%'"},
    {NULL, "while parsing a %", AT_START, DIRECTIVE, "put quotes around a text that begins with '%'"},
    {NULL, "while scanning a tag directive", AT_START, DIRECTIVE, "put quotes around a text that begins with '%'"},
    {NULL, "while parsing a tag directive", AT_START, DIRECTIVE, "put quotes around a text that begins with '%'"},
    {NULL, "while scanning a tag", AT_START, "a text can't begin with '!': it starts a type", "put the text in quotes"},
    {NULL, "while parsing a tag", AT_START, "a text can't begin with '!': it starts a type", "put the text in quotes"},
    {NULL, "while scanning a block scalar", AT_PROBLEM, "only a comment can follow a '|' or '>' that begins a text",
     "put the text on the following lines, or in quotes"},
    {"found incompatible YAML document", NULL, AT_PROBLEM, "gannet reads YAML 1.2", "remove the %YAML line"},
    {NULL, NULL, AT_PROBLEM, NULL, NULL},
};

/* Where the character that libyaml stopped at says what to do. */
static const struct {
    char byte;
    struct syntax_row row;
} characters[] = {
    {'\t', {NO_TOKEN, NULL, AT_PROBLEM, "a tab can't indent YAML", "use spaces"}},
    {'@', {NO_TOKEN, NULL, AT_PROBLEM, "a text can't begin with '@'", "put it in quotes"}},
    {'`', {NO_TOKEN, NULL, AT_PROBLEM, "a text can't begin with '`'", "put it in quotes"}},
    {'%', {NO_TOKEN, NULL, AT_PROBLEM, "a text can't begin with '%'", "put it in quotes"}},
    {':', {"did not find expected key", NULL, AT_PROBLEM, "the key before this ':' is missing", NULL}},
    {'{',
     {"did not find expected ','", NULL, AT_PROBLEM, "a '{' begins a map here",
      "put quotes around a text that holds ${...}"}},
};

static const struct syntax_row *row_of(struct syntax_place problem, struct syntax_place context)
{
    const struct syntax_row *row = rows;
    while ((row->problem && strncmp(row->problem, problem.what, strlen(row->problem)) != 0) ||
           (row->context && strncmp(row->context, context.what, strlen(row->context)) != 0))
        row++;
    return row;
}

static const struct syntax_row *row_of_character(const char *problem, char byte)
{
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
        if (characters[i].byte == byte &&
            strncmp(problem, characters[i].row.problem, strlen(characters[i].row.problem)) == 0)
            return &characters[i].row;
    return NULL;
}

void syntax_report(struct problems *problems, struct syntax_place problem, struct syntax_place context)
{
    const struct syntax_row *special = row_of_character(problem.what, problem.byte);
    const struct syntax_row *row = special ? special : row_of(problem, context);
    bool above = context.mark.line < problem.mark.line;
    bool at_start = *context.what && (row->where == AT_START || (row->where == AT_START_IF_ABOVE && above));
    struct problem *added =
        row->message ? problem_add(problems, PROBLEM_SYNTAX, at_start ? context.mark : problem.mark, "%s", row->message)
                     : problem_add(problems, PROBLEM_SYNTAX, problem.mark, "this is not YAML: %s", problem.what);
    if (row->hint)
        problem_hint(added, "%s", row->hint);
}
