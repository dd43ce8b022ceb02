/* Explanations: what matters is found, what does not is not, and the sentences say so. */
#include "tests/claims.h"
#include "tests/spaces.h"
#include "search/explain/explain.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A result as a function of the natural numbers; NaN: it failed. */
typedef double result(const double *naturals);

struct scene {
    struct space *space;
    struct gannet_problem *problem;
    struct explanation explanation;
};

/* Explains `trials` random trials of a space. */
static struct scene explain_random(const char *text, int trials, result *value)
{
    struct scene scene = {.space = spaces_make(text), .problem = MEM_NEW(struct gannet_problem)};
    const struct gannet_host *host = space_host(scene.space);
    *scene.problem = (struct gannet_problem){.space = space_public(scene.space), .objectives = 1};
    struct history *history = history_create(scene.problem, 0);
    struct rng rng = rng_make(1, "explain", (uint64_t)trials);
    for (int i = 1; i <= trials; i++) {
        double unit[SPACES_MOST], naturals[SPACES_MOST];
        spaces_point(scene.space, &rng, unit);
        for (uint32_t d = 0; d < space_dimension(scene.space); d++)
            naturals[d] = isnan(unit[d]) ? NAN : host->natural(host, d, unit[d]);
        struct gannet_outcome_of_trial told = {.trial = (uint64_t)i, .unit = unit, .loss = value(naturals)};
        told.outcome = isnan(told.loss) ? GANNET_FAILED : GANNET_FINISHED;
        told.losses = &told.loss;
        history_tell(history, &told);
    }
    explain(scene.problem, host, history, &scene.explanation);
    history_destroy(history);
    return scene;
}

static void scene_end(struct scene *scene)
{
    explain_fini(&scene->explanation);
    free(scene->problem);
    space_destroy(scene->space);
}

/* The explanation of the parameter of that name, and its place. */
static const struct explained *find(const struct scene *scene, const char *name, uint32_t *place)
{
    for (uint32_t i = 0; i < scene->explanation.count; i++) {
        const struct explained *explained = &scene->explanation.params[i];
        if (place)
            *place = i;
        if (strcmp(scene->problem->space->params[explained->index].name, name) == 0)
            return explained;
    }
    fail_msg("no parameter %s", name);
    return NULL;
}

static void says(const struct scene *scene, const char *name, const char *words)
{
    struct buf text = {0};
    uint32_t place;
    find(scene, name, &place);
    explain_sentence(&scene->explanation, scene->problem, place, &text);
    assert_has(buf_str(&text), words);
    buf_fini(&text);
}

static const char *const three = "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0},"
                                 " 'idle': {'min': 0.0, 'max': 1.0}}";

/* The variances are as 16 to 1. */
static double sum(const double *x)
{
    return 4 * x[0] + x[1];
}

static void shares_are_those_of_a_sum(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 500, sum);
    const struct explained *x = find(&scene, "x", NULL), *y = find(&scene, "y", NULL);
    const struct explained *idle = find(&scene, "idle", NULL);
    assert_in_range(1000 * x->alone.expected, 930, 950); /* 16 / 17 */
    assert_in_range(1000 * y->alone.expected, 50, 70);
    assert_true(idle->together.expected < 0.01);
    assert_true(x->together.low <= x->together.expected && x->together.expected <= x->together.high);
    assert_true(explain_is_sure(&scene.explanation, 0) && explain_is_sure(&scene.explanation, 1));
    assert_true(x->among_good > 0.5 && x->among_good > y->among_good);
    assert_true(idle->among_good == 0);
    assert_true(x->high < 0.2);
    says(&scene, "x", "x matters most: 94 % of the variation over the space (");
    says(&scene, "x", "; good values lie between 0 and 0.");
    says(&scene, "y", "y comes next: 6 %");
    says(&scene, "idle", "idle hardly matters");
    scene_end(&scene);
}

static double size = 1; /* of the losses below */

static double sized_sum(const double *x)
{
    return size * (sum(x) + x[0] * x[1]);
}

