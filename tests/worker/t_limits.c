/* What cores can do at most: measured, kept, raised. No test knows what this machine can do. */
#include "worker/limits/disk.h"
#include "worker/limits/roofs.h"
#include "worker/limits/limits_watch.h"
#include "tests/claims.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>
#include <stdio.h>
#include <sys/stat.h>

static int enter(void **state)
{
    int failed = enter_scratch(state);
    setenv("XDG_CACHE_HOME", path_in(state, "cache"), 1);
    return failed;
}

static void what_is_measured_is_a_number_or_unknown(void **state)
{
    (void)state;
    struct limits limits;
    struct err err;
    assert_int_equal(limits_measure(2, &limits, &err), 0);
    assert_int_equal(limits.threads, 2);
    assert_true(isnan(limits.flops) || limits.flops > 1e8);
    assert_true(isnan(limits.flops_bf16) || limits.flops_bf16 > 1e8);
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        assert_true(limits.bandwidth[i] > 1e7);
}

static void no_threads_and_too_many_are_refused(void **state)
{
    (void)state;
    struct limits limits;
    struct err err;
    assert_int_equal(limits_measure(0, &limits, &err), -1);
    assert_has(err.text, "1 to 256 threads, not of 0");
    assert_int_equal(limits_measure(LIMITS_THREADS_MOST + 1, &limits, &err), -1);
}

static struct limits made_up(int threads)
{
    struct limits limits = limits_unknown(threads);
    limits.flops = 80e9;
    limits.bandwidth[LIMITS_MEMORY] = 12.5e9;
    limits.load = 0.25;
    return limits;
}

static void what_is_kept_is_found_again(void **state)
{
    (void)state;
    struct limits limits = made_up(2), found;
    struct err err;
    assert_false(limits_load(2, &found));
    assert_true(isnan(found.flops));
    if (limits_keep(&limits, &err))
        fail_msg("%s", err.text);
    assert_true(limits_load(2, &found));
    assert_true(found.flops == 80e9 && found.bandwidth[LIMITS_MEMORY] == 12.5e9 && found.load == 0.25);
    assert_true(isnan(found.flops_bf16) && isnan(found.bandwidth[LIMITS_L1]));
    assert_false(limits_load(3, &found)); /* of another number of threads nothing is known */
}

static void a_limit_is_raised_and_never_lowered(void **state)
{
    (void)state;
    struct limits limits = made_up(1), more = limits_unknown(1);
    more.flops = 70e9;
    more.flops_bf16 = 160e9;
    more.load = 3;
    limits_raise(&limits, &more);
    assert_true(limits.flops == 80e9 && limits.flops_bf16 == 160e9 && limits.load == 0.25);
    assert_true(isnan(limits.bandwidth[LIMITS_L1]));
}

static bool work_on(struct limits_watch *watch, double seconds, uint64_t room)
{
    return limits_watch_worked(watch, seconds) && limits_watch_measure(watch, room);
}

static void a_process_measures_when_it_has_worked_long_enough(void **state)
{
    (void)state;
    struct limits_watch watch, other;
    struct limits found;
    limits_watch_open(&watch, 1);
    assert_false(watch.known);
    assert_false(work_on(&watch, 29, UINT64_MAX));
    assert_false(work_on(&watch, 2, 1 << 20)); /* where there is no room */
    assert_true(work_on(&watch, 0, UINT64_MAX));
    assert_true(watch.known && limits_load(1, &found));
    assert_false(work_on(&watch, 1000, UINT64_MAX)); /* once */
    limits_watch_open(&other, 1);
    assert_true(other.known); /* and for all */
}

static void only_products_say_that_a_limit_is_too_low(void **state)
{
    (void)state;
    struct operation_count operations[OPERATIONS_COUNT] = {[OPERATION_dense] = {.calls = 1, .flops = 80e9}};
    assert_true(roofs_products(operations, 2) == 40e9);
    assert_true(roofs_products(operations, 0.5) == 0); /* too short to say */
    operations[OPERATION_conv].flops = 80e9;
    assert_true(roofs_products(operations, 2) == 0);
    operations[OPERATION_conv].flops = 0;
    operations[OPERATION_dense].flops_bf16 = 40e9;
    assert_true(roofs_products(operations, 2) == 0);
}

