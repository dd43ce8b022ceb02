/* Memory limits and kills, read from trees of files as both versions of control groups show them. */
#include "common/mem.h"
#include "tests/scratch.h"
#include "worker/hardware/cgroup.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* A scratch directory with files; pairs of name and text up to NULL. */
static char *tree(const char *const *files)
{
    char *scratch = scratch_make();
    for (; *files; files += 2)
        free(scratch_file(scratch, files[0], files[1]));
    return scratch;
}

static void assert_group(const char *const *files, uint64_t limit, uint64_t kills)
{
    char *scratch = tree(files), *proc = mem_format("%s/proc", scratch), *sys = mem_format("%s/sys", scratch);
    struct cgroup group;
    cgroup_find(&group, proc, sys);
    assert_int_equal(cgroup_memory_limit(&group), limit);
    assert_int_equal(cgroup_oom_kills(&group), kills);
    cgroup_fini(&group);
    free(proc);
    free(sys);
    scratch_remove(scratch);
}

static void the_unified_tree_is_read_up_to_its_top(void **state)
{
    (void)state;
    static const char *const files[] = {"proc/self/cgroup",
                                        "0::/slurm/job_7/step_0\n",
                                        "sys/slurm/memory.max",
                                        "max\n",
                                        "sys/slurm/job_7/memory.max",
                                        "4294967296\n",
                                        "sys/slurm/job_7/step_0/memory.max",
                                        "8589934592\n",
                                        "sys/slurm/job_7/step_0/memory.events",
                                        "low 0\nhigh 0\nmax 9\noom 3\noom_kill 2\n",
                                        NULL};
    assert_group(files, UINT64_C(4) << 30, 2);
}

static void the_older_memory_controller_is_found_among_others(void **state)
{
    (void)state;
    static const char *const files[] = {"proc/self/cgroup",
                                        "9:cpuset:/\n4:memory:/job/a\n0::/\n",
                                        "sys/memory/memory.limit_in_bytes",
                                        "9223372036854771712\n",
                                        "sys/memory/job/memory.limit_in_bytes",
                                        "1073741824\n",
                                        "sys/memory/job/a/memory.limit_in_bytes",
                                        "9223372036854771712\n",
                                        "sys/memory/job/a/memory.oom_control",
                                        "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n",
                                        NULL};
    assert_group(files, UINT64_C(1) << 30, 5);
}

static void a_path_of_outside_a_container_means_the_top(void **state)
{
    (void)state;
    static const char *const files[] = {"proc/self/cgroup", "0::/host/path\n", "sys/memory.max", "2048\n", NULL};
    assert_group(files, 2048, 0);
}

static void without_control_groups_nothing_is_limited_and_the_node_counts(void **state)
{
    (void)state;
    static const char *const files[] = {"proc/vmstat", "pgfault 1\noom_kill 7\n", "sys/none", "", NULL};
    assert_group(files, UINT64_MAX, 7);
    static const char *const nothing[] = {"sys/none", "", NULL};
    assert_group(nothing, UINT64_MAX, 0);
}

static void nonsense_in_the_files_limits_nothing(void **state)
{
    (void)state;
    static const char *const files[] = {"proc/self/cgroup",
                                        "::\nx\n0:\n:memory\n0::/\n",
                                        "sys/memory.max",
                                        "lots\n",
                                        "sys/memory.events",
                                        "oom_kill",
                                        NULL};
    assert_group(files, UINT64_MAX, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unified_tree_is_read_up_to_its_top),
        cmocka_unit_test(the_older_memory_controller_is_found_among_others),
        cmocka_unit_test(a_path_of_outside_a_container_means_the_top),
        cmocka_unit_test(without_control_groups_nothing_is_limited_and_the_node_counts),
        cmocka_unit_test(nonsense_in_the_files_limits_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
