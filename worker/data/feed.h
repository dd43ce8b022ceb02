/* The batches of an epoch, made ready by threads of their own while the one before is trained on: examples gathered,
 * and augmented.
 *
 *     trainee                       threads
 *     begin (order, parts)  ---->   take the next part that nobody has, once there is room for it
 *     next                  <----   parts in their order, each when it is ready
 *     next ...
 *     begin: the next epoch; what of the present one was not asked for is dropped
 *
 * What a batch holds is a function of the order, the seed and the epoch: neither of how many threads there are nor of
 * which is the faster. Without threads each batch is made when it is asked for. The threads run where the trial does,
 * on its processors. */
#ifndef GANNET_WORKER_DATA_FEED_H
#define GANNET_WORKER_DATA_FEED_H

#include "worker/data/augment.h"

enum { FEED_MOST_THREADS = 64 };

/* What is fed. The data outlives the feed and does not change. */
struct feed_source {
    const struct dataset *data; /* with classes */
    struct augment augment;     /* {0}: examples stay as they are */
    struct dataset_shape image; /* of an example, when they don't */
    uint64_t seed;              /* of the augmentation */
    size_t batch;               /* the largest part */
    int threads;                /* that make batches ready; 0: the one that asks */
};

/* A batch: `count` examples of the order from `first` on. */
struct feed_part {
    size_t first, count;
};

/* x[B,I] and labels[B]. */
struct feed_batch {
    float *x;
    int32_t *labels;
    size_t count; /* B */
};

struct feed;

/* Threads that can't be started are done without: batches are the same. */
struct feed *feed_create(const struct feed_source *source);
void feed_destroy(struct feed *feed); /* NULL is fine; in the middle of an epoch, too */

/* Begins an epoch. `order` and `parts` stay as they are until the next one begins. */
void feed_begin(struct feed *feed, const size_t *order, const struct feed_part *parts, size_t count, uint64_t epoch);

/* The next batch, valid until the next call; NULL behind the last one. */
const struct feed_batch *feed_next(struct feed *feed);

#endif
