/* A whole coordinator - this program again, started with a run directory - and a made-up worker before it. */
#include "scheduler/coordinator/coordinator.h"
#include "tests/claims.h"
#include "tests/control.h"
#include "tests/test_metrics.h"
#include "tests/experiment.h"
#include "tests/searches.h"

#include "common/clock.h"
#include "common/link.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/msg.h"
#include "common/path.h"
#include "scheduler/store/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double patience = 300; /* seconds; passes only when what is waited for never happens */

/* The stage: a run directory, a coordinator, a worker that ends every run at once. */
struct stage {
    void *scratch;
    struct rundir dir;
    pid_t coordinator;
    struct link_context *links;
    struct link *link;
    uint64_t worker;
    uint64_t results; /* sent so far */
    uint64_t most;    /* the worker stops after so many */
    bool drained;
    char refused[512]; /* what REFUSED said */
    struct buf bytes;
};

static void start_coordinator(struct stage *stage)
{
    char *argv[] = {"t_coordinator", "coordinator", stage->dir.path, NULL};
    char program[4096] = "";
    assert_true(readlink("/proc/self/exe", program, sizeof program - 1) > 0); /* by its name, valgrind knows it */
    char *log = path_join(stage->dir.logs, "coordinator.log");
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    assert_int_equal(posix_spawn(&stage->coordinator, program, &files, NULL, argv, environ), 0);
    posix_spawn_file_actions_destroy(&files);
    free(log);
}

/* Its exit status, or 256 and the signal. */
static int await_coordinator(struct stage *stage)
{
    int status = 0;
    pid_t pid = stage->coordinator;
    stage->coordinator = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int set_up(void **state)
{
    static struct stage stage;
    struct err err;
    stage = (struct stage){.worker = 4711, .most = UINT64_MAX};
    if (enter_scratch(&stage.scratch))
        return -1;
    experiment_make(&stage.scratch, experiment_text, &stage.dir);
    stage.links = link_context_create(&err);
    *state = &stage;
    return 0;
}

static int tear_down(void **state)
{
    struct stage *stage = *state;
    if (stage->coordinator) {
        kill(stage->coordinator, SIGKILL);
        await_coordinator(stage);
    }
    link_close(stage->link);
    link_context_destroy(stage->links);
    buf_fini(&stage->bytes);
    rundir_fini(&stage->dir);
    return leave_scratch(&stage->scratch);
}

/* --- the made-up worker --- */

static void say_bytes(struct stage *stage, const void *bytes, size_t length)
{
    double deadline = clock_monotonic() + patience;
    while (link_send(stage->link, 0, bytes, length) != LINK_OK) {
        struct link_poll item = {.link = stage->link, .want_write = true};
        assert_true(clock_monotonic() < deadline);
        link_wait(&item, 1, 0.1, NULL);
    }
}

static void say(struct stage *stage, const struct msg *msg)
{
    buf_clear(&stage->bytes);
    msg_encode(msg, &stage->bytes);
    say_bytes(stage, stage->bytes.data, stage->bytes.length);
}

/* One that could not start need not be waited for. */
static bool coordinator_has_ended(const struct stage *stage)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)stage->coordinator, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/* Connects to whatever coordinator lives now. */
static void connect_worker(struct stage *stage)
{
    double deadline = clock_monotonic() + patience;
    struct discovery discovery;
    while (discovery_read(&stage->dir, &discovery, NULL)) {
        assert_false(coordinator_has_ended(stage));
        assert_true(clock_monotonic() < deadline);
        link_wait(NULL, 0, 0.005, NULL);
    }
    link_close(stage->link);
    stage->link = control_connect(stage->links, &stage->dir, "worker", &discovery);
}

static void say_hello(struct stage *stage)
{
    struct msg hello = {
        .kind = MSG_HELLO,
        .hello = {.worker = stage->worker, .node = "testnode", .pid = 1, .version = "test", .cores = 2}};
    say(stage, &hello);
}

static void say_offer(struct stage *stage)
{
    struct msg_slot slots[] = {{.index = 0, .cpus = "0"}, {.index = 1, .cpus = "1"}};
    struct msg offer = {.kind = MSG_OFFER, .offer = {.credit = 4, .slots = slots, .slots_count = 2}};
    say(stage, &offer);
}

static void end_lease(struct stage *stage, const struct msg_lease *lease)
{
    struct msg_sample sample = {.metric = "value", .step = 1, .value = (double)lease->trial};
    struct msg_result result = {.trial = lease->trial,
                                .attempt = lease->attempt,
                                .slot = lease->slot,
                                .ending = ENDING_COMPLETED,
                                .samples = &sample,
                                .samples_count = 1};
    decided_add(&result, 0, sample.value);
    struct msg results = {.kind = MSG_RESULTS, .results = {.results = &result, .results_count = 1}};
    if (stage->results < stage->most) {
        stage->results++;
        say(stage, &results);
    }
}

