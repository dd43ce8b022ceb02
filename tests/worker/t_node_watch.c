/* What is counted of the node around a run - joules, the control group, clocks - as it is read from recorded files of
 * /proc, /sys and control groups. */
#include "common/path.h"
#include "tests/claims.h"
#include "tests/scratch.h"
#include "worker/profile/energy.h"
#include "worker/profile/frequency.h"
#include "worker/profile/group.h"
#include "worker/profile/node.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void the_node_is_not_asked_again_at_once(void **state)
{
    const char *proc = *state;
    struct node_watch watch = {.proc = proc, .sys = proc};
    scratch_change(proc, "pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=1000000\n");
    assert_true(node_watch_read(&watch, 0)->counters.values[COUNT_NODE_CPU_STALL] == 1);
    scratch_change(proc, "pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=2000000\n");
    assert_true(node_watch_read(&watch, watch.at)->counters.values[COUNT_NODE_CPU_STALL] == 1);
    assert_true(node_watch_read(&watch, watch.at + 3600)->counters.values[COUNT_NODE_CPU_STALL] == 2);
    node_watch_close(&watch);
}

/* --- joules --- */

static void make_zone(const char *sys, const char *zone, const char *name, const char *joules, const char *range)
{
    char path[200];
    snprintf(path, sizeof path, "class/powercap/%s/name", zone);
    scratch_change(sys, path, name);
    snprintf(path, sizeof path, "class/powercap/%s/energy_uj", zone);
    scratch_change(sys, path, joules);
    snprintf(path, sizeof path, "class/powercap/%s/max_energy_range_uj", zone);
    scratch_change(sys, path, range);
}

/* Two processors of a server: each a package with its memory; what lies within, beside and around them is not added. */
static void make_server(const char *sys)
{
    make_zone(sys, "intel-rapl:0", "package-0\n", "1000000\n", "262143328850\n");
    make_zone(sys, "intel-rapl:0:0", "dram\n", "500000\n", "65712999613\n");
    make_zone(sys, "intel-rapl:0:1", "core\n", "900000\n", "262143328850\n");
    make_zone(sys, "intel-rapl:1", "package-1\n", "262143000000\n", "262143328850\n");
    make_zone(sys, "intel-rapl:2", "psys\n", "7\n", "262143328850\n");
    make_zone(sys, "intel-rapl-mmio:0", "package-0\n", "1000000\n", "262143328850\n");
    scratch_change(sys, "class/powercap/intel-rapl/enabled", "1\n");
}

static void joules_of_packages_and_memory_are_added(void **state)
{
    const char *sys = *state;
    struct energy_watch watch = {0};
    make_server(sys);
    energy_read(&watch, sys);
    assert_true(watch.processors == 0 && watch.memory == 0);
    scratch_change(sys, "class/powercap/intel-rapl:0/energy_uj", "4000000\n");
    scratch_change(sys, "class/powercap/intel-rapl:0:0/energy_uj", "1500000\n");
    energy_read(&watch, sys);
    assert_true(fabs(watch.processors - 3) < 1e-9 && fabs(watch.memory - 1) < 1e-9);
    energy_close(&watch);
}

static void a_counter_that_began_anew_goes_on(void **state)
{
    const char *sys = *state;
    struct energy_watch watch = {0};
    make_server(sys);
    energy_read(&watch, sys);
    scratch_change(sys, "class/powercap/intel-rapl:1/energy_uj", "671150\n"); /* a joule further */
    energy_read(&watch, sys);
    assert_true(fabs(watch.processors - 1) < 1e-6);
    energy_close(&watch);
    make_zone(sys, "intel-rapl:1", "package-1\n", "9\n", ""); /* a range that is not said */
    energy_read(&watch, sys);
    scratch_change(sys, "class/powercap/intel-rapl:1/energy_uj", "5\n");
    energy_read(&watch, sys);
    assert_true(isnan(watch.processors) && watch.memory == 0);
    energy_close(&watch);
}

