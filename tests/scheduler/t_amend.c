/* Trials that no longer count, are tried again or were added, in the store and for what reads it. */
#include "scheduler/session/add.h"
#include "scheduler/session/ignore.h"
#include "scheduler/session/retry.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include "common/node.h"
#include "scheduler/core/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ENDED = 6 };

/* Trials 1 .. 6 have ended with their number as value; 3 came to a better one and failed; 7 runs. */
static void make_history(void **state, struct rundir *dir)
{
    struct err err;
    experiment_make(state, experiment_text, dir);
    struct store *store = store_open(dir->store, &err);
    fine(!store, &err);
    struct event goes_on = {.kind = EVENT_EXPERIMENT, .time = 100};
    fine(store_write(store, &goes_on, 1, &err), &err);
    for (uint64_t trial = 1; trial <= ENDED + 1; trial++) {
        struct event events[] = {
            {.kind = EVENT_PROPOSED,
             .time = 110,
             .trial = trial,
             .proposed = {.params = "{\"x1\": 0.5, \"x2\": 1.5}", .told_before = trial - 1}},
            {.kind = EVENT_TRIAL_ENDED,
             .time = 110,
             .trial = trial,
             .end = {.ending = trial == 3 ? ENDING_CRASHED : ENDING_COMPLETED,
                     .told = trial,
                     .has_value = true,
                     .value = trial == 3 ? -1 : (double)trial}},
        };
        fine(store_write(store, events, trial > ENDED ? 1 : 2, &err), &err);
    }
    store_close(store);
}

/* What a next session would know. */
static void look(const struct rundir *dir, struct memory *out)
{
    struct err err;
    struct store *store = store_open(dir->store, &err);
    fine(!store || store_look(store, out, &err), &err);
    store_close(store);
}

static enum amend_fault ignore(const struct rundir *dir, uint64_t trial, bool undo, struct err *err)
{
    size_t changed;
    return ignore_trials(dir, &trial, 1, undo, &changed, err);
}

static void what_is_ignored_is_in_no_count_and_never_the_best(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err;
    size_t changed;
    make_history(state, &dir);
    assert_int_equal(ignore_trials(&dir, (uint64_t[]){1, 3, 1}, 3, false, &changed, &err), AMEND_FINE);
    assert_int_equal(changed, 2);
    look(&dir, &memory);
    assert_int_equal(memory.tally.ended[TRIAL_COMPLETED], 4);
    assert_int_equal(memory.tally.ended[TRIAL_FAILED], 0);
    assert_int_equal(memory.tally.ignored, 2);
    assert_int_equal(memory.tally.best_trial, 2);
    assert_int_equal(memory.tells, ENDED + 2);
    assert_int_equal(memory.next_trial, ENDED + 2);
    memory_fini(&memory);
    rundir_fini(&dir);
}

static void a_failed_trial_is_not_the_best_that_is_looked_for_anew(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err;
    make_history(state, &dir);
    assert_int_equal(ignore(&dir, 1, false, &err), AMEND_FINE);
    look(&dir, &memory);
    assert_int_equal(memory.tally.best_trial, 2);
    memory_fini(&memory);
    rundir_fini(&dir);
}

static void undone_everything_is_as_it_was_but_the_number_of_tells(void **state)
{
    struct rundir dir;
    struct memory before, after;
    struct err err;
    make_history(state, &dir);
    look(&dir, &before);
    for (uint64_t trial = 1; trial <= ENDED; trial++)
        assert_int_equal(ignore(&dir, trial, false, &err), AMEND_FINE);
    look(&dir, &after);
    assert_false(after.tally.has_best);
    memory_fini(&after);
    for (uint64_t trial = ENDED; trial; trial--)
        assert_int_equal(ignore(&dir, trial, true, &err), AMEND_FINE);
    look(&dir, &after);
    assert_memory_equal(before.tally.ended, after.tally.ended, sizeof before.tally.ended);
    assert_int_equal(after.tally.best_trial, 1);
    assert_true(after.tally.best == before.tally.best);
    assert_int_equal(after.tally.ignored, 0);
    assert_int_equal(after.tells, before.tells + 2 * ENDED);
    memory_fini(&before);
    memory_fini(&after);
    rundir_fini(&dir);
}

/* The coordinator of this history was killed: the time since does not count as time that the experiment ran. */
static void the_time_since_a_session_was_killed_is_not_held(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err;
    make_history(state, &dir);
    look(&dir, &memory);
    double held = memory.held;
    memory_fini(&memory);
    assert_int_equal(ignore(&dir, 2, false, &err), AMEND_FINE);
    look(&dir, &memory);
    assert_true(memory.held == held && held == 10);
    memory_fini(&memory);
    rundir_fini(&dir);
}

