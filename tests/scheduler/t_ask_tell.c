/* A search without a coordinator: values of trials on their way, what early stopping says of them, and what a person's
 * loop may tell when. */
#include "scheduler/session/ask_tell.h"
#include "scheduler/store/store.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char one[] = "{name: loss, goal: minimize}";
static const char two[] = "[{name: loss, goal: minimize}, {name: size, goal: minimize}]";
static const char limited[] = "[{name: loss, goal: minimize}, {name: size, max: 5}]";
static const char target[] = "{name: loss, goal: minimize, target: 0.5}";

static const char median[] = "early_stop: {name: median, min_trials: 1}\n";
static const char asha[] = "early_stop: {name: asha, max_steps: 9}\n";

/* A person's loop, in SCRATCH/run. */
struct loop {
    struct rundir dir;
    struct ask_tell *ask_tell;
    struct err err;
};

static void loop_open(struct loop *loop)
{
    loop->ask_tell = ask_tell_open(&loop->dir, 0, &loop->err);
    fine(!loop->ask_tell, &loop->err);
}

static void begin(void **state, const char *metric, const char *more, struct loop *loop)
{
    char *text = mem_format(
        "version: 1\nname: small\nseed: 7\ntrial: {command: [\"true\"]}\nmetric: %s\n"
        "parameters: {x: {min: 0.0, max: 1.0}}\nstrategy: random\nlimits: {max_trials: 6, max_failures: 0}\n%s",
        metric, more);
    *loop = (struct loop){0};
    experiment_make(state, text, &loop->dir);
    loop_open(loop);
    free(text);
}

static void loop_fini(struct loop *loop)
{
    ask_tell_close(loop->ask_tell);
    rundir_fini(&loop->dir);
}

/* What was done is on disk, and another process goes on. */
static void hand_over(struct loop *loop)
{
    fine(ask_tell_commit(loop->ask_tell, &loop->err), &loop->err);
    ask_tell_close(loop->ask_tell);
    loop_open(loop);
}

static uint64_t ask(struct loop *loop)
{
    uint64_t trial = 0;
    char *params = NULL;
    if (ask_tell_ask(loop->ask_tell, &trial, &params, &loop->err) != SEARCHER_PROPOSED)
        fail_msg("%s", loop->err.text);
    free(params);
    return trial;
}

/* Reports these values, NaN for one that is not told at this step; what early stopping says. */
static struct ask_tell_decision report(struct loop *loop, uint64_t trial, uint64_t step, double first, double second)
{
    const double values[] = {first, second};
    const bool told[] = {!isnan(first), !isnan(second)};
    struct ask_tell_step said = {.trial = trial, .step = step, .values = values, .told = told};
    struct ask_tell_decision decision = {0};
    fine(ask_tell_report(loop->ask_tell, &said, &decision, &loop->err), &loop->err);
    return decision;
}

static void tell(struct loop *loop, uint64_t trial, enum ending ending, double first, double second)
{
    const double values[] = {first, second};
    struct ask_tell_result result = {.trial = trial, .ending = ending, .values = values};
    fine(ask_tell_tell(loop->ask_tell, &result, &loop->err), &loop->err);
}

/* What is committed says this. */
static void stored(struct loop *loop, const char *sql, const char *expected)
{
    hand_over(loop);
    char *got = stores_sql(loop->dir.store, sql);
    assert_string_equal(got, expected);
    free(got);
}

/* --- early stopping --- */

/* Trial 1 comes to 1 at steps 1 and 2, trial 2 to 5: that one is worse. */
static void two_trials(struct loop *loop, bool anew)
{
    for (uint64_t trial = 1; trial <= 2; trial++)
        assert_int_equal(ask(loop), trial);
    for (uint64_t step = 1; step <= 2; step++) {
        if (anew)
            hand_over(loop);
        assert_false(report(loop, 1, step, 1, NAN).stop);
    }
    if (anew)
        hand_over(loop);
    struct ask_tell_decision decision = report(loop, 2, 1, 5, NAN);
    assert_true(decision.stop);
    assert_has(decision.why, "step 1: its best, 5, is worse than 1, the median of 1 others");
}

