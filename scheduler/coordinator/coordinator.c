/* The coordinator: the core with real sockets, threads, files and time around it; see coordinator.h.
 *
 *     start   lock, store, the recorded search, links, core, threads, service; at last the discovery, which calls
 *             the workers
 *     turn    messages, the strategy's answers, commits and ticks go into the core as they come; at the end of the
 *             turn its outputs are carried out: events to the store's thread in one group, questions and tells to the
 *             strategy's, messages to the workers
 *     end     the core says that all is over and on disk; the workers leave, having been told to; everything is
 *             taken down in reverse
 *
 * A kill at any moment is a restart: what anybody was promised is in the store, and what is not in the store was
 * promised to nobody. */
#include "scheduler/coordinator/coordinator.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/msg.h"
#include "scheduler/session/ask.h"
#include "scheduler/coordinator/reap.h"
#include "scheduler/coordinator/checkpoint.h"
#include "scheduler/coordinator/commit.h"
#include "scheduler/coordinator/config.h"
#include "scheduler/core/core.h"
#include "scheduler/core/snapshot.h"
#include "scheduler/coordinator/counts.h"
#include "scheduler/coordinator/listener.h"
#include "scheduler/coordinator/event_log.h"
#include "scheduler/session/search.h"
#include "scheduler/coordinator/service.h"
#include "scheduler/slurm/elastic.h"
#include "scheduler/slurm/own.h"
#include "scheduler/spec/task.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How long workers have to say goodbye. They are waited for because ZeroMQ drops what they have received but not read
 * when we close the connection: they would not learn that it is over. */
static const double farewell_seconds = 1;

/* How long what is left to be said to Slurm may take at the end: jobs that wait are taken back. */
static const double slurm_seconds = 15;

/* A message costs the core 10 to 50 us (a few results each), so a turn stays below 10 ms. */
enum { MESSAGES_A_TURN = 128 };

/* The parts, in the order in which they are made. */
struct coordinator {
    const struct coordinator_setup *setup;
    const struct rundir *dir;
    int lock;
    struct spec *spec;
    struct store *store;
    struct memory memory; /* what the store knew at the start */
    struct searcher *searcher;
    struct early_stopping *early_stopping; /* early stopping, or NULL */
    bool keeps;                            /* trials start from others' checkpoints: they stay */
    struct ask_past past;
    char *task;
    struct loop *loop;
    struct link_context *links;
    struct listener *listener;
    struct core *core;
    struct commit *commit;
    struct checkpoint_remover *remover; /* NULL: checkpoints stay */
    struct ask *ask;
    struct service *service;
    struct elastic *elastic; /* sees to it that there are workers; NULL: others do */
    struct own_job *own;     /* the job of Slurm's that this process is in; NULL: it is in none */

    struct counts counts;
    struct narrator narrator;
    double started; /* on the monotonic clock */
    struct loop_watch *tick;
    double wake;                 /* when the tick is due */
    struct buf bytes;            /* of the message that came last */
    int signals;                 /* that asked to end, so far */
    bool over;                   /* ended in order: */
    double leave_by;             /* then nothing is waited for any more, */
    struct loop_watch *farewell; /* and this is when it is looked whether anything is */
};

/* --- into the core --- */

static void proposed(void *context, uint64_t trial, const struct event_proposed *proposal)
{
    struct coordinator *self = context;
    core_proposal(self->core, clock_monotonic(), trial, proposal);
}

static void no_more(void *context)
{
    struct coordinator *self = context;
    core_no_more(self->core, clock_monotonic());
}

static void broken(void *context, const char *why)
{
    struct coordinator *self = context;
    log_error("the strategy failed: %s", why);
    core_broken(self->core, clock_monotonic(), why);
}

static void committed(void *context, uint64_t number)
{
    struct coordinator *self = context;
    core_committed(self->core, clock_monotonic(), number);
}

/* Who speaks another version can only be told so. */
static void refuse(struct coordinator *self, uint64_t peer, const char *why)
{
    struct msg msg = {.kind = MSG_REFUSED, .refused = {.why = why}};
    event_log(&self->narrator, "a message was not understood: %s", why);
    buf_clear(&self->bytes);
    msg_encode(&msg, &self->bytes);
    (void)link_send(listener_workers(self->listener), peer, self->bytes.data, self->bytes.length);
}

