/* Which keys of two specs differ, and which of them may when an experiment is resumed. */
#include "scheduler/spec/spec_compare.h"
#include "scheduler/spec/key.h"
#include "tests/claims.h"

#include <string.h>

static const char base[] = "version: 1\nseed: 3\ntrial: {kernel: mlp, options: {epochs: 5}}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters: {lr: {min: 0.1, max: 0.9}, n: {values: [1, 2], when: {k: 1}}, k: [1, 2]}\n"
                           "limits: {max_trials: 5}\n";

static struct spec *read(const char *const *overrides, size_t count)
{
    struct problems problems;
    struct spec *spec = spec_read_text(base, strlen(base), "x.yaml", "/base", overrides, count, &problems);
    assert_int_equal(problems.errors, 0);
    problems_fini(&problems);
    return spec;
}

/* The changes that these overrides make. */
static struct spec_changes changes_of(const char *const *overrides, size_t count)
{
    struct spec_changes changes = {0};
    struct spec *was = read(NULL, 0), *is = read(overrides, count);
    spec_difference(was, is, &changes);
    spec_destroy(was);
    spec_destroy(is);
    return changes;
}

static void assert_one_change(const char *override, const char *key, const char *was, const char *is, bool on_resume)
{
    struct spec_changes changes = changes_of(&override, 1);
    assert_int_equal(changes.count, 1);
    assert_string_equal(changes.items[0].key, key);
    assert_true(!was == !changes.items[0].was && !is == !changes.items[0].is);
    if (was)
        assert_string_equal(changes.items[0].was, was);
    if (is)
        assert_string_equal(changes.items[0].is, is);
    assert_int_equal(changes.items[0].on_resume, on_resume);
    assert_int_equal(changes.forbidden, !on_resume);
    spec_changes_fini(&changes);
}

static void the_same_file_has_no_changes(void **state)
{
    (void)state;
    struct spec_changes changes = changes_of(NULL, 0);
    assert_int_equal(changes.count, 0);
    spec_changes_fini(&changes);
}

static void limits_resources_and_words_may_change_on_resume(void **state)
{
    (void)state;
    assert_one_change("limits.max_trials=50", "limits.max_trials", "5", "50", true);
    assert_one_change("limits.max_trials=null", "limits.max_trials", "5", NULL, true);
    assert_one_change("limits.max_failures=0", "limits.max_failures", NULL, "0", true);
    assert_one_change("resources.bind=none", "resources.bind", "core", "none", true);
    assert_one_change("resources.memory=2G", "resources.memory", NULL, "2G", true);
    assert_one_change("description=x", "description", NULL, "x", true);
    assert_one_change("tags=[a]", "tags", NULL, "[a]", true);
    assert_one_change("trial.retries=3", "trial.retries", "0", "3", true);
    assert_one_change("trial.grace=3s", "trial.grace", "60s", "3s", true);
    assert_one_change("trial.env={A: b}", "trial.env", NULL, "{A: b}", true);
}

static void everything_else_makes_it_another_search(void **state)
{
    (void)state;
    assert_one_change("seed=4", "seed", "3", "4", false);
    assert_one_change("name=other", "name", "x", "other", false);
    assert_one_change("trial.checkpoint=true", "trial.checkpoint", "auto", "true", false);
    assert_one_change("trial.options.epochs=6", "trial.options", "{epochs: 5}", "{epochs: 6}", false);
    assert_one_change("metric.goal=maximize", "metric.goal", "minimize", "maximize", false);
    assert_one_change("strategy=random", "strategy.name", "auto", "random", false);
    assert_one_change("constraints=[lr < 1]", "constraints", NULL, "[\"lr < 1\"]", false);
    assert_one_change("start=[{lr: 0.5}]", "start", NULL, "[{lr: 0.5}]", false);
    assert_one_change("parameters.lr.min=0.2", "parameters.lr", "{type: float, min: 0.1, max: 0.9, log: false}",
                      "{type: float, min: 0.2, max: 0.9, log: false}", false);
    assert_one_change("parameters.z=5", "parameters.z", NULL, "{value: 5}", false);
    assert_one_change("parameters.n=null", "parameters.n", "{values: [1, 2], ordered: false, when: {k: 1}}", NULL,
                      false);
}

static void a_seed_that_is_left_open_is_no_change(void **state)
{
    (void)state;
    const char *override = "seed=null";
    struct spec_changes changes = changes_of(&override, 1);
    assert_int_equal(changes.count, 0);
    spec_changes_fini(&changes);
}

static void the_order_of_parameters_counts(void **state)
{
    (void)state;
    const char *const overrides[] = {"parameters.lr=null", "parameters.lr={min: 0.1, max: 0.9}"};
    struct spec_changes changes = changes_of(overrides, 2);
    assert_int_equal(changes.count, 1);
    assert_string_equal(changes.items[0].key, "parameters");
    assert_int_equal(changes.forbidden, 1);
    spec_changes_fini(&changes);
}

static void an_adopted_spec_differs_in_nothing_that_may_change(void **state)
{
    (void)state;
    static const char trial[] =
        "trial={kernel: mlp, options: {epochs: 5}, retries: 7, requeues: 2, grace: 5s, workdir: /x, "
        "env: {A: b}, signal: TERM, args_style: space}";
    const char *const overrides[] = {
        "limits={max_trials: 9, max_failures: 2, time: 1h, trial_time: 1m, max_concurrent: 3}",
        "resources={sockets: 1, gpus: 2, memory: 1G, bind: socket}",
        "description=x",
        "tags=[a, b]",
        trial,
        "seed=9"};
    struct spec_changes changes = {0};
    struct spec *frozen = read(NULL, 0), *fresh = read(overrides, 6), *same = read(overrides, 6);
    spec_adopt(frozen, fresh);
    spec_difference(frozen, same, &changes);
    assert_int_equal(changes.count, 1);
    assert_string_equal(changes.items[0].key, "seed");
    spec_changes_fini(&changes);
    spec_destroy(frozen);
    spec_destroy(fresh);
    spec_destroy(same);
}

static void all_keys_of_limits_and_resources_may_change(void **state)
{
    (void)state;
    static const char *const sections[] = {"limits", "resources"};
    for (size_t i = 0; i < 2; i++)
        for (const struct key *key = NULL; (key = key_next(sections[i], key));)
            assert_true(key->flags & (KEY_ON_RESUME | KEY_LATER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_file_has_no_changes),
        cmocka_unit_test(limits_resources_and_words_may_change_on_resume),
        cmocka_unit_test(everything_else_makes_it_another_search),
        cmocka_unit_test(a_seed_that_is_left_open_is_no_change),
        cmocka_unit_test(the_order_of_parameters_counts),
        cmocka_unit_test(an_adopted_spec_differs_in_nothing_that_may_change),
        cmocka_unit_test(all_keys_of_limits_and_resources_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
