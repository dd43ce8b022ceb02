/* ZeroMQ behind one face; see link.h.
 *
 * Every option that keeps ZeroMQ from its own defaults is set in link_options.c. A peer's number is made from the
 * routing id that the bound socket itself gave to the connection (a zero byte and a 32-bit number, never used twice),
 * so nothing has to be remembered about peers that come and go, and a client that names itself is not heard. */
#include "common/link_context.h"
#include "common/link_narrow.h"
#include "common/link_options.h"
#include "common/listening.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

struct link {
    struct link_context *context;
    void *socket;
    int fd; /* becomes readable when it is worth asking the socket what it can do */
    bool bound;
    int sender;            /* the place among the allowed keys of who sent the last message; -1: it is not known */
    bool settled;          /* it was asked since the last message, and had nothing to read */
    int listener;          /* the descriptor that takes connections over TCP; -1: none */
    void *monitor;         /* has something to read once our key was refused; NULL: nobody asked to know */
    bool refused;          /* it had */
    struct narrow *narrow; /* for people who only look: what it holds for them; else NULL */
    char domain[24];       /* of the ZAP handler; empty: none yet */
    char endpoint[512];    /* as it is in force */
};

/* --- open and close --- */

static bool is_tcp(const char *endpoint)
{
    return strncmp(endpoint, "tcp://", 6) == 0;
}

static int set_text(void *socket, int option, const char *text)
{
    return zmq_setsockopt(socket, option, text, strlen(text));
}

static int set_keys(void *socket, const struct key_pair *mine)
{
    return set_text(socket, ZMQ_CURVE_PUBLICKEY, mine->public) || set_text(socket, ZMQ_CURVE_SECRETKEY, mine->secret)
               ? -1
               : 0;
}

int link_check_endpoint(const char *endpoint, struct err *err)
{
    enum { SOCKET_PATH = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };
    if (is_tcp(endpoint))
        return 0;
    if (strncmp(endpoint, "ipc:///", 7))
        return err_set(err, "'%s' is no address; write tcp://ADDRESS:PORT or ipc:///PATH", endpoint);
    if (strlen(endpoint + 6) > SOCKET_PATH)
        return err_set(err, "the socket path '%s' has %zu letters, the system takes %d; set TMPDIR to a shorter one",
                       endpoint + 6, strlen(endpoint + 6), SOCKET_PATH);
    return 0;
}

static int make_socket(struct link *link, int type, enum link_side side, struct err *err)
{
    size_t size = sizeof link->fd;
    link->socket = zmq_socket(link->context->zmq, type);
    if (!link->socket || link_options_all(link->socket, link->endpoint, side) ||
        zmq_getsockopt(link->socket, ZMQ_FD, &link->fd, &size))
        return err_set(err, "can't make a socket for '%s': %s", link->endpoint, zmq_strerror(errno));
    return 0;
}

static struct link *make_link(struct link_context *context, const char *endpoint)
{
    struct link *link = MEM_NEW(struct link);
    link->context = context;
    link->listener = -1;
    link->sender = -1;
    snprintf(link->endpoint, sizeof link->endpoint, "%s", endpoint);
    context->links++;
    return link;
}

/* Before the bind: from its first moment on the socket asks for keys. */
static int guard_link(struct link *link, const struct key_pair *mine, const char *const *allowed, size_t count,
                      struct err *err)
{
    struct link_context *context = link->context;
    if (!mine || !count)
        return err_set(err, "'%s' needs keys: without them anybody could connect", link->endpoint);
    if (!context->zap && !(context->zap = zap_start(context->zmq, err)))
        return -1;
    snprintf(link->domain, sizeof link->domain, "link-%lu", ++context->domains);
    if (zap_allow(context->zap, link->domain, allowed, count, err))
        return -1;
    struct socket_option server = {ZMQ_CURVE_SERVER, 1};
    if (link_options_set(link->socket, &server, 1) || set_keys(link->socket, mine) ||
        set_text(link->socket, ZMQ_ZAP_DOMAIN, link->domain))
        return err_set(err, "can't use the key pair for '%s': %s", link->endpoint, zmq_strerror(errno));
    return 0;
}

