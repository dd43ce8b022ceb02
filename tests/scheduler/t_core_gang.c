/* Trials that take a slot on each of several nodes (scheduler/core/gang.c, gather.c). */
#include "tests/core_fixture.h"
#include "scheduler/core/demand.h"

#include <math.h>
#include <string.h>

/* Workers 1, 2, ... on the nodes a, b, ...; each trial takes a slot on each of so many nodes. */
static void start(struct fixture *b, uint32_t nodes, uint32_t workers, uint32_t slots)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    b->config.nodes = nodes;
    fixture_start(b);
    for (uint32_t i = 0; i < workers; i++)
        fixture_join_on(b, names[i], i + 1, slots, NULL, 0);
}

/* The last lease that this worker was sent; NULL: none. */
static const struct msg_lease *lease_of(const struct fixture *b, uint64_t worker)
{
    for (size_t i = b->sent_count; i-- > 0;)
        if (b->peers[i] == worker && b->sent[i].kind == MSG_LEASES)
            return &b->sent[i].leases.leases[b->sent[i].leases.leases_count - 1];
    return NULL;
}

static size_t leases_sent(const struct fixture *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        count += b->sent[i].kind == MSG_LEASES ? b->sent[i].leases.leases_count : 0;
    return count;
}

/* How often the worker was told to stop something, and the last ending that this named. */
static size_t stops_of(const struct fixture *b, uint64_t worker, enum ending *ending)
{
    size_t count = 0;
    for (size_t i = 0; i < b->sent_count; i++)
        if (b->peers[i] == worker && b->sent[i].kind == MSG_STOP_RUN) {
            count++;
            *ending = (enum ending)b->sent[i].stop_run.ending;
        }
    return count;
}

static bool is_stopped(const struct fixture *b, uint64_t worker)
{
    enum ending ending;
    return stops_of(b, worker, &ending) > 0;
}

static uint32_t busy_slots(struct fixture *b)
{
    struct snapshot snapshot = fixture_stand(b);
    uint32_t busy = snapshot.busy;
    snapshot_fini(&snapshot);
    return busy;
}

static void a_trial_begins_once_enough_nodes_have_a_vacant_slot(void **state)
{
    struct fixture *b = *state;
    start(b, 3, 2, 1);
    assert_int_equal(leases_sent(b), 0);
    fixture_join_on(b, "b", 7, 4, NULL, 0); /* of a node that is there already */
    assert_int_equal(leases_sent(b), 0);
    fixture_join_on(b, "c", 8, 1, NULL, 0);
    assert_int_equal(leases_sent(b), 3);
    assert_int_equal(busy_slots(b), 3);
}

static void each_part_is_told_its_place_and_where_to_meet(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    const struct msg_lease *first = lease_of(b, 1), *second = lease_of(b, 2);
    assert_int_equal(first->trial, second->trial);
    assert_int_equal(first->attempt, second->attempt);
    assert_int_equal(first->node, 0);
    assert_int_equal(second->node, 1);
    assert_int_equal(first->nodes, 2);
    assert_int_equal(second->nodes, 2);
    assert_string_equal(second->hosts, "a,b");
    assert_int_equal(first->port, 1000);
    assert_int_equal(second->port, 1000);
    assert_string_equal(first->meeting, "a s1");
    assert_string_equal(second->meeting, "a s1");
}

static void nothing_is_sent_before_all_of_it_is_on_disk(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 1, 1);
    b->commits = false;
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    assert_int_equal(leases_sent(b), 0);
    b->commits = true;
    fixture_wait(b, 0.1);
    fixture_drive(b);
    assert_int_equal(leases_sent(b), 2);
    assert_int_equal(fixture_count_events(b, EVENT_PART_LEASED), 1);
    assert_int_equal(fixture_count_events(b, EVENT_LEASED), 1);
}

static void nothing_is_leased_ahead(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 100;
    start(b, 2, 2, 1);
    for (int i = 0; i < 20; i++) {
        const struct msg_lease *lease = lease_of(b, 1);
        struct msg_result short_run = fixture_done(lease->trial, 1, ENDING_COMPLETED, 1);
        short_run.seconds = 1e-4;
        fixture_report(b, 2, short_run);
        fixture_report(b, 1, short_run);
        assert_true(busy_slots(b) <= 2);
    }
}

