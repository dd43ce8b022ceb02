/* The options that every socket of a link gets: ZeroMQ's own are endless queues, endless waits and silence. For link.c.
 */
#ifndef GANNET_COMMON_LINK_OPTIONS_H
#define GANNET_COMMON_LINK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Which end of a link: one that connects, one that many connect to, and the same for people who only look
 * (link_bind_narrow). */
enum link_side { LINK_CONNECTING, LINK_BOUND, LINK_NARROW };

struct socket_option {
    int name, value;
};

/* -1 with ZeroMQ's errno. */
int link_options_set(void *socket, const struct socket_option *options, size_t count);

/* All that one of this side needs before it is bound or connected. */
int link_options_all(void *socket, const char *endpoint, enum link_side side);

/* How long one that connects waits before it does so again. */
int link_options_pause(void *socket, bool tcp);

#endif
