/* What Slurm is asked for of a heterogeneous job: components of nodes that differ, and one script for all of them. */
#include "scheduler/slurm/sbatch_lines.h"
#include "scheduler/slurm/slurm_agent.h"
#include "tests/slurm_requests.h"

#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct slurm_request *only_component(const struct slurm_request *request)
{
    assert_int_equal(request->component_count, 1);
    return &request->components[0];
}

static void a_component_has_the_whole_jobs_wishes_and_nodes_of_its_own(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {partition: main, account: lab, time: 2h, gres: 'gpu:4', nodes: 2, mem: 8G, constraint: fat, "
        "mail_type: "
        "END, dependency: 'afterok:1', sbatch_args: [--wckey=w, --contiguous], components: ['-N 3 -c 6 -C thin']}\n");
    const struct slurm_request *one = only_component(&request);
    assert_string_equal(request.gres, "gpu:4");
    assert_string_equal(one->name, "gannet:x");
    assert_string_equal(one->partition, "main");
    assert_string_equal(one->account, "lab");
    assert_int_equal(one->minutes, 120);
    assert_int_equal(one->nodes, 3);
    assert_int_equal(one->cpus_per_task, 6);
    assert_string_equal(one->constraint, "thin");
    assert_string_equal(one->further, "wckey=w\n");
    assert_null(one->gres);
    assert_int_equal(one->memory, SLURM_UNSET);
    assert_null(one->mail_type); /* one mail of one job, and one time to wait */
    assert_null(one->dependency);
    assert_null(one->comment); /* by which the whole job is looked up */
    assert_null(one->script);
    assert_true(request.no_kill && one->no_kill);
    slurm_request_fini(&request);
}

static void components_stand_as_sbatch_takes_them_too(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {sbatch_args: [-c, '2', ':', -N, '2', '-pgpu', ':', --constraint=a b], components: [-c3 -N1]}\n");
    assert_int_equal(request.component_count, 2);
    assert_int_equal(request.cpus_per_task, 2);
    assert_int_equal(request.components[0].cpus_per_task, 3); /* of the key, and the words win over it */
    assert_int_equal(request.components[0].nodes, 2);
    assert_string_equal(request.components[0].partition, "gpu");
    assert_string_equal(request.components[1].constraint, "a b");
    assert_int_equal(request.components[1].cpus_per_task, 1); /* filled in, as of any job */
    slurm_request_fini(&request);
}

static void a_component_without_a_word_is_one_more_node(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("resources: {cpus: 5}\nslurm: {sbatch_args: [':']}\n");
    assert_int_equal(only_component(&request)->nodes, SLURM_UNSET);
    assert_int_equal(only_component(&request)->cpus_per_task, 5);
    slurm_request_fini(&request);
}

static void a_component_may_have_no_gpus_though_trials_need_some(void **state)
{
    (void)state;
    struct slurm_request request =
        requests_make_job("resources: {gpus: 2}\nslurm: {gres: none, components: ['-N 2']}\n");
    assert_null(request.gres);
    assert_string_equal(only_component(&request)->gres, "gpu:2");
    slurm_request_fini(&request);
}

static void the_nodes_of_all_components_count_for_a_trial_on_several(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("resources: {nodes: 3}\nslurm: {components: ['-N 2']}\n");
    assert_int_equal(request.nodes, 1);
    assert_int_equal(only_component(&request)->nodes, 2);
    assert_false(request.no_kill); /* without one of them no trial could run */
    slurm_request_fini(&request);
}

static void the_script_has_all_components(void **state)
{
    (void)state;
    struct buf script = {0};
    struct slurm_request request = requests_make_job("slurm: {cpus_per_task: 2, components: ['-N 3 --gres=gpu:1']}\n");
    sbatch_script(&request, &script);
    const char *second = strstr(buf_str(&script), "#SBATCH hetjob\n");
    assert_non_null(second);
    assert_has(second, "#SBATCH --nodes=3\n");
    assert_has(second, "#SBATCH --gres=gpu:1\n");
    assert_null(strstr(second, "#SBATCH --signal"));
    assert_null(strstr(second, "#SBATCH --comment"));
    assert_has(second, "exec ");
    buf_fini(&script);
    slurm_request_fini(&request);
}

