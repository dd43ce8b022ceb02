/* The agent: what gannet-worker is, one process on a node that offers slots to a coordinator and runs the trials it is
 * given. Made on a loop, so that a test can drive it together with a coordinator of its own.
 *
 * The folder; each file calls only those listed before it, and is called by them through function pointers alone:
 *
 *     connector.c   where the coordinator is: coordinator.json, keys, the link
 *     talk.c        the conversation with it
 *     reporter.c    the runs, and what the coordinator has to be told of them until it has acknowledged it
 *     slot_front.c  the run in front of a slot: where its files are, how it fails to start, how it ends
 *     slot_kernel.c, slot_program.c   it as the work of a trainer, with others given ahead; as a program
 *     slot_claim.c  its cores and GPUs, against other searches on the machine
 *     slot.c        one place to run: the queue of leases, what begins next, what is stopped
 *     slot_watch.c  the limits of what runs, looked at every tick
 *     slot_set.c    all slots, with those of older resources, which keep what runs in them
 *     agent.c       the whole: made, hearing messages, ticking, ending
 *     worker/main.c runs an agent, or shows its slots (show_slots.c), as its options say (worker_options.c) */
#ifndef GANNET_WORKER_AGENT_AGENT_H
#define GANNET_WORKER_AGENT_AGENT_H

#include "common/err.h"
#include "common/loop.h"
#include "worker/hardware/topology.h"

#include <stdint.h>

struct agent_setup {
    const char *rundir;             /* absolute; the keys are there, too */
    const char *connect;            /* endpoint of the coordinator; NULL: what rundir's coordinator.json says */
    const char *const *trainer;     /* the program that runs kernels and its arguments; NULL at the end */
    const char *const *gpu_trainer; /* the same for slots with GPUs; NULL: there is no other one */
    const char *reaper;             /* the file of gannet-reaper; NULL: there is none, for tests */
    const char *lines;              /* the file of worker/preload/lines.c; NULL: there is none */
    const char *cupti;              /* that of worker/cupti, likewise */
    const char *node;               /* what other nodes know this one by; NULL: as node_name says */
    struct topology_source source;
    bool shared;          /* it uses what other searches on the machine use, too */
    uint32_t part, parts; /* it takes part `part`, from 1, of `parts` of the machine */
    double give_up;       /* seconds without a word from a coordinator after which it ends */
    double idle_exit;     /* seconds without a run after which it leaves; 0: it stays */
};

/* Exit statuses beside 0 (the coordinator said so), EXIT_REFUSED and 128 + N (signal N). */
enum { AGENT_FAILED = 1, AGENT_ALONE = 69 };

struct agent;

/* Finds out what there is on this machine, and begins to look for the coordinator. Everything in *setup must live as
 * long. `ended` is called once, when all it had started is gone, with an exit status. NULL with a sentence. */
struct agent *agent_create(struct loop *loop, struct link_context *links, const struct agent_setup *setup,
                           void (*ended)(void *context, int status), void *context, struct err *err);

/* Leaves because this signal came: gives back what has not begun, ends what runs, says goodbye; within about a second.
 */
void agent_leave(struct agent *agent, int signal);

void agent_destroy(struct agent *agent); /* kills what is left; NULL is fine */

#endif
