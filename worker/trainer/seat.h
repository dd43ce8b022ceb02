/* A conversation with a worker about runs, one after the other. A trainer has one, or several for trials that train
 * together; what they have in common is that of their process. */
#ifndef GANNET_WORKER_TRAINER_SEAT_H
#define GANNET_WORKER_TRAINER_SEAT_H

#include "common/buf.h"
#include "common/task.h"
#include "worker/limits/limits_watch.h"
#include "worker/profile/self.h"
#include "worker/trainer/peak.h"
#include "worker/trainer/training.h"

/* The process. */
struct trainer_process {
    struct opened_kernel opened; /* the first seat's, which the others join; kernel NULL: none */
    struct task task;            /* that it was opened for, once that seat is gone */
    uint32_t running;            /* seats whose run takes steps */
    struct peak peak;
    uint64_t memory;         /* bytes resident when that was last asked */
    double memory_at;        /* clock_monotonic() of that, */
    double peak_from;        /* and of the moment since which the peak is measured */
    double cpu;              /* processor time that was told or shared out */
    struct self_count count; /* what it uses in a run that is the only one */
    uint64_t overlaps;       /* how many runs began while others ran */
    struct limits_watch limits;
};

void trainer_process_open(struct trainer_process *process);
void trainer_process_close(struct trainer_process *process); /* when its seats are gone */

struct waiting;

struct seat {
    struct trainer_process *process;
    int fd;      /* of the stream */
    int permits; /* the pipe of permits, where reading does not wait */
    struct buf in, out;
    bool gone; /* the worker closed the stream, or err is set */
    struct err err;

    struct task task;
    struct kernel_task kernel_task;
    struct opened_kernel opened; /* kernel NULL: none, `trouble` says why */
    struct err trouble;

    struct waiting *first, **last; /* RUNs, the present one first */
    uint64_t permit;               /* the last that was read */
    bool running;                  /* the first one's training has a step to take */
    struct training training;
    struct kernel_trial trial; /* of the present run, */
    json_t *params;            /* and its parameters */
    double shared_cpu;         /* its share of the processor time of steps that were taken with others */
    bool alone;                /* nothing else ran when it began */
    uint64_t overlaps;         /* of its process then */
    double begun;              /* clock_monotonic() of the beginning of the run, */
    double sent;               /* of the last STEP, */
    double looked;             /* and of the last look for HALT */
};

/* The descriptors stay the caller's. */
void seat_init(struct seat *seat, struct trainer_process *process, int fd, int permits);
void seat_fini(struct seat *seat);

/* Waits for something from the worker and takes it. */
void seat_receive(struct seat *seat);

/* Without a present run: begins the first one that waits and has its permit, and ends those that end at once. True:
 * one has begun, and has a step to take (training_step). */
bool seat_attend(struct seat *seat);

/* Its last step was taken: tells the worker. */
void seat_end_run(struct seat *seat);

/* What the operations of its run of `seconds` could have done in a second at most, if that has been measured: of
 * several processes those of the first, on the cores of that one. And what sums over its `ranks` (0: not known of so
 * many), and its disks, could have. */
void seat_note_limits(const struct seat *seat, double seconds, uint32_t ranks, struct run_counters *out);

/* A run has ended that used so much processor time: raises limits that it has beaten, and measures them once the
 * process has worked long enough for that, while no other run of it waits. */
void seat_look_at_limits(struct seat *seat, double cpu_seconds);

#endif
