/* Optimizers, schedules and the loss, against values worked out by hand or in double precision. */
#include "worker/kernels/optimizer.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/kernels/loss.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b, double within)
{
    return fabs(a - b) <= within * fmax(1, fabs(b));
}

/* --- optimizers --- */

/* Two steps on one weight with the gradients 1 and then 2; the weight after each. */
static void two_steps(const struct optimizer_rule *rule, double lr, float *after)
{
    struct optimizer optimizer;
    float w = 1;
    optimizer_init(&optimizer, rule, 1);
    for (int i = 0; i < 2; i++) {
        float gradient = (float)(i + 1);
        optimizer_update(&optimizer, lr, &w, &gradient);
        after[i] = w;
    }
    optimizer_fini(&optimizer);
}

static void plain_sgd_goes_down_the_gradient(void **state)
{
    (void)state;
    float w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1, 1e-6) && near(w[1], 0.9 - 0.1 * 2, 1e-6));
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD, .weight_decay = 0.5f}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1.5, 1e-6) && near(w[1], 0.85 - 0.1 * (2 + 0.5 * 0.85), 1e-6));
}

static void momentum_adds_up_velocity(void **state)
{
    (void)state;
    float w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD, .momentum = 0.9f}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1, 1e-6));
    assert_true(near(w[1], 0.9 - 0.1 * (0.9 * 1 + 2), 1e-6));
}

/* The first step of Adam is lr whatever the gradient; the second by hand:
 * m = (0.9 * 0.1 + 0.1 * 2) / 0.19 = 1.526316, v = (0.999 * 0.001 + 0.001 * 4) / 0.001999 = 2.500750 */
static void adam_scales_by_corrected_moments(void **state)
{
    (void)state;
    struct optimizer_rule rule = {.kind = OPTIMIZER_ADAM, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f};
    float w[2];
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 0.9, 1e-5));
    assert_true(near(w[1], 0.9 - 0.1 * 1.526316 / sqrt(2.500750), 1e-5));
}

static void adamw_decays_weights_beside_the_gradient(void **state)
{
    (void)state;
    struct optimizer_rule rule = {.kind = OPTIMIZER_ADAMW, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f};
    float w[2];
    rule.weight_decay = 0.5f;
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 1 * (1 - 0.1 * 0.5) - 0.1, 1e-5));
    rule.kind = OPTIMIZER_ADAM; /* here the decay is part of the gradient, whose size does not matter at first */
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 0.9, 1e-5));
}

/* One weight of Adam and AdamW in double precision, as the papers' algorithms have it. */
static double reference(const struct optimizer_rule *rule, double lr, int steps, const float *gradients)
{
    double w = 0.5, m = 0, v = 0, b1 = rule->beta1, b2 = rule->beta2;
    for (int t = 1; t <= steps; t++) {
        double g = gradients[t - 1] + (rule->kind == OPTIMIZER_ADAM ? rule->weight_decay * w : 0);
        m = b1 * m + (1 - b1) * g;
        v = b2 * v + (1 - b2) * g * g;
        w -= rule->kind == OPTIMIZER_ADAMW ? lr * rule->weight_decay * w : 0;
        w -= lr * m / (1 - pow(b1, t)) / (sqrt(v / (1 - pow(b2, t))) + rule->epsilon);
    }
    return w;
}

/* Counts that fill no register evenly; every weight of the array must have come the same way. */
static void long_runs_agree_with_double_precision(void **state)
{
    (void)state;
    enum { STEPS = 200, COUNT = 37 };
    for (int kind = OPTIMIZER_ADAM; kind <= OPTIMIZER_ADAMW; kind++) {
        struct optimizer_rule rule = {(enum optimizer_kind)kind, 0, 0.9f, 0.99f, 1e-6f, 0.1f};
        struct optimizer optimizer;
        float w[COUNT], dw[COUNT], gradients[STEPS];
        struct rng rng = rng_make(1, "gradients", 0);
        optimizer_init(&optimizer, &rule, COUNT);
        for (int i = 0; i < COUNT; i++)
            w[i] = 0.5f;
        for (int t = 0; t < STEPS; t++) {
            gradients[t] = (float)rng_normal(&rng);
            for (int i = 0; i < COUNT; i++)
                dw[i] = gradients[t];
            optimizer_update(&optimizer, 0.01, w, dw);
        }
        double wanted = reference(&rule, 0.01, STEPS, gradients);
        for (int i = 0; i < COUNT; i++)
            assert_true(near(w[i], wanted, 1e-4));
        optimizer_fini(&optimizer);
    }
}

/* --- schedules --- */

static void a_constant_schedule_stays(void **state)
{
    (void)state;
    for (int64_t at = 0; at < 10; at++)
        assert_true(schedule_lr(SCHEDULE_CONSTANT, 0.3, at, 10, 0) == 0.3);
}

