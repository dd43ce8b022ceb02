/* The processor's own counters (perf_event_open(2)) of processes and all that they start: cycles, instructions,
 * branches, caches, floating-point work by vector width, memory of other NUMA nodes; only what happens in their own
 * code, which ordinary users may count where perf_event_paranoid is 2 or less.
 *
 * Events stand in groups that the processor counts together. Where it has too few counters the kernel takes turns with
 * them, and what was counted is scaled to the whole time; `counted_share` says how much of that was counted. */
#ifndef GANNET_WORKER_PROFILE_PERF_H
#define GANNET_WORKER_PROFILE_PERF_H

#include "common/run_counters.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

/* The system calls, so that tests can make them up. */
struct perf_calls {
    int (*open)(void *context, const struct perf_event_attr *attr, pid_t thread, int group); /* -1 with errno */
    ssize_t (*read)(void *context, int fd, void *out, size_t size);
    void (*close)(void *context, int fd);
    void *context;
};
extern const struct perf_calls perf_system;

/* What can be counted: a bit for each row of perf_event_list.h. */
typedef uint32_t perf_events;

struct perf_fd;

/* {0} counts nothing. */
struct perf_counts {
    struct perf_fd *fds;
    size_t count, capacity;
    pid_t *threads; /* that are counted */
    size_t thread_count, thread_capacity;
    bool incomplete; /* a thread could not be counted: nothing is known */
};

/* The processor, as /proc/cpuinfo says: its vendor and numbers choose events that are its own. */
struct perf_processor {
    bool intel, amd;
    unsigned family, model;
};
struct perf_processor perf_processor_read(const char *cpuinfo);
struct perf_processor perf_processor_here(void);

/* Tries each event on this thread. Of those that can't be counted `why` is called with a sentence. */
perf_events perf_probe(const struct perf_calls *calls, const struct perf_processor *processor, int paranoid,
                       void (*why)(void *context, enum run_counter counter, const char *sentence), void *context);

/* Counts a thread, and all that it starts from now on, unless it is counted; 0 is this one. */
void perf_attach(struct perf_counts *counts, const struct perf_calls *calls, const struct perf_processor *processor,
                 perf_events events, pid_t thread);

/* All threads of these processes, the first of them at most 16 alike. */
void perf_attach_tree(struct perf_counts *counts, const struct perf_calls *calls,
                      const struct perf_processor *processor, perf_events events, const pid_t *pids, size_t count);

/* Sets what has been counted so far; all stays unknown when any part is. */
void perf_read(const struct perf_counts *counts, const struct perf_calls *calls, struct run_counters *out);

void perf_close(struct perf_counts *counts, const struct perf_calls *calls);

#endif
