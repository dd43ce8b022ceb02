/* What people who only look make a link hold; see link_narrow.h. */
#include "common/link_narrow.h"
#include "common/link_options.h"
#include "common/mem.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

enum { LONG = 64 << 10 }; /* bytes; an answer of more is followed by an empty frame */

/* Outlives the link: ZeroMQ lets go of what is left when its context ends. */
struct held {
    atomic_size_t bytes; /* of messages that ZeroMQ has */
    atomic_size_t users; /* those messages, and the link */
};

/* A message that ZeroMQ has; of a long one the empty frame behind it. `held` is written last and read first: who lets
 * go of a parcel in another thread sees all of it, whatever ZeroMQ's queues promise. */
struct parcel {
    struct held *_Atomic held;
    size_t counted;
    char bytes[]; /* of a short one */
};

struct narrow {
    struct held *held;
    void *monitor; /* says who comes and goes */
    size_t connections;
};

/* --- bytes --- */

static void leave_held(struct held *held)
{
    if (atomic_fetch_sub(&held->users, 1) == 1)
        free(held);
}

/* In a thread of ZeroMQ's, or in ours. */
static void let_go(void *data, void *context)
{
    struct parcel *parcel = context;
    struct held *held = atomic_load(&parcel->held);
    (void)data;
    atomic_fetch_sub(&held->bytes, parcel->counted);
    leave_held(held);
    free(parcel);
}

static int send_parcel(struct narrow *narrow, void *socket, const void *bytes, size_t length, size_t counted)
{
    zmq_msg_t frame;
    struct parcel *parcel = mem_zero(1, sizeof *parcel + length);
    parcel->counted = counted;
    if (length)
        memcpy(parcel->bytes, bytes, length);
    atomic_store(&parcel->held, narrow->held);
    atomic_fetch_add(&narrow->held->bytes, counted);
    atomic_fetch_add(&narrow->held->users, 1);
    if (zmq_msg_init_data(&frame, parcel->bytes, length, let_go, parcel)) {
        let_go(NULL, parcel);
        return -1;
    }
    int sent;
    do
        sent = zmq_msg_send(&frame, socket, ZMQ_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    int number = errno;
    if (sent < 0)
        zmq_msg_close(&frame);
    errno = number;
    return sent < 0 ? -1 : 0;
}

int narrow_send(struct narrow *narrow, void *socket, const void *bytes, size_t length)
{
    if (length <= LONG)
        return send_parcel(narrow, socket, bytes, length, length);
    int sent;
    do
        sent = zmq_send(socket, bytes, length, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : send_parcel(narrow, socket, NULL, 0, length);
}

size_t narrow_bytes(const struct narrow *narrow)
{
    return atomic_load(&narrow->held->bytes);
}

/* --- connections --- */

/* Takes one frame of an event; false: there is none. The first one has the event's number. */
static bool take_frame(struct narrow *narrow, uint16_t *event, bool *more)
{
    zmq_msg_t frame;
    zmq_msg_init(&frame);
    bool taken = zmq_msg_recv(&frame, narrow->monitor, ZMQ_DONTWAIT) >= 0;
    *more = taken && zmq_msg_more(&frame);
    if (taken && zmq_msg_size(&frame) >= sizeof *event)
        memcpy(event, zmq_msg_data(&frame), sizeof *event);
    zmq_msg_close(&frame);
    return taken;
}

size_t narrow_connections(struct narrow *narrow)
{
    uint16_t event = 0, ignored = 0;
    bool more = false;
    while (take_frame(narrow, &event, &more)) {
        while (more && take_frame(narrow, &ignored, &more))
            continue;
        narrow->connections += event == ZMQ_EVENT_ACCEPTED;
        narrow->connections -= event == ZMQ_EVENT_DISCONNECTED && narrow->connections;
    }
    return narrow->connections;
}

/* Without a limit: ZeroMQ's thread would wait for us before a full queue. */
static int watch_socket(struct narrow *narrow, void *zmq, void *socket, const char *place)
{
    static const struct socket_option options[] = {{ZMQ_LINGER, 0}, {ZMQ_RCVHWM, 0}};
    narrow->monitor = zmq_socket(zmq, ZMQ_PAIR);
    return !narrow->monitor || link_options_set(narrow->monitor, options, sizeof options / sizeof *options) ||
                   zmq_socket_monitor(socket, place, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED) ||
                   zmq_connect(narrow->monitor, place)
               ? -1
               : 0;
}

struct narrow *narrow_open(void *zmq, void *socket, const char *place, struct err *err)
{
    struct narrow *narrow = MEM_NEW(struct narrow);
    narrow->held = MEM_NEW(struct held);
    atomic_init(&narrow->held->users, 1);
    if (watch_socket(narrow, zmq, socket, place) == 0)
        return narrow;
    err_write(err, "can't watch who connects: %s", zmq_strerror(errno));
    narrow_close(narrow);
    return NULL;
}

void narrow_close(struct narrow *narrow)
{
    if (!narrow)
        return;
    if (narrow->monitor)
        zmq_close(narrow->monitor);
    leave_held(narrow->held);
    free(narrow);
}
