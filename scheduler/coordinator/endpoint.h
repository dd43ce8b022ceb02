/* Where a coordinator listens for other machines: what --listen says, and where that leaves the address or the port
 * open, the keys under `network:`. */
#ifndef GANNET_SCHEDULER_COORDINATOR_ENDPOINT_H
#define GANNET_SCHEDULER_COORDINATOR_ENDPOINT_H

#include "common/err.h"
#include "common/link.h"
#include "scheduler/spec/spec.h"

/* All is left open. */
#define ENDPOINT_ANYWHERE "tcp://0.0.0.0:*"

/* The endpoint that both come to, its port still * where that is so; free() it. NULL with a sentence that has the
 * interfaces of this machine when the one that is asked for is not among them. */
char *endpoint_resolve(const struct spec_network *network, const char *listen, struct err *err);

/* The endpoint beside it for commands, at the same address; free() it. */
char *endpoint_beside(const char *endpoint);

/* With which key somebody listens, and who gets in: public keys. */
struct endpoint_keys {
    const struct key_pair *mine;
    const char *const *allowed;
    size_t allowed_count;
    bool narrow; /* they only look (link_bind_narrow) */
};

/* Binds there. A port * is `before` if that can be had (0: none), else the first free one of the range, or without a
 * range one that the system chooses. NULL with a sentence. */
struct link *endpoint_bind(struct link_context *links, const struct spec_network *network, const char *endpoint,
                           uint32_t before, const struct endpoint_keys *keys, struct err *err);

/* Whether a coordinator could listen here now. -1 with a sentence. */
int endpoint_check(const struct spec_network *network, const char *listen, struct err *err);

#endif