static void a_request_with_components_comes_back_as_it_was(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("slurm: {components: ['-N 3', '--gres=gpu:1']}\n"), back;
    json_t *json = slurm_request_json(&request);
    assert_int_equal(slurm_request_read(json, &back, NULL), 0);
    assert_int_equal(back.component_count, 2);
    assert_int_equal(back.components[0].nodes, 3);
    assert_string_equal(back.components[1].gres, "gpu:1");
    slurm_request_fini(&back);
    struct err err;
    json_object_set_new(json_array_get(json_object_get(json, "components"), 1), "nodes", json_string("many"));
    assert_int_equal(slurm_request_read(json, &back, &err), -1);
    assert_has(err.text, "nodes is of the wrong type");
    json_object_set_new(json, "components", json_integer(2));
    assert_int_equal(slurm_request_read(json, &back, &err), -1);
    assert_has(err.text, "components is of the wrong type");
    json_decref(json);
    slurm_request_fini(&request);
}

/* --- what is refused --- */

static void refuse(const char *keys, const char *said)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = requests_spec(keys);
    struct slurm_order order = requests_order(spec);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_EXPERIMENT, 0, &request, NULL, &err), -1);
    assert_has(err.text, said);
    spec_destroy(spec);
}

static void what_is_of_the_whole_job_stands_before_the_components(void **state)
{
    (void)state;
    static const char *const options[] = {"--job-name=a", "--chdir=/a",      "--time=3",      "--time-min=1",
                                          "--nice=4",     "--no-requeue",    "--hold",        "--dependency=singleton",
                                          "--begin=now",  "--mail-user=ada", "--export=NONE", "--mail-type=END"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char *keys = mem_format("slurm: {components: ['%s']}\n", options[i]);
        refuse(keys, "is about the whole job");
        free(keys);
    }
    refuse("slurm: {components: ['', '--hold']}\n", "component 3: sbatch's --hold is about the whole job");
}

static void what_no_component_can_be_asked_for_is_refused(void **state)
{
    (void)state;
    refuse("slurm: {components: ['-N 0']}\n", "component 2: sbatch's --nodes can't be 0");
    refuse("slurm: {components: ['--wrap=ls']}\n", "component 2: sbatch's --wrap: the job runs gannet");
    refuse("slurm: {shape: elastic, components: ['-N 2']}\n", "has shape job");
    refuse("resources: {cpus: 4}\nslurm: {cpus_per_task: 2, components: ['-c 3']}\n",
           "'resources.cpus' is 4, but a node of the job has 2");
    struct buf keys = {0};
    buf_text(&keys, "slurm: {sbatch_args: [");
    for (int i = 0; i < 128; i++)
        buf_text(&keys, "':', ");
    buf_text(&keys, "]}\n");
    refuse(buf_str(&keys), "no job of more than 128 components");
    buf_fini(&keys);
}

static void a_job_is_taken_when_a_trial_fits_one_of_its_components(void **state)
{
    (void)state;
    struct slurm_request request =
        requests_make_job("resources: {cpus: 4}\nslurm: {cpus_per_task: 2, components: ['-c 3', '-c 4']}\n");
    assert_int_equal(request.component_count, 2);
    slurm_request_fini(&request);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_has_the_whole_jobs_wishes_and_nodes_of_its_own),
        cmocka_unit_test(components_stand_as_sbatch_takes_them_too),
        cmocka_unit_test(a_component_without_a_word_is_one_more_node),
        cmocka_unit_test(a_component_may_have_no_gpus_though_trials_need_some),
        cmocka_unit_test(the_nodes_of_all_components_count_for_a_trial_on_several),
        cmocka_unit_test(the_script_has_all_components),
        cmocka_unit_test(a_request_with_components_comes_back_as_it_was),
        cmocka_unit_test(what_is_of_the_whole_job_stands_before_the_components),
        cmocka_unit_test(what_no_component_can_be_asked_for_is_refused),
        cmocka_unit_test(a_job_is_taken_when_a_trial_fits_one_of_its_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
