/* Who listens: lets in who knows the secret, and nobody else; see meeting.h. */
#include "worker/collective/meeting_words.h"

#include "common/clock.h"
#include "common/mem.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    STRANGERS_MOST =
        64,        /* connections of which it is not known whose they are; the next one takes the oldest's place */
    LOOK_MS = 100, /* so often it is asked whether to end */
};

static const double say_seconds = 5; /* who connects has so long to say who it is */

/* A connection that has not shown that it belongs to us. */
struct stranger {
    int fd; /* -1: none */
    double since;
    struct meeting_challenge challenge;
    struct meeting_joining joining; /* `came` bytes of it */
    size_t came;
};

/* A member that is there. */
struct meeting_guest {
    int fd; /* -1: it is not */
    struct meeting_challenge challenge;
    struct meeting_joining joining;
};

struct acceptor {
    const struct meeting *meeting;
    int listener;
    struct stranger strangers[STRANGERS_MOST];
    struct meeting_guest *guests; /* [members] */
};

static void close_socket(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* --- strangers --- */

/* A free place, or the one whose connection is the oldest. */
static struct stranger *find_place(struct acceptor *acceptor)
{
    struct stranger *place = acceptor->strangers;
    for (size_t i = 0; i < STRANGERS_MOST && place->fd >= 0; i++)
        if (acceptor->strangers[i].fd < 0 || acceptor->strangers[i].since < place->since)
            place = &acceptor->strangers[i];
    return place;
}

static void accept_stranger(struct acceptor *acceptor)
{
    int fd = accept4(acceptor->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return; /* it left, or there is no descriptor for it now */
    struct stranger *place = find_place(acceptor);
    close_socket(&place->fd);
    *place = (struct stranger){.fd = fd, .since = clock_monotonic(), .challenge = meeting_challenge()};
    if (send(fd, &place->challenge, sizeof place->challenge, MSG_NOSIGNAL) != sizeof place->challenge)
        close_socket(&place->fd);
}

/* Whether somebody may be here who says that. */
static bool is_wanted(const struct acceptor *acceptor, const struct meeting_joining *joining)
{
    const struct meeting *meeting = acceptor->meeting;
    bool same = joining->trial == meeting->trial && joining->attempt == meeting->attempt &&
                joining->members == meeting->members && joining->port <= UINT16_MAX;
    uint32_t least = meeting->member ? meeting->member - 1 : 1,
             most = meeting->member ? meeting->member - 1 : meeting->members - 1;
    return same && joining->member >= least && joining->member <= most;
}

/* It has said who it is. A member that comes again has lost its first connection. */
static void judge_stranger(struct acceptor *acceptor, struct stranger *stranger)
{
    uint8_t mac[MEETING_MAC];
    const struct meeting_joining *joining = &stranger->joining;
    meeting_sign_joining(acceptor->meeting, acceptor->meeting->member, &stranger->challenge, joining, mac);
    if (sodium_memcmp(mac, joining->mac, sizeof mac) == 0 && is_wanted(acceptor, joining)) {
        struct meeting_guest *guest = &acceptor->guests[joining->member];
        close_socket(&guest->fd);
        *guest = (struct meeting_guest){.fd = stranger->fd, .challenge = stranger->challenge, .joining = *joining};
        stranger->fd = -1;
    }
    close_socket(&stranger->fd);
}

static void hear_stranger(struct acceptor *acceptor, struct stranger *stranger)
{
    char *at = (char *)&stranger->joining + stranger->came;
    ssize_t some = recv(stranger->fd, at, sizeof stranger->joining - stranger->came, MSG_DONTWAIT);
    if (some < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (some <= 0) {
        close_socket(&stranger->fd);
        return;
    }
    stranger->came += (size_t)some;
    if (stranger->came == sizeof stranger->joining)
        judge_stranger(acceptor, stranger);
}

/* One look at all of them. */
static void attend_acceptor(struct acceptor *acceptor)
{
    struct pollfd ready[STRANGERS_MOST + 1] = {{.fd = acceptor->listener, .events = POLLIN}};
    for (size_t i = 0; i < STRANGERS_MOST; i++)
        ready[i + 1] = (struct pollfd){.fd = acceptor->strangers[i].fd, .events = POLLIN};
    if (poll(ready, STRANGERS_MOST + 1, LOOK_MS) < 0)
        return;
    double now = clock_monotonic();
    for (size_t i = 0; i < STRANGERS_MOST; i++)
        if (ready[i + 1].revents)
            hear_stranger(acceptor, &acceptor->strangers[i]);
        else if (acceptor->strangers[i].fd >= 0 && now - acceptor->strangers[i].since > say_seconds)
            close_socket(&acceptor->strangers[i].fd);
    if (ready[0].revents)
        accept_stranger(acceptor);
}

/* --- guests --- */

/* The first one who is awaited and not there; `members`: all are. One who was there may be gone again. */
static uint32_t find_missing(struct acceptor *acceptor)
{
    const struct meeting *meeting = acceptor->meeting;
    uint32_t member = meeting->member ? meeting->member - 1 : 1, end = meeting->member ? member + 1 : meeting->members;
    for (; member < end; member++) {
        struct meeting_guest *guest = &acceptor->guests[member];
        char byte;
        ssize_t some = guest->fd < 0 ? 0 : recv(guest->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (some == 0 || (some < 0 && errno != EAGAIN && errno != EINTR))
            close_socket(&guest->fd);
        if (guest->fd < 0)
            return member;
    }
    return meeting->members;
}

/* Where the one behind `member` listens: at the address that it came from. */
static void name_next(const struct acceptor *acceptor, uint32_t member, struct sockaddr_storage *next)
{
    const struct meeting_guest *guest = &acceptor->guests[(member + 1) % acceptor->meeting->members];
    socklen_t length = sizeof *next;
    memset(next, 0, sizeof *next);
    if (acceptor->meeting->member || member + 1 >= acceptor->meeting->members ||
        getpeername(guest->fd, (struct sockaddr *)next, &length))
        return;
    in_port_t port = htons((uint16_t)guest->joining.port);
    if (next->ss_family == AF_INET6)
        ((struct sockaddr_in6 *)next)->sin6_port = port;
    else
        ((struct sockaddr_in *)next)->sin_port = port;
}

/* A welcome is less than any socket holds. One that does not arrive is missed by who waits for it. */
static void welcome_guest(const struct acceptor *acceptor, uint32_t member)
{
    struct meeting_guest *guest = &acceptor->guests[member];
    struct meeting_welcome welcome;
    name_next(acceptor, member, &welcome.next);
    meeting_sign_welcome(acceptor->meeting, &guest->challenge, &guest->joining, &welcome, welcome.mac);
    if (send(guest->fd, &welcome, sizeof welcome, MSG_NOSIGNAL) < 0)
        shutdown(guest->fd, SHUT_RDWR);
}

static void welcome_all(struct acceptor *acceptor, int *sockets)
{
    for (uint32_t member = 0; member < acceptor->meeting->members; member++) {
        if (acceptor->guests[member].fd >= 0)
            welcome_guest(acceptor, member);
        sockets[member] = acceptor->guests[member].fd;
        acceptor->guests[member].fd = -1;
    }
}

static int await_all(struct acceptor *acceptor, double until, int *sockets, struct err *err)
{
    const struct meeting *meeting = acceptor->meeting;
    for (uint32_t missing; (missing = find_missing(acceptor)) < meeting->members; attend_acceptor(acceptor)) {
        if (meeting->is_halted && meeting->is_halted(meeting->context))
            return MEETING_HALTED;
        if (clock_monotonic() > until)
            return err_set(err,
                           "node %u of %u did not come to %s, port %u, within %.0f seconds: look whether a firewall "
                           "is between the nodes, and at the log of its worker",
                           missing, meeting->members, meeting->address, meeting->port, meeting->patience);
    }
    welcome_all(acceptor, sockets);
    return 0;
}

int meeting_receive(const struct meeting *meeting, int listener, double until, int *sockets, struct err *err)
{
    struct acceptor *acceptor = MEM_NEW(struct acceptor);
    acceptor->meeting = meeting;
    acceptor->listener = listener;
    acceptor->guests = MEM_ARRAY(struct meeting_guest, meeting->members);
    for (size_t i = 0; i < STRANGERS_MOST; i++)
        acceptor->strangers[i].fd = -1;
    for (uint32_t i = 0; i < meeting->members; i++)
        acceptor->guests[i].fd = -1;
    int result = await_all(acceptor, until, sockets, err);
    for (size_t i = 0; i < STRANGERS_MOST; i++)
        close_socket(&acceptor->strangers[i].fd);
    for (uint32_t i = 0; i < meeting->members; i++)
        close_socket(&acceptor->guests[i].fd);
    free(acceptor->guests);
    free(acceptor);
    return result;
}
