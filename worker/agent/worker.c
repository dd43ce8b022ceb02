/* The worker as a whole: made, driven by the loop, ended. The map of its parts is parts.h, the conversation with the
 * coordinator is told in talk.c. */
#include "worker/agent/worker.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/node.h"
#include "common/rng.h"
#include "common/units.h"
#include "worker/program/ending.h"
#include "worker/program/leftovers.h"
#include "worker/agent/parts.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* How often the worker looks after time: limits are seconds, a worker that looks for its coordinator shall find it at
 * once when both have just been started, and an idle one shall not disturb its node. */
#define TICK_EAGER  0.05
#define TICK_BUSY   0.1
#define TICK_SEEK   0.25
#define TICK_IDLE   0.5
#define EAGER_FIRST 2.0 /* seconds of looking eagerly */

/* --- runs --- */

struct run *worker_find(const struct worker *worker, uint64_t trial, uint32_t attempt)
{
    struct run *run = map_get(&worker->runs, run_key(trial, attempt));
    return run && run->trial == trial && run->attempt == attempt ? run : NULL;
}

struct run *worker_add(struct worker *worker, const struct msg_lease *lease)
{
    uint64_t key = run_key(lease->trial, lease->attempt);
    if (map_get(&worker->runs, key))
        return NULL; /* another run with this key: once in 2^64 */
    struct run *run = run_create(lease);
    map_put(&worker->runs, key, run);
    if (!worker->living++)
        loop_move(worker->tick, TICK_BUSY);
    return run;
}

void worker_forget(struct worker *worker, struct run *run)
{
    worker->living -= run->state != RUN_ENDED;
    map_remove(&worker->runs, run_key(run->trial, run->attempt));
    run_destroy(run);
}

/* --- the task --- */

static void end_slots(struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        slot_destroy(worker->slots[i]);
    free(worker->slots);
    worker->slots = NULL;
    worker->slot_count = 0;
    slots_fini(&worker->places);
}

static void tell_slots(const struct worker *worker, const struct task *task)
{
    const struct topology *topology = &worker->topology;
    uint32_t unused = topology->gpu_count - task->gpus * worker->places.count;
    log_info("offers %u slot%s", worker->places.count, worker->places.count == 1 ? "" : "s");
    for (uint32_t i = 0; i < worker->places.count; i++) {
        enum { TOLD = 4 }; /* the first few show what the others are like */
        struct buf words = {0};
        slot_words(topology, &worker->places.places[i], &words);
        log_line(i < TOLD ? LOG_INFO : LOG_DEBUG, "slot %u: %s", i, buf_str(&words));
        buf_fini(&words);
    }
    if (unused)
        log_info("%u of %u GPUs stay unused%s", unused, topology->gpu_count,
                 task->gpus ? "" : ": resources.gpus gives trials none");
}

static int make_slots(struct worker *worker, const struct task *task, struct err *err)
{
    struct slot_wish wish = {
        .cpus = task->cpus, .sockets = task->sockets, .gpus = task->gpus, .memory = task->memory, .bind = task->bind};
    if (slots_make(&worker->topology, &wish, &worker->places, err))
        return -1;
    struct slot **slots = MEM_ARRAY(struct slot *, worker->places.count);
    for (uint32_t i = 0; i < worker->places.count; i++)
        slots[i] = slot_create(worker, i, &worker->places.places[i]);
    retire_settle(worker, slots);
    tell_slots(worker, task);
    return 0;
}

static bool same_resources(const struct task *a, const struct task *b)
{
    return a->cpus == b->cpus && a->sockets == b->sockets && a->gpus == b->gpus && a->memory == b->memory &&
           a->bind == b->bind;
}

int worker_adopt(struct worker *worker, const char *task_text, struct err *err)
{
    struct task task;
    if (worker->task_text && strcmp(worker->task_text, task_text) == 0)
        return 0;
    if (task_read(task_text, &task, err))
        return -1;
    if (worker->task_text && !same_resources(&task, &worker->task))
        retire_slots(worker); /* a restarted coordinator with other resources */
    free(worker->task_text);
    task_fini(&worker->task);
    worker->task_text = mem_text(task_text);
    worker->task = task;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        slot_renew(worker->slots[i]);
    return worker->places.count ? 0 : make_slots(worker, &worker->task, err);
}

/* --- leftovers --- */

static bool is_own(void *context, pid_t pid)
{
    const struct worker *worker = context;
    for (uint32_t i = 0; i < worker->slot_count; i++)
        if (slot_has_process(worker->slots[i], pid))
            return true;
    return false;
}

