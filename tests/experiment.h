/* A small experiment for tests of the scheduler: its file, its spec, its run directory. */
#ifndef GANNET_TESTS_EXPERIMENT_H
#define GANNET_TESTS_EXPERIMENT_H

#include "scheduler/rundir/rundir.h"

/* Twenty trials of a test function of two parameters, at random, with seed 7. */
extern const char experiment_text[];

/* Writes the text to experiment.yaml's original in the scratch directory and reads it; fails the test when it is not
 * right. spec_destroy it. */
struct spec *experiment_spec(void *const *state, const char *text);

/* Makes the run directory SCRATCH/run of it; rundir_fini *dir. */
void experiment_make(void *const *state, const char *text, struct rundir *dir);

#endif