static void a_run_that_beats_a_limit_raises_it(void **state)
{
    (void)state;
    struct limits_watch watch;
    struct limits low = made_up(1), found;
    struct err err;
    low.flops = 1e9;
    assert_int_equal(limits_keep(&low, &err), 0);
    limits_watch_open(&watch, 1);
    assert_false(limits_watch_beaten(&watch, 0.9e9));
    assert_false(limits_watch_beaten(&watch, NAN) || limits_watch_beaten(&watch, INFINITY));
    assert_true(limits_watch_beaten(&watch, 2e9) && watch.limits.flops == 2e9);
    assert_true(limits_load(1, &found) && found.flops == 2e9 && found.bandwidth[LIMITS_MEMORY] == 12.5e9);
    limits_watch_open(&watch, 3);
    assert_false(limits_watch_beaten(&watch, 2e9)); /* of which nothing was measured */
}

/* Two threads that share a core can do less. */
static void what_was_measured_on_other_cores_is_not_known(void **state)
{
    (void)state;
    struct limits limits = made_up(2), found;
    struct err err;
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) || CPU_COUNT(&all) < 2)
        skip();
    assert_int_equal(limits_keep(&limits, &err), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; !CPU_COUNT(&one); i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    bool known = limits_load(2, &found);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_false(known);
    assert_true(limits_load(2, &found));
}

static void one_process_measures_at_a_time(void **state)
{
    (void)state;
    struct limits_watch watch;
    int lock = limits_lock();
    assert_true(lock >= 0);
    assert_int_equal(limits_lock(), -1);
    limits_watch_open(&watch, 1);
    assert_false(work_on(&watch, 1000, UINT64_MAX));
    close(lock);
    assert_false(watch.known);
    assert_true(work_on(&watch, 1000, UINT64_MAX)); /* it looks again */
}

static void what_is_small_comes_from_a_cache(void **state)
{
    (void)state;
    struct limits limits = limits_unknown(1);
    for (int i = 0; i < LIMITS_LEVEL_COUNT; i++)
        limits.bandwidth[i] = i + 1;
    assert_true(limits_bandwidth_for(&limits, 1000) == 1);
    assert_true(limits_bandwidth_for(&limits, 1e12) == LIMITS_LEVEL_COUNT);
    assert_true(limits_bandwidth_for(&limits, 8e6) > 1);
}

static void roofs_are_those_of_the_operations(void **state)
{
    (void)state;
    struct limits limits = made_up(1);
    struct operation_count operations[OPERATIONS_COUNT] = {
        [OPERATION_dense] = {.calls = 1, .flops = 80e9, .bytes = 12.5e9},
        [OPERATION_conv] = {.calls = 1, .flops = 160e9, .flops_bf16 = 160e9, .bytes = 12.5e9}};
    assert_true(isnan(roofs_of(&limits, operations).flops)); /* the peak of bf16 is not known */
    limits.flops_bf16 = 160e9;
    struct roofs roofs = roofs_of(&limits, operations);
    assert_true(fabs(roofs.flops - 120e9) < 1 && fabs(roofs.bytes - 12.5e9) < 1);
    operations[OPERATION_conv] = (struct operation_count){.calls = 1000, .flops = 1, .bytes = 1e6};
    assert_true(isnan(roofs_of(&limits, operations).bytes)); /* that of the first cache is not known */
    operations[OPERATION_conv] = operations[OPERATION_dense] = (struct operation_count){.calls = 0};
    assert_true(isnan(roofs_of(&limits, operations).flops) && isnan(roofs_of(&limits, operations).bytes));
}

static void sums_take_at_least_what_was_measured(void **state)
{
    (void)state;
    struct limits limits = made_up(2), more = limits_unknown(2), found;
    struct err err;
    assert_true(isnan(limits_allreduce_least(&limits, 1, 1)));
    limits.allreduce = 4e9;
    limits.allreduce_seconds = 2e-6;
    assert_true(fabs(limits_allreduce_least(&limits, 1000, 8e9) - 2.002) < 1e-9);
    more.allreduce = 3e9;
    more.allreduce_seconds = 1e-6;
    limits_raise(&limits, &more);
    assert_true(limits.allreduce == 4e9 && limits.allreduce_seconds == 1e-6); /* the better of each */
    assert_int_equal(limits_keep(&limits, &err), 0);
    assert_true(limits_load(2, &found) && found.allreduce == 4e9 && found.allreduce_seconds == 1e-6);
    assert_false(limits_load_on(1, 2, &found)); /* ranks that share a core */
}

