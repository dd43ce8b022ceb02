/* What all links of a process share: ZeroMQ's threads, and the handler that knows the keys. For link.c; everybody else
 * sees link.h. */
#ifndef GANNET_COMMON_LINK_CONTEXT_H
#define GANNET_COMMON_LINK_CONTEXT_H

#include "common/link.h"
#include "common/zap.h"

struct link_context {
    void *zmq;
    struct zap *zap;        /* from the first bind on */
    unsigned long domains;  /* how many names of domains were given out */
    unsigned long monitors; /* likewise of addresses of monitors */
    size_t links;           /* open ones */
};

#endif
