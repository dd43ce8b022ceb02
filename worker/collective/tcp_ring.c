/* See tcp_ring.h. Everything that is sent has a head, which says what it is and how long: members that have come apart
 * notice it before they take one thing for another. */
#include "worker/collective/tcp_ring.h"

#include "common/err.h"
#include "common/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LOOK_MS = 5000,           /* so often who waits looks whether the others' systems still answer */
    SILENCE_MS = 60000,       /* as long as a coordinator waits for a worker */
    PROBE_AFTER_SECONDS = 10, /* an idle connection is asked for a sign of life, and again so often, */
    PROBES = 6,               /* this many times */
    MOST_AT_ONCE = 64,        /* pieces in a call of the system's, which takes 1,024 at most */
};

enum tcp_what { WHAT_SUM = 1, WHAT_GATHER, WHAT_TELL };

/* What goes before everything that is sent. */
struct tcp_head {
    uint32_t what;   /* an enum tcp_what */
    uint32_t number; /* of what was sent over this connection before */
    uint64_t length; /* bytes that follow */
};

/* What is under way in one direction. */
struct tcp_flow {
    int fd;
    uint32_t member;      /* at the other end */
    struct tcp_head head; /* that is sent, or has come; then */
    struct iovec *parts;  /* the head and the bytes that are still to go or to come, */
    size_t count, at;     /* from part `at` on */
    size_t capacity;
    uint32_t number; /* of what comes next */
    uint32_t silent; /* looks in a row at which the other end did not answer */
};

struct tcp_ring {
    struct tcp_ring_setup setup;
    struct tcp_flow out, in;
    float *heard; /* numbers that came, and are to be added */
    size_t heard_capacity;
};

/* --- connections --- */

static void ready_connection(int fd)
{
    int yes = 1, idle = PROBE_AFTER_SECONDS, probes = PROBES;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

struct tcp_ring *tcp_ring_create(const struct tcp_ring_setup *setup)
{
    struct tcp_ring *ring = MEM_NEW(struct tcp_ring);
    uint32_t members = setup->members;
    ring->setup = *setup;
    ring->out = (struct tcp_flow){.fd = setup->next, .member = (setup->member + 1) % members};
    ring->in = (struct tcp_flow){.fd = setup->before, .member = (setup->member + members - 1) % members};
    ready_connection(setup->next);
    ready_connection(setup->before);
    return ring;
}

void tcp_ring_destroy(struct tcp_ring *ring)
{
    if (!ring)
        return;
    close(ring->setup.next);
    if (ring->setup.before != ring->setup.next)
        close(ring->setup.before);
    free(ring->out.parts);
    free(ring->in.parts);
    free(ring->heard);
    free(ring);
}

static _Noreturn void lose(const struct tcp_ring *ring, const struct tcp_flow *flow, const char *sentence)
{
    ring->setup.lost(ring->setup.context, flow->member, sentence);
    abort(); /* it was to end the process */
}

static _Noreturn void lose_errno(const struct tcp_ring *ring, const struct tcp_flow *flow)
{
    struct err err;
    err_write_errno(&err, "its connection broke");
    lose(ring, flow, err.text);
}

/* A process that was stopped takes nothing, and its system is asked for room only every two minutes in the end: that it
 * has said nothing since its last answer is no silence. */
bool tcp_ring_is_silent(const struct tcp_info *info)
{
    bool is_asked = info->tcpi_probes || info->tcpi_unacked;
    return is_asked && info->tcpi_last_ack_recv > SILENCE_MS;
}

/* Whether the system at the other end has said nothing for too long, though it was asked; at two looks, between which
 * an answer would have come. */
static void check_silence(const struct tcp_ring *ring, struct tcp_flow *flow)
{
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(flow->fd, IPPROTO_TCP, TCP_INFO, &info, &length))
        return;
    flow->silent = tcp_ring_is_silent(&info) ? flow->silent + 1 : 0;
    if (flow->silent > 1)
        lose(ring, flow, "its node, or the network to it, has been silent for a minute");
}

/* --- moving bytes --- */

static void begin_flow(struct tcp_flow *flow)
{
    flow->count = flow->at = 0;
    MEM_GROW(flow->parts, flow->capacity, 1);
    flow->parts[flow->count++] = (struct iovec){&flow->head, sizeof flow->head};
}

