/* Every statement that a search gives to SQLite fails once: whoever takes the search up, replays it or changes its past
 * is told so or gets all, nothing of the change is there, and the same goes through when the next statement works. */
#include "scheduler/session/add.h"
#include "scheduler/session/ask_tell.h"
#include "scheduler/session/ignore.h"
#include "scheduler/session/past.h"
#include "scheduler/session/replay.h"
#include "scheduler/session/retry.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"

#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] = "version: 1\n"
                           "name: small\n"
                           "seed: 7\n"
                           "trial: {command: [\"true\"]}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters: {x: {min: 0.0, max: 1.0}}\n"
                           "strategy: random\n"
                           "limits: {max_trials: 20, max_failures: 9}\n"
                           "early_stop: {name: median, min_trials: 1}\n";

/* --- a search with a past --- */

static uint64_t ask(struct ask_tell *loop)
{
    uint64_t trial = 0;
    char *params = NULL;
    struct err err = {""};
    if (ask_tell_ask(loop, &trial, &params, &err) != SEARCHER_PROPOSED)
        fail_msg("%s", err.text);
    free(params);
    return trial;
}

static int report(struct ask_tell *loop, uint64_t trial, uint64_t step, double loss, struct err *err)
{
    struct ask_tell_decision decision;
    struct ask_tell_step said = {.trial = trial, .step = step, .values = &loss, .told = &(bool){true}};
    return ask_tell_report(loop, &said, &decision, err);
}

static int tell(struct ask_tell *loop, uint64_t trial, enum ending ending, double loss, struct err *err)
{
    struct ask_tell_result result = {.trial = trial, .ending = ending, .values = &loss};
    return ask_tell_tell(loop, &result, err);
}

static struct ask_tell *open_loop(const struct rundir *dir)
{
    struct err err = {""};
    struct ask_tell *loop = ask_tell_open(dir, 0, &err);
    fine(!loop, &err);
    return loop;
}

static json_t *one_point(void)
{
    return json_pack("[{s:{s:f}, s:{s:f}}]", "params", "x", 0.25, "values", "loss", 3.0);
}

/* Trial 1 has completed, 2 failed and waits again, 3 was stopped early, 4 failed and is ignored, 5 is on its way, 6 was
 * added. */
static void make_search(void **state, struct rundir *dir)
{
    struct err err = {""};
    size_t changed;
    uint64_t first;
    json_t *point = one_point();
    experiment_make(state, text, dir);
    struct ask_tell *loop = open_loop(dir);
    for (uint64_t trial = 1; trial <= 5; trial++)
        assert_int_equal(ask(loop), trial);
    for (uint64_t trial = 1; trial <= 5; trial += 2)
        fine(report(loop, trial, 1, (double)trial, &err), &err);
    fine(tell(loop, 1, ENDING_COMPLETED, 1, &err), &err);
    fine(tell(loop, 2, ENDING_REPORTED, NAN, &err), &err);
    fine(tell(loop, 3, ENDING_STOPPED_EARLY, NAN, &err), &err);
    fine(tell(loop, 4, ENDING_REPORTED, NAN, &err), &err);
    fine(ask_tell_commit(loop, &err), &err);
    ask_tell_close(loop);
    fine(ignore_trials(dir, &(uint64_t){4}, 1, false, &changed, &err) != AMEND_FINE, &err);
    fine(retry_trials(dir, NULL, 0, &changed, &err) != AMEND_FINE, &err);
    assert_int_equal(changed, 1);
    fine(add_trials(dir, point, &first, &err) != AMEND_FINE, &err);
    assert_int_equal(first, 6);
    loop = open_loop(dir);
    assert_int_equal(ask(loop), 7); /* so that a replay meets a proposal behind what has changed */
    fine(ask_tell_commit(loop, &err), &err);
    ask_tell_close(loop);
    json_decref(point);
}

