/* Counting this process; see self.h. */
#include "worker/profile/self.h"
#include "common/clock.h"
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

static void ignore_reason(void *context, enum run_counter counter, const char *sentence)
{
    (void)context; /* the worker says it */
    (void)counter;
    (void)sentence;
}

void self_count_open(struct self_count *count)
{
    struct perf_processor processor = perf_processor_here();
    perf_events events = perf_probe(&perf_system, &processor, 0, ignore_reason, NULL);
    perf_attach(&count->perf, &perf_system, &processor, events, 0);
}

void self_count_fini(struct self_count *count)
{
    perf_close(&count->perf, &perf_system);
    tree_looks_fini(&count->looks);
}

/* The reading is a part of what looks cost: with many threads on many cores each is asked. */
static void read_perf(struct self_count *count, struct run_counters *out)
{
    if (!count->perf.count)
        return;
    double began = clock_monotonic();
    perf_read(&count->perf, &perf_system, out);
    count->looks.cost += clock_monotonic() - began;
}

void self_count_begin(struct self_count *count, double now)
{
    if (count->at > 0 && now - count->at < SELF_SHORTEST)
        return;
    count->at = now;
    read_own(&count->before);
    bool is_due = tree_looks_due(&count->looks, now), is_short = count->last > 0 && count->last < SELF_SHORTEST;
    if (is_due || is_short)
        count->is_fresh = !is_short; /* where runs are short, they stay so: nothing of them would be told */
    if (!count->is_fresh)
        return;
    /* Where the last look was a moment ago, what has happened since the last run began is not this one's. */
    if (is_due)
        look_at_own(count);
    count->looked = count->looks.last;
    read_perf(count, &count->looked);
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

void self_count_short(struct self_count *count, double seconds)
{
    count->last = seconds;
}

void self_count_end(struct self_count *count, double seconds, struct run_counters *out)
{
    struct run_counters now;
    run_counters_clear(out);
    count->last = seconds;
    if (!(seconds >= SELF_SHORTEST) || !(count->at > 0))
        return;
    read_own(&now);
    run_counters_since(&count->before, &now, out);
    if (seconds >= TREE_SHORTEST && count->is_fresh)
        add_looks(count, out);
}

void self_count_perf(const struct self_count *count, struct run_counters *out)
{
    struct run_counters now, since;
    if (!count->perf.count || !count->is_fresh || count->last < TREE_SHORTEST)
        return;
    run_counters_clear(&now);
    perf_read(&count->perf, &perf_system, &now);
    run_counters_since(&count->looked, &now, &since);
    for (int i = COUNT_CYCLES; i <= COUNT_COUNTED_SHARE; i++)
        out->values[i] = since.values[i];
}
