/* Batches are the same whoever makes them ready, and however fast. */
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/data/feed.h"

#include <stdlib.h>
#include <string.h>

enum { N = 203, I = 12, BATCH = 16 };

static const struct augment some = {.shift = 0.3, .crop = 1, .flip = 0.5, .cutout = 1};
static const int thread_counts[] = {0, 1, 2, 7};
enum { COUNTS = sizeof thread_counts / sizeof *thread_counts };

static struct dataset data;

static int make_data(void **state)
{
    (void)state;
    struct rng rng = rng_make(1, "data", 0);
    data = (struct dataset){.count = N, .training = N, .inputs = I, .classes = 10};
    data.x = MEM_ARRAY(float, N *I);
    data.labels = MEM_ARRAY(int32_t, N);
    for (size_t i = 0; i < N * I; i++)
        data.x[i] = (float)rng_unit(&rng);
    for (size_t n = 0; n < N; n++)
        data.labels[n] = (int32_t)rng_below(&rng, 10);
    return 0;
}

static int forget_data(void **state)
{
    (void)state;
    dataset_close(&data);
    return 0;
}

static struct feed *make_feed(const struct augment *augment, int threads)
{
    return feed_create(&(struct feed_source){
        .data = &data, .augment = *augment, .image = {3, {4, 3, 1}}, .seed = 3, .batch = BATCH, .threads = threads});
}

/* An epoch's order, and batches of any size in it. */
struct plan {
    size_t order[N];
    struct feed_part parts[N];
    size_t count;
};

static void draw_plan(struct plan *plan, uint64_t epoch)
{
    struct rng rng = rng_make(2, "plan", epoch);
    for (size_t n = 0; n < N; n++)
        plan->order[n] = n;
    dataset_shuffle(plan->order, N, &rng);
    plan->count = 0;
    for (size_t n = 0; n < N; n += plan->parts[plan->count++].count) {
        size_t B = 1 + (size_t)rng_below(&rng, BATCH);
        plan->parts[plan->count] = (struct feed_part){n, B < N - n ? B : N - n};
    }
}

/* All that comes in an epoch, one batch after the other: x[N,I] and labels[N]. */
static void take_epoch(struct feed *feed, const struct plan *plan, uint64_t epoch, float *x, int32_t *labels)
{
    const struct feed_batch *batch;
    size_t n = 0;
    feed_begin(feed, plan->order, plan->parts, plan->count, epoch);
    for (size_t part = 0; (batch = feed_next(feed)); part++) {
        assert_int_equal(batch->count, plan->parts[part].count);
        memcpy(x + n * I, batch->x, batch->count * I * sizeof *x);
        memcpy(labels + n, batch->labels, batch->count * sizeof *labels);
        n += batch->count;
    }
    assert_int_equal(n, N);
}

/* --- claims --- */

static void examples_come_in_the_order_with_their_labels(void **state)
{
    (void)state;
    float x[N * I];
    int32_t labels[N];
    struct plan plan;
    draw_plan(&plan, 1);
    for (size_t i = 0; i < COUNTS; i++) {
        struct feed *feed = make_feed(&(struct augment){0}, thread_counts[i]);
        take_epoch(feed, &plan, 1, x, labels);
        feed_destroy(feed);
        for (size_t n = 0; n < N; n++) {
            assert_int_equal(labels[n], data.labels[plan.order[n]]);
            assert_memory_equal(x + n * I, data.x + plan.order[n] * I, I * sizeof *x);
        }
    }
}

static void augmented_batches_are_the_same_with_any_number_of_threads(void **state)
{
    (void)state;
    float x[N * I], first[N * I];
    int32_t labels[N];
    struct plan plan;
    for (size_t i = 0; i < COUNTS; i++) {
        struct feed *feed = make_feed(&some, thread_counts[i]), *alone = make_feed(&some, 0);
        for (uint64_t epoch = 1; epoch <= 20; epoch++) {
            draw_plan(&plan, epoch);
            take_epoch(alone, &plan, epoch, first, labels);
            take_epoch(feed, &plan, epoch, x, labels);
            assert_memory_equal(x, first, sizeof x);
            for (size_t n = 0; n < N; n++)
                assert_int_equal(labels[n], data.labels[plan.order[n]]);
        }
        feed_destroy(feed);
        feed_destroy(alone);
    }
}

/* Each with its own place in the data set, wherever it stands in the order. */
static void an_example_is_augmented_the_same_in_every_order(void **state)
{
    (void)state;
    float one[N * I], other[N * I], *by_example = MEM_ARRAY(float, N *I);
    int32_t labels[N];
    struct plan plan, reordered;
    struct feed *feed = make_feed(&some, 2);
    draw_plan(&plan, 1);
    draw_plan(&reordered, 2);
    take_epoch(feed, &plan, 9, one, labels);
    take_epoch(feed, &reordered, 9, other, labels);
    for (size_t n = 0; n < N; n++)
        memcpy(by_example + plan.order[n] * I, one + n * I, I * sizeof *one);
    for (size_t n = 0; n < N; n++)
        assert_memory_equal(other + n * I, by_example + reordered.order[n] * I, I * sizeof *one);
    feed_destroy(feed);
    free(by_example);
}

static void an_epoch_may_be_left_at_any_batch(void **state)
{
    (void)state;
    float x[N * I], whole[N * I];
    int32_t labels[N];
    struct plan plan, next;
    draw_plan(&plan, 1);
    draw_plan(&next, 2);
    for (size_t i = 0; i < COUNTS; i++)
        for (size_t left = 0; left <= plan.count; left++) {
            struct feed *feed = make_feed(&some, thread_counts[i]), *alone = make_feed(&some, 0);
            feed_begin(feed, plan.order, plan.parts, plan.count, 1);
            for (size_t part = 0; part < left; part++)
                assert_non_null(feed_next(feed));
            if (left % 2) { /* else it is destroyed right there */
                take_epoch(feed, &next, 2, x, labels);
                take_epoch(alone, &next, 2, whole, labels);
                assert_memory_equal(x, whole, sizeof x);
            }
            feed_destroy(feed);
            feed_destroy(alone);
        }
    feed_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_come_in_the_order_with_their_labels),
        cmocka_unit_test(augmented_batches_are_the_same_with_any_number_of_threads),
        cmocka_unit_test(an_example_is_augmented_the_same_in_every_order),
        cmocka_unit_test(an_epoch_may_be_left_at_any_batch),
    };
    return cmocka_run_group_tests_name("feed", tests, make_data, forget_data);
}
