/* The front run of a slot as a program of its own. */
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/agent/slot.h"
#include "worker/program/program.h"

#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

void slot_stop_program(struct agent_slot *slot, double grace)
{
    const struct task *task = &slot->host->task;
    bool keep = ending_keeps((enum ending)slot->front->stop_ending);
    if (keep && task->checkpoint && task->signal && grace > 0)
        program_ask(slot->program, task->signal, grace);
    else
        program_end(slot->program, grace);
}

/* It has gone beyond the step that it was to pause after. */
static void pause_program(struct agent_slot *slot)
{
    double grace = slot->host->task.grace;
    run_stop(slot->front, ENDING_PAUSED, "");
    slot->front->stop_at = clock_monotonic() + grace;
    slot_stop_program(slot, grace);
}

static void on_value(void *context, const struct msg_sample *sample)
{
    struct agent_slot *slot = context;
    struct run *run = slot->front;
    const struct task *task = &slot->host->task;
    bool objective = strcmp(sample->metric, task->metric) == 0;
    if (run->went_on && !run->resumed && sample->step > 0)
        run->resumed = (uint64_t)sample->step - 1; /* the first step that it takes is the one after its checkpoint's */
    slot_sample(slot, sample);
    report_sampled(slot->host->report, run);
    if (objective && run->until && sample->step > (int64_t)run->until && run->state == RUN_RUNNING)
        pause_program(slot);
}

/* Whether a program that ended by itself has only paused: it came to the step, and left a checkpoint to go on from. */
static bool has_paused(const struct agent_slot *slot)
{
    const struct run *run = slot->front;
    char *directory = slot_directory(slot, run->trial), *path = mem_format("%s/" RUN_CHECKPOINT, directory);
    bool there = run->until && run_reached(run, (int64_t)run->until) && path_exists(path);
    free(path);
    free(directory);
    return there;
}

/* Whether a program that was stopped had taken all the steps that a trial is to take. */
static bool has_done_all(const struct agent_slot *slot)
{
    uint64_t steps = slot->host->task.max_steps;
    int stop = slot->front->stop_ending;
    bool may = stop == ENDING_STOPPED_EARLY || ending_retry((enum ending)stop) == RETRY_LATER;
    return steps && may && run_reached(slot->front, (int64_t)steps);
}

/* Whether a program that ended by itself says that it has saved a checkpoint and is to go on later. */
static bool wants_to_go_on(const struct agent_slot *slot, const struct proc_exit *how, struct buf *detail)
{
    if (how->by_signal || how->number != EX_TEMPFAIL || !slot->host->task.checkpoint)
        return false;
    if (program_saved(slot->program)) {
        buf_clear(detail);
        return true;
    }
    buf_text(detail, " (it would go on later if it had saved a checkpoint)");
    return false;
}

/* The sentence that says what was missed, and what was there. */
static void miss_value(const struct task *task, const char *others, struct buf *detail)
{
    buf_format(detail, "it printed no value of '%s'; write it as %s=0.5 on a line", task->metric, task->metric);
    if (*others)
        buf_format(detail, "; it printed %s", others);
}

static void end_program(struct agent_slot *slot, const struct proc_exit *how, const char *tail, const char *others)
{
    struct run *run = slot->front;
    struct buf detail = {0};
    enum ending ending = slot_judge(slot, how, &detail);
    if (run->state == RUN_STOPPING && has_done_all(slot))
        ending = ENDING_COMPLETED;
    else if (run->state == RUN_STOPPING)
        ending = (enum ending)run->stop_ending; /* its status is that of a program that was told to end */
    else if (wants_to_go_on(slot, how, &detail))
        ending = ENDING_REQUEUED;
    else if (ending == ENDING_COMPLETED && has_paused(slot))
        ending = ENDING_PAUSED;
    else if (ending == ENDING_COMPLETED && !run_has_value(run) && !run->went_on) {
        ending = ENDING_NO_VALUE;
        miss_value(&slot->host->task, others, &detail);
    }
    phase_add(&run->phases[PHASE_WORK], clock_monotonic() - run->begun - run->launch);
    run_profile(run, how->user + how->system, how->peak_memory, NULL, 0);
    program_destroy(slot->program);
    slot->program = NULL;
    slot_end_front(slot, ending, buf_str(&detail), tail);
    slot->host->calls->left(slot->host->context); /* what it has put in the background ends with it */
    buf_fini(&detail);
    slot->act(slot);
}

static void on_program_gone(void *context, const struct proc_exit *how, const char *tail, const char *others)
{
    slot_lose(context, how, tail, others, end_program);
}

static const struct program_calls program_calls = {on_value, on_program_gone};

void slot_begin_program(struct agent_slot *slot)
{
    struct err err;
    enum ending ending;
    char *directory = slot_directory(slot, slot->front->trial), *origin = slot_origin(slot, slot->front);
    struct program_setup setup = {.task = &slot->host->task,
                                  .run = slot->front,
                                  .directory = directory,
                                  .origin = origin,
                                  .pin = slot->pin,
                                  .gpus = (uint32_t)slot->place->gpus.count,
                                  .deadline = slot->host->deadline};
    slot->program = program_start(slot->host->loop, &setup, &program_calls, slot, &ending, &err);
    if (slot->program) {
        slot_started(slot);
        slot->front->state = RUN_RUNNING;
        slot->front->went_on = program_went_on(slot->program);
        slot->front->launch = clock_monotonic() - slot->front->begun;
    } else {
        slot_fail_or_wait(slot, ending, &err);
    }
    free(origin);
    free(directory);
}
