/* The streams of a worker's programs; see stream.h.
 *
 * A connection is a stranger's until its first line has come. Of all connections of a run together so many bytes are
 * read in so long a time; a program that says more waits at its socket until the rest of that time is over. */
#include "worker/program/stream_parts.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A line takes some 3 us, 60 bytes of one: a part takes 1 ms, and a run that floods its stream 13 % of a core.
 * Compilers are told to clear what lies on the stack, each time, so a part is no larger. */
enum {
    PART = 16 << 10,      /* bytes that are read at once */
    ALLOWED = 128 << 10,  /* bytes of a run in each PERIOD */
    LAST_PART = 256 << 10 /* bytes of a connection that are read when its program has ended */
};
#define PERIOD         0.05
#define HELLO_SECONDS  10.0 /* a connection has so long to say its first line */
#define ACCEPT_AGAIN   1.0  /* after there were no descriptors left */
#define STRANGERS_MOST 64

/* --- connections --- */

static void close_connection(struct connection *connection)
{
    struct stream *stream = connection->stream;
    bool served = stream && stream->server == connection;
    list_remove(&connection->link);
    if (connection->stream)
        connection->stream->count--;
    else
        connection->port->stranger_count--;
    connection->port->connections--;
    loop_remove(connection->in);
    loop_remove(connection->patience);
    close(connection->fd);
    buf_fini(&connection->line);
    buf_fini(&connection->answers);
    free(connection);
    if (served) {
        stream->server = NULL;
        stream->serve_calls->left(stream->context);
    }
}

static void close_all(struct list_link *connections)
{
    for (struct list_link *link; (link = list_first(connections));)
        close_connection(LIST_ITEM(link, struct connection, link));
}

/* --- lines --- */

/* Adds to the beginning of a line, of which no more is kept than may be read. */
static void keep_part(struct connection *connection, const char *bytes, size_t length)
{
    if (!connection->is_cut && connection->line.length + length <= STREAM_LINE_LONGEST) {
        buf_add(&connection->line, bytes, length);
        return;
    }
    connection->is_cut = true;
    buf_clear(&connection->line);
}

static void end_line(struct connection *connection)
{
    char sentence[64];
    snprintf(sentence, sizeof sentence, "a line has %d bytes at most", STREAM_LINE_LONGEST);
    if (connection->is_cut)
        stream_answer_mistake(connection, sentence, false);
    else if (connection->line.length)
        stream_take_line(connection, connection->line.data, connection->line.length);
    connection->is_cut = false;
    buf_clear(&connection->line);
}

static void take_bytes(struct connection *connection, const char *bytes, size_t length)
{
    while (length && !connection->is_gone) {
        const char *end = memchr(bytes, '\n', length);
        size_t taken = end ? (size_t)(end - bytes) : length;
        keep_part(connection, bytes, taken);
        if (end)
            end_line(connection);
        taken += end != NULL;
        bytes += taken;
        length -= taken;
    }
}

/* --- reading --- */

/* Reads one part; how much it was. A stranger that has said as much as a line holds without having said whose it is
 * would only keep the loop busy: no run's share of it is counted yet. */
static size_t read_part(struct connection *connection)
{
    char bytes[PART];
    ssize_t length = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    connection->said += length > 0 ? (size_t)length : 0;
    if (length > 0)
        take_bytes(connection, bytes, (size_t)length);
    else if (length == 0)
        end_line(connection);
    if (length < 0 && errno == ECONNRESET && connection->stream && connection->stream->server == connection)
        connection->stream->left_unread = true; /* so Linux says of local sockets, before the end */
    connection->is_gone |= length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR);
    stream_send_answers(connection);
    connection->is_gone |= !connection->stream && connection->said > STREAM_LINE_LONGEST;
    return length > 0 ? (size_t)length : 0;
}

static void on_readable(void *context);

static void watch_all(struct stream *stream)
{
    for (struct list_link *link = stream->connections.after; link != &stream->connections; link = link->after) {
        struct connection *connection = LIST_ITEM(link, struct connection, link);
        if (!connection->in)
            connection->in = loop_read(stream->port->loop, connection->fd, on_readable, connection);
    }
}

static void end_rest(void *context)
{
    struct stream *stream = context;
    stream->rest = NULL;
    stream->taken = 0;
    stream->period = clock_monotonic();
    watch_all(stream);
}