static void the_first_nodes_result_is_the_trials(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_int_equal(b->told_count, 1);
    assert_float_equal(b->told_value[0], 0.5, 0);
}

static void another_nodes_values_and_samples_are_not_the_trials(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    struct msg_sample sample = {"loss", 1, -1, 0};
    struct msg_batch batch = {1, 1, 0, 0, &sample, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_SAMPLED), 0);
    assert_int_equal(fixture_last_sent(b, MSG_ACKS)->acks.acks[0].samples, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, -1));
    assert_int_equal(b->told_count, 0);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    assert_float_equal(b->told_value[0], 0.5, 0);
}

static void every_part_is_acknowledged_once_its_end_is_on_disk(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    b->commits = false;
    size_t before = fixture_count_sent(b, MSG_ACKS);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    assert_int_equal(fixture_count_sent(b, MSG_ACKS), before);
    b->commits = true;
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_PART_ENDED), 1);
    assert_true(fixture_last_sent(b, MSG_ACKS)->acks.acks[0].ended);
}

/* The slot is not given anew before the old part has ended there. */
static void the_others_have_a_grace_behind_the_first_one(void **state)
{
    struct fixture *b = *state;
    b->config.grace = 5;
    start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    fixture_wait(b, 4);
    fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT});
    assert_int_equal(b->told_count, 1);
    assert_false(is_stopped(b, 2));
    assert_int_equal(leases_sent(b), 2);
    fixture_wait(b, 2);
    assert_true(is_stopped(b, 2));
    assert_int_equal(leases_sent(b), 2);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(leases_sent(b), 4);
    assert_int_equal(lease_of(b, 2)->trial, 2);
}

static void what_the_first_one_started_ends_with_it(void **state)
{
    struct fixture *b = *state;
    b->config.first_starts_all = true;
    start(b, 2, 2, 1);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
    assert_true(is_stopped(b, 2));
}

static void a_part_that_ends_badly_ends_the_run_with_its_reason(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    start(b, 3, 3, 1);
    struct msg_result crash = fixture_done(1, 1, ENDING_CRASHED, NAN);
    crash.detail = "it was killed by SIGSEGV";
    crash.tail = "line 3";
    fixture_report(b, 2, crash);
    assert_int_equal(b->told_count,
                     0); /* it is as soon as the first node has ended, whose samples may be on their way */
    assert_true(is_stopped(b, 1));
    assert_true(is_stopped(b, 3));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_CRASHED);
    assert_string_equal(b->last_end.end.detail, "node b ended: it was killed by SIGSEGV");
    assert_string_equal(b->last_run.run.tail, "line 3");
}

static void a_part_that_ends_badly_is_tried_again_as_any_run(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    b->config.retries = 1;
    start(b, 2, 2, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_EXITED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_int_equal(lease_of(b, 2)->attempt, 2);
}

static void a_success_of_the_first_node_stands(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_EXITED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.25));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
    assert_float_equal(b->told_value[0], 0.25, 0);
}

static void a_lost_worker_ends_the_run_as_lost_and_free(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    b->config.retries = 0;
    start(b, 2, 3, 1);
    core_worker_dead(b->core, b->now, 2, ENDING_LOST, "killed");
    fixture_drive(b);
    assert_true(is_stopped(b, 1));
    assert_int_equal(leases_sent(b), 2);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_string_equal(b->last_run.run.detail, "node b ended: killed");
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_string_equal(lease_of(b, 1)->hosts, "c,a");
}

static void a_lost_first_worker_stops_the_others(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "killed");
    fixture_drive(b);
    assert_true(is_stopped(b, 2));
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    assert_int_equal(leases_sent(b), 2); /* the slot of the other one is taken still */
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(lease_of(b, 3)->attempt, 2);
    assert_int_equal(b->told_count, 0);
}

