/* When to measure; see limits_watch.h. */
#include "worker/limits/limits_watch.h"

#include <math.h>
#include <unistd.h>

/* A measurement takes 0.25 s of a core, and as much again where memory is slow: 30 s are a hundred times more for one
 * thread, and the more threads work the sooner they have worked so long. */
static const double due_seconds = 30;
static const uint64_t least_room = 512u << 20; /* twice the arrays */

void limits_watch_open(struct limits_watch *watch, int threads)
{
    *watch = (struct limits_watch){.known = false};
    watch->known = limits_load(threads, &watch->limits);
}

static bool measure_node(struct limits_watch *watch)
{
    struct err err;
    int threads = watch->limits.threads, lock = limits_lock();
    if (lock < 0)
        return false;
    watch->known = limits_measure(threads, &watch->limits, &err) == 0;
    watch->given_up = !watch->known || limits_keep(&watch->limits, &err);
    close(lock);
    return true;
}

bool limits_watch_worked(struct limits_watch *watch, double seconds)
{
    watch->worked += seconds;
    return !watch->known && !watch->given_up && watch->worked >= due_seconds * watch->limits.threads;
}

bool limits_watch_measure(struct limits_watch *watch, uint64_t room)
{
    if (room < least_room)
        return false;
    watch->worked = 0;
    watch->known = limits_load(watch->limits.threads, &watch->limits); /* another process may have measured */
    return !watch->known && measure_node(watch);
}

bool limits_watch_beaten(struct limits_watch *watch, double flops)
{
    struct limits kept;
    struct err err;
    if (!watch->known || !(flops > watch->limits.flops) || !isfinite(flops))
        return false;
    watch->limits.flops = flops;
    if (limits_load(watch->limits.threads, &kept))
        limits_raise(&watch->limits, &kept);
    if (!watch->given_up)
        watch->given_up = limits_keep(&watch->limits, &err) != 0;
    return true;
}
