/* What the Gaussian process is taught and what that costs, counted: rows of factors, points, fits. */
#include "search/gp/linalg.h"
#include "search/gp/propose.h"
#include "search/gp/transform.h"
#include "tests/claims.h"
#include "tests/spaces.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 2 };

/* A history in a square, and the model that learns it. */
struct scene {
    struct space *space;
    struct gannet_problem problem;
    struct gp_domain domain;
    struct history *history;
    struct visited taken;
    struct gp_model model;
    struct rng rng;
    uint64_t trials;
};

static void scene_init(struct scene *scene, uint32_t limits)
{
    linalg_start();
    *scene = (struct scene){.rng = rng_make(1, "scene", 0)};
    scene->space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}");
    scene->problem = (struct gannet_problem){.space = space_public(scene->space), .objectives = 1, .limits = limits};
    domain_init(&scene->domain, &scene->problem, space_host(scene->space));
    scene->history = history_create(&scene->problem, 0);
    visited_init(&scene->taken, scene->problem.space);
    struct model_settings settings = {.transform = true, .pending = true, .failures_bad = true};
    model_init(&scene->model, &scene->problem, &scene->domain, &settings);
}

static void scene_fini(struct scene *scene)
{
    model_fini(&scene->model);
    visited_fini(&scene->taken);
    history_destroy(scene->history);
    domain_fini(&scene->domain);
    space_destroy(scene->space);
}

static double loss_at(const double *unit)
{
    return sin(5 * unit[0]) + unit[1];
}

static void random_unit(struct scene *scene, double *unit)
{
    unit[0] = rng_unit(&scene->rng);
    unit[1] = rng_unit(&scene->rng);
}

static void tell(struct scene *scene, const double *unit, double loss, double violation)
{
    struct gannet_outcome_of_trial told = {
        .trial = ++scene->trials, .unit = unit, .loss = loss, .losses = &loss, .violation = &violation, .energy = NAN};
    history_tell(scene->history, &told);
}

static void tell_random(struct scene *scene, int count)
{
    double unit[WIDTH];
    for (int i = 0; i < count; i++) {
        random_unit(scene, unit);
        tell(scene, unit, loss_at(unit), 0);
    }
}

static void learn_experiments(struct scene *scene, uint32_t sources, int trials)
{
    double unit[WIDTH];
    for (uint32_t s = 0; s < sources; s++)
        for (int i = 0; i < trials; i++) {
            random_unit(scene, unit);
            history_learn(scene->history, &(struct gannet_past){.source = s, .unit = unit, .loss = 3 * loss_at(unit)});
        }
}

/* One ask of a search with this random number; the rows of the factor that it made are returned. */
static uint64_t ask(struct scene *scene, uint64_t random, double *unit)
{
    uint64_t before = scene->model.surrogates[0].added;
    struct propose question = {.model = &scene->model,
                               .history = scene->history,
                               .taken = &scene->taken,
                               .aim = PROPOSE_IMPROVEMENT,
                               .random = random};
    assert_true(propose(&question, unit));
    return scene->model.surrogates[0].added - before;
}

/* --- earlier experiments --- */

static void a_new_trial_is_one_row_of_the_factor_whatever_was_learned_of_earlier_experiments(void **state)
{
    (void)state;
    static const uint32_t sources[] = {0, 1, 10, 60};
    for (int i = 0; i < 4; i++) {
        struct scene scene;
        double unit[WIDTH];
        scene_init(&scene, 0);
        learn_experiments(&scene, sources[i], 120);
        tell_random(&scene, 30);
        model_set_aside(&scene.model, scene.history);
        ask(&scene, 1, unit);
        ask(&scene, 2, unit); /* has room now */
        for (uint64_t n = 3; n < 8; n++) {
            tell_random(&scene, 1);
            assert_int_equal(ask(&scene, n, unit), 1);
        }
        assert_int_equal(scene.model.surrogates[0].fits, 1);
        scene_fini(&scene);
    }
}

static void the_points_of_a_factor_are_bounded_whatever_the_history(void **state)
{
    (void)state;
    struct scene scene;
    double unit[WIDTH];
    scene_init(&scene, 0);
    learn_experiments(&scene, 60, 120);
    tell_random(&scene, 700);
    model_set_aside(&scene.model, scene.history);
    assert_true(scene.model.aside.points.count + PAST_JOINING <= 300);
    ask(&scene, 1, unit);
    assert_true(model_past_count(&scene.model, 0) > 0 && model_past_count(&scene.model, 0) <= PAST_JOINING);
    assert_true(scene.model.surrogates[0].posterior.z.count <= 500);
    uint32_t kept = 0;
    for (uint32_t s = 0; s < scene.model.past.count; s++)
        kept += scene.model.past.sources[s].points.count;
    assert_true(scene.model.past.count <= PAST_SOURCES && kept <= PAST_KEPT);
    scene_fini(&scene);
}

/* --- trials that run --- */

