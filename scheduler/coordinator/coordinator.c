/* The coordinator: the core with real sockets, threads, files and time around it; see coordinator.h.
 *
 *     start   lock, store, the recorded search, links, core, threads, service; at last the discovery, which calls
 *             the workers
 *     turn    messages, the strategy's answers, commits and ticks go into the core as they come; at the end of the
 *             turn its outputs are carried out (turn.c)
 *     end     the core says that all is over and on disk; the workers leave, having been told to; everything is
 *             taken down in reverse
 *
 * The way of a proposal. Whatever enters or leaves the core does so in turn.c, and nowhere else.
 *
 *     strategy's thread (ask.c)   ------->   turn.c: core_proposal   as the event_proposed that the store will write
 *     core: trial, event          ------->   turn.c: OUTPUT_STORE    commit.c gathers the events of a turn
 *     store's thread (commit.c)   ------->   turn.c: core_committed  the trial may be leased
 *     core: lease, event, commit  ------->   turn.c: OUTPUT_SEND     to a worker
 *     worker: result              ------->   turn.c: core_message    event and commit as before
 *     core: the end is on disk    ------->   turn.c: OUTPUT_TELL     to the strategy's thread
 *
 * A kill at any moment is a restart: what anybody was promised is in the store, and what is not in the store was
 * promised to nobody. */
#include "scheduler/coordinator/coordinator_parts.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/node.h"
#include "common/proc.h"
#include "scheduler/core/core.h"
#include "scheduler/session/config.h"
#include "scheduler/spec/task.h"
#include "scheduler/store/stamp.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* This process, as workers are compared with it. */
struct here {
    char node[NODE_SIZE];
    struct node_job job;
    bool requeued;
};

/* Why a worker is gone, and how its runs ended; NULL: it may live. */
static const char *find_death(const struct here *here, const struct memory_worker *worker, enum ending *ending)
{
    bool of_job = here->job.job && worker->job.job == here->job.job && worker->job.element == here->job.element;
    *ending = worker->job_ended ? worker->ending : ENDING_LOST;
    if (of_job && here->requeued) {
        if (*ending == ENDING_LOST)
            *ending = ENDING_PREEMPTED;
        return "its job was put back into the queue";
    }
    if (worker->job_ended && !of_job)
        return "its job ended before the restart";
    *ending = ENDING_LOST;
    if (!worker->pid)
        return "it was asked for by a loop (gannet ask), which never told";
    bool of_node = strcmp(worker->node, here->node) == 0;
    return of_node && !proc_lives((pid_t)worker->pid) ? "its process was gone at the restart" : NULL;
}

/* Tells a core that goes on from `memory`. `requeued`: the job of this process was put back into the queue and started
 * again, so that its workers of before are gone. */
static void reap_workers(struct core *core, const struct memory *memory, bool requeued)
{
    struct here here = {.job = node_job(), .requeued = requeued};
    node_name(here.node);
    for (uint32_t i = 0; i < memory->worker_count; i++) {
        enum ending ending;
        const char *why = find_death(&here, &memory->workers[i], &ending);
        if (why)
            core_worker_dead(core, clock_monotonic(), memory->workers[i].worker, ending, why);
    }
}

/* --- start --- */

/* A trial that has ended needs its checkpoint no more, unless another one may start from it. */
static bool drops_checkpoints(const struct coordinator *self)
{
    return self->spec->trial.checkpoint == CHECKPOINT_YES && !self->keeps;
}

/* The core's memory, out of a store that makes sense. */
static int recall_memory(struct coordinator *self, struct err *err)
{
    struct metrics metrics = spec_metrics(self->spec);
    int failed = reader_check(store_reader(self->store), &metrics, err);
    if (!failed)
        failed = store_recall(self->store, &self->memory, err);
    self->damaged = failed == STORE_DAMAGED;
    return failed;
}

