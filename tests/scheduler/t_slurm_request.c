/* What Slurm is asked for: by the keys of the file, by sbatch's options over them, and where both are silent. */
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/slurm_agent.h"
#include "scheduler/slurm/request.h"
#include "tests/claims.h"
#include "tests/scratch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOW 1795190400.0 /* 2026-11-20T16:00:00Z */

static const char head[] = "version: 1\nname: x\ntrial: {%s}\nmetric: {name: val_loss, goal: minimize}\n"
                           "parameters: {lr: {min: 1e-4, max: 1e-1, log: true}}\n";

static const char *const variables[] = {"PATH=/bin",
                                        "HOME=/home/ada",
                                        "LC_ALL=C.UTF-8",
                                        "WANDB_API_KEY=s3cret",
                                        "SLURM_JOB_ID=9",
                                        "SLURM_CONF=/etc/x.conf",
                                        "GANNET_OWNER=1",
                                        "MINE=1",
                                        "OMP_PROC_BIND=1",
                                        "GANNET_SLURM_MODULE=/m.so",
                                        NULL};

static struct spec *spec_of(const char *keys)
{
    struct problems problems;
    struct buf shown = {0};
    bool command = strstr(keys, "resources: {nodes"); /* no kernel trains on several */
    char *start = mem_format(head, command ? "command: [./train, '${params.lr}']" : "kernel: mlp");
    char *text = mem_format("%s%s", start, keys);
    free(start);
    struct spec *spec = spec_read_text(text, strlen(text), "x.yaml", "/base", NULL, 0, &problems);
    problems_show(&problems, &shown);
    if (!spec)
        print_error("%s\n", buf_str(&shown));
    assert_non_null(spec);
    buf_fini(&shown);
    problems_fini(&problems);
    free(text);
    return spec;
}

static struct slurm_order order_of(const struct spec *spec)
{
    return (struct slurm_order){.spec = spec,
                                .rundir = "/runs/it's x",
                                .programs = "/opt/gannet/bin",
                                .comment = "gannet:x:1",
                                .variables = variables,
                                .now = NOW};
}

/* The request for a role; with what gannet decided itself in *notes, if it is wanted. */
static struct slurm_request make(const char *keys, enum slurm_role role, uint32_t elements, struct buf *notes)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = spec_of(keys);
    struct slurm_order order = order_of(spec);
    assert_int_equal(slurm_settle(spec, NOW, &err), 0);
    int failed = slurm_request_make(&order, role, elements, &request, notes, &err);
    if (failed)
        print_error("%s\n", err.text);
    assert_int_equal(failed, 0);
    spec_destroy(spec);
    return request;
}

static struct slurm_request make_job(const char *keys)
{
    return make(keys, SLURM_ROLE_EXPERIMENT, 0, NULL);
}

static bool has(const struct slurm_request *request, const char *variable)
{
    for (uint32_t i = 0; i < request->environment_count; i++)
        if (strcmp(request->environment[i], variable) == 0)
            return true;
    return false;
}

static bool names(const struct slurm_request *request, const char *name)
{
    for (uint32_t i = 0; i < request->environment_count; i++)
        if (strncmp(request->environment[i], name, strlen(name)) == 0 && request->environment[i][strlen(name)] == '=')
            return true;
    return false;
}

/* --- keys --- */

