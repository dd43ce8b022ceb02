/* ZeroMQ, wholly behind one face: a link is a socket that carries whole messages, either the bound side that many peers
 * connect to (ROUTER) or the connecting side (DEALER). Only link.c with its parts, zap.c and keys.c know zmq.h.
 *
 * Rules kept here, so that nobody else has to know them: peers are named by numbers that the link gives out, never by
 * what a client claims; a message to a peer that is gone is an error, not silence (ROUTER_MANDATORY); no socket waits
 * at its end (LINGER is bounded); larger messages than MSG_LARGEST are refused unread; every link needs CURVE keys and
 * the ZAP handler, which is started before the first bind and refuses every key it does not know. A local socket is
 * connected to only while it and its directory are this user's, and takes connections from this user's processes alone.
 * One thread per link. */
#ifndef GANNET_COMMON_LINK_H
#define GANNET_COMMON_LINK_H

#include "common/buf.h"
#include "common/err.h"
#include "common/keys.h"
#include "common/zap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Everything of ZeroMQ in this process; made before, destroyed after all links. Raises the limit of open files to the
 * hard one. NULL with a sentence when libzmq is too old (before 4.3.3: known holes) or lacks CURVE. */
struct link_context;
struct link_context *link_context_create(struct err *err);
void link_context_destroy(struct link_context *context); /* NULL is fine; never hangs */

/* The library's version, such as "4.3.4". */
void link_version(char *out, size_t size);

struct link;

/* Whether a text can be an endpoint; -1 with a sentence. */
int link_check_endpoint(const char *endpoint, struct err *err);

/* Binds. Endpoints: "ipc:///path" - its directory must be ours and 0700 - or "tcp://ADDRESS:PORT", PORT may be *.
 * `mine`: our key pair; allowed: the public keys of all who may connect. NULL with a sentence. */
struct link *link_bind(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                       const char *const *allowed, size_t allowed_count, struct err *err);

/* The same for people who only look: their questions are short (64 KiB), what waits for one of them is bounded to a few
 * messages, beyond which link_send says LINK_NONE, and what waits for all of them together to LINK_HELD bytes, beyond
 * which it says LINK_FULL of all but a sentence. */
enum { LINK_HELD = 32 << 20, LINK_SENTENCE = 1 << 10 };
struct link *link_bind_narrow(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                              const char *const *allowed, size_t allowed_count, struct err *err);

/* Of a link for people who only look: how many bytes wait for them, and how many connections there are, with those that
 * have shown no key yet. LINK_CONNECTIONS are meant to be the most. Of others 0. */
enum { LINK_CONNECTIONS = 128 };
size_t link_held(const struct link *link);
size_t link_connections(struct link *link);

/* A bound link over TCP takes no connections until link_resume; those that stand go on. */
void link_pause(struct link *link);
void link_resume(struct link *link);

/* Connects with our key pair and the public key of the other side; does not wait for it. Over tcp it reconnects with a
 * growing, jittered pause, but ZeroMQ gives up for good on a connection whose handshake was refused or was nonsense,
 * though another program may have had the port for a moment only: when nothing is heard for long, close the link and
 * connect anew. Local connections are never made again by themselves: an own process may have died, and a stranger have
 * its path. */
struct link *link_connect(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                          const char *server_public, struct err *err);

/* As link_connect, for somebody who wants to hear that the key was refused: link_is_refused. It takes two sockets of
 * the process more. */
struct link *link_connect_watched(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                                  const char *server_public, struct err *err);

/* Whether the other side has refused our key, once it said so; of a link that was not connected as watched, false. Who
 * is just closing its link refuses every key. */
bool link_is_refused(struct link *link);

void link_close(struct link *link); /* NULL is fine; what is still unsent gets 1 s at most, in link_context_destroy */

/* The address it is bound to, with the port that the system chose. */
const char *link_endpoint(const struct link *link);

/* Who was refused at a bound link, since its key is none of those that may connect. */
struct zap_refusals link_refusals(const struct link *link);

enum link_result { LINK_OK, LINK_NONE, LINK_GONE, LINK_LARGE, LINK_FULL };

/* Takes the next message, without waiting: LINK_OK, or LINK_NONE. `bytes` is overwritten. `peer` names the sender on a
 * bound link; on a connecting one it is 0. */
enum link_result link_receive(struct link *link, uint64_t *peer, struct buf *bytes);

/* On a bound link, of the message that was received last: by which of the allowed keys its sender got in, from 0 in the
 * order of link_bind; -1: that is not known, so let it be nobody's. */
int link_sender(const struct link *link);

/* Sends one message, without waiting: LINK_OK; LINK_GONE: this peer is not connected any more (bound links); LINK_NONE:
 * its queue is full, or nobody is connected yet, try later; LINK_LARGE: longer than MSG_LARGEST, it can never be sent
 * (logged, since the sender ought to have split it); LINK_FULL: too much waits for others who don't take it. */
enum link_result link_send(struct link *link, uint64_t peer, const void *bytes, size_t length);

/* For link_wait: a descriptor that becomes readable when it is worth asking link_ready, and what the link can do now.
 * Asking lets the link work off what happened since, so it has to be done before a wait, unless the link is settled: it
 * was asked since anything was sent or received, and what came later shows at its descriptor. */
int link_fd(const struct link *link);
void link_ready(struct link *link, bool *can_read, bool *can_write);
bool link_is_settled(const struct link *link);

/* Waiting for several things at once, for loop.c: links and file descriptors. */
struct link_poll {
    struct link *link; /* or NULL: `fd` */
    int fd;
    bool want_read, want_write;
    bool can_read, can_write; /* out; errors and hang-ups count as can_read */
};

/* Waits until one of them is ready or `seconds` passed (negative: without end); 0, also when a signal came. -1 with a
 * sentence. */
int link_wait(struct link_poll *items, size_t count, double seconds, struct err *err);

#endif