static void receive(void *context)
{
    struct coordinator *self = context;
    uint64_t peer;
    for (int i = 0; i < MESSAGES_A_TURN; i++) {
        struct msg msg;
        struct err err;
        if (link_receive(listener_workers(self->listener), &peer, &self->bytes) != LINK_OK)
            return;
        bool failed = msg_decode(&msg, self->bytes.data, self->bytes.length, &err) != 0;
        counts_add_received(&self->counts, failed ? MSG_NONE : msg.kind, self->bytes.length);
        if (failed) {
            refuse(self, peer, err.text);
            continue;
        }
        core_message(self->core, clock_monotonic(), peer, &msg);
        msg_fini(&msg);
    }
}

static void tick(void *context)
{
    struct coordinator *self = context;
    self->tick = NULL;
    core_tick(self->core, clock_monotonic());
}

/* The first signal ends the experiment in order; the second does not wait for that. */
static void interrupted(void *context)
{
    struct coordinator *self = context;
    log_info("a signal asks to end%s", self->signals ? " at once" : "");
    if (self->signals++)
        loop_stop(self->loop);
    else
        core_stop(self->core, clock_monotonic(), REASON_INTERRUPTED);
}

static void time_is_up(void *context)
{
    struct coordinator *self = context;
    log_info("a signal says that the time of the job is nearly up");
    core_walltime(self->core, clock_monotonic());
}

static void taken_away(void *context)
{
    struct coordinator *self = context;
    log_info("a signal says that the job is being taken away");
    core_leave(self->core, clock_monotonic(), REASON_PREEMPTED);
}

