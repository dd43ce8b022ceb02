/* The commands, each in the file of its name (cli/command), in the order they are listed. */
#ifndef GANNET_CLI_COMMANDS_H
#define GANNET_CLI_COMMANDS_H

#include "cli/command.h"

/* Running, looking, asking, hidden. */
/* clang-format off */
#define COMMANDS(X)                                                                                                    \
    X(run) X(submit) X(check) X(bench) X(pause) X(resume) X(stop) X(cancel) X(wait) X(ask) X(tell)                     \
    X(ls) X(status) X(trials) X(show) X(explain) X(best) X(importance) X(logs) X(replay)                               \
    X(help) X(doctor) X(kernels) X(strategies) X(stoppers) X(schema) X(completion) X(version)                          \
    X(coordinator) X(job) X(slurm_agent) X(docs)
/* clang-format on */

#define X(name) extern const struct command cmd_##name;
COMMANDS(X)
#undef X

#endif