static int check_directory(const char *endpoint, struct err *err)
{
    char *directory = path_directory(endpoint + strlen("ipc://"));
    int result = path_check_private(directory, err);
    free(directory);
    return result;
}

/* The kernel says whose process it is that connects; a libzmq that was built without this leaves it to the keys. */
static void admit_own_processes(struct link *link)
{
    uid_t own = geteuid();
    (void)zmq_setsockopt(link->socket, ZMQ_IPC_FILTER_UID, &own, sizeof own);
}

static int guard_local(struct link *link, struct err *err)
{
    if (is_tcp(link->endpoint))
        return 0;
    admit_own_processes(link);
    return check_directory(link->endpoint, err);
}

static int count_held(struct link *link, struct err *err)
{
    char place[64];
    snprintf(place, sizeof place, "inproc://narrow-%lu", ++link->context->monitors);
    link->narrow = narrow_open(link->context->zmq, link->socket, place, err);
    return link->narrow ? 0 : -1;
}

/* What ZeroMQ's word for it means to who chose the endpoint. */
static const char *bind_words(int number)
{
    if (number == EADDRINUSE)
        return "that port is in use by another process (ss -ltnp lists them); give another one, or * for one that is "
               "free";
    if (number == EADDRNOTAVAIL || number == ENODEV)
        return "this machine has no such address (ip -brief address lists those that it has)";
    return number == EACCES ? "ports below 1024 are for root alone; give a higher one" : zmq_strerror(number);
}

static int bind_link(struct link *link, enum link_side side, const struct key_pair *mine, const char *const *allowed,
                     size_t count, struct err *err)
{
    size_t size = sizeof link->endpoint;
    link->bound = true;
    if (link_check_endpoint(link->endpoint, err) || make_socket(link, ZMQ_ROUTER, side, err))
        return -1;
    if (guard_local(link, err) || guard_link(link, mine, allowed, count, err))
        return -1;
    if (side == LINK_NARROW && count_held(link, err))
        return -1;
    if (zmq_bind(link->socket, link->endpoint))
        return err_set(err, "can't listen at '%s': %s", link->endpoint, bind_words(errno));
    if (zmq_getsockopt(link->socket, ZMQ_LAST_ENDPOINT, link->endpoint, &size))
        return err_set(err, "can't find out the address: %s", zmq_strerror(errno));
    link->listener = is_tcp(link->endpoint) ? listening_find(link->endpoint) : -1;
    return 0;
}

static struct link *bind_new(struct link_context *context, const char *endpoint, enum link_side side,
                             const struct key_pair *mine, const char *const *allowed, size_t count, struct err *err)
{
    struct link *link = make_link(context, endpoint);
    if (bind_link(link, side, mine, allowed, count, err) == 0)
        return link;
    link_close(link);
    return NULL;
}

struct link *link_bind(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                       const char *const *allowed, size_t allowed_count, struct err *err)
{
    return bind_new(context, endpoint, LINK_BOUND, mine, allowed, allowed_count, err);
}

struct link *link_bind_narrow(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                              const char *const *allowed, size_t allowed_count, struct err *err)
{
    return bind_new(context, endpoint, LINK_NARROW, mine, allowed, allowed_count, err);
}

void link_pause(struct link *link)
{
    listening_pause(link->listener);
}

void link_resume(struct link *link)
{
    listening_resume(link->listener);
}

/* A local socket is ours, in a directory that is ours alone. One that is not there (yet) does no harm. */
static int check_socket(const char *endpoint, struct err *err)
{
    struct stat at;
    const char *path = endpoint + strlen("ipc://");
    if (check_directory(endpoint, err))
        return -1;
    if (lstat(path, &at))
        return errno == ENOENT ? 0 : err_errno(err, "can't look at the socket '%s'", path);
    if (!S_ISSOCK(at.st_mode) || at.st_uid != geteuid())
        return err_set(err, "'%s' is no socket of this user; nothing is said there", path);
    return 0;
}

