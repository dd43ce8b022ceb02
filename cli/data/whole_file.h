/* A file that is written as a stream of any size and appears under its name when it is whole: what lies there until
 * then stays. A pipe or a device is written as it is. */
#ifndef GANNET_CLI_DATA_WHOLE_FILE_H
#define GANNET_CLI_DATA_WHOLE_FILE_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
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

/* What lies where a person wants an output: a file that a former run of ours wrote is replaced, so that the same
 * command may be given again; anything else is somebody's own and stays, unless that is asked for. Ours are known by
 * what files of one kind begin with. */
struct own_mark {
    const char *begin;  /* NULL: the end of a list of marks */
    const char *within; /* and what is among their first bytes, zeros read as blanks; NULL: nothing more */
};

/* Says that it may not, and what to do; `what` is what it should have been ("report"). Is -1. */
int own_file_refuse(const char *path, const char *what, struct err *err);

/* Both, before the work begins: 0 or -1. `force`: whatever file lies there is replaced. */
int own_file_check(const char *path, const struct own_mark *marks, bool force, const char *what, struct err *err);

#endif
