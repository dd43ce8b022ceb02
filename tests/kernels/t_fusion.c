/* Trials that train together: each does what it does alone, to rounding. */
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "worker/trainer/together.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What they learn, and how many of it they are validated with; the width of networks that are not to train together
 * where they are many on a processor; how one ends that diverges; whether losses are waited for. */
#ifdef FEW_EXAMPLES
#define LEARNED  "{'data': {'generate': 'spirals', 'examples': 70}, 'validation': 0.2}"
#define WIDE     "64"
#define DIVERGED "became NaN"
enum { VALIDATED_WITH = 14, MOST_MATES = 9, WAITS = 1 };
#else
#define LEARNED  "{'data': 'examples/data/digits.csv'}"
#define WIDE     "4096"
#define DIVERGED "in epoch 1"
enum { VALIDATED_WITH = 359, MOST_MATES = 8, WAITS = 0 };
#endif

enum { MOST = 13 };

/* Some trials of one process. */
struct crowd {
    json_t *options, *params[MOST];
    struct kernel_task task;
    struct opened_kernel opened[MOST];
    struct training run[MOST];
    bool goes[MOST];
    int64_t begins[MOST]; /* the round in which it joins, from 0 */
    size_t count;
    uint32_t most_mates;
};

static struct crowd crowd;

static int forget(void **state)
{
    (void)state;
    for (size_t i = crowd.count; i-- > 0;) {
        crowd.opened[i].kernel->close(crowd.opened[i].self);
        training_fini(&crowd.run[i]);
        json_decref(crowd.params[i]);
    }
    json_decref(crowd.options);
    crowd = (struct crowd){0};
    return 0;
}

static void gather_crowd(const char *kernel, const char *const *params, size_t count)
{
    struct err err;
    forget(NULL);
    crowd.count = count;
    crowd.options = json_of_quoted(LEARNED);
    crowd.task = (struct kernel_task){.options = crowd.options, .base = ".", .metric = "val_loss", .threads = 1};
    for (size_t i = 0; i < count; i++) {
        crowd.params[i] = json_of_quoted(params[i]);
        crowd.opened[i] = (struct opened_kernel){.kernel = kernel_find(kernel), .metric = "val_loss"};
        if (i == 0)
            assert_int_equal(crowd.opened[0].kernel->open(&crowd.task, &crowd.opened[0].self, &err), 0);
        else
            crowd.opened[i].self = crowd.opened[0].kernel->fusion->join(crowd.opened[0].self);
    }
}

static void begin_run(size_t i)
{
    struct kernel_trial trial = {.number = i + 1, .attempt = 1, .seed = 100 + i, .params = crowd.params[i]};
    crowd.goes[i] = training_begin(&crowd.run[i], &crowd.opened[i], &trial);
    if (!crowd.goes[i])
        training_end(&crowd.run[i]);
}

static void step_round(void)
{
    struct together runs[MOST];
    size_t of[MOST], active = 0;
    for (size_t i = 0; i < crowd.count; i++)
        if (crowd.goes[i]) {
            of[active] = i;
            runs[active++] = (struct together){.training = &crowd.run[i]};
        }
    together_step(runs, active);
    for (size_t k = 0; k < active; k++) {
        crowd.most_mates = runs[k].mates > crowd.most_mates ? runs[k].mates : crowd.most_mates;
        crowd.goes[of[k]] = runs[k].goes;
        if (!runs[k].goes)
            training_end(&crowd.run[of[k]]);
    }
}

/* All of them to their ends; each joins in its round. */
static void run_crowd(void)
{
    bool left = true;
    for (int64_t round = 0; left; round++) {
        left = false;
        for (size_t i = 0; i < crowd.count; i++) {
            if (crowd.begins[i] == round)
                begin_run(i);
            left |= crowd.goes[i] || crowd.begins[i] > round;
        }
        step_round();
    }
}

/* The same trial alone. */
static void run_alone(const char *kernel, size_t i, const struct training_plan *plan, struct training *out)
{
    struct err err;
    struct opened_kernel opened = {.kernel = kernel_find(kernel), .metric = "val_loss"};
    struct kernel_trial trial = {.number = i + 1, .attempt = 1, .seed = 100 + i, .params = crowd.params[i]};
    assert_int_equal(opened.kernel->open(&crowd.task, &opened.self, &err), 0);
    out->plan = *plan;
    training_run(out, &opened, &trial);
    opened.kernel->close(opened.self);
}

