/* What happens on the whole node while runs go on: pressure (PSI), stolen time, swapping. What is said of a run is the
 * difference between two readings, the first of which may be some hundredths of a second older than the run. */
#ifndef GANNET_WORKER_PROFILE_NODE_H
#define GANNET_WORKER_PROFILE_NODE_H

#include "common/run_counters.h"

/* Of a run shorter than this the node's counters are not told. */
#define NODE_SHORTEST 0.1

/* {0}, and `proc` set, has not read. */
struct node_watch {
    const char *proc;         /* "/proc" but in tests */
    struct run_counters last; /* as they were read */
    double at, cost;          /* when, and how long that took */
};

/* The counters by now: those read before unless they are older than some hundredths of a second - longer where reading
 * takes long, so that it takes half a percent of one core's time at most. */
const struct run_counters *node_watch_read(struct node_watch *watch, double now);

/* Texts of /proc/pressure/WHAT, /proc/stat, /proc/vmstat: seconds that some thread waited; stolen seconds; bytes. */
double node_pressure(const char *text);
double node_steal(const char *text);
void node_swap(const char *text, struct run_counters *out);

#endif
