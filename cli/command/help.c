/* gannet help: the commands, or one of them. */
#include "cli/command.h"

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
