/* The front run of a slot as a program of its own. */
#include "common/clock.h"
#include "worker/parts.h"
#include "worker/pin.h"
#include "worker/program.h"

#include <stdlib.h>

static void on_value(void *context, const struct msg_sample *sample)
{
    struct slot *slot = context;
    run_sample(slot->front, slot->worker->task.metric, sample);
    report_sampled(slot->worker, slot->front);
}

/* The sentence that says what was missed, and what was there. */
static void miss_value(const struct task *task, const char *others, struct buf *detail)
{
    buf_format(detail, "it printed no value of '%s'; write it as %s=0.5 on a line", task->metric, task->metric);
    if (*others)
        buf_format(detail, "; it printed %s", others);
}

static void on_program_gone(void *context, const struct proc_exit *how, const char *tail, const char *others)
{
    struct slot *slot = context;
    struct run *run = slot->front;
    struct buf detail = {0};
    enum ending ending = slot_judge(slot, how, &detail);
    if (run->state == RUN_STOPPING)
        ending = (enum ending)run->stop_ending; /* its status is that of a program that was told to end */
    else if (ending == ENDING_COMPLETED && !run->has_value) {
        ending = ENDING_NO_VALUE;
        miss_value(&slot->worker->task, others, &detail);
    }
    phase_add(&run->phases[PHASE_WORK], clock_monotonic() - run->begun - run->launch);
    run_profile(run, how->user + how->system, how->peak_memory, NULL, 0);
    program_destroy(slot->program);
    slot->program = NULL;
    slot_end_front(slot, ending, buf_str(&detail), tail);
    slot->worker->untidy = true; /* what it has put in the background ends with it */
    buf_fini(&detail);
    slot_act(slot);
}

static const struct program_calls program_calls = {on_value, on_program_gone};

void slot_begin_program(struct slot *slot)
{
    struct err err;
    enum ending ending;
    char *directory = slot_directory(slot, slot->front);
    struct program_setup setup = {.task = &slot->worker->task,
                                  .run = slot->front,
                                  .directory = directory,
                                  .pin = slot->pin,
                                  .gpus = (uint32_t)slot->place->gpus.count};
    slot->program = program_start(slot->worker->loop, &setup, &program_calls, slot, &ending, &err);
    if (slot->program) {
        slot->pause = 0;
        slot->front->state = RUN_RUNNING;
        slot->front->launch = clock_monotonic() - slot->front->begun;
    } else {
        slot_fail_start(slot, ending, err.text, "");
    }
    free(directory);
}