static void keys_become_what_is_asked_for(void **state)
{
    (void)state;
    struct slurm_request request = make_job(
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
    struct slurm_request request = make_job("");
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
        make("resources: {gpus: 2, cpus: 3, memory: 4G}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
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
    struct slurm_request request = make_job("resources: {gpus: 1}\nslurm: {gpu_request: gpus}\n");
    assert_string_equal(request.gpus_per_node, "1");
    assert_null(request.gres);
    slurm_request_fini(&request);
    request = make_job("resources: {gpus: 1}\nslurm: {gpu_request: none}\n");
    assert_null(request.gpus_per_node);
    assert_null(request.gres);
    slurm_request_fini(&request);
}

static void a_node_gets_the_processors_and_memory_of_as_many_trials_as_its_gpus_serve(void **state)
{
    (void)state;
    struct slurm_request request =
        make_job("resources: {gpus: 2, cpus: 3, memory: 1G}\nslurm: {gres: 'foo:1,gpu:a100:8'}\n");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 4096);
    slurm_request_fini(&request);
}

static void trials_that_share_gpus_are_asked_whole_ones_for(void **state)
{
    (void)state;
    struct buf notes = {0};
    struct slurm_request request =
        make("resources: {gpus: 0.25, cpus: 3, memory: 1G}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
    assert_string_equal(request.gres, "gpu:1");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 4096);
    assert_non_null(strstr(buf_str(&notes), "1 GPU a node, which 4 trials share"));
    slurm_request_fini(&request);
    buf_fini(&notes);
    request = make_job("resources: {gpus: 0.5, cpus: 2}\nslurm: {gpus_per_node: 4}\n");
    assert_int_equal(request.cpus_per_task, 16);
    slurm_request_fini(&request);
    request = make_job("resources: {gpu_memory: 8G}\n"); /* how many that are, the GPU will tell */
    assert_string_equal(request.gres, "gpu:1");
    assert_int_equal(request.cpus_per_task, 1);
    slurm_request_fini(&request);
}

static void trials_that_divide_sockets_get_whole_nodes(void **state)
{
    (void)state;
    struct slurm_request request = make_job("resources: {trials_per_socket: 2, memory: 1G}\n");
    assert_true(request.exclusive);
    assert_int_equal(request.memory, 0);
    slurm_request_fini(&request);
}

static void a_job_has_as_many_nodes_as_a_trial_takes(void **state)
{
    (void)state;
    struct buf notes = {0};
    struct slurm_request request = make("resources: {nodes: 3}\n", SLURM_ROLE_EXPERIMENT, 0, &notes);
    assert_int_equal(request.nodes, 3);
    assert_false(request.no_kill); /* on two of them nothing could run: the job begins anew */
    assert_non_null(strstr(buf_str(&notes), "3 nodes, what one trial takes"));
    slurm_request_fini(&request);
    buf_fini(&notes);
    request = make_job("resources: {nodes: 3}\nslurm: {nodes: 6}\n");
    assert_int_equal(request.nodes, 6);
    assert_true(request.no_kill);
    slurm_request_fini(&request);
    request = make_job("resources: {nodes: 3}\nslurm: {sbatch_args: [-N, '4']}\n");
    assert_int_equal(request.nodes, 4);
    slurm_request_fini(&request);
}

static void trials_of_whole_sockets_get_whole_nodes(void **state)
{
    (void)state;
    struct slurm_request request = make_job("resources: {sockets: 1}\n");
    assert_true(request.exclusive);
    assert_int_equal(request.cpus_per_task, SLURM_UNSET);
    slurm_request_fini(&request);
}

/* What is said of a file with these keys, which can't be asked for. */
static void assert_too_small(const char *keys, const char *expected)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = spec_of(keys);
    struct slurm_order order = order_of(spec);
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
    struct slurm_request request = make_job("resources: {cpus: 8}\nslurm: {exclusive: true, cpus_per_task: 4}\n");
    slurm_request_fini(&request); /* nobody can tell how large a whole node is */
    request = make_job("resources: {gpus: 2, memory: 4G}\nslurm: {gpu_request: none, mem: 0}\n");
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
    struct slurm_request request = make(
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
    struct slurm_request request = make(
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
    struct slurm_request request = make(keys, SLURM_ROLE_WORKER, 0, &notes);
    assert_string_equal(request.gres, "gpu:6");
    assert_int_equal(request.cpus_per_task, 12);
    assert_int_equal(request.memory, 3072);
    assert_has(buf_str(&notes), "6 GPUs a node, what one trial needs on each of its workers");
    assert_has(request.script, "while [ $gannet_part -le 3 ]");
    assert_has(request.script, " --share $gannet_part/3 &\n");
    assert_null(strstr(request.script, "exec"));
    slurm_request_fini(&request);
    request = make(keys, SLURM_ROLE_COORDINATOR, 0, NULL);
    assert_has(request.script, "exec '/opt/gannet/bin/gannet' job");
    slurm_request_fini(&request);
    buf_fini(&notes);
}

static void workers_of_trials_that_save_nothing_are_not_ended_early(void **state)
{
    (void)state;
    struct slurm_request request;
    struct err err;
    struct spec *spec = spec_of("slurm: {shape: elastic}\n");
    struct slurm_order order = order_of(spec);
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
    struct slurm_request request = make("slurm: {shape: array, workers: 8}\n", SLURM_ROLE_WORKER, 8, NULL);
    assert_string_equal(request.array, "0-7");
    assert_non_null(strstr(request.output, "slurm-%A_%a.out"));
    assert_true(request.requeue);
    slurm_request_fini(&request);
}

/* --- the batch script --- */

static void the_script_is_one_for_bash_and_ends_in_gannet(void **state)
{
    (void)state;
    struct slurm_request request = make_job("slurm: {setup: [module load cuda, \"export X='a b'\"]}\n");
    static const char start[] = "#!/bin/bash\n", middle[] = "module load cuda\nexport X='a b'\n",
                      end[] = "exec '/opt/gannet/bin/gannet' job --rundir '/runs/it'\\''s x'\n";
    assert_int_equal(strncmp(request.script, start, sizeof start - 1), 0);
    assert_non_null(strstr(request.script, middle));
    assert_string_equal(request.script + strlen(request.script) - (sizeof end - 1), end);
    slurm_request_fini(&request);
    request = make_job("");
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
    struct slurm_request request = make_job(keys);
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
    struct slurm_request request = make_job("");
    assert_true(has(&request, "PATH=/bin") && has(&request, "HOME=/home/ada") && has(&request, "LC_ALL=C.UTF-8"));
    assert_true(has(&request, "SLURM_CONF=/etc/x.conf") && has(&request, "GANNET_SLURM_MODULE=/m.so"));
    assert_false(names(&request, "WANDB_API_KEY"));
    assert_false(names(&request, "SLURM_JOB_ID") || names(&request, "GANNET_OWNER") || names(&request, "MINE"));
    slurm_request_fini(&request);
}

static void what_sbatch_would_add_is_added(void **state)
{
    (void)state;
    struct slurm_request request = make_job("slurm: {cpus_per_task: 5}\n");
    assert_true(has(&request, "SLURM_JOB_NAME=gannet:x") && has(&request, "SLURM_SUBMIT_DIR=/base"));
    assert_true(has(&request, "SLURM_NTASKS_PER_NODE=1") && has(&request, "SLURM_CPUS_PER_TASK=5"));
    assert_true(names(&request, "SLURM_SUBMIT_HOST") && names(&request, "SLURM_UMASK"));
    slurm_request_fini(&request);
}

static void export_names_what_else_goes_along(void **state)
{
    (void)state;
    struct slurm_request request = make_job("slurm: {sbatch_args: ['--export=WANDB_API_KEY,ABSENT,A=b c']}\n");
    assert_true(has(&request, "WANDB_API_KEY=s3cret") && has(&request, "A=b c") && has(&request, "PATH=/bin"));
    assert_false(names(&request, "MINE") || names(&request, "ABSENT"));
    slurm_request_fini(&request);
    request = make_job("slurm: {sbatch_args: [--export=NONE]}\n");
    assert_false(names(&request, "PATH"));
    assert_true(names(&request, "SLURM_SUBMIT_DIR"));
    slurm_request_fini(&request);
    request = make_job("slurm: {sbatch_args: [--export=ALL]}\n");
    assert_true(has(&request, "MINE=1") && has(&request, "WANDB_API_KEY=s3cret"));
    assert_false(names(&request, "SLURM_JOB_ID") || names(&request, "GANNET_OWNER"));
    slurm_request_fini(&request);
}

/* --- options --- */

static void options_win_over_keys_and_later_ones_over_earlier(void **state)
{
    (void)state;
    struct slurm_request request = make_job(
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
        make_job("slurm: {mem: 4G, gpus_per_node: 4, sbatch_args: [--mem-per-cpu=1G, '--gres=gpu:2']}\n");
    assert_int_equal(request.memory, SLURM_UNSET);
    assert_int_equal(request.memory_per_cpu, 1024);
    assert_null(request.gpus_per_node);
    assert_string_equal(request.gres, "gpu:2");
    slurm_request_fini(&request);
    request = make_job("slurm: {gpus_per_node: 4, sbatch_args: ['--gres=nvme:1']}\n");
    assert_string_equal(request.gpus_per_node, "4");
    assert_string_equal(request.gres, "nvme:1");
    slurm_request_fini(&request);
}

static void options_without_a_key_are_handed_on_each_once(void **state)
{
    (void)state;
    struct slurm_request request = make_job(
        "slurm: {mem: 4G, sbatch_args: [--wckey=a, --wckey, 'b c', --contiguous, -B, '2:8', --hint=nomultithread, "
        "--mem-per-gpu=2G, --exclusive=user, --delay-boot, '1:00:00', -S, '1']}\n");
    assert_string_equal(request.further, "wckey=b c\ncontiguous\nsockets-per-node=2\ncores-per-socket=8\n"
                                         "threads-per-core=1\nmem-per-gpu=2048\nexclusive=user\ndelay-boot=60\n"
                                         "core-spec=1\n");
    assert_int_equal(request.memory, SLURM_UNSET); /* the other way to ask for it */
    assert_false(request.exclusive);
    slurm_request_fini(&request);
    request = make_job("slurm: {sbatch_args: [--exclusive=user, --exclusive, --mem-per-gpu=1, --mem=2]}\n");
    assert_null(request.further);
    assert_true(request.exclusive);
    slurm_request_fini(&request);
}

static void the_coordinators_own_job_has_no_wishes_for_nodes(void **state)
{
    (void)state;
    struct slurm_request request;
    struct spec *spec = spec_of("slurm: {shape: elastic, sbatch_args: [--wckey=a, --gpu-bind=closest, --tmp=4]}\n");
    struct slurm_order order = order_of(spec);
    assert_int_equal(slurm_request_make(&order, SLURM_ROLE_COORDINATOR, 0, &request, NULL, NULL), 0);
    assert_string_equal(request.further, "wckey=a\n");
    slurm_request_fini(&request);
    spec_destroy(spec);
}

static void refuse(const char *keys, const char *said)
{
    struct slurm_request request;
    struct err err = {""};
    struct spec *spec = spec_of(keys);
    struct slurm_order order = order_of(spec);
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
    struct spec *spec = spec_of("slurm: {time: 4h, sbatch_args: [--time=2]}\n");
    assert_int_equal(slurm_settle(spec, NOW, &err), 0);
    assert_true(spec->slurm.time == 120 && spec->slurm.signal_before_end == 30);
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
        cmocka_unit_test(the_script_is_one_for_bash_and_ends_in_gannet),
        cmocka_unit_test(setup_has_what_a_login_shell_defines_and_keeps_the_submitters_variables),
        cmocka_unit_test(the_first_command_of_setup_that_fails_ends_the_job_and_is_named),
        cmocka_unit_test(places_go_along_but_no_secrets_and_nothing_of_another_job),
        cmocka_unit_test(what_sbatch_would_add_is_added),
        cmocka_unit_test(export_names_what_else_goes_along),
        cmocka_unit_test(options_win_over_keys_and_later_ones_over_earlier),
        cmocka_unit_test(options_without_a_key_are_handed_on_each_once),
        cmocka_unit_test(the_coordinators_own_job_has_no_wishes_for_nodes),
        cmocka_unit_test(an_option_replaces_what_a_key_asks_for_in_another_way),
        cmocka_unit_test(options_that_cannot_be_given_are_refused_with_a_reason),
        cmocka_unit_test(a_time_that_an_option_sets_counts_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
