/* Whether a file stayed the same while it was read: who replaces data under a search mixes two of them. */
#ifndef GANNET_WORKER_DATA_FILE_WATCH_H
#define GANNET_WORKER_DATA_FILE_WATCH_H

#include "common/err.h"

#include <sys/stat.h>

struct file_watch {
    const char *path; /* NULL: there is none */
    struct stat before;
};

/* Notes what a file is like; `path` outlives the watch, NULL is fine. */
struct file_watch file_watch_begin(const char *path);

/* `result`, or -1 with a sentence when the file is another one by now: of what the reading came to nothing is then
 * worth saying. */
int file_watch_end(const struct file_watch *watch, int result, struct err *err);

#endif
