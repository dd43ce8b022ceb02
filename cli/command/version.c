/* gannet version: which gannet this is. */
#include "cli/command.h"

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
