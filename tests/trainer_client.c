/* Drives gannet-trainer; see trainer_client.h. */
#include "tests/trainer_client.h"

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

enum { PATIENCE = 300000 /* ms for anything awaited */ };

static char *program(void)
{
    char *here = path_program_directory();
    char *path = mem_format("%s/../../bin/gannet-trainer", here);
    free(here);
    return path;
}

/* Runs in the child: the socket becomes 3. */
static void become_trainer(int socket, int errors, int permits)
{
    dup2(errors, STDERR_FILENO);
    dup2(permits, STDIN_FILENO);
    int high = fcntl(socket, F_DUPFD, 10); /* out of the way of 3 */
    dup2(high, 3);
    close(high);
    char *path = program();
    execl(path, path, (char *)NULL);
    _exit(127);
}

int client_start(void **state)
{
    struct trainer *trainer = MEM_NEW(struct trainer);
    int pair[2], pipes[2], permits[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    assert_int_equal(pipe2(permits, O_CLOEXEC | O_NONBLOCK), 0);
    trainer->pid = fork();
    if (!trainer->pid)
        become_trainer(pair[1], pipes[1], permits[0]);
    close(permits[0]);
    close(pair[1]);
    close(pipes[1]);
    trainer->fd = pair[0];
    trainer->errors = pipes[0];
    trainer->permit_to = permits[1];
    *state = trainer;
    return 0;
}

int client_reap(struct trainer *trainer)
{
    int status = 0;
    assert_int_equal(waitpid(trainer->pid, &status, 0), trainer->pid);
    trainer->pid = 0;
    return status;
}

int client_stop(void **state)
{
    struct trainer *trainer = *state;
    if (trainer->pid) {
        kill(trainer->pid, SIGKILL);
        client_reap(trainer);
    }
    if (trainer->fd >= 0)
        close(trainer->fd);
    close(trainer->errors);
    close(trainer->permit_to);
    msg_fini(&trainer->msg);
    buf_fini(&trainer->in);
    buf_fini(&trainer->out);
    free(trainer);
    return 0;
}

void client_tell(struct trainer *trainer, const struct msg *msg)
{
    frame_put(&trainer->out, msg);
    assert_int_equal(frame_write(trainer->fd, &trainer->out), 0);
    assert_int_equal(trainer->out.length, 0);
}

enum msg_kind client_next(struct trainer *trainer)
{
    struct pollfd readable = {.fd = trainer->fd, .events = POLLIN};
    struct err err;
    int result;
    msg_fini(&trainer->msg);
    while ((result = frame_take(&trainer->in, &trainer->msg, &err)) == 0) {
        if (poll(&readable, 1, PATIENCE) <= 0)
            fail_msg("the trainer says nothing");
        if (frame_read(trainer->fd, &trainer->in) < 0)
            return MSG_NONE;
    }
    assert_int_equal(result, 1);
    return trainer->msg.kind;
}

void client_read_error(struct trainer *trainer, char *line, size_t size)
{
    size_t length = 0;
    struct pollfd readable = {.fd = trainer->errors, .events = POLLIN};
    do
        assert_int_equal(poll(&readable, 1, PATIENCE), 1);
    while (length + 1 < size && read(trainer->errors, line + length, 1) == 1 && line[length++] != '\n');
    line[length] = '\0';
}

const char *client_set_up(struct trainer *trainer, const char *kernel, const char *metric, const char *options)
{
    json_t *given = json_of_quoted(options);
    json_t *task = json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:[s], s:i, s:i, s:{}}", "experiment", "test",
                             "directory", "/tmp", "kernel", kernel, "options", given, "base", "/", "workdir", "/",
                             "metric", metric, "metrics", metric, "trial_time", 0, "grace", 1, "resources");
    char *text = json_dumps(task, 0);
    client_tell(trainer, &(struct msg){.kind = MSG_SETUP, .setup = {.task = text, .threads = 1}});
    free(text);
    json_decref(task);
    assert_int_equal(client_next(trainer), MSG_READY);
    return trainer->msg.ready.trouble;
}

void client_run(struct trainer *trainer, uint64_t trial, const char *params)
{
    client_tell(trainer,
                &(struct msg){.kind = MSG_RUN, .run = {.trial = trial, .attempt = 1, .seed = trial, .params = params}});
}

void client_halt(struct trainer *trainer, uint64_t trial)
{
    client_tell(trainer, &(struct msg){.kind = MSG_HALT, .halt = {.trial = trial, .attempt = 1}});
}

enum ending client_ended(struct trainer *trainer)
{
    enum msg_kind kind;
    while ((kind = client_next(trainer)) == MSG_STEP)
        ;
    assert_int_equal(kind, MSG_ENDED);
    return (enum ending)trainer->msg.ended.ending;
}
