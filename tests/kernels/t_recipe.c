/* What trials of all kernels that train a network can be told beside their optimizer: learning rates that follow the
 * batch, and patience. */
#include "worker/kernels/recipe.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "worker/kernels/classifier.h"
#include "worker/kernels/kernel.h"
#include "worker/trainer/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tried train(const char *params)
{
    static const char options[] = "{'data': 'examples/data/digits.csv', 'epochs': 3}";
    struct tried tried = try_trial(&(struct trial_text){"mlp", "val_loss", options, params, 1, 1});
    assert_int_equal(tried.run.ending, ENDING_COMPLETED);
    return tried;
}

/* --- learning rates --- */

static void rates_follow_the_batch(void **state)
{
    (void)state;
    assert_true(schedule_scaled(LR_SCALING_NONE, 0.1, 256, 64) == 0.1);
    assert_true(schedule_scaled(LR_SCALING_LINEAR, 0.1, 256, 64) == 0.4);
    assert_true(schedule_scaled(LR_SCALING_SQRT, 0.1, 256, 64) == 0.2);
    assert_true(schedule_scaled(LR_SCALING_LINEAR, 0.1, 16, 64) == 0.025);
}

static void assert_same(const char *params, const char *others)
{
    struct tried a = train(params), b = train(others);
    assert_int_equal(a.run.sample_count, b.run.sample_count);
    for (uint32_t i = 0; i < a.run.sample_count; i++)
        assert_true(a.run.samples[i].value == b.run.samples[i].value);
    tried_fini(&a);
    tried_fini(&b);
}

static void a_trial_is_trained_with_the_scaled_rate(void **state)
{
    (void)state;
    assert_same("{'batch': 128, 'lr': 0.0625, 'lr_scaling': 'linear'}", "{'batch': 128, 'lr': 0.125}");
    assert_same("{'batch': 128, 'lr': 0.0625, 'lr_scaling': 'sqrt', 'lr_batch': 32}", "{'batch': 128, 'lr': 0.125}");
    assert_same("{'batch': 128, 'lr': 0.125, 'lr_batch': 32}", "{'batch': 128, 'lr': 0.125}");
}

/* --- patience --- */

static void patience_counts_from_the_best(void **state)
{
    (void)state;
    const double values[] = {5, 4, 4, 4.5, 3, 3.5, 3.1, 3.0};
    struct patience smaller = {.epochs = 3}, larger = {.epochs = 3, .larger = true}, none = {0};
    for (int i = 0; i < 8; i++) {
        assert_true(patience_ends(&smaller, values[i]) == (i == 7));
        assert_true(patience_ends(&larger, -values[i]) == (i == 7));
        assert_false(patience_ends(&none, values[i]));
    }
    assert_true(smaller.best == 3 && larger.best == -3);
}

static void accuracies_are_better_when_they_are_larger(void **state)
{
    (void)state;
    const struct recipe recipe = {.patience = 2};
    assert_true(recipe_patience(&recipe, "val_accuracy").larger && !recipe_patience(&recipe, "val_loss").larger);
    assert_true(recipe_patience(&recipe, "samples_per_second").larger);
}

/* Runs a trial that learns nothing, by a plan; the last step that it reported. */
static int64_t run_idle(const struct training_plan *plan, const char *metric, struct training *run)
{
    struct err err;
    json_t *options = json_of_quoted("{'data': 'examples/data/digits.csv', 'epochs': 20}");
    json_t *params = json_of_quoted("{'lr': 0, 'patience': 3}");
    struct kernel_task task = {.options = options, .base = ".", .metric = metric, .threads = 1};
    struct opened_kernel opened = {.kernel = kernel_find("mlp"), .metric = metric};
    assert_int_equal(opened.kernel->open(&task, &opened.self, &err), 0);
    *run = (struct training){.plan = *plan};
    training_run(run, &opened, &(struct kernel_trial){.number = 1, .attempt = 1, .seed = 7, .params = params});
    opened.kernel->close(opened.self);
    json_decref(options);
    json_decref(params);
    return run->sample_count ? run->samples[run->sample_count - 1].step : 0;
}

/* The first epoch is the best, the three behind it are no better. */
static void a_trial_that_learns_nothing_is_completed_early(void **state)
{
    (void)state;
    static const char *const metrics[] = {"val_loss", "val_accuracy"};
    for (int i = 0; i < 2; i++) {
        struct training run;
        assert_int_equal(run_idle(&(struct training_plan){0}, metrics[i], &run), 4);
        assert_int_equal(run.ending, ENDING_COMPLETED);
        assert_has(run.detail.text, " has not become better for 3 epochs (patience)");
        training_fini(&run);
    }
}