/* What of a search any change would change. */
static char *state_of(const struct rundir *dir)
{
    return stores_sql(dir->store,
                      "SELECT tells || ' ' || (SELECT count(*) FROM trials) || ' ' || (SELECT count(*) FROM ignored)"
                      " || ' ' || (SELECT count(*) FROM reopened) || ' ' || (SELECT count(*) FROM runs) || ' ' ||"
                      " (SELECT count(*) FROM samples) || ' ' || (SELECT count(ended) FROM v_trials) FROM progress");
}

/* --- reading --- */

/* The next proposal of a loop, which is not committed. */
static char *read_next(const struct rundir *dir, struct err *err)
{
    uint64_t trial = 0;
    char *params = NULL;
    struct ask_tell *loop = ask_tell_open(dir, 0, err);
    if (loop && ask_tell_ask(loop, &trial, &params, err) == SEARCHER_PROPOSED)
        assert_int_equal(trial, 8);
    ask_tell_close(loop);
    return params;
}

static char *read_replay(const struct rundir *dir, struct err *err)
{
    json_t *result = NULL;
    int status = replay_check(dir, &result, err);
    char *compared = status < 0 ? NULL : json_dumps(result, JSON_COMPACT);
    assert_true(status == 0 || (status < 0 && !result));
    json_decref(result);
    return compared;
}

/* A disk that fails is no damage. */
static char *read_damage(const struct rundir *dir, struct err *err)
{
    (void)err;
    return mem_text(ask_tell_is_damaged(dir) ? "damaged" : "sound");
}

/* How often it was read, with another statement failing each time. */
static unsigned try_reading(const struct rundir *dir, char *(*read)(const struct rundir *dir, struct err *err))
{
    struct err err = {""};
    char *whole = read(dir, &err), *before = state_of(dir);
    fine(!whole, &err);
    unsigned at = 1;
    for (bool came = true; came; at++) {
        err.text[0] = '\0';
        fail_at(at, SQLITE_IOERR);
        char *got = read(dir, &err);
        came = mend();
        if (!got && !*err.text)
            fail_msg("nothing is said when statement %u fails", at);
        if (got)
            assert_string_equal(got, whole);
        free(got);
    }
    char *after = state_of(dir);
    assert_string_equal(after, before);
    free(before);
    free(after);
    free(whole);
    return at - 1;
}

static void a_search_is_taken_up_and_replayed_as_a_whole_or_not_at_all(void **state)
{
    struct rundir dir;
    make_search(state, &dir);
    assert_true(try_reading(&dir, read_next) > 30);
    assert_true(try_reading(&dir, read_replay) > 20);
    assert_true(try_reading(&dir, read_damage) > 5);
    rundir_fini(&dir);
}

/* --- changing --- */

static enum amend_fault say_ignored(const struct rundir *dir, struct err *err)
{
    size_t changed;
    return ignore_trials(dir, (uint64_t[]){1, 3}, 2, false, &changed, err);
}

static enum amend_fault say_counts(const struct rundir *dir, struct err *err)
{
    size_t changed;
    return ignore_trials(dir, (uint64_t[]){3, 4}, 2, true, &changed, err);
}

static enum amend_fault say_again(const struct rundir *dir, struct err *err)
{
    size_t changed;
    return retry_trials(dir, NULL, 0, &changed, err);
}

static enum amend_fault say_added(const struct rundir *dir, struct err *err)
{
    uint64_t first;
    json_t *point = one_point();
    enum amend_fault fault = add_trials(dir, point, &first, err);
    json_decref(point);
    return fault;
}

/* Does it at last, when each of its statements has failed once; how many have. */
static unsigned change_at_last(const struct rundir *dir,
                               enum amend_fault (*change)(const struct rundir *, struct err *))
{
    char *before = state_of(dir), *now;
    enum amend_fault fault = AMEND_FAILED;
    unsigned failures = 0;
    for (unsigned at = 1; fault; at++) {
        struct err err = {""};
        fail_at(at, SQLITE_FULL);
        fault = change(dir, &err);
        bool came = mend();
        now = state_of(dir);
        assert_true(!fault || came);
        assert_true(!fault || (fault == AMEND_FAILED && *err.text));
        assert_int_equal(fault != AMEND_FINE, strcmp(now, before) == 0);
        failures += fault != AMEND_FINE;
        free(now);
    }
    free(before);
    return failures;
}