static void joules_that_can_not_be_read_are_unknown_with_the_reason(void **state)
{
    const char *sys = *state;
    char why[300];
    struct energy_watch watch = {0};
    energy_read(&watch, sys); /* a virtual machine */
    assert_true(isnan(watch.processors) && isnan(watch.memory));
    energy_why(&watch, sys, false, why, sizeof why);
    assert_has(why, "has no intel-rapl zone");
    energy_close(&watch);
    make_zone(sys, "intel-rapl:0", "package-0\n", "12\n", "100\n");
    make_zone(sys, "intel-rapl:1", "package-1\n", "nonsense\n", "100\n");
    energy_read(&watch, sys); /* one of two is half of the truth */
    assert_true(isnan(watch.processors));
    energy_why(&watch, sys, false, why, sizeof why);
    assert_has(why, "intel-rapl:1/energy_uj can't be read here: it has no number");
    energy_why(&watch, sys, true, why, sizeof why);
    assert_has(why, "has no dram");
    energy_close(&watch);
}

static void open_directories(const char *sys)
{
    static const char *const names[] = {"class", "class/powercap", "class/powercap/intel-rapl:0",
                                        "class/powercap/intel-rapl:0/name"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *path = path_join(sys, names[i]);
        assert_int_equal(chmod(path, 0755), 0);
        free(path);
    }
}

/* As since Linux 5.10. Root may read whatever its mode is, so the reading is another user's. */
static void where_only_root_may_read_joules_it_is_said_what_to_do(void **state)
{
    enum { NOBODY = 65534 };
    const char *sys = *state;
    char why[300];
    struct energy_watch watch = {0};
    make_zone(sys, "intel-rapl:0", "package-0\n", "12\n", "100\n");
    char *path = path_join(sys, "class/powercap/intel-rapl:0/energy_uj");
    assert_int_equal(chmod(path, 0) || chmod(sys, 0755), 0);
    open_directories(sys);
    uid_t own = geteuid();
    assert_int_equal(own == 0 ? seteuid(NOBODY) : 0, 0);
    bool is_closed = faccessat(AT_FDCWD, sys, X_OK, AT_EACCESS) != 0; /* by a directory above */
    energy_read(&watch, sys);
    assert_int_equal(seteuid(own), 0);
    free(path);
    if (is_closed) {
        energy_close(&watch);
        skip();
    }
    assert_true(isnan(watch.processors));
    energy_why(&watch, sys, false, why, sizeof why);
    assert_has(why, "Permission denied; since Linux 5.10 only root may read it: docs/admin.md");
    energy_close(&watch);
}

static struct node_reading read_joules(double joules, double busy)
{
    struct node_reading reading = {.busy = busy};
    run_counters_clear(&reading.counters);
    reading.counters.values[COUNT_ENERGY_PROCESSORS] = joules;
    reading.counters.values[COUNT_NODE_STEAL] = busy / 10;
    return reading;
}

static void joules_are_shared_by_processor_time(void **state)
{
    (void)state;
    struct node_reading before = read_joules(100, 50), after = read_joules(180, 90);
    struct run_counters since;
    node_since(&before, &after, 10, &since); /* 10 of the 40 seconds that cores worked: a quarter of 80 joules */
    assert_true(since.values[COUNT_ENERGY_PROCESSORS] == 20 && isnan(since.values[COUNT_ENERGY_MEMORY]));
    assert_true(since.values[COUNT_NODE_STEAL] == 4);
    node_since(&before, &after, 41, &since); /* clocks differ a little: never more than all */
    assert_true(since.values[COUNT_ENERGY_PROCESSORS] == 80);
    after.busy = NAN;
    node_since(&before, &after, 10, &since);
    assert_true(isnan(since.values[COUNT_ENERGY_PROCESSORS]) && isnan(since.values[COUNT_NODE_STEAL]) == 0);
    assert_true(isnan(run_counters_energy(&since)));
}

static void the_time_that_cores_work_is_that_of_all_but_idle_and_waiting_ones(void **state)
{
    (void)state;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    assert_true(node_busy("cpu  1 2 4 800 1600 8 16 3200 0 0\ncpu0 1\n") == 31 / ticks);
    assert_true(isnan(node_busy("cpu  1 2 4\n")) && isnan(node_busy("")));
}

static void memory_of_other_numa_nodes_is_told_apart(void **state)
{
    (void)state;
    double page = (double)sysconf(_SC_PAGESIZE);
    struct run_counters counters;
    run_counters_clear(&counters);
    node_memory("numa_hit 100\nnuma_miss 9\nnuma_local 97\nnuma_other 3\n", &counters);
    assert_true(counters.values[COUNT_NODE_LOCAL] == 97 * page && counters.values[COUNT_NODE_REMOTE] == 3 * page);
    assert_true(isnan(counters.values[COUNT_NODE_SWAP_IN]));
}

