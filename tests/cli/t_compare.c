/* Comparing searches: the rank-sum test, contenders, who leads, what is said of it. */
#include "cli/bench/rank_sum.h"
#include "cli/view/comparison.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the test --- */

static void is_near(double found, double expected)
{
    if (!(fabs(found - expected) < 1e-9))
        fail_msg("%.17g is not %.17g", found, expected);
}

static void groups_apart_have_the_smallest_probability(void **state)
{
    (void)state;
    double a[] = {1, 2, 3, 4, 5}, b[] = {6, 7, 8, 9, 10};
    struct rank_sum test = rank_sum_test(a, 5, b, 5);
    is_near(test.share, 1);
    is_near(test.p, 2.0 / 252); /* 252 ways to choose 5 of 10 */
    is_near(test.least, 2.0 / 252);
    test = rank_sum_test(b, 5, a, 5);
    is_near(test.share, 0);
    is_near(test.p, 2.0 / 252);
}

static void few_numbers_can_show_nothing(void **state)
{
    (void)state;
    double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    struct rank_sum test = rank_sum_test(a, 3, b, 3);
    is_near(test.p, 0.1);
    is_near(test.least, 0.1);
    is_near(rank_sum_test(a, 1, b, 1).p, 1);
    is_near(rank_sum_test(a, 0, b, 3).p, 1);
}

static void equal_groups_are_equal(void **state)
{
    (void)state;
    double a[] = {1, 1, 1, 1};
    struct rank_sum test = rank_sum_test(a, 4, a, 4);
    is_near(test.share, 0.5);
    is_near(test.p, 1);
    double none[] = {INFINITY, INFINITY}, some[] = {1, 2};
    is_near(rank_sum_test(some, 2, none, 2).share, 1);
}

/* By hand: the ranks of {1, 4} among 1..5 have sum 5; of the 10 sums of two ranks 4 are at most 5, and 8 at least. */
static void ways_are_counted(void **state)
{
    (void)state;
    double a[] = {1, 4}, b[] = {2, 3, 5};
    struct rank_sum test = rank_sum_test(a, 2, b, 3);
    is_near(test.p, 0.8);
    is_near(test.share, 4.0 / 6);
}

/* 20 and 21 numbers are tested by the normal distribution, 20 and 20 exactly: hardly another answer. */
static void many_are_as_few_are(void **state)
{
    (void)state;
    double a[21], b[21];
    for (int i = 0; i < 21; i++) {
        a[i] = i;
        b[i] = i + 5.5;
    }
    double exact = rank_sum_test(a, 20, b, 20).p, normal = rank_sum_test(a, 20, b, 21).p;
    assert_true(exact > 0.001 && exact < 0.2);
    assert_true(normal > exact / 3 && normal < exact * 3);
}

static void several_tests_ask_for_more(void **state)
{
    (void)state;
    double p[] = {0.01, 0.04, 0.03};
    rank_sum_holm(p, 3);
    is_near(p[0], 0.03);
    is_near(p[1], 0.06);
    is_near(p[2], 0.06);
    double high[] = {0.9, 0.8};
    rank_sum_holm(high, 2);
    is_near(high[0], 1);
    is_near(high[1], 1);
}

/* --- contenders --- */