static void a_part_that_is_given_back_takes_the_attempt_back(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    struct msg_run_id run = {1, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 1);
    assert_true(is_stopped(b, 1));
    fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(lease_of(b, 1)->attempt, 2);
    assert_int_equal(lease_of(b, 2)->attempt, 2);
    assert_int_equal(b->told_count, 0);
}

static void a_port_that_was_taken_is_another_one(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    struct msg_run_id run = {1, 1};
    fixture_say(b, 1, &(struct msg){.kind = MSG_PORT, .port = {0, 4321}});
    fixture_say(b, 1, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    const struct msg_lease *any = lease_of(b, 1);
    assert_int_equal(any->attempt, 2);
    assert_int_equal(any->port, any->node ? 2000 : 4321);
    struct snapshot before = fixture_stand(b);
    fixture_say(b, 1, &(struct msg){.kind = MSG_PORT, .port = {17, 4321}});
    struct snapshot after = fixture_stand(b);
    assert_int_equal(after.refused, before.refused + 1);
    snapshot_fini(&before);
    snapshot_fini(&after);
}

/* Its samples are on record: what was begun is not unstarted. */
static void a_part_that_is_given_back_late_is_a_loss(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    start(b, 2, 2, 1);
    struct msg_sample sample = {"loss", 1, 1, 0};
    struct msg_batch batch = {1, 1, 0, 0, &sample, 1};
    fixture_say(b, 1, &(struct msg){.kind = MSG_SAMPLES, .samples = {&batch, 1}});
    struct msg_run_id run = {1, 1};
    fixture_say(b, 2, &(struct msg){.kind = MSG_RETURNED, .returned = {&run, 1}});
    assert_int_equal(fixture_count_events(b, EVENT_RETURNED), 0);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_int_equal(lease_of(b, 1)->attempt, 2);
}

static void a_stop_goes_to_every_part(void **state)
{
    struct fixture *b = *state;
    enum ending ending;
    start(b, 3, 3, 1);
    assert_int_equal(core_cancel_trial(b->core, b->now, 1, NULL), 0);
    fixture_drive(b);
    for (uint64_t worker = 1; worker <= 3; worker++) {
        assert_int_equal(stops_of(b, worker, &ending), 1);
        assert_int_equal(ending, ENDING_CANCELLED);
    }
    fixture_report(b, 3, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_CANCELLED);
}

static void the_job_of_one_node_that_ends_stops_all(void **state)
{
    struct fixture *b = *state;
    enum ending ending;
    b->config.nodes = 2;
    b->config.can_continue = true;
    b->config.warn = 30;
    fixture_start(b);
    fixture_join_on(b, "a", 1, 1, NULL, 0);
    fixture_say(
        b, 2,
        &(struct msg){.kind = MSG_HELLO, .hello = {.worker = 2, .node = "b", .job = 9, .element = NODE_NO_ELEMENT}});
    struct msg_slot slot = {0, "0", "", "", 0, 0, ""};
    fixture_say(b, 2, &(struct msg){.kind = MSG_OFFER, .offer = {0, &slot, 1, NULL, 0}});
    core_job_ends(b->core, b->now, (struct node_job){9, NODE_NO_ELEMENT}, b->now + 100);
    fixture_drive(b);
    assert_int_equal(leases_sent(b), 2);
    fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    for (int i = 0; i < 15; i++) {
        fixture_wait(b, 5);
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        fixture_say(b, 2, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
    }
    assert_true(stops_of(b, 1, &ending) > 0);
    assert_int_equal(ending, ENDING_WALLTIME);
    assert_true(stops_of(b, 2, &ending) > 0);
    assert_int_equal(ending, ENDING_WALLTIME);
}

/* --- after a restart --- */

static struct memory_part part_b = {.node = 1, .worker = 2, .host = "b"};
static struct memory_run both_runs[] = {{1, 1, 0}, {1, 2, 1}};
static struct memory_trial on_two = {.trial = 1,
                                     .params = "{}",
                                     .attempts = 1,
                                     .running = true,
                                     .attempt = 1,
                                     .worker = 1,
                                     .parts = &part_b,
                                     .part_count = 1,
                                     .runs = both_runs,
                                     .run_count = 2,
                                     .highest = -1};

static void go_on(struct fixture *b, struct memory_part *part)
{
    b->config.nodes = 2;
    on_two.parts = part;
    struct memory memory = {.session = 1, .next_trial = 2, .trials = &on_two, .trial_count = 1};
    fixture_start_from(b, &memory);
}

static struct msg_held held = {1, 1, 0, false};

static void a_restarted_coordinator_takes_all_parts_back(void **state)
{
    struct fixture *b = *state;
    go_on(b, &part_b);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    fixture_join_on(b, "b", 2, 1, &held, 1);
    assert_false(is_stopped(b, 1));
    assert_false(is_stopped(b, 2));
    assert_int_equal(leases_sent(b), 0);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 1));
    assert_int_equal(b->told_ending[0], ENDING_COMPLETED);
}

