/* Who may connect: the handler that libzmq asks about every CURVE client (ZAP, https://rfc.zeromq.org/spec/27/).
 *
 * Without a handler libzmq lets every key in, so it is started before the first bind and lives as long as the context.
 * It is a small thread of its own: handshakes go on whatever the loops do. For link.c only. */
#ifndef GANNET_COMMON_ZAP_H
#define GANNET_COMMON_ZAP_H

#include "common/err.h"

#include <stddef.h>
#include <stdint.h>

struct zap;

/* Starts the handler in a ZeroMQ context. NULL with a sentence. */
struct zap *zap_start(void *zmq_context, struct err *err);

/* Ends it; the context must have been shut down (zmq_ctx_shutdown) before. NULL is fine. */
void zap_stop(struct zap *zap);

/* Lets the clients with these public keys (Z85) into the sockets of this domain; every other is refused. The messages
 * that they send say by which one (zap_key_of). -1 with a sentence when a key is none. */
int zap_allow(struct zap *zap, const char *domain, const char *const *keys, size_t count, struct err *err);

/* Which key a message came with, a zmq_msg_t that was received: its place among those of zap_allow, from 0; -1: that is
 * not known. */
int zap_key_of(void *frame);

/* Who was refused at a socket. */
struct zap_refusals {
    uint64_t count;
    double last;      /* when the last one was, on the monotonic clock */
    char address[64]; /* where it came from; "": from this machine, by a local socket */
};
struct zap_refusals zap_refusals(struct zap *zap, const char *domain);

/* Lets nobody into this domain any more. */
void zap_forget(struct zap *zap, const char *domain);

#endif