/* Before the connection, so that no refusal is missed. */
static int watch_handshake(struct link *link, struct err *err)
{
    char address[64];
    snprintf(address, sizeof address, "inproc://handshake-%lu", ++link->context->monitors);
    struct socket_option linger = {ZMQ_LINGER, 0};
    link->monitor = zmq_socket(link->context->zmq, ZMQ_PAIR);
    if (!link->monitor || link_options_set(link->monitor, &linger, 1) ||
        zmq_socket_monitor(link->socket, address, ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) ||
        zmq_connect(link->monitor, address))
        return err_set(err, "can't watch the handshake with '%s': %s", link->endpoint, zmq_strerror(errno));
    return 0;
}

static int connect_link(struct link *link, const struct key_pair *mine, const char *server, bool watched,
                        struct err *err)
{
    bool tcp = is_tcp(link->endpoint);
    if (link_check_endpoint(link->endpoint, err) || make_socket(link, ZMQ_DEALER, LINK_CONNECTING, err))
        return -1;
    if (!mine || !server)
        return err_set(err, "'%s' needs keys: without them anybody could answer", link->endpoint);
    if (set_keys(link->socket, mine) || set_text(link->socket, ZMQ_CURVE_SERVERKEY, server))
        return err_set(err, "can't use the keys for '%s': %s", link->endpoint, zmq_strerror(errno));
    if (!tcp && check_socket(link->endpoint, err))
        return -1;
    if (watched && watch_handshake(link, err))
        return -1;
    if (link_options_pause(link->socket, tcp) || zmq_connect(link->socket, link->endpoint))
        return err_set(err, "can't connect to '%s': %s", link->endpoint, zmq_strerror(errno));
    return 0;
}

static struct link *connect_new(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                                const char *server, bool watched, struct err *err)
{
    struct link *link = make_link(context, endpoint);
    if (connect_link(link, mine, server, watched, err) == 0)
        return link;
    link_close(link);
    return NULL;
}

struct link *link_connect(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                          const char *server_public, struct err *err)
{
    return connect_new(context, endpoint, mine, server_public, false, err);
}

struct link *link_connect_watched(struct link_context *context, const char *endpoint, const struct key_pair *mine,
                                  const char *server_public, struct err *err)
{
    return connect_new(context, endpoint, mine, server_public, true, err);
}

void link_close(struct link *link)
{
    if (!link)
        return;
    if (link->monitor)
        zmq_close(link->monitor);
    if (link->socket)
        zmq_close(link->socket);
    narrow_close(link->narrow);
    if (link->domain[0])
        zap_forget(link->context->zap, link->domain);
    link->context->links--;
    free(link);
}

const char *link_endpoint(const struct link *link)
{
    return link->endpoint;
}

struct zap_refusals link_refusals(const struct link *link)
{
    return link->domain[0] ? zap_refusals(link->context->zap, link->domain) : (struct zap_refusals){0};
}

size_t link_held(const struct link *link)
{
    return link->narrow ? narrow_bytes(link->narrow) : 0;
}

size_t link_connections(struct link *link)
{
    return link->narrow ? narrow_connections(link->narrow) : 0;
}

/* --- messages --- */

enum { ID_BYTES = 5 };

/* Routing ids that the bound socket made itself: a zero byte, then a number. Peers count from 1. */
static uint64_t peer_of_id(const unsigned char *id, size_t length)
{
    if (length != ID_BYTES || id[0] != 0)
        return 0;
    return 1 + ((uint64_t)id[1] << 24 | (uint64_t)id[2] << 16 | (uint64_t)id[3] << 8 | id[4]);
}

static void id_of_peer(uint64_t peer, unsigned char id[ID_BYTES])
{
    uint64_t number = peer - 1;
    id[0] = 0;
    for (int i = 1; i < ID_BYTES; i++)
        id[i] = (unsigned char)(number >> 8 * (ID_BYTES - 1 - i));
}

