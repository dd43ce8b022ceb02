/* The manual pages and the completion scripts of shells, made from the tables of commands, of options and of the
 * experiment file's keys. */
#ifndef GANNET_CLI_MANUAL_MANUAL_H
#define GANNET_CLI_MANUAL_MANUAL_H

#include "cli/command.h"
#include "common/buf.h"

#include <stdbool.h>

/* Adds the names of all pages, a line each: gannet.1, gannet-run.1, ..., gannet-experiment.5. */
void manual_list(struct buf *out);

/* Adds the page of that name for man(1); false when there is none. */
bool manual_write(const char *name, struct buf *out);

/* What is printed by its name. */
struct manual_page {
    const char *name; /* NULL ends a table */
    void (*write)(struct buf *out);
};

/* The shells, with their completion scripts. */
extern const struct manual_page completion_shells[];

#endif
