/* The kernels that train: they learn, they repeat themselves, and they say where their time went. */
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "worker/backend/team.h"
#include "worker/kernels/image_shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "{'data': 'examples/data/digits.csv'}"

static struct tried tried; /* the last one */

static int forget(void **state)
{
    (void)state;
    tried_fini(&tried);
    tried = (struct tried){0};
    return 0;
}

static void train(const char *kernel, const char *params, uint64_t seed)
{
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){kernel, "val_accuracy", DIGITS, params, seed, 1});
    assert_true(tried.opened);
}

static void assert_accuracy(const char *kernel, const char *params, double accuracy)
{
    if (tried.run.ending != ENDING_COMPLETED || !(tried_last(&tried, "val_accuracy") >= accuracy))
        fail_msg("%s with %s: %s, %s, accuracy %g", kernel, params, ending_name(tried.run.ending),
                 tried.run.detail.text, tried_last(&tried, "val_accuracy"));
}

static void assert_learns(const char *kernel, const char *params, double accuracy)
{
    train(kernel, params, 1);
    assert_accuracy(kernel, params, accuracy);
}

static void logistic_regression_learns_the_digits(void **state)
{
    (void)state;
    assert_learns("logreg", "{}", 0.93);
    assert_learns("logreg", "{'batch': 1000000, 'lr': 1, 'weight_decay': 0.001}", 0.9);
}

static void every_optimizer_learns_the_digits(void **state)
{
    (void)state;
    assert_learns("mlp", "{'lr': 0.1}", 0.95);
    assert_learns("mlp", "{'lr': 0.1, 'momentum': 0, 'batch': 16}", 0.95);
    assert_learns("mlp", "{'optimizer': 'adam', 'lr': 0.005}", 0.95);
    assert_learns("mlp", "{'optimizer': 'adamw', 'lr': 0.005, 'weight_decay': 0.01}", 0.95);
    assert_learns("mlp", "{'optimizer': 'sgd', 'lr': 0.05, 'nesterov': true, 'clip': 1}", 0.94);
    assert_learns("mlp", "{'optimizer': 'rmsprop', 'lr': 0.002, 'momentum': 0}", 0.94);
    assert_learns("mlp", "{'optimizer': 'adadelta', 'lr': 1, 'epsilon': 1e-6}", 0.94);
    assert_learns("mlp", "{'optimizer': 'lars', 'lr': 0.1, 'trust': 0.1, 'weight_decay': 1e-4}", 0.93);
}

static void every_activation_and_schedule_learns_the_digits(void **state)
{
    (void)state;
    assert_learns("mlp", "{'lr': 0.1, 'activation': 'tanh', 'schedule': 'cosine', 'warmup': 1.5}", 0.95);
    assert_learns("mlp", "{'lr': 0.1, 'activation': 'gelu', 'schedule': 'step'}", 0.95);
    assert_learns("mlp", "{'lr': 0.3, 'activation': 'sigmoid', 'depth': 1, 'epochs': 20}", 0.93);
    assert_learns("mlp", "{'lr': 0.1, 'depth': 2, 'dropout': 0.2}", 0.93); /* by the seed: 0.944 to 0.969 */
    assert_learns("mlp", "{'lr': 0.1, 'schedule': 'exponential', 'label_smoothing': 0.1}", 0.94);
    assert_learns("mlp", "{'lr': 0.2, 'schedule': 'one-cycle', 'ema': 0.99}", 0.94);
    assert_learns("mlp", "{'lr': 0.1, 'depth': 0}", 0.92);
}

static void assert_sees(const char *kernel, const char *params)
{
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){
        kernel, "val_accuracy", "{'data': 'examples/data/digits.csv', 'scaling': 'unit', 'epochs': 5}", params, 1, 1});
    assert_accuracy(kernel, params, 0.92);
}