static void what_a_person_changes_of_the_past_is_there_wholly_or_not_at_all(void **state)
{
    struct rundir dir;
    make_search(state, &dir);
    assert_true(change_at_last(&dir, say_ignored) > 10);
    assert_true(change_at_last(&dir, say_counts) > 10);
    assert_true(change_at_last(&dir, say_again) > 10); /* 4 counts again, and has failed */
    assert_true(change_at_last(&dir, say_added) > 10);
    rundir_fini(&dir);
}

/* --- a loop of one's own --- */

/* Begins trial 8, goes on with 5 and ends it; -1 when one of it is refused. */
static int go_on(struct ask_tell *loop, struct err *err)
{
    assert_int_equal(ask(loop), 8);
    return report(loop, 5, 2, 4, err) || tell(loop, 5, ENDING_COMPLETED, 4, err) || ask_tell_commit(loop, err) ? -1 : 0;
}

static void what_a_loop_could_not_write_did_not_happen(void **state)
{
    struct rundir dir;
    unsigned failures = 0;
    make_search(state, &dir);
    char *before = state_of(&dir);
    for (int failed = -1; failed;) {
        struct err err = {""};
        struct ask_tell *loop = open_loop(&dir);
        fail_at(failures + 1, SQLITE_FULL);
        failed = go_on(loop, &err);
        bool came = mend();
        assert_true(!failed || (came && *err.text));
        ask_tell_close(loop);
        char *now = state_of(&dir);
        assert_int_equal(failed != 0, strcmp(now, before) == 0);
        free(now);
        failures += failed != 0;
    }
    assert_true(failures > 8);
    char *steps = stores_sql(dir.store, "SELECT group_concat(number || ' ' || step || ' ' || value) FROM (SELECT * FROM"
                                        " v_metrics WHERE trial = 5 ORDER BY number)");
    assert_string_equal(steps, "0 1 5.0,1 2 4.0");
    free(steps);
    free(before);
    rundir_fini(&dir);
}

/* --- other tools' trials --- */

static int take_over(const struct rundir *dir, struct spec *spec, struct err *err)
{
    const double loss = 2;
    json_t *point = json_pack("{s:f}", "x", 0.5);
    struct past_trial trial = {.params = point, .ending = ENDING_COMPLETED, .values = &loss, .seconds = 1};
    struct past *past = past_create(dir, spec, "another tool", err);
    int failed = !past || past_add(past, &trial, err) || past_end(past, err) ? -1 : 0;
    past_destroy(past);
    json_decref(point);
    return failed;
}

static void trials_of_others_that_can_not_be_written_are_none(void **state)
{
    struct spec *spec = experiment_spec(state, text);
    unsigned failures = 0;
    for (int failed = -1; failed;) {
        struct rundir dir;
        struct err err = {""};
        char name[32];
        snprintf(name, sizeof name, "run%u", failures);
        rundir_name(path_in(state, name), &dir);
        fail_at(failures + 1, SQLITE_FULL);
        failed = take_over(&dir, spec, &err);
        bool came = mend();
        assert_true(!failed || (came && *err.text));
        if (access(dir.store, F_OK) == 0) {
            char *trials = stores_sql(dir.store, "SELECT count(*) FROM trials");
            assert_string_equal(trials, failed ? "0" : "1");
            free(trials);
        } else {
            assert_true(failed);
        }
        failures += failed != 0;
        rundir_fini(&dir);
    }
    assert_true(failures > 20);
    spec_destroy(spec);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_search_is_taken_up_and_replayed_as_a_whole_or_not_at_all),
        IN_SCRATCH(what_a_person_changes_of_the_past_is_there_wholly_or_not_at_all),
        IN_SCRATCH(what_a_loop_could_not_write_did_not_happen),
        IN_SCRATCH(trials_of_others_that_can_not_be_written_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