static void add_part(struct tcp_flow *flow, void *bytes, size_t length)
{
    if (!length)
        return;
    MEM_GROW(flow->parts, flow->capacity, flow->count + 1);
    flow->parts[flow->count++] = (struct iovec){bytes, length};
}

static size_t length_of(const struct tcp_flow *flow)
{
    size_t length = 0;
    for (size_t i = 1; i < flow->count; i++)
        length += flow->parts[i].iov_len;
    return length;
}

/* So many bytes of it have gone, or come. */
static void advance_flow(struct tcp_flow *flow, size_t bytes)
{
    while (bytes) {
        struct iovec *part = &flow->parts[flow->at];
        size_t some = bytes < part->iov_len ? bytes : part->iov_len;
        part->iov_base = (char *)part->iov_base + some;
        part->iov_len -= some;
        bytes -= some;
        flow->at += !part->iov_len;
    }
}

static bool is_done(const struct tcp_flow *flow)
{
    return flow->at == flow->count;
}

/* Moves what can be moved; with the head alone before all of it is there. */
static void move_some(const struct tcp_ring *ring, struct tcp_flow *flow, bool out)
{
    size_t left = flow->count - flow->at, some = left < MOST_AT_ONCE ? left : MOST_AT_ONCE;
    struct msghdr msg = {.msg_iov = flow->parts + flow->at, .msg_iovlen = !out && !flow->at ? 1 : some};
    ssize_t moved = out ? sendmsg(flow->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) : recvmsg(flow->fd, &msg, MSG_DONTWAIT);
    if (moved < 0 && errno != EAGAIN && errno != EINTR)
        lose_errno(ring, flow);
    if (moved == 0 && !out)
        lose(ring, flow, "it closed its connection");
    if (moved > 0)
        advance_flow(flow, (size_t)moved);
}

static void check_head(const struct tcp_ring *ring, const struct tcp_flow *flow, const struct tcp_head *due)
{
    const struct tcp_head *head = &flow->head;
    if (head->what == due->what && head->number == due->number && head->length == due->length)
        return;
    struct err err;
    err_write(&err, "it sent part %u, of kind %u and %llu bytes, where part %u, of kind %u and %llu bytes, was due",
              head->number, head->what, (unsigned long long)head->length, due->number, due->what,
              (unsigned long long)due->length);
    lose(ring, flow, err.text);
}

static void await_some(struct tcp_ring *ring, bool out, bool in)
{
    struct pollfd ready[] = {{.fd = out ? ring->out.fd : -1, .events = POLLOUT},
                             {.fd = in ? ring->in.fd : -1, .events = POLLIN}};
    if (poll(ready, 2, LOOK_MS))
        return;
    check_silence(ring, &ring->out);
    check_silence(ring, &ring->in);
}

/* Sends and hears what was prepared, at the same time; one of both may be nothing. */
static void exchange_bytes(struct tcp_ring *ring, enum tcp_what what, bool out, bool in)
{
    struct tcp_flow *to = &ring->out, *from = &ring->in;
    struct tcp_head due = {.what = what, .number = from->number, .length = length_of(from)};
    to->head = (struct tcp_head){.what = what, .number = to->number, .length = length_of(to)};
    to->number += out;
    from->number += in;
    for (bool checked = false; (out && !is_done(to)) || (in && !is_done(from));) {
        bool sends = out && !is_done(to), hears = in && !is_done(from);
        if (sends)
            move_some(ring, to, true);
        if (hears)
            move_some(ring, from, false);
        if (hears && !checked && from->at) {
            check_head(ring, from, &due);
            checked = true;
            continue;
        }
        if ((out && !is_done(to)) || (in && !is_done(from)))
            await_some(ring, out && !is_done(to), in && !is_done(from));
    }
}

/* --- sums --- */

struct number_range {
    size_t first, count;
};

/* The part of the numbers that goes around as number `part`, of as many as there are members. */
static struct number_range range_of(const struct tcp_ring *ring, size_t all, uint32_t part)
{
    size_t members = ring->setup.members, first = all * part / members;
    return (struct number_range){.first = first, .count = all * (part + 1) / members - first};
}

/* Where a range lies in a piece that begins at number `at`: false: nowhere. */
static bool overlap(struct number_range range, const struct tcp_ring_piece *piece, size_t at, size_t *from,
                    size_t *count)
{
    size_t first = range.first > at ? range.first : at;
    size_t end = range.first + range.count < at + piece->count ? range.first + range.count : at + piece->count;
    *from = first - at;
    *count = end > first ? end - first : 0;
    return end > first;
}

