/* The task: what all trials of an experiment have in common, as JSON (docs/task.md), read by workers and trainers. */
#ifndef GANNET_COMMON_TASK_H
#define GANNET_COMMON_TASK_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CUDA's Multi-Process Service for trials that share a GPU: one that runs is used; not looked at; the worker's own. */
enum task_mps { TASK_MPS_AUTO, TASK_MPS_OFF, TASK_MPS_ON };

enum { TASK_FUSE_MOST = 64 }; /* trials of one process */

enum task_bind { TASK_BIND_NONE, TASK_BIND_CORE, TASK_BIND_SOCKET, TASK_BIND_NUMA };

/* Ports at which the processes of a trial on several nodes may listen, from the first to the last; {0}: any. */
struct task_ports {
    uint32_t first, last;
};

/* Texts live as long as the task. */
struct task {
    json_t *json;                                /* the object all texts belong to */
    const char *experiment, *directory, *kernel; /* kernel: NULL when there is a command */
    const json_t *options;                       /* or NULL */
    const char **command;                        /* NULL at the end; NULL when there is a kernel */
    const char *base, *workdir;
    const json_t *env;              /* object of texts, or NULL */
    const char *container;          /* the image that the command runs in; NULL: none */
    const char *container_runtime;  /* apptainer or singularity; NULL: whichever is there */
    const char **container_options; /* NULL at the end; may be NULL */
    const json_t *args;    /* how parameters become arguments: {style, own: {parameter: arg}}; NULL: the usual way */
    const json_t *profile; /* which operations are timed: {operations, first, last}; NULL: none */
    const json_t *config;  /* the program's configuration, an object; NULL: parameters alone make it */
    const char *metric;
    const char **metrics; /* NULL at the end */
    const char **percent; /* those of them of which a printed 97.5% is 0.975; NULL at the end; may be NULL */
    double trial_time, grace;
    int signal;               /* that asks a program to save a checkpoint and end; 0: SIGTERM does */
    bool checkpoint;          /* trials can be continued from checkpoints */
    bool keep;                /* the last checkpoint of a trial is kept: others may start from it */
    const char *metrics_file; /* in the trial's directory, where the program writes its metrics; NULL: it prints them */
    const char *pattern;      /* of lines with metrics (common/line_pattern.h); NULL: the usual forms */
    bool buffered;            /* the output of a program is not made to come line by line */
    bool persistent;          /* the program runs one trial after the other */
    uint64_t persistent_trials; /* a process runs so many, 0: any number, */
    uint64_t persistent_growth; /* and holds so many bytes more at most than after its first */
    bool launch_first;          /* the program starts the processes of a trial by itself */
    uint64_t max_steps;         /* a trial is complete after so many; 0: after as many as it has */
    uint32_t cpus, sockets, gpus;
    uint32_t ranks;      /* processes of a trial on each of its nodes, at least 1 */
    uint32_t nodes;      /* that a trial is on, at least 1 */
    uint32_t per_socket; /* trials on each socket; 0: cpus or sockets say how many */
    uint32_t fuse;       /* trials of a slot that train together; up to 1: it has one at a time */
    uint32_t gpu_slots;  /* trials that may share a GPU; up to 1: none do */
    uint64_t gpu_memory; /* bytes of a GPU's that a trial needs; 0: not given */
    enum task_mps mps;
    uint64_t memory;
    enum task_bind bind;
    struct task_ports ports;
};

/* Reads a task; -1 with a sentence when a member is missing or of the wrong kind; *out holds nothing then. */
int task_read(const char *text, struct task *out, struct err *err);
void task_fini(struct task *task);

#endif