static int open_store(struct coordinator *self, struct err *err)
{
    bool checked = store_stamp_holds(self->dir->store, self->setup->checked);
    self->store = rundir_check_store(self->dir, err) ? NULL : store_open(self->dir->store, err);
    if (self->store && checked) {
        log_info("the rows of the store were checked by who started this, and have not changed");
        store_was_checked(self->store);
    }
    if (self->store && recall_memory(self, err) == 0)
        return 0;
    store_leave(self->store);
    self->store = NULL;
    return -1;
}

/* What the store knows: the core's memory, and the search as it was. */
static int open_past(struct coordinator *self, struct err *err)
{
    if (!(self->spec = rundir_spec(self->dir, err)) || disk_space_wait(self, open_store, err) ||
        !(self->searcher = search_create(self->spec, store_reader(self->store), err)) ||
        search_recall(self->searcher, self->spec, store_reader(self->store), &self->past, err))
        return -1;
    if (search_early_stopping(self->spec, self->spec->trial.checkpoint == CHECKPOINT_YES, &self->early_stopping, err) ||
        (self->early_stopping && early_stopping_recall(self->early_stopping, store_reader(self->store), err)))
        return -1;
    self->keeps = searcher_strategy(self->searcher)->continues;
    if (drops_checkpoints(self) && checkpoint_sweep(self->dir, store_reader(self->store), &self->memory, err))
        return -1;
    self->task = task_write(self->spec, self->dir->path, self->keeps, err);
    return self->task ? 0 : -1;
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
    config.awaited_nodes = self->setup->nodes;
    config.early_stop = self->early_stopping ? early_stopping_early_stop(self->early_stopping) : NULL;
    self->core = core_create(&config, &self->memory, clock_monotonic());
    reap_workers(self->core, &self->memory, self->setup->requeued);
    set_deadline(self);
    struct ask_calls calls = turn_answers(self);
    calls.gathers = !searcher_strategy(self->searcher)->uses_history && !self->spec->strategy.plugin;
    struct commit_calls commits = turn_commits(self);
    self->commit = commit_start(self->loop, self->store, &commits, err);
    if (!self->commit)
        return -1;
    if (drops_checkpoints(self) && !(self->remover = checkpoint_remover_start(self->loop, self->dir, err)))
        return -1;
    struct metrics metrics = spec_metrics(self->spec);
    self->ask = ask_start(self->loop, self->searcher, &metrics, &self->past, &calls, err);
    if (!self->ask)
        return -1;
    self->renewal = renewal_open(self->core, self->commit, self->ask, self->spec);
    self->amends = amends_open(self->core, self->commit, self->spec);
    counts_open(&self->counts, self->core, self->loop, commit_counts(self->commit), ask_counts(self->ask));
    return 0;
}

static int announce_address(struct coordinator *self, struct err *err)
{
    return listener_announce(self->listener, self->memory.session + 1, store_is_exclusive(self->store), err);
}

static void open_viewers(struct coordinator *self, const struct service_setup *service)
{
    struct viewers_setup setup = {.links = self->links,
                                  .dir = self->dir,
                                  .network = &self->spec->network,
                                  .listener = self->listener,
                                  .pauses = &self->counts.link.pauses};
    self->viewers = viewers_open(&setup, service);
}

static int start_service(struct coordinator *self, struct err *err)
{
    struct service_setup setup = {
        .loop = self->loop,
        .link = listener_control(self->listener),
        .workers = listener_workers(self->listener),
        .core = self->core,
        .commit = self->commit,
        .store = store_is_exclusive(self->store) ? NULL : self->dir->store,
        .amends = self->amends,
        .counters = &self->counts.tree,
        .name = self->spec->name,
        .directory = self->dir->path,
        .session = self->memory.session + 1,
    };
    open_viewers(self, &setup);
    setup.viewers = self->viewers;
    self->service = service_open(&setup);
    if (self->setup->listen)
        self->descriptors = descriptors_watch(
            self->loop, (struct link *[]){listener_workers(self->listener), listener_control(self->listener)}, 2,
            DESCRIPTORS_WORKERS, &self->counts.link.pauses);
    turn_begin(self);
    if (disk_space_wait(self, announce_address, err))
        return -1;
    viewers_begin(self->viewers);
    return 0;
}

