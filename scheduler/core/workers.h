/* Workers and their slots: hello, silence, goodbye. */
#ifndef GANNET_SCHEDULER_CORE_WORKERS_H
#define GANNET_SCHEDULER_CORE_WORKERS_H

#include "common/endings.h"
#include "common/fitqueue.h"
#include "common/list.h"
#include "common/msg.h"
#include "common/node.h"

struct core;
struct worker_sign;

struct slot {
    struct worker *worker;
    uint32_t index;
    struct list_link leases; /* the first one runs, the others wait behind it */
    uint32_t lease_count;
    double head_since;            /* when the first one came to the front */
    struct fitqueue_item vacancy; /* among the idle slots or those with room ahead, by the end of their worker's job */
    struct list_link passed;      /* in the list of those that get nothing in this input (elsewhere.h) */
    bool gave_back;               /* it gave leases back: nothing more behind the run in front */
    bool stuck;                   /* its run does not end although it should have */
    char *waits;                  /* what it lacks to start a run, in a sentence; NULL: nothing */
    uint16_t port;                /* where the processes of a run that begins here may meet; 0: not said */
    char *meeting;                /* beside which address, and by what secret: what its worker says; NULL: nothing */
};

struct worker {
    uint64_t id;
    uint64_t peer; /* 0: not connected */
    char *node;
    uint32_t pid;
    uint32_t part; /* of several on its node, from 1; 0: it has the node alone */
    struct node_job job;
    struct list_link same_job;  /* in the list of the workers of its job; in none: it is of no job */
    struct node_health *health; /* what is thought of its node (node_fault.h); NULL: it has not said its name */
    struct list_link same_node; /* in that one's list */
    bool job_ended;             /* its job has ended */
    enum ending loss;           /* how its runs end when it is lost */
    bool met;                   /* it has said HELLO in this session, */
    double joined;              /* met: and that was when it did so first */
    uint32_t lease_count;       /* of all its slots */
    uint32_t large_leases;      /* of trials that need more memory than a slot has */
    uint64_t memory;            /* bytes that its trials may use together; 0: not known */
    char *version;              /* of gannet, as it says; NULL: it has said nothing yet */
    double ahead;               /* seconds by which its clock is ahead of ours, by its last heartbeat; NaN: not known */
    struct lease *alone;        /* of a trial that runs apart from all others; NULL: there is none */
    bool apart;                 /* on several nodes: nothing else begins beside the one that it has */
    bool untold;                /* it is still to be told that the experiment ends */
    bool offered;               /* its slots are known and its runs claimed: it may get leases */
    bool fit;                   /* it gets leases: offered, connected, not silent */
    bool endless;               /* it is connected and of no job, and no end of its time is known */
    double heard;               /* when its last word came */
    char *aside;                /* why it was set aside (conduct.h); NULL: it was not */
    uint32_t greetings;         /* HELLOs so far */
    uint32_t fruitless;         /* leases given back and runs cut off, unasked, since a run of its ended */
    double came;                /* when it said HELLO first */
    bool is_newcomer;           /* it counts among those that brought nothing to an end so far, */
    uint64_t home;              /* with this key of core->conduct.newcomers */
    uint64_t last_peer;         /* as which it spoke last */
    double gone_since;          /* not connected: since when */
    double patience;            /* not connected: how long it has to come back */
    double until;               /* when the time of its own job is up; infinite: not known */
    uint32_t credit;            /* leases ahead that it takes, a slot */
    struct slot **slots;
    uint32_t slot_count;
    struct msg leases; /* LEASES, to be sent at the end of this input */
    struct msg acks;   /* ACKS, to be sent at the end of this input */
    size_t leases_capacity, acks_capacity;
    struct list_link watched; /* in the list of all workers */
    struct list_link batched; /* in the list of workers with something to be sent */
};

struct worker *workers_find(const struct core *core, uint64_t id);
struct worker *workers_add(struct core *core, uint64_t id);
struct slot *workers_slot(struct core *core, struct worker *worker, uint32_t index); /* makes it when it is not there */
/* The worker has so many slots from now on; those behind them have no leases. */
void workers_trim(struct core *core, struct worker *worker, uint32_t slots);
void workers_hello(struct core *core, uint64_t peer, const struct msg_hello *hello);
void workers_goodbye(struct core *core, struct worker *worker, const struct msg_goodbye *goodbye);
void workers_note_wait(struct core *core, struct worker *worker, const struct msg_waits *waits);
void workers_note_port(struct core *core, struct worker *worker, const struct msg_port *port);
void workers_disconnect(struct core *core,
                        uint64_t peer); /* its connection is gone; a peer that is no worker is fine */
void workers_lose(struct core *core, struct worker *worker, enum ending ending, const char *why);
/* The same, but it stays known: without leases, and without getting any until it offers slots. */
void workers_give_up(struct core *core, struct worker *worker, enum ending ending, const char *why);
bool workers_has_sign(const struct worker *worker, const struct worker_sign *sign);
/* All workers of this sign; returns how many that were. */
uint32_t workers_lose_all(struct core *core, const struct worker_sign *sign, enum ending ending, const char *why);
void workers_fitness(struct core *core, struct worker *worker); /* works out anew whether it gets leases */
void workers_drain(struct core *core, struct worker *worker);   /* DRAIN, when the experiment ends and it is to leave */
void workers_free(struct core *core, struct worker *worker);

/* --- by their jobs --- */

void workers_enter_job(struct core *core, struct worker *worker,
                       struct node_job job);                                    /* it is of this job from then on */
struct list_link *workers_of_job(const struct core *core, struct node_job job); /* by same_job; NULL: there are none */

#endif
