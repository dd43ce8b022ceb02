/* What doubt.c and doubt_node.c share. */
#ifndef GANNET_SCHEDULER_CORE_DOUBT_PARTS_H
#define GANNET_SCHEDULER_CORE_DOUBT_PARTS_H

#include "scheduler/core/doubt.h"

struct doubt_node {
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
    } counted; /* what it counts for in struct doubts */
};

struct doubt_node *doubt_node_find(const struct core *core, const char *name);

/* After any change of what it counts for. */
void doubt_node_count(struct core *core, struct doubt_node *node);

/* Whether trials have somewhere to run while this node gets none. */
bool doubt_others_get_trials(const struct core *core, const struct doubt_node *node);

/* Whether other nodes do well, seem to, or may: nothing has ended yet on one that runs something, or is on its way. */
bool doubt_others_may_do_well(const struct core *core, const struct doubt_node *node);

/* It gets no trial for a while, or does again. */
void doubt_hold(struct core *core, struct doubt_node *node);
void doubt_let_go(struct core *core, struct doubt_node *node);

/* Sets aside what is condemned. */
void doubt_set_aside(struct core *core, struct doubt_node *node);

#endif