static void a_part_that_does_not_come_back_ends_the_run(void **state)
{
    struct fixture *b = *state;
    b->config.restart_patience = 30;
    go_on(b, &part_b);
    for (int i = 0; i < 8; i++) {
        fixture_join_on(b, "a", 1, 1, &held, 1);
        fixture_wait(b, 5);
    }
    assert_true(is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->last_run.run.ending, ENDING_LOST);
    assert_int_equal(b->told_count, 0);
}

/* Else the next restart would find it in a slot that others were given meanwhile. */
static void a_part_that_its_worker_does_not_have_is_written_down(void **state)
{
    struct fixture *b = *state;
    go_on(b, &part_b);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    fixture_join_on(b, "b", 2, 1, NULL, 0);
    assert_int_equal(fixture_count_events(b, EVENT_PART_ENDED), 1);
    assert_true(is_stopped(b, 1));
}

static void a_part_that_had_ended_badly_is_remembered(void **state)
{
    struct fixture *b = *state;
    struct memory_part ended = part_b;
    ended.ended = true;
    ended.ending = ENDING_EXITED;
    ended.detail = "it ended with status 3";
    b->config.retries = 0;
    go_on(b, &ended);
    fixture_join_on(b, "a", 1, 1, &held, 1);
    assert_true(is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    assert_int_equal(b->told_ending[0], ENDING_EXITED);
    assert_string_equal(b->last_end.end.detail, "node b ended: it ended with status 3");
}

static void a_part_of_an_attempt_of_before_is_told_to_stop(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    core_peer_gone(b->core, b->now, 2);
    for (int i = 0; i < 3; i++) {
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = {0, (struct msg_run_id[]){{1, 1}}, 1}});
        fixture_wait(b, 3);
    }
    assert_true(is_stopped(b, 1));
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    assert_int_equal(lease_of(b, 3)->attempt, 2);
    struct snapshot before = fixture_stand(b);
    fixture_join_on(b, "b", 2, 1, &held, 1);
    assert_true(is_stopped(b, 2));
    fixture_report(b, 2, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    struct snapshot after = fixture_stand(b);
    assert_int_equal(after.refused, before.refused);
    assert_int_equal(after.busy, 2);
    snapshot_fini(&before);
    snapshot_fini(&after);
}

/* --- limits --- */

static void max_concurrent_counts_trials(void **state)
{
    struct fixture *b = *state;
    b->config.max_concurrent = 1;
    start(b, 2, 4, 2);
    assert_int_equal(leases_sent(b), 2);
    b->config.max_concurrent = 0;
}

static void without_a_limit_all_nodes_are_used(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 4, 2);
    assert_int_equal(leases_sent(b), 8);
}

static void what_is_wanted_is_slots_of_all_nodes(void **state)
{
    struct fixture *b = *state;
    struct demand demand;
    start(b, 2, 2, 1);
    core_demand(b->core, &demand);
    assert_int_equal(demand.wanted, 20);
    demand_fini(&demand);
}

static void a_worker_that_has_no_such_part_is_refused(void **state)
{
    struct fixture *b = *state;
    start(b, 2, 2, 1);
    fixture_join_on(b, "c", 3, 1, NULL, 0);
    fixture_report(b, 3, fixture_done(1, 1, ENDING_CRASHED, NAN));
    assert_int_equal(b->told_count, 0);
    assert_false(is_stopped(b, 1));
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.refused, 1);
    snapshot_fini(&stand);
}

