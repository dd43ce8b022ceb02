/* What a trainer says of the limits of its ranks and disks: by what was kept of as many, and of where its files lie. */
#include "tests/claims.h"
#include "worker/limits/disk.h"
#include "worker/trainer/calibrate.h"
#include "worker/trainer/seat.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

static int enter(void **state)
{
    int failed = enter_scratch(state);
    setenv("XDG_CACHE_HOME", path_in(state, "cache"), 1);
    return failed;
}

/* Of 10 sums of 4 MB each. */
static struct run_counters note(double seconds, uint32_t ranks, const char *data, const char *checkpoint)
{
    struct trainer_process process = {0};
    struct seat seat = {.process = &process};
    struct run_counters counters;
    json_t *options = json_pack("{s:s}", "data", data);
    seat.kernel_task = (struct kernel_task){.options = options, .base = "/"};
    seat.training.plan.checkpoint = checkpoint;
    seat.training.report.operations[OPERATION_allreduce] = (struct operation_count){.calls = 10, .bytes = 4e7};
    run_counters_clear(&counters);
    seat_note_limits(&seat, seconds, ranks, &counters);
    json_decref(options);
    return counters;
}

static void keep_sums(int ranks)
{
    struct limits limits = limits_unknown(ranks);
    struct err err;
    limits.allreduce = 4e9;
    limits.allreduce_seconds = 1e-3;
    assert_int_equal(limits_keep(&limits, &err), 0);
}

static void sums_are_judged_by_as_many_ranks(void **state)
{
    (void)state;
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) < 2)
        skip_because("two ranks need two cores");
    assert_true(isnan(note(5, 2, "generate:shapes", NULL).values[COUNT_ALLREDUCE_LEAST]));
    keep_sums(2);
    assert_true(fabs(note(5, 2, "generate:shapes", NULL).values[COUNT_ALLREDUCE_LEAST] - 0.02) < 1e-9);
    assert_true(isnan(note(5, 3, "generate:shapes", NULL).values[COUNT_ALLREDUCE_LEAST]));
    assert_true(isnan(note(5, 0, "generate:shapes", NULL).values[COUNT_ALLREDUCE_LEAST]));   /* on several nodes */
    assert_true(isnan(note(0.5, 2, "generate:shapes", NULL).values[COUNT_ALLREDUCE_LEAST])); /* not worth the reading */
}

static void disks_are_those_of_the_data_and_of_the_checkpoints(void **state)
{
    struct disk_limits disk = {.write = 2e8, .read = 5e8};
    struct err err;
    write_file(path_in(state, "data.csv"), "1,2\n", 0600);
    const char *data = path_in(state, "data.csv"), *checkpoint = path_in(state, "1.ckpt");
    assert_true(isnan(note(5, 0, data, checkpoint).values[COUNT_DISK_WRITE_LIMIT]));
    assert_int_equal(disk_keep(path_in(state, "."), &disk, &err), 0);
    struct run_counters counters = note(5, 0, data, checkpoint);
    assert_true(counters.values[COUNT_DISK_WRITE_LIMIT] == 2e8 && counters.values[COUNT_DISK_READ_LIMIT] == 5e8);
    counters = note(5, 0, "generate:shapes", "");
    assert_true(isnan(counters.values[COUNT_DISK_WRITE_LIMIT]) && isnan(counters.values[COUNT_DISK_READ_LIMIT]));
}

static void sums_over_ranks_are_measured(void **state)
{
    (void)state;
    struct err err;
    for (uint32_t ranks = 2; ranks <= 3; ranks++) {
        struct limits limits = limits_unknown((int)ranks);
        if (calibrate_sums(ranks, &limits, &err))
            fail_msg("%s", err.text);
        assert_true(limits.allreduce > 1e3 && isfinite(limits.allreduce));
        assert_true(limits.allreduce_seconds > 0 && isfinite(limits.allreduce_seconds));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_are_judged_by_as_many_ranks, enter, leave_scratch),
        cmocka_unit_test_setup_teardown(disks_are_those_of_the_data_and_of_the_checkpoints, enter, leave_scratch),
        cmocka_unit_test(sums_over_ranks_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
