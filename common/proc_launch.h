/* The step from a setup to a running program: what happens between fork and exec. For proc.c only. */
#ifndef GANNET_COMMON_PROC_LAUNCH_H
#define GANNET_COMMON_PROC_LAUNCH_H

#include "common/proc.h"

/* Starts the program; its process, or -1 with a sentence. Of `lasting` the signals are known already; the rest is found
 * out and opened here. Returns when the program runs, or nothing is left of it. */
pid_t proc_launch(const struct proc_setup *setup, struct loop_children *lasting, struct err *err);

#endif