/* It has said all that is read of it in one period: the loop looks at none of its connections until that is over. */
static void rest_stream(struct stream *stream)
{
    for (struct list_link *link = stream->connections.after; link != &stream->connections; link = link->after) {
        struct connection *connection = LIST_ITEM(link, struct connection, link);
        loop_remove(connection->in);
        connection->in = NULL;
    }
    if (!stream->rest)
        stream->rest = loop_timer(stream->port->loop, PERIOD, end_rest, stream);
}

static void count_bytes(struct stream *stream, size_t length)
{
    double now = clock_monotonic();
    if (now - stream->period > PERIOD) {
        stream->period = now;
        stream->taken = 0;
    }
    stream->taken += length;
    if (stream->taken >= ALLOWED || stream->rest)
        rest_stream(stream);
}

static void on_readable(void *context)
{
    struct connection *connection = context;
    size_t length = read_part(connection);
    struct stream *stream = connection->stream;
    if (connection->is_gone)
        close_connection(connection);
    if (stream && length)
        count_bytes(stream, length);
}

/* Reads what is there, up to a length; closes what has ended. */
static void read_rest(struct connection *connection)
{
    for (size_t taken = 0, length = 1; taken < LAST_PART && length && !connection->is_gone; taken += length)
        length = read_part(connection);
    if (connection->is_gone)
        close_connection(connection);
}

/* --- coming in --- */

static void lose_patience(void *context)
{
    struct connection *connection = context;
    connection->patience = NULL;
    close_connection(connection);
}