static void shares_are_the_same_whatever_the_size_of_the_losses(void **state)
{
    (void)state;
    static const double sizes[] = {1e-200, 1e-9, 1e9, 1e200};
    struct scene plain = explain_random(three, 100, sized_sum);
    for (int i = 0; i < 4; i++) {
        size = sizes[i];
        struct scene scene = explain_random(three, 100, sized_sum);
        for (uint32_t p = 0; p < 3; p++) {
            const struct explained *a = &plain.explanation.params[p], *b = &scene.explanation.params[p];
            assert_int_equal(a->index, b->index);
            assert_true(fabs(a->together.expected - b->together.expected) < 1e-3);
            assert_true(fabs(a->together.high - b->together.high) < 1e-3 && fabs(a->above - b->above) < 0.02);
            assert_true(a->among_good == b->among_good && a->low == b->low && a->high == b->high);
        }
        scene_end(&scene);
    }
    size = 1;
    scene_end(&plain);
}

static double rising(const double *x)
{
    return x[0];
}

static double falling(const double *x)
{
    return -x[0];
}

static void good_values_reach_the_end_of_a_range_where_the_optimum_is(void **state)
{
    (void)state;
    struct scene low = explain_random("{'x': {'min': 1e-3, 'max': 1e1, 'log': true}}", 150, rising);
    assert_true(low.explanation.params[0].low == 1e-3 && low.explanation.params[0].high < 1e-2);
    struct scene high = explain_random("{'x': {'min': 0.0, 'max': 4.0}}", 150, falling);
    assert_true(high.explanation.params[0].high == 4 && high.explanation.params[0].low > 3);
    struct scene levels = explain_random("{'x': {'min': 1, 'max': 40}, 'y': {'min': 0.0, 'max': 1.0}}", 150, rising);
    assert_true(find(&levels, "x", NULL)->low == 1 && find(&levels, "x", NULL)->high < 8);
    scene_end(&low);
    scene_end(&high);
    scene_end(&levels);
}

static double far_from_ends(const double *x)
{
    return 4 * (fabs(x[0] - 0.4) + fabs(x[1] - 0.6)) + x[2];
}

static void good_values_leave_out_ends_where_no_good_trial_is(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 150, far_from_ends);
    const struct explained *x = find(&scene, "x", NULL), *y = find(&scene, "y", NULL);
    assert_true(x->low > 0.1 && x->low < 0.4 && x->high > 0.4 && x->high < 0.8);
    assert_true(y->low > 0.2 && y->low < 0.6 && y->high > 0.6 && y->high < 0.9);
    assert_true(x->share > 0.8 && x->share < 1);
    scene_end(&scene);
}

static double product(const double *x)
{
    return x[0] * x[1];
}

/* Both cause 57 %. */
static void of_two_that_matter_alike_none_surely_matters_more(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 120, product);
    assert_true(find(&scene, "idle", NULL) == &scene.explanation.params[2]);
    assert_false(explain_is_sure(&scene.explanation, 0));
    assert_true(explain_is_sure(&scene.explanation, 1));
    scene_end(&scene);
}

static double cross(const double *x)
{
    return (x[0] > 0.5) != (x[1] > 0.5);
}

static void what_parameters_cause_together_is_told_apart(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 500, cross);
    for (int i = 0; i < 2; i++) {
        const struct explained *explained = find(&scene, i ? "x" : "y", NULL);
        assert_true(explained->alone.expected < 0.1);
        assert_true(explained->together.expected > 0.6);
    }
    assert_true(find(&scene, "idle", NULL)->together.expected < 0.2);
    scene_end(&scene);
}

static double by_choice(const double *x)
{
    return x[0] == 1 ? x[1] : 10;
}

static void a_conditional_parameter_is_decided_where_it_is(void **state)
{
    (void)state;
    struct scene scene = explain_random(
        "{'opt': ['sgd', 'adam', 'lamb'], 'm': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'adam'}}}", 300, by_choice);
    const struct explained *opt = find(&scene, "opt", NULL), *m = find(&scene, "m", NULL);
    assert_true(opt->together.expected > 0.7 && opt->together.expected > m->together.expected);
    assert_true(m->among_good > 0.3 && m->high < 0.5);
    assert_int_equal(m->active, scene.explanation.best);
    says(&scene, "opt", "the best trials have adam");
    scene_end(&scene);
}

static double half_fails(const double *x)
{
    return x[0] > 0.5 ? NAN : x[1];
}

static void failures_are_counted_and_move_the_result(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 200, half_fails);
    assert_in_range(scene.explanation.failed, 70, 130);
    assert_int_equal(scene.explanation.failed + scene.explanation.finished, 200);
    assert_true(find(&scene, "x", NULL)->alone.expected > 0.3);
    assert_true(find(&scene, "x", NULL)->high <= 0.5);
    scene_end(&scene);
}

