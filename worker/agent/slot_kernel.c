/* The front run of a slot as the work of its trainer. The trainer is started when the first run comes, stays, and is
 * replaced when it ended, grew, or is stale. */
#include "common/clock.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/openmp.h"
#include "common/trial_command.h"
#include "worker/agent/slot_parts.h"
#include "worker/hardware/pin.h"
#include "worker/hardware/rank_place.h"
#include "worker/program/trainer.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_RUN 0.05 /* seconds: error output of a run that completed so fast is not looked for */

static void give_run(struct agent_slot *slot, const struct run *run)
{
    char *directory = slot_directory(slot, run->trial), *origin = slot_origin(slot, run);
    if (run == slot->front) {
        trainer_begin(slot->trainer, run, directory);
        slot_stall_begin(slot);
    }
    trainer_give(slot->trainer, run, &slot->host->task, directory, origin);
    free(origin);
    free(directory);
}

/* The run whose lease comes next that the trainer does not have, or NULL. */
static struct run *next_to_give(const struct agent_slot *slot)
{
    struct list_link *link = slot->queue.after;
    for (uint32_t i = 0; i < slot->ahead && link != &slot->queue; i++)
        link = link->after;
    return link != &slot->queue ? LIST_ITEM(link, struct run, link) : NULL;
}

void slot_feed(struct agent_slot *slot)
{
    bool may = !slot->stale && slot->front->state == RUN_RUNNING;
    uint32_t wanted = may ? trainer_wants(slot->trainer) : 0;
    for (struct run *run = wanted ? next_to_give(slot) : NULL; run && wanted--; slot->ahead++) {
        give_run(slot, run);
        run = run->link.after != &slot->queue ? LIST_ITEM(run->link.after, struct run, link) : NULL;
    }
    trainer_send(slot->trainer);
}

/* Hands the front run to the trainer, which is idle. */
static void start_run(struct agent_slot *slot)
{
    struct run *run = slot->front;
    if (*trainer_trouble(slot->trainer)) {
        struct err err;
        err_write(&err, "%s", trainer_trouble(slot->trainer));
        slot_fail_or_wait(slot, ENDING_NOT_STARTED, &err);
        trainer_end(slot->trainer); /* the next one may find everything in order */
        return;
    }
    slot_started(slot);
    run->state = RUN_RUNNING;
    run->launch = clock_monotonic() - run->begun;
    run_stage(run, trainer_take_opening(slot->trainer));
    give_run(slot, run);
    slot_feed(slot);
}

/* What the trainer has recalled is ahead no more. */
static void count_ahead(struct agent_slot *slot)
{
    uint32_t runs = trainer_runs(slot->trainer), others = runs - (runs && slot->front);
    slot->ahead = slot->ahead < others ? slot->ahead : others;
}

/* The trainer was so slow to begin the front run that it was recalled with the others: it waits again, as the first. */
static void requeue_front(struct agent_slot *slot)
{
    run_requeue(slot->front);
    list_prepend(&slot->queue, &slot->front->link);
    slot->front = NULL;
}

void slot_recall(struct agent_slot *slot)
{
    if (!slot->ahead)
        return;
    slot->recalls = true; /* what ends meanwhile shall not make others begin */
    trainer_recall(slot->trainer);
    trainer_listen(slot->trainer);
    count_ahead(slot);
    if (slot->front && !trainer_runs(slot->trainer))
        requeue_front(slot);
    slot->recalls = false;
}

/* The first of those that are ahead has begun. Both clocks are read at once: when it began by its trainer's account, on
 * the one, is told on the other by their difference. */
static void advance_front(struct agent_slot *slot)
{
    struct run *run = LIST_ITEM(list_first(&slot->queue), struct run, link);
    char *directory = slot_directory(slot, run->trial);
    double wall, now = clock_both(&wall);
    list_remove(&run->link);
    slot->ahead--;
    slot->front = run;
    run_begin(run, now, wall);
    slot_note_node(slot);
    run->state = RUN_RUNNING;
    trainer_begin(slot->trainer, run, directory);
    slot_stall_begin(slot);
    free(directory);
}

static void on_ready(void *context)
{
    struct agent_slot *slot = context;
    if (slot->front)
        start_run(slot);
    slot->act(slot);
}

/* A trainer's times are since it began, and the run waited for its trainer before. */
static void take_samples(struct agent_slot *slot, uint64_t resumed, const struct msg_sample *samples, uint32_t count)
{
    slot->front->resumed = resumed;
    for (uint32_t i = 0; i < count; i++) {
        struct msg_sample sample = samples[i];
        sample.time += slot->front->launch + slot->front->phases[PHASE_STAGE].seconds;
        slot_sample(slot, &sample);
    }
    if (count)
        reporter_sampled(slot->host->reporter, slot->front);
}

static void on_step(void *context, const struct msg_step *step)
{
    struct agent_slot *slot = context;
    take_samples(slot, step->resumed, step->samples, step->samples_count);
}

