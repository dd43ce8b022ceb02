/* Batches made ready by threads; see feed.h. */
#include "worker/data/feed.h"

#include "common/mem.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Beside the batch that is trained on and one for each thread that is at work, one lies ready. */
enum { AHEAD = 2 };

struct feed_slot {
    struct feed_batch batch;
    float *plain; /* [I]: an example before it is augmented; NULL: none is */
    bool ready;
};

struct feed {
    struct feed_source source;
    struct feed_slot *slots; /* part n is made in slot n % depth */
    size_t depth;
    pthread_t threads[FEED_MOST_THREADS];
    int started;

    pthread_mutex_t lock;      /* guards all below, and whether slots are ready */
    pthread_cond_t room, made; /* a thread may find work; a slot has become ready, or a thread idle */
    bool ends;
    const size_t *order;
    const struct feed_part *parts;
    size_t count; /* of them */
    uint64_t epoch;
    size_t taken;   /* parts that threads have begun */
    size_t given;   /* parts that were asked for */
    size_t passed;  /* parts that are trained on no more */
    size_t working; /* threads that are at work on one */
};

/* --- making a batch --- */

static void augment_batch(struct feed *feed, struct feed_slot *slot, const size_t *order)
{
    const struct feed_source *source = &feed->source;
    size_t I = source->data->inputs;
    for (size_t b = 0; b < slot->batch.count; b++) {
        float *x = slot->batch.x + b * I;
        memcpy(slot->plain, x, I * sizeof *x);
        augment_image(&source->augment, &source->image, source->seed, feed->epoch, order[b], slot->plain, x);
    }
}

static void make_batch(struct feed *feed, size_t n)
{
    struct feed_slot *slot = &feed->slots[n % feed->depth];
    const struct feed_part *part = &feed->parts[n];
    const size_t *order = feed->order + part->first;
    slot->batch.count = part->count;
    dataset_gather(feed->source.data, order, part->count, slot->batch.x, slot->batch.labels);
    if (slot->plain)
        augment_batch(feed, slot, order);
}

/* --- a thread --- */

static bool has_work(const struct feed *feed)
{
    return feed->taken < feed->count && feed->taken < feed->passed + feed->depth;
}

static void *feed_thread(void *self)
{
    struct feed *feed = self;
    pthread_mutex_lock(&feed->lock);
    while (!feed->ends) {
        if (!has_work(feed)) {
            pthread_cond_wait(&feed->room, &feed->lock);
            continue;
        }
        size_t n = feed->taken++;
        feed->working++;
        pthread_mutex_unlock(&feed->lock);
        make_batch(feed, n);
        pthread_mutex_lock(&feed->lock);
        feed->slots[n % feed->depth].ready = true;
        feed->working--;
        pthread_cond_broadcast(&feed->made);
    }
    pthread_mutex_unlock(&feed->lock);
    return NULL;
}

static void start_threads(struct feed *feed)
{
    while (feed->started < feed->source.threads &&
           pthread_create(&feed->threads[feed->started], NULL, feed_thread, feed) == 0)
        feed->started++;
}

/* --- the trainee's side --- */

struct feed *feed_create(const struct feed_source *source)
{
    struct feed *feed = MEM_NEW(struct feed);
    size_t I = source->data->inputs;
    feed->source = *source;
    feed->depth = source->threads ? (size_t)source->threads + AHEAD : 1;
    feed->slots = MEM_ARRAY(struct feed_slot, feed->depth);
    for (size_t i = 0; i < feed->depth; i++) {
        struct feed_slot *slot = &feed->slots[i];
        slot->batch.x = mem_aligned(source->batch * I, sizeof *slot->batch.x);
        slot->batch.labels = MEM_ARRAY(int32_t, source->batch);
        slot->plain = augment_is_any(&source->augment) ? MEM_ARRAY(float, I) : NULL;
    }
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->room, NULL);
    pthread_cond_init(&feed->made, NULL);
    start_threads(feed);
    return feed;
}

void feed_destroy(struct feed *feed)
{
    if (!feed)
        return;
    pthread_mutex_lock(&feed->lock);
    feed->ends = true;
    pthread_cond_broadcast(&feed->room);
    pthread_mutex_unlock(&feed->lock);
    for (int i = 0; i < feed->started; i++)
        pthread_join(feed->threads[i], NULL);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->room);
    pthread_cond_destroy(&feed->made);
    for (size_t i = 0; i < feed->depth; i++) {
        free(feed->slots[i].batch.x);
        free(feed->slots[i].batch.labels);
        free(feed->slots[i].plain);
    }
    free(feed->slots);
    free(feed);
}

void feed_begin(struct feed *feed, const size_t *order, const struct feed_part *parts, size_t count, uint64_t epoch)
{
    pthread_mutex_lock(&feed->lock);
    feed->count = feed->taken; /* nothing more of the last epoch is begun */
    while (feed->working)
        pthread_cond_wait(&feed->made, &feed->lock);
    for (size_t i = 0; i < feed->depth; i++)
        feed->slots[i].ready = false;
    feed->order = order;
    feed->parts = parts;
    feed->count = count;
    feed->epoch = epoch;
    feed->taken = feed->given = feed->passed = 0;
    pthread_cond_broadcast(&feed->room);
    pthread_mutex_unlock(&feed->lock);
}

/* Waits for part n, whose slot nobody touches from then on until it is passed. */
static void await_batch(struct feed *feed, size_t n)
{
    struct feed_slot *slot = &feed->slots[n % feed->depth];
    pthread_mutex_lock(&feed->lock);
    feed->passed = n; /* those before */
    pthread_cond_broadcast(&feed->room);
    while (!slot->ready)
        pthread_cond_wait(&feed->made, &feed->lock);
    slot->ready = false;
    pthread_mutex_unlock(&feed->lock);
}

const struct feed_batch *feed_next(struct feed *feed)
{
    if (feed->given == feed->count)
        return NULL;
    size_t n = feed->given++;
    if (feed->started)
        await_batch(feed, n);
    else
        make_batch(feed, n);
    return &feed->slots[n % feed->depth].batch;
}
