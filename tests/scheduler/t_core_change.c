/* What a person changes of the past of a living search, as the core decides it. */
#include "scheduler/core/snapshot.h"
#include "tests/core_fixture.h"
#include "tests/stores.h"

#include <math.h>
#include <string.h>

/* One worker with one slot; trial 1 came to 0.5, trial 2 failed, trial 3 runs. */
static void begin(struct fixture *b)
{
    b->config.max_trials = 3;
    fixture_start(b);
    fixture_join(b, 1, 11, 1, 0);
    fixture_drive(b);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_COMPLETED, 0.5));
    fixture_drive(b);
    fixture_report(b, 1, fixture_done(2, 1, ENDING_DIVERGED, NAN));
    fixture_drive(b);
}

static void what_is_ignored_leaves_room_and_the_strategy_forgets_it(void **state)
{
    struct fixture *b = *state;
    struct err err = {0};
    bool looks;
    begin(b);
    struct core_ended trial = {.trial = 1, .ending = ENDING_COMPLETED};
    fine(core_ignore(b->core, b->now, &trial, 1, true, &looks, &err), &err);
    assert_true(looks);
    fixture_drive(b);
    assert_int_equal(b->forgotten, 3); /* behind two tells */
    assert_int_equal(fixture_count_events(b, EVENT_IGNORED), 1);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.ignored, 1);
    assert_int_equal(stand.trials[TRIAL_COMPLETED], 0);
    assert_false(stand.has_best);
    snapshot_fini(&stand);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.7));
    fixture_drive(b);
    assert_int_equal(b->asked, 4);
    assert_false(b->ended);
}

static void the_best_of_the_store_and_that_of_meanwhile_are_compared(void **state)
{
    struct fixture *b = *state;
    struct err err = {0};
    bool looks;
    begin(b);
    struct core_ended trial = {.trial = 1, .ending = ENDING_COMPLETED};
    fine(core_ignore(b->core, b->now, &trial, 1, true, &looks, &err), &err);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.7));
    fixture_drive(b);
    core_best(b->core, b->now, true, 9, 0.9);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.best_trial, 3);
    snapshot_fini(&stand);
    core_best(b->core, b->now, true, 8, 0.6);
    stand = fixture_stand(b);
    assert_int_equal(stand.best_trial, 8);
    snapshot_fini(&stand);
}

static void what_is_added_is_told_and_in_no_limit(void **state)
{
    struct fixture *b = *state;
    struct err err = {0};
    uint64_t first;
    begin(b);
    struct event_added points[2] = {{.params = "{\"x\": 77}", .end = {.has_value = true, .value = 0.25}},
                                    {.params = "{\"x\": 78}", .end = {.has_value = true, .value = 2}}};
    fine(core_add(b->core, b->now, points, 2, &first, &err), &err);
    assert_int_equal(first, 4);
    fixture_drive(b);
    assert_int_equal(fixture_count_events(b, EVENT_ADDED), 2);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.added, 2);
    assert_int_equal(stand.trials[TRIAL_COMPLETED], 3);
    assert_int_equal(stand.best_trial, 4);
    snapshot_fini(&stand);
    assert_false(b->ended);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.7));
    fixture_drive(b);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_MAX_TRIALS);
}

static void what_is_tried_again_keeps_the_search_from_ending_until_it_has(void **state)
{
    struct fixture *b = *state;
    struct err err = {0};
    begin(b);
    fine(core_reopen(b->core, b->now, (uint64_t[]){2}, 1, &err), &err);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.7));
    fixture_drive(b);
    assert_false(b->ended);
    assert_int_equal(b->forgotten, 3);
    core_take_up(b->core, b->now,
                 &(struct memory_trial){.trial = 2, .params = "{\"x\": 2}", .attempts = 1, .highest = -1});
    fixture_drive(b);
    const struct msg *leases = fixture_last_sent(b, MSG_LEASES);
    assert_int_equal(leases->leases.leases[0].trial, 2);
    assert_int_equal(leases->leases.leases[0].attempt, 2);
    fixture_report(b, 1, fixture_done(2, 2, ENDING_COMPLETED, 0.1));
    fixture_drive(b);
    assert_true(b->ended);
}

/* Else it would wait for ever in a search that is over. */
static void what_is_tried_again_when_the_target_is_reached_is_cancelled(void **state)
{
    struct fixture *b = *state;
    struct err err = {0};
    b->config.has_target = true;
    b->config.target = 0.2;
    begin(b);
    fine(core_reopen(b->core, b->now, (uint64_t[]){2}, 1, &err), &err);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.1));
    fixture_drive(b);
    assert_false(b->ended);
    core_take_up(b->core, b->now,
                 &(struct memory_trial){.trial = 2, .params = "{\"x\": 2}", .attempts = 1, .highest = -1});
    fixture_drive(b);
    assert_true(b->ended);
    assert_int_equal(b->reason, REASON_TARGET);
    struct snapshot stand = fixture_stand(b);
    assert_int_equal(stand.trials[TRIAL_CANCELLED], 1);
    snapshot_fini(&stand);
}

static void at_the_end_everything_is_refused(void **state)
{
    struct fixture *b = *state;
    bool looks;
    uint64_t first;
    struct core_ended trial = {.trial = 1, .ending = ENDING_COMPLETED};
    struct event_added point = {.params = "{\"x\": 77}", .end = {.has_value = true}};
    begin(b);
    struct err err = {0};
    core_drain(b->core, b->now, REASON_STOPPED);
    assert_int_equal(core_reopen(b->core, b->now, (uint64_t[]){2}, 1, &err), -1); /* it would start nothing */
    fine(core_ignore(b->core, b->now, &trial, 1, true, &looks, &err), &err);
    fixture_report(b, 1, fixture_done(3, 1, ENDING_COMPLETED, 0.7));
    fixture_drive(b);
    assert_true(b->ended);
    assert_int_equal(core_ignore(b->core, b->now, &trial, 1, false, &looks, &err), -1);
    assert_non_null(strstr(err.text, "just ending"));
    assert_int_equal(core_add(b->core, b->now, &point, 1, &first, &err), -1);
}

/* Else it would have ended by limits.max_trials with fewer that count. */
static void what_ends_by_its_trials_keeps_them(void **state)
{
    struct fixture *b = *state;
    bool looks;
    struct core_ended trial = {.trial = 1, .ending = ENDING_COMPLETED};
    begin(b);
    struct err err = {0};
    core_drain(b->core, b->now, REASON_MAX_TRIALS);
    assert_int_equal(core_ignore(b->core, b->now, &trial, 1, true, &looks, &err), -1);
    assert_non_null(strstr(err.text, "just ending"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(what_is_ignored_leaves_room_and_the_strategy_forgets_it),
        FIXTURE_CLAIM(the_best_of_the_store_and_that_of_meanwhile_are_compared),
        FIXTURE_CLAIM(what_is_added_is_told_and_in_no_limit),
        FIXTURE_CLAIM(what_is_tried_again_keeps_the_search_from_ending_until_it_has),
        FIXTURE_CLAIM(what_is_tried_again_when_the_target_is_reached_is_cancelled),
        FIXTURE_CLAIM(at_the_end_everything_is_refused),
        FIXTURE_CLAIM(what_ends_by_its_trials_keeps_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
