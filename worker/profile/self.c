/* Counting this process; see self.h. */
#include "worker/profile/self.h"
#include "worker/profile/rusage.h"

#include <unistd.h>

static void read_own(struct run_counters *out)
{
    struct rusage used;
    run_counters_clear(out);
    if (getrusage(RUSAGE_SELF, &used) == 0)
        rusage_count(&used, out);
}

static void look_at_own(struct self_count *count)
{
    pid_t own = getpid();
    tree_looks_take(&count->looks, "/proc", &own, 1);
}

void self_count_fini(struct self_count *count)
{
    tree_looks_fini(&count->looks);
}

void self_count_begin(struct self_count *count, double now)
{
    if (count->at > 0 && now - count->at < SELF_SHORTEST)
        return;
    count->at = now;
    read_own(&count->before);
    /* Where the last look was a moment ago, what has happened since the last run began is not this one's. */
    if (tree_looks_due(&count->looks, now))
        look_at_own(count);
    count->looked = count->looks.last;
    tree_read_io("/proc", getpid(), &count->looked); /* without what the look has read */
}

/* Only what getrusage does not tell: that is exact, and of this moment. */
static void add_looks(struct self_count *count, struct run_counters *out)
{
    static const enum run_counter seen[] = {COUNT_READ, COUNT_WRITTEN, COUNT_QUEUE_WAIT, COUNT_MIGRATIONS,
                                            COUNT_SWAPPED};
    struct run_counters now, since;
    run_counters_clear(&now);
    tree_read_io("/proc", getpid(), &now);
    double read = now.values[COUNT_READ], written = now.values[COUNT_WRITTEN];
    look_at_own(count);
    now = count->looks.last;
    now.values[COUNT_READ] = read;
    now.values[COUNT_WRITTEN] = written;
    run_counters_since(&count->looked, &now, &since);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++)
        out->values[seen[i]] = since.values[seen[i]];
}

void self_count_end(struct self_count *count, double seconds, struct run_counters *out)
{
    struct run_counters now;
    run_counters_clear(out);
    if (!(seconds >= SELF_SHORTEST) || !(count->at > 0))
        return;
    read_own(&now);
    run_counters_since(&count->before, &now, out);
    if (seconds >= TREE_SHORTEST && count->looks.at > 0)
        add_looks(count, out);
}
