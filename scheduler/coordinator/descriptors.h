/* Keeps some of the process's file descriptors free. A connection takes one, before anybody has shown a key; without
 * any left libzmq ends the process when the command line connects (its ipc listener asserts on EMFILE, seen
 * with 4.3.4), and the store can't open its files. So the links over TCP pause when few are left and go on when there
 * are enough: those who are connected stay, those who show no key are put out after two seconds, those who come
 * meanwhile try again. */
#ifndef GANNET_SCHEDULER_COORDINATOR_DESCRIPTORS_H
#define GANNET_SCHEDULER_COORDINATOR_DESCRIPTORS_H

#include "common/link.h"
#include "common/loop.h"

struct descriptors;

/* A link for people who only look (link_bind_narrow) pauses with LINK_CONNECTIONS connections as well.
 *
 * Of all descriptors the eighths with which the links pause; they go on with one less. Who only looks keeps out nobody
 * whom the search needs. */
enum descriptors_most { DESCRIPTORS_VIEWERS = 4, DESCRIPTORS_WORKERS = 6 };

/* Watches until descriptors_leave. The links are bound and over TCP; at most DESCRIPTORS_LINKS of them. `pauses` is
 * counted up each time that they pause. */
enum { DESCRIPTORS_LINKS = 2 };
struct descriptors *descriptors_watch(struct loop *loop, struct link *const *links, size_t count,
                                      enum descriptors_most most, uint64_t *pauses);
void descriptors_leave(struct descriptors *descriptors); /* NULL is fine */

#endif