/* Losses to 1e-4 of them: rounding grows with the epochs. Accuracies to two examples. */
static void assert_same(size_t i, const struct training *alone)
{
    const struct training *fused = &crowd.run[i];
    if (fused->ending != alone->ending || fused->sample_count != alone->sample_count)
        fail_msg("trial %zu: %s with %u samples (%s), alone %s with %u (%s)", i, ending_name(fused->ending),
                 fused->sample_count, fused->detail.text, ending_name(alone->ending), alone->sample_count,
                 alone->detail.text);
    for (uint32_t s = 0; s < alone->sample_count; s++) {
        const struct msg_sample *a = &alone->samples[s], *b = &fused->samples[s];
        assert_string_equal(a->metric, b->metric);
        assert_int_equal(a->step, b->step);
        double allowed = strstr(a->metric, "accuracy") ? 2.0 / VALIDATED_WITH : 2e-4 * fmax(fabs(a->value), 1e-2);
        if (!(fabs(a->value - b->value) <= allowed))
            fail_msg("trial %zu, step %lld: %s %.9g, alone %.9g", i, (long long)a->step, a->metric, b->value, a->value);
    }
}

static void assert_all_same(const char *kernel, uint32_t mates)
{
    run_crowd();
    assert_int_equal(crowd.most_mates, mates);
    for (size_t i = 0; i < crowd.count; i++) {
        struct training alone = {0};
        run_alone(kernel, i, &(struct training_plan){0}, &alone);
        assert_same(i, &alone);
        training_fini(&alone);
    }
}

static void logistic_regressions_of_other_numbers_train_together(void **state)
{
    (void)state;
    const char *params[] = {"{'lr': 0.1}",
                            "{'lr': 0.01}",
                            "{'lr': 0.5, 'weight_decay': 0.001}",
                            "{'lr': 0.02, 'epochs': 4}",
                            "{'lr': 0.1, 'epochs': 7}",
                            "{'lr': 0.3}",
                            "{'lr': 0.05}",
                            "{'lr': 1e-4}",
                            "{'lr': 0.2}"};
    gather_crowd("logreg", params, 9);
    crowd.begins[2] = 3;
    crowd.begins[7] = 1;
    assert_all_same("logreg", MOST_MATES);
}

static void networks_of_other_numbers_train_together(void **state)
{
    (void)state;
    const char *params[] = {
        "{'width': 32, 'dropout': 0.2, 'lr': 0.05}",
        "{'width': 32, 'dropout': 0.1, 'lr': 0.02, 'momentum': 0.5, 'weight_decay': 0.001}",
        "{'width': 32, 'dropout': 0.5, 'lr': 0.01, 'momentum': 0, 'epochs': 6}",
        "{'width': 32, 'dropout': 0.2, 'lr': 0.05, 'schedule': 'cosine', 'warmup': 1}",
        "{'width': 32, 'dropout': 0.3, 'lr': 0.05, 'label_smoothing': 0.1}",
        "{'width': 32, 'dropout': 0.2, 'lr': 0.05, 'clip': 0.5}",
        "{'width': 32, 'dropout': 0.2, 'lr': 0.05, 'ema': 0.98}",
        "{'width': 32, 'dropout': 0.2, 'lr': 0.05, 'weight_decay': 0.01, 'epochs': 3}",
    };
    gather_crowd("mlp", params, 8);
    crowd.begins[1] = 2;
    crowd.begins[4] = 1;
    assert_all_same("mlp", 8);
}

static void every_optimizer_and_activation_trains_together(void **state)
{
    (void)state;
    static const char *const words[] = {"'optimizer': 'adam', 'lr': 0.002, 'activation': 'tanh'",
                                        "'optimizer': 'adamw', 'lr': 0.002, 'weight_decay': 0.01, 'activation': 'gelu'",
                                        "'optimizer': 'rmsprop', 'lr': 0.0005, 'activation': 'sigmoid'",
                                        "'optimizer': 'adadelta', 'lr': 0.5, 'epsilon': 1e-4, 'depth': 2",
                                        "'nesterov': true, 'lr': 0.02, 'depth': 0"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        char *one = mem_format("{'width': 12, 'epochs': 4, 'batch': 50, %s}", words[w]);
        gather_crowd("mlp", (const char *[]){one, one, one}, 3);
        assert_all_same("mlp", 3);
        free(one);
    }
}

