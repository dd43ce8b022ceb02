/* Coordinator and workers as child processes; see supervise.h.
 *
 *     running    a child that dies is started again; a worker's death is told to the coordinator, and one that
 *                has fallen silent is killed
 *     closing    the coordinator is gone, in order or not: the workers leave, or are ended after a while
 *                or: no worker is left that could be started again: the coordinator is told, and ends in order, unless
 *                it is ending already, which may take a while on a slow disk
 *     over       all are gone; what they left behind is swept away, `ended` is called
 *
 * Everything that descends from us carries our mark in its environment, so that the sweep finds the children of killed
 * children too. If we are killed ourselves, the kernel tells our children: the coordinator takes it as the loss of its
 * job, so that what runs is tried again by the next session, and workers leave. Our reaper ends what stays. */
#include "scheduler/supervisor/supervise.h"

#include "common/buf.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/link.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/reaper.h"
#include "common/texts.h"
#include "scheduler/coordinator/coordinator.h"
#include "scheduler/supervisor/last_words.h"
#include "scheduler/supervisor/notifier.h"
#include "scheduler/supervisor/programs.h"
#include "scheduler/supervisor/silence.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

static const double leave_seconds = 1;    /* for workers to leave after the coordinator's end: nothing runs any more */
static const double stop_seconds = 10;    /* for a process that was told to end, before it is killed */
static const double refused_seconds = 60; /* for a worker whose node does no good, before it asks again */
static const double hear_seconds = 10;    /* for a coordinator to hear that no workers are left, before it is ended */

struct supervisor {
    struct loop *loop;
    struct rundir dir;
    struct link_context *links;
    struct notifier *notifier;
    struct silence *silence; /* of the workers */
    char *mark;              /* GANNET_SUPERVISOR=... */
    struct reaper *reaper;
    struct child *coordinator;
    struct child **workers;
    uint32_t worker_count;
    struct texts nodes, logs;    /* of the workers, and of what their commands say; none: they are on this machine */
    uint32_t *parts;             /* which of those that share its node each is; as many as nodes */
    bool open;                   /* workers from elsewhere may take part */
    bool has_deadline;           /* the coordinator was told of one */
    double deadline;             /* this */
    struct loop_watch *patience; /* until children that should have gone are ended */
    bool lonely;                 /* no worker is left, and the coordinator was to be told */
    uint64_t trials_ended;       /* as last seen */
    int status;                  /* what `ended` will be told */
    char *why;
    void (*ended)(void *context, int status, const char *why);
    void *context;
};

/* --- what children ask us --- */

/* How many trials have ended; what the coordinator said last when the store can't be read beside it. */
static uint64_t count_ended(void *context)
{
    struct supervisor *self = context;
    uint64_t ended;
    if (!rundir_ended(&self->dir, true, &ended))
        ended = 0;
    if (ended > self->trials_ended)
        self->trials_ended = ended;
    return self->trials_ended;
}

static void tell_deadline(struct supervisor *self)
{
    notifier_tell(self->notifier, "until", json_pack("{s:f}", "until", self->deadline));
}

static void note_unwritten(struct supervisor *self)
{
    free(self->why);
    self->why =
        mem_format("the store in %s could not be written when the session was to end, so what came last is not "
                   "recorded: runs whose ends it had not confirmed are done again. Make room on its disk or in "
                   "its quota (if that is what %s/coordinator.log says), then go on with: gannet run %s --resume",
                   self->dir.path, self->dir.logs, self->dir.path);
}

/* A coordinator that ends by a status of its own has said why: the next one would say the same. */
static bool coordinator_again(void *context, struct child *child, int pid, const struct proc_exit *how)
{
    (void)child, (void)pid;
    struct supervisor *self = context;
    if (how->by_signal && self->has_deadline)
        tell_deadline(self); /* the next one knows only what it is started with */
    if (!how->by_signal && how->number == COORDINATOR_UNWRITTEN)
        note_unwritten(self);
    if (!how->by_signal && how->number == COORDINATOR_DAMAGED)
        self->status = SUPERVISE_REFUSED;
    return how->by_signal;
}

