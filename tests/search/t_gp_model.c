/* The Gaussian process itself: gradients against finite differences, growing against starting anew, stable logarithms,
 * and transforms. */
#include "search/gp/acquisition.h"
#include "search/gp/fit.h"
#include "search/gp/linalg.h"
#include "search/gp/minimize.h"
#include "search/gp/transform.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}}, 'k': {'min': 1, 'max': 9}}";

/* Equal but for rounding. */
static void assert_close(double is, double should, double tolerance)
{
    if (!(fabs(is - should) <= tolerance))
        fail_msg("%.17g, not %.17g", is, should);
}

enum { N = 30, WIDTH = 5 };

/* A random set of points of the mixed space, with a depth, and values that follow from them. */
struct scene {
    struct space *space;
    struct gannet_problem problem;
    struct gp_domain domain;
    struct design points;
    double values[N], extra_noises[N];
    double theta[64];
    struct rng rng;
};

static void random_point(struct scene *scene, double *x)
{
    double unit[SPACES_MOST];
    spaces_point(scene->space, &scene->rng, unit);
    domain_scale(&scene->domain, unit, rng_unit(&scene->rng), x);
}

static void scene_init(struct scene *scene, bool warped)
{
    linalg_start();
    scene->space = spaces_make(mixed);
    scene->problem = (struct gannet_problem){.space = space_public(scene->space), .objectives = 1, .max_steps = 81};
    domain_init(&scene->domain, &scene->problem, space_host(scene->space));
    assert_int_equal(scene->domain.width, WIDTH);
    scene->rng = rng_make(1, "scene", 0);
    design_init(&scene->points, WIDTH, N);
    for (int i = 0; i < N; i++) {
        double x[WIDTH];
        random_point(scene, x);
        design_add(&scene->points, x);
        scene->values[i] = sin(5 * x[0]) + (isnan(x[2]) ? 0 : x[2]) + 0.3 * x[4];
        scene->extra_noises[i] = 0.01 * (i % 3);
    }
    for (uint32_t i = 0; i < covariance_size(WIDTH, warped); i++)
        scene->theta[i] = 0.3 * rng_normal(&scene->rng);
    scene->theta[covariance_noise(WIDTH)] = -3;
}

static void scene_fini(struct scene *scene)
{
    design_fini(&scene->points);
    domain_fini(&scene->domain);
    space_destroy(scene->space);
}

/* The naive way beside the one that keeps what both have in common. */
static void slopes_with_what_was_kept_are_those_computed_anew(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    double kept[WIDTH * N], x[WIDTH], slopes[N], mains[2][N] = {{0}}, along[2][N];
    scene_init(&scene, false);
    covariance_init(&covariance, &scene.domain, false);
    covariance_set(&covariance, scene.theta);
    random_point(&scene, x);
    for (int i = 0; i < N; i++)
        slopes[i] = rng_normal(&scene.rng);
    covariance_add_main(&covariance, &scene.points, N, x, NULL, 0, mains[0]);
    covariance_add_main(&covariance, &scene.points, N, x, kept, N, mains[1]);
    assert_memory_equal(mains[0], mains[1], sizeof mains[0]);
    for (uint32_t d = 0; d < WIDTH; d++) {
        covariance_slopes_along(&covariance, &scene.points, N, d, x[d], slopes, NULL, along[0]);
        covariance_slopes_along(&covariance, &scene.points, N, d, x[d], slopes, kept + d * N, along[1]);
        assert_memory_equal(along[0], along[1], sizeof along[0]);
    }
    covariance_fini(&covariance);
    scene_fini(&scene);
}

static void the_gradient_of_the_density_is_that_of_finite_differences(void **state)
{
    (void)state;
    for (int warped = 0; warped < 2; warped++) {
        struct scene scene;
        scene_init(&scene, warped);
        struct fit_data data = {&scene.domain, &scene.points, scene.values, scene.extra_noises, warped};
        double gradient[64], nothing[64];
        fit_value(&data, scene.theta, gradient);
        for (uint32_t i = 0; i < covariance_size(WIDTH, warped); i++) {
            double at = scene.theta[i], step = 1e-5;
            scene.theta[i] = at + step;
            double above = fit_value(&data, scene.theta, nothing);
            scene.theta[i] = at - step;
            double below = fit_value(&data, scene.theta, NULL);
            scene.theta[i] = at;
            assert_close(gradient[i], (above - below) / (2 * step), 1e-5 * (1 + fabs(gradient[i])));
        }
        scene_fini(&scene);
    }
}

