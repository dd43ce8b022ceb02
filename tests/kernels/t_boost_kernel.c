/* Boosted trees at work: their losses against differences, and the kernel as a search runs it. */
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "worker/boost/ensemble.h"
#include "worker/kernels/kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the losses --- */

/* The loss of one row by its scores. */
static double loss_at(struct objective *objective, const float *scores)
{
    float out[3];
    objective->count = 1;
    return objective_predict(objective, scores, out, 1).loss;
}

static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    const float target = 1.5f, step = 1e-2f;
    const int32_t label = 1;
    for (int kind = OBJECTIVE_SQUARES; kind <= OBJECTIVE_SOFTMAX; kind++) {
        struct objective objective = {.kind = (enum objective_kind)kind,
                                      .count = 1,
                                      .scores = kind == OBJECTIVE_SOFTMAX ? 3 : 1,
                                      .targets = &target,
                                      .labels = &label};
        float scores[3] = {.3f, -.4f, .8f}, predicted[3];
        double factor = kind == OBJECTIVE_SQUARES ? .5 : 1; /* reported is the square, minimised its half */
        for (size_t k = 0; k < objective.scores; k++) {
            struct gradients gradients;
            gradients_init(&gradients, 1);
            objective_predict(&objective, scores, predicted, 1);
            objective_derive(&objective, predicted, k, &gradients, 1);
            float above[3], below[3];
            memcpy(above, scores, sizeof above);
            memcpy(below, scores, sizeof below);
            above[k] += step;
            below[k] -= step;
            double up = loss_at(&objective, above), here = loss_at(&objective, scores),
                   down = loss_at(&objective, below);
            double g = gradients_g(&gradients, gradients.of[0]), h = gradients_h(&gradients, gradients.of[0]);
            assert_true(fabs(g - factor * (up - down) / (2 * (double)step)) < 1e-3);
            assert_true(fabs(h - factor * (up - 2 * here + down) / (double)(step * step)) < 2e-2);
            gradients_fini(&gradients);
        }
    }
}

/* The difference of two floats may be none. */
static void targets_may_be_as_far_apart_as_numbers_are(void **state)
{
    (void)state;
    const float targets[] = {3e38f, -3e38f}, predicted[] = {-3e38f, -3e38f};
    struct objective objective = {.kind = OBJECTIVE_SQUARES, .count = 2, .scores = 1, .targets = targets};
    struct gradients gradients;
    gradients_init(&gradients, 2);
    objective_derive(&objective, predicted, 0, &gradients, 1);
    assert_true(fabs(gradients_g(&gradients, gradients.of[0]) / -6e38 - 1) < 1e-6);
    assert_true(gradients.of[1][0] == 0);
    gradients_fini(&gradients);
}

static void a_score_that_is_no_number_makes_the_loss_none(void **state)
{
    (void)state;
    const int32_t label = 1;
    const float target = 1;
    for (int kind = OBJECTIVE_SQUARES; kind <= OBJECTIVE_SOFTMAX; kind++) {
        struct objective objective = {.kind = (enum objective_kind)kind,
                                      .scores = kind == OBJECTIVE_SOFTMAX ? 3 : 1,
                                      .targets = &target,
                                      .labels = &label};
        struct gradients gradients;
        float out[3];
        assert_true(isnan(loss_at(&objective, (const float[]){NAN, NAN, NAN})));
        objective_predict(&objective, (const float[]){NAN, NAN, NAN}, out, 1);
        gradients_init(&gradients, 1);
        objective_derive(&objective, out, 0, &gradients, 1);
        assert_true(gradients.of[0][0] == 0);
        gradients_fini(&gradients);
    }
}

static void the_loss_of_what_is_surely_wrong_is_exact(void **state)
{
    (void)state;
    const int32_t labels[] = {0, 1};
    for (int l = 0; l < 2; l++)
        for (float score = -100; score <= 100; score += 4) {
            struct objective two = {.kind = OBJECTIVE_LOGISTIC, .scores = 1, .labels = &labels[l]};
            struct objective many = {.kind = OBJECTIVE_SOFTMAX, .scores = 2, .labels = &labels[l]};
            double wrong = l ? -(double)score : (double)score, loss = fmax(wrong, 0) + log1p(exp(-fabs(wrong)));
            assert_true(fabs(loss_at(&two, &score) - loss) <= 1e-6 * (1 + loss));
            assert_true(fabs(loss_at(&many, (const float[]){0, score}) - loss) <= 1e-6 * (1 + loss));
        }
}

static void training_begins_where_no_constant_does_better(void **state)
{
    (void)state;
    const float targets[] = {1, 2, 6};
    const int32_t labels[] = {0, 1, 1};
    float begin[2];
    objective_begin(&(struct objective){OBJECTIVE_SQUARES, 3, 1, targets, NULL}, begin);
    assert_true(begin[0] == 3);
    objective_begin(&(struct objective){OBJECTIVE_LOGISTIC, 3, 1, NULL, labels}, begin);
    assert_true(fabs((double)begin[0] - log(2)) < 1e-6);
    objective_begin(&(struct objective){OBJECTIVE_SOFTMAX, 3, 2, NULL, labels}, begin);
    assert_true(fabs((double)(begin[1] - begin[0]) - log(2)) < 1e-6);
}

