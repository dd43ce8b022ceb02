/* What a batch job runs and sees: its script, its environment, and what sbatch's options change. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/sbatch_lines.h"
#include "scheduler/slurm/slurm_agent.h"
#include "tests/slurm_requests.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool names(const struct slurm_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->environment_count; i++)
        if (strncmp(request->environment[i], name, strlen(name)) == 0 && request->environment[i][strlen(name)] == '=')
            return true;
    return false;
}

/* --- the batch script --- */

static void the_script_is_one_for_bash_and_ends_in_gannet(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("slurm: {setup: [module load cuda, \"export X='a b'\"]}\n");
    static const char start[] = "#!/bin/bash\n", middle[] = "module load cuda\nexport X='a b'\n",
                      end[] = "exec '/opt/gannet/bin/gannet' job --rundir '/runs/it'\\''s x'\n";
    assert_int_equal(strncmp(request.script, start, sizeof start - 1), 0);
    assert_non_null(strstr(request.script, middle));
    assert_string_equal(request.script + strlen(request.script) - (sizeof end - 1), end);
    slurm_request_fini(&request);
    request = requests_make_job("");
    assert_int_equal(strncmp(request.script, "#!/bin/sh\n", 10), 0); /* where nobody needs more */
    slurm_request_fini(&request);
}

/* What a batch script with this setup says to both of its outputs, in an environment of our own with a home that has a
 * profile; gannet itself is not there. Its exit status. */
