/* Detached runs; see detach.h.
 *
 *     parent                                     child
 *     forks, waits for one of:                   leaves the terminal, writes into memory, runs as usual
 *       a coordinator of the experiment lives    (it starts one)
 *       the child has ended                      has said why
 *
 * What the child writes is shown only when it has ended that early: later it is in the logs, and gannet status and
 * attach show how it goes. */
#include "cli/session/detach.h"
#include "cli/data/target.h"
#include "cli/data/source.h"
#include "cli/session/prepare.h"
#include "cli/format.h"
#include "cli/status.h"
#include "scheduler/slurm/allocation.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The end of a job takes everything with it that was started there. */
static int check_place(struct err *err)
{
    struct allocation allocation = {0};
    int failed = allocation_read(getenv, &allocation, err);
    if (!failed && allocation.id)
        failed = err_set(err, "--detach is of no use inside a job of Slurm, whose end would end it; gannet submit "
                              "submits one that goes on by itself");
    allocation_fini(&allocation);
    return failed;
}

/* Leaves the terminal and everything else that was open. */
static void leave_terminal(struct console *console, int messages)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setsid();
    fflush(console->out);
    fflush(console->err);
    dup2(nothing, STDIN_FILENO);
    dup2(messages, STDOUT_FILENO);
    dup2(messages, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    console_set(console, "never", true);
}

/* What the run is called, once its coordinator answers; NULL until then. free() it. */
static char *find_living(struct console *console, const struct args *args)
{
    struct prepare_setup setup = {.what = args_rest(args, 0), .directory = args_text(args, "dir", NULL)};
    struct rundir dir;
    struct source *source = NULL;
    char *name = NULL;
    setup.overrides = args_list(args, "set", &setup.override_count);
    if (prepare_find_quietly(console, &setup, &dir))
        return NULL;
    if (source_open_dir(&dir, &source, NULL) == STATUS_OK && source_lives(source))
        name = target_handle(&dir);
    source_close(source);
    rundir_fini(&dir);
    return name;
}

static void say_detached(struct console *console, const char *name, pid_t pid)
{
    struct buf word = {0};
    format_shell(name, &word);
    console_tell(console, "%s runs on in the background (process %ld).", name, (long)pid);
    console_tell(console, "  %sgannet attach %s    shows how it goes", console->programs, buf_str(&word));
    console_tell(console, "  %sgannet stop %s      lets the running trials finish and ends it", console->programs,
                 buf_str(&word));
    buf_fini(&word);
}

/* Passes on what the child wrote, and how it ended. */
static int repeat_end(struct console *console, int messages, int how)
{
    char piece[4096];
    ssize_t count;
    lseek(messages, 0, SEEK_SET);
    while ((count = read(messages, piece, sizeof piece)) > 0)
        fwrite(piece, 1, (size_t)count, console->err);
    return WIFEXITED(how) ? WEXITSTATUS(how)
                          : console_refuse(console, STATUS_FAILED, "the run was killed by signal %d", WTERMSIG(how));
}

static int await_start(struct console *console, const struct args *args, pid_t pid, int messages)
{
    static const struct timespec between_looks = {0, 50 * 1000000}; /* 50 ms */
    char *name = NULL;
    int how;
    pid_t ended;
    while ((ended = waitpid(pid, &how, WNOHANG)) == 0 && !(name = find_living(console, args)))
        nanosleep(&between_looks, NULL);
    if (ended)
        return repeat_end(console, messages, how);
    say_detached(console, name, pid);
    free(name);
    return STATUS_OK;
}

int detach_run(struct console *console, const struct args *args,
               int (*run)(struct console *console, const struct args *args))
{
    struct err err;
    if (check_place(&err))
        return console_fail(console, STATUS_USAGE, &err);
    char *living = find_living(console, args);
    int messages = living ? -1 : memfd_create("messages", MFD_CLOEXEC), status;
    if (living) { /* else the wait below would end at once, for a run that is another's */
        status = console_refuse(console, STATUS_USAGE, "%s runs already; %sgannet attach shows how it goes", living,
                                console->programs);
        free(living);
        return status;
    }
    pid_t pid = messages < 0 ? -1 : fork();
    if (pid == 0) {
        leave_terminal(console, messages);
        return run(console, args);
    }
    if (pid < 0) {
        err_write_errno(&err, "can't start the run in the background");
        status = console_fail(console, STATUS_FAILED, &err);
    } else {
        status = await_start(console, args, pid, messages);
    }
    if (messages >= 0)
        close(messages);
    return status;
}