static void not_explained(void *context)
{
    core_leave(((struct coordinator *)context)->core, clock_monotonic(), REASON_PREEMPTED);
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

/* --- out of the core --- */

static void send_out(struct coordinator *self, const struct output *output)
{
    enum link_result result =
        link_send(listener_workers(self->listener), output->peer, output->bytes.data, output->bytes.length);
    counts_add_sent(&self->counts, &output->bytes, result);
    if (result == LINK_GONE)
        core_peer_gone(self->core, clock_monotonic(), output->peer);
    else if (result == LINK_NONE)
        event_log(&self->narrator, "a worker does not read its messages; what it misses is made good at its heartbeat");
}

static void leave(void *context)
{
    struct coordinator *self = context;
    self->farewell = NULL;
    if (self->elastic && !elastic_is_done(self->elastic) && clock_monotonic() < self->leave_by)
        self->farewell = loop_timer(self->loop, 0.1, leave, self);
    else
        loop_stop(self->loop);
}

/* A trial that has ended needs its checkpoint no more, unless another one may start from it. */
static bool drops_checkpoints(const struct coordinator *self)
{
    return self->spec->trial.checkpoint == CHECKPOINT_YES && !self->keeps;
}

static void carry_out(struct coordinator *self, struct output *output)
{
    switch (output->kind) {
    case OUTPUT_SEND:
        send_out(self, output);
        break;
    case OUTPUT_STORE:
        self->counts.events[output->event.kind]++;
        event_log_event(&self->narrator, &output->event);
        commit_add(self->commit, &output->event);
        break;
    case OUTPUT_ASK:
        ask_trial(self->ask, output->trial);
        break;
    case OUTPUT_TELL:
    case OUTPUT_OBSERVE:
        ask_tell(self->ask, &(struct told){.trial = output->trial,
                                           .ending = output->ending,
                                           .values = output->values,
                                           .seconds = output->seconds,
                                           .step = output->step,
                                           .observed = output->kind == OUTPUT_OBSERVE});
        if (output->kind == OUTPUT_TELL && self->remover)
            checkpoint_remover_drop(self->remover, output->trial);
        break;
    case OUTPUT_ENDED:
        self->over = true;
        self->leave_by = clock_monotonic() + slurm_seconds;
        self->farewell = loop_timer(self->loop, farewell_seconds, leave, self);
        if (self->elastic)
            elastic_end(self->elastic);
        break;
    }
}

static void set_tick(struct coordinator *self)
{
    double wake = core_wake(self->core);
    if (!isfinite(wake) || (self->tick && wake == self->wake))
        return;
    double seconds = fmax(0, wake - clock_monotonic());
    self->wake = wake;
    if (self->tick)
        loop_move(self->tick, seconds);
    else
        self->tick = loop_timer(self->loop, seconds, tick, self);
}

static void take_outputs(struct coordinator *self)
{
    struct output output;
    while (core_next(self->core, &output)) {
        carry_out(self, &output);
        output_fini(&output);
    }
    commit_flush(self->commit);
    ask_flush(self->ask);
}

static void turn(void *context)
{
    struct coordinator *self = context;
    self->counts.loop.turns++;
    take_outputs(self);
    set_tick(self);
    if (self->over && core_is_deserted(self->core) && (!self->elastic || elastic_is_done(self->elastic)))
        loop_stop(self->loop);
}

/* --- start and end --- */

/* What the store knows: the core's memory, and the search as it was. */
static int open_past(struct coordinator *self, struct err *err)
{
    if (!(self->spec = rundir_spec(self->dir, err)) || !(self->store = store_open(self->dir->store, err)) ||
        store_recall(self->store, &self->memory, err) ||
        !(self->searcher = search_create(self->spec, store_reader(self->store), err)) ||
        search_recall(self->searcher, self->spec, store_reader(self->store), &self->past, err))
        return -1;
    if (search_early_stopping(self->spec, &self->early_stopping, err) ||
        (self->early_stopping && early_stopping_recall(self->early_stopping, store_reader(self->store), err)))
        return -1;
    self->keeps = searcher_strategy(self->searcher)->continues;
    if (drops_checkpoints(self) && checkpoint_sweep(self->dir, store_reader(self->store), &self->memory, err))
        return -1;
    self->task = task_write(self->spec, self->dir->path, self->keeps, err);
    return self->task ? 0 : -1;
}

/* Before any thread: they inherit the blocked signals. */
static void watch_signals(struct coordinator *self)
{
    static const int ending[] = {SIGINT, SIGHUP};
    signal(SIGPIPE, SIG_IGN);
    self->loop = loop_create();
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        loop_signal(self->loop, ending[i], interrupted, self);
    loop_signal(self->loop, SIGTERM, self->setup->led ? ended_by_slurm : interrupted, self);
    loop_signal(self->loop, SIGUSR1, time_is_up, self);
    loop_signal(self->loop, SIGUSR2, taken_away, self);
}

static void set_deadline(struct coordinator *self)
{
    double now = clock_monotonic();
    if (self->setup->until > 0)
        core_deadline(self->core, now, now + self->setup->until - clock_wall());
}

static int start_core(struct coordinator *self, struct err *err)
{
    struct core_config config;
    config_fill(self->spec, self->task, searcher_strategy(self->searcher), &config);
    if (self->setup->warn > 0)
        config.warn = self->setup->warn;
    else if (self->setup->allocate)
        config.warn = self->spec->slurm.signal_before_end;
    config.workers_stay = self->setup->allocate;
    config.early_stop = self->early_stopping ? early_stopping_early_stop(self->early_stopping) : NULL;
    self->core = core_create(&config, &self->memory, clock_monotonic());
    reap_workers(self->core, &self->memory, self->setup->requeued);
    set_deadline(self);
    struct ask_calls calls = {.proposed = proposed, .no_more = no_more, .broken = broken, .context = self};
    self->commit = commit_start(self->loop, self->store, committed, self, err);
    if (!self->commit)
        return -1;
    if (drops_checkpoints(self) && !(self->remover = checkpoint_remover_start(self->loop, self->dir, err)))
        return -1;
    struct metrics metrics = spec_metrics(self->spec);
    self->ask = ask_start(self->loop, self->searcher, &metrics, &self->past, &calls, err);
    if (!self->ask)
        return -1;
    counts_open(&self->counts, self->core, self->loop, commit_counts(self->commit), ask_counts(self->ask));
    return 0;
}

static int start_service(struct coordinator *self, struct err *err)
{
    uint64_t session = self->memory.session + 1;
    struct service_setup setup = {
        .loop = self->loop,
        .links = self->links,
        .endpoint = listener_control(self->listener),
        .remote = listener_remote(self->listener),
        .core = self->core,
        .commit = self->commit,
        .counters = &self->counts.tree,
        .name = self->spec->name,
        .directory = self->dir->path,
        .session = session,
    };
    self->service = service_open(&setup, err);
    if (!self->service)
        return -1;
    loop_link(self->loop, listener_workers(self->listener), receive, self);
    loop_turn(self->loop, turn, self);
    return listener_announce(self->listener, session, store_is_exclusive(self->store), err);
}

/* Signals of the job that come before there is a loop to hear them wait for it; they would end the process. */
static void hold_signals(void)
{
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    sigaddset(&held, SIGUSR2);
    sigprocmask(SIG_BLOCK, &held, NULL);
}

static int start_allocating(struct coordinator *self, struct err *err)
{
    struct elastic_setup setup = {.loop = self->loop, .core = self->core, .dir = self->dir, .spec = self->spec};
    if (self->setup->allocate)
        self->elastic = elastic_start(&setup, err);
    return self->setup->allocate && !self->elastic ? -1 : 0;
}

static int start(struct coordinator *self, struct err *err)
{
    hold_signals();
    if (rundir_lock(self->dir, &self->lock, err) || open_past(self, err))
        return -1;
    watch_signals(self);
    if (!(self->links = link_context_create(err)) ||
        !(self->listener = listener_open(self->links, self->dir, self->setup->listen, err)))
        return -1;
    if (start_core(self, err) || start_service(self, err) || start_allocating(self, err))
        return -1;
    self->own = own_job_begin(self->core, self->dir, self->spec);
    return 0;
}

static void exit_in_order(int signal)
{
    (void)signal;
    _exit(0);
}

/* A strategy may be thinking about a question whose answer nobody wants any more, perhaps for ever. It gets a moment;
 * then the process ends without it, which harms nothing: all is on disk and the store is closed. */
static void stop_strategy(struct coordinator *self)
{
    enum { PATIENCE_SECONDS = 3 };
    if (self->over)
        signal(SIGALRM, exit_in_order);
    alarm(PATIENCE_SECONDS);
    ask_stop(self->ask);
    alarm(0);
}

/* What is last to be written: that jobs have ended with the session. */
static void close_books(struct coordinator *self)
{
    if (self->elastic)
        elastic_settle(self->elastic);
    if (self->own)
        own_job_end(self->own);
    take_outputs(self);
}

static void end(struct coordinator *self)
{
    if (self->over)
        close_books(self);
    own_job_destroy(self->own);
    elastic_stop(self->elastic);
    service_close(self->service);
    if (self->over)
        commit_finish(self->commit);
    else
        commit_stop(self->commit);
    checkpoint_remover_stop(self->remover);
    store_close(self->store);
    core_destroy(self->core);
    listener_close(self->listener);
    if (self->ask)
        stop_strategy(self);
    loop_destroy(self->loop);
    link_context_destroy(self->links);
    searcher_destroy(self->searcher);
    early_stopping_destroy(self->early_stopping);
    counts_close(&self->counts);
    memory_fini(&self->memory);
    spec_destroy(self->spec);
    buf_fini(&self->bytes);
    free(self->task);
    if (self->lock >= 0)
        close(self->lock);
}

static int run(struct coordinator *self, struct err *err)
{
    if (start(self, err) || loop_run(self->loop, err))
        return 1;
    counts_log(&self->counts, trial_states_ended(self->memory.tally.ended), self->started);
    if (self->over)
        return 0;
    err_write(err, "ended by a second signal; gannet run --resume goes on");
    return 1;
}

int coordinator_run(const struct coordinator_setup *setup, struct err *err)
{
    struct coordinator self = {.setup = setup, .dir = setup->dir, .lock = -1, .started = clock_monotonic()};
    int status = run(&self, err);
    end(&self);
    return status;
}
