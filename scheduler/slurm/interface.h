/* What is asked of Slurm. libslurm changes its soname and its structs with every release, ends the process that calls
 * it when its configuration is bad, and blocks for seconds when the controller is away. So all of it stays behind this
 * interface: one module (module/slurm.c), built against the site's libslurm, loaded at run time by a process of its own
 * (slurm_agent.c) that may die or hang without harm. Tests load a fake with the same interface.
 *
 * Every function is called from one thread. 0, or -1 with *error filled in. */
#ifndef GANNET_SCHEDULER_SLURM_INTERFACE_H
#define GANNET_SCHEDULER_SLURM_INTERFACE_H

#include <stdbool.h>
#include <stdint.h>

/* Counts up when anything below changes; a module of another version is refused with a sentence. */
enum { SLURM_INTERFACE = 8 };

#define SLURM_ENTRY "gannet_slurm_module" /* the symbol: const struct slurm_module * */

struct slurm_error {
    int number;     /* Slurm's own, such as 2000; 0: ours */
    bool unclear;   /* the answer was lost on its way: what was asked for may have been done all the same */
    char text[512]; /* Slurm's own words */
};

/* What a job asks for: a row each of sbatch's options that gannet knows. X(TYPE, name, key, help): TEXT char *, NUMBER
 * uint32_t (SLURM_UNSET: not given), SWITCH bool. `key` is the key under `slurm:` that it comes from, "" for ours. */
#define SLURM_REQUEST(X)                                                                                               \
    X(TEXT, name, "", "the job's name")                                                                                \
    X(TEXT, comment, "comment", "free text; ours names the experiment, so that a lost answer can be looked up")        \
    X(TEXT, script, "", "the batch script, beginning with #!")                                                         \
    X(TEXT, directory, "", "where it starts; absolute")                                                                \
    X(TEXT, output, "", "the file of its output, with Slurm's %j")                                                     \
    X(TEXT, partition, "partition", "the partition")                                                                   \
    X(TEXT, account, "account", "the account that pays")                                                               \
    X(TEXT, qos, "qos", "the quality of service")                                                                      \
    X(TEXT, reservation, "reservation", "the reservation")                                                             \
    X(TEXT, constraint, "constraint", "features that nodes must have")                                                 \
    X(TEXT, gres, "gres", "generic resources a node, such as gpu:2")                                                   \
    X(TEXT, gpus_per_node, "gpus_per_node", "GPUs a node, such as 2 or a100:2")                                        \
    X(TEXT, nodelist, "nodelist", "nodes that must be among them")                                                     \
    X(TEXT, exclude, "exclude", "nodes that must not")                                                                 \
    X(TEXT, dependency, "dependency", "other jobs to wait for, such as afterok:123")                                   \
    X(TEXT, licenses, "licenses", "licences")                                                                          \
    X(TEXT, mail_user, "mail_user", "who gets mail")                                                                   \
    X(TEXT, mail_type, "mail_type", "of what: BEGIN, END, FAIL, REQUEUE, ALL")                                         \
    X(TEXT, begin, "begin", "not before this time: seconds since 1970")                                                \
    X(TEXT, further, "", "sbatch's options that are handed on, each on a line of its own: wckey=lab")                  \
    X(TEXT, array, "", "the array's indices, such as 0-7%4")                                                           \
    X(NUMBER, nodes, "nodes", "how many nodes")                                                                        \
    X(NUMBER, tasks_per_node, "", "tasks a node")                                                                      \
    X(NUMBER, cpus_per_task, "cpus_per_task", "processors a task")                                                     \
    X(NUMBER, minutes, "time", "the time limit")                                                                       \
    X(NUMBER, minutes_least, "time_min", "the least time limit that will do")                                          \
    X(NUMBER, memory, "mem", "MiB a node; 0: all of it")                                                               \
    X(NUMBER, memory_per_cpu, "mem_per_cpu", "MiB a processor")                                                        \
    X(NUMBER, nice, "nice", "how much lower its priority is to be")                                                    \
    X(NUMBER, warn_signal, "", "the signal before the end, to the batch script alone")                                 \
    X(NUMBER, warn_seconds, "signal_before_end", "so many seconds before")                                             \
    X(SWITCH, exclusive, "exclusive", "whole nodes")                                                                   \
    X(SWITCH, requeue, "requeue", "it may be put back into the queue")                                                 \
    X(SWITCH, no_kill, "", "it goes on when a node of it fails")                                                       \
    X(SWITCH, hold, "hold", "it waits until it is released")

