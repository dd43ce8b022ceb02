/* The queue of sized items against looking at all of them. */
#include "common/fitqueue.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <math.h>

enum { ITEMS = 300 };

struct world {
    struct rng rng;
    struct fitqueue queue;
    struct fitqueue_item items[ITEMS];
    int64_t front, back;
    uint64_t visits;
};

/* The answers that looking at every item gives. */
static const struct fitqueue_item *naive_first(const struct world *w, double capacity)
{
    const struct fitqueue_item *first = NULL;
    for (int i = 0; i < ITEMS; i++)
        if (w->items[i].queue && w->items[i].size <= capacity && (!first || w->items[i].place < first->place))
            first = &w->items[i];
    return first;
}

static size_t naive_count_above(const struct world *w, double capacity)
{
    size_t count = 0;
    for (int i = 0; i < ITEMS; i++)
        count += w->items[i].queue && w->items[i].size > capacity;
    return count;
}

static double random_size(struct world *w)
{
    return rng_below(&w->rng, 3) ? (double)rng_below(&w->rng, 20) : -INFINITY;
}

static void change(struct world *w)
{
    struct fitqueue_item *item = &w->items[rng_below(&w->rng, ITEMS)];
    if (!item->queue)
        fitqueue_add(&w->queue, item, random_size(w), rng_below(&w->rng, 2) ? w->back++ : --w->front);
    else if (rng_below(&w->rng, 2))
        fitqueue_resize(item, random_size(w));
    else
        fitqueue_remove(item);
}

static void check_ends(const struct world *w)
{
    const struct fitqueue_item *least = fitqueue_smallest(&w->queue), *most = fitqueue_largest(&w->queue);
    assert_int_equal(least != NULL, w->queue.count > 0);
    assert_int_equal(most != NULL, w->queue.count > 0);
    for (int i = 0; i < ITEMS; i++)
        if (w->items[i].queue)
            assert_true(least->size <= w->items[i].size && w->items[i].size <= most->size);
}

static void it_answers_as_looking_at_every_item_does(void **state)
{
    (void)state;
    struct world w = {.rng = rng_make(1, "fitqueue", 0)};
    fitqueue_init(&w.queue, &w.visits);
    for (int round = 0; round < 20000; round++) {
        double capacity = (double)rng_below(&w.rng, 22) - 1;
        change(&w);
        assert_ptr_equal(fitqueue_first(&w.queue, capacity), naive_first(&w, capacity));
        assert_ptr_equal(fitqueue_first(&w.queue, INFINITY), naive_first(&w, INFINITY));
        assert_int_equal(fitqueue_count_above(&w.queue, capacity), naive_count_above(&w, capacity));
        if (round % 16 == 0)
            check_ends(&w);
    }
}

/* A tree of 2^k random nodes is some 2 k deep. */
static void a_question_visits_few_of_many_items(void **state)
{
    (void)state;
    enum { MANY = 1 << 15, MOST = 4 * 15 };
    uint64_t visits = 0, most = 0;
    struct fitqueue queue;
    struct fitqueue_item *items = test_calloc(MANY, sizeof *items);
    fitqueue_init(&queue, &visits);
    for (int i = 0; i < MANY; i++) {
        uint64_t before = visits;
        fitqueue_add(&queue, &items[i], (double)(i % 1000), i);
        most = visits - before > most ? visits - before : most;
    }
    for (int i = 0; i < 1000; i++) {
        uint64_t before = visits;
        assert_int_equal(fitqueue_first(&queue, i)->place, 0);
        most = visits - before > most ? visits - before : most;
    }
    assert_true(most < MOST);
    test_free(items);
}

static void items_that_fit_anywhere_cost_what_a_list_costs(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    uint64_t visits = 0;
    struct fitqueue queue;
    struct fitqueue_item items[MANY] = {0};
    fitqueue_init(&queue, &visits);
    for (int i = 0; i < MANY; i++)
        fitqueue_add(&queue, &items[i], -INFINITY, i % 2 ? i : -i);
    for (int i = 0; i < MANY; i++)
        fitqueue_remove(fitqueue_first(&queue, -INFINITY));
    assert_int_equal(queue.count, 0);
    assert_int_equal(visits, 2 * MANY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_as_looking_at_every_item_does),
        cmocka_unit_test(a_question_visits_few_of_many_items),
        cmocka_unit_test(items_that_fit_anywhere_cost_what_a_list_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
