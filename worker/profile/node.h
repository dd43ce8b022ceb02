/* What happens on the whole node while runs go on: pressure (PSI), stolen time, swapping, memory of other NUMA nodes,
 * joules, and the worker's control group. What is said of a run is the difference between two readings, the first of
 * which may be some hundredths of a second older than the run.
 *
 * Joules are shared among those that used the processors meanwhile: a run's part is its processor time divided by that
 * of all cores. What an idle node takes is so that of whoever ran. */
#ifndef GANNET_WORKER_PROFILE_NODE_H
#define GANNET_WORKER_PROFILE_NODE_H

#include "common/run_counters.h"
#include "worker/profile/energy.h"
#include "worker/profile/group.h"
#include "worker/profile/held_file.h"

/* Of a run shorter than this the node's counters are not told. */
#define NODE_SHORTEST 0.1

enum node_file { NODE_CPU, NODE_MEMORY, NODE_IO, NODE_STAT, NODE_VMSTAT, NODE_FILES };

struct node_reading {
    struct run_counters counters; /* joules are the node's */
    double busy;                  /* seconds that all cores worked; NaN: not known */
};

/* {0}, and `proc` and `sys` set, has not read. */
struct node_watch {
    const char *proc, *sys; /* "/proc" and "/sys" but in tests */
    struct held_file files[NODE_FILES];
    struct energy_watch energy;
    struct group_watch group;
    struct node_reading last; /* as they were read */
    double at, cost;          /* when, and how long that took */
};

/* The counters by now: those read before unless they are older than some hundredths of a second - longer where reading
 * takes long, so that it takes half a percent of one core's time at most. */
const struct node_reading *node_watch_read(struct node_watch *watch, double now);

/* To be called from time to time while there are runs: what begins anew when it is full is read before it is. */
void node_watch_tick(struct node_watch *watch, double now);

void node_watch_close(struct node_watch *watch);

/* What there was from `before` up to `after`, of a run that used so much processor time. */
void node_since(const struct node_reading *before, const struct node_reading *after, double cpu_seconds,
                struct run_counters *out);

/* Texts of /proc/pressure/WHAT, /proc/stat (two), /proc/vmstat: seconds that some thread waited; stolen seconds; those
 * that cores worked; bytes. */
double node_pressure(const char *text);
double node_steal(const char *text);
double node_busy(const char *text);
void node_memory(const char *text, struct run_counters *out);

#endif
