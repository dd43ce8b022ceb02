/* The threads among which a loop marked `omp parallel for` is divided: one where the build has no OpenMP. All of OpenMP
 * that code outside of worker/backend and worker/boost may ask: only their files are compiled with it. */
#ifndef GANNET_WORKER_BACKEND_TEAM_H
#define GANNET_WORKER_BACKEND_TEAM_H

#include <stddef.h>

/* How many there are at most. */
size_t team_threads(void);

/* Sets how many loops of this thread are divided among from now on, exactly, unless OMP_THREAD_LIMIT allows fewer; how
 * many it was. oneDNN divides an operation when it is made: where fewer threads come, the part of the others is left
 * undone, without a word. So neither OMP_DYNAMIC nor OMP_MAX_ACTIVE_LEVELS may change it. */
size_t team_set(size_t threads);

/* Which of them runs this, from 0. */
size_t team_member(void);

#endif