static json_t *of_text(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

/* A search whose trials ended a second after the other with these values; NaN: it failed. */
static struct trial_data search(const char *goal, const double *values, size_t count)
{
    struct trial_data data;
    char text[800];
    snprintf(text, sizeof text,
             "{\"name\": \"s\", \"metric\": \"loss\", \"goal\": \"%s\", \"started\": \"2026-11-20T14:00:00.000Z\","
             " \"metrics\": [{\"name\": \"loss\", \"goal\": \"%s\", \"use\": \"last\", \"min\": null, \"max\": null}],"
             " \"parameters\": [{\"name\": \"x\", \"kind\": \"real\", \"min\": 0.0, \"max\": 100.0}]}",
             goal, goal);
    trial_data_init(&data, of_text(text));
    for (size_t i = 0; i < count; i++) {
        char value[40] = "null";
        if (!isnan(values[i]))
            snprintf(value, sizeof value, "%.17g", values[i]);
        snprintf(text, sizeof text,
                 "{\"trial\": %zu, \"state\": \"%s\", \"reason\": \"completed\", \"params\": {\"x\": %zu.5}, "
                 "\"metrics\": {},"
                 " \"value\": %s, \"values\": {\"loss\": %s}, \"feasible\": true, \"ignored\": false, \"added\": false,"
                 " \"started\": \"2026-11-20T14:00:%02zu.000Z\", \"ended\": \"2026-11-20T14:00:%02zu.000Z\","
                 " \"seconds\": 1.0, \"node\": \"n\", \"slot\": 0, \"cpus\": [0, 1], \"step\": 1}",
                 i + 1, isnan(values[i]) ? "failed" : "completed", i + 1, value, value, i, i + 1);
        json_t *trial = of_text(text);
        trial_data_add(&data, trial);
        json_decref(trial);
    }
    trial_data_finish(&data);
    return data;
}

/* A contender with `count` seeds, each of three trials, whose best are these. */
static void add_group(struct compared *compared, const char *name, const char *goal, const double *bests, size_t count)
{
    MEM_GROW(compared->items, compared->capacity, compared->count + 1);
    struct compared_group *group = &compared->items[compared->count++];
    *group = (struct compared_group){.name = mem_text(name)};
    for (size_t i = 0; i < count; i++) {
        double values[] = {bests[i] + (strcmp(goal, "minimize") == 0 ? 1 : -1), bests[i], NAN};
        MEM_GROW(group->seeds, group->seed_capacity, group->count + 1);
        MEM_GROW(group->experiments, group->experiment_capacity, group->count + 1);
        group->seeds[group->count] = search(goal, values, 3);
        group->experiments[group->count++] = mem_format("%s-%zu", name, i + 1);
    }
}

static const double low[] = {1, 2, 3, 4, 5}, high[] = {11, 12, 13, 14, 15};

static char *describe(const struct compared *compared)
{
    struct buf out = {0};
    struct look look = {.width = 80};
    comparison_describe(compared, EFFORT_TRIALS, &look, &out);
    return buf_take(&out);
}

static void has(const struct compared *compared, const char *words)
{
    char *text = describe(compared);
    if (!strstr(text, words))
        fail_msg("'%s' is not in:\n%s", words, text);
    free(text);
}

/* A contender may be a run directory of any name, a metric whatever an experiment file says. */
static void names_say_nothing_to_a_terminal(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "\x1b[31mbad", "minimize", high, 5);
    add_group(&compared, "\xe2\x80\xaegood", "minimize", low, 5);
    struct trial_metric *metric = &compared.items[0].seeds[0].metrics[0];
    free(metric->name);
    metric->name = mem_text("los\x1b[2Js");
    char *text = describe(&compared);
    assert_null(strchr(text, '\x1b'));
    assert_null(strstr(text, "\xe2\x80\xae"));
    free(text);
    has(&compared, "The best los?[2Js so far");
    has(&compared, "A ?[31mbad\n");
    has(&compared, "\\u202egood is better than ?[31mbad: in 100 %");
    compared_fini(&compared);
}

static void the_better_one_is_named_with_its_confidence(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "bad", "minimize", high, 5);
    add_group(&compared, "good", "minimize", low, 5);
    has(&compared, "good is better than bad: in 100 % of the pairs of their seeds (p = 0.0079)");
    has(&compared, "After 3 trials");
    has(&compared, "good-1/2");
    compared_fini(&compared);
}

static void curves_that_coincide_are_all_to_be_seen(void **state)
{
    (void)state;
    static const double same[] = {1, 1, 1, 1, 1};
    static const char *const names[] = {"one", "two", "three", "four", "five"};
    struct compared compared = {0};
    for (size_t i = 0; i < 5; i++) {
        add_group(&compared, names[i], "minimize", same, 5);
        char *text = describe(&compared), *end = strstr(text, "up to");
        assert_non_null(end);
        *end = '\0';
        char *curves = strstr(text, "\n");
        for (size_t j = 0; j <= i; j++)
            assert_non_null(strchr(curves, (int)('A' + j)));
        free(text);
    }
    compared_fini(&compared);
}

static void the_axis_leaves_out_what_searches_begin_at(void **state)
{
    (void)state;
    double values[40] = {1000};
    struct compared compared = {0};
    add_group(&compared, "one", "minimize", low, 1);
    for (size_t i = 1; i < 40; i++)
        values[i] = 9 - (double)i / 5;
    trial_data_fini(&compared.items[0].seeds[0]);
    compared.items[0].seeds[0] = search("minimize", values, 40);
    char *text = describe(&compared), *end = strstr(text, "up to");
    assert_non_null(end);
    *end = '\0';
    assert_null(strstr(text, "100"));
    free(text);
    compared_fini(&compared);
}