static uint32_t index_of(const struct supervisor *self, const struct child *child)
{
    uint32_t index = 0;
    while (index < self->worker_count && self->workers[index] != child)
        index++;
    return index;
}

/* The node of a worker that a command starts; NULL: this one. */
static const char *node_of(const struct supervisor *self, uint32_t worker)
{
    return worker < self->nodes.count ? self->nodes.items[worker] : NULL;
}

static json_t *sign_of_worker(void *context, uint32_t worker)
{
    const struct supervisor *self = context;
    const struct child *child = self->workers[worker];
    const char *node = node_of(self, worker);
    if (!child || !child_pid(child))
        return NULL;
    return node ? json_pack("{s:s, s:i}", "node", node, "part", (int)self->parts[worker])
                : json_pack("{s:i}", "pid", child_pid(child));
}

/* A worker that is stopped or hangs would keep its place as long as its process is there. SIGKILL reaches that in any
 * state; a command needs to be told, so that it ends the worker elsewhere. */
static void replace_worker(void *context, uint32_t worker, double seconds)
{
    struct supervisor *self = context;
    char why[80];
    snprintf(why, sizeof why, "it had been silent for %.0f s", seconds);
    child_kill(self->workers[worker], node_of(self, worker) ? stop_seconds : 0, why);
}

/* The coordinator has heard of a worker's death, and says how many trials have ended. */
static void take_ended(void *context, const json_t *answer)
{
    struct supervisor *self = context;
    json_int_t ended = json_integer_value(json_object_get(answer, "ended"));
    if (ended > 0 && (uint64_t)ended > self->trials_ended)
        self->trials_ended = (uint64_t)ended;
}

/* A worker that ends with status 0 was told to go; a command does so, too, when its node is lost. */
static bool worker_again(void *context, struct child *child, int pid, const struct proc_exit *how)
{
    struct supervisor *self = context;
    uint32_t worker = index_of(self, child);
    const char *node = node_of(self, worker);
    silence_forget(self->silence, worker);
    bool in_order = !how->by_signal && !how->number;
    if (!how->by_signal && how->number == EXIT_REFUSED)
        child_delay(child, refused_seconds);
    if (!self->coordinator || child_is_gone(self->coordinator))
        return !in_order;
    json_t *dead = node ? json_pack("{s:s, s:i, s:s}", "node", node, "part", (int)self->parts[worker], "ending",
                                    in_order ? "node_failed" : "lost")
                        : json_pack("{s:i}", "pid", pid);
    notifier_ask(self->notifier, "worker_dead", dead, take_ended, self);
    return !in_order;
}

/* --- the end --- */

static bool workers_gone(const struct supervisor *self)
{
    for (uint32_t i = 0; i < self->worker_count; i++)
        if (self->workers[i] && !child_is_gone(self->workers[i]))
            return false;
    return true;
}

static void set_patience(struct supervisor *self, double seconds, loop_call *call)
{
    loop_remove(self->patience);
    self->patience = loop_timer(self->loop, seconds, call, self);
}

static void end_workers(struct supervisor *self, double grace)
{
    for (uint32_t i = 0; i < self->worker_count; i++)
        if (self->workers[i])
            child_end(self->workers[i], grace);
}

/* A worker that never met the coordinator does not know that it has ended. */
static void end_left_workers(void *context)
{
    struct supervisor *self = context;
    self->patience = NULL;
    end_workers(self, stop_seconds);
}

/* A coordinator that has heard that no workers are left ends by itself, however long its disk takes. */
static void end_deaf_coordinator(void *context)
{
    struct supervisor *self = context;
    self->patience = NULL;
    if (notifier_has_told(self->notifier))
        return;
    self->status = 1;
    child_end(self->coordinator, stop_seconds);
}