static void patience_goes_on_counting_after_a_pause(void **state)
{
    struct training run;
    struct training_plan plan = {.checkpoint = path_in(state, "checkpoint"), .until = 3};
    assert_int_equal(run_idle(&plan, "val_loss", &run), 3);
    assert_int_equal(run.ending, ENDING_PAUSED);
    training_fini(&run);
    plan.until = 0;
    plan.known = 3;
    assert_int_equal(run_idle(&plan, "val_loss", &run), 4);
    assert_int_equal(run.ending, ENDING_COMPLETED);
    training_fini(&run);
}

/* The checkpoint at its end is of the step that it came to; a trial that starts from it has three epochs more. */
static void a_trial_can_start_from_one_that_ended_by_patience(void **state)
{
    struct training run;
    struct training_plan plan = {.checkpoint = path_in(state, "first"), .keep = true};
    assert_int_equal(run_idle(&plan, "val_loss", &run), 4);
    training_fini(&run);
    plan = (struct training_plan){.checkpoint = path_in(state, "second"), .origin = path_in(state, "first")};
    assert_int_equal(run_idle(&plan, "val_loss", &run), 7);
    assert_int_equal(run.samples[0].step, 5);
    assert_int_equal(run.ending, ENDING_COMPLETED);
    training_fini(&run);
}

/* --- trials that start from others --- */

/* Learning rates of the step behind each. */
struct rates {
    double of[20];
    size_t count;
};

static bool note_rate(void *context, struct training *run)
{
    struct rates *rates = context;
    rates->of[rates->count++] = classifier_lr(run->opened->self);
    return false;
}

/* Adds the rates of a trial of five epochs. */
static enum ending run_scheduled(const struct training_plan *plan, struct rates *rates)
{
    struct err err;
    json_t *options = json_of_quoted("{'data': 'examples/data/digits.csv', 'epochs': 5}");
    json_t *params = json_of_quoted("{'lr': 0.01, 'schedule': 'cosine', 'warmup': 2}");
    struct kernel_task task = {.options = options, .base = ".", .metric = "val_loss", .threads = 1};
    struct opened_kernel opened = {.kernel = kernel_find("mlp"), .metric = "val_loss"};
    assert_int_equal(opened.kernel->open(&task, &opened.self, &err), 0);
    struct training run = {.plan = *plan, .halt = note_rate, .context = rates};
    training_run(&run, &opened, &(struct kernel_trial){.number = 1, .attempt = 1, .seed = 7, .params = params});
    enum ending ending = run.ending;
    opened.kernel->close(opened.self);
    training_fini(&run);
    json_decref(options);
    json_decref(params);
    return ending;
}

static void a_schedule_is_of_the_trial_s_own_epochs(void **state)
{
    struct rates first = {0}, second = {0};
    struct training_plan plan = {.checkpoint = path_in(state, "first"), .keep = true};
    assert_int_equal(run_scheduled(&plan, &first), ENDING_COMPLETED);
    assert_int_equal(first.count, 4);
    assert_true(first.of[0] < first.of[1] && first.of[1] > first.of[2] && first.of[2] > first.of[3]);
    plan = (struct training_plan){
        .checkpoint = path_in(state, "second"), .origin = path_in(state, "first"), .keep = true, .until = 7};
    assert_int_equal(run_scheduled(&plan, &second), ENDING_PAUSED);
    plan.until = 0;
    plan.known = 7;
    assert_int_equal(run_scheduled(&plan, &second), ENDING_COMPLETED);
    assert_int_equal(second.count, 3); /* none where it paused */
    assert_true(second.of[0] == first.of[0] && second.of[1] == first.of[2] && second.of[2] == first.of[3]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_follow_the_batch),
        cmocka_unit_test(a_trial_is_trained_with_the_scaled_rate),
        cmocka_unit_test(patience_counts_from_the_best),
        cmocka_unit_test(accuracies_are_better_when_they_are_larger),
        cmocka_unit_test(a_trial_that_learns_nothing_is_completed_early),
        cmocka_unit_test_setup_teardown(patience_goes_on_counting_after_a_pause, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_can_start_from_one_that_ended_by_patience, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_schedule_is_of_the_trial_s_own_epochs, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests_name("recipe", tests, NULL, NULL);
}
