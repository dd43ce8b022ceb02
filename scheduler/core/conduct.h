/* Conduct: what is put up with from a worker. A worker that nobody can make sense of, or that goes round in circles, is
 * set aside: it is told REFUSED with the reason, gets no more leases, its runs go elsewhere, and status shows why until
 * the session ends. The limits of single fields are those of common/msg_list.h.
 *
 * Honest workers stay far below the counts. A worker gives back at most what waits at it, 2,048 leases of all slots
 * together and one a slot, and then leaves or ends something. It says HELLO once a second at most, also those seconds
 * that the coordinator hangs, and is asked by WHO a few times. It leaves out samples beyond metrics_most_samples. */
#ifndef GANNET_SCHEDULER_CORE_CONDUCT_H
#define GANNET_SCHEDULER_CORE_CONDUCT_H

#include "common/map.h"
#include "common/msg.h"

struct core;
struct lease;
struct worker;

enum {
    CONDUCT_MOST_FRUITLESS = 10000, /* leases given back and runs cut off unasked, with no end between them */
    CONDUCT_MOST_GREETINGS = 1000,  /* HELLOs, and one more for each second since the first */
    /* Workers that came under a new number and brought nothing to an end so far, and one more for each second since the
     * first: of a node, which has a handful at a time, and of all. Each leaves three rows in the store. */
    CONDUCT_MOST_NEWCOMERS = 20000,
    CONDUCT_MOST_ASIDE = 1000,     /* workers that are remembered for having been set aside */
    CONDUCT_MOST_WORKERS = 100000, /* at a time; each costs some kilobytes */
    CONDUCT_DEPARTED = 64          /* workers that are remembered after they went */
};

/* What is remembered of a worker that went. */
struct departed {
    uint64_t worker; /* 0: nothing */
    uint64_t peer;   /* as which it spoke last */
    uint32_t greetings, fruitless;
    double came;
};

/* Workers of a node that came and brought nothing to an end so far, those that went included. */
struct newcomers {
    uint32_t count;
    double since; /* when the first one came */
};

/* {0} at the start of a session. */
struct conduct {
    struct departed departed[CONDUCT_DEPARTED]; /* the last ones that went, a ring */
    uint64_t departures;                        /* how many that were in all */
    struct map newcomers;                       /* of a node's name -> struct newcomers */
    uint32_t newcomer_count;                    /* of all nodes */
    uint32_t aside;                             /* workers that were set aside */
};

void conduct_fini(struct conduct *conduct);

/* Whether the core may look at this message. Else its worker was set aside, and nothing is left to be done. */
bool conduct_allows(struct core *core, uint64_t peer, const struct msg *msg);

/* Whether this HELLO may be taken; else it was answered. Then it is counted, and may have been one too many. */
bool conduct_greeting(struct core *core, uint64_t peer, const struct msg_hello *hello);
bool conduct_greeted(struct core *core, struct worker *worker);
/* A worker of this node came that was not known. */
void conduct_arrived(struct core *core, struct worker *worker, const char *node);

/* Before a lease is given back by its worker, and before the result of a lease is taken. */
void conduct_returned(struct worker *worker, const struct lease *lease);
void conduct_result(struct core *core, struct worker *worker, const struct msg_result *result);

/* Sets the worker aside if it went round in circles too often. */
void conduct_judge(struct core *core, struct worker *worker);

/* `why`: with what to do about it. */
void conduct_set_aside(struct core *core, struct worker *worker, const char *why);

/* A worker goes: what it did is remembered for a while, and counts on when it is back. */
void conduct_remember(struct core *core, const struct worker *worker);
void conduct_recall(struct core *core, struct worker *worker, uint64_t peer);

#endif
