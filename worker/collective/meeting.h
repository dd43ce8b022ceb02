/* How the nodes of a run find each other: the first process of each connects to that of node 0, shows that it knows the
 * run's secret, is shown the same, and is told where the next one of the ring listens.
 *
 *     node 0                                   every other node
 *     listens where its worker said            connects, again and again until somebody is there
 *     challenge                      ------->
 *                                    <-------  who it is, where it listens, its own challenge, keyed hash of all that
 *     (when all have come)
 *     where the next one listens, keyed hash of that and both challenges   ------->
 *                                              connects to the next one, where the same is said
 *
 * The first and the last connection stay as links of the ring. The secret itself is not sent; it comes over the
 * workers' encrypted connections. Whoever connects and does not know it is let go, and so is who says nothing: a
 * stranger can neither join nor hold anybody up. What goes over the connections later is neither hidden nor signed. */
#ifndef GANNET_WORKER_COLLECTIVE_MEETING_H
#define GANNET_WORKER_COLLECTIVE_MEETING_H

#include "common/err.h"

#include <stdbool.h>
#include <stdint.h>

enum { MEETING_HALTED = 1, MEETING_SECRET = 32 /* characters of a secret at least */ };

struct meeting {
    uint32_t member, members; /* which node this is, of at least 2 */
    const char *address;      /* numeric: where node 0 listens, */
    uint16_t port;            /* and its port */
    uint16_t first_port;      /* of those at which the others may listen, */
    uint16_t last_port;       /* and the last one; 0: any */
    const char *secret;
    uint64_t trial;                   /* a run that is about another trial, */
    uint32_t attempt;                 /* or attempt, is not this one */
    double patience;                  /* seconds that the others have to come */
    bool (*is_halted)(void *context); /* optional; asked some times a second: whether nobody is to be waited for */
    void *context;
};

/* Waits until all are there; the ring's connections, which may be the same. MEETING_HALTED: it was to end; -1 with a
 * sentence. */
int meeting_hold(const struct meeting *meeting, int *next, int *before, struct err *err);

#endif