static void a_trial_that_runs_lowers_the_variance_where_it_runs(void **state)
{
    (void)state;
    struct scene scene;
    double unit[WIDTH], there[] = {0.73, 0.41}, before, after, mean;
    scene_init(&scene, 0);
    tell_random(&scene, 12);
    model_set_aside(&scene.model, scene.history);
    ask(&scene, 1, unit);
    posterior_predict(&scene.model.surrogates[0].posterior, there, 1, &mean, &before);
    history_note(scene.history, 1000, there);
    ask(&scene, 1, unit);
    posterior_predict(&scene.model.surrogates[0].posterior, there, 1, &mean, &after);
    assert_true(after < 0.5 * before);
    scene_fini(&scene);
}

/* --- what a trial costs --- */

/* The column of costs of a history whose first `measured` trials of 4 have joules. */
static void costs_of(int measured, double *out)
{
    struct scene scene;
    struct trial_sample sample;
    scene_init(&scene, 0);
    for (int i = 0; i < 4; i++) {
        double unit[WIDTH] = {0.1 * i, 0.5}, loss = i;
        history_tell(scene.history, &(struct gannet_outcome_of_trial){.trial = (uint64_t)i + 1,
                                                                      .unit = unit,
                                                                      .loss = loss,
                                                                      .losses = &loss,
                                                                      .seconds = exp(i),
                                                                      .energy = i < measured ? exp(10 + i) : NAN});
    }
    sample_init(&sample, scene.history, &scene.problem, &scene.domain, SAMPLE_ENERGY, 10, NULL, NULL);
    for (uint32_t i = 0; i < 4; i++)
        out[i] = sample_column(&sample, 1)[i];
    sample_fini(&sample);
    scene_fini(&scene);
}

static void joules_are_the_cost_once_half_of_the_trials_have_them_and_time_is_before(void **state)
{
    (void)state;
    double costs[4];
    costs_of(2, costs);
    assert_true(fabs(costs[0] - 10) < 1e-9 && fabs(costs[1] - 11) < 1e-9);
    assert_true(isnan(costs[2]) && isnan(costs[3]));
    costs_of(1, costs);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(costs[i] - i) < 1e-9);
}

/* --- long histories --- */

/* Mean and variance of the first coordinate of what was learned. */
static void measure(const struct surrogate *surrogate, double *mean, double *variance)
{
    uint32_t n = surrogate->posterior.known;
    double sum = 0, squares = 0, x[WIDTH];
    for (uint32_t i = 0; i < n; i++) {
        design_get(&surrogate->points, i, x);
        sum += x[0] / n;
        squares += x[0] * x[0] / n;
    }
    *mean = sum;
    *variance = squares - sum * sum;
}

/* Losses are chance, lower by 1 on the right, where the limit is broken: so the good trials lie anywhere on the left.
 */
static void of_a_long_history_most_proposals_look_at_a_region_that_keeps_the_limits(void **state)
{
    (void)state;
    enum { ASKS = 40 };
    struct scene scene;
    double unit[WIDTH], mean, variance;
    int regions = 0;
    scene_init(&scene, 1);
    for (int i = 0; i < 1500; i++) {
        random_unit(&scene, unit);
        bool right = unit[0] > 0.5;
        tell(&scene, unit, rng_unit(&scene.rng) - right, right ? 1 : -1);
    }
    model_set_aside(&scene.model, scene.history);
    ask(&scene, 1, unit);
    for (uint64_t n = 0; n < ASKS; n++) {
        ask(&scene, n + 2, unit);
        measure(&scene.model.surrogates[0], &mean, &variance);
        if (variance > 0.067) /* 0.072 where the sample is of the whole space */
            continue;
        regions++;
        assert_true(mean < 0.55);
    }
    assert_true(regions > ASKS / 2 && regions < ASKS);
    scene_fini(&scene);
}

/* --- sizes of values --- */

static void losses_of_any_size_keep_their_distances(void **state)
{
    (void)state;
    static const double sizes[] = {1e-300, 1e-13, 1e-7, 1, 1e9, 1e300}, offsets[] = {0, 1000};
    for (int i = 0; i < 6; i++)
        for (int o = 0; o < 2; o++) {
            double losses[] = {1, 2, 4, NAN, 3}, values[5];
            for (int k = 0; k < 5; k++)
                losses[k] = sizes[i] * (losses[k] + offsets[o]);
            transform_plain(losses, 5, values);
            assert_true(fabs((values[2] - values[1]) / (values[1] - values[0]) - 2) < 1e-6);
            assert_true(fabs(values[2] - values[0] - 3 / sqrt(1.25)) < 1e-6);
            assert_true(values[3] > values[2]);
        }
}

static void losses_that_differ_by_rounding_are_one(void **state)
{
    (void)state;
    double values[] = {1e6, 1e6 + 1e-10, 1e6 - 1e-10, 1e6};
    transform_plain(values, 4, values);
    for (int i = 0; i < 4; i++)
        assert_true(values[i] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_trial_is_one_row_of_the_factor_whatever_was_learned_of_earlier_experiments),
        cmocka_unit_test(the_points_of_a_factor_are_bounded_whatever_the_history),
        cmocka_unit_test(a_trial_that_runs_lowers_the_variance_where_it_runs),
        cmocka_unit_test(joules_are_the_cost_once_half_of_the_trials_have_them_and_time_is_before),
        cmocka_unit_test(of_a_long_history_most_proposals_look_at_a_region_that_keeps_the_limits),
        cmocka_unit_test(losses_of_any_size_keep_their_distances),
        cmocka_unit_test(losses_that_differ_by_rounding_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
