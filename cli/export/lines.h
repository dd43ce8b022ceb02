/* A file of lines: written beside its name first, and then, when it is followed, lengthened by whole lines in one write
 * each time. */
#ifndef GANNET_CLI_EXPORT_LINES_H
#define GANNET_CLI_EXPORT_LINES_H

#include "cli/data/whole_file.h"

#include <stdbool.h>

struct lines {
    struct whole_file file;
    struct buf text; /* what comes next */
    bool named;      /* the file has its name: lines are added to it */
    int fd;          /* for that; -1: not open */
};

/* Functions of -1 leave a sentence. */
int lines_open(struct lines *lines, const char *path, struct err *err);

/* To be called now and then, when text was added to lines->text. */
void lines_flow(struct lines *lines);

/* What was added is in the file, which has its name. `more`: further lines will come. */
int lines_settle(struct lines *lines, bool more, struct err *err);

/* Drops what was added since the last lines_settle. */
void lines_drop(struct lines *lines);
void lines_close(struct lines *lines);

#endif
