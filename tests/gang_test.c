/* See gang_test.h. */
#include "tests/gang_test.h"

#include "common/buf.h"
#include "common/frame.h"
#include "common/mem.h"
#include "common/path.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_trainer(int socket, int errors)
{
    char *here = path_program_directory(), *program = mem_format("%s/../../bin/gannet-trainer", here);
    int nothing = open("/dev/null", O_RDONLY), high = fcntl(socket, F_DUPFD, 10);
    dup2(nothing, STDIN_FILENO);
    dup2(errors, STDERR_FILENO);
    dup2(high, 3);
    close(high);
    setenv("OMP_NUM_THREADS", "1", 1); /* as the worker does: threads that wait for each other do so awake */
    execl(program, program, (char *)NULL);
    _exit(127);
}

int gang_test_start(void **state)
{
    struct gang_test *test = MEM_NEW(struct gang_test);
    int pair[2], pipes[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    test->pid = fork();
    if (!test->pid)
        become_trainer(pair[1], pipes[1]);
    close(pair[1]);
    close(pipes[1]);
    test->fd = pair[0];
    test->errors = pipes[0];
    *state = test;
    return 0;
}

int gang_test_reap(struct gang_test *test)
{
    int status = 0;
    assert_int_equal(waitpid(test->pid, &status, 0), test->pid);
    test->pid = 0;
    return status;
}

int gang_test_end(void **state)
{
    struct gang_test *test = *state;
    if (test->pid) {
        kill(test->pid, SIGKILL);
        gang_test_reap(test);
    }
    close(test->fd);
    close(test->errors);
    msg_fini(&test->msg);
    buf_fini(&test->in);
    buf_fini(&test->out);
    free(test);
    return 0;
}

void gang_test_tell(struct gang_test *test, const struct msg *msg)
{
    frame_put(&test->out, msg);
    assert_int_equal(frame_write(test->fd, &test->out), 0);
}

enum msg_kind gang_test_next(struct gang_test *test)
{
    struct pollfd readable = {.fd = test->fd, .events = POLLIN};
    struct err err;
    int result;
    msg_fini(&test->msg);
    while ((result = frame_take(&test->in, &test->msg, &err)) == 0) {
        if (poll(&readable, 1, PATIENCE) <= 0)
            fail_msg("the trainer says nothing");
        if (frame_read(test->fd, &test->in) < 0)
            return MSG_NONE;
    }
    assert_int_equal(result, 1);
    return test->msg.kind;
}

/* Sets up a kernel in so many ranks; its trouble. */
const char *gang_test_set_up(struct gang_test *test, const char *kernel, int ranks, const char *options)
{
    char *base = getcwd(NULL, 0);
    json_t *task = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:[s], s:i, s:i, s:{s:i, s:i}}", "experiment", "test",
                             "directory", "/tmp", "kernel", kernel, "options", json_of_quoted(options), "base", base,
                             "workdir", "/", "metric", "val_loss", "metrics", "val_loss", "trial_time", 0, "grace", 1,
                             "resources", "ranks", ranks, "nodes", test->nodes > 1 ? test->nodes : 1);
    char *text = json_dumps(task, 0);
    gang_test_tell(test, &(struct msg){.kind = MSG_SETUP, .setup = {.task = text, .threads = 1, .places = ""}});
    free(text);
    free(base);
    json_decref(task);
    assert_int_equal(gang_test_next(test), MSG_READY);
    return test->msg.ready.trouble;
}

static void keep_samples(struct gang_test *test, const struct msg_sample *samples, uint32_t count)
{
    for (uint32_t i = 0; i < count && test->count < MOST_SAMPLES; i++)
        test->values[test->count++] = samples[i].value;
}

void gang_test_begin(struct gang_test *test, const struct msg_run *wanted)
{
    test->count = 0;
    gang_test_tell(test, &(struct msg){.kind = MSG_RUN, .run = *wanted});
}

enum ending gang_test_await(struct gang_test *test)
{
    enum msg_kind kind;
    while ((kind = gang_test_next(test)) == MSG_STEP)
        keep_samples(test, test->msg.step.samples, test->msg.step.samples_count);
    assert_int_equal(kind, MSG_ENDED);
    keep_samples(test, test->msg.ended.samples, test->msg.ended.samples_count);
    return (enum ending)test->msg.ended.ending;
}

enum ending gang_test_run(struct gang_test *test, const struct msg_run *wanted)
{
    gang_test_begin(test, wanted);
    return gang_test_await(test);
}

struct msg_run gang_test_trial(const char *params)
{
    return (struct msg_run){.trial = 1, .attempt = 1, .seed = 5, .params = params};
}
