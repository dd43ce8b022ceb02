/* A gang: a run that is several processes, on one node or on several. They begin together, and end together: when one
 * of them dies, so does the run. Process r of node n has the rank n * ranks + r; rank 0 alone reports.
 */
#ifndef GANNET_COMMON_GANG_H
#define GANNET_COMMON_GANG_H

#include <stdint.h>

enum {
    GANG_RANKS_MOST = 4096, /* processes of a run on a node */
    GANG_NODES_MOST = 1024  /* nodes of a run */
};

struct gang {
    uint32_t node;  /* which of the run's nodes this is, from 0 */
    uint32_t nodes; /* nodes of the run, at least 1 */
    uint32_t ranks; /* processes of the run on each node, at least 1 */
    uint16_t port;  /* a free port of the first node, where processes may meet; 0: to be chosen, with one node only */
    const char *meeting; /* the address beside the port, a space, a secret (worker/collective/meeting.h); "": none */
    const char *hosts;   /* the nodes' names, separated by commas, the first node's first; NULL with one node */
};

#endif
