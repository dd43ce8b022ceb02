/* The files that a kernel's options name: looked at before anything is started, at their places in the experiment file.
 * A mistyped path would be found by every trial in turn otherwise. */
#ifndef GANNET_CLI_SESSION_KERNEL_FILES_H
#define GANNET_CLI_SESSION_KERNEL_FILES_H

#include "cli/session/program_check.h"

#include <jansson.h>

/* Reports files of options of the type path that can't be opened: an error, or a warning when trials run on other
 * nodes, which may have them. */
void kernel_files_check(const json_t *catalog, const struct spec *spec, enum program_place place,
                        struct problems *problems);

#endif
