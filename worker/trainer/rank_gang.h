/* The ranks of a kernel: several processes that train each trial together (resources.ranks). The trainer is rank 0; it
 * forks the others before it loads anything, and they do after it what it does:
 *
 *     rank 0                              every other rank
 *     open      (fork)                    binds itself, opens the kernel
 *     start, resume, step, finish   -->   the same call with the same arguments
 *                                   <--   whether it succeeded: when one did not, it failed in all
 *     save                                nothing
 *     close                         -->   exits
 *
 * All ranks know the same, so rank 0 alone saves; what it takes up again it tells the others.
 *
 * A run may be on several nodes, whose trainers meet at its beginning (worker/collective/meeting.h). Then rank 0 of
 * node 0 orders all of them, and what is one rank is another's on another node:
 *
 *     node 0                              every other node
 *     rank_gang_enter                          rank_gang_enter
 *     start, resume, step, finish   -->   rank_gang_follow does the same, and reports nothing
 *     rank_gang_leave                    -->   rank_gang_follow returns
 *
 * When another node is gone rank 0 says so, gives the coordinator a moment to end the run as what it is, and exits with
 * EXIT_NODE_LOST.
 *
 * To who calls, a gang is a kernel like any other. When a rank dies, rank 0 says on its error output which one, and
 * dies in the same way at once, whatever it is doing: so the worker judges it as it judges a trainer alone. When rank 0
 * dies the system kills the others (PR_SET_PDEATHSIG). */
#ifndef GANNET_WORKER_TRAINER_RANK_GANG_H
#define GANNET_WORKER_TRAINER_RANK_GANG_H

#include "common/run_counters.h"
#include "common/task.h"
#include "worker/trainer/training.h"

struct gang_setup {
    const struct kernel *kernel;
    uint32_t ranks;
    const char *places; /* the cores of each, "0-1;2-3"; "": they are not bound */
    int socket;         /* a descriptor that rank 0 alone is to have; -1: none */
};

/* Starts the ranks, while this process has no other thread, and opens the kernel in all of them; `task` as a kernel's.
 * Sets all of *opened but the metric. -1 with a sentence: nothing is left then. */
int rank_gang_open(struct opened_kernel *opened, const struct gang_setup *setup, const struct kernel_task *task,
                   struct err *err);

/* Where the nodes of a run meet. */
struct gang_nodes {
    uint32_t node, nodes;             /* which one this is, of how many */
    const char *meeting;              /* as messages have it: an address, a space, a secret */
    uint16_t port;                    /* beside that address */
    struct task_ports ports;          /* those of further nodes */
    const char *hosts;                /* the nodes' names, commas between them */
    uint64_t trial;                   /* of which run this is, */
    uint32_t attempt;                 /* and which attempt */
    bool (*is_halted)(void *context); /* asked while others are waited for: whether the run is to end */
    void *context;
};

/* Before a run on several nodes: waits for the others. 0, GANG_HALTED or -1 with a sentence. */
enum { GANG_HALTED = 1 };
int rank_gang_enter(struct rank_gang *gang, const struct gang_nodes *nodes, struct err *err);

/* After it: on node 0. Does nothing when the last run was on one node. */
void rank_gang_leave(struct rank_gang *gang);

/* On the other nodes in place of a run: obeys node 0 until that leaves. */
void rank_gang_follow(struct rank_gang *gang);

/* The processes of a trial on this node. */
uint32_t rank_gang_ranks(const struct rank_gang *gang);

/* What the other ranks used in the run that ended since this was asked last: processor seconds, bytes of memory at most
 * (0 when none did), and their counters, unknown where one of them does not know; of the seconds that ranks computed
 * those of all ranks. */
void rank_gang_take_use(struct rank_gang *gang, double *cpu, uint64_t *memory, struct run_counters *counters);

#endif
