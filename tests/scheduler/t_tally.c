/* The coordinator's core and ask and tell judge alike: each case is run through both; see scheduler/core/tally.h. */
#include "scheduler/core/tally.h"
#include "scheduler/session/config.h"
#include "scheduler/session/ask_tell.h"
#include "tests/core_fixture.h"
#include "tests/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { METRICS = 3, RESULTS = 6 };

/* What becomes of one trial after the other. */
struct result {
    enum ending ending;
    double values[METRICS]; /* loss, accuracy, memory */
};

struct decided_case {
    const char *name;
    const char *limits;
    const char *metrics;
    struct result results[RESULTS];
};

static const char *const one = "{name: loss, goal: minimize}";
static const char *const target = "{name: loss, goal: minimize, target: 1}";
static const char *const three = "[{name: loss, goal: minimize, target: 1}, {name: accuracy, goal: maximize}, "
                                 "{name: memory, max: 8}]";
static const char *const upwards = "{name: loss, goal: maximize, target: 5}";

#define GOOD(...)                                                                                                      \
    {                                                                                                                  \
        ENDING_COMPLETED,                                                                                              \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define BAD(ending_)                                                                                                   \
    {                                                                                                                  \
        ENDING_##ending_,                                                                                              \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

static const struct decided_case cases[] = {
    {"all trials have ended", "{max_trials: 3}", one, {GOOD(3), GOOD(2), GOOD(4), GOOD(1)}},
    {"of equal ones the first is the best", "{max_trials: 3}", one, {GOOD(2), GOOD(2), GOOD(3)}},
    {"a value that is none diverged", "{max_trials: 3}", one, {GOOD(NAN), GOOD(INFINITY), GOOD(7)}},
    {"failures are no best", "{max_trials: 3}", one, {BAD(CRASHED), BAD(TIMED_OUT), BAD(OUT_OF_MEMORY)}},
    {"the target ends it", "{max_trials: 6}", target, {GOOD(3), GOOD(1), GOOD(0), GOOD(2)}},
    {"the target is passed", "{max_trials: 6}", target, {GOOD(3), GOOD(0.5), GOOD(0), GOOD(2)}},
    {"minus infinity is no target", "{max_trials: 3}", target, {GOOD(-INFINITY), GOOD(3), GOOD(2)}},
    {"a target upwards", "{max_trials: 6}", upwards, {GOOD(3), GOOD(4.9), GOOD(5), GOOD(9)}},
    {"as many failures as are allowed",
     "{max_trials: 4, max_failures: 1}",
     one,
     {GOOD(3), BAD(CRASHED), GOOD(2), GOOD(4)}},
    {"one failure too many", "{max_trials: 6, max_failures: 1}", one, {BAD(CRASHED), GOOD(3), GOOD(NAN), GOOD(2)}},
    {"no failure is allowed", "{max_trials: 6, max_failures: 0}", one, {GOOD(3), BAD(EXITED), GOOD(2)}},
    {"a broken limit is no target", "{max_trials: 3}", three, {GOOD(0.5, 0.9, 9), GOOD(2, 0.1, 8), GOOD(3, 0.5, 1)}},
    {"an unknown limited metric is no target", "{max_trials: 2}", three, {GOOD(0.5, 0.9, NAN), GOOD(2, 0.1, 7)}},
    {"the second objective diverged",
     "{max_trials: 3}",
     three,
     {GOOD(0.5, NAN, 1), GOOD(0.5, INFINITY, 1), GOOD(4, 1, 1)}},
    {"the target with all metrics", "{max_trials: 6}", three, {GOOD(2, 0.1, 9), GOOD(0.9, 0.1, 8), GOOD(1, 1, 1)}},
};

/* What came of a case. */
struct outcome_of_case {
    uint64_t trials;
    enum ending endings[RESULTS];
    struct tally tally;
    enum experiment_state state;
    enum reason reason;
};

static const char *text_of(const struct decided_case *the)
{
    static char text[1024];
    snprintf(text, sizeof text,
             "version: 1\nname: small\nseed: 7\ntrial: {command: [\"true\"], retries: 0}\nmetric: %s\n"
             "parameters: {x: {min: 0.0, max: 1.0}}\nstrategy: random\nlimits: %s\n",
             the->metrics, the->limits);
    return text;
}

static void take_stand(const struct snapshot *snapshot, struct outcome_of_case *out)
{
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        out->tally.ended[state] = snapshot->trials[state];
    out->tally.has_best = snapshot->has_best;
    out->tally.best_trial = snapshot->has_best ? snapshot->best_trial : 0;
    out->tally.best = snapshot->has_best ? snapshot->best : 0;
}

/* --- through the core --- */

static void report(struct fixture *b, uint64_t trial, const struct result *result)
{
    struct msg_measure measures[METRICS];
    struct msg_result said = {.trial = trial, .attempt = 1, .ending = (uint32_t)result->ending, .seconds = 1};
    said.measures = measures;
    for (uint32_t i = 0; i < b->config.metrics.count && result->ending == ENDING_COMPLETED; i++)
        measures[said.measures_count++] =
            (struct msg_measure){i, result->values[i], result->values[i], result->values[i]};
    b->now += 0.01;
    fixture_report(b, 7, said);
}

static void run_core(const struct decided_case *the, const struct spec *spec, struct outcome_of_case *out)
{
    static const struct gannet_strategy strategy = {.uses_history = true};
    void *state;
    fixture_enter(&state);
    struct fixture *b = state;
    config_fill(spec, "{}", &strategy, &b->config);
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    while (!b->ended && out->trials < RESULTS && fixture_count_events(b, EVENT_LEASED) > out->trials) {
        report(b, out->trials + 1, &the->results[out->trials]);
        out->endings[out->trials] = b->told_ending[out->trials];
        out->trials++;
    }
    struct snapshot snapshot = fixture_stand(b);
    take_stand(&snapshot, out);
    out->state = snapshot.state;
    out->reason = snapshot.reason;
    snapshot_fini(&snapshot);
    fixture_leave(&state);
}

/* --- through ask and tell --- */

static enum ending ending_in_store(struct ask_tell *ask_tell, uint64_t trial)
{
    struct err err;
    json_t *json = reader_show(ask_tell_reader(ask_tell), trial, &err);
    int ending = json ? ending_named(json_string_value(json_object_get(json, "reason"))) : -1;
    assert_true(ending >= 0);
    json_decref(json);
    return (enum ending)ending;
}

/* Asks and tells by a new ask_tell each time, as the commands do; false: nothing is proposed any more. */
static bool ask_and_tell(const struct rundir *dir, const struct result *result, enum ending *ending)
{
    struct err err = {0};
    struct ask_tell *ask_tell = ask_tell_open(dir, 1, &err);
    uint64_t trial;
    char *params;
    if (!ask_tell)
        fail_msg("%s", err.text);
    enum searcher_answer answer = ask_tell_ask(ask_tell, &trial, &params, &err);
    if (answer == SEARCHER_PROPOSED) {
        struct ask_tell_result told = {.trial = trial, .ending = result->ending, .values = result->values};
        assert_int_equal(ask_tell_tell(ask_tell, &told, &err), 0);
        assert_int_equal(ask_tell_commit(ask_tell, &err), 0);
        *ending = ending_in_store(ask_tell, trial);
        free(params);
    }
    ask_tell_close(ask_tell);
    return answer == SEARCHER_PROPOSED;
}

static void run_owner(const struct decided_case *the, const struct rundir *dir, struct outcome_of_case *out)
{
    struct err err;
    struct snapshot snapshot;
    while (out->trials < RESULTS && ask_and_tell(dir, &the->results[out->trials], &out->endings[out->trials]))
        out->trials++;
    struct reader *reader = reader_open(dir->store, &err);
    assert_int_equal(reader_snapshot(reader, &snapshot, &err), 0);
    take_stand(&snapshot, out);
    out->state = snapshot.state;
    out->reason = snapshot.reason;
    snapshot_fini(&snapshot);
    reader_close(reader);
}

/* --- side by side --- */

static void print_outcome(const struct outcome_of_case *outcome, char *out, size_t size)
{
    struct buf text = {0};
    buf_format(&text, "%s, %s, best %d: %llu %g;", experiment_state_name(outcome->state), reason_name(outcome->reason),
               outcome->tally.has_best, (unsigned long long)outcome->tally.best_trial, outcome->tally.best);
    for (uint64_t i = 0; i < outcome->trials; i++)
        buf_format(&text, " %s", ending_name(outcome->endings[i]));
    for (int state = TRIAL_COMPLETED; state < TRIAL_STATES; state++)
        buf_format(&text, "; %s %llu", trial_state_name((enum trial_state)state),
                   (unsigned long long)outcome->tally.ended[state]);
    snprintf(out, size, "%s", buf_str(&text));
    buf_fini(&text);
}

static void the_coordinator_and_a_loop_of_ones_own_early_stop_alike(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct outcome_of_case core = {0}, ask_tell = {0};
        char by_core[1024], by_owner[1024];
        struct rundir dir;
        struct err err;
        experiment_make(state, text_of(&cases[i]), &dir);
        struct spec *spec = rundir_spec(&dir, &err);
        run_core(&cases[i], spec, &core);
        run_owner(&cases[i], &dir, &ask_tell);
        print_outcome(&core, by_core, sizeof by_core);
        print_outcome(&ask_tell, by_owner, sizeof by_owner);
        if (strcmp(by_core, by_owner) != 0)
            fail_msg("%s:\nthe core says:     %s\nask and tell say: %s", cases[i].name, by_core, by_owner);
        spec_destroy(spec);
        rundir_fini(&dir);
        leave_scratch(state);
        enter_scratch(state);
    }
}

static void a_loop_of_ones_own_has_the_time_of_the_experiment_too(void **state)
{
    const struct decided_case brief = {.limits = "{time: 1ms}", .metrics = one};
    struct rundir dir;
    struct err err = {0};
    uint64_t trial;
    char *params;
    experiment_make(state, text_of(&brief), &dir);
    struct ask_tell *ask_tell = ask_tell_open(&dir, 1, &err);
    assert_non_null(ask_tell);
    enum searcher_answer answer;
    while ((answer = ask_tell_ask(ask_tell, &trial, &params, &err)) == SEARCHER_PROPOSED)
        free(params); /* until a millisecond is over */
    assert_int_equal(answer, SEARCHER_NO_MORE);
    assert_has(err.text, reason_sentence(REASON_TIME));
    ask_tell_close(ask_tell);
    rundir_fini(&dir);
}

static void a_loop_that_tells_the_same_failure_again_and_again_is_paused(void **state)
{
    const struct decided_case brief = {.limits = "{same_failures: 2}", .metrics = one};
    struct rundir dir;
    struct err err = {0};
    uint64_t trial, told = 0;
    char *params;
    experiment_make(state, text_of(&brief), &dir);
    struct ask_tell *ask_tell = ask_tell_open(&dir, 1, &err);
    while (told < 9 && ask_tell_ask(ask_tell, &trial, &params, &err) == SEARCHER_PROPOSED) {
        struct ask_tell_result result = {.trial = trial, .ending = ENDING_REPORTED, .detail = "no torch"};
        assert_int_equal(ask_tell_tell(ask_tell, &result, &err), 0);
        told++;
        free(params);
    }
    assert_int_equal(told, 2);
    assert_has(err.text, reason_sentence(REASON_SAME_FAILURES));
    assert_int_equal(ask_tell_commit(ask_tell, &err), 0);
    ask_tell_close(ask_tell);
    ask_tell = ask_tell_open(&dir, 1, &err); /* the next one goes on */
    assert_int_equal(ask_tell_ask(ask_tell, &trial, &params, &err), SEARCHER_PROPOSED);
    free(params);
    ask_tell_close(ask_tell);
    rundir_fini(&dir);
}

static void a_cancelled_trial_is_never_the_best_whatever_it_came_to(void **state)
{
    (void)state;
    struct tally tally = {0};
    struct event_end end = {.ending = ENDING_CANCELLED, .has_value = true, .value = 1};
    tally_add(&tally, false, 1, &end);
    assert_false(tally.has_best);
    assert_int_equal(tally.ended[TRIAL_CANCELLED], 1);
    end = (struct event_end){.ending = ENDING_STOPPED_EARLY, .has_value = true, .value = 2};
    tally_add(&tally, false, 2, &end);
    assert_int_equal(tally.best_trial, 2);
}

/* A streak of failures with a share of others before it, as long as it takes to be no chance. */
static uint64_t shortest_streak(uint64_t failed, uint64_t completed)
{
    struct tally tally = {.ended = {[TRIAL_FAILED] = failed, [TRIAL_COMPLETED] = completed}};
    struct streak streak = {0};
    for (uint64_t count = 1;; count++) {
        streak_note(&streak, &tally, ENDING_EXITED, "exit status 1", "boom");
        tally.ended[TRIAL_FAILED]++;
        if (streak_is_reached(&streak, &tally, 5))
            return count;
    }
}

static void a_row_of_failures_is_longer_where_failures_are_common(void **state)
{
    (void)state;
    assert_int_equal(shortest_streak(0, 0), 5);
    assert_int_equal(shortest_streak(20, 0), 5); /* nothing has ever succeeded */
    assert_int_equal(shortest_streak(0, 100), 5);
    assert_int_equal(shortest_streak(30, 70), 12);
    assert_true(shortest_streak(50, 50) > 15);
}

static void a_trial_that_was_cancelled_says_nothing_of_a_streak(void **state)
{
    (void)state;
    struct tally tally = {0};
    struct streak streak = {0};
    streak_note(&streak, &tally, ENDING_EXITED, "exit status 1", NULL);
    streak_note(&streak, &tally, ENDING_CANCELLED, "", NULL);
    streak_note(&streak, &tally, ENDING_EXITED, "exit status 1", "\n \n");
    assert_true(streak_is_reached(&streak, &tally, 1));
    streak_note(&streak, &tally, ENDING_COMPLETED, NULL, NULL);
    assert_false(streak_is_reached(&streak, &tally, 1));
    assert_false(streak_is_reached(&streak, &tally, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_coordinator_and_a_loop_of_ones_own_early_stop_alike, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_loop_of_ones_own_has_the_time_of_the_experiment_too, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_loop_that_tells_the_same_failure_again_and_again_is_paused, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test(a_cancelled_trial_is_never_the_best_whatever_it_came_to),
        cmocka_unit_test(a_row_of_failures_is_longer_where_failures_are_common),
        cmocka_unit_test(a_trial_that_was_cancelled_says_nothing_of_a_streak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
