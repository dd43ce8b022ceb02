/* The test fixture of the core; see core_fixture.h. */
#include "tests/core_fixture.h"
#include "common/mem.h"
#include "tests/test_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of those events that have one. */
static enum ending ending_of(const struct event *event)
{
    switch (event->kind) {
    case EVENT_RUN_ENDED:
    case EVENT_LATE:
        return event->run.ending;
    case EVENT_RETRIED:
        return event->retried.ending;
    case EVENT_TRIAL_ENDED:
        return event->end.ending;
    default:
        return ENDING_COMPLETED;
    }
}

static void take(struct fixture *b, struct output *output)
{
    struct err err;
    char params[32];
    switch (output->kind) {
    case OUTPUT_SEND:
        assert_true(b->sent_count < FIXTURE_MOST);
        b->peers[b->sent_count] = output->peer;
        assert_int_equal(msg_decode(&b->sent[b->sent_count++], output->bytes.data, output->bytes.length, &err), 0);
        break;
    case OUTPUT_STORE:
        assert_true(b->event_count < FIXTURE_MOST);
        assert_int_equal(output->event.number, ++b->emitted);
        b->event_endings[b->event_count] = ending_of(&output->event);
        b->events[b->event_count++] = output->event.kind;
        if (output->event.kind == EVENT_EXPERIMENT && *output->event.experiment.detail)
            snprintf(b->why, sizeof b->why, "%s", output->event.experiment.detail);
        if (output->event.kind == EVENT_TRIAL_ENDED || output->event.kind == EVENT_RUN_ENDED) {
            struct event *last = output->event.kind == EVENT_RUN_ENDED ? &b->last_run : &b->last_end;
            event_fini(last);
            *last = output->event;
            event_keep(last);
        }
        break;
    case OUTPUT_ASK:
        b->asked = output->trial;
        snprintf(params, sizeof params, "{\"x\": %llu}", (unsigned long long)output->trial);
        if (b->proposes)
            core_proposal(b->core, b->now, output->trial, &(struct event_proposed){.params = params});
        break;
    case OUTPUT_FORGET:
        b->forgotten = output->step;
        break;
    case OUTPUT_OBSERVE:
        output_fini(&b->observed);
        b->observed = *output;
        *output = (struct output){0};
        b->observed_count++;
        break;
    case OUTPUT_TELL:
        assert_true(b->told_count < FIXTURE_MOST);
        b->told_ending[b->told_count] = output->ending;
        b->told_value[b->told_count] = output->values ? output->values[0] : NAN;
        b->told_seconds[b->told_count] = output->seconds;
        b->told_step[b->told_count] = output->step;
        b->told[b->told_count++] = output->trial;
        break;
    case OUTPUT_ENDED:
        b->ended = true;
        b->reason = output->reason;
    }
}

void fixture_drive(struct fixture *b)
{
    struct output output;
    do {
        while (core_next(b->core, &output)) {
            take(b, &output);
            output_fini(&output);
        }
        if (!b->commits || b->committed == b->emitted)
            return;
        b->committed = b->emitted;
        core_committed(b->core, b->now, b->committed);
    } while (true);
}

int fixture_enter(void **state)
{
    struct fixture *b = MEM_NEW(struct fixture);
    b->now = 100;
    b->commits = b->proposes = true;
    core_config_defaults(&b->config);
    b->config.task = "{\"kernel\": \"synth\"}";
    b->config.metrics = metrics_min;
    b->config.max_trials = 10;
    *state = b;
    return 0;
}

void fixture_start_from(struct fixture *b, const struct memory *memory)
{
    b->core = core_create(&b->config, memory, b->now);
    fixture_drive(b);
}

void fixture_start(struct fixture *b)
{
    fixture_start_from(b, &(struct memory){.next_trial = 1});
}

void fixture_wait(struct fixture *b, double seconds)
{
    b->now += seconds;
    core_tick(b->core, b->now);
    fixture_drive(b);
}

int fixture_leave(void **state)
{
    struct fixture *b = *state;
    core_destroy(b->core);
    event_fini(&b->last_end);
    event_fini(&b->last_run);
    output_fini(&b->observed);
    for (size_t i = 0; i < b->sent_count; i++)
        msg_fini(&b->sent[i]);
    free(b);
    return 0;
}

void fixture_say(struct fixture *b, uint64_t peer, const struct msg *msg)
{
    core_message(b->core, b->now, peer, msg);
    fixture_drive(b);
}

void fixture_join(struct fixture *b, uint64_t peer, uint64_t worker, uint32_t slots, uint32_t credit)
{
    struct msg_slot offered[8] = {0};
    for (uint32_t i = 0; i < slots; i++)
        offered[i] = (struct msg_slot){i, "0", "", "", 0, 0, ""};
    fixture_say(b, peer, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = "n1", .pid = 17}});
    fixture_say(b, peer, &(struct msg){.kind = MSG_OFFER, .offer = {credit, offered, slots, NULL, 0}});
}

void fixture_join_on(struct fixture *b, const char *node, uint64_t worker, uint32_t slots, struct msg_held *held,
                     uint32_t held_count)
{
    struct msg_slot offered[8] = {0};
    for (uint32_t i = 0; i < slots; i++)
        offered[i] = (struct msg_slot){i, "0", "", "", 0, (uint32_t)(1000 * worker + i), worker == 1 ? "a s1" : "b s2"};
    fixture_say(b, worker, &(struct msg){.kind = MSG_HELLO, .hello = {.worker = worker, .node = node, .pid = 17}});
    fixture_say(b, worker, &(struct msg){.kind = MSG_OFFER, .offer = {0, offered, slots, held, held_count}});
}

struct msg_result fixture_done(uint64_t trial, uint32_t attempt, enum ending ending, double value)
{
    struct msg_result result = {.trial = trial, .attempt = attempt, .ending = (uint32_t)ending, .seconds = 1};
    decided_add(&result, 0, value);
    return result;
}

void fixture_report(struct fixture *b, uint64_t peer, struct msg_result result)
{
    fixture_say(b, peer, &(struct msg){.kind = MSG_RESULTS, .results = {&result, 1}});
}

const struct msg *fixture_last_sent(const struct fixture *b, enum msg_kind kind)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->sent[i].kind == kind)
            return &b->sent[i];
    return NULL;
}

size_t fixture_count_sent(const struct fixture *b, enum msg_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        count += b->sent[i].kind == kind;
    return count;
}

size_t fixture_count_leases(const struct fixture *b, uint64_t worker, struct msg_lease *last)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        for (uint32_t j = 0;
             b->sent[i].kind == MSG_LEASES && b->peers[i] == worker && j < b->sent[i].leases.leases_count; j++, count++)
            *last = b->sent[i].leases.leases[j];
    return count;
}

size_t fixture_count_events(const struct fixture *b, enum event_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < b->event_count; i++)
        count += b->events[i] == kind;
    return count;
}

struct snapshot fixture_stand(const struct fixture *b)
{
    struct snapshot snapshot;
    core_snapshot(b->core, b->now, &snapshot);
    return snapshot;
}

struct snapshot fixture_figures(const struct fixture *b)
{
    struct snapshot stands = fixture_stand(b), copy = stands;
    snapshot_fini(&stands);
    copy.workers = NULL;
    return copy;
}
