/* What Slurm's variables say of the job, and the steps that workers are started as. */
#include "scheduler/slurm/allocation.h"
#include "scheduler/slurm/job/step.h"
#include "tests/claims.h"

#include "common/buf.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const *variables; /* "NAME=value", NULL at the end */

static char *get(const char *name)
{
    size_t length = strlen(name);
    for (const char *const *at = variables; *at; at++)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
            return (char *)(uintptr_t)(*at + length + 1);
    return NULL;
}

#define READ(out, err, ...) (variables = (const char *const[]){__VA_ARGS__, NULL}, allocation_read(get, (out), (err)))

static void outside_a_job_there_is_none(void **state)
{
    (void)state;
    struct allocation allocation;
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_NODELIST=n[1-2]"), 0);
    assert_int_equal(allocation.id, 0);
    assert_int_equal(allocation.tasks, 1);
    assert_int_equal(allocation.nodes.count, 0);
}

static void a_batch_script_leads_all_nodes_of_its_job(void **state)
{
    (void)state;
    struct allocation allocation;
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]", "SLURM_RESTART_COUNT=2",
                          "SLURM_GPUS_ON_NODE=4", "SLURM_PROCID=0"),
                     0);
    assert_int_equal(allocation.id, 12);
    assert_int_equal(allocation.restarts, 2);
    assert_int_equal(allocation.gpus, 4);
    assert_int_equal(allocation.nodes.count, 3);
    assert_string_equal(allocation.nodes.items[2], "n3");
    assert_false(allocation.in_step);
    allocation_fini(&allocation);
}

/* Slurm's numbers for what is no step: interactive shells have them with 22.05, batch scripts with 26.05, too. */
static void what_slurm_numbers_beyond_its_steps_leads_its_job_too(void **state)
{
    (void)state;
    static const char *const numbers[] = {"4294967290", "4294967291", "-6", "-5"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct allocation allocation;
        char *step = mem_format("SLURM_STEP_ID=%s", numbers[i]);
        assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]", step,
                              "SLURM_HET_SIZE=2", "SLURM_JOB_ID_HET_GROUP_0=12", "SLURM_JOB_NODELIST_HET_GROUP_1=n4"),
                         0);
        assert_false(allocation.in_step);
        assert_int_equal(allocation.nodes.count, 4);
        allocation_fini(&allocation);
        free(step);
    }
}

static void a_task_knows_its_place_in_the_step_and_on_its_node(void **state)
{
    (void)state;
    struct allocation allocation;
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]", "SLURM_STEP_ID=0",
                          "SLURM_PROCID=4", "SLURM_STEP_NUM_TASKS=5", "SLURM_LOCALID=0", "SLURM_NODEID=2",
                          "SLURM_STEP_TASKS_PER_NODE=2(x2),1"),
                     0);
    assert_true(allocation.in_step);
    assert_int_equal(allocation.task, 4);
    assert_int_equal(allocation.tasks, 5);
    assert_int_equal(allocation.local_task, 0);
    assert_int_equal(allocation.locals, 1);
    allocation_fini(&allocation);
}

