/* The copies of a program's configuration that a trial gets, in its directory. */
#ifndef GANNET_WORKER_PROGRAM_CONFIG_FILE_H
#define GANNET_WORKER_PROGRAM_CONFIG_FILE_H

#include "common/err.h"
#include "common/task.h"

/* Writes the configuration with the parameters in it, under each name that the command has for it (${config.yaml},
 * ${config.json}). `write` makes a file; -1 with a sentence. */
int config_files_write(const struct task *task, const char *directory, const json_t *params,
                       int (*write)(const char *path, const char *text, struct err *err), struct err *err);

#endif
