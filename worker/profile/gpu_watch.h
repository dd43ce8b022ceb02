/* What a slot's GPUs do while runs go on, by looks at them a few times a second (NVML). The looks are a thread's: a
 * driver that does not answer, as that of a GPU that has fallen off its bus, holds up nobody. It has work only while
 * somebody asked for looks in the last seconds.
 *
 * They see what is wrong with a GPU, too: events of the driver (Xid), errors of its memory that can't be corrected, a
 * GPU that has fallen off the bus or needs a reset. While one is lost the library is closed and opened anew from time
 * to time, since what it knows of a GPU does not outlive that one's reset.
 *
 * What a run is told is what lies between the first look after its beginning and the last one before its end; of a run
 * without two of these nothing is known. */
#ifndef GANNET_WORKER_PROFILE_GPU_WATCH_H
#define GANNET_WORKER_PROFILE_GPU_WATCH_H

#include "common/run_counters.h"
#include "worker/hardware/gpu_fault.h"
#include "worker/hardware/nvml.h"

#include <stddef.h>
#include <stdint.h>

#define GPU_MOST_WATTS 20000.0 /* no GPU takes more: what says so is not believed */
#define GPU_OFTEN      0.25    /* seconds between two looks, or more where they take long */

/* A sum over looks, each counted for the seconds since the one before. */
struct gpu_sum {
    double sum, seconds;
};

/* One GPU: what all looks so far add up to. Only differences mean something. */
struct gpu_reading {
    double at;                   /* when the last look was; 0: there was none */
    struct gpu_sum use;          /* of 1 */
    struct gpu_sum power, clock; /* watts, MHz */
    struct gpu_sum hot, capped;  /* 1 in looks that found it slowed down for heat, or by its limit of power */
    double energy;               /* joules since the driver was loaded; NaN: not known */
    double clock_most;           /* MHz; NaN: not known */
    double memory;               /* bytes that were in use; NaN: not known */
    double errors;               /* of its memory that can't be corrected, since it was reset; NaN: not known */
    struct gpu_fault event;      /* the last Xid or ECC fault since it was reset; {0}: none was */
    struct gpu_fault said;       /* what the driver says of it now: lost, to be reset; {0}: it answers */
    double event_at;             /* when the first look was that knew of the event */
};

/* What is wrong with a GPU, the worse of the two; {0}: nothing that would be its own fault. */
struct gpu_fault gpu_reading_fault(const struct gpu_reading *reading);

struct gpu_watch;

/* Of these GPUs, by their UUIDs, which must live as long. `open` is nvml_open but in tests. Opens nothing yet. */
struct gpu_watch *gpu_watch_create(const char *const *uuids, size_t count, bool (*open)(struct nvml *nvml));
void gpu_watch_destroy(struct gpu_watch *watch); /* NULL is fine */

/* Looks are wanted for some seconds. */
void gpu_watch_want(struct gpu_watch *watch);

/* The last look at a GPU, by its place among the UUIDs; `at` is 0 while there was none. */
void gpu_watch_read(struct gpu_watch *watch, size_t gpu, struct gpu_reading *out);

/* One look, `seconds` after the one before (0: it is the first); for the thread, and for tests. Of a GPU that was reset
 * since (it answers again, or its counters have begun anew) what was wrong before is forgotten. */
void gpu_look(const struct nvml *nvml, void *device, double seconds, struct gpu_reading *reading);

/* --- what a run used --- */

enum { GPU_MOST = 16 }; /* of a slot with more nothing is told */

/* {0}: of no GPU, or of one that is not looked at. */
struct gpu_run {
    struct gpu_reading first[GPU_MOST], last[GPU_MOST];
    double memory; /* bytes that were in use at most; NaN: not known */
    double begun;
};

void gpu_run_begin(struct gpu_run *run, double now);

/* Takes the last look at GPU `i` of the run's, unless it is of before. */
void gpu_run_add(struct gpu_run *run, size_t i, const struct gpu_reading *reading);

/* Sets what is known of a run of `seconds` on `count` GPUs, each of which `sharers` slots share. */
void gpu_run_end(const struct gpu_run *run, size_t count, uint32_t sharers, double seconds, struct run_counters *out);

#endif
