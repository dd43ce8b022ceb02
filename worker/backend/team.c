/* See team.h. */
#include "worker/backend/team.h"

#ifdef _OPENMP
#include <omp.h>

size_t team_threads(void)
{
    int wanted = omp_get_max_threads(), limit = omp_get_thread_limit();
    return (size_t)(wanted < limit ? wanted : limit);
}

size_t team_set(size_t threads)
{
    size_t before = team_threads(), limit = (size_t)omp_get_thread_limit();
    omp_set_dynamic(0);
    omp_set_max_active_levels(1);
    omp_set_num_threads((int)(threads < limit ? threads : limit));
    return before;
}

size_t team_member(void)
{
    return (size_t)omp_get_thread_num();
}
#else
size_t team_threads(void)
{
    return 1;
}

size_t team_set(size_t threads)
{
    (void)threads;
    return 1;
}

size_t team_member(void)
{
    return 0;
}
#endif
