/* A made-up experiment for pictures and reports: trials with parameters, curves, slots, profiles. */
#ifndef GANNET_TESTS_PLOT_SUBJECT_H
#define GANNET_TESTS_PLOT_SUBJECT_H

#include "cli/plot/plot.h"

/* What no name may be in markup or on a terminal. */
#define HOSTILE "</script><script>alert(1)</script><!--\"'&\x1b[31m]]>"

/* The same for the same arguments. `hostile`: names of the experiment, its parameters, levels, metrics and nodes are
 * HOSTILE with something of their own behind it; one that is hostile is not to be compared with one that is not. Ended
 * with plot_subject_fini. */
void plot_subject_make(struct plot_subject *subject, size_t trials, bool hostile);

#endif
