/* What signals mean to a coordinator: some are a person's, some the batch system's. */
#include "scheduler/coordinator/coordinator_parts.h"

#include "common/clock.h"
#include "common/log.h"

#include <signal.h>

void signals_hold(void)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    sigaddset(&held, SIGUSR2);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

/* The session is to end, which a store that can't be written does not keep waiting for ever. */
static void leave_session(struct coordinator *self, enum reason reason)
{
    core_leave(self->core, clock_monotonic(), reason);
    commit_hurry(self->commit, COMMIT_PATIENCE_SECONDS);
}

/* The first signal ends the experiment in order; the second does not wait for that. */
static void on_interrupt(void *context)
{
    struct coordinator *self = context;
    log_info("a signal asks to end%s", self->signals ? " at once" : "");
    if (self->signals++) {
        loop_stop(self->loop);
        return;
    }
    core_stop(self->core, clock_monotonic(), REASON_INTERRUPTED);
    commit_hurry(self->commit, COMMIT_PATIENCE_SECONDS);
}

static void time_is_up(void *context)
{
    struct coordinator *self = context;
    log_info("a signal says that the time of the job is nearly up");
    leave_session(self, REASON_WALLTIME);
}

static void taken_away(void *context)
{
    struct coordinator *self = context;
    log_info("a signal says that the job is being taken away");
    leave_session(self, REASON_PREEMPTED);
}

static void not_explained(void *context)
{
    leave_session(context, REASON_PREEMPTED);
}

/* Slurm sends SIGTERM to all processes of a job that it ends, for whatever reason. Who leads us asks for it and says so
 * by another signal, unless Slurm does not answer; a core that is told to leave twice has left the first time. */
static void ended_by_slurm(void *context)
{
    static const double patience = 2; /* seconds; after KillWait, which is 30 by default, comes SIGKILL */
    struct coordinator *self = context;
    log_info("the job is being ended");
    loop_timer(self->loop, patience, not_explained, self);
}

void signals_watch(struct coordinator *self)
{
    static const int ending[] = {SIGINT, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    self->loop = loop_create();
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        loop_signal(self->loop, ending[i], on_interrupt, self);
    loop_signal(self->loop, SIGTERM, self->setup->led ? ended_by_slurm : on_interrupt, self);
    loop_signal(self->loop, SIGUSR1, time_is_up, self);
    loop_signal(self->loop, SIGUSR2, taken_away, self);
}
