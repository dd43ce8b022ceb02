/* What can be wrong with the command of an experiment before anything runs: it uses no parameter, or what it needs is
 * not there. */
#ifndef GANNET_CLI_SESSION_PROGRAM_CHECK_H
#define GANNET_CLI_SESSION_PROGRAM_CHECK_H

#include "scheduler/spec/spec.h"

/* Where trials run, which decides what is said of a program that is not there. */
enum program_place {
    PROGRAM_NOWHERE,   /* in a person's own loop: nothing */
    PROGRAM_ELSEWHERE, /* on other nodes, which may have it: a warning */
    PROGRAM_OF_FILE,   /* elsewhere when the file has a part for Slurm, else here */
    PROGRAM_HERE       /* an error */
};

/* Looks for what the command needs: its program, its script, its directory. */
void program_check_there(const struct spec *spec, enum program_place place, struct problems *problems);

/* Settles how parameters become arguments by what the program's source declares (options.h). */
void program_settle_args(struct spec *spec, struct problems *problems);

/* Looks for the place of each parameter in the program's configuration: an error when it can't have one, a warning when
 * the configuration has no such part yet. */
void program_check_config(const struct spec *spec, struct problems *problems);

/* Looks at what it makes of the parameters. `spec`: as far as the file could be read; NULL: it could not. */
void program_check_use(const struct spec *spec, enum program_place place, struct problems *problems);

#endif