static int run_script(const char *setup, struct buf *out)
{
    static const char profile[] = "PATH=/lost\nmine() { echo mine; }\nexport FRESH=fresh KEPT=lost\n";
    char *directory = scratch_make(), *home = mem_format("HOME=%s", directory);
    char *path = scratch_file(directory, ".profile", profile);
    char *keys = mem_format("slurm: {setup: [%s]}\n", setup), *file = mem_format("%s/script", directory);
    char *command = mem_format("%s 2>&1", file);
    struct slurm_request request = requests_make_job(keys);
    assert_int_equal(path_write(file, request.script, strlen(request.script), 0700, NULL), 0);
    char *argv[] = {"sh", "-c", command, NULL}, *const environment[] = {home, "PATH=/usr/bin:/bin:/own",
                                                                        "KEPT=kept  $(x) 'a' \"b\"", NULL};
    int pipes[2], status = -1;
    char part[512];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        close(pipes[0]);
        execve("/bin/sh", argv, environment);
        _exit(126);
    }
    close(pipes[1]);
    for (ssize_t size; (size = read(pipes[0], part, sizeof part)) > 0;)
        buf_add(out, part, (size_t)size);
    close(pipes[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    slurm_request_fini(&request);
    free(home);
    free(path);
    free(keys);
    free(file);
    free(command);
    scratch_remove(directory);
    return WEXITSTATUS(status);
}

static void setup_has_what_a_login_shell_defines_and_keeps_the_submitters_variables(void **state)
{
    (void)state;
    struct buf out = {0};
    int status = run_script("mine, 'echo \"$PATH|$KEPT|$FRESH\"', 'source /dev/null', '[[ a == b ]] || echo c'", &out);
    assert_has(buf_str(&out), "mine\n/usr/bin:/bin:/own|kept  $(x) 'a' \"b\"|fresh\nc\n");
    assert_int_equal(status, 127); /* there is no /opt/gannet */
    buf_fini(&out);
}

static void the_first_command_of_setup_that_fails_ends_the_job_and_is_named(void **state)
{
    (void)state;
    struct buf out = {0};
    assert_int_equal(run_script("echo one, 'ls /nowhere/at/all >/dev/null 2>&1', echo three", &out), 2);
    assert_has(buf_str(&out), "one\ngannet: slurm.setup: status 2 of: ls /nowhere/at/all");
    assert_null(strstr(buf_str(&out), "three"));
    buf_clear(&out);
    assert_int_equal(run_script("source /nowhere/activate, echo three", &out), 1);
    assert_has(buf_str(&out), "of: source /nowhere/activate");
    buf_clear(&out);
    assert_int_equal(run_script("module load cuda, echo three", &out), 127);
    assert_has(buf_str(&out), "of: module load cuda");
    assert_null(strstr(buf_str(&out), "three"));
    buf_fini(&out);
}

/* --- the environment --- */

static void places_go_along_but_no_secrets_and_nothing_of_another_job(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("");
    assert_true(requests_has(&request, "PATH=/bin") && requests_has(&request, "HOME=/home/ada") &&
                requests_has(&request, "LC_ALL=C.UTF-8"));
    assert_true(requests_has(&request, "SLURM_CONF=/etc/x.conf") &&
                requests_has(&request, "GANNET_SLURM_MODULE=/m.so"));
    assert_false(names(&request, "WANDB_API_KEY"));
    assert_false(names(&request, "SLURM_JOB_ID") || names(&request, "GANNET_OWNER") || names(&request, "MINE"));
    slurm_request_fini(&request);
}

static void what_sbatch_would_add_is_added(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("slurm: {cpus_per_task: 5}\n");
    assert_true(requests_has(&request, "SLURM_JOB_NAME=gannet:x") && requests_has(&request, "SLURM_SUBMIT_DIR=/base"));
    assert_true(requests_has(&request, "SLURM_NTASKS_PER_NODE=1") && requests_has(&request, "SLURM_CPUS_PER_TASK=5"));
    assert_true(names(&request, "SLURM_SUBMIT_HOST") && names(&request, "SLURM_UMASK"));
    slurm_request_fini(&request);
}

static void export_names_what_else_goes_along(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job("slurm: {sbatch_args: ['--export=WANDB_API_KEY,ABSENT,A=b c']}\n");
    assert_true(requests_has(&request, "WANDB_API_KEY=s3cret") && requests_has(&request, "A=b c") &&
                requests_has(&request, "PATH=/bin"));
    assert_false(names(&request, "MINE") || names(&request, "ABSENT"));
    slurm_request_fini(&request);
    request = requests_make_job("slurm: {sbatch_args: [--export=NONE]}\n");
    assert_false(names(&request, "PATH"));
    assert_true(names(&request, "SLURM_SUBMIT_DIR"));
    slurm_request_fini(&request);
    request = requests_make_job("slurm: {sbatch_args: [--export=ALL]}\n");
    assert_true(requests_has(&request, "MINE=1") && requests_has(&request, "WANDB_API_KEY=s3cret"));
    assert_false(names(&request, "SLURM_JOB_ID") || names(&request, "GANNET_OWNER"));
    slurm_request_fini(&request);
}

static void commas_between_quotes_are_part_of_what_export_gives(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {sbatch_args: [\"--export=all,'A=1,2',B=\\\"3,4\\\",'WANDB_API_KEY',C=it's,D=5\"]}\n");
    assert_true(requests_has(&request, "A=1,2") && requests_has(&request, "B=\"3,4\"") &&
                requests_has(&request, "WANDB_API_KEY=s3cret"));
    assert_true(requests_has(&request, "C=it's") && requests_has(&request, "D=5") && requests_has(&request, "MINE=1"));
    slurm_request_fini(&request);
}

/* --- the script that sbatch would take --- */

static void what_sbatch_would_read_otherwise_is_quoted(void **state)
{
    (void)state;
    struct buf script = {0};
    struct slurm_request request =
        requests_make_job("slurm: {sbatch_args: ['--chdir=/a#1', '--wckey=a\\b', \"--network=it's\"]}\n");
    sbatch_script(&request, &script);
    assert_non_null(strstr(buf_str(&script), "#SBATCH --chdir='/a#1'\n"));
    assert_non_null(strstr(buf_str(&script), "#SBATCH --wckey='a\\\\b'\n"));
    assert_non_null(strstr(buf_str(&script), "#SBATCH --network='it\\'s'\n"));
    buf_fini(&script);
    slurm_request_fini(&request);
}

/* --- options --- */

static void options_win_over_keys_and_later_ones_over_earlier(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {partition: a, nodes: 2, time: 1h, sbatch_args: [--partition=b, -N, '3', -p, c, -t2:00:00, --mem=2G, "
        "--nice, --no-requeue, -H, '--gres=gpu:2', -Jmine]}\n");
    assert_string_equal(request.partition, "c");
    assert_int_equal(request.nodes, 3);
    assert_int_equal(request.minutes, 120);
    assert_int_equal(request.memory, 2048);
    assert_int_equal(request.nice, 100);
    assert_true(request.hold && !request.requeue);
    assert_string_equal(request.gres, "gpu:2");
    assert_string_equal(request.name, "mine");
    slurm_request_fini(&request);
}

static void an_option_replaces_what_a_key_asks_for_in_another_way(void **state)
{
    (void)state;
    struct slurm_request request =
        requests_make_job("slurm: {mem: 4G, gpus_per_node: 4, sbatch_args: [--mem-per-cpu=1G, '--gres=gpu:2']}\n");
    assert_int_equal(request.memory, SLURM_UNSET);
    assert_int_equal(request.memory_per_cpu, 1024);
    assert_null(request.gpus_per_node);
    assert_string_equal(request.gres, "gpu:2");
    slurm_request_fini(&request);
    request = requests_make_job("slurm: {gpus_per_node: 4, sbatch_args: ['--gres=nvme:1']}\n");
    assert_string_equal(request.gpus_per_node, "4");
    assert_string_equal(request.gres, "nvme:1");
    slurm_request_fini(&request);
}

static void options_without_a_key_are_handed_on_each_once(void **state)
{
    (void)state;
    struct slurm_request request = requests_make_job(
        "slurm: {mem: 4G, sbatch_args: [--wckey=a, --wckey, 'b c', --contiguous, -B, '2:8', --hint=nomultithread, "
        "--mem-per-gpu=2G, --exclusive=user, --delay-boot, '1:00:00', -S, '1']}\n");
    assert_string_equal(request.further, "wckey=b c\ncontiguous\nsockets-per-node=2\ncores-per-socket=8\n"
                                         "threads-per-core=1\nmem-per-gpu=2048\nexclusive=user\ndelay-boot=60\n"
                                         "core-spec=1\n");
    assert_int_equal(request.memory, SLURM_UNSET); /* the other way to ask for it */
    assert_false(request.exclusive);
    slurm_request_fini(&request);
    request = requests_make_job("slurm: {sbatch_args: [--exclusive=user, --exclusive, --mem-per-gpu=1, --mem=2]}\n");
    assert_null(request.further);
    assert_true(request.exclusive);
    slurm_request_fini(&request);
}

static void the_coordinators_own_job_has_no_wishes_for_nodes(void **state)
{
    (void)state;
    struct slurm_request request;
    struct spec *spec =
        requests_spec("slurm: {shape: elastic, sbatch_args: [--wckey=a, --gpu-bind=closest, --tmp=4]}\n");
    struct slurm_order order = requests_order(spec);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_COORDINATOR, 0, &request, NULL, NULL), 0);
    assert_string_equal(request.further, "wckey=a\n");
    slurm_request_fini(&request);
    spec_destroy(spec);
}

static void refuse(const char *keys, const char *said)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = requests_spec(keys);
    struct slurm_order order = requests_order(spec);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_EXPERIMENT, 0, &request, NULL, &err), -1);
    if (!strstr(err.text, said))
        print_error("'%s' is not in '%s'\n", said, err.text);
    assert_non_null(strstr(err.text, said));
    spec_destroy(spec);
}

