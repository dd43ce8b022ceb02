/* Which of the trials that run a model minds, when there are more than it can. */
#include "search/gp/sample.h"
#include "tests/claims.h"
#include "tests/spaces.h"

#include <stdlib.h>

enum { RUNNING = 9 };

/* Trials 1 to 9 run at x = 0.1, 0.9, 0.2, 0.8, ... */
struct scene {
    struct space *space;
    struct gannet_problem problem;
    struct gp_domain domain;
    struct history *history;
    struct trial_sample sample;
};

static double place(int i)
{
    return i % 2 ? 1 - 0.1 * (i / 2 + 1) : 0.1 * (i / 2 + 1);
}

static void await(struct scene *scene, uint32_t most, const double *centre)
{
    const double weights[] = {1};
    *scene = (struct scene){.space = spaces_make("{'x': {'min': 0.0, 'max': 1.0}}")};
    scene->problem = (struct gannet_problem){.space = space_public(scene->space), .objectives = 1};
    domain_init(&scene->domain, &scene->problem, space_host(scene->space));
    scene->history = history_create(&scene->problem, 0);
    for (int i = 0; i < RUNNING; i++) {
        double unit[] = {place(i)};
        history_note(scene->history, (uint64_t)i + 1, unit);
    }
    sample_init(&scene->sample, scene->history, &scene->problem, &scene->domain, SAMPLE_NO_COST, 10, NULL, NULL);
    sample_await(&scene->sample, scene->history, &scene->domain, most, centre, weights);
}

static void fini(struct scene *scene)
{
    sample_fini(&scene->sample);
    history_destroy(scene->history);
    domain_fini(&scene->domain);
    space_destroy(scene->space);
}

/* The awaited points are those of these trials, in this order. */
static void expect(const struct scene *scene, const int *trials, uint32_t count)
{
    assert_int_equal(scene->sample.awaited.count, count);
    for (uint32_t i = 0; i < count; i++) {
        double x;
        design_get(&scene->sample.awaited, i, &x);
        assert_float_equal(x, place(trials[i] - 1), 1e-9);
    }
}

static void all_are_minded_when_they_are_few(void **state)
{
    (void)state;
    struct scene scene;
    const double centre[] = {0.85};
    const int all[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    await(&scene, RUNNING, centre);
    expect(&scene, all, RUNNING);
    fini(&scene);
}

static void of_more_those_nearest_to_a_region_are_minded_in_their_order(void **state)
{
    (void)state;
    struct scene scene;
    const double centre[] = {0.84};
    const int nearest[] = {2, 4, 6};
    await(&scene, 3, centre);
    expect(&scene, nearest, 3);
    fini(&scene);
}

static void without_a_region_the_latest_are(void **state)
{
    (void)state;
    struct scene scene;
    const int latest[] = {6, 7, 8, 9};
    await(&scene, 4, NULL);
    expect(&scene, latest, 4);
    fini(&scene);
}

static void none_is_minded_when_none_may_be(void **state)
{
    (void)state;
    struct scene scene;
    await(&scene, 0, NULL);
    expect(&scene, NULL, 0);
    fini(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_minded_when_they_are_few),
        cmocka_unit_test(of_more_those_nearest_to_a_region_are_minded_in_their_order),
        cmocka_unit_test(without_a_region_the_latest_are),
        cmocka_unit_test(none_is_minded_when_none_may_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