static void layers_that_are_trusted_by_their_norms_train_together(void **state)
{
    (void)state;
    const char *params[] = {
        "{'width': 24, 'depth': 2, 'optimizer': 'lars', 'trust': 0.004, 'lr': 0.5}",
        "{'width': 24, 'depth': 2, 'optimizer': 'lars', 'trust': 0.003, 'lr': 1, 'weight_decay': 0.01}",
        "{'width': 24, 'depth': 2, 'optimizer': 'lars', 'trust': 0.02, 'lr': 0.2, 'momentum': 0, 'clip': 1}",
        "{'width': 24, 'depth': 2, 'optimizer': 'lars', 'trust': 0.004, 'lr': 0.5, 'dropout': 0, 'ema': 0.95}",
    };
    gather_crowd("mlp", params, 4);
    crowd.begins[3] = 2;
    assert_all_same("mlp", 4);
}

static void trials_of_other_shapes_take_turns(void **state)
{
    (void)state;
    const char *params[] = {"{'width': 16, 'epochs': 3}",
                            "{'width': 12, 'epochs': 3}",
                            "{'width': 12, 'epochs': 3, 'lr': 0.01}",
                            "{'width': 16, 'epochs': 3, 'batch': 32}",
                            "{'width': 16, 'epochs': 3, 'activation': 'tanh'}",
                            "{'width': 16, 'epochs': 3, 'optimizer': 'lars', 'trust': 0.1}",
                            "{'width': 16, 'epochs': 3, 'optimizer': 'lars', 'trust': 0.05}",
                            "{'width': 12, 'epochs': 3, 'lr': 0.02}",
                            "{'width': " WIDE ", 'epochs': 1}",
                            "{'width': " WIDE ", 'epochs': 1, 'lr': 0.001}",
                            "{'width': 16, 'epochs': 2, 'precision': 'bf16'}",
                            "{'width': 16, 'epochs': 2, 'precision': 'bf16', 'lr': 0.02}",
                            "{'width': 16, 'epochs': 2, 'precision': 'bf16', 'lr': 0.01}"};
    gather_crowd("mlp", params, 13);
    assert_all_same("mlp", 3);
}

#ifdef FEW_EXAMPLES
/* TF32 has 10 bits: who trains with it without having asked is off by a thousandth after a few steps. */
static void each_has_its_own_precision(void **state)
{
    (void)state;
    const char *params[] = {"{'width': 16, 'lr': 0.05}", "{'width': 16, 'lr': 0.1}",
                            "{'width': 16, 'lr': 0.05, 'precision': 'tf32'}",
                            "{'width': 12, 'lr': 0.1, 'precision': 'tf32'}", "{'width': 20, 'lr': 0.1}"};
    gather_crowd("mlp", params, 5);
    assert_all_same("mlp", 2);
}
#endif

static void one_that_diverges_leaves_the_others_alone(void **state)
{
    (void)state;
    const char *params[] = {"{'width': 16, 'lr': 1e6}", "{'width': 16, 'lr': 0.05}", "{'width': 16, 'lr': 0.02}"};
    gather_crowd("mlp", params, 3);
    assert_all_same("mlp", 3);
    assert_int_equal(crowd.run[0].ending, ENDING_DIVERGED);
    assert_has(crowd.run[0].detail.text, DIVERGED);
}

static bool halt_third(void *context, struct training *training)
{
    (void)context;
    return training->step >= 3;
}

static void one_that_is_halted_leaves_the_others_alone(void **state)
{
    (void)state;
    const char *params[] = {"{'width': 16, 'lr': 0.1}", "{'width': 16, 'lr': 0.05}", "{'width': 16, 'lr': 0.02}"};
    gather_crowd("mlp", params, 3);
    crowd.run[1].halt = halt_third;
    run_crowd();
    assert_int_equal(crowd.run[1].ending, ENDING_STOPPED_EARLY);
    assert_int_equal(crowd.run[1].step, 3);
    crowd.run[1].halt = NULL;
    for (size_t i = 0; i < 3; i += 2) {
        struct training alone = {0};
        run_alone("mlp", i, &(struct training_plan){0}, &alone);
        assert_same(i, &alone);
        training_fini(&alone);
    }
}