/* 8 x 8 pixels, with zeros around so that two pools fit. */
static void convolutional_networks_learn_the_digits(void **state)
{
    (void)state;
    assert_sees("cnn", "{'lr': 0.05, 'padding': 1, 'filters1': 8, 'filters2': 16, 'width': 64}");
    assert_sees("cnn", "{'layers': 'conv-conv-pool', 'filters1': 8, 'filters2': 16, 'width': 64, 'dropout': 0.1,"
                       " 'dense_dropout': 0.25, 'epochs': 8, 'optimizer': 'adadelta', 'lr': 1, 'epsilon': 1e-6}");
    assert_sees("cnn", "{'layers': 'conv', 'filters1': 8, 'batch_norm': true, 'lr': 0.05}");
    assert_sees("cnn",
                "{'activation': 'gelu', 'padding': 1, 'filters1': 8, 'filters2': 8, 'optimizer': 'adam', 'lr': 0.005}");
}

static void residual_networks_learn_the_digits(void **state)
{
    (void)state;
    assert_sees("resnet", "{'depth': 1, 'width': 8, 'batch': 32, 'lr': 0.1, 'schedule': 'cosine'}");
    assert_sees("resnet", "{'depth': 2, 'width': 4, 'batch': 32, 'lr': 0.1, 'shortcut': 'projection',"
                          " 'schedule': 'one-cycle', 'weight_decay': 1e-4, 'epochs': 8}");
}

static void assert_follows(const char *params)
{
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){
        "lstm", "val_accuracy",
        "{'data': {'generate': 'sequences', 'examples': 600, 'steps': 16}, 'epochs': 6, 'clip': 1}", params, 1, 1});
    assert_accuracy("lstm", params, 0.9);
}

static void recurrent_networks_learn_sequences(void **state)
{
    (void)state;
    assert_follows("{'width': 24, 'batch': 16, 'lr': 0.01}");
    assert_follows("{'width': 16, 'layers': 2, 'dropout': 0.1, 'batch': 16, 'lr': 0.02}");
    train("lstm", "{}", 1);
    assert_int_equal(tried.run.ending, ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "64 inputs and does not say of how many steps; the option 'steps' does");
    tried_fini(&tried);
    tried = try_trial(
        &(struct trial_text){"lstm", "val_accuracy", "{'data': 'examples/data/digits.csv', 'steps': 7}", "{}", 1, 1});
    assert_has(tried.run.detail.text, "the 64 inputs of the data can't be divided among 7 steps");
}

static void images_of_another_shape_are_refused(void **state)
{
    (void)state;
    train("cnn", "{}", 1);
    assert_int_equal(tried.run.ending, ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "layer 4 (pool_max): its window of 2 x 2 does not fit into images of 1 x 1");
    train("cnn", "{'padding': 3}", 1);
    assert_has(tried.run.detail.text, "the parameter 'padding' is 3; it must be less than 'kernel', which is 3");
    tried_fini(&tried);
    tried = try_trial(
        &(struct trial_text){"cnn", "val_accuracy", "{'data': 'examples/data/digits.csv', 'channels': 3}", "{}", 1, 1});
    assert_has(tried.run.detail.text, "the data has 64 inputs, which are no square images of 3 channels");
    tried_fini(&tried);
    tried = try_trial(
        &(struct trial_text){"cnn", "val_accuracy", "{'data': 'examples/data/digits.csv', 'height': 5}", "{}", 1, 1});
    assert_has(tried.run.detail.text, "the data has 64 inputs, which are no images of 1 channel;");
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){"resnet", "val_accuracy",
                                           "{'data': 'examples/data/digits.csv', 'channels': 3}", "{}", 1, 1});
    assert_int_equal(tried.run.ending, ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text,
               "no square images of 3 channels; the options 'height' and 'channels' say their shape");
}

static void channels_that_come_first_are_no_images_of_many_channels(void **state)
{
    (void)state;
    json_t *said = json_pack("{s:i}", "height", 3);
    struct kernel_settings settings = {.kernel = kernel_find("cnn")};
    struct dataset data = {.inputs = 3072, .shape = {.rank = 3, .size = {3, 32, 32}}};
    struct dataset_shape image;
    struct err err;
    assert_int_equal(image_shape_read(&settings, &data, &image, &err), -1);
    assert_has(err.text, "arrays of 3 x 32 x 32, in which channels seem to come first; they come last");
    settings.options = said;
    assert_int_equal(image_shape_read(&settings, &data, &image, &err), 0);
    settings.options = NULL;
    data.shape = (struct dataset_shape){.rank = 3, .size = {1, 128, 9}};
    data.inputs = 1152;
    assert_int_equal(image_shape_read(&settings, &data, &image, &err), 0);
    json_decref(said);
}

