/* The coordinator's core in a rough world, many times over: 400 seeds with a model of the store and 400 with the real
 * one; tests/sim/run tries as many as somebody has time for. A broken promise is shown with the command that repeats
 * it, in the smallest world in which it breaks.
 *
 *     t_sim                          the tests
 *     t_sim FIRST COUNT [WISH...]    these seeds, and what came of them in a line: tests/sim/run
 *
 * WISH: store (or model), trials=N, workers=N, faults=N (at most), without=TROUBLE,... (SIM_TROUBLES in sim.h), trace
 */
#include "tests/sim/sim.h"

#include <malloc.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* 3 ms and 8 to 11 ms of processor time each, several times as much with a sanitizer. */
#ifdef GANNET_SANITIZED
enum { MODEL_SEEDS = 400, STORE_SEEDS = 100 };
#else
enum { MODEL_SEEDS = 400, STORE_SEEDS = 400 };
#endif

/* What came of many seeds. */
struct sum {
    uint64_t seeds, broken, trials, starts, cuts;
};

static void show_broken(uint64_t seed, struct sim_options options, struct sim_outcome outcome)
{
    struct buf words = {0};
    print_message("# %s\n", outcome.why);
    if (!options.trace) {
        sim_shrink(seed, &options, &outcome);
        sim_options_print(&options, &words);
        print_message("# smaller: %s\n# again: build/tests/sim/t_sim %llu 1 %s trace\n", outcome.why,
                      (unsigned long long)seed, buf_str(&words));
    }
    buf_fini(&words);
}

static void try_seeds(uint64_t first, uint64_t count, const struct sim_options *options, struct sum *sum)
{
    enum { MOST_BROKEN = 10 };
    for (uint64_t seed = first; seed < first + count && sum->broken < MOST_BROKEN; seed++) {
        struct sim_outcome outcome;
        int broken = sim_run(seed, options, &outcome);
        sum->seeds++;
        sum->trials += outcome.trials;
        sum->starts += outcome.starts;
        sum->cuts += outcome.cuts;
        if (!broken)
            continue;
        sum->broken++;
        show_broken(seed, *options, outcome);
    }
}

static void every_promise_is_kept_in_every_world(void **state)
{
    struct sum sum = {0};
    (void)state;
    try_seeds(1, MODEL_SEEDS, &(struct sim_options){0}, &sum);
    assert_int_equal(sum.broken, 0);
}

static void every_promise_is_kept_by_the_store_on_a_disk_that_loses_power(void **state)
{
    struct sum sum = {0};
    (void)state;
    try_seeds(1, STORE_SEEDS, &(struct sim_options){.store = true}, &sum);
    assert_int_equal(sum.broken, 0);
    assert_true(sum.cuts > STORE_SEEDS);
}

/* Each broke a promise once; what it showed is in docs/track-record.md. */
static void what_broke_once_is_kept(void **state)
{
    static const uint64_t seeds[] = {212, 856, 2500, 34453, 323367, 1051068, 1928273};
    struct sum sum = {0};
    (void)state;
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        try_seeds(seeds[i], 1, &(struct sim_options){.store = true}, &sum);
    assert_int_equal(sum.broken, 0);
}

static void the_same_seed_is_the_same_world(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct sim_options options = {.store = seed % 2};
        struct sim_outcome one, two;
        sim_run(seed, &options, &one);
        sim_run(seed, &options, &two);
        assert_int_equal(one.hash, two.hash);
    }
}

/* Jobs that end in the middle of runs, a queue that does not fit into them, workers that die in heaps. */
static void an_input_costs_the_same_with_very_many_workers(void **state)
{
    (void)state;
    static const uint32_t crowds[] = {1000, 10000};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        struct sim_outcome outcome;
        if (sim_run_crowd(1, crowds[i], &outcome))
            fail_msg("%u workers: %s", crowds[i], outcome.why);
    }
}

static int try_options(int argc, char **argv)
{
    struct sim_options options = {0};
    struct sum sum = {0};
    for (int i = 3; i < argc; i++)
        if (sim_options_read(&options, argv[i])) {
            print_message("'%s' is no option; t_sim.c has them\n", argv[i]);
            return 2;
        }
    try_seeds(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), &options, &sum);
    print_message("%llu seeds, %llu broken, %llu trials, %llu sessions, %llu cuts\n", (unsigned long long)sum.seeds,
                  (unsigned long long)sum.broken, (unsigned long long)sum.trials, (unsigned long long)sum.starts,
                  (unsigned long long)sum.cuts);
    return sum.broken != 0;
}

/* Files and connections of some hundred KiB come and go with every start: their pages need not. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 28);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
}

int main(int argc, char **argv)
{
    keep_memory();
    if (argc > 2)
        return try_options(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_promise_is_kept_in_every_world),
        cmocka_unit_test(every_promise_is_kept_by_the_store_on_a_disk_that_loses_power),
        cmocka_unit_test(what_broke_once_is_kept),
        cmocka_unit_test(the_same_seed_is_the_same_world),
        cmocka_unit_test(an_input_costs_the_same_with_very_many_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
