/* The step from a setup to a running program: what happens between fork and exec. For proc.c only. */
#ifndef GANNET_COMMON_PROC_LAUNCH_H
#define GANNET_COMMON_PROC_LAUNCH_H

#include "common/proc.h"

/* Starts the program; its process, or -1 with a sentence. `altered` has a bit, 1 << (number - 1), for each signal that
 * is not at its default here. Returns when the program runs, or nothing is left of it. */
pid_t proc_launch(const struct proc_setup *setup, unsigned long long altered, struct err *err);

#endif
