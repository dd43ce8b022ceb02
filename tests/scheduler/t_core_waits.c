/* Slots that can't start runs for a while (WAITS; scheduler/core/workers.c). */
#include "tests/core_fixture.h"

#include <string.h>

static void say_wait(struct fixture *b, uint64_t peer, uint32_t slot, const char *why)
{
    fixture_say(b, peer, &(struct msg){.kind = MSG_WAITS, .waits = {slot, (char *)why}});
}

static uint32_t count_busy(struct fixture *b)
{
    struct snapshot snapshot = fixture_stand(b);
    uint32_t busy = snapshot.busy;
    snapshot_fini(&snapshot);
    return busy;
}

/* The runs that were leased last come to their ends. */
static void end_runs(struct fixture *b, uint64_t peer, uint64_t first, uint64_t last)
{
    for (uint64_t trial = first; trial <= last; trial++)
        fixture_report(b, peer, fixture_done(trial, 1, ENDING_COMPLETED, 1));
}

static void a_slot_that_waits_gets_no_lease_and_others_do(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    assert_int_equal(count_busy(b), 2);
    say_wait(b, 7, 0, "no space left");
    assert_int_equal(count_busy(b), 2); /* what it has is its own affair */
    end_runs(b, 7, 1, 2);
    assert_int_equal(count_busy(b), 1);
    say_wait(b, 7, 0, "");
    assert_int_equal(count_busy(b), 2);
}

static void when_all_slots_wait_nothing_is_leased_and_the_status_says_why(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    say_wait(b, 7, 0, "no space left");
    say_wait(b, 7, 1, "no space left");
    end_runs(b, 7, 1, 2);
    size_t leases = fixture_count_sent(b, MSG_LEASES);
    fixture_wait(b, 1);
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(snapshot.busy, 0);
    assert_int_equal(snapshot.workers[0].waiting, 2);
    assert_string_equal(snapshot.workers[0].why, "no space left");
    snapshot_fini(&snapshot);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), leases);
    assert_false(b->ended);
    fixture_join(b, 8, 2, 1, 0);
    assert_int_equal(count_busy(b), 1);
}

static void a_worker_that_is_lost_while_it_waits_leaves_its_run_to_others(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    say_wait(b, 7, 0, "no space left");
    core_worker_dead(b->core, b->now, 1, ENDING_LOST, "killed");
    fixture_drive(b);
    fixture_join(b, 8, 2, 1, 0);
    assert_int_equal(fixture_last_sent(b, MSG_LEASES)->leases.leases[0].attempt, 2);
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(snapshot.worker_count, 1);
    assert_int_equal(snapshot.workers[0].waiting, 0);
    snapshot_fini(&snapshot);
}

static void a_long_reason_is_cut_and_one_beyond_the_limit_sets_the_worker_aside(void **state)
{
    struct fixture *b = *state;
    char why[5001];
    memset(why, 'x', sizeof why);
    why[4000] = why[5000] = '\0';
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    say_wait(b, 7, 0, why);
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(strlen(snapshot.workers[0].why), sizeof snapshot.workers[0].why - 1);
    assert_string_equal(snapshot.workers[0].aside, "");
    snapshot_fini(&snapshot);
    why[4000] = 'x';
    say_wait(b, 7, 0, why);
    snapshot = fixture_stand(b);
    assert_string_not_equal(snapshot.workers[0].aside, "");
    snapshot_fini(&snapshot);
}

static void a_slot_that_is_not_there_can_not_wait(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    say_wait(b, 7, 1, "no space left");
    struct snapshot snapshot = fixture_stand(b);
    assert_int_equal(snapshot.refused, 1);
    assert_int_equal(snapshot.workers[0].waiting, 0);
    snapshot_fini(&snapshot);
}

/* It may honestly be full for days; that costs no row of the store, and no message. */
static void a_worker_that_only_ever_waits_costs_nothing_and_is_not_set_aside(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    end_runs(b, 7, 1, 1);
    say_wait(b, 7, 0, "no space left");
    size_t events = b->event_count, leases = fixture_count_sent(b, MSG_LEASES);
    for (int i = 0; i < 100000; i++)
        say_wait(b, 7, 0, "no space left");
    assert_int_equal(b->event_count, events);
    assert_int_equal(fixture_count_sent(b, MSG_LEASES), leases);
    struct snapshot snapshot = fixture_stand(b);
    assert_string_equal(snapshot.workers[0].aside, "");
    snapshot_fini(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(a_slot_that_waits_gets_no_lease_and_others_do),
        FIXTURE_CLAIM(when_all_slots_wait_nothing_is_leased_and_the_status_says_why),
        FIXTURE_CLAIM(a_worker_that_is_lost_while_it_waits_leaves_its_run_to_others),
        FIXTURE_CLAIM(a_long_reason_is_cut_and_one_beyond_the_limit_sets_the_worker_aside),
        FIXTURE_CLAIM(a_slot_that_is_not_there_can_not_wait),
        FIXTURE_CLAIM(a_worker_that_only_ever_waits_costs_nothing_and_is_not_set_aside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