static void add_range(struct tcp_flow *flow, const struct tcp_ring_piece *pieces, size_t count,
                      struct number_range range)
{
    size_t at = 0, from, some;
    for (size_t i = 0; i < count; at += pieces[i++].count)
        if (overlap(range, &pieces[i], at, &from, &some))
            add_part(flow, pieces[i].numbers + from, some * sizeof(float));
}

static void add_numbers(const float *restrict heard, size_t count, float *restrict numbers)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        numbers[i] += heard[i];
}

/* What was heard of a range is added to what is there. */
static void take_range(const float *heard, const struct tcp_ring_piece *pieces, size_t count, struct number_range range)
{
    size_t at = 0, from, some;
    for (size_t i = 0; i < count; at += pieces[i++].count)
        if (overlap(range, &pieces[i], at, &from, &some)) {
            add_numbers(heard, some, pieces[i].numbers + from);
            heard += some;
        }
}

/* Turn t of the first time around: part m - t goes from member m, part m - t - 1 comes and is added. In the end member
 * m has the sum of part m + 1. */
static void reduce_scatter(struct tcp_ring *ring, const struct tcp_ring_piece *pieces, size_t count, size_t all)
{
    uint32_t members = ring->setup.members, member = ring->setup.member;
    for (uint32_t turn = 0; turn + 1 < members; turn++) {
        struct number_range in = range_of(ring, all, (member + 2 * members - turn - 1) % members);
        MEM_GROW(ring->heard, ring->heard_capacity, in.count);
        begin_flow(&ring->out);
        begin_flow(&ring->in);
        add_range(&ring->out, pieces, count, range_of(ring, all, (member + members - turn) % members));
        add_part(&ring->in, ring->heard, in.count * sizeof(float));
        exchange_bytes(ring, WHAT_SUM, true, true);
        take_range(ring->heard, pieces, count, in);
    }
}

/* Turn t of the second time: part m + 1 - t goes, part m - t comes, and takes its place. */
static void all_gather(struct tcp_ring *ring, const struct tcp_ring_piece *pieces, size_t count, size_t all)
{
    uint32_t members = ring->setup.members, member = ring->setup.member;
    for (uint32_t turn = 0; turn + 1 < members; turn++) {
        begin_flow(&ring->out);
        begin_flow(&ring->in);
        add_range(&ring->out, pieces, count, range_of(ring, all, (member + members + 1 - turn) % members));
        add_range(&ring->in, pieces, count, range_of(ring, all, (member + members - turn) % members));
        exchange_bytes(ring, WHAT_SUM, true, true);
    }
}

void tcp_ring_sum(struct tcp_ring *ring, const struct tcp_ring_piece *pieces, size_t count)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += pieces[i].count;
    reduce_scatter(ring, pieces, count, all);
    all_gather(ring, pieces, count, all);
}

/* --- bytes --- */

void tcp_ring_gather(struct tcp_ring *ring, void *all, size_t length)
{
    uint32_t members = ring->setup.members, member = ring->setup.member;
    for (uint32_t turn = 0; turn + 1 < members; turn++) {
        begin_flow(&ring->out);
        begin_flow(&ring->in);
        add_part(&ring->out, (char *)all + (member + members - turn) % members * length, length);
        add_part(&ring->in, (char *)all + (member + 2 * members - turn - 1) % members * length, length);
        exchange_bytes(ring, WHAT_GATHER, true, true);
    }
}

void tcp_ring_tell(struct tcp_ring *ring, uint32_t root, void *bytes, size_t length)
{
    enum { SOME = 1 << 16 }; /* the next one hears the first of it while the rest comes */
    bool hears = ring->setup.member != root, sends = ring->out.member != root;
    for (size_t at = 0; at < length; at += SOME) {
        size_t some = length - at < SOME ? length - at : SOME;
        begin_flow(&ring->in);
        add_part(&ring->in, (char *)bytes + at, some);
        if (hears)
            exchange_bytes(ring, WHAT_TELL, false, true);
        begin_flow(&ring->out);
        add_part(&ring->out, (char *)bytes + at, some);
        if (sends)
            exchange_bytes(ring, WHAT_TELL, true, false);
    }
}