/* The store knows whether the experiment had ended before its workers left. */
static int lonely_status(const struct supervisor *self)
{
    enum experiment_state state;
    enum reason reason;
    if (rundir_reason(&self->dir, &state, &reason) && state == EXPERIMENT_ENDED)
        return reason == REASON_NO_WORKERS;
    return self->status;
}

static void log_restarts(const struct supervisor *self)
{
    uint32_t coordinators, workers;
    supervisor_restarts(self, &coordinators, &workers);
    if (coordinators || workers)
        log_info("started again, because they died: the coordinator %u times, workers %u times", coordinators, workers);
}

static void finish_run(struct supervisor *self)
{
    loop_remove(self->patience);
    self->patience = NULL;
    log_restarts(self);
    int swept = proc_sweep(self->mark);
    if (swept)
        log_warning("%d processes that trials had left behind were killed", swept);
    self->ended(self->context, self->status, self->status && self->why ? self->why : "");
}

static void note_why(struct supervisor *self, const char *why)
{
    if (why && !self->why)
        self->why = mem_text(why);
}

static void coordinator_gone(void *context, struct child *child, const char *why)
{
    (void)child;
    struct supervisor *self = context;
    note_why(self, why);
    self->status = self->lonely && !why ? lonely_status(self) : self->status ? self->status : why != NULL;
    if (workers_gone(self)) {
        finish_run(self);
    } else {
        if (why)
            end_workers(self, leave_seconds);
        set_patience(self, leave_seconds, end_left_workers);
    }
}

/* What the last one of them said is the best reason that there is. */
static void tell_no_workers(struct supervisor *self, bool gave_up)
{
    struct buf why = {0};
    buf_text(&why, gave_up ? "they ended over and over; their logs say why" : "they have left");
    for (size_t i = 0, said = 0; gave_up && i < self->logs.count && !said; i++) {
        struct buf words = {0};
        said = last_words_add(self->logs.items[i], &words);
        if (said)
            buf_format(&why, ", that of %s: %s", self->nodes.items[i], buf_str(&words));
        buf_fini(&words);
    }
    notifier_tell(self->notifier, "no_workers", json_pack("{s:o}", "why", json_of_text(buf_str(&why))));
    buf_fini(&why);
}

static void worker_gone(void *context, struct child *child, const char *why)
{
    (void)child;
    struct supervisor *self = context;
    if (why)
        log_warning("a worker is given up: %s", why);
    if (!workers_gone(self))
        return;
    if (child_is_gone(self->coordinator)) {
        finish_run(self);
        return;
    }
    note_why(self, why ? why : "all workers have left, so no trial could be run");
    if (self->open)
        return;
    self->lonely = true;
    tell_no_workers(self, why != NULL);
    set_patience(self, hear_seconds, end_deaf_coordinator);
}

/* --- the start --- */

/* A text that no other process has in its environment. */
static char *make_mark(void)
{
    unsigned long long random = 0;
    if (getrandom(&random, sizeof random, 0) < 0)
        random = 0; /* our process number has to do */
    return mem_format("GANNET_SUPERVISOR=%ld-%016llx", (long)getpid(), random);
}

static struct child *start_coordinator(struct supervisor *self, const struct supervise_setup *setup, struct err *err)
{
    const struct child_setup child = {.loop = self->loop,
                                      .mark = self->mark,
                                      .progress = count_ended,
                                      .again = coordinator_again,
                                      .gone = coordinator_gone,
                                      .context = self};
    return programs_start_coordinator(setup, &self->dir, &child, err);
}

static struct child *start_worker(struct supervisor *self, const struct supervise_setup *setup, uint32_t index,
                                  struct err *err)
{
    const struct child_setup child = {.loop = self->loop,
                                      .mark = self->mark,
                                      .progress = count_ended,
                                      .again = worker_again,
                                      .gone = worker_gone,
                                      .context = self};
    return setup->commands ? programs_start_command(&setup->commands[index], &self->dir, &child, err)
                           : programs_start_worker(setup, &self->dir, &child, index, self->worker_count, err);
}

