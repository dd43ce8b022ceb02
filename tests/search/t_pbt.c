/* Population-based training: who goes on from whom. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const space_text = "{'lr': {'min': 1e-4, 'max': 1.0, 'log': true}, 'opt': ['sgd', 'adam']}";

/* A search for population-based training at work. */
struct training {
    struct space *space;
    struct searcher *searcher;
    uint64_t from;   /* of the last proposal */
    double unit[16]; /* its point */
};

static void begin(struct training *training, const char *text, const char *options, uint64_t seed)
{
    struct search search = {.strategy = "pbt", .options = options, .can_continue = true};
    training->space = spaces_make(text);
    training->searcher = searches_make(&search, training->space, seed);
}

static void end(struct training *training)
{
    searcher_destroy(training->searcher);
    space_destroy(training->space);
}

static enum searcher_answer ask(struct training *training, uint64_t trial)
{
    struct proposal proposal;
    struct err err = {{0}};
    enum searcher_answer answer = searcher_ask(training->searcher, trial, &proposal, &err);
    if (answer == SEARCHER_BROKEN)
        fail_msg("%s", err.text);
    if (answer != SEARCHER_PROPOSED)
        return answer;
    training->from = proposal.from;
    assert_int_equal(space_point_of_json(training->space, proposal.params, training->unit, NULL), 0);
    free(proposal.params);
    return answer;
}

static void finish(struct training *training, uint64_t trial, double loss)
{
    searcher_tell(training->searcher, trial, ENDING_COMPLETED, loss, 1);
}

/* Trials 1 to 8 are the first stretches of 8 members, with losses 1 to 8; their points. */
static void first_stretches(struct training *training, double points[9][16])
{
    for (uint64_t trial = 1; trial <= 8; trial++) {
        assert_int_equal(ask(training, trial), SEARCHER_PROPOSED);
        assert_int_equal(training->from, 0);
        memcpy(points[trial], training->unit, sizeof training->unit);
        finish(training, trial, (double)trial);
    }
}

static void without_checkpoints_it_refuses(void **state)
{
    (void)state;
    struct space *space = spaces_make(space_text);
    struct search search = {.strategy = "pbt"};
    struct err err = {{0}};
    assert_null(searches_try(&search, space, 1, &err));
    assert_has(err.text, "it trains on from checkpoints: write trial: {checkpoint: true}");
    space_destroy(space);
}

static void good_members_go_on_as_they_are(void **state)
{
    (void)state;
    struct training training;
    double points[9][16];
    begin(&training, space_text, "{'population': 8}", 1);
    first_stretches(&training, points);
    for (uint64_t trial = 9; trial <= 14; trial++) { /* of the members with losses 1 to 6 */
        assert_int_equal(ask(&training, trial), SEARCHER_PROPOSED);
        assert_int_equal(training.from, trial - 8);
        assert_memory_equal(training.unit, points[trial - 8], 2 * sizeof(double));
    }
    end(&training);
}

static void the_worst_go_on_from_the_best_changed_a_little(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct training training;
        double points[9][16];
        begin(&training, space_text, "{'population': 8, 'resample': 0}", seed);
        first_stretches(&training, points);
        for (uint64_t trial = 9; trial <= 16; trial++)
            ask(&training, trial);
        assert_true(training.from == 1 || training.from == 2); /* the last one asked, for the member with loss 8 */
        assert_true(fabs(fabs(training.unit[0] - points[training.from][0]) - .1) < 1e-6);
        assert_true(training.unit[1] == points[training.from][1]);
        end(&training);
    }
}

static void a_member_that_failed_goes_on_from_the_best(void **state)
{
    (void)state;
    struct training training;
    double points[9][16];
    begin(&training, space_text, "{'population': 8}", 1);
    first_stretches(&training, points);
    ask(&training, 9); /* of the best member so far */
    searcher_tell(training.searcher, 9, ENDING_DIVERGED, NAN, 1);
    for (uint64_t trial = 10; trial <= 16; trial++) {
        ask(&training, trial);
        finish(&training, trial, 2);
    }
    ask(&training, 17);
    assert_true(training.from >= 10 && training.from <= 16);
    end(&training);
}

