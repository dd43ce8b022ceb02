/* Room on the disk at the start: a coordinator that died when its disk was full finds it full when it is started again,
 * and waits for room as one that lives does (commit.c). It answers nobody yet: its lock says that it waits, and signals
 * that ask to end are taken meanwhile. */
#include "scheduler/coordinator/coordinator_parts.h"

#include "common/log.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

static void fill_ending(sigset_t *set)
{
    static const int ending[] = {SIGINT, SIGHUP, SIGTERM, SIGUSR1, SIGUSR2};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaddset(set, ending[i]);
}

/* A second passes, or a signal comes: its number. */
static int pause_or_signal(const sigset_t *ending)
{
    static const struct timespec second = {.tv_sec = 1};
    int number;
    do
        number = sigtimedwait(ending, NULL, &second);
    while (number < 0 && errno == EINTR);
    return number > 0 ? number : 0;
}

static int refuse_to_wait(struct coordinator *self, struct err *err)
{
    struct err why = *err;
    self->unwritten = true;
    return err_set(err, "it was told to end before there was room: %s; then gannet run %s --resume goes on", why.text,
                   self->dir->path);
}

int disk_space_wait(struct coordinator *self, int (*step)(struct coordinator *self, struct err *err), struct err *err)
{
    sigset_t ending, before;
    int result = step(self, err);
    if (!result || !(db_is_full(err) || err_is_shortage(err)))
        return result;
    log_warning("%s; it waits until there is room", err->text);
    fill_ending(&ending);
    sigprocmask(SIG_BLOCK, &ending, &before);
    rundir_mark_waiting(self->lock, true);
    while (result && !self->unwritten && (db_is_full(err) || err_is_shortage(err)))
        result = pause_or_signal(&ending) ? refuse_to_wait(self, err) : step(self, err);
    rundir_mark_waiting(self->lock, false);
    if (!self->unwritten) /* else it ends with its own status, however often it is told to */
        sigprocmask(SIG_SETMASK, &before, NULL);
    if (!result)
        log_info("there is room again");
    return result;
}