static double always(const double *x)
{
    (void)x;
    return 7;
}

static double never(const double *x)
{
    (void)x;
    return NAN;
}

static void nothing_is_made_of_nothing(void **state)
{
    (void)state;
    for (int trials = 0; trials <= 64; trials = 2 * trials + 1)
        for (int i = 0; i < 2; i++) {
            struct scene scene = explain_random(three, trials, i ? always : never);
            for (uint32_t p = 0; p < 3; p++) {
                const struct explained *explained = &scene.explanation.params[p];
                assert_true(explained->alone.expected == 0 && explained->together.high == 0);
                assert_false(explain_is_sure(&scene.explanation, p));
                assert_true(explained->among_good >= 0 && explained->among_good <= 1);
            }
            scene_end(&scene);
        }
}

/* Three trials say where losses are lower, not why. */
static void what_is_not_known_is_not_said_surely(void **state)
{
    (void)state;
    struct scene scene = explain_random(three, 3, sum);
    const struct explained *first = &scene.explanation.params[0];
    assert_true(first->together.high - first->together.low > 0.3);
    assert_false(explain_is_sure(&scene.explanation, 0));
    says(&scene, scene.problem->space->params[first->index].name, " may matter most: ");
    scene_end(&scene);
}

static void few_trials_come_with_a_caution(void **state)
{
    (void)state;
    const int trials[] = {0, 1, 29, 30};
    const char *const words[] = {"No trial has a value yet", "Only 1 trial has a value: with fewer than 30",
                                 "Only 29 trials have a value", ""};
    for (int i = 0; i < 4; i++) {
        struct scene scene = explain_random(three, trials[i], sum);
        struct buf text = {0};
        explain_caution(&scene.explanation, &text);
        assert_has(buf_str(&text), words[i]);
        assert_true(i < 3 || text.length == 0);
        buf_fini(&text);
        scene_end(&scene);
    }
}

static double odd(const double *x)
{
    return x[0] > 0.9 ? 1e308 : x[0] > 0.8 ? -1e308 : x[0];
}

static void odd_values_and_random_spaces_do_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        struct rng rng = rng_make(seed, "explained", 0);
        struct space *space = spaces_random(&rng);
        struct gannet_problem problem = {.space = space_public(space), .objectives = 1};
        struct history *history = history_create(&problem, 0);
        double unit[SPACES_MOST];
        for (uint64_t trial = 1; trial <= 40; trial++) {
            spaces_point(space, &rng, unit);
            struct gannet_outcome_of_trial told = {.trial = trial, .unit = unit, .loss = odd(unit)};
            told.outcome = isnan(told.loss) ? GANNET_FAILED : GANNET_FINISHED;
            told.losses = &told.loss;
            history_tell(history, &told);
        }
        struct explanation explanation;
        explain(&problem, space_host(space), history, &explanation);
        double shares = 0;
        for (uint32_t p = 0; p < explanation.count; p++) {
            struct buf text = {0};
            explain_sentence(&explanation, &problem, p, &text);
            assert_true(text.length > 0);
            buf_fini(&text);
            shares += explanation.params[p].among_good;
        }
        assert_true(shares == 0 || fabs(shares - 1) < 1e-9);
        explain_fini(&explanation);
        history_destroy(history);
        space_destroy(space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_a_sum),
        cmocka_unit_test(shares_are_the_same_whatever_the_size_of_the_losses),
        cmocka_unit_test(good_values_reach_the_end_of_a_range_where_the_optimum_is),
        cmocka_unit_test(good_values_leave_out_ends_where_no_good_trial_is),
        cmocka_unit_test(of_two_that_matter_alike_none_surely_matters_more),
        cmocka_unit_test(what_parameters_cause_together_is_told_apart),
        cmocka_unit_test(a_conditional_parameter_is_decided_where_it_is),
        cmocka_unit_test(failures_are_counted_and_move_the_result),
        cmocka_unit_test(nothing_is_made_of_nothing),
        cmocka_unit_test(what_is_not_known_is_not_said_surely),
        cmocka_unit_test(few_trials_come_with_a_caution),
        cmocka_unit_test(odd_values_and_random_spaces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
