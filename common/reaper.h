/* Our reaper: a small process, gannet-reaper, that outlives us by some seconds when we are killed, and then ends what
 * we had started. It is started again when it dies itself. */
#ifndef GANNET_COMMON_REAPER_H
#define GANNET_COMMON_REAPER_H

#include "common/loop.h"
#include "common/proc_mark.h"

#include <stdbool.h>
#include <sys/types.h>

struct reaper;

/* Marks this process (proc_mark.h) and starts its reaper; before it starts anything else. `program` is its file. NULL,
 * with a warning in the log, when there can't be one: all goes on without. */
struct reaper *reaper_start(struct loop *loop, const char *program, enum proc_mark_kind kind);

bool reaper_is(const struct reaper *reaper, pid_t pid); /* false for NULL */

/* Ends it: we end in order, and leave nothing to reap. NULL is fine. */
void reaper_dismiss(struct reaper *reaper);

#endif
