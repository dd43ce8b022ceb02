/* Functions with choices and conditions; see test_functions_mixed.h. The sources:
 *
 *     choices2, choices3    Func2C and Func3C: B. Ru, A. Alvi, V. Nguyen, M. Osborne, S. Roberts, "Bayesian
 * optimisation over multiple continuous and categorical inputs", ICML 2020 tree                  R. Jenatton, C.
 * Archambeau, J. Gonzalez, M. Seeger, "Bayesian optimization with tree-structured dependencies", ICML 2017 algorithms
 * the problem is that of C. Thornton, F. Hutter, H. Hoos, K. Leyton-Brown, "Auto-WEKA: combined selection and
 * hyperparameter optimization of classification algorithms", KDD 2013; the algorithms are functions of test_functions.c
 * here
 */
#include "common/test_functions_mixed.h"

#include <math.h>

/* Which of `count` choices a coordinate is. */
static size_t choice(double x, size_t count)
{
    if (!(x > 0))
        return 0;
    return x < (double)count - 1 ? (size_t)(x + 0.5) : count - 1;
}

static double value_of(const char *name, const double *x, size_t d)
{
    return function_find(name)->value(x, d);
}

/* --- choices2, choices3 --- */

/* A function of two coordinates, made about as large as the others. */
struct part {
    const char *name;
    double weight;
};

static const struct part rosenbrock_part = {"rosenbrock", 1.0 / 300};
static const struct part camel_part = {"six_hump_camel", 1.0 / 10};
static const struct part beale_part = {"beale", 1.0 / 50};

static double part_value(const struct part *part, const double *x)
{
    double twice[] = {2 * x[0], 2 * x[1]};
    return part->weight * value_of(part->name, twice, 2);
}

/* What the first choice adds, and the second. */
static double two_choices(const double *choices, const double *x)
{
    static const struct part *const first[] = {&rosenbrock_part, &camel_part, &beale_part};
    static const struct part *const second[] = {&rosenbrock_part, &camel_part, &beale_part, &beale_part, &beale_part};
    return part_value(first[choice(choices[0], 3)], x) + part_value(second[choice(choices[1], 5)], x);
}

double choices2(const double *x, size_t d)
{
    (void)d;
    return two_choices(x, x + 2);
}

double choices3(const double *x, size_t d)
{
    (void)d;
    static const struct part *const third[] = {&camel_part, &rosenbrock_part, &beale_part, &beale_part};
    static const double times[] = {5, 2, 2, 3};
    size_t chosen = choice(x[2], 4);
    return two_choices(x, x + 3) + times[chosen] * part_value(third[chosen], x + 3);
}

const struct function_range choices2_ranges[] = {{0, 2, true}, {0, 4, true}, {-1, 1, false}, {-1, 1, false}};
const struct function_range choices3_ranges[] = {
    {0, 2, true}, {0, 4, true}, {0, 3, true}, {-1, 1, false}, {-1, 1, false}};
/* All parts are the camel, whose minimum is below that of the others. */
const double choices2_at[] = {1, 1, 0.0449210065505, -0.3563282012355};
const double choices3_at[] = {1, 1, 0, 0.0449210065505, -0.3563282012355};

/* --- tree --- */

double tree(const double *x, size_t d)
{
    (void)d;
    size_t first = choice(x[0], 2), leaf = 2 * first + choice(x[1 + first], 2);
    double at_leaf = x[3 + leaf];
    return at_leaf * at_leaf + 0.1 * (double)(leaf + 1) + x[7 + first];
}

const struct function_range tree_ranges[] = {{0, 1, true},   {0, 1, true},   {0, 1, true},
                                             {-1, 1, false}, {-1, 1, false}, {-1, 1, false},
                                             {-1, 1, false}, {0, 1, false},  {0, 1, false}};
const double tree_at[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};

/* --- algorithms --- */

double algorithms(const double *x, size_t d)
{
    (void)d;
    /* Scaled to lie mostly within 0..1 over the minimum; the second has the lowest. */
    static const struct {
        const char *name;
        size_t first, count;
        double least, scale, offset;
    } list[] = {
        {"branin", 1, 2, 0.39788735772973816, 100, 0.02},
        {"hartmann3", 3, 3, -3.8627797873326624, 4, 0},
        {"rosenbrock", 6, 4, 0, 50000, 0.05},
        {"styblinski_tang", 10, 3, 3 * -39.16616570377141, 150, 0.1},
    };
    size_t i = choice(x[0], 4);
    return (value_of(list[i].name, x + list[i].first, list[i].count) - list[i].least) / list[i].scale + list[i].offset;
}

const struct function_range algorithms_ranges[] = {
    {0, 3, true},    {-5, 10, false}, {0, 15, false},  {0, 1, false},  {0, 1, false},  {0, 1, false}, {-5, 10, false},
    {-5, 10, false}, {-5, 10, false}, {-5, 10, false}, {-5, 5, false}, {-5, 5, false}, {-5, 5, false}};
const double algorithms_at[] = {1, 0, 0, 0.114588876694, 0.555648894614, 0.852546984624, 1, 1, 1, 1, 0, 0, 0};
