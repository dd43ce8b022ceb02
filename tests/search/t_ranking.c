/* The order of trials by several objectives: fronts, then the least crowded, and what a long history costs. */
#include "search/history/ranking.h"
#include "search/pareto/front.h"
#include "tests/claims.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Trials of two objectives. */
struct trials {
    uint32_t count;
    double *losses; /* count x 2 */
    struct record *records;
    const struct record **pointers;
    struct ranked *order;
};

static void trials_init(struct trials *trials, uint32_t count)
{
    *trials = (struct trials){.count = count,
                              .losses = MEM_ARRAY(double, 2 * (size_t)count),
                              .records = MEM_ARRAY(struct record, count),
                              .pointers = MEM_ARRAY(const struct record *, count),
                              .order = MEM_ARRAY(struct ranked, count)};
    for (uint32_t i = 0; i < count; i++) {
        trials->records[i] = (struct record){.trial = i + 1, .losses = trials->losses + 2 * (size_t)i};
        trials->pointers[i] = &trials->records[i];
    }
}

static void trials_fini(struct trials *trials)
{
    free(trials->losses);
    free(trials->records);
    free(trials->pointers);
    free(trials->order);
}

static void sort(struct trials *trials)
{
    const struct gannet_problem problem = {.objectives = 2};
    ranking_sort(trials->pointers, trials->count, &problem, trials->order);
}

/* How lonely a trial is on its front, which is gathered anew. */
static double distance_of(const struct trials *trials, const uint32_t *ranks, uint32_t trial)
{
    double *front = MEM_ARRAY(double, 2 * (size_t)trials->count), *distances = MEM_ARRAY(double, trials->count);
    uint32_t count = 0, its = 0;
    for (uint32_t i = 0; i < trials->count; i++)
        if (ranks[i] == ranks[trial]) {
            its = i == trial ? count : its;
            memcpy(front + 2 * (size_t)count++, trials->losses + 2 * (size_t)i, 2 * sizeof *front);
        }
    front_crowding(front, count, 2, distances);
    double distance = distances[its];
    free(front);
    free(distances);
    return distance;
}

static void a_better_front_comes_first_and_on_one_the_least_crowded(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct rng rng = rng_make(seed, "ranking", 0);
        struct trials trials;
        trials_init(&trials, 1 + (uint32_t)rng_below(&rng, 60));
        for (uint32_t i = 0; i < 2 * trials.count; i++)
            trials.losses[i] = (double)rng_below(&rng, 12);
        uint32_t *ranks = MEM_ARRAY(uint32_t, trials.count);
        front_rank(trials.losses, trials.count, 2, ranks);
        sort(&trials);
        for (uint32_t i = 1; i < trials.count; i++) {
            uint32_t before = trials.order[i - 1].index, here = trials.order[i].index;
            assert_true(ranks[before] <= ranks[here]);
            if (ranks[before] == ranks[here])
                assert_true(distance_of(&trials, ranks, before) >= distance_of(&trials, ranks, here));
        }
        free(ranks);
        trials_fini(&trials);
    }
}

/* --- what a long history costs --- */

enum { MANY = 20000 };

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The least of a few tries: seconds for the order of many trials whose second loss is `sign` times the first. */
static double seconds_to_sort(double sign)
{
    struct trials trials;
    double least = INFINITY;
    trials_init(&trials, MANY);
    for (uint32_t i = 0; i < trials.count; i++) {
        trials.losses[2 * i] = i * 7919 % MANY;
        trials.losses[2 * i + 1] = sign * trials.losses[2 * i];
    }
    for (int tries = 0; tries < 3; tries++) {
        double begin = processor_seconds();
        sort(&trials);
        least = fmin(least, processor_seconds() - begin);
    }
    trials_fini(&trials);
    return least;
}

/* Where the objectives agree every trial is a front of its own; where they are opposed there is one. */
static void as_many_fronts_as_trials_cost_no_more_than_one(void **state)
{
    (void)state;
    double one = seconds_to_sort(-1), many = seconds_to_sort(1);
    if (many > 3 * one)
        fail_msg("%g s with one front, %g s with %d", one, many, MANY);
}

static void a_front_of_all_trials_is_found_as_fast_as_it_is_sorted(void **state)
{
    (void)state;
    struct trials trials;
    trials_init(&trials, MANY);
    size_t *index = MEM_ARRAY(size_t, MANY);
    for (uint32_t i = 0; i < trials.count; i++) {
        trials.losses[2 * i] = i;
        trials.losses[2 * i + 1] = -(double)i;
    }
    double begin = processor_seconds();
    assert_int_equal(front_first(trials.losses, MANY, 2, index), MANY);
    double found = processor_seconds() - begin, sorted = seconds_to_sort(-1);
    if (found > 3 * sorted)
        fail_msg("%g s for the front, %g s for the order", found, sorted);
    free(index);
    trials_fini(&trials);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_better_front_comes_first_and_on_one_the_least_crowded),
        cmocka_unit_test(as_many_fronts_as_trials_cost_no_more_than_one),
        cmocka_unit_test(a_front_of_all_trials_is_found_as_fast_as_it_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
