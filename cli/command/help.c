/* gannet help, version, schema, completion, docs: what gannet says of itself, from its tables. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/manual/manual.h"
#include "cli/screen/key.h"
#include "common/msg.h"
#include "scheduler/spec/spec.h"

#include <stdlib.h>
#include <string.h>

static int run_help(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    const struct command *command = name ? command_find(name) : NULL;
    if (name && !command)
        return command_unknown(console, name);
    struct buf text = {0};
    if (command)
        help_command(command, &console->out_look, &text);
    else
        help_list(&console->out_look, &text);
    console_print(console, &text);
    return STATUS_OK;
}

static void add_commands(struct buf *out)
{
    for (const struct command *const *at = command_list; *at; at++)
        if ((*at)->group != GROUP_HIDDEN)
            buf_format(out, " %s", (*at)->name);
}

static const struct argument arguments[] = {{"COMMAND", "the command to explain", false}, {0}};

const struct command cmd_help = {.name = "help",
                                 .group = GROUP_ASK,
                                 .summary = "Lists the commands, or explains one",
                                 .arguments = arguments,
                                 .words = add_commands,
                                 .examples = "gannet help run",
                                 .run = run_help};

static int run_version(struct console *console, const struct args *args)
{
    (void)args;
    fprintf(console->out, "gannet %s\n", GANNET_VERSION);
    return STATUS_OK;
}

const struct command cmd_version = {.name = "version",
                                    .group = GROUP_ASK,
                                    .summary = "Prints the version (also: gannet --version)",
                                    .run = run_version};

static int run_schema(struct console *console, const struct args *args)
{
    (void)args;
    json_t *schema = spec_schema();
    char *text = json_dumps(schema, JSON_INDENT(2));
    fprintf(console->out, "%s\n", text);
    free(text);
    json_decref(schema);
    return STATUS_OK;
}

const struct command cmd_schema = {
    .name = "schema",
    .group = GROUP_ASK,
    .summary = "Prints the JSON Schema of experiment files, for editors",
    .text = "An editor that speaks YAML completes and checks experiment files with it: put\n"
            "\"# yaml-language-server: $schema=./experiment.schema.json\" into the file's first line.",
    .examples = "gannet schema > experiment.schema.json",
    .run = run_schema};

/* --- what is printed by its name: the completion of a shell, a page --- */

/* Adds the names of a table, a space before each. */
static void add_names(const struct manual_page *table, struct buf *out)
{
    for (; table->name; table++)
        buf_format(out, " %s", table->name);
}

/* Adds the one of that name; false when there is none. */
static bool write_named(const struct manual_page *table, const char *name, struct buf *out)
{
    while (table->name && strcmp(table->name, name) != 0)
        table++;
    if (table->name)
        table->write(out);
    return table->name != NULL;
}

/* Prints what was found, or says what there is. */
static int print_named(struct console *console, const struct manual_page *table, const char *name, bool found,
                       const char *unknown, const char *plural, struct buf *text)
{
    enum { MOST = 8 };
    const char *names[MOST];
    size_t count = 0;
    struct err err;
    if (found) {
        console_print(console, text);
        return STATUS_OK;
    }
    for (; table->name && count < MOST; table++)
        names[count++] = table->name;
    format_unknown(unknown, name, names, count, plural, &err);
    return console_fail(console, STATUS_USAGE, &err);
}

static int run_completion(struct console *console, const struct args *args)
{
    struct buf text = {0};
    const char *name = args_rest(args, 0) ? args_rest(args, 0) : completion_shells[0].name;
    bool found = write_named(completion_shells, name, &text);
    return print_named(console, completion_shells, name, found, "there is no completion for", "shells", &text);
}

static void add_shells(struct buf *out)
{
    add_names(completion_shells, out);
}

static const struct argument shell[] = {{"SHELL", "bash, zsh or fish (default: bash)", false}, {0}};

const struct command cmd_completion = {.name = "completion",
                                       .group = GROUP_ASK,
                                       .summary = "Prints the completion script for bash, zsh or fish",
                                       .text = "make install puts each where its shell looks for it.",
                                       .arguments = shell,
                                       .words = add_shells,
                                       .examples =
                                           "source <(gannet completion)   # now; or put it into ~/.bashrc\n"
                                           "gannet completion zsh > ~/.zsh/_gannet   # a directory of zsh's fpath\n"
                                           "gannet completion fish > ~/.config/fish/completions/gannet.fish",
                                       .run = run_completion};

/* docs/NAME.md; man: the list of manual pages. */
static const struct manual_page pages[] = {{"cli", help_document}, {"experiment", spec_document},
                                           {"keys", key_document}, {"messages", msg_document},
                                           {"man", manual_list},   {0}};

static int run_docs(struct console *console, const struct args *args)
{
    struct buf text = {0};
    const char *name = args_rest(args, 0);
    bool found = write_named(pages, name, &text) || manual_write(name, &text);
    return print_named(console, pages, name, found, "there is no page", "pages", &text);
}

/* Those of the manual, too, whose list has a line each. */
static void add_pages(struct buf *out)
{
    struct buf manual = {0};
    add_names(pages, out);
    manual_list(&manual);
    for (const char *line = buf_str(&manual); *line; line += strcspn(line, "\n") + 1)
        buf_format(out, " %.*s", (int)strcspn(line, "\n"), line);
    buf_fini(&manual);
}

static const struct argument page[] = {
    {"PAGE", "cli, experiment, keys, messages, a manual page such as gannet-run.1, or man: their names", true}, {0}};

const struct command cmd_docs = {.name = "docs",
                                 .group = GROUP_HIDDEN,
                                 .summary = "Prints a page of the documentation that is made from tables",
                                 .arguments = page,
                                 .words = add_pages,
                                 .examples = "gannet docs experiment > docs/experiment.md",
                                 .run = run_docs};
