/* Optimizers and schedules, against values worked out by hand or in double precision. */
#include "worker/nn/optimizer.h"
#include "tests/claims.h"
#include "tests/tensors.h"
#include "worker/nn/schedule.h"

#include <math.h>
#include <stdlib.h>

static bool near(double a, double b, double within)
{
    return fabs(a - b) <= within * fmax(1, fabs(b));
}

/* --- optimizers --- */

/* A network of one layer without biases, whose weights are given: its optimizer is what is tested. */
struct learner {
    struct tensors t;
    struct network *network;
    struct optimizer optimizer;
    size_t count;
};

static void make(struct learner *made, const struct optimizer_rule *rule, size_t count, float w)
{
    struct err err;
    const struct layer_setting settings[] = {
        {.kind = &layer_dense, .outputs = 1, .activation = ACTIVATION_NONE, .unbiased = true}, {0}};
    struct tensor shape = tensor_make(TENSOR_F32, 2, (size_t[]){1, count});
    tensors_open(&made->t, &backend_ref, 1);
    made->network = network_create(made->t.backend, TENSOR_F32, &shape, settings, 1, &err);
    made->count = count;
    assert_non_null(made->network);
    assert_int_equal(optimizer_init(&made->optimizer, rule, made->network, &err), 0);
    op_fill(made->t.backend, w, &made->network->plan.parameters[0]->w);
}

static void unmake(struct learner *made)
{
    optimizer_fini(&made->optimizer);
    network_destroy(made->network);
    tensors_close(&made->t);
}

/* One step with this gradient of all weights; the last weight. */
static double step(struct learner *made, float gradient, double lr)
{
    op_fill(made->t.backend, gradient, &made->network->plan.parameters[0]->dw);
    optimizer_update(&made->optimizer, lr);
    double *w = tensors_read(&made->t, &made->network->plan.parameters[0]->w), last = w[made->count - 1];
    for (size_t i = 0; i < made->count; i++) /* every weight has come the same way */
        assert_true(w[i] == last);
    free(w);
    return last;
}

/* Two steps on one weight of 1 with the gradients 1 and then 2; the weight after each. */
static void two_steps(const struct optimizer_rule *rule, double lr, double *after)
{
    struct learner learner;
    make(&learner, rule, 1, 1);
    after[0] = step(&learner, 1, lr);
    after[1] = step(&learner, 2, lr);
    unmake(&learner);
}

static void plain_sgd_goes_down_the_gradient(void **state)
{
    (void)state;
    double w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1, 1e-6) && near(w[1], 0.9 - 0.1 * 2, 1e-6));
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD, .weight_decay = 0.5f}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1.5, 1e-6) && near(w[1], 0.85 - 0.1 * (2 + 0.5 * 0.85), 1e-6));
}

static void momentum_adds_up_velocity(void **state)
{
    (void)state;
    double w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD, .momentum = 0.9f}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 * 1, 1e-6));
    assert_true(near(w[1], 0.9 - 0.1 * (0.9 * 1 + 2), 1e-6));
}

/* Velocities 1 and 2.9: w = 1 - 0.1 (1 + 0.9), then less 0.1 (2 + 0.9 * 2.9). */
static void nesterov_looks_ahead(void **state)
{
    (void)state;
    double w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_SGD, .momentum = 0.9f, .nesterov = true}, 0.1, w);
    assert_true(near(w[0], 0.81, 1e-6) && near(w[1], 0.81 - 0.1 * (2 + 0.9 * 2.9), 1e-6));
}

/* The first step of Adam is lr whatever the gradient; the second by hand:
 * m = (0.9 * 0.1 + 0.1 * 2) / 0.19 = 1.526316, v = (0.999 * 0.001 + 0.001 * 4) / 0.001999 = 2.500750 */
static void adam_scales_by_corrected_moments(void **state)
{
    (void)state;
    struct optimizer_rule rule = {.kind = OPTIMIZER_ADAM, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f};
    double w[2];
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 0.9, 1e-5));
    assert_true(near(w[1], 0.9 - 0.1 * 1.526316 / sqrt(2.500750), 1e-5));
}

