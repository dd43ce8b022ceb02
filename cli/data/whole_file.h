/* A file that is written as a stream of any size and appears under its name when it is whole: what lies there until
 * then stays. A pipe or a device is written as it is. */
#ifndef GANNET_CLI_DATA_WHOLE_FILE_H
#define GANNET_CLI_DATA_WHOLE_FILE_H

#include "common/buf.h"
#include "common/err.h"

#include <stdint.h>
#include <stdio.h>

struct whole_file {
    const char *path; /* as the person named it; the caller's */
    char *temporary;  /* what is written until it is whole; NULL: the path itself, which is no regular file */
    FILE *stream;     /* NULL: nothing is open */
    uint64_t length;  /* bytes written */
};

/* "-": the standard output. -1 with a sentence. */
int whole_file_open(struct whole_file *file, const char *path, struct err *err);

/* Writes a buffer and empties it. What went wrong whole_file_finish says. */
void whole_file_add(struct whole_file *file, struct buf *text);

/* The file gets its name. -1 with a sentence when something could not be written. */
int whole_file_finish(struct whole_file *file, struct err *err);

/* Gives up what has not been finished, and frees all. {0} is fine. */
void whole_file_close(struct whole_file *file);

#endif