static void one_that_can_not_be_ignored_leaves_all_as_they_were(void **state)
{
    static const struct {
        uint64_t trial;
        enum amend_fault fault;
        const char *words;
    } bad[] = {{7, AMEND_UNFIT, "trial 7 is waiting"},
               {8, AMEND_NO_TRIAL, "there is no trial 8"},
               {0, AMEND_NO_TRIAL, "there is no trial 0"},
               {UINT64_MAX, AMEND_NO_TRIAL, "there is no trial"}};
    struct rundir dir;
    struct memory memory;
    make_history(state, &dir);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {""};
        size_t changed;
        assert_int_equal(ignore_trials(&dir, (uint64_t[]){1, bad[i].trial}, 2, false, &changed, &err), bad[i].fault);
        assert_non_null(strstr(err.text, bad[i].words));
    }
    look(&dir, &memory);
    assert_int_equal(memory.tally.ignored, 0);
    assert_int_equal(memory.tells, ENDED);
    memory_fini(&memory);
    rundir_fini(&dir);
}

static void a_failed_trial_that_is_tried_again_waits_as_if_it_had_never_ended(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err;
    size_t changed;
    make_history(state, &dir);
    assert_int_equal(retry_trials(&dir, (uint64_t[]){3, 3}, 2, &changed, &err), AMEND_FINE);
    assert_int_equal(changed, 1);
    look(&dir, &memory);
    assert_int_equal(memory.trial_count, 2);
    assert_int_equal(memory.trials[0].trial, 3);
    assert_false(memory.trials[0].running);
    assert_int_equal(memory.trials[0].failures, 0);
    assert_int_equal(memory.tally.ended[TRIAL_FAILED], 0);
    assert_int_equal(memory.tally.ended[TRIAL_COMPLETED], ENDED - 1);
    assert_int_equal(memory.tally.best_trial, 1);
    assert_int_equal(memory.tells, ENDED + 1);
    memory_fini(&memory);
    assert_int_equal(retry_trials(&dir, NULL, 0, &changed, &err), AMEND_FINE);
    assert_int_equal(changed, 0);
    rundir_fini(&dir);
}

static void what_has_not_failed_or_is_ignored_is_not_tried_again(void **state)
{
    static const uint64_t bad[] = {1, 7, 3, 8};
    static const enum amend_fault faults[] = {AMEND_UNFIT, AMEND_UNFIT, AMEND_UNFIT, AMEND_NO_TRIAL};
    struct rundir dir;
    struct memory memory;
    struct err err;
    size_t changed;
    make_history(state, &dir);
    assert_int_equal(ignore(&dir, 3, false, &err), AMEND_FINE);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(retry_trials(&dir, &bad[i], 1, &changed, &err), faults[i]);
    assert_int_equal(retry_trials(&dir, NULL, 0, &changed, &err), AMEND_FINE);
    assert_int_equal(changed, 0);
    look(&dir, &memory);
    assert_int_equal(memory.trial_count, 1);
    assert_int_equal(memory.tells, ENDED + 1);
    memory_fini(&memory);
    rundir_fini(&dir);
}

static void nothing_is_ignored_while_somebody_has_the_lock(void **state)
{
    struct rundir dir;
    struct err err;
    int lock;
    make_history(state, &dir);
    fine(rundir_lock(&dir, &lock, &err), &err);
    assert_int_equal(ignore(&dir, 1, false, &err), AMEND_FAILED);
    close(lock);
    assert_int_equal(ignore(&dir, 1, false, &err), AMEND_FINE);
    rundir_fini(&dir);
}

/* What it is told by that is no change, and that nothing of it lasts. */
static void refused(const struct rundir *dir, enum amend_fault fault, const char *words)
{
    struct err err = {0};
    int lock;
    assert_int_equal(ignore(dir, 1, false, &err), fault);
    assert_has(err.text, words);
    fine(rundir_lock(dir, &lock, &err), &err); /* it has given the lock back */
    close(lock);
}

static void a_search_that_can_not_be_changed_says_why(void **state)
{
    struct rundir dir;
    struct memory memory;
    make_history(state, &dir);
    const char *aside = path_in(state, "aside");
    assert_int_equal(rename(dir.experiment, aside), 0);
    refused(&dir, AMEND_FAILED, "experiment.yaml");
    assert_int_equal(rename(aside, dir.experiment), 0);
    free(stores_sql(dir.store, "UPDATE trials SET told = -3 WHERE trial = 2"));
    refused(&dir, AMEND_DAMAGED, "told");
    free(stores_sql(dir.store, "UPDATE trials SET told = 2 WHERE trial = 2"));
    look(&dir, &memory);
    assert_int_equal(memory.tells, ENDED);
    memory_fini(&memory);
    assert_int_equal(rename(dir.store, aside), 0);
    refused(&dir, AMEND_FAILED, "gannet.db");
    rundir_fini(&dir);
}