static void adamw_decays_weights_beside_the_gradient(void **state)
{
    (void)state;
    struct optimizer_rule rule = {.kind = OPTIMIZER_ADAMW, .beta1 = 0.9f, .beta2 = 0.999f, .epsilon = 1e-8f};
    double w[2];
    rule.weight_decay = 0.5f;
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 1 * (1 - 0.1 * 0.5) - 0.1, 1e-5));
    rule.kind = OPTIMIZER_ADAM; /* here the decay is part of the gradient, whose size does not matter at first */
    two_steps(&rule, 0.1, w);
    assert_true(near(w[0], 0.9, 1e-5));
}

/* v = 0.1, then 0.9 * 0.1 + 0.1 * 4 = 0.49; velocities 1 / sqrt(0.1), then half of that and 2 / 0.7. */
static void rmsprop_scales_by_the_mean_square(void **state)
{
    (void)state;
    double w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_RMSPROP, .rho = 0.9f, .momentum = 0.5f}, 0.1, w);
    assert_true(near(w[0], 1 - 0.1 / sqrt(0.1), 1e-5));
    assert_true(near(w[1], w[0] - 0.1 * (0.5 / sqrt(0.1) + 2 / 0.7), 1e-5));
}

/* With epsilon e: d = sqrt(e) / sqrt(0.1 + e), then 2 sqrt(0.1 d^2 + e) / sqrt(0.49 + e). */
static void adadelta_needs_no_rate(void **state)
{
    (void)state;
    const double e = 0.01, d = sqrt(e) / sqrt(0.1 + e);
    double w[2];
    two_steps(&(struct optimizer_rule){.kind = OPTIMIZER_ADADELTA, .rho = 0.9f, .epsilon = (float)e}, 1, w);
    assert_true(near(w[0], 1 - d, 1e-5));
    assert_true(near(w[1], w[0] - 2 * sqrt(0.1 * d * d + e) / sqrt(0.49 + e), 1e-5));
}

/* The local rate is trust |w| / (|g| + decay |w|): of 0.02 * 1 / (1 + 0.5 * 1) with the gradient 1 + 0.5 * 1. */
static void lars_steps_by_the_size_of_the_weights(void **state)
{
    (void)state;
    double w[2];
    struct optimizer_rule rule = {.kind = OPTIMIZER_LARS, .trust = 0.02f, .weight_decay = 0.5f};
    two_steps(&rule, 1, w);
    assert_true(near(w[0], 1 - 0.02, 1e-6) && near(w[1], 0.98 - 0.02 * 0.98, 1e-6));
}

static void clipping_shortens_the_whole_gradient(void **state)
{
    (void)state;
    struct learner learner;
    make(&learner, &(struct optimizer_rule){.kind = OPTIMIZER_SGD, .clip = 1}, 4, 0);
    assert_true(near(step(&learner, 3, 1), -0.5, 1e-6));      /* four of 3: norm 6, scaled to 1 */
    assert_true(near(step(&learner, 0.25f, 1), -0.75, 1e-6)); /* norm 0.5 stays */
    unmake(&learner);
}

