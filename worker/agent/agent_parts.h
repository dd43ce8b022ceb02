/* What the files of the agent have in common: agent.c (its life, its turns and ticks), agent_hear.c (what the
 * coordinator says) and agent_end.c. */
#ifndef GANNET_WORKER_AGENT_AGENT_PARTS_H
#define GANNET_WORKER_AGENT_AGENT_PARTS_H

#include "common/reaper.h"
#include "worker/agent/agent.h"
#include "worker/agent/slot_set.h"
#include "worker/agent/talk.h"
#include "worker/hardware/cgroup.h"

#define AGENT_TICK_BUSY 0.1 /* seconds between two ticks while there are runs */

struct agent {
    const struct agent_setup *setup;
    struct loop *loop;
    struct loop_watch *turn, *tick, *child_signal;
    void (*ended)(void *context, int status);
    void *context;
    char *node, *machine; /* its name, and a sentence about it */
    char *uncounted;      /* the counters of runs that it does not give, a JSON object */
    struct cgroup cgroup;
    struct reaper *reaper;
    int children; /* the kernel's list of our children, from leftovers_adopt; -1: not open */

    struct talk talk;
    struct reporter reporter;
    struct slot_host host;
    struct slot_set slots;

    bool draining;   /* nothing new; leaves when all has ended */
    bool untidy;     /* a child or a run has ended: leftovers are to be looked for at the end of this turn */
    double due;      /* when the next tick is to come */
    double worked;   /* when there was last a run, or something else to stay for */
    double leave_by; /* LEAVING: until when acknowledgements are waited for */
    int status;      /* draining or LEAVING: the exit status to come */
    char *why;       /* the reason for that */
};

/* agent.c */
void agent_tick_in(struct agent *agent, double seconds); /* the next one */

/* agent_hear.c */
void agent_take_msg(void *context, const struct msg *msg);

/* agent_end.c */
void agent_stop_watching(struct agent *agent);
void agent_end(struct agent *agent, int status, const char *why); /* now, saying GOODBYE */
void agent_end_if_done(struct agent *agent);
void agent_leave_if_idle(struct agent *agent, double now);

#endif