static void it_begins_again_when_all_have_failed(void **state)
{
    (void)state;
    struct training training;
    begin(&training, space_text, "{'population': 2}", 1);
    for (uint64_t trial = 1; trial <= 10; trial++) {
        assert_int_equal(ask(&training, trial), SEARCHER_PROPOSED);
        assert_int_equal(training.from, 0);
        searcher_tell(training.searcher, trial, ENDING_CRASHED, NAN, 1);
    }
    end(&training);
}

static void a_stretch_that_was_lost_is_run_again(void **state)
{
    (void)state;
    struct training training;
    double points[9][16];
    begin(&training, space_text, "{'population': 8}", 1);
    first_stretches(&training, points);
    ask(&training, 9);
    searcher_tell(training.searcher, 9, ENDING_LOST, NAN, 1);
    ask(&training, 10);
    assert_int_equal(training.from, 1);
    assert_memory_equal(training.unit, points[1], 2 * sizeof(double));
    end(&training);
}

static void nobody_trains_twice_at_a_time(void **state)
{
    (void)state;
    struct training training;
    begin(&training, space_text, "{'population': 2}", 1);
    assert_int_equal(ask(&training, 1), SEARCHER_PROPOSED);
    assert_int_equal(ask(&training, 2), SEARCHER_PROPOSED);
    assert_int_equal(ask(&training, 3), SEARCHER_LATER);
    finish(&training, 2, 1);
    assert_int_equal(ask(&training, 3), SEARCHER_PROPOSED);
    assert_int_equal(training.from, 2);
    end(&training);
}

static void it_ends_when_all_are_trained(void **state)
{
    (void)state;
    struct training training;
    begin(&training, space_text, "{'population': 2, 'stretches': 3}", 1);
    for (uint64_t trial = 1; trial <= 6; trial++) {
        assert_int_equal(ask(&training, trial), SEARCHER_PROPOSED);
        finish(&training, trial, 1);
    }
    assert_int_equal(ask(&training, 7), SEARCHER_NO_MORE);
    end(&training);
}

static void a_space_with_few_configurations_does_not_end_it(void **state)
{
    (void)state;
    struct training training;
    begin(&training, "{'opt': ['sgd', 'adam']}", "{'population': 4}", 1);
    for (uint64_t trial = 1; trial <= 40; trial++) {
        assert_int_equal(ask(&training, trial), SEARCHER_PROPOSED);
        finish(&training, trial, 1 / (double)trial);
    }
    end(&training);
}

/* A training whose best learning rate falls as it goes on; the loss left after 12 stretches by the best of 8. */
static double train(double quantile, double step, uint64_t seed)
{
    struct training training;
    char options[128];
    double left[200], best = INFINITY;
    snprintf(options, sizeof options, "{'population': 8, 'quantile': %g, 'step': %g}", quantile, step);
    begin(&training, space_text, options, seed);
    for (uint64_t trial = 1; trial <= 8 * 12; trial++) {
        ask(&training, trial);
        double right = .9 - .06 * (double)((trial - 1) / 8); /* in the unit cube */
        left[trial] = (training.from ? left[training.from] : 1) * (.5 + fmin(fabs(training.unit[0] - right), .5));
        finish(&training, trial, left[trial]);
        best = fmin(best, left[trial]);
    }
    end(&training);
    return best;
}

static void it_finds_a_schedule(void **state)
{
    (void)state;
    double copied = 0, alone = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        copied += log(train(.25, .1, seed));
        alone += log(train(.01, .001, seed)); /* only the worst member ever moves */
    }
    assert_true(copied < alone - 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_checkpoints_it_refuses),
        cmocka_unit_test(good_members_go_on_as_they_are),
        cmocka_unit_test(the_worst_go_on_from_the_best_changed_a_little),
        cmocka_unit_test(a_member_that_failed_goes_on_from_the_best),
        cmocka_unit_test(it_begins_again_when_all_have_failed),
        cmocka_unit_test(a_stretch_that_was_lost_is_run_again),
        cmocka_unit_test(nobody_trains_twice_at_a_time),
        cmocka_unit_test(it_ends_when_all_are_trained),
        cmocka_unit_test(a_space_with_few_configurations_does_not_end_it),
        cmocka_unit_test(it_finds_a_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