static void options_that_cannot_be_given_are_refused_with_a_reason(void **state)
{
    (void)state;
    refuse("slurm: {sbatch_args: [--wrap=ls]}\n", "--wrap: the job runs gannet");
    refuse("slurm: {sbatch_args: [-m, block]}\n", "--distribution: gannet starts one worker a node");
    refuse("slurm: {mail_type: 'END,FIAL'}\n", "Slurm sends no mail of 'FIAL'. It does of: NONE, BEGIN");
    refuse("slurm: {sbatch_args: [--mail-type=ENDS]}\n", "no mail of 'ENDS'");
    refuse("slurm: {sbatch_args: [--hint=multithread]}\n", "--hint: of its words gannet takes 'nomultithread'");
    refuse("slurm: {sbatch_args: [-B, '1:2:3:4']}\n", "--extra-node-info: it is sockets:cores:threads");
    refuse("slurm: {sbatch_args: [--mincpus=few]}\n", "--mincpus: 'few' is no whole number");
    refuse("slurm: {sbatch_args: [\"--wckey=a\\nb\"]}\n", "--wckey: its value has a line break");
    refuse("slurm: {sbatch_args: [--contiguous=yes]}\n", "--contiguous: it takes no value here");
    refuse("slurm: {sbatch_args: [-o, x]}\n", "--output: the job's output is in the run directory's logs");
    refuse("slurm: {sbatch_args: ['--array=1-3']}\n", "slurm.shape: array");
    refuse("slurm: {sbatch_args: [--partiton=x]}\n", "did you mean '--partition'?");
    refuse("slurm: {sbatch_args: [--frobnicate]}\n", "The options: account, acctg-freq, bb, begin");
    refuse("slurm: {sbatch_args: [-Z]}\n", "'-Z' is not known here");
    refuse("slurm: {sbatch_args: [--partition]}\n", "--partition needs a value");
    refuse("slurm: {sbatch_args: [--partition=]}\n", "--partition needs a value");
    refuse("slurm: {sbatch_args: [gpu]}\n", "'gpu' is no option of sbatch");
    refuse("slurm: {sbatch_args: [-N, four]}\n", "--nodes: 'four' is no whole number");
    refuse("slurm: {sbatch_args: [-N, '0']}\n", "can't be 0");
    refuse("resources: {nodes: 3}\nslurm: {sbatch_args: [-N, '2']}\n", "a trial takes a slot on each of 3");
    refuse("slurm: {sbatch_args: [--hold=yes]}\n", "takes no value");
    refuse("slurm: {shape: elastic, sbatch_args: [-N, '2']}\n", "write slurm.workers");
    refuse("resources: {cpus: 4}\nslurm: {cpus_per_task: 6, workers_per_node: 2}\n",
           "'resources.cpus' is 4, but a node of the job has 6 (slurm.cpus_per_task) for 2 workers");
    refuse("slurm: {begin: whenever}\n", "'slurm.begin': 'whenever' is no time to begin");
}