static int start_allocating(struct coordinator *self, struct err *err)
{
    struct elastic_setup setup = {.loop = self->loop, .core = self->core, .dir = self->dir, .spec = self->spec};
    if (self->setup->allocate)
        self->elastic = elastic_start(&setup, err);
    return self->setup->allocate && !self->elastic ? -1 : 0;
}

static int start_parts(struct coordinator *self, struct err *err)
{
    signals_hold();
    if (rundir_lock(self->dir, &self->lock, err) || open_past(self, err))
        return -1;
    signals_watch(self);
    if (!(self->links = link_context_create(err)) ||
        !(self->listener = listener_open(self->links, self->dir, self->setup->listen, &self->spec->network, err)))
        return -1;
    if (start_core(self, err) || start_service(self, err) || start_allocating(self, err))
        return -1;
    self->own = coordinator_job_begin(self->core, self->dir, self->spec);
    return 0;
}

/* --- end --- */

static void exit_in_order(int signal)
{
    (void)signal;
    _exit(0);
}

static void exit_failed(int signal)
{
    (void)signal;
    _exit(1);
}

static void exit_unwritten(int signal)
{
    (void)signal;
    _exit(COORDINATOR_UNWRITTEN);
}

/* A strategy may be thinking about a question whose answer nobody wants any more, perhaps for ever. It gets a moment;
 * then the process ends without it, which harms nothing: all that will be is on disk, and the store is closed. */
static void stop_strategy(struct coordinator *self)
{
    enum { PATIENCE_SECONDS = 3 };
    signal(SIGALRM, self->over ? exit_in_order : self->unwritten ? exit_unwritten : exit_failed);
    alarm(PATIENCE_SECONDS);
    ask_stop(self->ask);
    alarm(0);
}

/* What is written last: that jobs have ended with the session. */
static void end_jobs(struct coordinator *self)
{
    if (self->elastic)
        elastic_settle(self->elastic);
    if (self->own)
        coordinator_job_end(self->own);
    turn_take_outputs(self);
}

static void end_parts(struct coordinator *self)
{
    if (self->over)
        end_jobs(self);
    coordinator_job_destroy(self->own);
    elastic_stop(self->elastic);
    descriptors_leave(self->descriptors);
    amends_close(self->amends);
    renewal_close(self->renewal);
    service_close(self->service);
    viewers_close(self->viewers);
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

/* Nothing of it was promised to anybody: runs whose results are among it are done again. */
static int fail_unwritten(const struct coordinator *self, struct err *err)
{
    const char *why = commit_trouble(self->commit);
    if (commit_is_lost(self->commit)) {
        err_write(err, "%s", why);
        return COORDINATOR_STORE_LOST;
    }
    err_write(
        err,
        "the session was to end, but the store can't be written: %s. %llu events are not recorded, among them the "
        "ends of %llu trials, which run again; make room, then gannet run %s --resume goes on",
        why ? why : "it could just now", (unsigned long long)commit_counts(self->commit)->queue,
        (unsigned long long)commit_unwritten_ends(self->commit), self->dir->path);
    return COORDINATOR_UNWRITTEN;
}

static int run_loop(struct coordinator *self, struct err *err)
{
    if (start_parts(self, err) || loop_run(self->loop, err))
        return self->damaged ? COORDINATOR_DAMAGED : self->unwritten ? COORDINATOR_UNWRITTEN : 1;
    counts_log(&self->counts, trial_states_ended(self->memory.tally.ended), self->started);
    if (self->over)
        return 0;
    if (self->unwritten)
        return fail_unwritten(self, err);
    err_write(err, "ended by a second signal; gannet run --resume goes on");
    return 1;
}

int coordinator_run(const struct coordinator_setup *setup, struct err *err)
{
    struct coordinator self = {.setup = setup, .dir = setup->dir, .lock = -1, .started = clock_monotonic()};
    int status = run_loop(&self, err);
    end_parts(&self);
    return status;
}
