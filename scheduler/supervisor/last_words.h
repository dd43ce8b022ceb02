/* What a worker that a command starts elsewhere said last: why it did not come, or not come back. */
#ifndef GANNET_SCHEDULER_SUPERVISOR_LAST_WORDS_H
#define GANNET_SCHEDULER_SUPERVISOR_LAST_WORDS_H

#include "common/buf.h"

#include <stdbool.h>

/* Adds the last line of the log that speaks of an error, else the last one that says anything, without its time; what
 * srun says of every end is passed over. False: there is none. */
bool last_words_add(const char *log, struct buf *out);

#endif