/* Lost with two trials in a row; then it runs alone, and is at fault. */
static void a_trial_that_kills_its_workers_is_found_out(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 1;
    start(b, 2, 2, 2);
    for (uint32_t attempt = 1; attempt <= 3; attempt++) {
        uint64_t second = attempt == 1 ? 2 : 10 + attempt - 1;
        fixture_wait(b, 1);
        assert_int_equal(lease_of(b, 1)->attempt, attempt);
        core_worker_dead(b->core, b->now, second, ENDING_LOST, "killed");
        fixture_drive(b);
        fixture_report(b, 1, fixture_done(1, attempt, ENDING_CANCELLED, NAN));
        b->now += 20;
        fixture_say(b, 1, &(struct msg){.kind = MSG_HEARTBEAT});
        if (attempt < 3)
            fixture_join_on(b, "b", 10 + attempt, 2, NULL, 0);
    }
    assert_int_equal(b->told_count, 1);
    assert_int_equal(b->told_ending[0], ENDING_LOST);
}

static void too_few_nodes_are_said(void **state)
{
    struct fixture *b = *state;
    start(b, 3, 2, 1);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.nodes, 3);
    assert_int_equal(stand.nodes_here, 2);
    snapshot_fini(&stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_trial_begins_once_enough_nodes_have_a_vacant_slot),
        FIXTURE_CLAIM(each_part_is_told_its_place_and_where_to_meet),
        FIXTURE_CLAIM(nothing_is_sent_before_all_of_it_is_on_disk),
        FIXTURE_CLAIM(nothing_is_leased_ahead),
        FIXTURE_CLAIM(the_first_nodes_result_is_the_trials),
        FIXTURE_CLAIM(another_nodes_values_and_samples_are_not_the_trials),
        FIXTURE_CLAIM(every_part_is_acknowledged_once_its_end_is_on_disk),
        FIXTURE_CLAIM(the_others_have_a_grace_behind_the_first_one),
        FIXTURE_CLAIM(what_the_first_one_started_ends_with_it),
        FIXTURE_CLAIM(a_part_that_ends_badly_ends_the_run_with_its_reason),
        FIXTURE_CLAIM(a_part_that_ends_badly_is_tried_again_as_any_run),
        FIXTURE_CLAIM(a_success_of_the_first_node_stands),
        FIXTURE_CLAIM(a_lost_worker_ends_the_run_as_lost_and_free),
        FIXTURE_CLAIM(a_lost_first_worker_stops_the_others),
        FIXTURE_CLAIM(a_part_that_is_given_back_takes_the_attempt_back),
        FIXTURE_CLAIM(a_port_that_was_taken_is_another_one),
        FIXTURE_CLAIM(a_part_that_is_given_back_late_is_a_loss),
        FIXTURE_CLAIM(a_stop_goes_to_every_part),
        FIXTURE_CLAIM(the_job_of_one_node_that_ends_stops_all),
        FIXTURE_CLAIM(a_restarted_coordinator_takes_all_parts_back),
        FIXTURE_CLAIM(a_part_that_does_not_come_back_ends_the_run),
        FIXTURE_CLAIM(a_part_that_its_worker_does_not_have_is_written_down),
        FIXTURE_CLAIM(a_part_that_had_ended_badly_is_remembered),
        FIXTURE_CLAIM(a_part_of_an_attempt_of_before_is_told_to_stop),
        FIXTURE_CLAIM(max_concurrent_counts_trials),
        FIXTURE_CLAIM(without_a_limit_all_nodes_are_used),
        FIXTURE_CLAIM(what_is_wanted_is_slots_of_all_nodes),
        FIXTURE_CLAIM(a_worker_that_has_no_such_part_is_refused),
        FIXTURE_CLAIM(a_trial_that_kills_its_workers_is_found_out),
        FIXTURE_CLAIM(too_few_nodes_are_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
