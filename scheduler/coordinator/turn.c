/* The turn of the coordinator's loop: what comes goes into the core at once, and at the end of the turn what the core
 * says is carried out: events to the store's thread in one group, questions and tells to the strategy's, messages to
 * the workers. */
#include "scheduler/coordinator/coordinator_parts.h"

#include "common/clock.h"
#include "common/log.h"
#include "common/msg.h"

#include <math.h>

/* How long workers have to say goodbye. They are waited for because ZeroMQ drops what they have received but not read
 * when we close the connection: they would not learn that it is over. */
static const double farewell_seconds = 1;

/* How long what is left to be said to Slurm may take at the end: jobs that wait are taken back. */
static const double slurm_seconds = 15;

/* A message costs the core some 10 us and what it holds up to 10 us for each 150 bytes (the size of a result), so a
 * turn stays below 10 ms. What has come beyond that waits for the next turn. */
enum { MESSAGES_A_TURN = 128, BYTES_A_TURN = 65536 };

/* A tick that comes so much later than it was to: this process was stopped, or its node was. */
static const double late_seconds = 2;

/* --- into the core --- */

static void take_proposal(void *context, uint64_t trial, const struct event_proposed *proposal)
{
    struct coordinator *self = context;
    core_proposal(self->core, clock_monotonic(), trial, proposal);
}

static void take_no_more(void *context)
{
    struct coordinator *self = context;
    core_no_more(self->core, clock_monotonic());
}

static void take_broken(void *context, const char *why)
{
    struct coordinator *self = context;
    log_error("the strategy failed: %s", why);
    core_broken(self->core, clock_monotonic(), why);
}

static void take_held(void *context, uint64_t told)
{
    struct coordinator *self = context;
    renewal_held(self->renewal, told);
}

static void take_committed(void *context, uint64_t number)
{
    struct coordinator *self = context;
    core_committed(self->core, clock_monotonic(), number);
    amends_committed(self->amends, number);
    renewal_committed(self->renewal, number);
}

static void take_unwritten(void *context)
{
    struct coordinator *self = context;
    self->unwritten = true;
    loop_stop(self->loop);
}

/* Who speaks another version can only be told so. */
static void refuse_message(struct coordinator *self, uint64_t peer, const char *why)
{
    struct msg msg = {.kind = MSG_REFUSED, .refused = {.why = why}};
    event_log_warning(&self->event_log, "a message was not understood: %s", why);
    buf_clear(&self->bytes);
    msg_encode(&msg, &self->bytes);
    (void)link_send(listener_workers(self->listener), peer, self->bytes.data, self->bytes.length);
}

static void receive_messages(void *context)
{
    struct coordinator *self = context;
    uint64_t peer;
    size_t bytes = 0;
    for (int i = 0; i < MESSAGES_A_TURN && bytes < BYTES_A_TURN; i++) {
        struct msg msg;
        struct err err;
        if (link_receive(listener_workers(self->listener), &peer, &self->bytes) != LINK_OK)
            return;
        bytes += self->bytes.length;
        bool failed = msg_decode(&msg, self->bytes.data, self->bytes.length, &err) != 0;
        counts_add_received(&self->counts, failed ? MSG_NONE : msg.kind, self->bytes.length);
        if (failed) {
            refuse_message(self, peer, err.text);
            continue;
        }
        core_message(self->core, clock_monotonic(), peer, &msg);
        msg_fini(&msg);
    }
}

/* What workers have said meanwhile lies unread in the socket. */
static void excuse_lateness(struct coordinator *self, double now)
{
    double late = now - self->wake;
    if (late < late_seconds)
        return;
    log_warning("this process did not run for %.0f s; silence of workers in that time does not count", late);
    core_late(self->core, now, late);
}

static void tick_core(void *context)
{
    struct coordinator *self = context;
    double now = clock_monotonic();
    self->tick = NULL;
    excuse_lateness(self, now);
    core_tick(self->core, now);
}

struct ask_calls turn_answers(struct coordinator *self)
{
    return (struct ask_calls){
        .proposed = take_proposal, .no_more = take_no_more, .broken = take_broken, .held = take_held, .context = self};
}

struct commit_calls turn_commits(struct coordinator *self)
{
    return (struct commit_calls){.committed = take_committed, .unwritten = take_unwritten, .context = self};
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
        event_log_warning(&self->event_log,
                          "a worker does not read its messages; what it misses is made good at its heartbeat");
}

static void leave_when_done(void *context)
{
    struct coordinator *self = context;
    self->farewell = NULL;
    if (self->elastic && !elastic_is_done(self->elastic) && clock_monotonic() < self->leave_by)
        self->farewell = loop_timer(self->loop, 0.1, leave_when_done, self);
    else
        loop_stop(self->loop);
}

static void carry_out(struct coordinator *self, struct output *output)
{
    switch (output->kind) {
    case OUTPUT_SEND:
        send_out(self, output);
        break;
    case OUTPUT_STORE:
        self->counts.events[output->event.kind]++;
        event_log_event(&self->event_log, &output->event);
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
                                           .energy = output->energy,
                                           .step = output->step,
                                           .params = output->params,
                                           .observed = output->kind == OUTPUT_OBSERVE});
        if (output->kind == OUTPUT_TELL && self->remover && !output->params)
            checkpoint_remover_drop(self->remover, output->trial);
        break;
    case OUTPUT_FORGET:
        ask_forget(self->ask, output->step);
        break;
    case OUTPUT_ENDED:
        self->over = true;
        self->leave_by = clock_monotonic() + slurm_seconds;
        self->farewell = loop_timer(self->loop, farewell_seconds, leave_when_done, self);
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
        self->tick = loop_timer(self->loop, seconds, tick_core, self);
}

void turn_take_outputs(struct coordinator *self)
{
    struct output output;
    while (core_next(self->core, &output)) {
        carry_out(self, &output);
        output_fini(&output);
    }
    commit_flush(self->commit);
    ask_flush(self->ask);
}

static void end_turn(void *context)
{
    struct coordinator *self = context;
    self->counts.loop.turns++;
    turn_take_outputs(self);
    set_tick(self);
    if (self->over && core_is_deserted(self->core) && (!self->elastic || elastic_is_done(self->elastic)))
        loop_stop(self->loop);
}

void turn_begin(struct coordinator *self)
{
    loop_link(self->loop, listener_workers(self->listener), receive_messages, self);
    loop_turn(self->loop, end_turn, self);
}
