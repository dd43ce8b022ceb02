/* Sleeping in place of work; see pace.h. */
#include "worker/kernels/pace.h"

#include <errno.h>
#include <time.h>

void pace_sleep(double seconds)
{
    if (!(seconds > 0))
        return;
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
        ;
}
