/* Gradients that are scaled on the way back: the weights come the same way as without, what overflows is skipped, and
 * the factor follows. */
#include "worker/nn/loss_scale.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"
#include "tests/tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

/* --- the operation --- */

static int32_t scaled(struct tensors *t, float *numbers, size_t count, float factor, double **out)
{
    struct tensor x = tensors_given(t, numbers, S(count)), finite = tensors_whole(t, 1, 1);
    int32_t all;
    op_scale(t->backend, factor, &x, &finite);
    op_download(t->backend, &finite, &all);
    *out = tensors_read(t, &x);
    return all;
}

/* Counts that fill no register evenly, and one bad number at each place. */
static void every_number_is_scaled_and_looked_at(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    const float bad[] = {INFINITY, -INFINITY, NAN, -NAN, 2e38f};
    for (size_t k = 0; backend_list[k]; k++)
        for (size_t i = 0; i < COUNT; i++) {
            struct tensors t;
            float numbers[COUNT];
            double *out;
            tensors_open(&t, backend_list[k], 1);
            for (size_t n = 0; n < COUNT; n++)
                numbers[n] = (float)n - 18;
            assert_int_equal(scaled(&t, numbers, i + 1, 0.5f, &out), 1);
            assert_true(out[i] == 0.5 * ((double)i - 18));
            free(out);
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                numbers[i] = bad[b];
                assert_int_equal(scaled(&t, numbers, COUNT, 2, &out), 0);
                assert_true(out[(i + 1) % COUNT] == 2 * ((double)((i + 1) % COUNT) - 18));
                free(out);
            }
            assert_int_equal(t.backend->counts[OPERATION_scale].calls, 1 + sizeof bad / sizeof *bad);
            tensors_close(&t);
        }
}

/* --- the rule --- */

struct learner {
    struct tensors t;
    struct network *network;
    struct loss_scale scale;
};

static void make(struct learner *made, const struct loss_scale_rule *rule)
{
    struct err err;
    const struct layer_setting layers[] = {
        {.kind = &layer_dense, .outputs = 1, .activation = ACTIVATION_NONE, .unbiased = true}, {0}};
    struct tensor shape = tensor_make(TENSOR_F32, 2, (size_t[]){1, 4});
    tensors_open(&made->t, &backend_ref, 1);
    made->network = network_create(made->t.backend, TENSOR_F32, &shape, layers, 1, &err);
    assert_non_null(made->network);
    assert_int_equal(loss_scale_init(&made->scale, rule, made->network, &err), 0);
}

static void unmake(struct learner *made)
{
    loss_scale_fini(&made->scale);
    network_destroy(made->network);
    tensors_close(&made->t);
}

/* A way back that leaves this gradient; whether it may be used. */
static bool take(struct learner *made, float gradient)
{
    op_fill(made->t.backend, gradient, &made->network->gradients);
    return loss_scale_undo(&made->scale);
}

static double first_gradient(struct learner *made)
{
    double *gradients = tensors_read(&made->t, &made->network->gradients), first = gradients[0];
    free(gradients);
    return first;
}

static void the_way_back_computes_with_larger_gradients(void **state)
{
    (void)state;
    struct learner learner;
    make(&learner, &(struct loss_scale_rule){LOSS_SCALE_STATIC, 1024, 1});
    struct tensor x = tensors_given(&learner.t, (float[]){1, 2, 3, 4}, S(1, 4)),
                  dy = tensors_given(&learner.t, (float[]){0.5f}, S(1, 1));
    network_forward(learner.network, &x, true);
    network_backward(learner.network, &x, &dy);
    assert_true(first_gradient(&learner) == 512);
    assert_true(loss_scale_undo(&learner.scale));
    assert_true(first_gradient(&learner) == 0.5);
    unmake(&learner);
}

static void without_a_rule_nothing_is_done(void **state)
{
    (void)state;
    struct learner learner;
    make(&learner, &(struct loss_scale_rule){LOSS_SCALE_NONE, 1024, 1});
    assert_true(take(&learner, INFINITY) && learner.network->larger == 1);
    assert_int_equal(learner.t.backend->counts[OPERATION_scale].calls, 0);
    unmake(&learner);
}

static void a_static_factor_stays(void **state)
{
    (void)state;
    struct learner learner;
    make(&learner, &(struct loss_scale_rule){LOSS_SCALE_STATIC, 1000, 1});
    for (int i = 0; i < 5; i++)
        assert_true(take(&learner, 1) && learner.scale.factor == 1000);
    assert_false(take(&learner, INFINITY));
    assert_true(learner.scale.factor == 1000 && learner.network->larger == 1000);
    unmake(&learner);
}

static void a_dynamic_factor_is_halved_by_an_overflow_and_doubled_after_a_stretch(void **state)
{
    (void)state;
    struct learner learner;
    make(&learner, &(struct loss_scale_rule){LOSS_SCALE_DYNAMIC, 64, 3});
    assert_true(take(&learner, 1) && take(&learner, 1));
    assert_false(take(&learner, NAN)); /* the stretch begins anew */
    assert_true(learner.scale.factor == 32 && learner.network->larger == 32);
    assert_true(take(&learner, 1) && take(&learner, 1) && learner.scale.factor == 32);
    assert_true(take(&learner, 1) && learner.scale.factor == 64 && learner.network->larger == 64);
    for (int i = 0; i < 3 * 40; i++)
        assert_true(take(&learner, 1));
    assert_true(learner.scale.factor == 16777216); /* and no further */
    unmake(&learner);
}