/* --- the kernel --- */

static struct tried try_gbt(const char *options, const char *metric, const char *params)
{
    struct tried tried = try_trial(&(struct trial_text){"gbt", metric, options, params, 1, 1});
    if (!tried.opened || tried.run.ending != ENDING_COMPLETED)
        fail_msg("%s %s: %s", options, params, tried.opened ? tried.run.detail.text : tried.trouble.text);
    return tried;
}

static double last_value(const char *options, const char *metric, const char *params)
{
    struct tried tried = try_gbt(options, metric, params);
    double value = tried_last(&tried, metric);
    tried_fini(&tried);
    return value;
}

static void boosted_trees_learn_the_digits(void **state)
{
    (void)state;
    assert_true(last_value("{'data': 'examples/data/digits.csv'}", "val_accuracy", "{'rounds': 40, 'lr': 0.2}") > .93);
    assert_true(last_value("{'data': 'examples/data/digits.csv'}", "val_accuracy",
                           "{'rounds': 40, 'lr': 0.3, 'subsample': 0.5, 'inputs': 0.3, 'depth': 4, 'l2': 1}") > .95);
}

/* y = x + 10 where x is missing; the other input is noise. Written with four ways to say that a value is missing. */
static void write_numbers(const char *path)
{
    static const char *const missing[] = {"", "nan", "NA", "?"};
    struct rng rng = rng_make(1, "numbers", 0);
    struct buf csv = {0};
    buf_text(&csv, "x,noise,y\n");
    for (int i = 0; i < 1000; i++) {
        double x = rng_unit(&rng);
        if (i % 5 == 0)
            buf_format(&csv, "%s,%g,10\n", missing[i / 5 % 4], rng_unit(&rng));
        else
            buf_format(&csv, "%g,%g,%g\n", x, rng_unit(&rng), x);
    }
    write_file(path, buf_str(&csv), 0600);
    buf_fini(&csv);
}

static void numbers_are_learned_and_missing_inputs_say_something_too(void **state)
{
    const char *path = path_in(state, "numbers.csv");
    write_numbers(path);
    char *options = mem_format("{'data': '%s', 'learn': 'numbers'}", path);
    assert_true(last_value(options, "val_rmse", "{'rounds': 100}") < .05); /* without learning: 4 */
    free(options);
}

static void all_of_it_repeats_bit_for_bit_with_any_number_of_threads(void **state)
{
    (void)state;
    json_t *options = json_of_quoted("{'data': 'examples/data/digits.csv'}"),
           *params = json_of_quoted("{'rounds': 5, 'subsample': 0.7, 'inputs': 0.5}");
    double first = NAN;
    for (int threads = 1; threads <= 4; threads++) {
        struct kernel_task task = {.options = options, .base = ".", .metric = "val_loss", .threads = threads};
        struct kernel_trial trial = {.number = 1, .attempt = 1, .seed = 3, .params = params};
        struct opened_kernel opened = {.kernel = kernel_find("gbt"), .metric = "val_loss"};
        struct tried tried = {.opened = true};
        struct err err;
        assert_int_equal(opened.kernel->open(&task, &opened.self, &err), 0);
        training_run(&tried.run, &opened, &trial);
        double loss = tried_last(&tried, "val_loss");
        assert_true(threads == 1 || loss == first);
        first = loss;
        opened.kernel->close(opened.self);
        tried_fini(&tried);
    }
    json_decref(options);
    json_decref(params);
}

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *learn, *metric, *sentence;
    } bad[] = {{"numbers", "val_accuracy", "the metric val_accuracy is of classes, and 'learn' is numbers"},
               {"classes", "val_rmse", "the metric val_rmse is of numbers, and 'learn' is classes"},
               {"digits", "val_loss", "the option 'learn' is \"digits\"; it takes: classes or numbers"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *options = mem_format("{'data': 'examples/data/digits.csv', 'learn': '%s'}", bad[i].learn);
        struct tried tried = try_trial(&(struct trial_text){"gbt", bad[i].metric, options, "{}", 1, 1});
        assert_false(tried.opened);
        assert_has(tried.trouble.text, bad[i].sentence);
        free(options);
    }
    struct tried made = try_trial(
        &(struct trial_text){"gbt", "val_loss", "{'data': 'generate:spirals', 'learn': 'numbers'}", "{}", 1, 1});
    assert_false(made.opened);
    assert_has(made.trouble.text, "'learn: numbers' is of tables and of arrays (CSV, IDX, NPY, NPZ, HDF5)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_differences),
        cmocka_unit_test(targets_may_be_as_far_apart_as_numbers_are),
        cmocka_unit_test(a_score_that_is_no_number_makes_the_loss_none),
        cmocka_unit_test(the_loss_of_what_is_surely_wrong_is_exact),
        cmocka_unit_test(training_begins_where_no_constant_does_better),
        cmocka_unit_test(boosted_trees_learn_the_digits),
        cmocka_unit_test_setup_teardown(numbers_are_learned_and_missing_inputs_say_something_too, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test(all_of_it_repeats_bit_for_bit_with_any_number_of_threads),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests_name("boost_kernel", tests, NULL, NULL);
}
