/* The commands, and the texts that their tables make; see command.h. */
#include "cli/command.h"
#include "cli/format.h"

#include <string.h>

/* --- the commands --- */

enum { MOST_COMMANDS = 64 };

const struct command *const command_list[] = {
#define X(name) &cmd_##name,
    COMMANDS(X)
#undef X
        NULL};

const struct command *command_find(const char *name)
{
    for (const struct command *const *at = command_list; *at; at++)
        if (strcmp((*at)->name, name) == 0)
            return *at;
    return NULL;
}

int command_unknown(struct console *console, const char *name)
{
    const char *names[MOST_COMMANDS];
    size_t count = 0;
    for (const struct command *const *at = command_list; *at && count < MOST_COMMANDS; at++)
        if ((*at)->group != GROUP_HIDDEN)
            names[count++] = (*at)->name;
    struct err err;
    format_unknown("there is no command", name, names, count, "commands", &err);
    return console_fail(console, STATUS_USAGE, &err);
}

/* --- their help --- */

static const char *const headings[] = {
#define X(id, heading) [GROUP_##id] = heading,
    GROUPS(X)
#undef X
};

const char *help_heading(enum command_group group)
{
    return headings[group];
}

/* --- one command --- */

void help_usage(const struct command *command, struct buf *out)
{
    buf_format(out, "gannet %s", command->name);
    for (const struct argument *row = command->arguments; row && row->name; row++)
        buf_format(out, row->needed ? " %s" : " [%s]", row->name);
    buf_text(out, " [options]");
}

void help_option_name(const struct option *option, struct buf *out)
{
    if (option->short_name)
        buf_format(out, "-%c, ", option->short_name);
    else
        buf_text(out, "    ");
    buf_format(out, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
}

/* Adds "  name   help", further lines of the help below its first. */
static void add_entry(const char *name, const char *help, size_t indent, struct buf *out)
{
    size_t width = format_width(name);
    buf_format(out, "  %s", name);
    if (width + 2 > indent)
        buf_format(out, "\n%*s", (int)indent + 2, "");
    else
        buf_format(out, "%*s", (int)(indent - width), "");
    for (; *help; help++)
        if (*help == '\n')
            buf_format(out, "\n%*s", (int)indent + 2, "");
        else
            buf_add(out, help, 1);
    buf_text(out, "\n");
}

static void add_options(const struct option *table, struct buf *out)
{
    enum { INDENT = 28 };
    for (; table && table->name; table++) {
        struct buf name = {0};
        help_option_name(table, &name);
        add_entry(buf_str(&name), table->help, INDENT, out);
        buf_fini(&name);
    }
}

/* Adds a text of several lines, each behind two spaces. */
static void add_indented(const char *text, struct buf *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        buf_format(out, "  %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void add_statuses(struct buf *out)
{
#define X(id, number, sentence) buf_format(out, "  %-4d %s\n", number, sentence);
    STATUSES(X)
#undef X
}

void help_command(const struct command *command, const struct look *look, struct buf *out)
{
    enum { ARGUMENT_INDENT = 12 };
    struct buf usage = {0};
    help_usage(command, &usage);
    look_add(look, TINT_STRONG, buf_str(&usage), out);
    buf_format(out, "\n\n%s.\n", command->summary);
    if (command->text)
        buf_format(out, "\n%s\n", command->text);
    if (command->arguments) {
        look_heading(look, "Arguments", out);
        for (const struct argument *row = command->arguments; row->name; row++)
            add_entry(row->name, row->help, ARGUMENT_INDENT, out);
    }
    look_heading(look, "Options", out);
    add_options(command->options, out);
    add_options(option_common, out);
    if (command->examples) {
        look_heading(look, "Examples", out);
        add_indented(command->examples, out);
    }
    look_heading(look, "Exit status", out);
    add_statuses(out);
    buf_fini(&usage);
}

/* --- all commands --- */

static void add_group(const struct look *look, enum command_group group, struct buf *out)
{
    enum { INDENT = 14 };
    look_heading(look, headings[group], out);
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group == group)
            add_entry((*at)->name, (*at)->summary, INDENT, out);
}

void help_list(const struct look *look, struct buf *out)
{
    buf_text(out,
             "gannet searches hyperparameters: an experiment file says what to try, gannet runs the trials side by "
             "side.\n");
    for (int group = 0; group < GROUP_HIDDEN; group++)
        add_group(look, (enum command_group)group, out);
    buf_text(out,
             "\nEXP is a name below runs/, its unique beginning, a run directory or a .db file; without it: the one "
             "below\nruns/ used last. `gannet COMMAND --help` says more, docs/cli.md says it all.\n");
}

/* --- docs/cli.md --- */

static void document_options(const struct command *command, struct buf *out)
{
    if (!command->options)
        return;
    buf_text(out, "| option | meaning |\n|---|---|\n");
    for (const struct option *row = command->options; row->name; row++) {
        buf_text(out, "| `");
        if (row->short_name)
            buf_format(out, "-%c`, `", row->short_name);
        buf_format(out, "--%s", row->name);
        for (const char *c = row->value ? row->value : ""; *c; c++) /* a | would end the cell */
            buf_format(out, "%s%s%c", c == row->value ? " " : "", *c == '|' ? "\\" : "", *c);
        buf_text(out, "` | ");
        for (const char *c = row->help; *c; c++)
            buf_format(out, "%c", *c == '\n' ? ' ' : *c);
        buf_text(out, " |\n");
    }
    buf_text(out, "\n");
}

static void document_command(const struct command *command, struct buf *out)
{
    buf_format(out, "## gannet %s\n\n```\n", command->name);
    help_usage(command, out);
    buf_format(out, "\n```\n\n%s.\n\n", command->summary);
    if (command->text)
        buf_format(out, "%s\n\n", command->text);
    for (const struct argument *row = command->arguments; row && row->name; row++)
        buf_format(out, "`%s`: %s\n%s", row->name, row->help, row[1].name ? "" : "\n");
    document_options(command, out);
    if (command->examples) {
        buf_text(out, "```\n");
        buf_text(out, command->examples);
        buf_text(out, "\n```\n\n");
    }
}

void help_document(struct buf *out)
{
    buf_text(out,
             "# The command line\n\nMade by `gannet docs cli` from the tables in `cli/`.\n\nResults are written to "
             "the standard output, messages to the standard error. Every command also takes:\n\n");
    document_options(&(struct command){.options = option_common}, out);
    buf_text(out, "| exit status | meaning |\n|---|---|\n");
#define X(id, number, sentence) buf_format(out, "| %d | %s |\n", number, sentence);
    STATUSES(X)
#undef X
    buf_text(out, "\n`EXP` is a name below `runs/`, its unique beginning, a run directory or a `.db` file; without it: "
                  "the one below `runs/` used last.\n\n");
    for (const struct command *const *at = command_list; *at; at++)
        document_command(*at, out);
}
