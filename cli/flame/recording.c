/* Sampling; see recording.h.
 *
 *     we                                  the child
 *     (fork)                              waits for a byte
 *     open the sampler for it
 *     the byte                ------->    becomes the shell, which starts the samples
 *     take samples until it has ended and was reaped, and then the last ones */
#include "cli/flame/recording.h"
#include "cli/flame/sampler.h"
#include "common/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUND_MILLISECONDS = 50, PYTHON_WITH_NAMES = 12 };

static void finish_recording(struct sampler *sampler, struct processes *processes, double began, struct recording *out)
{
    sampler_take(sampler, processes, &out->stacks, true);
    out->lost = sampler_lost(sampler);
    out->seconds = clock_monotonic() - began;
    out->python_minor = processes->python_minor;
    out->python_has_names = processes->python_has_names;
    sampler_close(sampler);
}

/* Becomes the shell once it is told to; a gate that closes without a word tells it to end. */
static void run_shell(int gate, const char *line)
{
    char go;
    if (read(gate, &go, 1) != 1)
        _exit(127);
    close(gate);
    setenv("PYTHONPERFSUPPORT", "1", 1);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static pid_t start_child(const char *line, int *gate, struct err *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_errno(err, "can't start a process");
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        run_shell(ends[0], line);
    }
    close(ends[0]);
    *gate = ends[1];
    if (child < 0) {
        close(ends[1]);
        return err_errno(err, "can't start a process");
    }
    return child;
}

static void follow_child(pid_t child, struct sampler *sampler, struct processes *processes, struct recording *out)
{
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        poll(NULL, 0, ROUND_MILLISECONDS);
        sampler_take(sampler, processes, &out->stacks, false);
    }
    out->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int record_command(const char *line, struct recording *out, struct err *err)
{
    struct processes processes = {.owner = geteuid()};
    int gate = -1;
    *out = (struct recording){0};
    pid_t child = start_child(line, &gate, err);
    if (child < 0)
        return -1;
    struct sampler *sampler = sampler_open(&child, 1, true, err);
    /* The terminal's Ctrl-C reaches the child as well; what was seen until then is drawn. */
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGINT, &ignore, &before);
    double began = clock_monotonic();
    bool told = sampler && write(gate, "", 1) == 1;
    close(gate);
    if (told)
        follow_child(child, sampler, &processes, out);
    else
        waitpid(child, NULL, 0);
    sigaction(SIGINT, &before, NULL);
    if (!sampler)
        return -1;
    finish_recording(sampler, &processes, began, out);
    processes_remove_maps(&processes);
    processes_fini(&processes);
    return told ? 0 : err_set(err, "the command can't be started");
}

static bool any_lives(const pid_t *pids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kill(pids[i], 0) == 0 || errno == EPERM)
            return true;
    return false;
}

int record_processes(const pid_t *pids, size_t count, double seconds, struct recording *out, struct err *err)
{
    struct processes processes = {.owner = geteuid()};
    *out = (struct recording){0};
    struct sampler *sampler = sampler_open(pids, count, false, err);
    if (!sampler)
        return -1;
    double began = clock_monotonic();
    for (size_t i = 0; i < count; i++)
        processes_read(&processes, pids[i]);
    while (clock_monotonic() - began < seconds && any_lives(pids, count)) {
        poll(NULL, 0, ROUND_MILLISECONDS);
        sampler_take(sampler, &processes, &out->stacks, false);
    }
    finish_recording(sampler, &processes, began, out);
    processes_fini(&processes);
    return 0;
}

void recording_fini(struct recording *recording)
{
    stacks_fini(&recording->stacks);
}

void recording_explain(const struct recording *recording, struct buf *out)
{
    int minor = recording->python_minor;
    if (minor && minor < PYTHON_WITH_NAMES)
        buf_format(
            out,
            "functions of Python have no names here: Python 3.%d does not tell them to profilers, 3.%d and later "
            "do",
            minor, PYTHON_WITH_NAMES);
    else if (minor && !recording->python_has_names)
        buf_text(out,
                 "functions of Python have no names here: it has to be started with PYTHONPERFSUPPORT=1, as gannet "
                 "rerun does and env: {PYTHONPERFSUPPORT: 1} in the experiment file");
    if (recording->lost)
        buf_format(out, "%s%" PRIu64 " samples were lost: the machine was too busy to take them",
                   out->length ? "; " : "", recording->lost);
}