#define SLURM_UNSET          UINT32_MAX
#define SLURM_REQUEST_TEXT   char *
#define SLURM_REQUEST_NUMBER uint32_t
#define SLURM_REQUEST_SWITCH bool

struct slurm_request {
#define X(type, name, key, help) SLURM_REQUEST_##type name;
    SLURM_REQUEST(X)
#undef X
    char **environment; /* "NAME=value", at least one */
    uint32_t environment_count;
    struct slurm_request *components; /* of a heterogeneous job those beside this one, which has its script and
                                         environment; malloc */
    uint32_t component_count;
};

/* Slurm's states, as far as they differ for us. */
enum slurm_state {
    SLURM_PENDING,     /* waits; `reason` says why */
    SLURM_RUNNING,     /* or being configured, or completing */
    SLURM_SUSPENDED,   /* or stopped */
    SLURM_COMPLETED,   /* ended with status 0 */
    SLURM_FAILED,      /* ended with another */
    SLURM_CANCELLED,   /* by a person */
    SLURM_TIMEOUT,     /* at its time limit */
    SLURM_PREEMPTED,   /* for a job of higher priority */
    SLURM_NODE_FAILED, /* a node of it failed */
    SLURM_OUT_OF_MEMORY,
    SLURM_VANISHED, /* the controller has no record of it (any more) */
    SLURM_REQUEUED, /* put back into the queue, it is not known why; only of a run of a job that has ended */
    SLURM_STATES
};

/* One job, or one element of an array. */
struct slurm_job {
    uint32_t id;       /* its own */
    uint32_t array;    /* the array's id; 0: none */
    uint32_t element;  /* which of it; SLURM_UNSET: none, or those that still wait together */
    uint32_t restarts; /* how often it was requeued */
    enum slurm_state state;
    enum slurm_state final_state;    /* what it counts as when RUNNING and being ended already, or requeued; else as
                                        `state`, or not    set */
    bool requeued;                   /* it is on its way back into the queue */
    char reason[64];                 /* PENDING: Slurm's word for why, such as Priority */
    double submitted, started, ends; /* seconds since 1970; 0: not known. PENDING: when it is expected to start */
    char nodes[256];                 /* as Slurm writes lists of nodes: n[1-4] */
    char batch_node[64];
    int exit_status, exit_signal;
    char by[64]; /* CANCELLED: by whom, such as "by ada"; "": not known */
};

struct slurm_jobs {
    struct slurm_job *items; /* malloc */
    uint32_t count;
    char *cores; /* of `job` alone, when it is one that runs: the cores that it has on each of its nodes, as Slurm
                    numbers them from 0, such as "0-3;8,9"; malloc; NULL: not known */
    char *gpus;  /* likewise: how many GPUs it has on each of its nodes, such as "2;1"; malloc; NULL: not known */
};

struct slurm_module {
    uint32_t interface;    /* SLURM_INTERFACE; first for ever */
    const char *built_for; /* "22.05.8": the Slurm whose headers it was built with */

    /* The version of the library that it was loaded with, such as "38.0.0"; needs no configuration. */
    const char *(*library)(void);
    /* Reads the configuration. May end the process, or block for a minute. */
    int (*open)(struct slurm_error *error);
    int (*ping)(struct slurm_error *error); /* whether the controller answers */
    int (*submit)(const struct slurm_request *request, uint32_t *id, struct slurm_error *error); /* of its first
                                                                                                   component */
    /* Whether it would be taken: what cannot be had is an error as of `submit`. Nothing is submitted. */
    int (*check)(const struct slurm_request *request, struct slurm_error *error);
    /* The job, or all elements of the array, or all components of a heterogeneous job when it is its first. A job that
     * the controller does not know is one with SLURM_VANISHED. */
    int (*job)(uint32_t id, struct slurm_jobs *out, struct slurm_error *error);
    /* All jobs of this user with exactly this comment that have not ended: one question however many there are. */
    int (*find)(const char *comment, struct slurm_jobs *out, struct slurm_error *error);
    /* `which`: "12", or elements "12_3". signal 0: cancels (SIGTERM, then SIGKILL); else sends it to the batch script
     * alone. A job that has ended already is no error. */
    int (*cancel)(const char *which, int signal, struct slurm_error *error);
    int (*requeue)(uint32_t id, struct slurm_error *error);
    int (*hold)(uint32_t id, bool hold, struct slurm_error *error); /* or releases it */
    /* The partitions' names for suggestions, separated by commas. */
    int (*partitions)(char *out, uint32_t size, struct slurm_error *error);
};

#endif