static void who_keeps_a_search_from_being_changed_is_said(void **state)
{
    struct rundir dir;
    struct err err = {0};
    int lock;
    make_history(state, &dir);
    fine(rundir_lock(&dir, &lock, &err), &err);
    assert_int_equal(ignore(&dir, 1, false, &err), AMEND_FAILED);
    assert_has(err.text, "another process works in");
    struct discovery living = {.pid = getpid(),
                               .session = 1,
                               .workers = "tcp://192.0.2.1:5000",
                               .control = "ipc:///tmp/x/control",
                               .public_key = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"};
    node_name(living.node);
    node_host(living.host);
    fine(discovery_write(&dir, &living, &err), &err);
    assert_int_equal(ignore(&dir, 1, false, &err), AMEND_FAILED);
    assert_has(err.text, "its coordinator does not answer yet");
    close(lock);
    rundir_fini(&dir);
}

/* Two points of the experiment's space, by their first parameter. */
static json_t *make_points(double a, double b)
{
    return json_pack("[{s:{s:f, s:f}, s:{s:f}}, {s:{s:f, s:f}, s:{s:f}}]", "params", "x1", a, "x2", 1.5, "values",
                     "value", -1.0, "params", "x1", b, "x2", 1.5, "values", "value", 9.0);
}

static void what_is_added_is_a_completed_trial_of_its_own(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err = {0};
    uint64_t first;
    make_history(state, &dir);
    json_t *points = make_points(0.25, 0.75);
    fine(add_trials(&dir, points, &first, &err) != AMEND_FINE, &err);
    assert_int_equal(first, ENDED + 2);
    look(&dir, &memory);
    assert_int_equal(memory.tally.ended[TRIAL_COMPLETED], ENDED + 1);
    assert_int_equal(memory.tally.added, 2);
    assert_int_equal(memory.tally.best_trial, ENDED + 2);
    assert_int_equal(memory.trial_count, 1);
    assert_int_equal(memory.next_trial, ENDED + 4);
    assert_int_equal(memory.tells, ENDED + 2);
    assert_int_equal(tally_last_trial(&memory.tally, &(struct core_config){.max_trials = 20}), 22);
    memory_fini(&memory);
    assert_int_equal(ignore(&dir, ENDED + 2, false, &err), AMEND_FINE);
    look(&dir, &memory);
    assert_int_equal(memory.tally.added, 1);
    assert_int_equal(memory.tally.best_trial, 1);
    assert_int_equal(tally_last_trial(&memory.tally, &(struct core_config){.max_trials = 20}), 22);
    memory_fini(&memory);
    json_decref(points);
    rundir_fini(&dir);
}

static void one_point_that_is_unfit_leaves_out_all(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err = {0};
    uint64_t first;
    make_history(state, &dir);
    json_t *points = make_points(0.25, 1e6);
    assert_int_equal(add_trials(&dir, points, &first, &err), AMEND_UNFIT);
    assert_non_null(strstr(err.text, "x1"));
    look(&dir, &memory);
    assert_int_equal(memory.next_trial, ENDED + 2);
    assert_int_equal(memory.tells, ENDED);
    memory_fini(&memory);
    json_decref(points);
    rundir_fini(&dir);
}

/* A coordinator had asked for 8 and 9 when a trial was added as number 10, and died. */
static void numbers_that_nobody_has_leave_room(void **state)
{
    struct rundir dir;
    struct memory memory;
    struct err err = {0};
    make_history(state, &dir);
    struct store *store = store_open(dir.store, &err);
    struct event event = {.kind = EVENT_ADDED, .time = 120, .trial = 10};
    event.added = (struct event_added){.params = "{\"x1\": 0.5, \"x2\": 1.5}",
                                       .end = {.ending = ENDING_COMPLETED, .told = ENDED + 1, .has_value = true}};
    fine(!store || store_write(store, &event, 1, &err), &err);
    store_close(store);
    look(&dir, &memory);
    assert_int_equal(memory.next_trial, 11);
    assert_int_equal(memory.tally.skipped, 2);
    assert_false(tally_all_asked(&memory.tally, &(struct core_config){.max_trials = 8}, 11));
    assert_true(tally_all_asked(&memory.tally, &(struct core_config){.max_trials = 7}, 11));
    memory_fini(&memory);
    rundir_fini(&dir);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_is_ignored_is_in_no_count_and_never_the_best),
        IN_SCRATCH(a_failed_trial_is_not_the_best_that_is_looked_for_anew),
        IN_SCRATCH(undone_everything_is_as_it_was_but_the_number_of_tells),
        IN_SCRATCH(the_time_since_a_session_was_killed_is_not_held),
        IN_SCRATCH(one_that_can_not_be_ignored_leaves_all_as_they_were),
        IN_SCRATCH(a_failed_trial_that_is_tried_again_waits_as_if_it_had_never_ended),
        IN_SCRATCH(what_has_not_failed_or_is_ignored_is_not_tried_again),
        IN_SCRATCH(nothing_is_ignored_while_somebody_has_the_lock),
        IN_SCRATCH(a_search_that_can_not_be_changed_says_why),
        IN_SCRATCH(who_keeps_a_search_from_being_changed_is_said),
        IN_SCRATCH(what_is_added_is_a_completed_trial_of_its_own),
        IN_SCRATCH(one_point_that_is_unfit_leaves_out_all),
        IN_SCRATCH(numbers_that_nobody_has_leave_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
