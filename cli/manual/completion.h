/* The completion scripts of shells, made from the tables of commands and options. */
#ifndef GANNET_CLI_MANUAL_COMPLETION_H
#define GANNET_CLI_MANUAL_COMPLETION_H

#include "cli/command.h"

/* The shells there are. */
extern const struct shell {
    const char *name;
    void (*write)(struct buf *out); /* adds its script */
} completion_shells[];
enum { COMPLETION_SHELLS = 3 };

#endif
