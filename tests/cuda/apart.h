/* Runs something in a process of its own, which may end as it likes. */
#ifndef GANNET_TESTS_CUDA_APART_H
#define GANNET_TESTS_CUDA_APART_H

#include <stddef.h>

/* How it ended, as waitpid says it (0: `run` returned), and what it said on its error output. One that hangs is ended
 * by SIGALRM. The pretended CUDA has these options. */
int apart_run(void (*run)(void), const char *options, char *said, size_t size);

#endif
