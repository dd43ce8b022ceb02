/* gannet completion: a shell's completion of gannet's command line. */
#include "cli/command.h"
#include "cli/manual/manual.h"
#include "cli/format.h"

#include <string.h>

static int unknown_shell(struct console *console, const char *name)
{
    const char *names[COMPLETION_SHELLS];
    for (size_t i = 0; i < COMPLETION_SHELLS; i++)
        names[i] = completion_shells[i].name;
    struct err err;
    format_unknown("there is no completion for", name, names, COMPLETION_SHELLS, "shells", &err);
    return console_fail(console, STATUS_USAGE, &err);
}

static int run_completion(struct console *console, const struct args *args)
{
    const char *name = args_rest(args, 0);
    for (size_t i = 0; i < COMPLETION_SHELLS; i++) {
        if (name && strcmp(completion_shells[i].name, name) != 0)
            continue;
        struct buf text = {0};
        completion_shells[i].write(&text);
        console_print(console, &text);
        return STATUS_OK;
    }
    return unknown_shell(console, name);
}

static void add_shells(struct buf *out)
{
    for (size_t i = 0; i < COMPLETION_SHELLS; i++)
        buf_format(out, " %s", completion_shells[i].name);
}

static const struct argument arguments[] = {{"SHELL", "bash, zsh or fish (default: bash)", false}, {0}};

const struct command cmd_completion = {.name = "completion",
                                       .group = GROUP_ASK,
                                       .summary = "Prints the completion script for bash, zsh or fish",
                                       .text = "make install puts each where its shell looks for it.",
                                       .arguments = arguments,
                                       .words = add_shells,
                                       .examples =
                                           "source <(gannet completion)   # now; or put it into ~/.bashrc\n"
                                           "gannet completion zsh > ~/.zsh/_gannet   # a directory of zsh's fpath\n"
                                           "gannet completion fish > ~/.config/fish/completions/gannet.fish",
                                       .run = run_completion};