/* Between two runs: a trainer that is to be replaced gets no others, and ends when it has none left. */
static void check_trainer(struct agent_slot *slot)
{
    if (!slot->stale && trainer_has_grown(slot->trainer, slot->place->memory)) {
        log_info("slot %u: a new trainer takes over, the old one has grown", slot->index);
        slot->stale = true;
    }
    if (!slot->stale)
        return;
    trainer_recall(slot->trainer);
    if (!trainer_runs(slot->trainer))
        trainer_end(slot->trainer);
}

/* A trainer is ours, but what it says goes to the coordinator: what can't be is left out. */
static void take_counters(struct run *run, const struct msg_ended *ended)
{
    for (uint32_t i = 0; i < ended->counted_count; i++) {
        const struct msg_counted *counted = &ended->counted[i];
        if (counted->counter < RUN_COUNTERS_COUNT && run_counter_is_sane(counted->counter, counted->value))
            run->counters.values[counted->counter] = counted->value;
    }
}

static void on_ended(void *context, const struct msg_ended *ended)
{
    struct agent_slot *slot = context;
    struct run *run = slot->front;
    double now = clock_monotonic();
    take_samples(slot, ended->resumed, ended->samples, ended->samples_count);
    run->launch += ended->launch >= 0 && ended->launch < 1e12 ? ended->launch : 0;
    run_timed(run, slot->freed, now, ended->begun, ended->seconds);
    run_profile(run, ended->cpu_seconds > 0 ? ended->cpu_seconds : 0, ended->peak_memory, ended->phases,
                ended->phases_count);
    take_counters(run, ended);
    run_operations(run, ended->operations, ended->operations_count);
    bool quiet = ended->ending == ENDING_COMPLETED && now - run->begun < SHORT_RUN;
    slot_end_front(slot, (enum ending)ended->ending, ended->detail, quiet ? "" : trainer_tail(slot->trainer));
    slot->freed = run->ended;
    check_trainer(slot);
    count_ahead(slot);
    if (slot->ahead)
        advance_front(slot);
    slot->act(slot);
}

/* Whether the trainer has ended with the front run's permit unread: the next one begins it. When that happens again and
 * again, the run, or the machine, is at fault after all. */
static bool front_has_not_begun(struct agent_slot *slot)
{
    enum { MOST = 3 };
    bool had_it = slot->front && slot->front->state == RUN_RUNNING && !trainer_runs(slot->trainer);
    slot->unbegun = had_it ? slot->unbegun + 1 : 0;
    return had_it && slot->unbegun <= MOST;
}

/* Of several ranks or nodes: what the first of them said of the one that ended (worker/trainer/gang_watch.c,
 * gang_nodes.c). */
static void name_rank(const struct agent_slot *slot, struct buf *detail)
{
    static const char program[] = "gannet-trainer: ";
    const struct task *task = &slot->host->task;
    const char *tail = trainer_tail(slot->trainer), *said = NULL;
    if (task->nodes > 1)
        said = strstr(tail, "gannet-trainer: node ");
    if (!said && (task->ranks > 1 || task->nodes > 1))
        said = strstr(tail, "gannet-trainer: rank ");
    if (said)
        buf_format(detail, "%s%.*s", detail->length ? "; " : "", (int)strcspn(said + strlen(program), "\n"),
                   said + strlen(program));
}

/* How a run ends whose trainer has ended. */
static enum ending judge_trainer(struct agent_slot *slot, const struct proc_exit *how, const char *nonsense,
                                 struct buf *detail)
{
    enum ending ending = slot_judge(slot, how, detail);
    if (trainer_is_bystander(slot->trainer)) {
        ending = ENDING_LOST;
        buf_clear(detail);
        buf_text(detail, "its trainer was ended, because another trial that it trained did not end in time or took too "
                         "much memory");
    } else if (nonsense) {
        ending = ENDING_CRASHED; /* by us, but it may have exited before the signal came */
        buf_clear(detail);
        buf_format(detail, "its trainer broke the rules: %s", nonsense);
    } else if (slot->host->task.nodes > 1 && !how->by_signal && how->number == EXIT_NODE_LOST) {
        ending = ENDING_LOST;
        buf_clear(detail);
    } else if (ending == ENDING_COMPLETED) {
        ending = ENDING_EXITED;
        buf_text(detail, "its trainer exited in the middle of it");
    }
    name_rank(slot, detail);
    if (ending != ENDING_LOST && trainer_is_shared(slot->trainer))
        buf_format(detail, "%sthe trials that it trained together end with it", detail->length ? "; " : "");
    return ending;
}

