/* The nodes that workers are on: whether they get trials, and whether they are taken; node_health.c says more. */
#ifndef GANNET_SCHEDULER_CORE_NODE_HEALTH_H
#define GANNET_SCHEDULER_CORE_NODE_HEALTH_H

#include "common/buf.h"
#include "scheduler/core/node_fault.h"

/* What is known of a node. */
struct node_health {
    char *name;
    uint64_t key;               /* of the name */
    struct list_link workers;   /* that are on it */
    uint32_t fit;               /* so many of these are fit */
    struct list_link trials;    /* that failed on it, and that another node is to try */
    struct list_link held;      /* in the list of those that get no trial; in none: it gets some */
    double held_until;          /* held: at the latest */
    double hold;                /* seconds that it is held for the next time; 0: as long as at first */
    struct list_link condemned; /* in the list of those that are to be set aside */
    struct list_link unheard;   /* in the list of those of which nothing is known: no run has ended there */
    bool fine;                  /* what ended there last ended well */
    bool going;                 /* what runs there has reported something since, or lasted longer than what fails */
    uint32_t alone;             /* failures since something ended well there that were its own */
    uint64_t failed, ended;     /* of `ended` runs so many failed in a way that may be a node's */
    char words[120];            /* of the last failure */
    bool of_job;                /* a worker of it came by a job: its name is one that Slurm knows */
    char *aside;                /* why it was set aside; NULL: it was not, or that is over */
    double aside_until;         /* then its workers are taken again */
    uint32_t asides;            /* so often */
    double back;                /* when it was taken again; 0: it was not */
    struct {
        bool gets, well;
    } counted; /* what it counts for in struct node_faults */
};

void node_health_init(struct core *core);
void node_health_fini(struct core *core);

void node_health_enter(struct core *core, struct worker *worker); /* its node is known (anew) */
void node_health_leave(struct core *core, struct worker *worker); /* it is about to be freed */
void node_health_fit(struct core *core, struct worker *worker);   /* whether it is fit has changed */

/* Whether the slots of this worker get no trial for now. */
bool node_health_holds(const struct worker *worker);

/* Why workers of this node are not taken, for now; NULL: they are. */
const char *node_health_refuses(const struct core *core, const char *node);

/* Adds the names of these nodes, of those whose workers are of jobs, with commas between them. */
void node_health_list_refused(const struct core *core, struct buf *out);

/* Whether its node has been taken again since this worker was last heard of. */
bool node_health_is_over(const struct worker *worker);

/* As time passes: of one worker, and of all. */
void node_health_watch(struct core *core, struct worker *worker);
void node_health_tick(struct core *core);

/* --- for node_fault.c --- */

struct node_health *node_health_find(const struct core *core, const char *name);

/* After any change of what it counts for. */
void node_health_count(struct core *core, struct node_health *node);

/* Whether trials have somewhere to run while this node gets none. */
bool node_health_others_get_trials(const struct core *core, const struct node_health *node);

/* Whether other nodes do well, seem to, or may: nothing has ended yet on one that runs something, or is on its way. */
bool node_health_others_may_do_well(const struct core *core, const struct node_health *node);

/* It gets no trial for a while, or does again. */
void node_health_hold(struct core *core, struct node_health *node);
void node_health_let_go(struct core *core, struct node_health *node);

/* Sets aside what is condemned. */
void node_health_set_aside(struct core *core, struct node_health *node);

#endif
