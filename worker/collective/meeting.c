/* Who connects, and the ring that comes of it; see meeting.h. */
#include "worker/collective/meeting_words.h"

#include "common/clock.h"
#include "common/mem.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 100,     /* so often it is asked whether to end */
    AGAIN_MS = 50,     /* so long after an attempt comes the next one */
    CONNECT_MS = 5000, /* for an attempt, and for the first word */
};

static bool must_end(const struct meeting *meeting)
{
    return meeting->is_halted && meeting->is_halted(meeting->context);
}

/* --- a connection --- */

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

/* Waits until it can be read or written: 1, 0 (it took too long, or is to end), MEETING_HALTED not told apart. */
static bool await_socket(const struct meeting *meeting, int fd, short events, double until)
{
    while (clock_monotonic() < until && !must_end(meeting)) {
        struct pollfd ready = {.fd = fd, .events = events};
        if (poll(&ready, 1, LOOK_MS) > 0)
            return true;
    }
    return false;
}

/* Reads all of it; -1 with a sentence. */
static int read_all(const struct meeting *meeting, int fd, void *bytes, size_t length, double until, struct err *err)
{
    for (size_t at = 0; at < length;) {
        if (!await_socket(meeting, fd, POLLIN, until))
            return err_set(err, "nothing more came");
        ssize_t some = recv(fd, (char *)bytes + at, length - at, MSG_DONTWAIT);
        if (some == 0)
            return err_set(err, "it closed the connection");
        if (some < 0 && errno != EAGAIN && errno != EINTR)
            return err_errno(err, "nothing more came");
        at += some > 0 ? (size_t)some : 0;
    }
    return 0;
}

/* A connection, -1 with a sentence. */
static int connect_once(const struct meeting *meeting, const struct sockaddr_storage *address, struct err *err)
{
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), failed = 0;
    socklen_t length = sizeof failed;
    if (fd < 0)
        return err_errno(err, "there is no socket");
    if (connect(fd, (const struct sockaddr *)address, length_of(address)) && errno != EINPROGRESS)
        failed = errno;
    else if (!await_socket(meeting, fd, POLLOUT, clock_monotonic() + CONNECT_MS / 1e3))
        failed = ETIMEDOUT;
    else
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &length);
    if (!failed)
        return fd;
    close(fd);
    errno = failed;
    return err_errno(err, "no connection");
}

/* Says who we are to member `host`, and waits for its welcome. -1 with a sentence. */
static int introduce_node(const struct meeting *meeting, int fd, uint32_t host, uint16_t port, double until,
                          struct meeting_welcome *welcome, struct err *err)
{
    struct meeting_challenge challenge;
    struct meeting_joining joining = {.trial = meeting->trial,
                                      .attempt = meeting->attempt,
                                      .member = meeting->member,
                                      .members = meeting->members,
                                      .port = port};
    uint8_t mac[MEETING_MAC];
    if (read_all(meeting, fd, &challenge, sizeof challenge, clock_monotonic() + CONNECT_MS / 1e3, err))
        return -1;
    if (!meeting_challenge_is_ours(&challenge))
        return err_set(err, "what listens there is no gannet of this version");
    randombytes_buf(joining.nonce, sizeof joining.nonce);
    meeting_sign_joining(meeting, host, &challenge, &joining, joining.mac);
    if (send(fd, &joining, sizeof joining, MSG_NOSIGNAL) != sizeof joining)
        return err_errno(err, "it took no answer");
    if (read_all(meeting, fd, welcome, sizeof *welcome, until, err))
        return -1;
    meeting_sign_welcome(meeting, &challenge, &joining, welcome, mac);
    if (sodium_memcmp(mac, welcome->mac, sizeof mac) == 0)
        return 0;
    return err_set(err, "what listens there does not know the secret of the run");
}

static void wait_moment(void)
{
    nanosleep(&(struct timespec){.tv_nsec = AGAIN_MS * 1000000L}, NULL);
}