static void a_time_that_an_option_sets_counts_everywhere(void **state)
{
    (void)state;
    struct err err;
    struct spec *spec = requests_spec("slurm: {time: 4h, sbatch_args: [--time=2]}\n");
    assert_int_equal(slurm_settle(spec, REQUESTS_NOW, &err), 0);
    assert_true(spec->slurm.time == 120 && spec->slurm.signal_before_end == 30);
    spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_script_is_one_for_bash_and_ends_in_gannet),
        cmocka_unit_test(setup_has_what_a_login_shell_defines_and_keeps_the_submitters_variables),
        cmocka_unit_test(the_first_command_of_setup_that_fails_ends_the_job_and_is_named),
        cmocka_unit_test(places_go_along_but_no_secrets_and_nothing_of_another_job),
        cmocka_unit_test(what_sbatch_would_add_is_added),
        cmocka_unit_test(export_names_what_else_goes_along),
        cmocka_unit_test(commas_between_quotes_are_part_of_what_export_gives),
        cmocka_unit_test(what_sbatch_would_read_otherwise_is_quoted),
        cmocka_unit_test(options_win_over_keys_and_later_ones_over_earlier),
        cmocka_unit_test(options_without_a_key_are_handed_on_each_once),
        cmocka_unit_test(the_coordinators_own_job_has_no_wishes_for_nodes),
        cmocka_unit_test(an_option_replaces_what_a_key_asks_for_in_another_way),
        cmocka_unit_test(options_that_cannot_be_given_are_refused_with_a_reason),
        cmocka_unit_test(a_time_that_an_option_sets_counts_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