/* 8 x 32 pixels are no image of 16 x 16. */
static void images_of_one_channel_have_the_sides_that_the_data_says(void **state)
{
    (void)state;
    json_t *said = json_pack("{s:i}", "channels", 4);
    struct kernel_settings settings = {.kernel = kernel_find("cnn")};
    struct dataset data = {.inputs = 256, .shape = {.rank = 2, .size = {8, 32}}};
    struct dataset_shape image;
    struct err err;
    assert_int_equal(image_shape_read(&settings, &data, &image, &err), 0);
    assert_true(image.size[0] == 8 && image.size[1] == 32 && image.size[2] == 1);
    settings.options = said;
    assert_int_equal(image_shape_read(&settings, &data, &image, &err), 0);
    assert_true(image.size[0] == 8 && image.size[1] == 8 && image.size[2] == 4);
    json_decref(said);
}

static void every_backend_learns_the_digits(void **state)
{
    (void)state;
    assert_learns("mlp", "{'lr': 0.1}", 0.95);
    double best = tried_last(&tried, "val_loss");
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){
        "mlp", "val_accuracy", "{'data': 'examples/data/digits.csv', 'backend': 'ref'}", "{'lr': 0.1}", 1, 1});
    assert_int_equal(tried.run.ending, ENDING_COMPLETED);
    assert_true(tried_last(&tried, "val_accuracy") >= 0.95);
    assert_true(fabs(tried_last(&tried, "val_loss") - best) < 0.05);
}

static void the_same_seed_trains_the_same(void **state)
{
    (void)state;
    static const char params[] = "{'dropout': 0.2, 'epochs': 3}";
    train("mlp", params, 42);
    struct tried first = tried;
    tried = (struct tried){0};
    train("mlp", params, 42);
    assert_int_equal(first.run.sample_count, tried.run.sample_count);
    for (uint32_t i = 0; i < tried.run.sample_count; i++)
        assert_true(first.run.samples[i].value == tried.run.samples[i].value);
    train("mlp", params, 43);
    assert_true(tried_last(&first, "val_loss") != tried_last(&tried, "val_loss"));
    tried_fini(&first);
}

static void threads_that_prepare_data_change_no_bit(void **state)
{
    (void)state;
    static const char *const params[] = {"{'epochs': 2, 'layers': 'conv', 'filters1': 3, 'width': 8}",
                                         "{'epochs': 2, 'layers': 'conv', 'filters1': 3, 'width': 8, 'flip': 0.5, "
                                         "'crop': 1, 'shift': 0.2, 'cutout': 2}"};
    double loss[2][3];
    for (int i = 0; i < 2; i++)
        for (int threads = 0; threads < 3; threads++) {
            char options[200];
            snprintf(options, sizeof options,
                     "{'data': {'generate': 'shapes', 'size': 8, 'examples': 300}, 'data_threads': %d}", threads);
            tried_fini(&tried);
            tried = try_trial(&(struct trial_text){"cnn", "val_loss", options, params[i], 3, 1});
            loss[i][threads] = tried_last(&tried, "val_loss");
            assert_int_equal(tried.run.ending, ENDING_COMPLETED);
            assert_true(loss[i][threads] == loss[i][0]);
        }
    assert_true(loss[0][0] != loss[1][0]);
}

/* The validation loss of a trial with so many threads. */
static double loss_with(const struct opened_kernel *opened, int threads)
{
    struct training training = {0};
    json_t *params = json_pack("{s:i, s:i, s:i}", "threads", threads, "batch", 32, "epochs", 2);
    training_run(&training, opened, &(struct kernel_trial){.number = 1, .seed = 5, .params = params});
    assert_int_equal(training.ending, ENDING_COMPLETED);
    double loss = training.report.objective;
    training_fini(&training);
    json_decref(params);
    return loss;
}

static void a_trial_is_the_same_whatever_threads_the_one_before_had(void **state)
{
    (void)state;
    struct err err = {""};
    json_t *options = json_of_quoted("{'data': {'generate': 'shapes', 'size': 12, 'examples': 400}}");
    struct kernel_task task = {.options = options, .metric = "val_loss", .threads = 4};
    double loss[2];
    size_t before = team_set(4);
    for (int other = 0; other < 2; other++) {
        struct opened_kernel opened = {.kernel = kernel_find("cnn"), .metric = "val_loss"};
        assert_int_equal(opened.kernel->open(&task, &opened.self, &err), 0);
        if (other)
            loss_with(&opened, 4);
        loss[other] = loss_with(&opened, 1);
        opened.kernel->close(opened.self);
        team_set(4);
    }
    team_set(before);
    assert_true(loss[0] == loss[1]);
    json_decref(options);
}