static void a_fit_is_no_worse_than_where_it_began(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene, false);
    struct fit_data data = {&scene.domain, &scene.points, scene.values, NULL, false};
    double theta[64];
    double value = fit(&data, theta);
    assert_close(fit_value(&data, theta, NULL), value, 1e-9);
    assert_true(value < fit_value(&data, scene.theta, NULL));
    scene_fini(&scene);
}

/* --- predictions --- */

/* Of the scene's points, in room for `capacity`. */
static void teach(const struct scene *scene, const struct covariance *covariance, struct posterior *posterior,
                  uint32_t capacity)
{
    posterior_init(posterior, covariance, capacity);
    for (uint32_t i = 0; i < N; i++) {
        double x[WIDTH];
        design_get(&scene->points, i, x);
        posterior_add(posterior, x, scene->extra_noises[i]);
    }
    posterior_learn(posterior, scene->values);
}

static void process_init(struct scene *scene, struct covariance *covariance, struct posterior *posterior, bool warped)
{
    scene_init(scene, warped);
    covariance_init(covariance, &scene->domain, warped);
    covariance_set(covariance, scene->theta);
    teach(scene, covariance, posterior, N + 8);
}

static void process_fini(struct scene *scene, struct covariance *covariance, struct posterior *posterior)
{
    posterior_fini(posterior);
    covariance_fini(covariance);
    scene_fini(scene);
}

static void rows_appended_are_those_of_a_fresh_factor(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    struct posterior posterior;
    process_init(&scene, &covariance, &posterior, true);
    double fresh[N * N], row[N], z[WIDTH];
    for (uint32_t i = 0; i < N; i++) {
        design_get(&posterior.z, i, z);
        covariance_values(&covariance, &posterior.z, N, z, row);
        memcpy(fresh + i * N, row, sizeof row);
        fresh[i * N + i] += covariance.noise + scene.extra_noises[i];
    }
    assert_true(linalg_factor(fresh, N, N));
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j <= i; j++)
            assert_close(posterior.factor[i * posterior.stride + j], fresh[i * N + j], 1e-10);
    process_fini(&scene, &covariance, &posterior);
}

enum { ASKED = 70 };

/* What a process says of points: predictions, and of each alone its gradients. */
struct answers {
    double mean[ASKED], variance[ASKED], alone[ASKED][2 + 2 * WIDTH];
};

static void ask_of_all(struct posterior *posterior, const double *rows, struct answers *answers)
{
    posterior_predict(posterior, rows, ASKED, answers->mean, answers->variance);
    for (int i = 0; i < ASKED; i++) {
        double *alone = answers->alone[i];
        posterior_gradient(posterior, rows + i * WIDTH, alone, alone + 1, alone + 2, alone + 2 + WIDTH);
    }
}

/* How much room there is depends on when proposals were asked for, which no replay knows of. */
static void room_for_more_points_changes_no_bit(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    struct posterior posterior;
    struct answers first, roomy;
    double rows[ASKED * WIDTH];
    process_init(&scene, &covariance, &posterior, false);
    for (int i = 0; i < ASKED; i++)
        random_point(&scene, rows + i * WIDTH);
    ask_of_all(&posterior, rows, &first);
    for (uint32_t capacity = N; capacity < N + 40; capacity++) {
        posterior_fini(&posterior);
        teach(&scene, &covariance, &posterior, capacity);
        ask_of_all(&posterior, rows, &roomy);
        if (memcmp(&first, &roomy, sizeof first) != 0)
            fail_msg("room for %d points says something else", (int)capacity);
    }
    process_fini(&scene, &covariance, &posterior);
}

/* The mean square of what a process taught by 25 points of a sum says wrongly elsewhere. */
static double error_of_a_sum(bool main_effects)
{
    enum { DIMENSION = 4, KNOWN = 25, ELSEWHERE = 100 };
    struct domain_axis axes[DIMENSION];
    struct gp_domain domain = {.count = DIMENSION, .width = DIMENSION, .axes = axes, .main_effects = main_effects};
    for (int d = 0; d < DIMENSION; d++)
        axes[d] = (struct domain_axis){.fine = true, .span = 1};
    struct rng rng = rng_make(3, "sum", 0);
    struct design points;
    double values[KNOWN], x[DIMENSION], theta[64], sum = 0;
    design_init(&points, DIMENSION, KNOWN);
    struct covariance covariance;
    struct posterior posterior;
    for (int i = 0; i < KNOWN + ELSEWHERE; i++) {
        double should = 0, mean;
        for (int d = 0; d < DIMENSION; d++)
            should += sin(6 * (x[d] = rng_unit(&rng)) + d) / sqrt(2);
        if (i < KNOWN) {
            values[i] = should;
            design_add(&points, x);
        }
        if (i == KNOWN - 1) {
            fit(&(struct fit_data){&domain, &points, values, NULL, false}, theta);
            covariance_init(&covariance, &domain, false);
            covariance_set(&covariance, theta);
            posterior_init(&posterior, &covariance, KNOWN);
            for (uint32_t k = 0; k < KNOWN; k++) {
                design_get(&points, k, x);
                posterior_add(&posterior, x, 0);
            }
            posterior_learn(&posterior, values);
        }
        if (i < KNOWN)
            continue;
        posterior_predict(&posterior, x, 1, &mean, NULL);
        sum += (mean - should) * (mean - should) / (double)ELSEWHERE;
    }
    posterior_fini(&posterior);
    covariance_fini(&covariance);
    design_fini(&points);
    return sum;
}