static void a_trial_that_is_worse_than_the_others_is_to_stop_and_says_why(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    two_trials(&loop, false);
    stored(&loop,
           "SELECT group_concat(trial || ' ' || decision || ' ' || step || ' ' || value, ', ') FROM"
           " (SELECT * FROM v_decisions ORDER BY id)",
           "1 goes on 1 1.0, 1 goes on 2 1.0, 2 stops 1 5.0");
    loop_fini(&loop);
}

static void a_loop_that_is_another_process_at_each_step_hears_the_same(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    two_trials(&loop, true);
    hand_over(&loop);
    struct ask_tell_decision decision = report(&loop, 2, 2, 0.1, NAN);
    assert_true(decision.stop);
    assert_has(decision.why, "step 1: its best, 5");
    stored(&loop,
           "SELECT group_concat(trial || ' ' || number || ' ' || step || ' ' || value, ', ') FROM"
           " (SELECT * FROM v_metrics ORDER BY trial, number)",
           "1 0 1 1.0, 1 1 2 1.0, 2 0 1 5.0, 2 1 2 0.1");
    loop_fini(&loop);
}

static void a_trial_that_goes_on_after_stop_was_said_is_recorded_and_not_looked_at(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    two_trials(&loop, false);
    assert_true(report(&loop, 2, 2, 0.1, NAN).stop);
    tell(&loop, 2, ENDING_COMPLETED, 0.05, NAN);
    stored(&loop,
           "SELECT (SELECT count(*) FROM v_decisions WHERE trial = 2 AND decision <> 'ended') || ' ' || reason ||"
           " ' ' || value || ' ' || (SELECT count(*) FROM v_metrics WHERE trial = 2) FROM v_trials WHERE trial = 2",
           "1 completed 0.05 2");
    loop_fini(&loop);
}

static void a_step_that_was_looked_at_is_not_looked_at_again(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    assert_int_equal(ask(&loop), 1);
    report(&loop, 1, 3, 1, NAN);
    report(&loop, 1, 3, 2, NAN);
    report(&loop, 1, 2, 3, NAN);
    stored(&loop, "SELECT group_concat(step) FROM v_decisions", "3");
    stored(&loop, "SELECT count(*) FROM v_metrics", "3");
    loop_fini(&loop);
}

static void early_stopping_looks_when_all_objectives_of_a_step_are_known(void **state)
{
    struct loop loop;
    begin(state, two, asha, &loop);
    assert_int_equal(ask(&loop), 1);
    report(&loop, 1, 1, 1, NAN);
    stored(&loop, "SELECT count(*) FROM v_decisions", "0");
    report(&loop, 1, 2, NAN, 4);
    stored(&loop, "SELECT count(*) FROM v_decisions", "0");
    report(&loop, 1, 2, 3, NAN);
    stored(&loop, "SELECT group_concat(step || others) FROM decisions", "2[3.0,4.0]");
    loop_fini(&loop);
}

static void a_limited_metric_need_not_be_known_and_an_older_value_is_not_of_this_step(void **state)
{
    struct loop loop;
    begin(state, limited, median, &loop);
    assert_int_equal(ask(&loop), 1);
    report(&loop, 1, 1, 1, 4);
    report(&loop, 1, 2, 3, NAN);
    stored(&loop, "SELECT group_concat(step || others, ' ') FROM decisions", "1[1.0,4.0] 2[3.0,\"nan\"]");
    loop_fini(&loop);
}

/* --- ends --- */

static void a_trial_that_is_given_up_is_worth_what_it_came_to(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    two_trials(&loop, false);
    tell(&loop, 2, ENDING_STOPPED_EARLY, -7, NAN); /* this value does not count */
    tell(&loop, 1, ENDING_STOPPED_EARLY, NAN, NAN);
    stored(&loop,
           "SELECT group_concat(state || ' ' || value || ' ' || coalesce(substr(detail, 1, 19), '-'), ', ') FROM"
           " (SELECT * FROM v_trials ORDER BY trial)",
           "stopped 1.0 -, stopped 5.0 step 1: its best, 5");
    loop_fini(&loop);
}

