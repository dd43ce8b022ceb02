/* Sums of gradients in shared memory; see shared.h. */
#include "worker/collective/shared_parts.h"

#include "common/clones.h"
#include "common/mem.h"
#include "common/unset.h"

#include <string.h>

enum { AT_ONCE = 1024 /* numbers that are added in the first cache */ };

static float *array_of(const struct shared *shared, uint32_t rank)
{
    return shared->arrays + rank * shared->room + shared->from;
}

/* --- adding --- */

void shared_find_part(const struct shared *shared, size_t low, size_t size, uint32_t rank, size_t *first, size_t *count)
{
    size_t lines = (size + NUMBERS_A_LINE - 1) / NUMBERS_A_LINE;
    size_t from = lines * rank / shared->ranks * NUMBERS_A_LINE;
    size_t to = lines * (rank + 1) / shared->ranks * NUMBERS_A_LINE;
    to = to < size ? to : size;
    *first = low + from;
    *count = to > from ? to - from : 0;
}

/* The part of bucket b that a rank adds. */
static void find_part(const struct shared *shared, uint32_t b, uint32_t rank, size_t *first, size_t *count)
{
    size_t low = shared->ends[b + 1];
    shared_find_part(shared, low, shared->ends[b] - low, rank, first, count);
}

CLONES static void add_weighted(float weight, const float *restrict from, size_t count, float *restrict sum)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++)
        sum[i] += weight * from[i];
}

/* The sum of all ranks' numbers. */
static void add_some(const struct shared *shared, size_t first, size_t count, float *sum)
{
    memset(sum, 0, count * sizeof *sum);
    for (uint32_t rank = 0; rank < shared->ranks; rank++) {
        float weight = shared->shown[rank].weight[shared->sums % 2];
        if (weight > 0)
            add_weighted(weight, array_of(shared, rank) + first, count, sum);
    }
}

/* The next bucket, which all have posted. */
static void add_bucket(struct shared *shared)
{
    size_t first, count;
    find_part(shared, shared->added++, shared->rank, &first, &count);
    for (size_t i = 0; i < count; i += AT_ONCE) {
        UNSET float sum[AT_ONCE];
        size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
        add_some(shared, first + i, some, sum);
        memcpy(array_of(shared, shared->rank) + first + i, sum, some * sizeof *sum);
    }
    eventcount_raise(&shared->shown[shared->rank].added);
}

/* Whether all ranks have posted bucket b. */
static bool all_posted(struct shared *shared, uint32_t b)
{
    for (uint32_t rank = 0; rank < shared->ranks; rank++)
        if (!eventcount_has(&shared->shown[rank].posted, shared->before + b + 1))
            return false;
    return true;
}

/* --- a sum --- */

float *shared_begin(void *self, size_t count, float weight)
{
    struct shared *shared = self;
    bool small = count <= SMALL_SUM && !shared->is_relayed, in_turn = small && shared->small;
    shared_enter(shared);
    for (uint32_t rank = 0; rank < shared->ranks; rank++)
        eventcount_await(&shared->shown[rank].left, shared->sums - in_turn);
    shared_leave(shared);
    shared->sums++;
    shared->small = small;
    shared->from = small ? shared->sums % 2 * SMALL_SUM : 0;
    shared->before += shared->buckets;
    shared->buckets = shared->added = 0;
    shared->count = count;
    MEM_GROW(shared->ends, shared->ends_capacity, count / BUCKET_NUMBERS + 3);
    shared->ends[0] = count;
    shared->shown[shared->rank].weight[shared->sums % 2] = weight;
    return array_of(shared, shared->rank);
}

void shared_post(void *self, size_t first)
{
    struct shared *shared = self;
    size_t least = shared->is_relayed ? RELAY_NUMBERS : BUCKET_NUMBERS;
    if (first && shared->ends[shared->buckets] - first < least)
        return;
    shared->ends[++shared->buckets] = first;
    eventcount_raise(&shared->shown[shared->rank].posted);
    while (!shared->small && shared->added < shared->buckets && all_posted(shared, shared->added))
        add_bucket(shared);
}

static void take_bucket(struct shared *shared, uint32_t b, collective_take *take, void *context)
{
    size_t first, count;
    if (shared->is_relayed)
        eventcount_await(&shared->shown[0].relayed, shared->before + b + 1);
    for (uint32_t i = 0; i < shared->ranks; i++) {
        uint32_t rank = (shared->rank + i) % shared->ranks; /* its own part is there, and not all read the same one */
        if (!shared->is_relayed)
            eventcount_await(&shared->shown[rank].added, shared->before + b + 1);
        find_part(shared, b, rank, &first, &count);
        if (count)
            take(context, array_of(shared, rank) + first, first, count);
    }
}

/* Each rank adds all of it for itself, in the same order: so it waits for the others but once. */
static void finish_small(struct shared *shared, collective_take *take, void *context)
{
    UNSET float sum[AT_ONCE];
    for (uint32_t rank = 0; rank < shared->ranks; rank++)
        eventcount_await(&shared->shown[rank].posted, shared->before + shared->buckets);
    for (size_t i = 0; i < shared->count; i += AT_ONCE) {
        size_t some = shared->count - i < AT_ONCE ? shared->count - i : AT_ONCE;
        add_some(shared, i, some, sum);
        take(context, sum, i, some);
    }
    for (uint32_t b = 0; b < shared->buckets; b++)
        eventcount_raise(&shared->shown[shared->rank].added);
}

static void finish_large(struct shared *shared, collective_take *take, void *context)
{
    while (shared->added < shared->buckets) {
        for (uint32_t rank = 0; rank < shared->ranks; rank++)
            eventcount_await(&shared->shown[rank].posted, shared->before + shared->added + 1);
        add_bucket(shared);
    }
    for (uint32_t b = 0; b < shared->buckets; b++)
        take_bucket(shared, b, take, context);
}

void shared_finish(void *self, collective_take *take, void *context)
{
    struct shared *shared = self;
    shared_enter(shared);
    if (shared->small)
        finish_small(shared, take, context);
    else
        finish_large(shared, take, context);
    eventcount_raise(&shared->shown[shared->rank].left);
    shared_leave(shared);
}