static bool is_ours(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

/* What it has said already is read at once. */
static void add_stranger(struct stream_port *port, int fd)
{
    if (port->stranger_count == STRANGERS_MOST)
        close_connection(LIST_ITEM(list_first(&port->strangers), struct connection, link));
    struct connection *connection = MEM_NEW(struct connection);
    *connection = (struct connection){.port = port, .fd = fd, .rank = -1};
    list_append(&port->strangers, &connection->link);
    port->stranger_count++;
    port->connections++;
    connection->in = loop_read(port->loop, fd, on_readable, connection);
    connection->patience = loop_timer(port->loop, HELLO_SECONDS, lose_patience, connection);
    on_readable(connection);
}

static void on_connection(void *context);

static void accept_again(void *context)
{
    struct stream_port *port = context;
    port->again = NULL;
    port->in = loop_read(port->loop, port->fd, on_connection, port);
}

/* Without descriptors the socket would be ready all the time. */
static void pause_accepting(struct stream_port *port)
{
    loop_remove(port->in);
    port->in = NULL;
    if (!port->again)
        port->again = loop_timer(port->loop, ACCEPT_AGAIN, accept_again, port);
}

/* The kernel makes a whole socket before accept finds that nobody waits: asking first takes a tenth of that. */
static bool is_anybody_there(int fd)
{
    struct pollfd waits = {.fd = fd, .events = POLLIN};
    return poll(&waits, 1, 0) != 0;
}

/* Takes those that wait, a few at a time. */
static void on_connection(void *context)
{
    struct stream_port *port = context;
    for (int i = 0; i < STRANGERS_MOST && is_anybody_there(port->fd); i++) {
        int fd = port->connections < port->most ? accept4(port->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
        if (fd < 0 && port->connections < port->most && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
            return;
        if (fd < 0) {
            pause_accepting(port);
            return;
        }
        if (is_ours(fd))
            add_stranger(port, fd);
        else
            close(fd);
    }
}

/* --- the port --- */

static int listen_at(struct stream_port *port, struct err *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (sockets_make(&port->directory, err))
        return -1;
    port->path = path_join(port->directory.path, "programs");
    if (strlen(port->path) >= sizeof address.sun_path)
        return err_set(err, "the path '%s' is too long for a socket", port->path);
    memcpy(address.sun_path, port->path, strlen(port->path) + 1);
    port->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (port->fd < 0 || bind(port->fd, (struct sockaddr *)&address, sizeof address) || listen(port->fd, STRANGERS_MOST))
        return err_errno(err, "can't listen at '%s'", port->path);
    return 0;
}

struct stream_port *stream_port_create(struct loop *loop, uint32_t most, struct err *err)
{
    struct stream_port *port = MEM_NEW(struct stream_port);
    port->loop = loop;
    port->fd = port->directory.fd = -1;
    port->most = most;
    list_init(&port->streams);
    list_init(&port->strangers);
    if (listen_at(port, err)) {
        stream_port_destroy(port);
        return NULL;
    }
    port->in = loop_read(loop, port->fd, on_connection, port);
    return port;
}

void stream_port_destroy(struct stream_port *port)
{
    if (!port)
        return;
    close_all(&port->strangers);
    loop_remove(port->in);
    loop_remove(port->again);
    if (port->fd >= 0)
        close(port->fd);
    sockets_remove(&port->directory);
    free(port->path);
    free(port);
}

/* --- a stream --- */

/* Who knows it speaks for the run, so it is nothing that can be guessed; without random numbers there is no stream. */
static bool make_token(char *out)
{
    unsigned char bytes[STREAM_TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static struct stream *create_stream(struct stream_port *port, void *context)
{
    struct stream *stream = MEM_NEW(struct stream);
    stream->port = port;
    stream->ranks = 1;
    stream->told_on = -1;
    stream->context = context;
    list_init(&stream->connections);
    if (!make_token(stream->token)) {
        free(stream);
        return NULL;
    }
    list_append(&port->streams, &stream->link);
    return stream;
}

struct stream *stream_create(struct stream_port *port, uint64_t trial, uint32_t attempt,
                             const struct stream_calls *calls, void *context)
{
    struct stream *stream = create_stream(port, context);
    if (!stream)
        return NULL;
    stream->trial = trial;
    stream->attempt = attempt;
    stream->calls = calls;
    return stream;
}

struct stream *stream_create_serving(struct stream_port *port, const char *log, const struct stream_serve_calls *calls,
                                     void *context)
{
    struct stream *stream = create_stream(port, context);
    if (!stream)
        return NULL;
    stream->log = log ? mem_text(log) : NULL;
    stream->serve_calls = calls;
    return stream;
}

void stream_share(struct stream *stream, uint32_t ranks)
{
    if (stream)
        stream->ranks = ranks;
}

void stream_destroy(struct stream *stream)
{
    if (!stream)
        return;
    stream->server = NULL;
    close_all(&stream->connections);
    list_remove(&stream->link);
    loop_remove(stream->rest);
    free(stream->log);
    stream_said_fini(&stream->said);
    free(stream);
}

/* The connection is closed by whoever reads it next, since this may be called from there. */
bool stream_tell(struct stream *stream, const json_t *line)
{
    struct connection *server = stream->server;
    if (server && !server->is_gone) {
        stream_answer(server, json_incref((json_t *)line));
        stream_send_answers(server);
    }
    return server && !server->is_gone;
}

bool stream_left_unread(const struct stream *stream)
{
    return stream->left_unread;
}

void stream_dismiss(struct stream *stream)
{
    struct connection *server = stream->server;
    stream->server = NULL;
    if (server)
        shutdown(server->fd, SHUT_RDWR);
}

void stream_env(const struct stream *stream, uint32_t rank, struct texts *env)
{
    texts_add(env, mem_format("GANNET_SOCKET=%s", stream ? stream->port->path : ""));
    if (stream && rank)
        texts_add(env, mem_format("GANNET_TOKEN=%s.%u", stream->token, rank));
    else
        texts_add(env, mem_format("GANNET_TOKEN=%s", stream ? stream->token : ""));
}

bool stream_printed(struct stream *stream, const char *name, int64_t step)
{
    return !stream || stream_said_printed(&stream->said, name, step);
}

/* Those that have not said whose they are may be its own. */
static void read_strangers(struct stream_port *port)
{
    struct list_link *next;
    if (port->in)
        on_connection(port);
    for (struct list_link *link = port->strangers.after; link != &port->strangers; link = next) {
        next = link->after;
        on_readable(LIST_ITEM(link, struct connection, link));
    }
}

void stream_read(struct stream *stream)
{
    struct list_link *next;
    if (!stream)
        return;
    read_strangers(stream->port);
    for (struct list_link *link = stream->connections.after; link != &stream->connections; link = next) {
        next = link->after;
        if (!stream->rest)
            on_readable(LIST_ITEM(link, struct connection, link));
    }
}

void stream_drain(struct stream *stream)
{
    double seconds;
    char name[PHASE_NAME_LONGEST + 1];
    struct list_link *next;
    if (!stream)
        return;
    read_strangers(stream->port);
    for (struct list_link *link = stream->connections.after; link != &stream->connections; link = next) {
        next = link->after;
        read_rest(LIST_ITEM(link, struct connection, link));
    }
    while (stream_said_end_any(&stream->said, clock_monotonic(), name, &seconds))
        stream->calls->phase(stream->context, name, seconds, 1);
}
