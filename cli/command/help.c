/* gannet help: the commands, or one of them. */
#include "cli/commands.h"
#include "cli/help.h"

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

static const struct argument arguments[] = {{"COMMAND", "the command to explain", false}, {0}};

const struct command cmd_help = {.name = "help",
                                 .group = GROUP_ASK,
                                 .summary = "Lists the commands, or explains one",
                                 .arguments = arguments,
                                 .examples = "gannet help run",
                                 .run = run_help};
