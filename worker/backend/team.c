/* See team.h. */
#include "worker/backend/team.h"

size_t team_set(size_t threads)
{
    size_t before = team_threads();
#ifdef _OPENMP
    omp_set_num_threads((int)threads);
#else
    (void)threads;
#endif
    return before;
}
