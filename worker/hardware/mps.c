/* The Multi-Process Service; see mps.h. Whether a daemon answers is asked with its own program, as its manual says:
 *
 *     echo get_server_list | nvidia-cuda-mps-control      status 0, and nothing while no program uses it */
#include "worker/hardware/mps.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/proc.h"
#include "common/sockets.h"
#include "common/texts.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CONTROL        "nvidia-cuda-mps-control"
#define PIPES_VARIABLE "CUDA_MPS_PIPE_DIRECTORY"

extern char **environ;

struct mps {
    struct sockets place; /* private, with the directory of our own daemon in it; {0}: the daemon is the node's */
    char *directory;      /* of our own daemon; NULL: it is the node's */
    struct proc *daemon;  /* our own; NULL: none */
};

/* --- asking --- */

/* What the program is to read: its question, in a pipe that is closed behind it. -1 with errno. */
static int make_question(void)
{
    static const char question[] = "get_server_list\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    ssize_t written = write(ends[1], question, sizeof question - 1);
    close(ends[1]);
    if (written == sizeof question - 1)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* In a process group of its own, with signals as at the start of any program. */
static int spawn_control(int question, char *const *environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, question, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setsigmask(&attributes, &none);
    char name[] = CONTROL, *const argv[] = {name, NULL};
    int failed = posix_spawnp(pid, CONTROL, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Waits until a moment, then kills it. Whether it ended with status 0. */
static bool wait_control(pid_t pid, double until)
{
    enum { NAP = 5000 }; /* microseconds */
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(pid, &status, WNOHANG)) == 0 && clock_monotonic() < until)
        usleep(NAP);
    if (ended == 0) {
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    return ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Our environment with the directory of another daemon; free() the array alone. */
static char **make_environment(char *pipes)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **environment = MEM_ARRAY(char *, count + 2);
    for (size_t i = 0; i < count; i++)
        if (!pipes || strncmp(environ[i], PIPES_VARIABLE "=", sizeof PIPES_VARIABLE) != 0)
            environment[kept++] = environ[i];
    environment[kept] = pipes;
    return environment;
}

/* Whether a daemon answers: that of `directory`, or the node's (NULL). */
static bool is_answered(const char *directory, double until)
{
    pid_t pid;
    int question = make_question();
    char *pipes = directory ? mem_format(PIPES_VARIABLE "=%s", directory) : NULL;
    char **environment = make_environment(pipes);
    bool is = question >= 0 && spawn_control(question, environment, &pid) == 0 && wait_control(pid, until);
    if (question >= 0)
        close(question);
    free(environment);
    free(pipes);
    return is;
}

/* --- the node's --- */

/* Whether anybody may have made it, as in /tmp, and another user than root has: theirs serves them alone. */
static bool is_strange(const char *pipes, const struct stat *found)
{
    struct stat around;
    char *parent = path_directory(pipes);
    bool is_open = stat(parent, &around) == 0 && (around.st_mode & S_IWOTH);
    free(parent);
    return is_open && found->st_uid != 0 && found->st_uid != geteuid();
}

static bool has_node_directory(void)
{
    struct stat found;
    const char *named = getenv(PIPES_VARIABLE), *pipes = named && *named ? named : "/tmp/nvidia-mps";
    if (stat(pipes, &found) || !S_ISDIR(found.st_mode))
        return false;
    if (!is_strange(pipes, &found))
        return true;
    log_warning("the MPS daemon at %s is not asked: the directory is another user's", pipes);
    return false;
}

bool mps_answers(void)
{
    static const double patience = 3;
    return has_node_directory() && is_answered(NULL, clock_monotonic() + patience);
}

/* --- our own --- */

static void on_daemon_gone(void *context, const struct proc_exit *how)
{
    (void)context, (void)how;
    log_warning("the worker's MPS daemon has ended; trials that share a GPU take turns on it now");
}

/* It stays in the foreground, so that it is our child. */
static int start_daemon(struct mps *mps, struct loop *loop, const char *const *env, struct err *err)
{
    static const char *const argv[] = {CONTROL, "-f", NULL};
    struct texts all = {0};
    texts_add_all(&all, env);
    texts_add(&all, mem_format(PIPES_VARIABLE "=%s", mps->directory));
    texts_add(&all, mem_format("CUDA_MPS_LOG_DIRECTORY=%s", mps->directory));
    struct proc_setup setup = {
        .argv = argv, .env = (const char *const *)all.items, .fd0 = -1, .fd1 = -1, .fd2 = -1, .fd3 = -1};
    mps->daemon = proc_start(loop, &setup, on_daemon_gone, mps, err);
    texts_fini(&all);
    return mps->daemon ? 0 : -1;
}

static int wait_daemon(const struct mps *mps, struct err *err)
{
    enum { NAP = 20000 }; /* microseconds */
    static const double patience = 5;
    double until = clock_monotonic() + patience;
    while (!is_answered(mps->directory, until)) {
        if (clock_monotonic() >= until || !proc_lives(proc_pid(mps->daemon)))
            return err_set(err, "it does not answer, or has ended; its manual says what it needs");
        usleep(NAP);
    }
    return 0;
}

static int make_directory(struct mps *mps, struct err *err)
{
    if (sockets_make(&mps->place, err))
        return -1;
    mps->directory = path_join(mps->place.path, SOCKETS_MPS);
    return mkdir(mps->directory, 0700) ? err_errno(err, "can't make '%s'", mps->directory) : 0;
}

static struct mps *start_own(struct loop *loop, const char *const *env, struct err *err)
{
    struct mps *mps = MEM_NEW(struct mps);
    if (make_directory(mps, err) == 0 && start_daemon(mps, loop, env, err) == 0 && wait_daemon(mps, err) == 0)
        return mps;
    mps_close(mps);
    return NULL;
}

/* --- life --- */

int mps_open(struct loop *loop, enum task_mps wanted, const char *const *env, struct mps **out, struct err *err)
{
    *out = NULL;
    if (wanted == TASK_MPS_AUTO)
        *out = mps_answers() ? MEM_NEW(struct mps) : NULL;
    if (wanted == TASK_MPS_ON && !(*out = start_own(loop, env, err)))
        return err_prefix(err, "resources.mps wants an MPS daemon (" CONTROL "), but none can be had here");
    if (*out)
        log_info("trials share GPUs through %s MPS daemon", (*out)->directory ? "this worker's" : "the node's");
    return 0;
}

void mps_close(struct mps *mps)
{
    if (!mps)
        return;
    proc_destroy(mps->daemon);
    sockets_remove(&mps->place);
    free(mps->directory);
    free(mps);
}

const char *mps_directory(const struct mps *mps)
{
    return mps->directory ? mps->directory : "";
}

bool mps_is(const struct mps *mps, pid_t pid)
{
    return mps && mps->daemon && proc_pid(mps->daemon) == pid;
}
