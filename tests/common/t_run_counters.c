/* The counters of runs: their table and their sums. */
#include "common/run_counters.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

static void numbers_never_change(void **state)
{
    (void)state;
    static const char *const names[] = {"user",
                                        "system",
                                        "voluntary_switches",
                                        "involuntary_switches",
                                        "minor_faults",
                                        "major_faults",
                                        "disk_read",
                                        "disk_written",
                                        "read",
                                        "written",
                                        "queue_wait",
                                        "migrations",
                                        "swapped",
                                        "node_cpu_stall",
                                        "node_memory_stall",
                                        "node_io_stall",
                                        "node_steal",
                                        "node_swap_in",
                                        "node_swap_out",
                                        "cores",
                                        "flops_limit",
                                        "bytes_limit",
                                        "cycles",
                                        "instructions",
                                        "branches",
                                        "branch_misses",
                                        "cache_references",
                                        "cache_misses",
                                        "fp_scalar",
                                        "fp_128",
                                        "fp_256",
                                        "fp_512",
                                        "fp_operations",
                                        "memory_reads",
                                        "memory_reads_remote",
                                        "counted_share",
                                        "slowest_rank",
                                        "mean_rank",
                                        "energy_processors",
                                        "energy_memory",
                                        "energy_gpus",
                                        "frequency",
                                        "frequency_base",
                                        "throttled_heat",
                                        "node_memory_local",
                                        "node_memory_remote",
                                        "group_throttled",
                                        "group_throttles",
                                        "group_memory_high",
                                        "group_memory_max",
                                        "group_oom",
                                        "group_memory_peak",
                                        "group_cpu_stall",
                                        "group_memory_stall",
                                        "group_io_stall",
                                        "gpu_use",
                                        "gpu_memory",
                                        "gpu_power",
                                        "gpu_clock",
                                        "gpu_clock_most",
                                        "gpu_throttled_heat",
                                        "gpu_throttled_power",
                                        "allreduce_least",
                                        "disk_write_limit",
                                        "disk_read_limit"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(run_counter_name(i), names[i]);
}

static void every_counter_has_a_name_of_its_own_and_a_unit(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++) {
        assert_int_equal(run_counter_named(run_counter_name(i)), i);
        assert_true(*run_counter_unit(i) && *run_counter_help(i) && run_counter_scale(i) >= 1);
    }
    assert_int_equal(run_counter_named("joy"), -1);
}

static void what_is_unknown_is_never_zero(void **state)
{
    (void)state;
    struct run_counters sum, more, since;
    run_counters_clear(&sum);
    run_counters_clear(&more);
    assert_false(run_counters_any(&sum));
    run_counters_merge(&sum, &more);
    assert_false(run_counters_any(&sum));
    more.values[COUNT_USER] = 0;
    run_counters_since(&sum, &more, &since);
    assert_true(isnan(since.values[COUNT_USER]));
    run_counters_merge(&sum, &more);
    assert_true(sum.values[COUNT_USER] == 0 && isnan(sum.values[COUNT_SYSTEM]));
    more.values[COUNT_USER] = NAN;
    run_counters_add(&sum, &more); /* one of several that ran together did not say */
    assert_true(isnan(sum.values[COUNT_USER]));
}

static void sums_follow_the_table(void **state)
{
    (void)state;
    struct run_counters sum, more, since;
    run_counters_clear(&sum);
    run_counters_clear(&more);
    sum.values[COUNT_USER] = 2;
    more.values[COUNT_USER] = 1.5;
    sum.values[COUNT_SWAPPED] = 4096;
    more.values[COUNT_SWAPPED] = 8192;
    run_counters_since(&sum, &more, &since);
    assert_true(since.values[COUNT_USER] == 0 && since.values[COUNT_SWAPPED] == 8192); /* nothing goes down */
    run_counters_merge(&sum, &more);
    assert_true(sum.values[COUNT_USER] == 3.5 && sum.values[COUNT_SWAPPED] == 8192);
}

static void joules_are_the_sum_of_the_parts_that_are_known(void **state)
{
    (void)state;
    struct run_counters counters;
    run_counters_clear(&counters);
    assert_true(isnan(run_counters_energy(&counters)));
    counters.values[COUNT_ENERGY_GPUS] = 5;
    assert_true(run_counters_energy(&counters) == 5);
    counters.values[COUNT_ENERGY_PROCESSORS] = 2.25;
    counters.values[COUNT_ENERGY_MEMORY] = -1;
    assert_true(run_counters_energy(&counters) == 7.25);
}

static void what_can_not_be_is_not_sane(void **state)
{
    (void)state;
    assert_true(run_counter_is_sane(COUNT_USER, 0) && run_counter_is_sane(COUNT_USER, 9e9));
    assert_false(run_counter_is_sane(COUNT_USER, -1e-9));
    assert_false(run_counter_is_sane(COUNT_USER, 1e10)); /* 1e16 microseconds */
    assert_false(run_counter_is_sane(COUNT_READ, 0x1p54));
    assert_false(run_counter_is_sane(COUNT_READ, NAN));
    assert_false(run_counter_is_sane(COUNT_READ, INFINITY));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_never_change),
        cmocka_unit_test(every_counter_has_a_name_of_its_own_and_a_unit),
        cmocka_unit_test(what_is_unknown_is_never_zero),
        cmocka_unit_test(sums_follow_the_table),
        cmocka_unit_test(joules_are_the_sum_of_the_parts_that_are_known),
        cmocka_unit_test(what_can_not_be_is_not_sane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