/* A connection to member `host` by which both know each other, tried again and again; MEETING_HALTED or -1 with a
 * sentence. */
static int join_member(const struct meeting *meeting, const struct sockaddr_storage *address, uint32_t host,
                       uint16_t port, double until, int *out, struct meeting_welcome *welcome, struct err *err)
{
    struct err why = {0};
    char name[NI_MAXHOST] = "?", service[NI_MAXSERV] = "?";
    for (; clock_monotonic() < until; wait_moment()) {
        int fd = connect_once(meeting, address, &why);
        if (fd >= 0 && introduce_node(meeting, fd, host, port, until, welcome, &why) == 0) {
            *out = fd;
            return 0;
        }
        if (fd >= 0)
            close(fd);
        if (must_end(meeting))
            return MEETING_HALTED;
    }
    getnameinfo((const struct sockaddr *)address, length_of(address), name, sizeof name, service, sizeof service,
                NI_NUMERICHOST | NI_NUMERICSERV);
    return err_set(err,
                   "node %u of %u did not reach node %u at %s, port %s, within %.0f seconds (%s): look whether a "
                   "firewall is between the nodes",
                   meeting->member, meeting->members, host, name, service, meeting->patience, why.text);
}

/* --- listening --- */

/* The numeric address of node 0. */
static int read_address(const struct meeting *meeting, struct sockaddr_storage *out, struct err *err)
{
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *found;
    char port[8];
    snprintf(port, sizeof port, "%u", meeting->port);
    int failed = getaddrinfo(meeting->address, port, &hints, &found);
    if (failed)
        return err_set(err, "'%s' is no address where the nodes of a run could meet: %s", meeting->address,
                       gai_strerror(failed));
    memset(out, 0, sizeof *out);
    memcpy(out, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

/* At that address alone; its port 0: any. */
static int listen_at(const struct sockaddr_storage *address, struct err *err)
{
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    if (fd < 0)
        return err_errno(err, "there is no socket for the nodes of the run to meet at");
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)address, length_of(address)) == 0 && listen(fd, SOMAXCONN) == 0)
        return fd;
    err_write_errno(err, "can't listen where the nodes of the run are to meet");
    close(fd);
    return -1;
}

/* At the first free port of those that it may take; each process begins with another one. */
static int listen_in_range(const struct meeting *meeting, struct sockaddr_storage *address, struct err *err)
{
    in_port_t *port = &((struct sockaddr_in *)address)->sin_port; /* at the same place in both families */
    uint32_t first = meeting->first_port, count = meeting->last_port - first + 1u, turn = (uint32_t)getpid() % count;
    struct err why;
    for (uint32_t i = 0; i < count; i++) {
        *port = htons((uint16_t)(first + (turn + i) % count));
        int fd = listen_at(address, &why);
        if (fd >= 0)
            return fd;
    }
    if (!meeting->last_port)
        return err_set(err, "%s", why.text);
    return err_set(err, "network.ports is %u-%u, and this node can listen at none of them: %s", first,
                   meeting->last_port, why.text);
}

/* Somewhere at the address by which node 0 is reached; the port is in *port. */
static int listen_beside(const struct meeting *meeting, const struct sockaddr_storage *host, uint16_t *port,
                         struct err *err)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    int probe = socket(host->ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool known = probe >= 0 && connect(probe, (const struct sockaddr *)host, length_of(host)) == 0 &&
                 getsockname(probe, (struct sockaddr *)&address, &length) == 0;
    if (!known)
        err_write_errno(err, "there is no way to node 0");
    if (probe >= 0)
        close(probe);
    if (!known)
        return -1;
    int fd = listen_in_range(meeting, &address, err);
    length = sizeof address;
    if (fd >= 0 && getsockname(fd, (struct sockaddr *)&address, &length) == 0)
        *port = ntohs(((struct sockaddr_in *)&address)->sin_port);
    return fd;
}

/* --- the ring --- */

