/* What the slots of an agent have in common: the machine, the task, the reporter, and what they ask of the agent. */
#ifndef GANNET_WORKER_AGENT_SLOT_HOST_H
#define GANNET_WORKER_AGENT_SLOT_HOST_H

#include "common/loop.h"
#include "common/task.h"
#include "common/texts.h"
#include "worker/agent/reporter.h"
#include "worker/hardware/claim.h"
#include "worker/profile/gpu_watch.h"
#include "worker/profile/node.h"
#include "worker/profile/perf.h"
#include "worker/program/stream.h"

struct agent_slot;

/* What a slot asks of its agent, or tells it; called from any function of slot.h. They call no slot. */
struct slot_calls {
    /* Whether another slot, of older resources, still has cores or GPUs of this one. */
    bool (*is_blocked)(void *context, const struct agent_slot *slot);
    /* Whether the kernel has killed a process for want of memory in the last second or so; each kill is told once. */
    bool (*was_starved)(void *context);
    /* A program has ended, and may have left processes behind. */
    void (*left)(void *context);
};

enum agent_stage { AGENT_WORKING, AGENT_LEAVING, AGENT_OVER };

/* What all slots of an agent have in common; the agent's, who may change it between two calls. */
struct slot_host {
    struct loop *loop;
    const char *rundir;             /* NULL: the task says it */
    const char *const *trainer;     /* the program that runs kernels and its arguments; NULL at the end */
    const char *const *gpu_trainer; /* the same for slots with GPUs; NULL: there is no other one */
    const char *lines;              /* the library that makes the output of programs come line by line, or NULL */
    const char *cupti;              /* the library that counts what programs do on GPUs, or NULL */
    struct topology topology;
    perf_events events;     /* of the processor that can be counted */
    struct node_watch node; /* what happens on the whole node */
    struct gpu_watch
        *gpus;             /* looks at all GPUs of the topology, in its order; NULL: there is none that says anything */
    struct claims *claims; /* of cores and GPUs; NULL: nothing is claimed */
    struct texts marks;    /* the environment that marks all our children as ours */
    bool in_job;           /* of Slurm */
    enum agent_stage stage;
    enum ending leave_with; /* LEAVING: how runs end that the agent's signal ends, or has ended already */
    char *task_text;
    struct task task;
    bool time_is_up; /* the coordinator has stopped runs because it is */
    double deadline; /* when the time of the job is up, seconds since 1970; 0: not known */
    struct reporter *reporter;
    struct stream_port *port; /* where programs say how they go; made with the first of them */
    char *python;             /* the directory of gannet.py, looked for at the same time; NULL: it is not there */
    bool has_looked;          /* for both of these; neither may be there */
    double found;             /* when what the command needs was last seen to be there; 0: it is to be looked for */
    const struct slot_calls *calls;
    void *context; /* of the calls */
};

#endif