static void a_metric_to_maximize_is_the_other_way_round(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "more", "maximize", high, 5);
    add_group(&compared, "less", "maximize", low, 5);
    has(&compared, "more is better than less");
    struct standing_at at = comparison_standing(&compared.items[0], EFFORT_TRIALS, 3);
    is_near(at.median, 13);
    assert_true(at.low >= at.high); /* the better quartile is the larger one */
    compared_fini(&compared);
}

static void of_few_seeds_nothing_is_said(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "bad", "minimize", high, 3);
    add_group(&compared, "good", "minimize", low, 3);
    has(&compared, "good is ahead of bad; too few seeds to say whether by chance: of 3 and 3 p is at least 0.1");
    compared_fini(&compared);
}

static void several_comparisons_need_more_seeds(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "good", "minimize", low, 4);
    add_group(&compared, "bad", "minimize", high, 4);
    has(&compared, "good is better than bad: in 100 % of the pairs of their seeds (p = 0.029)");
    add_group(&compared, "worse", "minimize", high + 1, 4);
    has(&compared, "too few seeds to say whether by chance: of 4 and 4 p is at least 0.057");
    compared_fini(&compared);
}

static void what_chance_does_is_called_so(void **state)
{
    (void)state;
    static const double even[] = {1.5, 2.5, 2.6, 4.5, 5.5};
    struct compared compared = {0};
    add_group(&compared, "a", "minimize", low, 5);
    add_group(&compared, "b", "minimize", even, 5);
    has(&compared, "b is ahead of a by no more than chance may be");
    compared_fini(&compared);
}

/* Searches that come to the same best value, as of an accuracy, have the same median. */
static void of_equal_medians_the_one_with_more_pairs_leads(void **state)
{
    (void)state;
    static const double worse[] = {5, 5, 5, 5, 9, 9, 9}, better[] = {1, 1, 1, 5, 5, 5, 5};
    struct compared compared = {0};
    add_group(&compared, "worse", "minimize", worse, 7);
    add_group(&compared, "better", "minimize", better, 7);
    has(&compared, "better is better than worse: in 84 % of the pairs of their seeds (p = 0.041)");
    compared_fini(&compared);
}

static void who_came_to_the_same_is_not_ahead(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "a", "minimize", low, 1);
    add_group(&compared, "b", "minimize", low, 1);
    has(&compared, "    a is level with b; too few seeds");
    compared_fini(&compared);
    add_group(&compared, "a", "maximize", low, 5);
    add_group(&compared, "b", "maximize", low, 5);
    has(&compared, "    a is level with b: in 50 % of the pairs (p = 1)");
    compared_fini(&compared);
}

static void a_median_that_most_pairs_contradict_makes_nobody_better(void **state)
{
    (void)state;
    static const double split[] = {1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9};
    static const double even[] = {0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2};
    struct compared compared = {0};
    add_group(&compared, "split", "minimize", split, 15);
    add_group(&compared, "even", "minimize", even, 15);
    has(&compared, "split has the better median, but even is better in 72 % of the pairs of their seeds (p = ");
    compared_fini(&compared);
}

static void who_has_no_value_yet_is_behind(void **state)
{
    (void)state;
    static const double none[] = {NAN, NAN, NAN, NAN};
    struct compared compared = {0};
    add_group(&compared, "none", "minimize", none, 4);
    add_group(&compared, "good", "minimize", low, 4);
    has(&compared, "good is better than none");
    assert_int_equal(comparison_standing(&compared.items[0], EFFORT_TRIALS, 3).none, 4);
    compared_fini(&compared);
    add_group(&compared, "a", "minimize", none, 4);
    add_group(&compared, "b", "minimize", none, 4);
    has(&compared, "no contender has a value yet");
    compared_fini(&compared);
}

static void it_is_compared_up_to_what_all_have_spent(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "a", "minimize", low, 2);
    add_group(&compared, "b", "minimize", low, 2);
    struct trial_data *short_one = &compared.items[1].seeds[1];
    trial_data_fini(short_one);
    *short_one = search("minimize", low, 2);
    is_near(comparison_common(&compared, EFFORT_TRIALS), 2);
    is_near(comparison_common(&compared, EFFORT_SECONDS), 2);
    is_near(comparison_common(&compared, EFFORT_CORES), 4);
    compared_fini(&compared);
}