static void hear(struct stage *stage, const struct msg *msg)
{
    if (msg->kind == MSG_WHO)
        say_hello(stage);
    if (msg->kind == MSG_WELCOME)
        say_offer(stage);
    for (uint32_t i = 0; msg->kind == MSG_LEASES && i < msg->leases.leases_count; i++)
        end_lease(stage, &msg->leases.leases[i]);
    if (msg->kind == MSG_DRAIN) {
        struct msg goodbye = {.kind = MSG_GOODBYE, .goodbye = {.why = "told to go"}};
        stage->drained = true;
        say(stage, &goodbye);
    }
    if (msg->kind == MSG_REFUSED)
        snprintf(stage->refused, sizeof stage->refused, "%s", msg->refused.why);
}

/* Takes the next message; false when none came for a while. */
static bool work(struct stage *stage)
{
    struct link_poll item = {.link = stage->link, .want_read = true};
    struct buf bytes = {0};
    uint64_t peer;
    struct msg msg;
    link_wait(&item, 1, 0.1, NULL);
    bool heard = link_receive(stage->link, &peer, &bytes) == LINK_OK;
    if (heard && msg_decode(&msg, bytes.data, bytes.length, NULL) == 0) {
        hear(stage, &msg);
        msg_fini(&msg);
    }
    buf_fini(&bytes);
    return heard;
}

/* Works until it has sent so many results, or is told to go. */
static void work_until(struct stage *stage, uint64_t results)
{
    double deadline = clock_monotonic() + patience;
    while (stage->results < results && !stage->drained) {
        assert_true(clock_monotonic() < deadline);
        work(stage);
    }
}

static void work_to_the_end(struct stage *stage)
{
    double deadline = clock_monotonic() + patience;
    while (!stage->drained) {
        assert_true(clock_monotonic() < deadline);
        work(stage);
    }
}

/* --- what is in the store --- */

static void stand(struct stage *stage, struct snapshot *snapshot)
{
    struct err err;
    struct reader *reader = reader_open(stage->dir.store, &err);
    if (!reader || reader_snapshot(reader, snapshot, &err))
        fail_msg("%s", err.text);
    reader_close(reader);
}

static void assert_complete(struct stage *stage, uint64_t trials)
{
    struct snapshot snapshot;
    stand(stage, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_COMPLETED], trials);
    assert_int_equal(snapshot.trials[TRIAL_WAITING] + snapshot.trials[TRIAL_RUNNING], 0);
    assert_int_equal(snapshot.state, EXPERIMENT_ENDED);
    assert_int_equal(snapshot.reason, REASON_MAX_TRIALS);
    snapshot_fini(&snapshot);
}

/* --- claims --- */

static void an_experiment_runs_to_its_end(void **state)
{
    struct stage *stage = *state;
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    assert_complete(stage, 20);
    assert_false(path_exists(stage->dir.discovery));
    assert_false(rundir_is_locked(&stage->dir));
}

static void a_worker_that_makes_no_sense_is_set_aside_and_another_goes_on(void **state)
{
    struct stage *stage = *state;
    struct msg_sample sample = {.metric = "value", .step = INT64_MAX, .value = 1};
    struct msg_batch batch = {.trial = 1, .attempt = 1, .samples = &sample, .samples_count = 1};
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_until(stage, 3);
    say(stage, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    double deadline = clock_monotonic() + patience;
    while (!*stage->refused && clock_monotonic() < deadline)
        work(stage);
    assert_has(stage->refused, "it was set aside: its SAMPLES makes no sense: 'step' of sample");
    stage->worker++;
    connect_worker(stage);
    say_hello(stage);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    assert_complete(stage, 20);
}

static void a_killed_coordinator_is_followed_by_one_that_goes_on(void **state)
{
    struct stage *stage = *state;
    for (uint64_t round = 1; round <= 5; round++) {
        start_coordinator(stage);
        connect_worker(stage);
        say_hello(stage);
        work_until(stage, round * 3);
        kill(stage->coordinator, SIGKILL);
        assert_int_equal(await_coordinator(stage), 256 + SIGKILL);
    }
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    assert_complete(stage, 20);
}

static void a_worker_whose_coordinator_was_replaced_is_asked_who_it_is(void **state)
{
    struct stage *stage = *state;
    struct msg heartbeat = {.kind = MSG_HEARTBEAT};
    start_coordinator(stage);
    connect_worker(stage);
    say(stage, &heartbeat);
    work_to_the_end(stage); /* WHO makes it say HELLO */
    assert_int_equal(await_coordinator(stage), 0);
}

static void a_second_coordinator_is_refused(void **state)
{
    struct stage *stage = *state;
    struct err err = {0};
    start_coordinator(stage);
    connect_worker(stage);
    assert_int_equal(coordinator_run(&(struct coordinator_setup){.dir = &stage->dir}, &err), 1);
    assert_has(err.text, "already runs");
    say_hello(stage);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
}

static void a_signal_interrupts_and_running_trials_wait_again(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    stage->most = 5; /* then it holds its runs */
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_until(stage, 5);
    kill(stage->coordinator, SIGTERM);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    stand(stage, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_COMPLETED], 5);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED] + snapshot.trials[TRIAL_RUNNING], 0);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void who_speaks_another_version_is_told_so(void **state)
{
    struct stage *stage = *state;
    static const unsigned char newer[] = {'G', MSG_VERSION + 1, MSG_HELLO, 0};
    double deadline = clock_monotonic() + patience;
    start_coordinator(stage);
    connect_worker(stage);
    say_bytes(stage, newer, sizeof newer);
    while (!*stage->refused && clock_monotonic() < deadline)
        work(stage);
    char *ours = mem_format("version %d", MSG_VERSION);
    assert_has(stage->refused, ours);
    free(ours);
    say_hello(stage);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
}

