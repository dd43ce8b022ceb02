/* The files that a person's program finds in its trial's directory, or writes there: its parameters and its output. */
#ifndef GANNET_WORKER_PROGRAM_PROGRAM_FILES_H
#define GANNET_WORKER_PROGRAM_PROGRAM_FILES_H

#include "worker/program/program.h"

/* "DIRECTORY/NAME", and for later attempts "DIRECTORY/NAME.2". free() it. */
char *program_file_name(const struct program_setup *setup, const char *name);

/* Makes an output file, empty. The program's descriptor and ours are one open file: what it writes goes to the end,
 * wherever we read. -1 with a sentence. */
int program_open_output(const struct program_setup *setup, const char *name, int *fd, struct err *err);

/* Makes a file with this text. -1 with a sentence. */
int program_write_params(const char *path, const char *params, struct err *err);

/* What an attempt that could not be started has left: the next one has a number of its own. */
void program_remove_files(const struct program_setup *setup, const char *params_file);

#endif