static void the_step_schedule_falls_at_half_and_three_quarters(void **state)
{
    (void)state;
    assert_true(schedule_lr(SCHEDULE_STEP, 1, 49, 100, 0) == 1);
    assert_true(near(schedule_lr(SCHEDULE_STEP, 1, 50, 100, 0), 0.1, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_STEP, 1, 74, 100, 0), 0.1, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_STEP, 1, 75, 100, 0), 0.01, 1e-12));
}

static void the_cosine_falls_from_all_to_nothing(void **state)
{
    (void)state;
    assert_true(near(schedule_lr(SCHEDULE_COSINE, 2, 0, 100, 0), 2, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_COSINE, 2, 50, 100, 0), 1, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_COSINE, 2, 25, 100, 0), 1 + sqrt(0.5), 1e-12));
    assert_true(schedule_lr(SCHEDULE_COSINE, 2, 99, 100, 0) < 0.001);
}

static void a_warm_up_rises_to_the_schedule(void **state)
{
    (void)state;
    for (int s = SCHEDULE_CONSTANT; s <= SCHEDULE_COSINE; s++) {
        enum schedule schedule = (enum schedule)s;
        assert_true(near(schedule_lr(schedule, 1, 0, 100, 4), 0.25, 1e-12));
        assert_true(near(schedule_lr(schedule, 1, 3, 100, 4), 1, 1e-12));
        assert_true(near(schedule_lr(schedule, 1, 4, 100, 4), 1, 1e-12));
        assert_true(isfinite(schedule_lr(schedule, 1, 99, 100, 100)));
    }
}

/* --- loss --- */

static void equal_outputs_lose_the_logarithm_of_the_classes(void **state)
{
    (void)state;
    const float z[] = {3, 3, 3, 3, -1, -1, -1, -1};
    const int32_t labels[] = {0, 2};
    float dz[8];
    struct loss loss = {0};
    loss_add(&loss, 2, 4, z, labels, dz);
    assert_true(near(loss_mean(&loss), log(4), 1e-6));
    assert_true(near(loss_accuracy(&loss), 0.5, 1e-12)); /* of equal outputs the first counts */
    assert_true(near(dz[0], (0.25 - 1) / 2, 1e-6) && near(dz[1], 0.25 / 2, 1e-6));
}

static void large_outputs_do_not_overflow(void **state)
{
    (void)state;
    const float z[] = {1000, -1000, 1000, -1000};
    const int32_t labels[] = {0, 1};
    float dz[4];
    struct loss loss = {0};
    loss_add(&loss, 2, 2, z, labels, dz);
    assert_true(near(loss_mean(&loss), 1000, 1e-6));
    assert_true(dz[0] == 0 && dz[3] == -0.5f);
}

static void the_gradient_of_the_loss_agrees_with_finite_differences(void **state)
{
    (void)state;
    enum { B = 3, C = 5 };
    float z[B * C], dz[B * C];
    const int32_t labels[B] = {4, 0, 2};
    struct rng rng = rng_make(2, "outputs", 0);
    for (int i = 0; i < B * C; i++)
        z[i] = (float)rng_normal(&rng);
    struct loss loss = {0};
    loss_add(&loss, B, C, z, labels, dz);
    for (int i = 0; i < B * C; i++) {
        struct loss up = {0}, down = {0};
        float kept = z[i], h = 1e-2f;
        z[i] = kept + h;
        loss_add(&up, B, C, z, labels, NULL);
        z[i] = kept - h;
        loss_add(&down, B, C, z, labels, NULL);
        z[i] = kept;
        assert_true(fabs((loss_mean(&up) - loss_mean(&down)) / (2 * (double)h) - dz[i]) < 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_sgd_goes_down_the_gradient),
        cmocka_unit_test(momentum_adds_up_velocity),
        cmocka_unit_test(adam_scales_by_corrected_moments),
        cmocka_unit_test(adamw_decays_weights_beside_the_gradient),
        cmocka_unit_test(long_runs_agree_with_double_precision),
        cmocka_unit_test(a_constant_schedule_stays),
        cmocka_unit_test(the_step_schedule_falls_at_half_and_three_quarters),
        cmocka_unit_test(the_cosine_falls_from_all_to_nothing),
        cmocka_unit_test(a_warm_up_rises_to_the_schedule),
        cmocka_unit_test(equal_outputs_lose_the_logarithm_of_the_classes),
        cmocka_unit_test(large_outputs_do_not_overflow),
        cmocka_unit_test(the_gradient_of_the_loss_agrees_with_finite_differences),
    };
    return cmocka_run_group_tests_name("optimizer", tests, NULL, NULL);
}