/* Node 0 listens where the others were told to come; a run of another search may still meet at that port. */
static int listen_as_first(const struct meeting *meeting, const struct sockaddr_storage *address, double until,
                           struct err *err)
{
    for (;; wait_moment()) {
        int fd = listen_at(address, err);
        if (fd >= 0 || errno != EADDRINUSE || must_end(meeting) || clock_monotonic() >= until)
            return fd;
    }
}

/* Node 0: the connections with its neighbours stay. */
static int hold_first(const struct meeting *meeting, const struct sockaddr_storage *address, double until, int *next,
                      int *before, struct err *err)
{
    int *sockets = MEM_ARRAY(int, meeting->members), listener = listen_as_first(meeting, address, until, err);
    int result = listener < 0 ? must_end(meeting) ? MEETING_HALTED : -1
                              : meeting_receive(meeting, listener, until, sockets, err);
    if (listener >= 0)
        close(listener);
    if (result == 0) {
        *next = sockets[1];
        *before = sockets[meeting->members - 1];
    }
    for (uint32_t member = 2; result == 0 && member + 1 < meeting->members; member++)
        close(sockets[member]);
    free(sockets);
    return result;
}

/* The one before this connects here; that is node 0 for node 1. */
static int hear_before(const struct meeting *meeting, int listener, int first, double until, int *before,
                       struct err *err)
{
    int *sockets = MEM_ARRAY(int, meeting->members);
    int result = listener < 0 ? 0 : meeting_receive(meeting, listener, until, sockets, err);
    *before = listener < 0 ? first : sockets[meeting->member - 1];
    free(sockets);
    return result;
}

/* A connection to the one behind this; that is node 0 for the last one. */
static int reach_next(const struct meeting *meeting, const struct meeting_welcome *welcome, int first, double until,
                      int *next, struct err *err)
{
    struct meeting_welcome nothing;
    if (meeting->member + 1 < meeting->members)
        return join_member(meeting, &welcome->next, meeting->member + 1, 0, until, next, &nothing, err);
    *next = first;
    return 0;
}

static void drop_connection(int fd)
{
    if (fd >= 0)
        close(fd);
}

/* Each waits for the one before it, then reaches the next one: node 1 need not wait, and so all come to it in turn. */
static int join_ring(const struct meeting *meeting, const struct sockaddr_storage *address, int listener, uint16_t port,
                     double until, int *next, int *before, struct err *err)
{
    struct meeting_welcome welcome;
    int first = -1;
    int result = join_member(meeting, address, 0, port, until, &first, &welcome, err);
    if (result == 0)
        result = hear_before(meeting, listener, first, until, before, err);
    if (result == 0)
        result = reach_next(meeting, &welcome, first, until, next, err);
    if (result && *before != first)
        drop_connection(*before);
    if (result || (*before != first && *next != first))
        drop_connection(first);
    return result;
}

static int hold_other(const struct meeting *meeting, const struct sockaddr_storage *address, double until, int *next,
                      int *before, struct err *err)
{
    uint16_t port = 0;
    int listener = meeting->member > 1 ? listen_beside(meeting, address, &port, err) : -1;
    if (meeting->member > 1 && listener < 0)
        return -1;
    int result = join_ring(meeting, address, listener, port, until, next, before, err);
    drop_connection(listener);
    return result;
}

int meeting_hold(const struct meeting *meeting, int *next, int *before, struct err *err)
{
    struct sockaddr_storage address;
    double until = clock_monotonic() + meeting->patience;
    *next = *before = -1;
    if (strlen(meeting->secret) < MEETING_SECRET)
        return err_set(err, "the run has no secret by which its nodes know each other");
    if (sodium_init() < 0)
        return err_set(err, "libsodium, by which the nodes of a run know each other, does not start");
    if (read_address(meeting, &address, err))
        return -1;
    return (meeting->member ? hold_other : hold_first)(meeting, &address, until, next, before, err);
}
