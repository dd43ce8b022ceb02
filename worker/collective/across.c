/* See across.h. Whoever is not rank 0 of its node has no ring and no thread: it adds its part of each bucket, and waits
 * until rank 0's thread has raised the count of those that have been around. */
#include "worker/collective/across.h"

#include "common/mem.h"
#include "worker/collective/shared_parts.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* A bucket that is to go around. */
struct relay {
    size_t low, size; /* its numbers */
    uint32_t number;  /* it is added when all ranks' counts have come to this */
};

struct across {
    struct shared *shared;
    struct collective local; /* the ranks of the node */
    uint32_t node, nodes;
    struct tcp_ring *ring;         /* of rank 0 */
    uint32_t handed;               /* buckets of the present sum that the thread was given */
    struct tcp_ring_piece *pieces; /* [ranks], of the bucket that goes around: the thread's */
    pthread_t thread;
    bool has_thread;
    /* The relays that wait, guarded by the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct relay *relays;
    size_t first, count, capacity; /* of `relays` */
    bool is_closing;
};

/* --- the thread --- */

/* The next bucket; false: there will be none. */
static bool take_relay(struct across *across, struct relay *relay)
{
    pthread_mutex_lock(&across->lock);
    while (across->first == across->count && !across->is_closing)
        pthread_cond_wait(&across->changed, &across->lock);
    bool found = across->first < across->count;
    if (found)
        *relay = across->relays[across->first++];
    if (across->first == across->count)
        across->first = across->count = 0;
    pthread_mutex_unlock(&across->lock);
    return found;
}

/* Each rank's part of the bucket is the node's sum of it, once that rank has added it. */
static void relay_bucket(struct across *across, const struct relay *relay)
{
    struct shared *shared = across->shared;
    for (uint32_t rank = 0; rank < shared->ranks; rank++) {
        size_t first;
        eventcount_await(&shared->shown[rank].added, relay->number);
        shared_find_part(shared, relay->low, relay->size, rank, &first, &across->pieces[rank].count);
        across->pieces[rank].numbers = shared->arrays + rank * shared->room + first;
    }
    tcp_ring_sum(across->ring, across->pieces, shared->ranks);
    eventcount_raise(&shared->shown[0].relayed);
}

static void *relay_all(void *context)
{
    struct across *across = context;
    struct relay relay;
    while (take_relay(across, &relay))
        relay_bucket(across, &relay);
    return NULL;
}

static int start_thread(struct across *across, struct err *err)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&across->thread, NULL, relay_all, across);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    across->has_thread = !failed;
    return failed ? err_set(err, "can't start a thread that speaks with the other nodes: %s", strerror(failed)) : 0;
}

static void add_relay(struct across *across, const struct relay *relay)
{
    pthread_mutex_lock(&across->lock);
    MEM_GROW(across->relays, across->capacity, across->count + 1);
    across->relays[across->count++] = *relay;
    pthread_cond_signal(&across->changed);
    pthread_mutex_unlock(&across->lock);
}

/* --- sums --- */

static float *begin_sum(void *self, size_t count, float weight)
{
    struct across *across = self;
    across->handed = 0;
    return shared_begin(across->shared, count, weight);
}

static void post_sum(void *self, size_t first)
{
    struct across *across = self;
    struct shared *shared = across->shared;
    shared_post(shared, first);
    for (; across->ring && across->handed < shared->buckets; across->handed++) {
        size_t low = shared->ends[across->handed + 1];
        add_relay(across, &(struct relay){.low = low,
                                          .size = shared->ends[across->handed] - low,
                                          .number = shared->before + across->handed + 1});
    }
}

static void finish_sum(void *self, collective_take *take, void *context)
{
    struct across *across = self;
    shared_finish(across->shared, take, context);
}

/* --- few bytes: between two sums, so that the ring is nobody else's --- */

/* The sums of all nodes, in their order; `numbers` are this node's. */
static void add_nodes(struct across *across, double *numbers, size_t count)
{
    double *all = MEM_ARRAY(double, across->nodes *count);
    memcpy(all + across->node * count, numbers, count * sizeof *numbers);
    tcp_ring_gather(across->ring, all, count * sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = 0;
        for (uint32_t node = 0; node < across->nodes; node++)
            numbers[i] += all[node * count + i];
    }
    free(all);
}

static void add_numbers(void *self, double *numbers, size_t count)
{
    struct across *across = self;
    const struct collective *local = &across->local;
    shared_enter(across->shared);
    local->kind->add(local->self, numbers, count);
    if (across->ring && count)
        add_nodes(across, numbers, count);
    local->kind->broadcast(local->self, 0, numbers, count * sizeof *numbers);
    shared_leave(across->shared);
}

/* On its own node from the root, on the others from rank 0, which has it from the ring. */
static void broadcast_bytes(void *self, uint32_t root, void *bytes, size_t length)
{
    struct across *across = self;
    const struct collective *local = &across->local;
    uint32_t node = root / local->ranks;
    shared_enter(across->shared);
    if (across->node == node)
        local->kind->broadcast(local->self, root % local->ranks, bytes, length);
    if (across->ring)
        tcp_ring_tell(across->ring, node, bytes, length);
    if (across->node != node)
        local->kind->broadcast(local->self, 0, bytes, length);
    shared_leave(across->shared);
}

/* What one could not do none has done. */
static int reserve_room(void *self, size_t count, struct err *err)
{
    struct across *across = self;
    int result = across->local.kind->reserve(across->local.self, count, err);
    double failed = result != 0;
    add_numbers(across, &failed, 1);
    if (failed > 0 && result == 0)
        err_write(err, "another node has no memory for the gradients");
    return failed > 0 ? -1 : 0;
}

static const struct collective_kind kind = {
    .name = "shared memory, and TCP between nodes",
    .reserve = reserve_room,
    .begin = begin_sum,
    .post = post_sum,
    .finish = finish_sum,
    .add = add_numbers,
    .broadcast = broadcast_bytes,
};

/* --- its life --- */

struct across *across_create(const struct across_setup *setup, struct err *err)
{
    struct across *across = MEM_NEW(struct across);
    struct shared *shared = setup->shared;
    across->shared = shared;
    across->local = shared_join(shared, shared->rank);
    across->node = setup->node;
    across->nodes = setup->nodes;
    across->ring = setup->ring;
    across->pieces = MEM_ARRAY(struct tcp_ring_piece, shared->ranks);
    pthread_mutex_init(&across->lock, NULL);
    pthread_cond_init(&across->changed, NULL);
    shared->is_relayed = true;
    while (across->ring && !eventcount_has(&shared->shown[0].relayed, shared->before + shared->buckets))
        eventcount_raise(&shared->shown[0].relayed); /* those before went nowhere */
    if (!across->ring || start_thread(across, err) == 0)
        return across;
    across_destroy(across);
    return NULL;
}

struct collective across_face(struct across *across)
{
    return (struct collective){.kind = &kind,
                               .self = across,
                               .rank = across->node * across->local.ranks + across->local.rank,
                               .ranks = across->nodes * across->local.ranks};
}

void across_destroy(struct across *across)
{
    if (!across)
        return;
    pthread_mutex_lock(&across->lock);
    across->is_closing = true;
    pthread_cond_signal(&across->changed);
    pthread_mutex_unlock(&across->lock);
    if (across->has_thread)
        pthread_join(across->thread, NULL);
    across->shared->is_relayed = false;
    pthread_mutex_destroy(&across->lock);
    pthread_cond_destroy(&across->changed);
    tcp_ring_destroy(across->ring);
    free(across->relays);
    free(across->pieces);
    free(across);
}
