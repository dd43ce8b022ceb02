/* What a link for people who only look holds for them, counted and bounded: ZeroMQ bounds its queues by messages, each
 * of which may be 8 MiB here, and the connections not at all. For link.c and its parts; link.h says what that means.
 *
 * Counted is an answer until ZeroMQ has let go of it, in whatever thread that is. A short one is let go when it is
 * encrypted. Of a long one the encrypted copy stays for as long as its reader takes, so an empty frame goes behind it,
 * which ZeroMQ takes up only when all before it has left. */
#ifndef GANNET_COMMON_LINK_NARROW_H
#define GANNET_COMMON_LINK_NARROW_H

#include "common/err.h"

#include <stddef.h>

struct narrow;

/* Watches a socket before it is bound; `place` is an inproc address of its own. NULL with a sentence. */
struct narrow *narrow_open(void *zmq, void *socket, const char *place, struct err *err);

/* What is still held is let go later. NULL is fine. */
void narrow_close(struct narrow *narrow);

size_t narrow_bytes(const struct narrow *narrow);
size_t narrow_connections(struct narrow *narrow);

/* Sends the rest of a message whose receiver was named; -1 with errno. */
int narrow_send(struct narrow *narrow, void *socket, const void *bytes, size_t length);

#endif