/* --- control groups --- */

static void make_group(const char *top, const char *path)
{
    static const char *const files[][2] = {
        {"cgroup.events", "populated 1\nfrozen 0\n"},
        {"cpu.stat", "usage_usec 9000000\nuser_usec 8000000\nsystem_usec 1000000\nnr_periods 100\nnr_throttled 40\n"
                     "throttled_usec 2500000\nnr_bursts 0\nburst_usec 0\n"},
        {"memory.events", "low 0\nhigh 12\nmax 7\noom 1\noom_kill 1\noom_group_kill 0\n"},
        {"memory.peak", "1073741824\n"},
        {"cpu.pressure", "some avg10=1.00 avg60=0.00 avg300=0.00 total=1500000\nfull avg10=0 total=1\n"},
        {"memory.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=250000\n"},
    };
    char name[200];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s%s", path, files[i][0]);
        scratch_change(top, name, files[i][1]);
    }
}

static int reasons;

static void count_reason(void *context, enum run_counter counter, const char *sentence)
{
    (void)counter;
    reasons += strstr(sentence, context) != NULL;
}

static void a_job_s_control_group_is_read(void **state)
{
    const char *top = *state;
    struct group_watch watch;
    struct run_counters read;
    run_counters_clear(&read);
    make_group(top, "system.slice/job_7/");
    scratch_change(top, "self/cgroup", "0::/system.slice/job_7\n");
    group_find(&watch, top, top);
    group_read(&watch, &read);
    assert_true(read.values[COUNT_GROUP_THROTTLED] == 2.5 && read.values[COUNT_GROUP_THROTTLES] == 40);
    assert_true(read.values[COUNT_GROUP_HIGH] == 12 && read.values[COUNT_GROUP_MAX] == 7);
    assert_true(read.values[COUNT_GROUP_OOM] == 1 && read.values[COUNT_GROUP_PEAK] == 1073741824);
    assert_true(read.values[COUNT_GROUP_CPU_STALL] == 1.5 && read.values[COUNT_GROUP_MEMORY_STALL] == 0.25);
    assert_true(isnan(read.values[COUNT_GROUP_IO_STALL]));
    reasons = 0;
    group_why(&watch, &read, count_reason, "no io.pressure");
    assert_int_equal(reasons, 1);
    group_close(&watch);
}

/* Its path is that of outside, and its own group is the top of what it sees. */
static void a_container_s_group_is_the_top(void **state)
{
    const char *top = *state;
    struct group_watch watch;
    make_group(top, "");
    scratch_change(top, "self/cgroup", "1:name=systemd:/\n0::/docker/4711\n");
    group_find(&watch, top, top);
    assert_string_equal(watch.directory, top);
    group_close(&watch);
}

static void of_version_1_the_quota_is_read(void **state)
{
    const char *top = *state;
    struct group_watch watch;
    struct run_counters read;
    run_counters_clear(&read);
    scratch_change(top, "self/cgroup", "9:cpuset:/set\n8:cpuacct,cpu:/job\n4:memory:/job\n0::/\n");
    scratch_change(top, "cpu/job/cpu.stat", "nr_periods 4\nnr_throttled 2\nthrottled_time 1500000000\n");
    scratch_change(top, "cpu/set/cpu.stat", "nr_throttled 9\nthrottled_time 1\n");
    group_find(&watch, top, top);
    group_read(&watch, &read);
    assert_true(read.values[COUNT_GROUP_THROTTLED] == 1.5 && read.values[COUNT_GROUP_THROTTLES] == 2);
    assert_true(isnan(read.values[COUNT_GROUP_MAX]));
    group_close(&watch);
}

static void the_root_of_all_groups_and_version_1_are_none_and_that_is_said(void **state)
{
    static const char *const texts[] = {"0::/\n", "4:memory:/x\n1:cpu:/\n", "", "0::"};
    const char *top = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct group_watch watch;
        struct run_counters read;
        run_counters_clear(&read);
        scratch_change(top, "self/cgroup", texts[i]);
        scratch_change(top, "cpu.stat", "nr_throttled 40\nthrottled_usec 2500000\n");
        group_find(&watch, top, top);
        group_read(&watch, &read);
        assert_false(run_counters_any(&read));
        reasons = 0;
        group_why(&watch, &read, count_reason, "node_* are the node's");
        assert_int_equal(reasons, 9);
        group_close(&watch);
    }
}

