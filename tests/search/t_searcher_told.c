/* What strategies are told beyond one loss: several of them, limits, rungs, earlier experiments, checkpoints. */
#include "tests/claims.h"
#include "tests/searches.h"

#include <math.h>
#include <stdlib.h>

/* The next proposal of a strategy that repeats what it was told. */
static void says(struct searcher *searcher, uint64_t trial, const char *expected)
{
    char *params = searches_ask(searcher, trial);
    assert_string_equal(params, expected);
    free(params);
}

static void the_problem_says_what_there_will_be(void **state)
{
    (void)state;
    struct space *space = spaces_make("{'objectives': {'min': 0, 'max': 9}, 'limits': {'min': 0, 'max': 9}, "
                                      "'max_steps': {'min': 0, 'max': 99}, 'can_continue': {'min': 0, 'max': 1}}");
    struct search search = {.strategy = "echo", .repeat = true};
    struct searcher *searcher = searches_make(&search, space, 1);
    says(searcher, 1, "{'objectives': 1, 'limits': 0, 'max_steps': 0, 'can_continue': 0}");
    searcher_destroy(searcher);
    search.objectives = 3;
    search.limits = 2;
    search.max_steps = 81;
    search.can_continue = true;
    searcher = searches_make(&search, space, 1);
    says(searcher, 1, "{'objectives': 3, 'limits': 2, 'max_steps': 81, 'can_continue': 1}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static const char *const told_space = "{'observes': {'min': 0, 'max': 9}, 'tells': {'min': 0, 'max': 9}, "
                                      "'outcome': {'min': 0, 'max': 2}, 'loss': {'min': -1.0, 'max': 9.0}, "
                                      "'second': {'min': -1.0, 'max': 9.0}, 'violation': {'min': -2.0, 'max': 9.0}, "
                                      "'step': {'min': 0, 'max': 99}}";

static const struct search two_losses = {.strategy = "echo", .objectives = 2, .limits = 1, .repeat = true};

static void every_loss_and_violation_is_told(void **state)
{
    (void)state;
    struct space *space = spaces_make(told_space);
    struct searcher *searcher = searches_make(&two_losses, space, 1);
    const double losses[] = {3, 4}, violation[] = {-0.5};
    const struct measures measured = {.losses = losses, .violation = violation, .energy = NAN, .step = 7};
    free(searches_ask(searcher, 1));
    searcher_tell_all(searcher, 1, ENDING_COMPLETED, &measured);
    says(searcher, 2,
         "{'observes': 0, 'tells': 1, 'outcome': 0, 'loss': 3.0, 'second': 4.0, 'violation': -0.5, 'step': 7}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static void a_trial_that_lacks_an_objective_has_failed(void **state)
{
    (void)state;
    struct space *space = spaces_make(told_space);
    struct searcher *searcher = searches_make(&two_losses, space, 1);
    const double losses[] = {3, NAN};
    const struct measures measured = {.losses = losses, .energy = NAN};
    free(searches_ask(searcher, 1));
    searcher_tell_all(searcher, 1, ENDING_COMPLETED, &measured);
    says(searcher, 2,
         "{'observes': 0, 'tells': 1, 'outcome': 1, 'loss': -1.0, 'second': -1.0, 'violation': -1.0, 'step': 0}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static void rungs_are_observed_until_the_trial_is_told(void **state)
{
    (void)state;
    struct space *space = spaces_make(told_space);
    struct searcher *searcher = searches_make(&two_losses, space, 1);
    const double losses[] = {3, 4}, later[] = {1, 2};
    const struct measures rung = {.losses = losses, .energy = NAN, .step = 9};
    const struct measures end = {.losses = later, .energy = NAN, .step = 27};
    free(searches_ask(searcher, 1));
    searcher_observe(searcher, 1, &rung);
    searcher_observe(searcher, 77, &rung); /* never asked for: ignored */
    says(searcher, 2,
         "{'observes': 1, 'tells': 0, 'outcome': 0, 'loss': 3.0, 'second': 4.0, 'violation': -1.0, 'step': 9}");
    searcher_tell_all(searcher, 1, ENDING_STOPPED_EARLY, &end);
    searcher_observe(searcher, 1, &rung); /* told: ignored */
    says(searcher, 3,
         "{'observes': 1, 'tells': 1, 'outcome': 0, 'loss': 1.0, 'second': 2.0, 'violation': -1.0, 'step': 27}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static const char *const past_space = "{'pasts': {'min': 0, 'max': 9}, 'source': {'min': 0, 'max': 9}, "
                                      "'past_outcome': {'min': 0, 'max': 2}, 'past_loss': {'min': -1.0, 'max': 9.0}}";

static void earlier_experiments_are_learnt_before_the_first_ask(void **state)
{
    (void)state;
    struct space *space = spaces_make(past_space);
    const struct searcher_past past[] = {{.source = 0, .params = "{\"pasts\": 1}", .loss = 1},
                                         {.source = 1, .params = "{}", .loss = 2.5},
                                         {.params = NULL}};
    struct search search = {.strategy = "echo", .past = past};
    struct searcher *searcher = searches_make(&search, space, 1);
    says(searcher, 1, "{'pasts': 2, 'source': 1, 'past_outcome': 0, 'past_loss': 2.5}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static void an_earlier_trial_without_a_loss_is_a_failure(void **state)
{
    (void)state;
    struct space *space = spaces_make(past_space);
    const struct searcher_past past[] = {{.params = "{}", .loss = INFINITY}, {.params = NULL}};
    struct search search = {.strategy = "echo", .past = past};
    struct searcher *searcher = searches_make(&search, space, 1);
    says(searcher, 1, "{'pasts': 1, 'source': 0, 'past_outcome': 1, 'past_loss': -1.0}");
    searcher_destroy(searcher);
    space_destroy(space);
}

static void an_earlier_trial_outside_the_space_is_refused(void **state)
{
    (void)state;
    struct space *space = spaces_make(past_space);
    const struct searcher_past past[] = {
        {.params = "{}", .loss = 1}, {.params = "{\"pasts\": 10}", .loss = 1}, {.params = NULL}};
    struct search search = {.strategy = "echo", .past = past};
    struct err err = {{0}};
    assert_null(searches_try(&search, space, 1, &err));
    assert_string_equal(err.text, "earlier trial 2: 'pasts' can't be 10: it is between 0 and 9");
    space_destroy(space);
}

/* Which trial the second proposal goes on from. */
static uint64_t second_from(const struct search *search)
{
    struct space *space = spaces_make("{'trial': {'min': 0, 'max': 9}}");
    struct searcher *searcher = searches_make(search, space, 1);
    struct proposal proposal = {0};
    for (uint64_t trial = 1; trial <= 2; trial++) {
        assert_int_equal(searcher_ask(searcher, trial, &proposal, NULL), SEARCHER_PROPOSED);
        free(proposal.params);
    }
    searcher_destroy(searcher);
    space_destroy(space);
    return proposal.from;
}

static void a_proposal_goes_on_from_another_trial_where_that_is_possible(void **state)
{
    (void)state;
    struct search search = {.strategy = "echo"};
    assert_int_equal(second_from(&search), 0);
    search.can_continue = true;
    assert_int_equal(second_from(&search), 1);
    search.start[0] = "{'trial': 7}";
    search.start[1] = "{'trial': 8}";
    assert_int_equal(second_from(&search), 0);
}

/* --- endings --- */

static const char *const ending_space = "{'notes': {'min': 0, 'max': 99}, 'tells': {'min': 0, 'max': 99},"
                                        " 'told': {'min': 0, 'max': 99}, 'outcome': {'min': 0, 'max': 2},"
                                        " 'loss': {'min': -1.0, 'max': 10.0}, 'seconds': {'min': 0.0, 'max': 10.0}}";

/* What the next proposal says after trial 1 ended like this. */
static void ends(enum ending ending, double loss, const char *expected)
{
    struct space *space = spaces_make(ending_space);
    struct search search = {.strategy = "echo"};
    struct searcher *searcher = searches_make(&search, space, 1);
    free(searches_ask(searcher, 1));
    searcher_tell(searcher, 1, ending, loss, 2.5);
    searcher_tell(searcher, 1, ENDING_COMPLETED, 9, 9);  /* told before: ignored */
    searcher_tell(searcher, 77, ENDING_COMPLETED, 9, 9); /* never asked for: ignored */
    char *params = searches_ask(searcher, 2);
    assert_string_equal(params, expected);
    free(params);
    searcher_destroy(searcher);
    space_destroy(space);
}

#define FINISHED(loss) "{'notes': 1, 'tells': 1, 'told': 1, 'outcome': 0, 'loss': " loss ", 'seconds': 2.5}"
#define FAILED         "{'notes': 1, 'tells': 1, 'told': 1, 'outcome': 1, 'loss': -1.0, 'seconds': 2.5}"
#define VOID           "{'notes': 1, 'tells': 1, 'told': 1, 'outcome': 2, 'loss': -1.0, 'seconds': 2.5}"

static void endings_are_told_as_what_they_say_about_the_configuration(void **state)
{
    (void)state;
    ends(ENDING_COMPLETED, 3, FINISHED("3.0"));
    ends(ENDING_STOPPED_EARLY, 4, FINISHED("4.0"));
    ends(ENDING_COMPLETED, NAN, FAILED);
    ends(ENDING_COMPLETED, INFINITY, FAILED);
    const enum ending failures[] = {ENDING_DIVERGED,      ENDING_CRASHED,    ENDING_EXITED,   ENDING_TIMED_OUT,
                                    ENDING_OUT_OF_MEMORY, ENDING_BAD_CONFIG, ENDING_NO_VALUE, ENDING_GPU_OUT_OF_MEMORY};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
        ends(failures[i], 3, FAILED);
    ends(ENDING_CANCELLED, 3, VOID);
    ends(ENDING_LOST, 3, VOID);
    ends(ENDING_NOT_STARTED, 3, VOID);
    ends(ENDING_GPU_FAILED, 3, VOID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_are_told_as_what_they_say_about_the_configuration),
        cmocka_unit_test(the_problem_says_what_there_will_be),
        cmocka_unit_test(every_loss_and_violation_is_told),
        cmocka_unit_test(a_trial_that_lacks_an_objective_has_failed),
        cmocka_unit_test(rungs_are_observed_until_the_trial_is_told),
        cmocka_unit_test(earlier_experiments_are_learnt_before_the_first_ask),
        cmocka_unit_test(an_earlier_trial_without_a_loss_is_a_failure),
        cmocka_unit_test(an_earlier_trial_outside_the_space_is_refused),
        cmocka_unit_test(a_proposal_goes_on_from_another_trial_where_that_is_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
