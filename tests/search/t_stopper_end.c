/* How a search with early stopping comes to its end where the best trials don't. */
#include "search/stop/stopper.h"
#include "tests/claims.h"

/* With rungs at 1 and 3 of 9 steps. */
static struct stopper *make_asha(void)
{
    struct err err;
    json_t *options = json_pack("{s:i, s:i, s:i}", "min_steps", 1, "max_steps", 9, "eta", 3);
    struct stopper_setup setup = {.name = "asha", .options = options, .seed = 1, .objectives = 1, .can_pause = true};
    struct stopper *stopper = stopper_create(&setup, &err);
    if (!stopper)
        fail_msg("%s", err.text);
    json_decref(options);
    return stopper;
}

static struct stopper_decision see(struct stopper *stopper, uint64_t trial, uint64_t step, double loss)
{
    struct stopper_decision decision;
    stopper_sample(stopper, trial, step, &loss, &decision);
    return decision;
}

/* Whatever kept the best ones from their end: their own failure, or a person's word. */
static void at_the_end_others_go_on_until_one_is_complete(void **state)
{
    (void)state;
    struct stopper *stopper = make_asha();
    struct stopper_move move;
    for (uint64_t trial = 1; trial <= 5; trial++)
        see(stopper, trial, 1, (double)trial);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(move.resume && move.trial == 1);
    stopper_resumed(stopper, 1);
    stopper_ended(stopper, 1, ENDING_EXITED);
    stopper_ended(stopper, 2, ENDING_CANCELLED);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(move.resume && move.trial == 3);
    assert_string_equal(move.why, "rung 1 (step 1): 3 is number 3 of 5, and none that went on did all of its steps");
    stopper_resumed(stopper, 3);
    assert_int_equal(see(stopper, 3, 3, 3).action, STOPPER_PAUSE);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(move.resume && move.trial == 3);
    stopper_resumed(stopper, 3);
    assert_int_equal(see(stopper, 3, 9, 3).action, STOPPER_STOP);
    stopper_ended(stopper, 3, ENDING_STOPPED_EARLY);
    assert_true(stopper_next(stopper, true, &move));
    assert_true(!move.resume && move.trial == 5);
    stopper_destroy(stopper);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_the_end_others_go_on_until_one_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