static void others_than_the_same_search_are_refused(void **state)
{
    (void)state;
    struct err err = {""};
    struct compared compared = {0};
    add_group(&compared, "a", "minimize", low, 1);
    assert_int_equal(compared_check(&compared, &err), -1);
    assert_non_null(strstr(err.text, "there is one contender, a"));
    add_group(&compared, "b", "maximize", low, 1);
    assert_int_equal(compared_check(&compared, &err), -1);
    assert_string_equal(err.text,
                        "a-1 minimizes loss and b-1 maximizes loss: only searches for the same can be compared");
    compared_fini(&compared);
}

/* One experiment each, as an unquoted pattern gives them. */
static void seeds_are_joined_by_their_names(void **state)
{
    (void)state;
    static const char *const names[] = {"runs/gp-1", "runs/tpe-1", "runs/gp-2", "runs/gp-10", "runs/gp", "runs/gp2-1"};
    struct compared compared = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add_group(&compared, strrchr(names[i], '/') + 1, "minimize", low, 1);
        free(compared.items[i].experiments[0]);
        compared.items[i].experiments[0] = mem_text(names[i]);
    }
    compared_join(&compared);
    assert_int_equal(compared.count, 4);
    assert_string_equal(compared.items[0].name, "gp");
    assert_int_equal(compared.items[0].count, 3);
    assert_string_equal(compared.items[0].experiments[2], "runs/gp-10");
    assert_string_equal(compared.items[1].name, "tpe-1");
    assert_string_equal(compared.items[2].name, "gp");
    assert_string_equal(compared.items[3].name, "gp2-1");
    compared_fini(&compared);
}

static void programs_read_the_same(void **state)
{
    (void)state;
    struct compared compared = {0};
    add_group(&compared, "good", "minimize", low, 5);
    add_group(&compared, "bad", "minimize", high, 5);
    json_t *json = comparison_json(&compared);
    assert_non_null(json);
    json_t *trials = json_array_get(json_object_get(json, "efforts"), 0);
    assert_string_equal(json_string_value(json_object_get(trials, "effort")), "trials");
    json_t *pair = json_array_get(json_object_get(trials, "compared"), 0);
    assert_string_equal(json_string_value(json_object_get(pair, "better")), "good");
    is_near(json_number_value(json_object_get(pair, "p")), 2.0 / 252);
    json_t *best = json_object_get(json_array_get(json_object_get(json, "contenders"), 0), "best");
    assert_int_equal(json_integer_value(json_object_get(best, "trial")), 2);
    is_near(json_number_value(json_object_get(json_object_get(best, "params"), "x")), 2.5);
    json_decref(json);
    compared_fini(&compared);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_apart_have_the_smallest_probability),
        cmocka_unit_test(few_numbers_can_show_nothing),
        cmocka_unit_test(equal_groups_are_equal),
        cmocka_unit_test(ways_are_counted),
        cmocka_unit_test(many_are_as_few_are),
        cmocka_unit_test(several_tests_ask_for_more),
        cmocka_unit_test(names_say_nothing_to_a_terminal),
        cmocka_unit_test(the_better_one_is_named_with_its_confidence),
        cmocka_unit_test(curves_that_coincide_are_all_to_be_seen),
        cmocka_unit_test(the_axis_leaves_out_what_searches_begin_at),
        cmocka_unit_test(a_metric_to_maximize_is_the_other_way_round),
        cmocka_unit_test(of_few_seeds_nothing_is_said),
        cmocka_unit_test(several_comparisons_need_more_seeds),
        cmocka_unit_test(what_chance_does_is_called_so),
        cmocka_unit_test(of_equal_medians_the_one_with_more_pairs_leads),
        cmocka_unit_test(who_came_to_the_same_is_not_ahead),
        cmocka_unit_test(a_median_that_most_pairs_contradict_makes_nobody_better),
        cmocka_unit_test(who_has_no_value_yet_is_behind),
        cmocka_unit_test(it_is_compared_up_to_what_all_have_spent),
        cmocka_unit_test(others_than_the_same_search_are_refused),
        cmocka_unit_test(seeds_are_joined_by_their_names),
        cmocka_unit_test(programs_read_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
