/* How much longer a search takes (scheduler/core/remaining.c). */
#include "tests/core_fixture.h"

/* The run of this trial comes to its end after so many seconds. */
static void end_run(struct fixture *b, uint64_t trial, double seconds)
{
    struct msg_result result = fixture_done(trial, 1, ENDING_COMPLETED, 1);
    result.seconds = seconds;
    fixture_report(b, 7, result);
}

static double guess(struct fixture *b)
{
    return fixture_figures(b).left;
}

/* Five seconds at a time, in which the worker says that it has the runs `first` to `last`. */
static void wait_on(struct fixture *b, double seconds, uint64_t first, uint64_t last)
{
    struct msg_run_id held[2] = {{.trial = first, .attempt = 1}, {.trial = last, .attempt = 1}};
    struct msg_heartbeat heartbeat = {.held = held, .held_count = first < last ? 2 : 1};
    for (double passed = 0; passed < seconds; passed += 5) {
        fixture_wait(b, 5);
        fixture_say(b, 7, &(struct msg){.kind = MSG_HEARTBEAT, .heartbeat = heartbeat});
    }
}

static void before_a_run_has_ended_nothing_is_known(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    assert_true(guess(b) < 0);
}

static void few_long_trials_are_guessed_by_what_runs_take(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    wait_on(b, 100, 1, 2);
    end_run(b, 1, 100);
    end_run(b, 2, 100);
    assert_float_equal(guess(b), 8 * 100 / 2, 1); /* two begin now, six behind them */
    wait_on(b, 50, 3, 4);
    assert_float_equal(guess(b), 8 * 100 / 2 - 50, 1); /* half of what runs has passed */
}

static void the_last_ones_take_their_rest_however_many_slots_there_are(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 3;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    wait_on(b, 100, 1, 2);
    end_run(b, 1, 100);
    end_run(b, 2, 100);
    assert_float_equal(guess(b), 100, 1);
    wait_on(b, 60, 3, 3);
    assert_float_equal(guess(b), 40, 1);
    wait_on(b, 200, 3, 3);
    assert_float_equal(guess(b), 25, 1); /* it takes longer than the others: some more */
}

static void the_time_of_the_search_bounds_it(void **state)
{
    struct fixture *b = *state;
    b->config.time = 150;
    fixture_start(b);
    fixture_join(b, 7, 1, 2, 0);
    wait_on(b, 100, 1, 2);
    end_run(b, 1, 100);
    assert_float_equal(guess(b), 50, 1);
}

static void many_short_trials_are_guessed_by_their_rate(void **state)
{
    struct fixture *b = *state;
    b->config.max_trials = 200;
    fixture_start(b);
    fixture_join(b, 7, 1, 1, 0);
    for (uint64_t trial = 1; trial <= 100; trial++) {
        end_run(b, trial, 0.01); /* what runs take is not what makes the search wait */
        fixture_wait(b, 1);
    }
    assert_float_equal(guess(b), 100, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(before_a_run_has_ended_nothing_is_known),
        FIXTURE_CLAIM(few_long_trials_are_guessed_by_what_runs_take),
        FIXTURE_CLAIM(the_last_ones_take_their_rest_however_many_slots_there_are),
        FIXTURE_CLAIM(the_time_of_the_search_bounds_it),
        FIXTURE_CLAIM(many_short_trials_are_guessed_by_their_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