static void every_epoch_reports_its_metrics_and_phases(void **state)
{
    (void)state;
    enum { EPOCHS = 4 };
    static const char *const metrics[] = {"train_loss", "train_accuracy", "val_loss", "val_accuracy"};
    train("mlp", "{'epochs': 4, 'batch': 100}", 1);
    assert_int_equal(tried.run.sample_count, EPOCHS * 4);
    for (int e = 0; e < EPOCHS; e++)
        for (int m = 0; m < 4; m++) {
            assert_string_equal(tried.run.samples[4 * e + m].metric, metrics[m]);
            assert_int_equal(tried.run.samples[4 * e + m].step, e + 1);
        }
    const struct phase_time *phases = tried.run.report.phases;
    uint64_t batches = phases[PHASE_UPDATE].count / EPOCHS;
    assert_in_range(batches, 14, 15); /* 1,438 or so examples in batches of 100 */
    assert_int_equal(phases[PHASE_FORWARD].count, EPOCHS * batches);
    assert_int_equal(phases[PHASE_BACKWARD].count, EPOCHS * batches);
    assert_int_equal(phases[PHASE_DATA].count, EPOCHS * (batches + 1)); /* and the shuffling */
    assert_int_equal(phases[PHASE_EVALUATION].count, EPOCHS);
    assert_int_equal(phases[PHASE_WORK].count, 0);
    for (int i = PHASE_DATA; i <= PHASE_EVALUATION; i++)
        assert_true(phases[i].seconds > 0 && phases[i].min <= phases[i].max);
}

static void a_learning_rate_far_too_large_diverges(void **state)
{
    (void)state;
    train("mlp", "{'lr': 1e5, 'depth': 3}", 1);
    assert_int_equal(tried.run.ending, ENDING_DIVERGED);
    assert_has(tried.run.detail.text, "the training loss became");
}

static void configurations_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    train("mlp", "{'width': 0}", 1);
    assert_int_equal(tried.run.ending, ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "the parameter 'width' is 0; it takes: integer from 1 to 16384");
    train("logreg", "{'depth': 2}", 1);
    assert_int_equal(tried.run.ending, ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "kernel logreg has no parameter 'depth'");
}

static void a_metric_that_it_does_not_report_is_no_value(void **state)
{
    (void)state;
    tried = try_trial(&(struct trial_text){"logreg", "f1", DIGITS, "{'epochs': 1}", 1, 1});
    assert_int_equal(tried.run.ending, ENDING_NO_VALUE);
    assert_has(tried.run.detail.text, "reported no 'f1'");
    assert_has(tried.run.detail.text, "it reports: val_loss, val_accuracy");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_teardown(name, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(logistic_regression_learns_the_digits),
        CLAIM(every_optimizer_learns_the_digits),
        CLAIM(every_activation_and_schedule_learns_the_digits),
        CLAIM(every_backend_learns_the_digits),
        CLAIM(convolutional_networks_learn_the_digits),
        CLAIM(residual_networks_learn_the_digits),
        CLAIM(recurrent_networks_learn_sequences),
        CLAIM(images_of_another_shape_are_refused),
        CLAIM(channels_that_come_first_are_no_images_of_many_channels),
        CLAIM(images_of_one_channel_have_the_sides_that_the_data_says),
        CLAIM(the_same_seed_trains_the_same),
        CLAIM(threads_that_prepare_data_change_no_bit),
        CLAIM(a_trial_is_the_same_whatever_threads_the_one_before_had),
        CLAIM(every_epoch_reports_its_metrics_and_phases),
        CLAIM(a_learning_rate_far_too_large_diverges),
        CLAIM(configurations_that_make_no_sense_are_refused),
        CLAIM(a_metric_that_it_does_not_report_is_no_value),
    };
    return cmocka_run_group_tests_name("train", tests, NULL, NULL);
}
