/* Core dumps of processes that hold keys: there are none.
 *
 * A process whose limit for the size of a dump is one byte leaves none: no file is that small, and Linux does not start
 * a handler (core_pattern "|...") for it either, which it does at a limit of 0. PR_SET_DUMPABLE would do as much, but
 * it gives /proc/PID to root, and nobody could sweep what a killed supervisor of his own left (common/proc_sweep.c). */
#ifndef GANNET_COMMON_DUMP_H
#define GANNET_COMMON_DUMP_H

#include <stdbool.h>
#include <sys/resource.h>

/* From here on this process leaves no dump. Called before it has a key, by the one thread that reads keys. */
void dump_forbid(void);

/* The limit as it was before, for programs that this process starts; false: it was not changed. */
bool dump_limit_before(struct rlimit *out);

#endif
