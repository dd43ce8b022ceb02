/* What makes the output of a person's program come line by line, without a change to the program: variables of its
 * environment, of which none takes the place of what the person set. */
#ifndef GANNET_WORKER_PROGRAM_BUFFERING_H
#define GANNET_WORKER_PROGRAM_BUFFERING_H

#include "common/trial_command.h"

/* Adds them. `lines` is the file of worker/preload/lines.c, or NULL: there is none. */
void buffering_env(const struct trial_command *command, const char *lines, struct texts *env);

/* Whether the command starts a container by itself, inside which no library of ours is. */
bool buffering_enters_container(const struct trial_command *command);

#endif
