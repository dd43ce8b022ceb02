/* Topologies inside a job of Slurm: what it gave of a node, by its variables. */
#include "worker/hardware/topology.h"
#include "worker/hardware/topology_slurm.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TOPOLOGIES "tests/worker/topologies/"

static struct topology read_topology(const char *machine, const char *gpus)
{
    struct topology topology;
    struct err err = {""};
    struct topology_source source = {.machine = machine, .gpus = gpus};
    if (topology_read(&source, &topology, &err))
        fail_msg("%s", err.text);
    return topology;
}

static struct topology two_sockets(void)
{
    return read_topology(TOPOLOGIES "two-sockets.xml", TOPOLOGIES "two-sockets.gpus");
}

static const char *const *variables; /* "NAME=value", NULL at the end */

static char *get_variable(const char *name)
{
    size_t length = strlen(name);
    for (const char *const *at = variables; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return (char *)(uintptr_t)(*at + length + 1);
    return NULL;
}

#define SHARE(...) (variables = (const char *const[]){__VA_ARGS__, NULL}, slurm_share_read(get_variable))

static void outside_a_job_slurms_variables_mean_nothing(void **state)
{
    (void)state;
    struct slurm_share share = SHARE("SLURM_CPUS_ON_NODE=2", "SLURM_JOB_GPUS=0");
    assert_false(share.in_job);
    assert_int_equal(share.cpus, 0);
    assert_null(share.gpus);
}

static void a_step_has_its_own_gpus_and_not_those_of_the_batch_node(void **state)
{
    (void)state;
    struct slurm_share share = SHARE("SLURM_JOB_ID=7", "SLURM_JOB_GPUS=0,1", "SLURM_STEP_ID=0", "SLURM_STEP_GPUS=2,3");
    assert_string_equal(share.gpus, "2,3");
    share = SHARE("SLURM_JOB_ID=7", "SLURM_JOB_GPUS=0,1", "SLURM_STEP_ID=0");
    assert_null(share.gpus);
    share = SHARE("SLURM_JOB_ID=7", "SLURM_JOB_GPUS=0,1");
    assert_string_equal(share.gpus, "0,1");
}

static void a_batch_script_and_a_shell_have_the_gpus_of_the_job_although_slurm_numbers_them_as_steps(void **state)
{
    (void)state;
    struct slurm_share share = SHARE("SLURM_JOB_ID=7", "SLURM_JOB_GPUS=0,1", "SLURM_STEP_ID=-5");
    assert_string_equal(share.gpus, "0,1");
    share = SHARE("SLURM_JOB_ID=7", "SLURM_JOB_GPUS=2", "SLURM_STEP_ID=4294967290");
    assert_string_equal(share.gpus, "2");
}

static void memory_is_given_a_node_a_processor_or_a_gpu(void **state)
{
    (void)state;
    struct slurm_share share = SHARE("SLURM_JOB_ID=7", "SLURM_MEM_PER_NODE=1000");
    assert_int_equal(share.memory, 1000 << 20);
    share = SHARE("SLURM_JOB_ID=7", "SLURM_MEM_PER_CPU=100", "SLURM_CPUS_ON_NODE=4");
    assert_int_equal(share.memory, 400 << 20);
    share = SHARE("SLURM_JOB_ID=7", "SLURM_MEM_PER_GPU=300", "SLURM_GPUS_ON_NODE=2");
    assert_int_equal(share.memory, 600 << 20);
    share = SHARE("SLURM_JOB_ID=7", "SLURM_MEM_PER_NODE=0");
    assert_int_equal(share.memory, 0);
    share = SHARE("SLURM_JOB_ID=7", "SLURM_MEM_PER_NODE=lots", "SLURM_CPUS_ON_NODE=-4");
    assert_int_equal(share.memory + share.cpus, 0);
}

static void no_more_cores_are_taken_than_slurm_gave(void **state)
{
    (void)state;
    struct topology topology = two_sockets(); /* 16 cores of two hyperthreads each */
    struct slurm_share share = {.in_job = true, .cpus = 32, .memory = 1 << 30};
    slurm_share_apply(&share, &topology);
    assert_int_equal(topology.core_count, 16);
    assert_false(topology.cores_unknown);
    assert_int_equal(topology.memory, 1 << 30);
    share.cpus = 7;
    slurm_share_apply(&share, &topology);
    assert_int_equal(topology.core_count, 3);
    assert_true(topology.cores_unknown);
    share.cpus = 1;
    slurm_share_apply(&share, &topology);
    assert_int_equal(topology.core_count, 1);
    topology_fini(&topology);
}

static void the_cores_that_slurm_gave_are_kept(void **state)
{
    (void)state;
    struct topology topology = two_sockets(); /* 16 cores of two hyperthreads each */
    struct slurm_share share = {.in_job = true, .cpus = 6, .cores = "3,8-9"};
    uint32_t third = topology.cores[3].pu, ninth = topology.cores[9].pu;
    slurm_share_apply(&share, &topology);
    assert_int_equal(topology.core_count, 3);
    assert_int_equal(topology.cores[0].pu, third);
    assert_int_equal(topology.cores[2].pu, ninth);
    assert_false(topology.cores_unknown);
    topology_fini(&topology);
}

static void cores_that_are_not_of_this_machine_stay_unknown(void **state)
{
    (void)state;
    static const char *const lists[] = {"15-17", "0-5", "", "some", "0-9999999999"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct topology topology = two_sockets();
        struct slurm_share share = {.in_job = true, .cpus = 6, .cores = lists[i]};
        slurm_share_apply(&share, &topology);
        assert_int_equal(topology.core_count, 3);
        assert_true(topology.cores_unknown);
        topology_fini(&topology);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_a_job_slurms_variables_mean_nothing),
        cmocka_unit_test(a_step_has_its_own_gpus_and_not_those_of_the_batch_node),
        cmocka_unit_test(a_batch_script_and_a_shell_have_the_gpus_of_the_job_although_slurm_numbers_them_as_steps),
        cmocka_unit_test(memory_is_given_a_node_a_processor_or_a_gpu),
        cmocka_unit_test(no_more_cores_are_taken_than_slurm_gave),
        cmocka_unit_test(the_cores_that_slurm_gave_are_kept),
        cmocka_unit_test(cores_that_are_not_of_this_machine_stay_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