/* Pauses all three after step 4, together or alone, and goes on with them in the other way. */
static void pause_and_resume(bool fused_first)
{
    const char *params[] = {"{'width': 16, 'dropout': 0.1, 'lr': 0.1}",
                            "{'width': 16, 'dropout': 0.2, 'lr': 0.05, 'momentum': 0}",
                            "{'width': 16, 'dropout': 0.3, 'lr': 0.02, 'ema': 0.9}"};
    char directory[] = "/tmp/gannet-t-fusion-XXXXXX", path[3][64];
    struct training whole[3] = {0}, half[3] = {0};
    assert_non_null(mkdtemp(directory));
    gather_crowd("mlp", params, 3);
    for (size_t i = 0; i < 3; i++) {
        snprintf(path[i], sizeof path[i], "%s/%zu", directory, i);
        run_alone("mlp", i, &(struct training_plan){0}, &whole[i]);
        struct training_plan first = {.checkpoint = path[i], .until = 4, .fresh = true},
                             second = {.checkpoint = path[i], .reached = 4};
        crowd.run[i].plan = fused_first ? first : second;
        run_alone("mlp", i, fused_first ? &(struct training_plan){0} : &first, &half[i]);
    }
    run_crowd();
    assert_int_equal(crowd.most_mates, 3);
    for (size_t i = 0; i < 3; i++) {
        struct training last = {0};
        if (fused_first) {
            assert_int_equal(crowd.run[i].ending, ENDING_PAUSED);
            run_alone("mlp", i, &(struct training_plan){.checkpoint = path[i], .reached = 4}, &last);
            training_fini(&crowd.run[i]);
            crowd.run[i] = last;
        }
        assert_same(i, &whole[i]);
        training_fini(&whole[i]);
        training_fini(&half[i]);
        unlink(path[i]);
    }
    rmdir(directory);
}

static void a_trial_that_was_paused_together_goes_on_alone(void **state)
{
    (void)state;
    pause_and_resume(true);
}

static void a_trial_that_was_paused_alone_goes_on_together(void **state)
{
    (void)state;
    pause_and_resume(false);
}

static void phases_are_the_time_that_passed(void **state)
{
    (void)state;
    const char *params[] = {"{'epochs': 2}", "{'epochs': 2}", "{'epochs': 2}"};
    gather_crowd("logreg", params, 3);
    run_crowd();
    const struct phase_time *one = crowd.run[0].report.phases, *two = crowd.run[1].report.phases;
    static const enum phase told[] = {PHASE_DATA, PHASE_FORWARD, PHASE_BACKWARD, PHASE_UPDATE, PHASE_EVALUATION};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        assert_true(one[told[i]].count > 0 && one[told[i]].count == two[told[i]].count);
        assert_true(one[told[i]].seconds == two[told[i]].seconds);
    }
    assert_int_equal(one[PHASE_WORK].count, 2 * WAITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(logistic_regressions_of_other_numbers_train_together, forget),
        cmocka_unit_test_teardown(networks_of_other_numbers_train_together, forget),
        cmocka_unit_test_teardown(every_optimizer_and_activation_trains_together, forget),
        cmocka_unit_test_teardown(layers_that_are_trusted_by_their_norms_train_together, forget),
        cmocka_unit_test_teardown(trials_of_other_shapes_take_turns, forget),
#ifdef FEW_EXAMPLES
        cmocka_unit_test_teardown(each_has_its_own_precision, forget),
#endif
        cmocka_unit_test_teardown(one_that_diverges_leaves_the_others_alone, forget),
        cmocka_unit_test_teardown(one_that_is_halted_leaves_the_others_alone, forget),
        cmocka_unit_test_teardown(a_trial_that_was_paused_together_goes_on_alone, forget),
        cmocka_unit_test_teardown(a_trial_that_was_paused_alone_goes_on_together, forget),
        cmocka_unit_test_teardown(phases_are_the_time_that_passed, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
