/* Runs of a script on the worker harness, as of a person's own program. */
#ifndef GANNET_TESTS_WORKER_SCRIPTS_H
#define GANNET_TESTS_WORKER_SCRIPTS_H

#include "tests/worker_harness.h"

/* Starts the harness with a script for /bin/sh, which may hold no double quotes. */
void scripts_start(struct harness *harness, const char *script);

/* That, and trial 1 with lr = 0.5 and opt = adam; its result. */
const struct msg_result *scripts_run(struct harness *harness, const char *script);

/* Makes the file "go" in the run directory, which scripts wait for. */
void scripts_let_go(const struct harness *harness);

#endif
