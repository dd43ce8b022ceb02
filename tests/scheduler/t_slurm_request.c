/* What Slurm is asked for: by the keys of the file, and where it is silent; what each role of a job needs. */
#include "scheduler/slurm/slurm_agent.h"
#include "tests/slurm_requests.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- keys --- */

static void keys_become_what_is_asked_for(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {partition: [gpu, long], account: 47, qos: high, time: 90s, time_min: 1m, nodes: 4, gpus_per_node: "
        "a100:2, "
        "cpus_per_task: 8, mem: 1G, constraint: x86, nodelist: n1, exclude: n2, exclusive: true, reservation: r, "
        "mail_user: ada, mail_type: END, dependency: 'afterok:1', begin: now+1hour, licenses: 'l:1', nice: 7, hold: "
        "true, "
        "requeue: false, signal_before_end: 30s}\n");
    assert_string_equal(request.partition, "gpu,long");
    assert_string_equal(request.account, "47");
    assert_string_equal(request.gpus_per_node, "a100:2");
    assert_string_equal(request.begin, "1795194000");
    assert_int_equal(request.minutes, 2);
    assert_int_equal(request.minutes_least, 1);
    assert_int_equal(request.nodes, 4);
    assert_int_equal(request.memory, 1024);
    assert_int_equal(request.memory_per_cpu, SLURM_UNSET);
    assert_int_equal(request.nice, 7);
    assert_int_equal(request.warn_seconds, 30);
    assert_int_equal(request.warn_signal, SIGUSR1);
    assert_true(request.exclusive && request.hold && !request.requeue && request.no_kill);
    assert_string_equal(request.name, "gannet:x");
    assert_string_equal(request.comment, "gannet:x:1");
    assert_string_equal(request.directory, "/base");
    assert_string_equal(request.output, "/runs/it's x/logs/slurm-%j.out");
    slurm_request_fini(&request);
}

static void without_a_section_there_is_a_job_of_one_node_that_is_requeued(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("");
    assert_int_equal(request.nodes, 1);
    assert_int_equal(request.tasks_per_node, 1);
    assert_int_equal(request.cpus_per_task, 1);
    assert_int_equal(request.minutes, SLURM_UNSET);
    assert_true(request.requeue && !request.no_kill && !request.exclusive && !request.hold);
    assert_null(request.partition);
    assert_null(request.gres);
    slurm_request_fini(&request);
}

/* --- what is left open --- */

static void gpus_that_a_trial_needs_are_asked_for_and_said(void **state)
{
    (void)state;
    struct buf notes = {0};
    struct slurm_request request =
        requests_make("resources: {gpus: 2, cpus: 3, memory: 4G}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
    assert_string_equal(request.gres, "gpu:2");
    assert_int_equal(request.cpus_per_task, 3);
    assert_int_equal(request.memory, 4096);
    assert_non_null(strstr(buf_str(&notes), "2 GPUs a node"));
    slurm_request_fini(&request);
    buf_fini(&notes);
}

static void gpus_can_be_asked_for_in_the_newer_way_or_not_at_all(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("resources: {gpus: 1}\nslurm: {gpu_request: gpus}\n");
    assert_string_equal(request.gpus_per_node, "1");
    assert_null(request.gres);
    slurm_request_fini(&request);
    request = requests_make_job("resources: {gpus: 1}\nslurm: {gpu_request: none}\n");
    assert_null(request.gpus_per_node);
    assert_null(request.gres);
    slurm_request_fini(&request);
}

static void a_node_gets_the_processors_and_memory_of_as_many_trials_as_its_gpus_serve(void **state)
{
    (void)state;
    struct slurm_request request =
        requests_make_job("resources: {gpus: 2, cpus: 3, memory: 1G}\nslurm: {gres: 'foo:1,gpu:a100:8'}\n");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 4096);
    slurm_request_fini(&request);
}