static void the_mean_of_weights_follows_them_and_steps_in_for_them(void **state)
{
    (void)state;
    struct learner learner;
    struct average average;
    struct err err;
    make(&learner, &(struct optimizer_rule){.kind = OPTIMIZER_SGD}, 1, 0);
    /* The mean begins as the weight, 0. */
    assert_int_equal(average_init(&average, 0.5, learner.network, &err), 0);
    step(&learner, -1, 1);    /* the weight is 1 */
    average_update(&average); /* t = 0: decay 1/10 */
    average_update(&average); /* t = 1: decay 2/11 */
    average_enter(&average);
    double *w = tensors_read(&learner.t, &learner.network->plan.parameters[0]->w);
    average_leave(&average);
    double *back = tensors_read(&learner.t, &learner.network->plan.parameters[0]->w);
    assert_true(near(back[0], 1, 1e-6));
    assert_true(near(w[0], 2.0 / 11 * 0.9 + 9.0 / 11, 1e-6));
    free(w);
    free(back);
    average_fini(&average);
    unmake(&learner);
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

/* Counts that fill no register evenly. */
static void long_runs_agree_with_double_precision(void **state)
{
    (void)state;
    enum { STEPS = 200, COUNT = 37 };
    for (int kind = OPTIMIZER_ADAM; kind <= OPTIMIZER_ADAMW; kind++) {
        struct optimizer_rule rule = {.kind = (enum optimizer_kind)kind, .beta1 = 0.9f, .beta2 = 0.99f};
        struct learner learner;
        struct rng rng = rng_make(1, "gradients", 0);
        float gradients[STEPS];
        double w = 0;
        rule.epsilon = 1e-6f;
        rule.weight_decay = 0.1f;
        make(&learner, &rule, COUNT, 0.5f);
        for (int t = 0; t < STEPS; t++) {
            gradients[t] = (float)rng_normal(&rng);
            w = step(&learner, gradients[t], 0.01);
        }
        assert_true(near(w, reference(&rule, 0.01, STEPS, gradients), 1e-4));
        unmake(&learner);
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
    assert_true(schedule_lr(SCHEDULE_COSINE, 2, 199, 100, 0) < 0.001); /* behind its end it does not rise again */
}

static void the_exponential_falls_to_a_hundredth(void **state)
{
    (void)state;
    assert_true(near(schedule_lr(SCHEDULE_EXPONENTIAL, 2, 0, 100, 0), 2, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_EXPONENTIAL, 2, 50, 100, 0), 0.2, 1e-12));
}

static void one_cycle_rises_and_falls(void **state)
{
    (void)state;
    assert_true(near(schedule_lr(SCHEDULE_ONE_CYCLE, 1, 0, 100, 0), 0.04, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_ONE_CYCLE, 1, 15, 100, 0), 0.52, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_ONE_CYCLE, 1, 30, 100, 0), 1, 1e-12));
    assert_true(near(schedule_lr(SCHEDULE_ONE_CYCLE, 1, 65, 100, 0), 0.500002, 1e-9));
    assert_true(schedule_lr(SCHEDULE_ONE_CYCLE, 1, 99, 100, 0) < 0.001);
}

static void a_warm_up_rises_to_the_schedule(void **state)
{
    (void)state;
    for (int s = SCHEDULE_CONSTANT; s <= SCHEDULE_EXPONENTIAL; s++) {
        enum schedule schedule = (enum schedule)s;
        assert_true(near(schedule_lr(schedule, 1, 0, 100, 4), 0.25, 1e-12));
        assert_true(near(schedule_lr(schedule, 1, 3, 100, 4), 1, 1e-12));
        assert_true(near(schedule_lr(schedule, 1, 4, 100, 4), 1, 1e-12));
        assert_true(isfinite(schedule_lr(schedule, 1, 99, 100, 100)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_sgd_goes_down_the_gradient),
        cmocka_unit_test(momentum_adds_up_velocity),
        cmocka_unit_test(nesterov_looks_ahead),
        cmocka_unit_test(rmsprop_scales_by_the_mean_square),
        cmocka_unit_test(adadelta_needs_no_rate),
        cmocka_unit_test(lars_steps_by_the_size_of_the_weights),
        cmocka_unit_test(clipping_shortens_the_whole_gradient),
        cmocka_unit_test(the_mean_of_weights_follows_them_and_steps_in_for_them),
        cmocka_unit_test(adam_scales_by_corrected_moments),
        cmocka_unit_test(adamw_decays_weights_beside_the_gradient),
        cmocka_unit_test(long_runs_agree_with_double_precision),
        cmocka_unit_test(a_constant_schedule_stays),
        cmocka_unit_test(the_step_schedule_falls_at_half_and_three_quarters),
        cmocka_unit_test(the_cosine_falls_from_all_to_nothing),
        cmocka_unit_test(the_exponential_falls_to_a_hundredth),
        cmocka_unit_test(one_cycle_rises_and_falls),
        cmocka_unit_test(a_warm_up_rises_to_the_schedule),
    };
    return cmocka_run_group_tests_name("optimizer", tests, NULL, NULL);
}
