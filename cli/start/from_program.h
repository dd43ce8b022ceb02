/* From a program's options to an experiment file: which are searched, how they are passed to the program, and what is
 * left as it is. */
#ifndef GANNET_CLI_START_FROM_PROGRAM_H
#define GANNET_CLI_START_FROM_PROGRAM_H

#include "cli/start/metric_guess.h"
#include "cli/start/own_files.h"
#include "cli/start/user_program.h"
#include "cli/start/sketch.h"

/* What was found out about a program. */
struct program_answers {
    json_t *options; /* as user_program_options gives them */
    struct metric_guess metric;
};

/* Fills in a sketch; how many parameters it has. */
size_t from_program(const struct user_program *program, const struct program_answers *asked, struct sketch *sketch);

/* The command of a trial: its words, what the program needs and is not searched, and "${args}". */
json_t *from_program_command(const struct own_files *files, const json_t *needed);

/* How the program takes an option where that is not --NAME=VALUE: the parameter's `arg`, free() it. NULL: it is. */
char *from_program_arg(const json_t *option);

#endif