static void end_trainer(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *nonsense)
{
    (void)tail;
    struct buf detail = {0};
    if (front_has_not_begun(slot))
        requeue_front(slot);
    enum ending ending = judge_trainer(slot, how, nonsense, &detail);
    if (slot->front && slot->front->state == RUN_STARTING) {
        buf_text(&detail, "; the trainer was not ready yet");
        slot_fail_start(slot, ENDING_NOT_STARTED, buf_str(&detail), trainer_tail(slot->trainer));
    } else if (slot->front) {
        run_profile(slot->front, how->user + how->system, how->peak_memory, NULL, 0);
        slot_end_front(slot, ending, buf_str(&detail), trainer_tail(slot->trainer));
    }
    buf_fini(&detail);
    trainer_destroy(slot->trainer);
    slot->trainer = NULL;
    slot_stall_forget(slot);
    slot->stale = false;
    slot->ahead = 0;
    slot->act(slot);
}

static void on_gone(void *context, const struct proc_exit *how, const char *nonsense)
{
    slot_lose(context, how, "", nonsense, end_trainer);
}

static const struct trainer_calls trainer_calls = {on_ready, on_step, on_ended, on_gone};

/* A trainer's environment: its place, and what the experiment file sets; that can't depend on the trial. */
static int trainer_env(const struct agent_slot *slot, uint32_t threads, struct texts *env, struct err *err)
{
    const struct trial_command_facts none = {
        .directory = "", .params_file = "", .cpus = pin_threads(slot->pin), .gpus = (uint32_t)slot->place->gpus.count};
    struct trial_command command;
    if (trial_command_make(&slot->host->task, &none, &command, err))
        return -1;
    texts_add_all(env, pin_env(slot->pin));
    char *number = mem_format("%u", threads);
    openmp_env(number, (const char *const *)command.env.items, env);
    free(number);
    texts_add_all(env, (const char *const *)command.env.items);
    trial_command_fini(&command);
    return 0;
}

/* "0-1;2-3": the processors of each rank that the trainer starts, and how many threads each may use. The trainer is
 * bound to all of them first, and each rank binds itself to its part. */
static uint32_t place_ranks(const struct agent_slot *slot, struct buf *places)
{
    const struct task *task = &slot->host->task;
    uint32_t threads = pin_threads(slot->pin);
    for (uint32_t rank = 0; rank < task->ranks && task->ranks > 1; rank++) {
        struct slot_place place;
        rank_place_make(&slot->host->topology, slot->place, task->bind, rank, task->ranks, &place);
        buf_text(places, rank ? ";" : "");
        numbers_show(&place.cpus, places);
        threads = (uint32_t)place.cores.count;
        slot_place_fini(&place);
    }
    return threads;
}

/* The program for this slot. Without that of GPUs a kernel trains on the slot's processors. */
static const char *const *choose_trainer(const struct agent_slot *slot)
{
    const struct slot_host *host = slot->host;
    if (slot->place->gpus.count && host->gpu_trainer)
        return host->gpu_trainer;
    if (slot->place->gpus.count)
        log_warning("slot %u: kernel %s trains on processors and leaves the GPU idle: gannet-trainer-cuda is not "
                    "installed beside "
                    "gannet-worker (docs/cuda.md)",
                    slot->index, host->task.kernel);
    return host->trainer;
}

static int start_trainer(struct agent_slot *slot, struct err *err)
{
    struct slot_host *host = slot->host;
    struct texts env = {0};
    struct buf places = {0};
    uint32_t threads = place_ranks(slot, &places);
    if (trainer_env(slot, threads, &env, err) == 0) {
        struct trainer_setup setup = {.argv = choose_trainer(slot),
                                      .task = host->task_text,
                                      .env = (const char *const *)env.items,
                                      .pin = slot->pin,
                                      .threads = threads,
                                      .places = buf_str(&places),
                                      .crew = slot->crew};
        slot->trainer = trainer_start(host->loop, &setup, &trainer_calls, slot, err);
    }
    texts_fini(&env);
    buf_fini(&places);
    return slot->trainer ? 0 : -1;
}

void slot_begin_kernel(struct agent_slot *slot)
{
    struct err err;
    if (!slot_has_port(slot))
        return;
    if (!slot->trainer && start_trainer(slot, &err))
        slot_fail_or_wait(slot, ENDING_NOT_STARTED, &err);
    else if (trainer_wants(slot->trainer))
        start_run(slot);
}

void slot_stop_kernel(struct agent_slot *slot, double grace)
{
    if (grace > 0)
        trainer_halt(slot->trainer, slot->front, ending_keeps((enum ending)slot->front->stop_ending));
    else
        trainer_end(slot->trainer);
}

void slot_renew(struct agent_slot *slot)
{
    slot->stale = slot->trainer != NULL || slot->server != NULL;
    crew_renew(slot->crew);
    if (!slot->program)
        slot_check_server(slot);
    if (slot->trainer && slot->front)
        log_info("slot %u: a new trainer takes over", slot->index);
    else if (slot->trainer && trainer_wants(slot->trainer))
        trainer_end(slot->trainer);
}
