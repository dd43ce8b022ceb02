/* How a process ended, in the words of endings.h. */
#ifndef GANNET_WORKER_PROGRAM_ENDING_H
#define GANNET_WORKER_PROGRAM_ENDING_H

#include "common/buf.h"
#include "common/endings.h"
#include "common/proc.h"

#include <stdbool.h>

/* "SIGSEGV"; "signal 42" for one without a name. Written into out, which is returned. */
const char *signal_name(int number, char *out, size_t size);

/* The ending of a process that ended by itself, with the sentence added to `detail`. `starved`: the kernel has just
 * killed a process for want of memory. COMPLETED: it exited with status 0. */
enum ending ending_of_exit(const struct proc_exit *how, bool starved, struct buf *detail);

#endif
