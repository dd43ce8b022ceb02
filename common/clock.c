/* Clocks; see clock.h. */
#include "common/clock.h"

#include <time.h>

static double read_clock(clockid_t which)
{
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double clock_wall(void)
{
    return read_clock(CLOCK_REALTIME);
}

double clock_both(double *wall)
{
    enum { MOST_LOOKS = 5 };
    const double close = 1e-5;
    double before, after = 0;
    for (int look = 0; look < MOST_LOOKS; look++) {
        before = clock_monotonic();
        *wall = clock_wall();
        after = clock_monotonic();
        if (after - before < close)
            break;
    }
    return after;
}

double clock_cpu(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double clock_thread(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
