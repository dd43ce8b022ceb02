/* Test functions: their known minima. */
#include "common/test_functions.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/kernels/kernel.h"

#include <math.h>
#include <string.h>

enum { MOST = 13 };

/* Calls `claim` for every function in all the dimensions up to MOST that it takes. */
static void for_each(void (*claim)(const struct function *function, size_t d))
{
    for (const struct function *f = function_list; f->name; f++)
        for (size_t d = f->least; d <= f->most && d <= MOST; d++)
            claim(f, d);
}

static void is_its_minimum(const struct function *f, size_t d)
{
    double x[MOST], least = function_minimum(f, d, x), value = f->value(x, d);
    if (!(fabs(value - least) <= 1e-9 * (1 + fabs(least))))
        fail_msg("%s in %zu dimensions is %.15g where its minimum is said to be %.15g", f->name, d, value, least);
}

static void every_function_has_its_stated_value_at_its_minimum(void **state)
{
    (void)state;
    for_each(is_its_minimum);
}

static void lies_in_its_domain(const struct function *f, size_t d)
{
    double x[MOST];
    function_minimum(f, d, x);
    for (size_t i = 0; i < d; i++) {
        struct function_range range = function_domain(f, i);
        assert_true(range.low < range.high && x[i] >= range.low && x[i] <= range.high);
        assert_true(!range.whole || x[i] == round(x[i]));
    }
}

static void every_minimum_lies_in_the_domain(void **state)
{
    (void)state;
    for_each(lies_in_its_domain);
}

/* Random points of the domain, and points near the minimum, where a wrong one would show first. */
static void is_nowhere_lower(const struct function *f, size_t d)
{
    double at[MOST], x[MOST], least = function_minimum(f, d, at);
    struct rng rng = rng_make(1, f->name, d);
    for (int n = 0; n < 2000; n++) {
        double width = n % 2 ? 1 : pow(10, -(n % 14) / 2.0);
        for (size_t i = 0; i < d; i++) {
            struct function_range range = function_domain(f, i);
            double span = range.high - range.low;
            double wanted = n % 2 ? range.low + span * rng_unit(&rng) : at[i] + span * width * (rng_unit(&rng) - 0.5);
            x[i] = fmin(fmax(range.whole ? round(wanted) : wanted, range.low), range.high);
        }
        double value = f->value(x, d);
        if (!(value >= least - 1e-9 * (1 + fabs(least))))
            fail_msg("%s in %zu dimensions has the value %.15g below its minimum %.15g", f->name, d, value, least);
    }
}

static void no_point_is_below_the_minimum(void **state)
{
    (void)state;
    for_each(is_nowhere_lower);
}

/* Values that the literature gives elsewhere than at the minimum, or to fewer digits. */
static void values_agree_with_the_literature(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t d;
        double x[5], value, within;
    } known[] = {
        {"branin", 2, {-M_PI, 12.275}, 0.397887, 1e-6},
        {"branin", 2, {9.42478, 2.475}, 0.397887, 1e-6},
        {"branin", 2, {0, 0}, 55.602113, 1e-6},
        {"six_hump_camel", 2, {-0.0898, 0.7126}, -1.0316, 1e-4},
        {"goldstein_price", 2, {1.8, 0.2}, 84, 1e-9},
        {"goldstein_price", 2, {-0.6, -0.4}, 30, 1e-9},
        {"beale", 2, {0, 0}, 14.203125, 1e-9},
        {"rosenbrock", 2, {-1.2, 1}, 24.2, 1e-9},
        {"michalewicz", 2, {2.20, 1.57}, -1.8013, 2e-4},
        {"michalewicz", 5, {2.202906, 1.570796, 1.284992, 1.923058, 1.720470}, -4.687658, 1e-5},
        {"styblinski_tang", 1, {2.746803}, -25.02944, 1e-4},
        {"zakharov", 2, {1, 1}, 2 + 2.25 + 5.0625, 1e-9},
        {"schwefel", 1, {0}, 418.9829, 1e-4},
        {"slope", 3, {-4, -5, 5}, 1 + 100, 1e-9},
        {"griewank", 1, {2 * M_PI}, 4 * M_PI * M_PI / 4000, 1e-9},
        {"levy", 1, {-1}, 1.25, 1e-9},
        {"choices2", 4, {1, 1, 0.0898 / 2, -0.7126 / 2}, -0.20632, 1e-5},
        {"choices2", 4, {0, 4, 0, 0}, 1.0 / 300 + 14.203125 / 50, 1e-9},
        {"choices3", 5, {1, 1, 0, 0.0898 / 2, -0.7126 / 2}, -0.72214, 1e-5},
        {"choices3", 5, {2, 0, 3, 0, 0}, 1.0 / 300 + 4 * 14.203125 / 50, 1e-9},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value = function_find(known[i].name)->value(known[i].x, known[i].d);
        if (!(fabs(value - known[i].value) <= known[i].within))
            fail_msg("%s (row %zu) is %.9g, not %.9g", known[i].name, i, value, known[i].value);
    }
}

/* The words of synth's option `function`, which kernel_settings.c checks, are the functions' names. */
static void the_option_offers_exactly_these_functions(void **state)
{
    (void)state;
    const struct kernel_option *row = kernel_find("synth")->options;
    while (strcmp(row->name, "function") != 0)
        row++;
    const char *word = row->type;
    for (const struct function *f = function_list; f->name; f++) {
        size_t length = strcspn(word, "|");
        assert_int_equal(length, strlen(f->name));
        assert_memory_equal(word, f->name, length);
        word += length + (word[length] == '|');
    }
    assert_string_equal(word, "");
    assert_null(function_find("himmelblau"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_has_its_stated_value_at_its_minimum),
        cmocka_unit_test(every_minimum_lies_in_the_domain),
        cmocka_unit_test(no_point_is_below_the_minimum),
        cmocka_unit_test(values_agree_with_the_literature),
        cmocka_unit_test(the_option_offers_exactly_these_functions),
    };
    return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
