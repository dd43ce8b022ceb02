/* Two ends of a link that talk to each other, for tests of links. */
#ifndef GANNET_TESTS_PAIR_H
#define GANNET_TESTS_PAIR_H

#include "common/keys.h"
#include "common/link.h"
#include "tests/claims.h"

enum { PAIR_PATIENCE = 120 }; /* seconds after which a test that waits has failed */

/* One bound and one connecting side with their keys. */
struct pair {
    struct link_context *context;
    struct key_pair server, client;
    struct link *bound, *connected;
};

/* The keys alone; with both sides over TCP; with both sides over a local socket. */
void pair_open(struct pair *pair);
void pair_open_tcp(struct pair *pair);
void pair_open_ipc(struct pair *pair, const char *path);
void pair_close(struct pair *pair);

/* A bound socket that knows the client's key, or NULL with a sentence. */
struct link *pair_bind(struct pair *pair, const char *endpoint, struct err *err);

/* Waits until the link can be read or `seconds` passed. */
bool pair_can_read(struct link *link, double seconds);

/* Waits for this message. */
void pair_expect(struct link *link, uint64_t *peer, const char *text);

/* Sends as soon as there is a connection. */
void pair_send(struct link *link, uint64_t peer, const char *text);

/* Both sides say something and hear it. */
void pair_talk(struct pair *pair);

/* Says it over and over until it is heard: what is sent while a connection breaks is lost. */
void pair_reach(struct pair *pair);

/* Nothing is heard of the stranger for a second, though a friend who comes after it is. */
void pair_expect_refused(struct pair *pair, struct link *stranger);

#endif
