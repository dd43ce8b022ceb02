/* Outputs in their order, and what waits for the disk: acts on trials and acknowledgements, each behind the number of
 * the event that must be committed first. Events are numbered as they are emitted, so both queues are in order. */
#include "scheduler/core/outbox.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/trial.h"

#include <stdlib.h>
#include <string.h>

/* An output costs the core and its loop 3 to 5 us, so that these leave half of a turn of 10 ms for messages. */
enum { WORK_A_TURN = 1024 };

bool outbox_is_full(const struct core *core)
{
    return core->work >= WORK_A_TURN;
}

static struct output *push_output(struct core *core, enum output_kind kind)
{
    struct output *output = ring_push(&core->outputs);
    output->kind = kind;
    core->counters.outputs++;
    core->work++;
    return output;
}

const struct event *outbox_event(struct core *core, const struct event *what)
{
    struct event *event = &push_output(core, OUTPUT_STORE)->event;
    *event = *what;
    event_keep_in(event, &core->said);
    event->number = ++core->events;
    event->time = core->now + core->config.wall_offset;
    return event;
}

void outbox_send(struct core *core, uint64_t peer, const struct msg *msg)
{
    struct output *output = push_output(core, OUTPUT_SEND);
    output->peer = peer;
    msg_encode(msg, &output->bytes);
}

void outbox_ask(struct core *core, uint64_t trial)
{
    push_output(core, OUTPUT_ASK)->trial = trial;
}

void outbox_tell(struct core *core, struct trial *trial)
{
    struct output *output = push_output(core, OUTPUT_TELL);
    output->trial = trial->number;
    output->ending = trial->ending;
    output->values = trial->values;
    output->seconds = trial->seconds;
    output->energy = trial->energy;
    output->step = trial->step;
    trial->values = NULL;
    if (trial->added) {
        output->params = trial->params;
        trial->params = NULL;
    }
}

void outbox_forget(struct core *core, uint64_t told)
{
    push_output(core, OUTPUT_FORGET)->step = told;
}

void outbox_observe(struct core *core, struct due_act *rung)
{
    struct output *output = push_output(core, OUTPUT_OBSERVE);
    output->trial = rung->trial;
    output->values = rung->values;
    output->seconds = rung->seconds;
    output->step = rung->step;
    rung->values = NULL;
}

void outbox_ended(struct core *core)
{
    push_output(core, OUTPUT_ENDED)->reason = core->reason;
}

void outbox_act_later(struct core *core, uint64_t event, uint64_t trial)
{
    *(struct due_act *)ring_push(&core->due_acts) = (struct due_act){.event = event, .trial = trial};
}

void outbox_forget_later(struct core *core)
{
    *(struct due_act *)ring_push(&core->due_acts) = (struct due_act){.event = core->events, .forget = core->tells};
}

void outbox_observe_later(struct core *core, const struct event *decided)
{
    size_t bytes = decided->decided.values_count * sizeof *decided->decided.values;
    struct due_act *due = ring_push(&core->due_acts);
    *due = (struct due_act){.event = decided->number,
                            .trial = decided->trial,
                            .values = memcpy(mem_resize(NULL, 1, bytes), decided->decided.values, bytes),
                            .step = decided->decided.step,
                            .seconds = decided->decided.seconds};
}

void outbox_ack_later(struct core *core, uint64_t event, uint64_t worker, struct msg_ack ack)
{
    *(struct due_ack *)ring_push(&core->due_acks) = (struct due_ack){event, worker, ack};
}

bool core_next(struct core *core, struct output *out)
{
    struct output *first = ring_front(&core->outputs);
    if (!first) {
        core->work = 0;
        arena_reset(&core->said);
        return false;
    }
    *out = *first;
    ring_pop(&core->outputs);
    return true;
}

void output_fini(struct output *out)
{
    buf_fini(&out->bytes);
    free(out->values);
    free(out->params);
}

void outbox_fini(struct core *core)
{
    struct output output;
    while (core_next(core, &output))
        output_fini(&output);
    for (struct due_act *due; (due = ring_front(&core->due_acts)); ring_pop(&core->due_acts))
        free(due->values);
    arena_fini(&core->said);
    ring_fini(&core->outputs);
    ring_fini(&core->due_acts);
    ring_fini(&core->due_acks);
}