static bool is_living(void *context, uint64_t trial, uint32_t attempt)
{
    const struct worker *worker = context;
    const struct run *run = worker_find(worker, trial, attempt);
    return trial ? run && run->state != RUN_ENDED : worker->living > 0;
}

static void tidy(struct worker *worker)
{
    int killed = leftovers_clear(worker->children, is_own, is_living, worker);
    worker->untidy = false;
    if (killed)
        log_info("%d process%s that a run had left behind %s killed", killed, killed == 1 ? "" : "es",
                 killed == 1 ? "was" : "were");
}

static void on_child(void *context)
{
    ((struct worker *)context)->untidy = true;
}

bool worker_was_starved(struct worker *worker)
{
    if (cgroup_oom_kills(&worker->cgroup) <= worker->oom_kills)
        return false;
    worker->oom_kills++;
    return true;
}

static void watch_kills(struct worker *worker, double now)
{
    if (!worker->living || now - worker->oom_asked < 1)
        return;
    worker->oom_asked = now;
    worker->oom_kills = cgroup_oom_kills(&worker->cgroup);
}

/* --- its end --- */

static void stop_watching(struct worker *worker)
{
    loop_remove(worker->turn);
    loop_remove(worker->tick);
    loop_remove(worker->child_signal);
    worker->turn = worker->tick = worker->child_signal = NULL;
}

void worker_over(struct worker *worker, int status, const char *why)
{
    if (worker->stage == STAGE_OVER)
        return;
    worker->stage = STAGE_OVER;
    end_slots(worker);
    proc_sweep(worker->marks.items[0]);
    talk_close(worker, why);
    stop_watching(worker);
    log_info("ends with status %d%s%s", status, *why ? ": " : "", why);
    if (worker->runs_ended)
        log_info("%llu runs took %.0f us of its own processor time each", (unsigned long long)worker->runs_ended,
                 clock_cpu() / (double)worker->runs_ended * 1e6);
    worker->ended(worker->context, status);
}

/* Whether there is nothing left to wait for. */
static bool is_done(const struct worker *worker)
{
    if (!worker->living && report_is_done(worker))
        return true;
    return worker->stage == STAGE_LEAVING && clock_monotonic() >= worker->leave_by;
}

static void end_if_done(struct worker *worker)
{
    if ((worker->draining || worker->stage == STAGE_LEAVING) && is_done(worker))
        worker_over(worker, worker->status, worker->why ? worker->why : "the experiment has ended");
}

/* How runs end that a signal to the worker ends: inside a job, the job is at fault. */
static enum ending leave_ending(const struct worker *worker)
{
    enum { NEARLY = 120 }; /* seconds; Slurm's clock of limits ticks every 30 */
    if (!worker->job.job)
        return ENDING_LOST;
    bool nearly = worker->deadline > 0 && clock_wall() > worker->deadline - (double)NEARLY;
    return nearly ? ENDING_WALLTIME : ENDING_PREEMPTED;
}

/* Seconds that a run has to end when the worker leaves. Those that can save a checkpoint get longer, but less than the
 * 30 that Slurm waits before it kills. */
static double leave_grace(const struct worker *worker, const struct slot *slot)
{
    static const double longest = 20;
    if (worker->task.checkpoint)
        return fmin(worker->task.grace, longest);
    return slot->program ? 0.5 : 0;
}

void worker_leave(struct worker *worker, int signal)
{
    char name[32];
    if (worker->stage == STAGE_OVER || worker->stage == STAGE_LEAVING)
        return;
    worker->stage = STAGE_LEAVING;
    worker->status = 128 + signal;
    worker->leave_by = clock_monotonic() + 1;
    worker->why = mem_format("it was told to end by %s", signal_name(signal, name, sizeof name));
    for (uint32_t i = 0; i < worker->slot_count; i++) {
        struct slot *slot = worker->slots[i];
        slot_return_queue(slot);
        slot_settle(slot);
        double grace = leave_grace(worker, slot);
        if (slot->front)
            slot_stop(slot, slot->front, leave_ending(worker), worker->why, grace);
        worker->leave_by = fmax(worker->leave_by, clock_monotonic() + grace + 1);
    }
    loop_move(worker->tick, 0);
}

/* A worker that nobody needs leaves, so that its job ends. The coordinator may be giving it a lease at this moment,
 * which has not begun then. Without a coordinator it is give_up that counts. */
