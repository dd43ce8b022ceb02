/* The options of sockets, in one table a side: each that keeps ZeroMQ from a default of its own; see link_options.h. */
#include "common/link_options.h"
#include "common/msg.h"

#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <zmq.h>

enum {
    LINGER_MS = 1000,    /* what is unsent at the end gets this long */
    HANDSHAKE_MS = 2000, /* a stranger who says nothing takes a descriptor no longer */
    SEND_QUEUE = 10000,  /* messages; above it link_send says LINK_NONE */
    RECEIVE_QUEUE = 1000,
    CURVE_BYTES = 64 /* what encryption adds to a message at most (33) */
};

static const struct socket_option common_options[] = {
    {ZMQ_LINGER, LINGER_MS},
    {ZMQ_SNDHWM, SEND_QUEUE},
    {ZMQ_RCVHWM, RECEIVE_QUEUE},
    /* Connections whose other end vanished without a word are noticed by the kernel: idle ones after 60 s, ones with
     * something unsent after 20 s. */
    {ZMQ_TCP_KEEPALIVE, 1},
    {ZMQ_TCP_KEEPALIVE_IDLE, 30},
    {ZMQ_TCP_KEEPALIVE_INTVL, 10},
    {ZMQ_TCP_KEEPALIVE_CNT, 3},
    {ZMQ_TCP_MAXRT, 20000},
};

static const struct socket_option bound_options[] = {
    {ZMQ_ROUTER_MANDATORY, 1},
    {ZMQ_HANDSHAKE_IVL, HANDSHAKE_MS},
};

static const struct socket_option connecting_options[] = {
    {ZMQ_IMMEDIATE, 1}, /* nothing is queued for an address where nobody answers */
    {ZMQ_CONNECT_TIMEOUT, 5000},
    {ZMQ_HANDSHAKE_IVL, 10000}, /* the other side may have a storm of handshakes to work off */
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

int link_options_set(void *socket, const struct socket_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (zmq_setsockopt(socket, options[i].name, &options[i].value, sizeof(int)))
            return -1;
    return 0;
}

/* The pause before connecting anew doubles from about 0.1 s up to 2-4 s, different for every process, so that ten
 * thousand workers do not come back in step. Local sockets are not connected anew by ZeroMQ: whose the path is then has
 * to be looked at before. */
int link_options_pause(void *socket, bool tcp)
{
    unsigned random = 0;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (unsigned)clock();
    int first = 100 + (int)(random % 100), longest = 2000 + (int)(random / 100 % 2000);
    struct socket_option pause[] = {{ZMQ_RECONNECT_IVL, tcp ? first : -1}, {ZMQ_RECONNECT_IVL_MAX, tcp ? longest : 0}};
    return link_options_set(socket, pause, COUNT(pause));
}

/* Ten thousand workers may come at once; but what waits in the queue of a listener comes in even while it is paused. */
static struct socket_option backlog(void)
{
    enum { MOST_WAITING = 4096 };
    struct rlimit limit;
    bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur / 8 < MOST_WAITING;
    return (struct socket_option){ZMQ_BACKLOG, known ? (int)(limit.rlim_cur / 8) : MOST_WAITING};
}

/* Who only looks asks little, one question after the other, and takes his answers; whoever does neither fills no
 * memory: each of LINK_CONNECTIONS leaves three questions unread at most (a queue of one hears nothing). The first is
 * in bytes. */
enum { NARROW_MESSAGE = 64 << 10, NARROW_QUEUE = 4, NARROW_QUESTIONS = 2 };

static const struct socket_option narrow_options[] = {
    {ZMQ_SNDHWM, NARROW_QUEUE},
    {ZMQ_RCVHWM, NARROW_QUESTIONS},
};

int link_options_all(void *socket, const char *endpoint, enum link_side side)
{
    int64_t largest = (side == LINK_NARROW ? NARROW_MESSAGE : MSG_LARGEST) + CURVE_BYTES;
    struct socket_option waiting = backlog();
    if (zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &largest, sizeof largest))
        return -1;
    if (strchr(endpoint, '[') && link_options_set(socket, &(struct socket_option){ZMQ_IPV6, 1}, 1))
        return -1;
    if (link_options_set(socket, common_options, COUNT(common_options)))
        return -1;
    if (side == LINK_CONNECTING)
        return link_options_set(socket, connecting_options, COUNT(connecting_options));
    if (side == LINK_NARROW && link_options_set(socket, narrow_options, COUNT(narrow_options)))
        return -1;
    return link_options_set(socket, &waiting, 1) || link_options_set(socket, bound_options, COUNT(bound_options)) ? -1
                                                                                                                  : 0;
}