static void a_trial_that_is_given_up_before_it_reported_has_no_value(void **state)
{
    struct loop loop;
    begin(state, two, "", &loop);
    assert_int_equal(ask(&loop), 1);
    assert_int_equal(ask(&loop), 2);
    report(&loop, 2, 1, 3, NAN); /* one objective of two */
    tell(&loop, 1, ENDING_STOPPED_EARLY, 1, 1);
    tell(&loop, 2, ENDING_STOPPED_EARLY, 1, 1);
    stored(&loop, "SELECT group_concat(reason || ' ' || coalesce(value, '-'), ', ') FROM v_trials",
           "no_value -, no_value -");
    loop_fini(&loop);
}

static void a_second_metric_that_is_no_number_is_named(void **state)
{
    struct loop loop;
    begin(state, two, "", &loop);
    assert_int_equal(ask(&loop), 1);
    tell(&loop, 1, ENDING_COMPLETED, 1, NAN);
    stored(&loop, "SELECT reason || ': ' || detail FROM v_trials", "diverged: the metric is 'size'");
    loop_fini(&loop);
}

/* A metric that was reported on the way has its samples, the other one has its own behind them. */
static void a_metric_that_is_told_at_the_end_alone_is_a_sample_behind_the_others(void **state)
{
    struct loop loop;
    begin(state, two, "", &loop);
    assert_int_equal(ask(&loop), 1);
    report(&loop, 1, 1, 3, NAN);
    report(&loop, 1, 2, 2, NAN);
    tell(&loop, 1, ENDING_COMPLETED, 2, 9);
    stored(&loop,
           "SELECT group_concat(number || ' ' || metric || ' ' || value, ', ') FROM (SELECT * FROM v_metrics ORDER BY"
           " number)",
           "0 loss 3.0, 1 loss 2.0, 2 size 9.0");
    loop_fini(&loop);
}

/* Its target, or more failures than it may have, ends a search; then the other one comes to be as well. */
static void ends_once(void **state, enum ending first, enum ending then, const char *reason)
{
    static const char sql[] = "SELECT reason FROM progress";
    struct loop loop;
    begin(state, target, "", &loop);
    for (uint64_t trial = 1; trial <= 3; trial++)
        assert_int_equal(ask(&loop), trial);
    tell(&loop, 1, first, first == ENDING_COMPLETED ? 0.25 : NAN, NAN);
    stored(&loop, sql, reason);
    report(&loop, 2, 1, 0.125, NAN);
    stored(&loop, sql, reason);
    tell(&loop, 2, then, then == ENDING_COMPLETED ? 0.125 : NAN, NAN);
    tell(&loop, 3, ENDING_COMPLETED, 0.125, NAN);
    stored(&loop, sql, reason);
    stored(&loop, "SELECT count(ended) FROM v_trials", "3");
    loop_fini(&loop);
}

static void what_is_told_after_the_end_is_recorded_and_the_reason_stays(void **state)
{
    ends_once(state, ENDING_COMPLETED, ENDING_REPORTED, "target_reached");
    leave_scratch(state);
    enter_scratch(state);
    ends_once(state, ENDING_REPORTED, ENDING_COMPLETED, "too_many_failures");
}

/* --- what can't be --- */