static void variables_that_contradict_each_other_are_refused(void **state)
{
    (void)state;
    struct allocation allocation;
    struct err err;
    assert_int_equal(READ(&allocation, &err, "SLURM_JOB_ID=twelve"), -1);
    assert_has(err.text, "SLURM_JOB_ID is 'twelve'");
    assert_int_equal(READ(&allocation, &err, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n["), -1);
    assert_has(err.text, "'n['");
    assert_int_equal(
        READ(&allocation, &err, "SLURM_JOB_ID=12", "SLURM_STEP_ID=0", "SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=2"), -1);
    assert_has(err.text, "contradict");
    assert_int_equal(READ(&allocation, &err, "SLURM_JOB_ID=12", "SLURM_STEP_ID=0", "SLURM_LOCALID=1",
                          "SLURM_STEP_TASKS_PER_NODE=(x)"),
                     -1);
}

/* The words with a blank between them. */
static char *words_of(const struct allocation *allocation, const char *output)
{
    struct texts words = {0};
    struct buf text = {0};
    step_words(allocation, &(struct step_place){.node = "n2", .part = 1, .parts = 1}, output, &words);
    for (size_t i = 0; i < words.count; i++)
        buf_format(&text, "%s ", words.items[i]);
    texts_fini(&words);
    return buf_take(&text);
}

static void a_step_is_one_task_on_one_node_with_all_the_job_has_there(void **state)
{
    (void)state;
    struct allocation allocation = {.id = 12, .gpus = 2};
    char *words = words_of(&allocation, "/r/worker-n2.log");
    assert_has(words, "srun --nodes=1 --ntasks=1 ");
    assert_has(words, "--nodelist=n2 ");
    assert_has(words, "--no-kill ");
    assert_has(words, "--gres=gpu:2 ");
    assert_has(words, "--output=/r/worker-n2.log ");
    free(words);
    allocation.gpus = 0;
    words = words_of(&allocation, "/100%/x");
    assert_null(strstr(words, "--gres"));
    assert_has(words, "--output=/100%%/x "); /* srun makes one of two */
    free(words);
}

static void every_node_has_a_worker_with_a_log_of_its_own(void **state)
{
    struct allocation allocation;
    struct rundir dir;
    struct job_steps steps;
    rundir_name(*state, &dir);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]"), 0);
    steps_make(&allocation, 1, &(struct step_known){0}, &dir, &steps);
    assert_int_equal(steps.count, 3);
    assert_string_equal(steps.workers[1].node, "n2");
    assert_string_equal(steps.workers[1].log, "worker-n2.log");
    size_t count = 0;
    while (steps.workers[1].argv[count])
        count++;
    assert_has(steps.workers[1].argv[count - 4], "/gannet-worker");
    assert_string_equal(steps.workers[1].argv[count - 3], "--rundir");
    assert_string_equal(steps.workers[1].argv[count - 2], dir.path);
    assert_string_equal(steps.workers[1].argv[count - 1], "--rescue"); /* the first node may be lost */
    steps_fini(&steps);
    rundir_fini(&dir);
    allocation_fini(&allocation);
}

static bool has_word(const struct supervise_worker *worker, const char *word)
{
    for (const char *const *at = worker->argv; *at; at++)
        if (strcmp(*at, word) == 0)
            return true;
    return false;
}

static void several_workers_of_a_node_have_a_part_of_it_each(void **state)
{
    struct allocation allocation;
    struct rundir dir;
    struct job_steps steps;
    rundir_name(*state, &dir);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]"), 0);
    steps_make(&allocation, 2, &(struct step_known){.cores = "0-3;4,5;6,7"}, &dir, &steps);
    assert_int_equal(steps.count, 6);
    assert_string_equal(steps.workers[2].node, "n2");
    assert_int_equal(steps.workers[2].part, 1);
    assert_string_equal(steps.workers[2].log, "worker-n2.log");
    assert_true(has_word(&steps.workers[2], "--share=1/2"));
    assert_string_equal(steps.workers[3].node, "n2");
    assert_int_equal(steps.workers[3].part, 2);
    assert_string_equal(steps.workers[3].log, "worker-n2-2.log");
    assert_true(has_word(&steps.workers[3], "--share=2/2"));
    assert_true(has_word(&steps.workers[3], "--job-cores=4,5")); /* it takes its part of these */
    assert_true(has_word(&steps.workers[3], "--overlap"));
    steps_fini(&steps);
    rundir_fini(&dir);
    allocation_fini(&allocation);
}

static void nodes_have_the_gpus_that_the_job_has_there(void **state)
{
    struct allocation allocation;
    struct rundir dir;
    struct job_steps steps;
    rundir_name(*state, &dir);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]", "SLURM_GPUS_ON_NODE=2"),
                     0);
    steps_make(&allocation, 1, &(struct step_known){.gpus = "2;1;0"}, &dir, &steps);
    assert_true(has_word(&steps.workers[0], "--gres=gpu:2"));
    assert_true(has_word(&steps.workers[1], "--gres=gpu:1"));
    assert_true(has_word(&steps.workers[2], "--gres=none"));
    steps_fini(&steps);
    steps_make(&allocation, 1, &(struct step_known){.gpus = "2;1"}, &dir, &steps); /* of other nodes than ours */
    assert_true(has_word(&steps.workers[2], "--gres=gpu:2"));
    steps_fini(&steps);
    rundir_fini(&dir);
    allocation_fini(&allocation);
}