/* Takes one frame; -1 when there is none. *more: the message has further ones. *sender (may be NULL): zap_key_of. */
static int take_frame(void *socket, struct buf *bytes, bool *more, int *sender)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    int length;
    do
        length = zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT);
    while (length < 0 && errno == EINTR);
    if (length >= 0) {
        buf_clear(bytes);
        buf_add(bytes, zmq_msg_data(&frame), (size_t)length);
        *more = zmq_msg_more(&frame);
        if (sender)
            *sender = zap_key_of(&frame);
    }
    zmq_msg_close(&frame);
    return length < 0 ? -1 : 0;
}

/* Refusals are the one event that the monitor was asked for. */
bool link_is_refused(struct link *link)
{
    bool more = false;
    struct buf event = {0};
    while (link->monitor && take_frame(link->monitor, &event, &more, NULL) == 0)
        link->refused = true;
    buf_fini(&event);
    return link->refused;
}

enum taken { TAKEN, NOTHING, MALFORMED };

/* Whether what follows is an empty frame and nothing else: by it who sent a long answer sees that it has left
 * (link_narrow.h). */
static bool take_end(struct link *link, bool *more)
{
    struct buf frame = {0};
    bool empty = take_frame(link->socket, &frame, more, NULL) == 0 && !frame.length && !*more;
    buf_fini(&frame);
    return empty;
}

/* Takes one message: one frame, on a bound link behind the frame that names the sender. One of another form is taken
 * off and is MALFORMED. */
static enum taken take_message(struct link *link, uint64_t *peer, struct buf *bytes)
{
    bool more = false, good = true;
    *peer = 0;
    if (take_frame(link->socket, bytes, &more, NULL))
        return NOTHING;
    if (link->bound) {
        *peer = peer_of_id((const unsigned char *)bytes->data, bytes->length);
        good = *peer && more && take_frame(link->socket, bytes, &more, &link->sender) == 0;
    }
    if (good && more)
        good = !link->bound && take_end(link, &more);
    while (more && take_frame(link->socket, bytes, &more, NULL) == 0)
        continue;
    return good ? TAKEN : MALFORMED;
}

int link_sender(const struct link *link)
{
    return link->sender;
}

enum link_result link_receive(struct link *link, uint64_t *peer, struct buf *bytes)
{
    link->settled = false;
    enum { MOST_DROPPED = 100 }; /* a flood of malformed messages must not block the loop */
    enum taken taken = MALFORMED;
    for (int i = 0; i < MOST_DROPPED && taken == MALFORMED; i++)
        taken = take_message(link, peer, bytes);
    return taken == TAKEN ? LINK_OK : LINK_NONE;
}

static int send_frame(void *socket, const void *bytes, size_t length, int flags)
{
    int sent;
    do
        sent = zmq_send(socket, bytes, length, flags | ZMQ_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

enum link_result link_send(struct link *link, uint64_t peer, const void *bytes, size_t length)
{
    if (length > MSG_LARGEST) {
        log_error("a message of %zu bytes was not sent: %d is the most that the other side takes", length, MSG_LARGEST);
        return LINK_LARGE;
    }
    link->settled = false;
    if (link->narrow && length > LINK_SENTENCE && link_held(link) + length > LINK_HELD)
        return LINK_FULL;
    if (link->bound) {
        unsigned char id[ID_BYTES];
        id_of_peer(peer, id);
        if (!peer || send_frame(link->socket, id, sizeof id, ZMQ_SNDMORE))
            return peer && errno == EAGAIN ? LINK_NONE : LINK_GONE;
    }
    int failed = link->narrow ? narrow_send(link->narrow, link->socket, bytes, length)
                              : send_frame(link->socket, bytes, length, 0);
    return failed ? LINK_NONE : LINK_OK;
}

/* --- waiting --- */

int link_fd(const struct link *link)
{
    return link->fd;
}

void link_ready(struct link *link, bool *can_read, bool *can_write)
{
    int events = 0;
    size_t size = sizeof events;
    zmq_getsockopt(link->socket, ZMQ_EVENTS, &events, &size);
    *can_read = events & ZMQ_POLLIN;
    *can_write = events & ZMQ_POLLOUT;
    link->settled = !*can_read;
}

bool link_is_settled(const struct link *link)
{
    return link->settled;
}
