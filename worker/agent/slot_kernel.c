/* The front run of a slot as the work of its trainer. The trainer is started when the first run comes, stays, and is
 * replaced when it ended, grew, or is stale. */
#include "common/clock.h"
#include "common/command.h"
#include "common/log.h"
#include "worker/agent/slot.h"
#include "worker/hardware/pin.h"
#include "worker/program/trainer.h"

#include <stdlib.h>

#define SHORT_RUN 0.05 /* seconds: error output of a run that completed so fast is not looked for */

/* Hands the front run to the trainer, which is idle. */
static void start_run(struct agent_slot *slot)
{
    struct run *run = slot->front;
    if (*trainer_trouble(slot->trainer)) {
        slot_fail_start(slot, ENDING_NOT_STARTED, trainer_trouble(slot->trainer), "");
        trainer_end(slot->trainer); /* the next one may find things mended */
        return;
    }
    char *directory = slot_directory(slot, run->trial), *origin = slot_origin(slot, run);
    slot->pause = 0;
    run->state = RUN_RUNNING;
    run->launch = clock_monotonic() - run->begun;
    trainer_run(slot->trainer, run, &slot->host->task, directory, origin);
    free(origin);
    free(directory);
}

static void on_ready(void *context)
{
    struct agent_slot *slot = context;
    if (slot->front)
        start_run(slot);
    slot_act(slot);
}

static void take_samples(struct agent_slot *slot, uint64_t resumed, const struct msg_sample *samples, uint32_t count)
{
    slot->front->resumed = resumed;
    for (uint32_t i = 0; i < count; i++)
        run_sample(slot->front, slot->host->task.metrics, &samples[i]);
    if (count)
        report_sampled(slot->host->report, slot->front);
}

static void on_step(void *context, const struct msg_step *step)
{
    struct agent_slot *slot = context;
    take_samples(slot, step->resumed, step->samples, step->samples_count);
}

static void on_ended(void *context, const struct msg_ended *ended)
{
    struct agent_slot *slot = context;
    struct run *run = slot->front;
    take_samples(slot, ended->resumed, ended->samples, ended->samples_count);
    run->launch += ended->launch >= 0 && ended->launch < 1e12 ? ended->launch : 0;
    run_profile(run, trainer_cpu(slot->trainer), ended->peak_memory, ended->phases, ended->phases_count);
    bool quiet = ended->ending == ENDING_COMPLETED && clock_monotonic() - run->begun < SHORT_RUN;
    slot_end_front(slot, (enum ending)ended->ending, ended->detail, quiet ? "" : trainer_tail(slot->trainer));
    if (slot->stale || trainer_has_grown(slot->trainer, slot->place->memory)) {
        log_info("slot %u: a new trainer takes over%s", slot->index, slot->stale ? "" : ", the old one has grown");
        trainer_end(slot->trainer);
    }
    slot_act(slot);
}

static void end_trainer(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *nonsense)
{
    (void)tail;
    struct buf detail = {0};
    enum ending ending = slot_judge(slot, how, &detail);
    if (nonsense) {
        ending = ENDING_CRASHED; /* by us, but it may have exited before the signal came */
        buf_clear(&detail);
        buf_format(&detail, "its trainer broke the rules: %s", nonsense);
    } else if (ending == ENDING_COMPLETED) {
        ending = ENDING_EXITED;
        buf_text(&detail, "its trainer exited in the middle of it");
    }
    if (slot->front && slot->front->state == RUN_STARTING) {
        buf_text(&detail, "; the trainer was not ready yet");
        slot_fail_start(slot, ENDING_NOT_STARTED, buf_str(&detail), trainer_tail(slot->trainer));
    } else if (slot->front) {
        run_profile(slot->front, trainer_cpu(slot->trainer), how->peak_memory, NULL, 0);
        slot_end_front(slot, ending, buf_str(&detail), trainer_tail(slot->trainer));
    }
    buf_fini(&detail);
    trainer_destroy(slot->trainer);
    slot->trainer = NULL;
    slot->stale = false;
    slot_act(slot);
}

static void on_gone(void *context, const struct proc_exit *how, const char *nonsense)
{
    slot_lose(context, how, "", nonsense, end_trainer);
}

static const struct trainer_calls trainer_calls = {on_ready, on_step, on_ended, on_gone};

/* A trainer's environment: its place, and what the experiment file sets; that can't depend on the trial. */
static int trainer_env(const struct agent_slot *slot, struct texts *env, struct err *err)
{
    const struct command_trial none = {
        .directory = "", .params_file = "", .cpus = pin_threads(slot->pin), .gpus = (uint32_t)slot->place->gpus.count};
    struct command command;
    if (command_make(&slot->host->task, &none, &command, err))
        return -1;
    texts_add_all(env, pin_env(slot->pin));
    texts_add_all(env, (const char *const *)command.env.items);
    command_fini(&command);
    return 0;
}

static int start_trainer(struct agent_slot *slot, struct err *err)
{
    struct slot_host *host = slot->host;
    struct texts env = {0};
    if (trainer_env(slot, &env, err) == 0) {
        struct trainer_setup setup = {
            .argv = host->trainer, .task = host->task_text, .env = (const char *const *)env.items, .pin = slot->pin};
        slot->trainer = trainer_start(host->loop, &setup, &trainer_calls, slot, err);
    }
    texts_fini(&env);
    return slot->trainer ? 0 : -1;
}

void slot_begin_kernel(struct agent_slot *slot)
{
    struct err err;
    if (!slot->trainer && start_trainer(slot, &err))
        slot_fail_start(slot, ENDING_NOT_STARTED, err.text, "");
    else if (trainer_is_idle(slot->trainer))
        start_run(slot);
}

void slot_renew(struct agent_slot *slot)
{
    slot->stale = slot->trainer != NULL;
    if (slot->trainer && !slot->front && trainer_is_idle(slot->trainer))
        trainer_end(slot->trainer);
}