static void all_components_of_a_heterogeneous_job_have_workers(void **state)
{
    struct allocation allocation;
    struct rundir dir;
    struct job_steps steps;
    rundir_name(*state, &dir);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n1", "SLURM_HET_SIZE=3",
                          "SLURM_JOB_NODELIST_HET_GROUP_0=n1", "SLURM_JOB_NODELIST_HET_GROUP_1=n[1,4-5]",
                          "SLURM_JOB_NODELIST_HET_GROUP_2=n9", "SLURM_GPUS_ON_NODE=2"),
                     0);
    steps_make(&allocation, 1, &(struct step_known){0}, &dir, &steps);
    assert_int_equal(steps.count, 4);
    assert_string_equal(steps.workers[1].node, "n4");
    assert_true(has_word(&steps.workers[0], "--het-group=0"));
    assert_true(has_word(&steps.workers[0], "--gres=gpu:2"));
    assert_true(has_word(&steps.workers[2], "--het-group=1"));
    assert_true(has_word(&steps.workers[3], "--het-group=2"));
    assert_false(has_word(&steps.workers[3], "--gres=gpu:2")); /* the batch script's node has them */
    assert_true(has_word(&steps.workers[3], "--rescue"));
    assert_int_equal(allocation.parts, 3);
    steps_fini(&steps);
    rundir_fini(&dir);
    allocation_fini(&allocation);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n1", "SLURM_HET_SIZE=2",
                          "SLURM_JOB_NODELIST_HET_GROUP_1=n["),
                     -1);
}

/* A step in another component has that one's nodes, and the whole job's number from the batch script. */
static void a_step_of_a_component_knows_the_whole_job(void **state)
{
    (void)state;
    struct allocation allocation;
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=13", "SLURM_JOB_NODELIST=n4", "SLURM_HET_SIZE=2",
                          "SLURM_JOB_ID_HET_GROUP_0=12", "SLURM_STEP_ID=1", "SLURM_JOB_NODELIST_HET_GROUP_1=n4"),
                     0);
    assert_int_equal(allocation.id, 12);
    assert_int_equal(allocation.parts, 2);
    assert_int_equal(allocation.nodes.count, 1);
    allocation_fini(&allocation);
}

static void the_options_of_the_job_do_not_reach_its_steps(void **state)
{
    (void)state;
    setenv("SLURM_NTASKS_PER_NODE", "4", 1);
    setenv("SLURM_JOB_ID", "12", 1);
    step_clean_environment();
    assert_null(getenv("SLURM_NTASKS_PER_NODE"));
    assert_string_equal(getenv("SLURM_JOB_ID"), "12");
    unsetenv("SLURM_JOB_ID");
}

/* What the worker of the second of three nodes is told last. */
static void assert_told(const char *cores, const char *word)
{
    struct allocation allocation;
    struct rundir dir;
    struct job_steps steps;
    rundir_name("/runs/x", &dir);
    assert_int_equal(READ(&allocation, NULL, "SLURM_JOB_ID=12", "SLURM_JOB_NODELIST=n[1-3]"), 0);
    steps_make(&allocation, 1, &(struct step_known){.cores = cores}, &dir, &steps);
    const char *const *last = steps.workers[1].argv;
    while (last[1])
        last++;
    assert_string_equal(*last, word);
    steps_fini(&steps);
    rundir_fini(&dir);
    allocation_fini(&allocation);
}

static void each_worker_is_told_the_cores_of_its_node(void **state)
{
    (void)state;
    assert_told("0-3;8,9;4", "--job-cores=8,9");
    assert_told("0-3;;4", "--rescue");
    assert_told("0-3;8,9", "--rescue"); /* of other nodes than ours */
    assert_told("", "--rescue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_a_job_there_is_none),
        cmocka_unit_test(a_batch_script_leads_all_nodes_of_its_job),
        cmocka_unit_test(what_slurm_numbers_beyond_its_steps_leads_its_job_too),
        cmocka_unit_test(a_task_knows_its_place_in_the_step_and_on_its_node),
        cmocka_unit_test(variables_that_contradict_each_other_are_refused),
        cmocka_unit_test(a_step_is_one_task_on_one_node_with_all_the_job_has_there),
        cmocka_unit_test_setup_teardown(every_node_has_a_worker_with_a_log_of_its_own, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(several_workers_of_a_node_have_a_part_of_it_each, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(nodes_have_the_gpus_that_the_job_has_there, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(all_components_of_a_heterogeneous_job_have_workers, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test(a_step_of_a_component_knows_the_whole_job),
        cmocka_unit_test(the_options_of_the_job_do_not_reach_its_steps),
        cmocka_unit_test(each_worker_is_told_the_cores_of_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