static void trials_that_share_gpus_are_asked_whole_ones_for(void **state)
{
    (void)state;
    struct buf notes = {0};
    struct slurm_request request =
        requests_make("resources: {gpus: 0.25, cpus: 3, memory: 1G}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
    assert_string_equal(request.gres, "gpu:1");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 4096);
    assert_non_null(strstr(buf_str(&notes), "1 GPU a node, which 4 trials share"));
    slurm_request_fini(&request);
    buf_fini(&notes);
    request = requests_make_job("resources: {gpus: 0.5, cpus: 2}\nslurm: {gpus_per_node: 4}\n");
    assert_int_equal(request.cpus_per_task, 16);
    slurm_request_fini(&request);
    request = requests_make_job("resources: {gpu_memory: 8G}\n"); /* how many that are, the GPU will tell */
    assert_string_equal(request.gres, "gpu:1");
    assert_int_equal(request.cpus_per_task, 1);
    slurm_request_fini(&request);
}

static void trials_that_divide_sockets_get_whole_nodes(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("resources: {trials_per_socket: 2, memory: 1G}\n");
    assert_true(request.exclusive);
    assert_int_equal(request.memory, 0);
    slurm_request_fini(&request);
}

static void a_job_has_as_many_nodes_as_a_trial_takes(void **state)
{
    (void)state;
    struct buf notes = {0};
    struct slurm_request request = requests_make("resources: {nodes: 3}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
    assert_int_equal(request.nodes, 3);
    assert_false(request.no_kill); /* on two of them nothing could run: the job begins anew */
    assert_non_null(strstr(buf_str(&notes), "3 nodes, what one trial takes"));
    slurm_request_fini(&request);
    buf_fini(&notes);
    request = requests_make_job("resources: {nodes: 3}\nslurm: {nodes: 6}\n");
    assert_int_equal(request.nodes, 6);
    assert_true(request.no_kill);
    slurm_request_fini(&request);
    request = requests_make_job("resources: {nodes: 3}\nslurm: {sbatch_args: [-N, '4']}\n");
    assert_int_equal(request.nodes, 4);
    slurm_request_fini(&request);
}

static void trials_of_whole_sockets_get_whole_nodes(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("resources: {sockets: 1}\n");
    assert_true(request.exclusive);
    assert_int_equal(request.cpus_per_task, SLURM_UNSET);
    slurm_request_fini(&request);
}

/* What is said of a file with these keys, which can't be asked for. */
static void assert_too_small(const char *keys, const char *expected)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = requests_spec(keys);
    struct slurm_order order = requests_order(spec);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_EXPERIMENT, 0, &request, NULL, &err), -1);
    assert_has(err.text, expected);
    spec_destroy(spec);
}

static void a_node_that_is_too_small_for_one_trial_is_not_asked_for(void **state)
{
    (void)state;
    assert_too_small("resources: {cpus: 8}\nslurm: {cpus_per_task: 4}\n",
                     "a node of the job has 4 (slurm.cpus_per_task)");
    assert_too_small("resources: {cpus: 8}\nslurm: {sbatch_args: [-c, '7']}\n", "'resources.cpus' is 8");
    assert_too_small("resources: {gpus: 2}\nslurm: {gpus_per_node: a100:1}\n", "has 1 (slurm.gpus_per_node)");
    assert_too_small("resources: {gpus: 2}\nslurm: {gres: 'gpu:1'}\n", "has 1 (slurm.gres)");
    assert_too_small("resources: {memory: 4G}\nslurm: {mem: 2G}\n", "(slurm.mem)");
    assert_too_small("resources: {memory: 4G}\nslurm: {mem_per_cpu: 1G, cpus_per_task: 2}\n", "(slurm.mem_per_cpu)");
    struct slurm_request request =
        requests_make_job("resources: {cpus: 8}\nslurm: {exclusive: true, cpus_per_task: 4}\n");
    slurm_request_fini(&request); /* nobody can tell how large a whole node is */
    request = requests_make_job("resources: {gpus: 2, memory: 4G}\nslurm: {gpu_request: none, mem: 0}\n");
    slurm_request_fini(&request);
}

