/* What rank_gang.c (rank 0), gang_rank.c (the others), gang_nodes.c (other nodes), gang_state.c (what was saved) and
 * gang_watch.c (ends) know of each other. */
#ifndef GANNET_WORKER_TRAINER_GANG_PARTS_H
#define GANNET_WORKER_TRAINER_GANG_PARTS_H

#include "worker/collective/across.h"
#include "worker/trainer/rank_gang.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

/* What rank 0 asks of all. */
enum order_kind { ORDER_ENTER, ORDER_LEAVE, ORDER_START, ORDER_RESUME, ORDER_STEP, ORDER_FINISH, ORDER_CLOSE };

struct order {
    enum order_kind kind;
    uint32_t attempt;
    uint32_t node, nodes; /* ENTER: which node this is, of how many */
    uint64_t trial, seed;
    int64_t step;
    uint64_t length; /* bytes that follow: the parameters */
};

/* What ranks used in a run: numbers that are summed over them. */
struct gang_use {
    double cpu, memory; /* seconds, bytes */
    double counted[RUN_COUNTERS_COUNT];
};
enum { GANG_USE_NUMBERS = sizeof(struct gang_use) / sizeof(double) };

struct rank_gang {
    struct kernel face; /* as which it is called */
    const struct kernel *kernel;
    void *self; /* the kernel's, in this process */
    struct shared *shared;
    struct collective local;      /* the ranks of this node */
    struct collective collective; /* those that train: of all nodes within a run on several, else of this one */
    struct across *across;        /* within a run on several nodes */
    uint32_t node, nodes;         /* which one this is, of how many; 0 of 1 outside of such a run */
    struct kernel_task task;
    double computing;     /* seconds of this rank's passes in the present run */
    double slowest, mean; /* the same of all ranks of this node, when the last run had ended */
    struct gang_use used; /* by the others of this node, in the last run, until that is told */
    /* Of rank 0. */
    int socket;  /* its worker's; -1: none */
    char *hosts; /* within a run on several nodes: their names, commas between them */
    pid_t *pids; /* [ranks]: of rank 0 none */
    pthread_t watcher;
    bool is_watched;
    atomic_bool is_closing; /* ranks that exit now do what they were told */
};

/* All ranks call it with how they fared: COMPLETED when all of them did well, else the ending and the sentence of the
 * first that did not. */
enum ending gang_agree(const struct collective *collective, enum ending ending, struct err *err);

/* Seconds that a report has of the passes that every rank does for itself. */
double gang_computing(const struct kernel_report *report);

/* All ranks of a node call it at the end of a run: how long the slowest of them computed, and all on average. */
void gang_compare(struct rank_gang *gang);

/* Binds this process to its part of "0-1;2-3". -1 with a sentence. */
int gang_bind(const char *places, uint32_t rank, struct err *err);

/* What a rank other than 0 does, up to its end. */
_Noreturn void gang_rank_run(struct rank_gang *gang);

/* Each rank, told by its node's first one: from now on it trains with those of other nodes, or no more. `ring` is rank
 * 0's. -1 with a sentence; never without a ring. */
int gang_join_nodes(struct rank_gang *gang, uint32_t node, uint32_t nodes, struct tcp_ring *ring, struct err *err);
void gang_part_nodes(struct rank_gang *gang);

/* Rank 0 of a node: gives an order to the ranks of its own node, or, as node 0, to all that train. */
void gang_order(const struct collective *collective, struct order *order, const void *bytes);

/* Rank 0: tells what its kernel would save now. The others: take it up; -1 with a sentence. */
void gang_tell_state(const struct rank_gang *gang);
int gang_hear_state(const struct rank_gang *gang, int64_t step, struct err *err);

/* Starts the thread that waits for the ends of ranks; -1 with a sentence. */
int gang_watch(struct rank_gang *gang, struct err *err);

#endif