static void leave_if_idle(struct worker *worker, double now)
{
    char time[32];
    if (worker->runs.count || !worker->joined || worker->stage != STAGE_WORKING || worker->setup->idle_exit <= 0)
        worker->worked = now;
    else if (now - worker->worked >= worker->setup->idle_exit) {
        worker->why =
            mem_format("it had no work for %s", units_show_duration(worker->setup->idle_exit, time, sizeof time));
        worker_over(worker, 0, worker->why);
    }
}

/* --- turns and ticks --- */

static void on_turn(void *context)
{
    struct worker *worker = context;
    if (worker->untidy)
        tidy(worker);
    report_turn(worker);
    end_if_done(worker);
}

static double next_tick(const struct worker *worker, double now)
{
    double seconds = worker->living ? TICK_BUSY : TICK_IDLE;
    if (!worker->joined)
        seconds = now - worker->heard < EAGER_FIRST ? TICK_EAGER : TICK_SEEK;
    if (worker->stage == STAGE_LEAVING)
        seconds = TICK_EAGER;
    return fmin(seconds, worker->heartbeat / 2);
}

static void on_tick(void *context)
{
    struct worker *worker = context;
    double now = clock_monotonic();
    talk_tick(worker, now);
    retire_reap(worker);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        slot_tick(worker->slots[i], now);
    watch_kills(worker, now);
    report_tick(worker, now);
    leave_if_idle(worker, now);
    if (worker->stage != STAGE_OVER)
        loop_move(worker->tick, next_tick(worker, now));
}

/* --- life --- */

static uint64_t random_number(void)
{
    uint64_t number = 0;
    while (!number)
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            number = rng_mix((uint64_t)getpid(), (uint64_t)(clock_wall() * 1e6));
    return number;
}

/* Marks all children as ours, and sweeps away what dead workers of this run directory left on this node. */
static void mark_children(struct worker *worker)
{
    texts_add(&worker->marks, mem_format("GANNET_WORKER=%d", (int)getpid()));
    if (!worker->setup->rundir)
        return;
    texts_add(&worker->marks, mem_format("GANNET_OWNER=%s", worker->setup->rundir));
    int killed = proc_sweep_orphans(worker->marks.items[1], "GANNET_WORKER=");
    if (killed)
        log_info("%d processes of dead workers were killed", killed);
}

static int find_machine(struct worker *worker, struct err *err)
{
    const struct worker_setup *setup = worker->setup;
    struct buf words = {0};
    char node[NODE_SIZE];
    if (topology_read(&setup->source, &worker->topology, err))
        return -1;
    topology_part(&worker->topology, setup->part, setup->parts);
    worker->node = mem_text(node_name(node));
    worker->job = node_job();
    cgroup_find(&worker->cgroup, "/proc", "/sys/fs/cgroup");
    worker->oom_kills = cgroup_oom_kills(&worker->cgroup);
    topology_words(&worker->topology, &words);
    log_info("on %s: %s", worker->node, buf_str(&words));
    if (worker->topology.cores_shared)
        log_warning("there are more workers than cores; this one shares its core with others");
    buf_fini(&words);
    return 0;
}

struct worker *worker_create(struct loop *loop, struct link_context *links, const struct worker_setup *setup,
                             void (*ended)(void *context, int status), void *context, struct err *err)
{
    struct worker *worker = MEM_NEW(struct worker);
    worker->setup = setup;
    worker->loop = loop;
    worker->ended = ended;
    worker->context = context;
    worker->id = random_number();
    worker->children = -1;
    list_init(&worker->sampled);
    list_init(&worker->fresh);
    list_init(&worker->told);
    if (find_machine(worker, err) || talk_open(worker, links, err)) {
        worker_destroy(worker);
        return NULL;
    }
    worker->children = leftovers_adopt();
    mark_children(worker);
    worker->child_signal = loop_signal(loop, SIGCHLD, on_child, worker);
    worker->turn = loop_turn(loop, on_turn, worker);
    worker->tick = loop_timer(loop, 0, on_tick, worker);
    return worker;
}

void worker_destroy(struct worker *worker)
{
    if (!worker)
        return;
    if (worker->stage != STAGE_OVER) {
        end_slots(worker);
        talk_close(worker, "it ends");
    }
    stop_watching(worker);
    struct map_entry entry;
    for (size_t at = 0; map_next(&worker->runs, &at, &entry);)
        run_destroy(entry.value);
    map_fini(&worker->runs);
    free(worker->returned);
    free(worker->task_text);
    task_fini(&worker->task);
    topology_fini(&worker->topology);
    cgroup_fini(&worker->cgroup);
    texts_fini(&worker->marks);
    if (worker->children >= 0)
        close(worker->children);
    free(worker->why);
    free(worker->node);
    free(worker);
}