/* --- clocks --- */

static void set_core(const char *sys, int cpu, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "devices/system/cpu/cpu%d/%s", cpu, name);
    scratch_change(sys, path, text);
}

static void the_clock_is_that_of_the_fastest_core_on_average(void **state)
{
    const char *sys = *state;
    static const uint32_t cpus[] = {2, 3};
    struct frequency_watch watch;
    struct run_counters read;
    set_core(sys, 2, "cpufreq/scaling_cur_freq", "3000000\n");
    set_core(sys, 3, "cpufreq/scaling_cur_freq", "800000\n"); /* idle */
    set_core(sys, 2, "cpufreq/base_frequency", "2600000\n");
    set_core(sys, 3, "thermal_throttle/core_throttle_total_time_ms", "1000\n");
    set_core(sys, 3, "thermal_throttle/package_throttle_total_time_ms", "1000\n");
    frequency_init(&watch, cpus, 2);
    frequency_begin(&watch);
    run_counters_clear(&read);
    frequency_end(&watch, &read);
    assert_false(run_counters_any(&read)); /* a run that ended before it was looked at */
    frequency_look(&watch, sys, 1);
    frequency_look(&watch, sys, watch.at); /* too soon */
    set_core(sys, 2, "cpufreq/scaling_cur_freq", "2000000\n");
    set_core(sys, 3, "thermal_throttle/core_throttle_total_time_ms", "1250\n");
    frequency_look(&watch, sys, watch.at + 3600);
    frequency_end(&watch, &read);
    assert_true(read.values[COUNT_FREQUENCY] == 2500 && read.values[COUNT_FREQUENCY_BASE] == 2600);
    assert_true(read.values[COUNT_THROTTLED_HEAT] == 0.25);
    frequency_begin(&watch); /* the next run has none of that */
    frequency_look(&watch, sys, watch.at + 3600);
    frequency_end(&watch, &read);
    assert_true(read.values[COUNT_FREQUENCY] == 2000 && read.values[COUNT_THROTTLED_HEAT] == 0);
}

static void a_machine_without_clocks_says_so(void **state)
{
    const char *sys = *state;
    static const uint32_t cpus[] = {0};
    struct frequency_watch watch;
    struct run_counters read;
    run_counters_clear(&read);
    frequency_init(&watch, cpus, 1);
    frequency_begin(&watch);
    frequency_look(&watch, sys, 1);
    frequency_end(&watch, &read);
    assert_false(run_counters_any(&read));
    reasons = 0;
    frequency_why(sys, count_reason, "virtual machines");
    assert_int_equal(reasons, 3);
    set_core(sys, 0, "cpufreq/scaling_cur_freq", "<unknown>\n");
    set_core(sys, 0, "acpi_cppc/nominal_freq", "2450\n");
    reasons = 0;
    frequency_why(sys, count_reason, "virtual machines");
    assert_int_equal(reasons, 2);
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH(the_node_is_not_asked_again_at_once),
        SCRATCH(joules_of_packages_and_memory_are_added),
        SCRATCH(a_counter_that_began_anew_goes_on),
        SCRATCH(joules_that_can_not_be_read_are_unknown_with_the_reason),
        SCRATCH(where_only_root_may_read_joules_it_is_said_what_to_do),
        cmocka_unit_test(joules_are_shared_by_processor_time),
        cmocka_unit_test(the_time_that_cores_work_is_that_of_all_but_idle_and_waiting_ones),
        cmocka_unit_test(memory_of_other_numa_nodes_is_told_apart),
        SCRATCH(a_job_s_control_group_is_read),
        SCRATCH(a_container_s_group_is_the_top),
        SCRATCH(of_version_1_the_quota_is_read),
        SCRATCH(the_root_of_all_groups_and_version_1_are_none_and_that_is_said),
        SCRATCH(the_clock_is_that_of_the_fastest_core_on_average),
        SCRATCH(a_machine_without_clocks_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