static void gpus_are_counted_however_they_are_written(void **state)
{
    (void)state;
    static const struct {
        const char *gres, *gpus;
        uint32_t count;
    } rows[] = {{"gpu:2", NULL, 2}, {"gpu", NULL, 1},    {"gpu:a100", NULL, 1},   {"gpu:a100:4", NULL, 4},
                {"foo:3", NULL, 0}, {"gpux:3", NULL, 0}, {"gres:gpu:2", NULL, 2}, {"gpu:a:1,gpu:b:2", NULL, 3},
                {NULL, "4", 4},     {NULL, "a100:4", 4}, {NULL, "a100", 1},       {NULL, "a:1,b:2", 3},
                {NULL, NULL, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct slurm_request request = {.gres = (char *)rows[i].gres, .gpus_per_node = (char *)rows[i].gpus};
        assert_int_equal(slurm_count_gpus(&request), rows[i].count);
    }
}

/* --- roles --- */

static void a_coordinators_job_is_small_whatever_its_workers_need(void **state)
{
    (void)state;
    struct slurm_request request = requests_make(
        "resources: {gpus: 1}\nslurm: {shape: elastic, workers: 9, partition: gpu, gres: 'gpu:4', mem: 100G, time: 4h, "
        "exclusive: true, coordinator_partition: cpu, coordinator_time: 2d, mail_type: END}\n",
        SLURM_ROLE_COORDINATOR, 0, NULL);
    assert_string_equal(request.partition, "cpu");
    assert_int_equal(request.minutes, 2 * 24 * 60);
    assert_int_equal(request.nodes, 1);
    assert_null(request.gres);
    assert_int_equal(request.memory, SLURM_UNSET);
    assert_false(request.exclusive);
    assert_string_equal(request.mail_type, "END");
    assert_non_null(strstr(request.script, "gannet' job --rundir '/runs/it'\\''s x' --no-workers\n"));
    slurm_request_fini(&request);
}

static void a_worker_has_one_node_leaves_on_sigterm_and_does_not_wait_for_other_jobs(void **state)
{
    (void)state;
    struct slurm_request request = requests_make(
        "slurm: {shape: elastic, dependency: 'afterok:1', hold: true, idle_time: 90s}\n", SLURM_ROLE_WORKER, 0, NULL);
    assert_int_equal(request.nodes, 1);
    assert_int_equal(request.warn_signal, SIGTERM);
    assert_null(request.dependency);
    assert_null(request.array);
    assert_false(request.hold || request.requeue);
    assert_string_equal(request.name, "gannet:x:worker");
    assert_non_null(
        strstr(request.script,
               "exec '/opt/gannet/bin/gannet-worker' --rundir '/runs/it'\\''s x' --idle-exit 90s --give-up 300s\n"));
    slurm_request_fini(&request);
}

static void workers_that_share_a_node_are_started_by_one_script_and_need_more_of_it(void **state)
{
    (void)state;
    static const char keys[] =
        "resources: {gpus: 2, cpus: 4, memory: 1G}\nslurm: {shape: elastic, workers_per_node: 3}\n";
    struct buf notes = {0};
    struct slurm_request request = requests_make(keys, SLURM_ROLE_WORKER, 0, &notes);
    assert_string_equal(request.gres, "gpu:6");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 3072);
    assert_has(buf_str(&notes), "6 GPUs a node, what one trial needs on each of its workers");
    assert_has(request.script, "while [ $gannet_part -le 3 ]");
    assert_has(request.script, " --share $gannet_part/3 &\n");
    assert_null(strstr(request.script, "exec"));
    slurm_request_fini(&request);
    request = requests_make(keys, SLURM_ROLE_COORDINATOR, 0, NULL);
    assert_has(request.script, "exec '/opt/gannet/bin/gannet' job");
    slurm_request_fini(&request);
    buf_fini(&notes);
}