static void a_long_run_of_overflows_is_a_divergence(void **state)
{
    (void)state;
    struct learner learner;
    struct err err;
    make(&learner, &(struct loss_scale_rule){LOSS_SCALE_DYNAMIC, 1e38, 3});
    for (int i = 1; i <= LOSS_SCALE_MOST_SKIPPED; i++) {
        assert_int_equal(loss_scale_check(&learner.scale, &err), 0);
        assert_false(take(&learner, INFINITY));
        assert_true(learner.scale.factor > 0);
    }
    assert_int_equal(loss_scale_check(&learner.scale, &err), -1);
    assert_has(err.text, "gradients were not finite in 64 batches in a row");
    assert_true(take(&learner, 1));
    assert_int_equal(loss_scale_check(&learner.scale, &err), 0);
    unmake(&learner);
}

/* What one has saved, with its first number changed unless it is 0, is loaded by the other; whether all was well. */
static bool hand_over(const struct learner *from, struct learner *to, double first)
{
    struct err err;
    FILE *file = tmpfile();
    struct pack_writer out = {.file = file};
    loss_scale_save(&from->scale, &out);
    rewind(file);
    if (first != 0)
        fwrite(&first, sizeof first, 1, file);
    rewind(file);
    struct pack_reader in = {.file = file, .left = out.length};
    loss_scale_load(&to->scale, &in);
    fclose(file);
    return pack_end(&in, &err) == 0;
}

static void a_loaded_factor_goes_on(void **state)
{
    (void)state;
    struct learner one, other, still;
    make(&one, &(struct loss_scale_rule){LOSS_SCALE_DYNAMIC, 64, 2});
    make(&other, &(struct loss_scale_rule){LOSS_SCALE_DYNAMIC, 1024, 2});
    make(&still, &(struct loss_scale_rule){LOSS_SCALE_STATIC, 1024, 2});
    assert_false(take(&one, INFINITY));
    assert_true(take(&one, 1) && one.scale.factor == 32);
    assert_true(hand_over(&one, &other, 0));
    assert_true(other.network->larger == 32 && take(&other, 1) && other.network->larger == 64);
    assert_true(hand_over(&one, &still, 0)); /* of another rule */
    assert_true(still.network->larger == 1024 && still.scale.factor == 1024);
    assert_false(hand_over(&one, &other, -1));
    assert_false(hand_over(&one, &other, NAN));
    assert_true(other.scale.factor == 64);
    unmake(&one);
    unmake(&other);
    unmake(&still);
}

/* --- trials --- */

static struct tried train(const char *params)
{
    return try_trial(
        &(struct trial_text){"mlp", "val_loss", "{'data': 'examples/data/digits.csv', 'epochs': 3}", params, 1, 1});
}

/* A power of two moves no bit of a mantissa. */
static void a_factor_that_overflows_nowhere_changes_no_bit(void **state)
{
    (void)state;
    struct tried plain = train("{'clip': 0.5}");
    static const char *const scaled[] = {
        "{'clip': 0.5, 'loss_scale': 'static', 'loss_scale_factor': 1024}",
        "{'clip': 0.5, 'loss_scale': 'dynamic', 'loss_scale_factor': 4, 'loss_scale_interval': 5}"};
    for (int i = 0; i < 2; i++) {
        struct tried tried = train(scaled[i]);
        assert_int_equal(tried.run.ending, ENDING_COMPLETED);
        assert_int_equal(tried.run.sample_count, plain.run.sample_count);
        for (uint32_t n = 0; n < plain.run.sample_count; n++)
            assert_true(tried.run.samples[n].value == plain.run.samples[n].value);
        tried_fini(&tried);
    }
    tried_fini(&plain);
}

/* Weights of 0 give each class a tenth: a gradient of 0.9 x 1e38 times a pixel of 16 is infinite for every example. */
static void a_trial_whose_gradients_overflow_skips_or_diverges(void **state)
{
    (void)state;
    static const char options[] =
        "{'data': 'examples/data/digits.csv', 'scaling': 'none', 'epochs': 1, 'batch': 1, 'lr': 0.001}";
    const char *params[] = {"{'loss_scale': 'static', 'loss_scale_factor': 1e38}",
                            "{'loss_scale': 'dynamic', 'loss_scale_factor': 1e38}", "{}"};
    struct tried tried[3];
    for (int i = 0; i < 3; i++)
        tried[i] = try_trial(&(struct trial_text){"logreg", "val_loss", options, params[i], 1, 1});
    assert_int_equal(tried[0].run.ending, ENDING_DIVERGED);
    assert_has(tried[0].run.detail.text, "batches in a row, the last with a loss scale of 1e+38");
    assert_int_equal(tried[1].run.ending, ENDING_COMPLETED);
    assert_true(tried_last(&tried[1], "train_loss") != tried_last(&tried[2], "train_loss"));
    assert_true(fabs(tried_last(&tried[1], "train_loss") - tried_last(&tried[2], "train_loss")) < 0.05);
    for (int i = 0; i < 3; i++)
        tried_fini(&tried[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_scaled_and_looked_at),
        cmocka_unit_test(the_way_back_computes_with_larger_gradients),
        cmocka_unit_test(without_a_rule_nothing_is_done),
        cmocka_unit_test(a_static_factor_stays),
        cmocka_unit_test(a_dynamic_factor_is_halved_by_an_overflow_and_doubled_after_a_stretch),
        cmocka_unit_test(a_long_run_of_overflows_is_a_divergence),
        cmocka_unit_test(a_loaded_factor_goes_on),
        cmocka_unit_test(a_factor_that_overflows_nowhere_changes_no_bit),
        cmocka_unit_test(a_trial_whose_gradients_overflow_skips_or_diverges),
    };
    return cmocka_run_group_tests_name("loss_scale", tests, NULL, NULL);
}