static void main_effects_are_learned_from_few_points(void **state)
{
    (void)state;
    linalg_start();
    double with = error_of_a_sum(true), without = error_of_a_sum(false);
    if (!(with < 0.5 * without))
        fail_msg("%g with main effects, %g without", with, without);
}

static void means_where_values_are_known_are_those_predicted(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    struct posterior posterior;
    process_init(&scene, &covariance, &posterior, true);
    for (uint32_t i = 0; i < N; i++) {
        double x[WIDTH], mean;
        design_get(&scene.points, i, x);
        posterior_predict(&posterior, x, 1, &mean, NULL);
        assert_close(posterior_mean(&posterior, i), mean, 1e-9);
    }
    process_fini(&scene, &covariance, &posterior);
}

static void points_that_run_lower_the_variance_and_leave_the_mean(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    struct posterior posterior;
    process_init(&scene, &covariance, &posterior, false);
    double x[WIDTH], mean, variance, mean_after, variance_after;
    random_point(&scene, x);
    posterior_predict(&posterior, x, 1, &mean, &variance);
    posterior_add(&posterior, x, 0);
    posterior_predict(&posterior, x, 1, &mean_after, &variance_after);
    assert_close(mean_after, mean, 1e-12);
    assert_true(variance_after < 0.5 * variance);
    posterior_cut(&posterior, N);
    posterior_predict(&posterior, x, 1, &mean_after, &variance_after);
    assert_close(variance_after, variance, 1e-12);
    process_fini(&scene, &covariance, &posterior);
}

/* Whether a score's gradient by the numbers among the coordinates is that of finite differences. */
static void check_gradient(struct scene *scene, const struct acquisition *acquisition)
{
    for (int round = 0; round < 20; round++) {
        double x[WIDTH], gradient[WIDTH];
        random_point(scene, x);
        acquisition_gradient(acquisition, x, gradient);
        for (uint32_t d = 0; d < WIDTH; d++) {
            double at = x[d], step = 1e-6, above, below;
            if (scene->domain.axes[d].nominal || isnan(at) || at < 0.01 || at > 0.99)
                continue;
            x[d] = at + step;
            acquisition_score(acquisition, x, 1, &above);
            x[d] = at - step;
            acquisition_score(acquisition, x, 1, &below);
            x[d] = at;
            assert_close(gradient[d], (above - below) / (2 * step), 1e-4 * (1 + fabs(gradient[d])));
        }
    }
}

static void gradients_of_scores_are_those_of_finite_differences(void **state)
{
    (void)state;
    struct scene scene;
    struct covariance covariance;
    struct posterior posterior, other;
    process_init(&scene, &covariance, &posterior, true);
    posterior_init(&other, &covariance, N);
    for (uint32_t i = 0; i < N; i++) {
        double x[WIDTH];
        design_get(&scene.points, i, x);
        posterior_add(&other, x, 0.1);
        scene.values[i] = cos(3 * x[0]);
    }
    posterior_learn(&other, scene.values);
    static const double front[] = {-0.5, 0.4, 0.2, -0.3};
    struct acquisition acquisition = {.objectives = 1,
                                      .objective = {&posterior, &other},
                                      .best = -0.5,
                                      .kappa = 1.5,
                                      .weights = {0.7, 0.3},
                                      .low = {-1, -1},
                                      .front = front,
                                      .front_count = 2,
                                      .reference = {1, 1},
                                      .chances = 1,
                                      .chance = {&other},
                                      .blur = {0.1},
                                      .cost = &other,
                                      .cost_scale = 0.5};
    check_gradient(&scene, &acquisition);
    acquisition.kind = ACQUISITION_FEASIBLE;
    check_gradient(&scene, &acquisition);
    acquisition.kind = ACQUISITION_BOUND;
    acquisition.objectives = 2;
    check_gradient(&scene, &acquisition);
    acquisition.kind = ACQUISITION_VOLUME;
    check_gradient(&scene, &acquisition);
    posterior_fini(&other);
    process_fini(&scene, &covariance, &posterior);
}

