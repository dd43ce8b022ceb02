/* The Slurm of tests (tests/slurm_fake/fake.c, which says what its files are) and how a test leads it. */
#ifndef GANNET_TESTS_FAKE_SLURM_H
#define GANNET_TESTS_FAKE_SLURM_H

#include <stddef.h>

/* Lets the agents of this process and its children use the fake, with its files in this directory. */
void fake_slurm_use(const char *directory);

/* The path of gannet as it was built, and of a module of the tests: slurm_fake.so or slurm_old.so. free() it. */
char *fake_slurm_program(void);
char *fake_slurm_module(const char *name);

/* Writes script.json; with ' for ". */
void fake_slurm_script(const char *directory, const char *script);

/* Writes jobs.json; with ' for ". */
void fake_slurm_jobs(const char *directory, const char *jobs);

/* How often a call ("submit", "job", ...) was made. */
size_t fake_slurm_calls(const char *directory, const char *call);

#endif
