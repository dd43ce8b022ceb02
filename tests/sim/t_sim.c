/* The coordinator's core in a rough world, many times over: `t_sim` runs 1,000 seeds, `t_sim FIRST COUNT` others. A
 * broken promise prints its seed; `t_sim SEED 1 trace` shows what
 * happened. */
#include "tests/sim/sim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static uint64_t first_seed = 1, seed_count = 1000;
static bool trace;

static void every_promise_is_kept_in_every_world(void **state)
{
    (void)state;
    unsigned broken = 0;
    for (uint64_t seed = first_seed; seed < first_seed + seed_count; seed++) {
        char why[512];
        uint64_t hash;
        if (sim_run(seed, trace, why, sizeof why, &hash) == 0)
            continue;
        print_message("# %s\n", why);
        if (++broken == 10)
            break;
    }
    assert_int_equal(broken, 0);
}

static void the_same_seed_is_the_same_world(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed; seed < first_seed + 10; seed++) {
        char why[512];
        uint64_t one, two;
        sim_run(seed, trace, why, sizeof why, &one);
        sim_run(seed, trace, why, sizeof why, &two);
        assert_int_equal(one, two);
    }
}

/* Jobs that end in the middle of runs, a queue that does not fit into them, workers that die in heaps. */
static void an_input_costs_the_same_with_very_many_workers(void **state)
{
    (void)state;
    static const uint32_t crowds[] = {1000, 10000};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; i++) {
        char why[512];
        if (sim_run_crowd(first_seed, crowds[i], why, sizeof why))
            fail_msg("%u workers: %s", crowds[i], why);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        seed_count = strtoull(argv[2], NULL, 10);
    trace = argc > 3;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_promise_is_kept_in_every_world),
        cmocka_unit_test(the_same_seed_is_the_same_world),
        cmocka_unit_test(an_input_costs_the_same_with_very_many_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
