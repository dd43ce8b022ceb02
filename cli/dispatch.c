/* From a command line to a command; see command.h. */
#include "cli/command.h"
#include "cli/data/target.h"
#include "cli/format.h"

#include <stdio.h>
#include <string.h>

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

static int show_list(FILE *stream, const struct look *look, int status)
{
    struct buf text = {0};
    help_list(look, &text);
    console_write(stream, &text);
    buf_fini(&text);
    return status;
}

static int run_command(struct console *console, const struct command *command, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "gannet %s", command->name);
    struct syntax syntax = {.command = name, .arguments = command->arguments, .options = command->options};
    struct args args;
    struct err err;
    int status = STATUS_USAGE;
    if (args_read(&syntax, argc, argv, &args, &err)) {
        console_fail(console, status, &err);
    } else {
        console_set(console, args_text(&args, "color", NULL), args_has(&args, "plain"));
        if (args_has(&args, "help")) {
            struct buf text = {0};
            help_command(command, &console->out_look, &text);
            console_print(console, &text);
            status = STATUS_OK;
        } else {
            status = command->run ? command->run(console, &args) : visit(console, &args, command->visit);
        }
    }
    args_fini(&args);
    return status;
}

int command_dispatch(struct console *console, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name)
        return show_list(console->err, &console->err_look, STATUS_USAGE);
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return show_list(console->out, &console->out_look, STATUS_OK);
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (!command)
        return command_unknown(console, name);
    return run_command(console, command, argc - 2, argv + 2);
}