static void logarithms_of_improvement_are_exact_far_out(void **state)
{
    (void)state;
    /* Computed with 60 digits. */
    static const double table[][2] = {{2, 0.69738441}, {0, -0.91893853}, {-5, -16.74428}};
    for (size_t i = 0; i < 3; i++)
        assert_close(acquisition_log_improvement(table[i][0], NULL), table[i][1], 1e-3);
    double before = INFINITY;
    for (double z = 5; z > -1e6; z -= 0.01 + 0.01 * fabs(z)) {
        double slope, value = acquisition_log_improvement(z, &slope);
        assert_true(isfinite(value) && value < before && slope > 0);
        double step = 1e-6 * (1 + fabs(z));
        double about = (acquisition_log_improvement(z + step, NULL) - acquisition_log_improvement(z - step, NULL)) / 2;
        assert_close(slope * step, about, 1e-4 * fabs(about) + 1e-9);
        before = value;
        value = acquisition_log_chance(z, &slope);
        assert_true(isfinite(value) && value <= 0 && slope >= 0);
    }
}

/* --- transforms --- */

static void a_transform_keeps_the_order_and_tames_what_is_far(void **state)
{
    (void)state;
    double losses[] = {3, 1e18, -2, NAN, 5, 1e300, 0.1, 0.1, -1e300, 4}, values[10];
    transform(losses, 10, values);
    for (int i = 0; i < 10; i++) {
        assert_true(isfinite(values[i]) && fabs(values[i]) < 10);
        for (int j = 0; j < 10; j++) {
            if (losses[i] < losses[j])
                assert_true(values[i] <= values[j]);
            if (isnan(losses[i]) && !isnan(losses[j]))
                assert_true(values[i] > values[j]);
        }
    }
    assert_close(values[6], values[7], 0);
}

static void equal_losses_are_equal_values(void **state)
{
    (void)state;
    double losses[] = {7, 7, 7, 7}, none[] = {NAN, NAN}, values[4];
    transform(losses, 4, values);
    for (int i = 0; i < 4; i++)
        assert_close(values[i], 0, 1e-12);
    transform(none, 2, values);
    assert_true(isfinite(values[0]) && values[0] == values[1]);
}

/* --- the minimiser --- */

static double valley(void *context, const double *x, double *gradient)
{
    (void)context;
    double a = x[1] - x[0] * x[0], b = 1 - x[0];
    gradient[0] = -400 * a * x[0] - 2 * b;
    gradient[1] = 200 * a;
    return 100 * a * a + b * b;
}

static void a_minimum_is_found_inside_the_box_and_at_its_edge(void **state)
{
    (void)state;
    static const double low[] = {-2, -2}, high[] = {2, 2}, narrow[] = {0.5, 2};
    double x[] = {-1.2, 1};
    struct minimize problem = {valley, NULL, 2, low, high, 200, 0};
    assert_close(minimize(&problem, x), 0, 1e-8);
    double edge[] = {-1.2, 1};
    problem.high = narrow;
    assert_close(minimize(&problem, edge), 0.25, 1e-6);
    assert_close(edge[0], 0.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_with_what_was_kept_are_those_computed_anew),
        cmocka_unit_test(the_gradient_of_the_density_is_that_of_finite_differences),
        cmocka_unit_test(a_fit_is_no_worse_than_where_it_began),
        cmocka_unit_test(rows_appended_are_those_of_a_fresh_factor),
        cmocka_unit_test(room_for_more_points_changes_no_bit),
        cmocka_unit_test(main_effects_are_learned_from_few_points),
        cmocka_unit_test(means_where_values_are_known_are_those_predicted),
        cmocka_unit_test(points_that_run_lower_the_variance_and_leave_the_mean),
        cmocka_unit_test(gradients_of_scores_are_those_of_finite_differences),
        cmocka_unit_test(logarithms_of_improvement_are_exact_far_out),
        cmocka_unit_test(a_transform_keeps_the_order_and_tames_what_is_far),
        cmocka_unit_test(equal_losses_are_equal_values),
        cmocka_unit_test(a_minimum_is_found_inside_the_box_and_at_its_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