static void a_trial_that_nobody_asked_for_or_that_has_ended_is_refused_in_words(void **state)
{
    struct loop loop;
    struct ask_tell_decision decision;
    begin(state, one, "", &loop);
    assert_int_equal(ask(&loop), 1);
    tell(&loop, 1, ENDING_COMPLETED, 1, NAN);
    static const struct {
        uint64_t trial;
        const char *words;
    } bad[] = {
        {1, "trial 1 has ended already"}, {2, "there is no trial 2; 1 were asked for"}, {0, "there is no trial 0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const double value = 1;
        struct ask_tell_step step = {.trial = bad[i].trial, .step = 1, .values = &value, .told = &(bool){true}};
        struct ask_tell_result result = {.trial = bad[i].trial, .values = &value};
        assert_int_equal(ask_tell_report(loop.ask_tell, &step, &decision, &loop.err), -1);
        assert_has(loop.err.text, bad[i].words);
        loop.err = (struct err){0};
        assert_int_equal(ask_tell_tell(loop.ask_tell, &result, &loop.err), -1);
        assert_has(loop.err.text, bad[i].words);
    }
    stored(&loop, "SELECT count(*) FROM trials", "1");
    loop_fini(&loop);
}

static void no_more_trials_are_asked_for_than_there_may_be(void **state)
{
    struct loop loop;
    uint64_t trial;
    char *params;
    begin(state, one, "", &loop);
    for (uint64_t i = 1; i <= 6; i++)
        assert_int_equal(ask(&loop), i);
    assert_int_equal(ask_tell_ask(loop.ask_tell, &trial, &params, &loop.err), SEARCHER_NO_MORE);
    assert_has(loop.err.text, "all 6 trials of limits.max_trials were asked for");
    for (uint64_t i = 1; i <= 6; i++) {
        stored(&loop, "SELECT reason FROM progress", "none");
        tell(&loop, i, ENDING_COMPLETED, 1, NAN);
    }
    stored(&loop, "SELECT reason FROM progress", "max_trials");
    loop_fini(&loop);
}

static void what_was_not_committed_did_not_happen(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    assert_int_equal(ask(&loop), 1);
    hand_over(&loop);
    report(&loop, 1, 1, 1, NAN);
    assert_int_equal(ask(&loop), 2);
    tell(&loop, 1, ENDING_COMPLETED, 1, NAN);
    ask_tell_close(loop.ask_tell);
    loop_open(&loop);
    stored(&loop, "SELECT count(*) || ' ' || count(ended) || ' ' || (SELECT count(*) FROM v_metrics) FROM trials",
           "1 0 0");
    assert_int_equal(ask(&loop), 2);
    loop_fini(&loop);
}

static void a_loop_that_finds_another_one_at_work_says_so(void **state)
{
    struct loop loop;
    struct err err = {0};
    char process[64];
    begin(state, one, "", &loop);
    assert_null(ask_tell_open(&loop.dir, 0, &err));
    assert_has(err.text, "another loop has been asking in");
    snprintf(process, sizeof process, "seconds: process %d on ", (int)getpid());
    assert_has(err.text, process);
    assert_has(err.text, "has the search until it ends");
    loop_fini(&loop);
}

/* --- taking up what a coordinator left --- */

/* A coordinator had proposed trials 1 and 2, and nobody had begun them. */
static void a_trial_that_waited_for_a_worker_begins_here_with_its_first_word(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    ask_tell_close(loop.ask_tell);
    struct store *store = store_open(loop.dir.store, &loop.err);
    fine(!store, &loop.err);
    for (uint64_t trial = 1; trial <= 2; trial++) {
        struct event event = {
            .kind = EVENT_PROPOSED, .time = 100, .trial = trial, .proposed = {.params = "{\"x\": 0.5}"}};
        fine(store_write(store, &event, 1, &loop.err), &loop.err);
    }
    store_close(store);
    loop_open(&loop);
    report(&loop, 1, 1, 3, NAN);
    static const char runs[] =
        "SELECT group_concat(trial || ':' || attempt, ' ') FROM (SELECT * FROM v_runs ORDER BY trial)";
    stored(&loop, runs, "1:1");
    report(&loop, 1, 2, 2, NAN); /* the same attempt */
    tell(&loop, 1, ENDING_COMPLETED, 1, NAN);
    tell(&loop, 2, ENDING_COMPLETED, 1, NAN);
    stored(&loop, runs, "1:1 2:1");
    stored(&loop, "SELECT group_concat(number || ' ' || step) FROM v_metrics WHERE trial = 1", "0 1,1 2");
    loop_fini(&loop);
}

/* --- loops that stay --- */

/* Another loop that stays takes over. */
static void hand_over_staying(struct loop *loop)
{
    hand_over(loop);
    ask_tell_serve(loop->ask_tell);
}

static void what_a_loop_that_stayed_did_not_tell_is_given_to_the_next_one_first(void **state)
{
    struct loop loop;
    begin(state, one, median, &loop);
    ask_tell_serve(loop.ask_tell);
    for (uint64_t trial = 1; trial <= 3; trial++)
        assert_int_equal(ask(&loop), trial);
    report(&loop, 2, 1, 5, NAN);
    hand_over(&loop);
    assert_int_equal(ask(&loop), 4); /* not to one that only looks in */
    hand_over_staying(&loop);
    tell(&loop, 1, ENDING_COMPLETED, 1, NAN); /* by whoever it was that had asked */
    assert_int_equal(ask(&loop), 2);
    assert_int_equal(ask(&loop), 3);
    assert_int_equal(ask(&loop), 5);
    report(&loop, 2, 1, 4, NAN);
    stored(
        &loop,
        "SELECT group_concat(trial || ':' || attempt || ' ' || coalesce(reason, '-'), ', ') FROM (SELECT * FROM v_runs"
        " ORDER BY trial, attempt)",
        "1:1 completed, 2:1 lost, 2:2 -, 3:1 lost, 3:2 -, 4:1 -, 5:1 -");
    loop_fini(&loop);
}

static void a_space_that_is_used_up_has_nothing_left_to_ask_for(void **state)
{
    struct loop loop = {0};
    uint64_t trial;
    char *params;
    experiment_make(
        state,
        "version: 1\nname: small\nseed: 7\ntrial: {command: [\"true\"]}\nmetric: {name: loss, goal: minimize}\n"
        "parameters: {x: [a, b]}\nstrategy: random\nlimits: {max_trials: 6}\n",
        &loop.dir);
    loop_open(&loop);
    assert_int_equal(ask(&loop), 1);
    assert_int_equal(ask(&loop), 2);
    assert_int_equal(ask_tell_ask(loop.ask_tell, &trial, &params, &loop.err), SEARCHER_NO_MORE);
    assert_has(loop.err.text, "the strategy has nothing left to propose");
    loop_fini(&loop);
}

static void what_is_damaged_is_told_from_what_is_not_there(void **state)
{
    struct loop loop;
    begin(state, one, "", &loop);
    assert_int_equal(ask(&loop), 1);
    hand_over(&loop);
    ask_tell_close(loop.ask_tell);
    loop.ask_tell = NULL;
    assert_false(ask_tell_is_damaged(&loop.dir));
    free(stores_sql(loop.dir.store, "UPDATE runs SET slot = -7"));
    assert_true(ask_tell_is_damaged(&loop.dir));
    assert_null(ask_tell_open(&loop.dir, 0, &loop.err));
    assert_has(loop.err.text, "slot is -7");
    assert_int_equal(unlink(loop.dir.experiment), 0);
    assert_false(ask_tell_is_damaged(&loop.dir));
    loop_fini(&loop);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_trial_that_is_worse_than_the_others_is_to_stop_and_says_why),
        IN_SCRATCH(a_loop_that_is_another_process_at_each_step_hears_the_same),
        IN_SCRATCH(a_trial_that_goes_on_after_stop_was_said_is_recorded_and_not_looked_at),
        IN_SCRATCH(a_step_that_was_looked_at_is_not_looked_at_again),
        IN_SCRATCH(early_stopping_looks_when_all_objectives_of_a_step_are_known),
        IN_SCRATCH(a_limited_metric_need_not_be_known_and_an_older_value_is_not_of_this_step),
        IN_SCRATCH(a_trial_that_is_given_up_is_worth_what_it_came_to),
        IN_SCRATCH(a_trial_that_is_given_up_before_it_reported_has_no_value),
        IN_SCRATCH(a_second_metric_that_is_no_number_is_named),
        IN_SCRATCH(a_metric_that_is_told_at_the_end_alone_is_a_sample_behind_the_others),
        IN_SCRATCH(what_is_told_after_the_end_is_recorded_and_the_reason_stays),
        IN_SCRATCH(a_trial_that_nobody_asked_for_or_that_has_ended_is_refused_in_words),
        IN_SCRATCH(no_more_trials_are_asked_for_than_there_may_be),
        IN_SCRATCH(what_was_not_committed_did_not_happen),
        IN_SCRATCH(a_loop_that_finds_another_one_at_work_says_so),
        IN_SCRATCH(a_trial_that_waited_for_a_worker_begins_here_with_its_first_word),
        IN_SCRATCH(what_a_loop_that_stayed_did_not_tell_is_given_to_the_next_one_first),
        IN_SCRATCH(a_space_that_is_used_up_has_nothing_left_to_ask_for),
        IN_SCRATCH(what_is_damaged_is_told_from_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
