/* Experiments as a person names them: one by its name or path, or by a pattern all below runs/ whose names match. */
#ifndef GANNET_CLI_DATA_EXPERIMENT_NAMES_H
#define GANNET_CLI_DATA_EXPERIMENT_NAMES_H

#include "common/err.h"

#include <stddef.h>

struct experiment_names {
    char **items;
    size_t count, capacity;
};

/* Adds what an argument names, those that match a pattern in the order of their names; whether there is such an
 * experiment is seen when it is opened. 0, or an exit status with a sentence when nothing matches. */
int names_add(struct experiment_names *names, const char *argument, struct err *err);
void names_fini(struct experiment_names *names);

#endif
