/* sbatch's options that gannet has no key for and only hands on: lines "name=value", or "name" of a switch, in one text
 * of the request, each name once. */
#ifndef GANNET_SCHEDULER_SLURM_FURTHER_H
#define GANNET_SCHEDULER_SLURM_FURTHER_H

#include <stdbool.h>
#include <stddef.h>

/* Adds an option, in place of one of that name; value NULL: a switch. *list is malloc or NULL. */
void further_set(char **list, const char *name, const char *value);

/* Takes out the option of that name; *list becomes NULL with the last one. */
void further_drop(char **list, const char *name);

bool further_has(const char *list, const char *name);

/* Takes out all but those that are about any job, whatever its nodes. */
void further_keep_general(char **list);

#endif
