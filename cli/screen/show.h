/* The screen on a terminal: keys in, frames out, until a person leaves. */
#ifndef GANNET_CLI_SCREEN_SHOW_H
#define GANNET_CLI_SCREEN_SHOW_H

#include "cli/screen/screen.h"

struct show_setup {
    const struct rundir *dir; /* the experiment */
    const char *name;         /* what the person calls it */
    const char *programs;     /* what stands before our programs' names */
    struct look look;
    bool read_only;
    bool several; /* it is one of several: their list is shown first */
};

enum show_end {
    SHOW_LEFT,     /* by a key */
    SHOW_KILLED,   /* by SIGTERM, SIGHUP or SIGINT; show_signal has it */
    SHOW_NO_SCREEN /* this terminal has none: nothing was shown */
};

/* Shows it. -1 with a sentence when something fails; else how it ended, *signal the number where it was one. With
 * SHOW_NO_SCREEN there is a sentence, too. */
int show_experiment(const struct show_setup *setup, int *signal, struct err *err);

#endif
