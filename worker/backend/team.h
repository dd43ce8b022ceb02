/* The threads among which a loop marked `omp parallel for` is divided: one where the build has no OpenMP. */
#ifndef GANNET_WORKER_BACKEND_TEAM_H
#define GANNET_WORKER_BACKEND_TEAM_H

#include <stddef.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* How many there are at most. */
static inline size_t team_threads(void)
{
#ifdef _OPENMP
    return (size_t)omp_get_max_threads();
#else
    return 1;
#endif
}

/* Sets how many loops of this thread are divided among from now on; how many it was. */
size_t team_set(size_t threads);

/* Which of them runs this, from 0. */
static inline size_t team_member(void)
{
#ifdef _OPENMP
    return (size_t)omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
