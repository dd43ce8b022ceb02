/* The run directory of an experiment that is there already: by its file, its name, its directory or its store. What
 * goes wrong is shown to the person here; else the results are exit statuses. */
#ifndef GANNET_CLI_SESSION_EXISTING_H
#define GANNET_CLI_SESSION_EXISTING_H

#include "cli/session/prepare.h"

/* Whether this is an experiment file. A file that is called otherwise and has the name of an experiment is the program
 * that it was made of: ./train. */
bool existing_is_file(const char *path);

/* Names the directory of a spec: runs/NAME, unless one is given. */
void existing_name(const struct prepare_setup *setup, const struct spec *spec, struct rundir *dir);

/* Finds out where the file's experiment is or would be. STATUS_USAGE of a broken file, said unless `console` is NULL.
 */
int existing_place(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

/* Whether the file's experiment is there, and where. False also for a broken file. */
bool existing_is_there(const struct prepare_setup *setup, struct rundir *dir);

/* By its name, its run directory or its store. */
int existing_find(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

/* What is there, with nothing overridden that would change it, and limits as its file has them now; else nothing stays
 * in *dir. */
int existing_keep(struct console *console, const struct prepare_setup *setup, struct rundir *dir);

#endif