static int start_children(struct supervisor *self, const struct supervise_setup *setup, struct err *err)
{
    if (!(self->coordinator = start_coordinator(self, setup, err)))
        return -1;
    for (uint32_t i = 0; i < self->worker_count; i++)
        if (!(self->workers[i] = start_worker(self, setup, i, err)))
            return -1;
    return 0;
}

static void watch_silence(struct supervisor *self, const struct supervise_setup *setup)
{
    struct silence_setup silence = {.loop = self->loop,
                                    .notifier = self->notifier,
                                    .workers = self->worker_count,
                                    .from_start = !setup->commands,
                                    .most = setup->silence,
                                    .every = setup->silence / 4,
                                    .sign = sign_of_worker,
                                    .silent = replace_worker,
                                    .context = self};
    self->silence = silence_watch(&silence);
}

static void start_reaper(struct supervisor *self, const struct supervise_setup *setup)
{
    char *program = programs_path(setup, "gannet-reaper");
    self->reaper = reaper_start(self->loop, program, PROC_MARK_RUN);
    free(program);
}

static void copy_nodes(struct supervisor *self, const struct supervise_setup *setup)
{
    for (uint32_t i = 0; setup->commands && i < self->worker_count; i++) {
        texts_add(&self->nodes, mem_text(setup->commands[i].node));
        self->parts[i] = setup->commands[i].part;
        texts_add(&self->logs, path_join(self->dir.logs, setup->commands[i].log));
    }
}

struct supervisor *supervisor_start(struct loop *loop, const struct supervise_setup *setup,
                                    void (*ended)(void *context, int status, const char *why), void *context,
                                    struct err *err)
{
    struct supervisor *self = MEM_NEW(struct supervisor);
    *self = (struct supervisor){.loop = loop, .ended = ended, .context = context};
    self->worker_count = setup->only_others ? 0 : setup->workers ? setup->workers : 1;
    self->workers = MEM_ARRAY(struct child *, self->worker_count);
    self->parts = MEM_ARRAY(uint32_t, self->worker_count);
    self->open = setup->listen && !setup->alone;
    rundir_name(setup->dir->path, &self->dir);
    copy_nodes(self, setup);
    self->mark = make_mark();
    self->links = link_context_create(err);
    if (self->links) {
        self->notifier = notifier_open(loop, self->links, &self->dir);
        watch_silence(self, setup);
        start_reaper(self, setup);
        if (start_children(self, setup, err) == 0)
            return self;
    }
    supervisor_destroy(self);
    return NULL;
}

void supervisor_signal(struct supervisor *self, int signal)
{
    child_signal(self->coordinator, signal);
}

void supervisor_deadline(struct supervisor *self, double until)
{
    self->has_deadline = true;
    self->deadline = until;
    tell_deadline(self);
}

void supervisor_kill(struct supervisor *self)
{
    self->status = 1;
    child_end(self->coordinator, 0);
    end_workers(self, 0);
}

void supervisor_restarts(const struct supervisor *self, uint32_t *coordinators, uint32_t *workers)
{
    *coordinators = child_restarts(self->coordinator), *workers = 0;
    for (uint32_t i = 0; i < self->worker_count; i++)
        *workers += child_restarts(self->workers[i]);
}

void supervisor_destroy(struct supervisor *self)
{
    if (!self)
        return;
    loop_remove(self->patience);
    child_destroy(self->coordinator);
    for (uint32_t i = 0; i < self->worker_count; i++)
        child_destroy(self->workers[i]);
    proc_sweep(self->mark);
    reaper_dismiss(self->reaper);
    silence_end(self->silence);
    notifier_close(self->notifier);
    link_context_destroy(self->links);
    rundir_fini(&self->dir);
    texts_fini(&self->nodes);
    texts_fini(&self->logs);
    free(self->workers);
    free(self->parts);
    free(self->mark);
    free(self->why);
    free(self);
}
