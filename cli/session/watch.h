/* Runs a prepared experiment on this machine to its end, shows how it goes, and ends it gently when the person
 * interrupts: Ctrl-C once drains, twice stops, a third time kills. */
#ifndef GANNET_CLI_SESSION_WATCH_H
#define GANNET_CLI_SESSION_WATCH_H

#include "cli/console.h"
#include "scheduler/supervisor/supervise.h"

struct watch_setup {
    const struct supervise_setup *supervise;
    const char *name;   /* of the experiment */
    const char *metric; /* of the objective */
    bool quiet;         /* shows nothing on the way */
};

/* Returns when the coordinator has ended and all processes are gone: 0; 1 when the person had everything killed; or -1
 * with a sentence when it was given up or could not be started. */
int watch_experiment(struct console *console, const struct watch_setup *setup, struct err *err);

#endif