static void a_disk_is_measured_and_kept_by_its_place(void **state)
{
    struct disk_limits disk, found, better = {1e17, 1e17};
    struct err err;
    const char *directory = path_in(state, ".");
    char *place = disk_place(directory), *inner = disk_place(path_in(state, "missing/inner"));
    if (disk_measure(directory, &disk, &err))
        fail_msg("%s", err.text);
    assert_true(disk.write > 1e3 && (isnan(disk.read) || disk.read > 1e3));
    assert_non_null(place);
    assert_has(place, " on /");
    assert_null(inner); /* what is not there lies nowhere */
    assert_false(disk_load(directory, &found));
    assert_int_equal(disk_keep(directory, &disk, &err), 0);
    assert_true(disk_load(directory, &found) && fabs(found.write / disk.write - 1) < 1e-9);
    assert_true(isnan(found.read) == isnan(disk.read));
    disk_raise(&found, &better);
    assert_true(found.write == 1e17 && found.read == 1e17);
    free(place);
}

static void a_disk_that_can_not_be_measured_is_said(void **state)
{
    struct disk_limits disk;
    struct err err;
    assert_int_equal(disk_measure(path_in(state, "missing"), &disk, &err), -1);
    assert_has(err.text, "can't make a file in ");
    assert_true(isnan(disk.write) && isnan(disk.read));
    assert_int_equal(disk_keep(path_in(state, "missing"), &disk, &err), -1);
    assert_has(err.text, "does not say which file system");
}

/* Spoils the one file that is kept. */
static void spoil(void *const *state, const char *text)
{
    char command[512];
    snprintf(command, sizeof command, "for f in '%s'/gannet/limits/*; do printf '%%s' '%s' >\"$f\"; done",
             path_in(state, "cache"), text);
    assert_int_equal(system(command), 0);
}

static void a_file_that_is_none_of_ours_is_not_believed(void **state)
{
    struct limits limits = made_up(1), found;
    struct err err;
    static const char *const texts[] = {"", "{", "[]", "{\"of\": 3}", "{\"of\": \"another machine\", \"flops\": 1e9}"};
    assert_int_equal(limits_keep(&limits, &err), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        spoil(state, texts[i]);
        assert_false(limits_load(1, &found));
        assert_true(isnan(found.flops));
    }
}

static void without_a_home_nothing_is_kept(void **state)
{
    struct limits limits = made_up(1);
    struct err err;
    setenv("XDG_CACHE_HOME", path_in(state, "file"), 1);
    write_file(path_in(state, "file"), "", 0600);
    assert_int_equal(limits_keep(&limits, &err), -1);
    assert_has(err.text, "/file/gannet/limits/");
    setenv("XDG_CACHE_HOME", "relative", 1);
    unsetenv("HOME");
    assert_int_equal(limits_keep(&limits, &err), -1);
    assert_has(err.text, "neither XDG_CACHE_HOME nor HOME");
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter, leave_scratch)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_measured_is_a_number_or_unknown),
        cmocka_unit_test(no_threads_and_too_many_are_refused),
        IN_SCRATCH(what_is_kept_is_found_again),
        cmocka_unit_test(what_is_small_comes_from_a_cache),
        cmocka_unit_test(roofs_are_those_of_the_operations),
        cmocka_unit_test(a_limit_is_raised_and_never_lowered),
        IN_SCRATCH(a_file_that_is_none_of_ours_is_not_believed),
        IN_SCRATCH(a_process_measures_when_it_has_worked_long_enough),
        cmocka_unit_test(only_products_say_that_a_limit_is_too_low),
        IN_SCRATCH(a_run_that_beats_a_limit_raises_it),
        IN_SCRATCH(what_was_measured_on_other_cores_is_not_known),
        IN_SCRATCH(one_process_measures_at_a_time),
        IN_SCRATCH(without_a_home_nothing_is_kept),
        IN_SCRATCH(sums_take_at_least_what_was_measured),
        IN_SCRATCH(a_disk_is_measured_and_kept_by_its_place),
        IN_SCRATCH(a_disk_that_can_not_be_measured_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
