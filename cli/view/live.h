/* The one line at the bottom of a terminal that is painted again and again, and lines that stay above it. */
#ifndef GANNET_CLI_VIEW_LIVE_H
#define GANNET_CLI_VIEW_LIVE_H

#include "common/buf.h"

#include <stdbool.h>
#include <stdio.h>

struct live {
    FILE *stream;
    bool painted; /* the line is there now */
};

/* Paints the line; it must fit the terminal. */
void live_paint(struct live *live, const char *line);

/* Takes the line away, so that something else can be written. */
void live_clear(struct live *live);

#endif