static void workers_of_trials_that_save_nothing_are_not_ended_early(void **state)
{
    (void)state;
    struct slurm_request request;
    struct err err;
    struct spec *spec = requests_spec("slurm: {shape: elastic}\n");
    struct slurm_order order = requests_order(spec);
    spec->trial.checkpoint = CHECKPOINT_NO;
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_WORKER, 0, &request, NULL, &err), 0);
    assert_int_equal(request.warn_signal, SLURM_UNSET);
    slurm_request_fini(&request);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_COORDINATOR, 0, &request, NULL, &err), 0);
    assert_int_equal(request.warn_signal, SIGUSR1);
    slurm_request_fini(&request);
    spec_destroy(spec);
}

static void workers_of_an_array_have_indices_and_an_output_each(void **state)
{
    (void)state;
    struct slurm_request request = requests_make("slurm: {shape: array, workers: 8}\n", SLURM_ROLE_WORKER, 8, NULL);
    assert_string_equal(request.array, "0-7");
    assert_non_null(strstr(request.output, "slurm-%A_%a.out"));
    assert_true(request.requeue);
    slurm_request_fini(&request);
}

static void a_percent_sign_in_the_path_of_the_run_directory_is_no_pattern(void **state)
{
    (void)state;
    struct err err = {""};
    struct slurm_request request;
    struct spec *spec = requests_spec("slurm: {shape: array, workers: 8}\n");
    struct slurm_order order = requests_order(spec);
    order.rundir = "/50%new/%j";
    assert_int_equal(slurm_settle(spec, REQUESTS_NOW, &err), 0);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_COORDINATOR, 0, &request, NULL, &err), 0);
    assert_string_equal(request.output, "/50%%new/%%j/logs/slurm-%j.out");
    slurm_request_fini(&request);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_WORKER, 8, &request, NULL, &err), 0);
    assert_string_equal(request.output, "/50%%new/%%j/logs/slurm-%A_%a.out");
    slurm_request_fini(&request);
    spec_destroy(spec);
}

static void a_run_directory_whose_path_has_a_backslash_is_refused(void **state)
{
    (void)state;
    struct err err = {""};
    struct slurm_request request;
    struct spec *spec = requests_spec("slurm: {time: 1h}\n");
    struct slurm_order order = requests_order(spec);
    order.rundir = "/home/a\\b/runs/x";
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_COORDINATOR, 0, &request, NULL, &err), -1);
    assert_string_equal(err.text,
                        "the path of the run directory has a backslash, with which Slurm can't write the job's "
                        "output: /home/a\\b/runs/x. Another place is given by --dir");
    spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_become_what_is_asked_for),
        cmocka_unit_test(without_a_section_there_is_a_job_of_one_node_that_is_requeued),
        cmocka_unit_test(gpus_that_a_trial_needs_are_asked_for_and_said),
        cmocka_unit_test(trials_that_share_gpus_are_asked_whole_ones_for),
        cmocka_unit_test(trials_that_divide_sockets_get_whole_nodes),
        cmocka_unit_test(gpus_can_be_asked_for_in_the_newer_way_or_not_at_all),
        cmocka_unit_test(a_node_gets_the_processors_and_memory_of_as_many_trials_as_its_gpus_serve),
        cmocka_unit_test(a_job_has_as_many_nodes_as_a_trial_takes),
        cmocka_unit_test(trials_of_whole_sockets_get_whole_nodes),
        cmocka_unit_test(a_node_that_is_too_small_for_one_trial_is_not_asked_for),
        cmocka_unit_test(gpus_are_counted_however_they_are_written),
        cmocka_unit_test(a_coordinators_job_is_small_whatever_its_workers_need),
        cmocka_unit_test(a_worker_has_one_node_leaves_on_sigterm_and_does_not_wait_for_other_jobs),
        cmocka_unit_test(workers_that_share_a_node_are_started_by_one_script_and_need_more_of_it),
        cmocka_unit_test(workers_of_trials_that_save_nothing_are_not_ended_early),
        cmocka_unit_test(workers_of_an_array_have_indices_and_an_output_each),
        cmocka_unit_test(a_percent_sign_in_the_path_of_the_run_directory_is_no_pattern),
        cmocka_unit_test(a_run_directory_whose_path_has_a_backslash_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
