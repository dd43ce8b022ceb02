/* The worker: one process on a node that offers slots to a coordinator and runs the trials it is given. Made on a loop,
 * so that a test can drive it together with a coordinator of its own. */
#ifndef GANNET_WORKER_AGENT_WORKER_H
#define GANNET_WORKER_AGENT_WORKER_H

#include "common/err.h"
#include "common/loop.h"
#include "worker/hardware/topology.h"

#include <stdint.h>

struct worker_setup {
    const char *rundir;         /* absolute; NULL: none, `connect` says where the coordinator is */
    const char *connect;        /* endpoint of the coordinator; NULL: what rundir's coordinator.json says */
    const char *const *trainer; /* the program that runs kernels and its arguments; NULL at the end */
    struct topology_source source;
    uint32_t part, parts; /* this worker takes part `part`, from 1, of `parts` of the machine */
    double give_up;       /* seconds without a word from a coordinator after which it ends */
    double idle_exit;     /* seconds without a run after which it leaves; 0: it stays */
};

/* Exit statuses beside 0 (the coordinator said so) and 128 + N (signal N). */
enum { WORKER_FAILED = 1, WORKER_ALONE = 69 };

struct worker;

/* Finds out what there is on this machine, and begins to look for the coordinator. Everything in *setup must live as
 * long. `ended` is called once, when all it had started is gone, with an exit status. NULL with a sentence. */
struct worker *worker_create(struct loop *loop, struct link_context *links, const struct worker_setup *setup,
                             void (*ended)(void *context, int status), void *context, struct err *err);

/* Leaves because this signal came: gives back what has not begun, ends what runs, says goodbye; within about a second.
 */
void worker_leave(struct worker *worker, int signal);

void worker_destroy(struct worker *worker); /* kills what is left; NULL is fine */

#endif