/* Puts another experiment in the place of the stage's: with another end from `line` on. */
static void use_ending(struct stage *stage, const char *line, const char *ending)
{
    char text[1024];
    snprintf(text, sizeof text, "%s", experiment_text);
    char *at = strstr(text, line);
    snprintf(at, sizeof text - (size_t)(at - text), "%s", ending);
    assert_int_equal(path_remove_tree(stage->dir.path, NULL), 0);
    rundir_fini(&stage->dir);
    experiment_make(&stage->scratch, text, &stage->dir);
}

static void use_strategy(struct stage *stage, const char *name)
{
    char *ending =
        mem_format("strategy: {name: %s, plugin: \"%s\"}\nlimits: {max_trials: 20}\n", name, searches_plugin(name));
    use_ending(stage, "strategy: random\n", ending);
    free(ending);
}

/* The checkpoint of a trial, in its directory. */
static void put_checkpoint(struct stage *stage, unsigned trial)
{
    char *directory = mem_format("%s/%06u", stage->dir.trials, trial), *file = path_join(directory, "checkpoint");
    assert_int_equal(path_make_directory(directory, 0700, NULL), 0);
    write_file(file, "12\n", 0600);
    free(file);
    free(directory);
}

static bool has_checkpoint(struct stage *stage, unsigned trial)
{
    char *file = mem_format("%s/%06u/checkpoint", stage->dir.trials, trial);
    bool has = path_exists(file);
    free(file);
    return has;
}

static void checkpoints_that_a_killed_coordinator_left_of_ended_trials_are_removed(void **state)
{
    struct stage *stage = *state;
    use_ending(stage, "trial:",
               "trial: {kernel: synth, options: {function: branin, steps: 5}, checkpoint: true}\n"
               "metric: {name: value, goal: minimize}\n"
               "parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}\n"
               "strategy: random\n"
               "limits: {max_trials: 20}\n");
    stage->most = 1; /* of its two slots, the other one holds its run */
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_until(stage, 1);
    kill(stage->coordinator, SIGTERM);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    for (unsigned trial = 1; trial <= 2; trial++)
        put_checkpoint(stage, trial);
    stage->drained = false;
    stage->most = 0;
    start_coordinator(stage);
    connect_worker(stage);
    assert_false(has_checkpoint(stage, 1));
    assert_true(has_checkpoint(stage, 2));
}

static void a_strategy_that_thinks_for_ever_does_not_keep_the_end_waiting(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    use_strategy(stage, "stuck");
    start_coordinator(stage);
    connect_worker(stage);
    say_hello(stage);
    work_until(stage, 10);
    kill(stage->coordinator, SIGTERM);
    work_to_the_end(stage);
    assert_int_equal(await_coordinator(stage), 0);
    stand(stage, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_COMPLETED], 10);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void a_finished_experiment_ends_at_once(void **state)
{
    struct stage *stage = *state;
    an_experiment_runs_to_its_end(state);
    start_coordinator(stage);
    assert_int_equal(await_coordinator(stage), 0);
    assert_complete(stage, 20);
}

static void what_is_no_run_directory_is_refused(void **state)
{
    (void)state;
    struct rundir nowhere;
    struct err err = {0};
    rundir_name("/nowhere", &nowhere);
    assert_int_equal(coordinator_run(&(struct coordinator_setup){.dir = &nowhere}, &err), 1);
    assert_has(err.text, "/nowhere");
    rundir_fini(&nowhere);
}

static int be_coordinator(const char *path)
{
    struct rundir dir;
    struct err err = {0};
    log_open("coordinator", LOG_INFO);
    rundir_name(path, &dir);
    int status = coordinator_run(&(struct coordinator_setup){.dir = &dir}, &err);
    if (status)
        log_error("%s", err.text);
    rundir_fini(&dir);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return be_coordinator(argv[2]);
#define STAGED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        STAGED(an_experiment_runs_to_its_end),
        STAGED(a_killed_coordinator_is_followed_by_one_that_goes_on),
        STAGED(a_worker_whose_coordinator_was_replaced_is_asked_who_it_is),
        STAGED(a_worker_that_makes_no_sense_is_set_aside_and_another_goes_on),
        STAGED(a_second_coordinator_is_refused),
        STAGED(a_signal_interrupts_and_running_trials_wait_again),
        STAGED(who_speaks_another_version_is_told_so),
        STAGED(a_strategy_that_thinks_for_ever_does_not_keep_the_end_waiting),
        STAGED(a_finished_experiment_ends_at_once),
        STAGED(checkpoints_that_a_killed_coordinator_left_of_ended_trials_are_removed),
        STAGED(what_is_no_run_directory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
