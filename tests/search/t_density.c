/* Densities over mixed and conditional spaces: they are densities, they are the mixture that they claim to be, and
 * points are drawn from them. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "search/parzen/density.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 12, DRAWS = 40000 };

static const char *const mixed = "{'x': {'min': 0.0, 'max': 1.0}, 'opt': ['sgd', 'adam', 'lamb'],"
                                 " 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'sgd'}},"
                                 " 'k': {'min': 1, 'max': 9, 'log': true}, 'many': {'min': 1, 'max': 1000}}";

/* A density of random points of a space. */
struct scene {
    struct space *space;
    struct density *density;
    uint32_t dimension;
    struct rng rng;
    double points[POINTS][SPACES_MOST];
};

static struct scene scene_make(const char *text, uint32_t count)
{
    struct scene scene = {.space = spaces_make(text), .rng = rng_make(7, "density", count)};
    const double *points[POINTS];
    double weights[POINTS];
    for (uint32_t i = 0; i < count; i++) {
        spaces_point(scene.space, &scene.rng, scene.points[i]);
        points[i] = scene.points[i];
        weights[i] = 1 + i % 3;
    }
    scene.dimension = space_dimension(scene.space);
    scene.density = density_create(space_public(scene.space), space_host(scene.space));
    struct density_sample sample = {.points = points, .weights = weights, .count = count, .prior = 1, .breadth = 1};
    density_fit(scene.density, &sample);
    return scene;
}

static void scene_end(struct scene *scene)
{
    density_destroy(scene->density);
    space_destroy(scene->space);
}

/* A random point as the space itself draws them. */
static void draw_evenly(struct scene *scene, double *unit)
{
    for (uint32_t d = 0; d < scene->dimension; d++)
        unit[d] = rng_unit(&scene->rng);
    space_snap(scene->space, unit);
}

static void the_mean_density_of_the_space_is_one(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= POINTS; count += 4) {
        struct scene scene = scene_make(mixed, count);
        double unit[SPACES_MOST], sum = 0;
        for (int i = 0; i < DRAWS; i++) {
            draw_evenly(&scene, unit);
            sum += exp(density_log(scene.density, unit));
        }
        assert_float_equal(sum / (float)DRAWS, 1, 0.1); /* the densities' spread is about 5: 5 / sqrt(40,000) = 0.025 */
        scene_end(&scene);
    }
}

static void without_points_it_is_the_space_s_own_distribution(void **state)
{
    (void)state;
    struct scene scene = scene_make(mixed, 0);
    double unit[SPACES_MOST];
    for (int i = 0; i < 100; i++) {
        draw_evenly(&scene, unit);
        assert_float_equal(density_log(scene.density, unit), 0, 1e-9);
    }
    scene_end(&scene);
}

/* The mean of the inverse density over what is drawn from it is the volume of the space, 1. */
static void points_are_drawn_from_it(void **state)
{
    (void)state;
    struct scene scene = scene_make(mixed, POINTS);
    double unit[SPACES_MOST], sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        density_draw(scene.density, &scene.rng, unit);
        space_snap(scene.space, unit);
        sum += exp(-density_log(scene.density, unit));
    }
    assert_float_equal(sum / (float)DRAWS, 1, 0.1);
    scene_end(&scene);
}

static void it_is_higher_near_its_points(void **state)
{
    (void)state;
    struct scene scene = scene_make(mixed, POINTS);
    double unit[SPACES_MOST], near = 0, far = 0;
    for (int i = 0; i < POINTS; i++) {
        near += density_log(scene.density, scene.points[i]);
        draw_evenly(&scene, unit);
        far += density_log(scene.density, unit);
    }
    assert_true(near > far + (double)POINTS);
    scene_end(&scene);
}

static void choices_keep_weights_of_the_space(void **state)
{
    (void)state;
    struct scene scene = scene_make("{'c': {'values': ['a', 'b', 'c', 'd'], 'weights': [1, 2, 3, 10]}}", 0);
    double unit[1];
    int last = 0;
    for (int i = 0; i < DRAWS; i++) {
        density_draw(scene.density, &scene.rng, unit);
        space_snap(scene.space, unit);
        last += space_host(scene.space)->natural(space_host(scene.space), 0, unit[0]) == 3;
    }
    assert_float_equal((double)last / (float)DRAWS, 10.0 / 16, 0.02);
    scene_end(&scene);
}

static void it_is_a_density_in_random_spaces_too(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct rng rng = rng_make(seed, "spaces", 0);
        struct space *space = spaces_random(&rng);
        struct density *density = density_create(space_public(space), space_host(space));
        double point[SPACES_MOST], unit[SPACES_MOST];
        const double *points[] = {point};
        spaces_point(space, &rng, point);
        struct density_sample sample = {.points = points, .count = 1, .prior = 1, .breadth = 1};
        density_fit(density, &sample);
        assert_true(density_log(density, point) > -1e-6);
        for (int i = 0; i < 50; i++) {
            density_draw(density, &rng, unit);
            for (uint32_t d = 0; d < space_dimension(space); d++)
                assert_true(unit[d] >= 0 && unit[d] <= 1);
            space_snap(space, unit);
            assert_true(isfinite(density_log(density, unit)));
        }
        density_destroy(density);
        space_destroy(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_density_of_the_space_is_one),
        cmocka_unit_test(without_points_it_is_the_space_s_own_distribution),
        cmocka_unit_test(points_are_drawn_from_it),
        cmocka_unit_test(it_is_higher_near_its_points),
        cmocka_unit_test(choices_keep_weights_of_the_space),
        cmocka_unit_test(it_is_a_density_in_random_spaces_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
