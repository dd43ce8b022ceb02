/* Test functions for minimisers; see test_functions.h. The formulas are as collected by S. Surjanovic and D. Bingham,
 * "Virtual Library of Simulation Experiments" (2013), and in the sources named in the table; minima have been refined
 * by Newton's method from the published ones. Of those with choices and conditions choices2 and choices3 are Func2C and
 * Func3C of B. Ru, A. Alvi, V. Nguyen, M. Osborne, S. Roberts, "Bayesian optimisation over multiple continuous and
 * categorical inputs", ICML 2020; tree is by R. Jenatton, C. Archambeau, J. Gonzalez, M. Seeger, "Bayesian optimization
 * with tree-structured dependencies", ICML 2017; algorithms is after the problem of C. Thornton, F. Hutter, H. Hoos, K.
 * Leyton-Brown, "Auto-WEKA: combined selection and hyperparameter optimization of classification algorithms", KDD 2013.
 */
#include "common/test_functions.h"

#include <math.h>
#include <string.h>

enum { ANY = 1000 }; /* the most coordinates of a function of any dimension */

static double square(double x)
{
    return x * x;
}

static double branin(const double *x, size_t d)
{
    (void)d;
    double b = 5.1 / (4 * M_PI * M_PI), c = 5 / M_PI, t = 1 / (8 * M_PI);
    return square(x[1] - b * x[0] * x[0] + c * x[0] - 6) + 10 * (1 - t) * cos(x[0]) + 10;
}

static double six_hump_camel(const double *x, size_t d)
{
    (void)d;
    double a = x[0] * x[0], b = x[1] * x[1];
    return (4 - 2.1 * a + a * a / 3) * a + x[0] * x[1] + (4 * b - 4) * b;
}

static double goldstein_price(const double *x, size_t d)
{
    (void)d;
    double a = x[0], b = x[1];
    double first = 1 + square(a + b + 1) * (19 - 14 * a + 3 * a * a - 14 * b + 6 * a * b + 3 * b * b);
    double second = 30 + square(2 * a - 3 * b) * (18 - 32 * a + 12 * a * a + 48 * b - 36 * a * b + 27 * b * b);
    return first * second;
}

static double beale(const double *x, size_t d)
{
    (void)d;
    double a = x[0], b = x[1];
    return square(1.5 - a + a * b) + square(2.25 - a + a * b * b) + square(2.625 - a + a * b * b * b);
}

static double eggholder(const double *x, size_t d)
{
    (void)d;
    double b = x[1] + 47;
    return -b * sin(sqrt(fabs(b + x[0] / 2))) - x[0] * sin(sqrt(fabs(x[0] - b)));
}

/* -sum_i alpha_i exp(-sum_j A_ij (x_j - P_ij)^2), i = 1 .. 4; A and P are 4 x d, row by row. */
static double hartmann(const double *x, size_t d, const double *a, const double *p)
{
    static const double alpha[] = {1, 1.2, 3, 3.2};
    double sum = 0;
    for (size_t i = 0; i < 4; i++) {
        double distance = 0;
        for (size_t j = 0; j < d; j++)
            distance += a[i * d + j] * square(x[j] - p[i * d + j] * 1e-4);
        sum -= alpha[i] * exp(-distance);
    }
    return sum;
}

static double hartmann3(const double *x, size_t d)
{
    static const double a[] = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
    static const double p[] = {3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828};
    return hartmann(x, d, a, p);
}

static double hartmann6(const double *x, size_t d)
{
    static const double a[] = {10, 3,   17,  3.5, 1.7, 8, 0.05, 10, 17,   0.1, 8,   14,
                               3,  3.5, 1.7, 10,  17,  8, 17,   8,  0.05, 10,  0.1, 14};
    static const double p[] = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991,
                               2348, 1451, 3522, 2883, 3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};
    return hartmann(x, d, a, p);
}

static double sphere(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += x[i] * x[i];
    return sum;
}

static double ackley(const double *x, size_t d)
{
    double cosines = 0;
    for (size_t i = 0; i < d; i++)
        cosines += cos(2 * M_PI * x[i]);
    return -20 * exp(-0.2 * sqrt(sphere(x, d) / (double)d)) - exp(cosines / (double)d) + 20 + M_E;
}

static double rosenbrock(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < d; i++)
        sum += 100 * square(x[i + 1] - x[i] * x[i]) + square(1 - x[i]);
    return sum;
}

static double rastrigin(const double *x, size_t d)
{
    double sum = 10 * (double)d;
    for (size_t i = 0; i < d; i++)
        sum += x[i] * x[i] - 10 * cos(2 * M_PI * x[i]);
    return sum;
}

static double levy(const double *x, size_t d)
{
    double first = 1 + (x[0] - 1) / 4, last = 1 + (x[d - 1] - 1) / 4;
    double sum = square(sin(M_PI * first)) + square(last - 1) * (1 + square(sin(2 * M_PI * last)));
    for (size_t i = 0; i + 1 < d; i++) {
        double w = 1 + (x[i] - 1) / 4;
        sum += square(w - 1) * (1 + 10 * square(sin(M_PI * w + 1)));
    }
    return sum;
}

static double styblinski_tang(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += square(square(x[i])) - 16 * x[i] * x[i] + 5 * x[i];
    return sum / 2;
}

static double griewank(const double *x, size_t d)
{
    double product = 1;
    for (size_t i = 0; i < d; i++)
        product *= cos(x[i] / sqrt((double)i + 1));
    return sphere(x, d) / 4000 - product + 1;
}

static double michalewicz(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum -= sin(x[i]) * pow(sin(((double)i + 1) * x[i] * x[i] / M_PI), 20);
    return sum;
}

static double schwefel(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += 418.98288727243374 - x[i] * sin(sqrt(fabs(x[i])));
    return sum;
}

static double zakharov(const double *x, size_t d)
{
    double weighted = 0;
    for (size_t i = 0; i < d; i++)
        weighted += 0.5 * ((double)i + 1) * x[i];
    return sphere(x, d) + square(weighted) + square(square(weighted));
}

/* The lowest value lies in a corner of the domain, and no slope is 0 there. */
static double slope(const double *x, size_t d)
{
    double sum = 0;
    for (size_t i = 0; i < d; i++)
        sum += pow(10, d > 1 ? (double)i / (double)(d - 1) : 0) * (x[i] + 5);
    return sum;
}

/* Which of `count` choices a coordinate is: a whole number from 0; what lies beyond is taken as the nearest. */
static size_t choice(double x, size_t count)
{
    if (!(x > 0))
        return 0;
    return x < (double)count - 1 ? (size_t)(x + 0.5) : count - 1;
}

/* --- with choices and conditions --- */

/* A function of two coordinates, made about as large as the others. */
struct summand {
    double (*value)(const double *x, size_t d);
    double weight;
};

static const struct summand rosenbrock_part = {rosenbrock, 1.0 / 300};
static const struct summand camel_part = {six_hump_camel, 1.0 / 10};
static const struct summand beale_part = {beale, 1.0 / 50};

static double part_value(const struct summand *part, const double *x)
{
    double twice[] = {2 * x[0], 2 * x[1]};
    return part->weight * part->value(twice, 2);
}

/* What the first choice adds, and the second. */
static double two_choices(const double *choices, const double *x)
{
    static const struct summand *const first[] = {&rosenbrock_part, &camel_part, &beale_part};
    static const struct summand *const second[] = {&rosenbrock_part, &camel_part, &beale_part, &beale_part,
                                                   &beale_part};
    return part_value(first[choice(choices[0], 3)], x) + part_value(second[choice(choices[1], 5)], x);
}

/* Sums of functions that x1 and x2 choose; of x3 and x4. */
static double choices2(const double *x, size_t d)
{
    (void)d;
    return two_choices(x, x + 2);
}

/* The same with a third choice, which weighs most; of x4 and x5. */
static double choices3(const double *x, size_t d)
{
    (void)d;
    static const struct summand *const third[] = {&camel_part, &rosenbrock_part, &beale_part, &beale_part};
    static const double times[] = {5, 2, 2, 3};
    size_t chosen = choice(x[2], 4);
    return two_choices(x, x + 3) + times[chosen] * part_value(third[chosen], x + 3);
}

static const struct function_range choices2_ranges[] = {{0, 2, true}, {0, 4, true}, {-1, 1, false}, {-1, 1, false}};
static const struct function_range choices3_ranges[] = {
    {0, 2, true}, {0, 4, true}, {0, 3, true}, {-1, 1, false}, {-1, 1, false}};
/* All parts are the camel, whose minimum is below that of the others. */
static const double choices2_at[] = {1, 1, 0.0449210065505, -0.3563282012355};
static const double choices3_at[] = {1, 1, 0, 0.0449210065505, -0.3563282012355};

/* A tree of conditions: x1 chooses between x2 and x3, and these between x4, x5 and x6, x7; x8 counts when x1 is 0, x9
 * when it is 1. */
static double tree(const double *x, size_t d)
{
    (void)d;
    size_t first = choice(x[0], 2), leaf = 2 * first + choice(x[1 + first], 2);
    double at_leaf = x[3 + leaf];
    return at_leaf * at_leaf + 0.1 * (double)(leaf + 1) + x[7 + first];
}

static const struct function_range tree_ranges[] = {{0, 1, true},   {0, 1, true},   {0, 1, true},
                                                    {-1, 1, false}, {-1, 1, false}, {-1, 1, false},
                                                    {-1, 1, false}, {0, 1, false},  {0, 1, false}};
static const double tree_at[] = {0, 0, 0, 0, 0, 0, 0, 0, 0};

/* The choice of one of four algorithms with its own parameters: x1 = 0: x2 and x3; 1: x4 to x6; 2: x7 to x10; 3: x11 to
 * x13. */
static double algorithms(const double *x, size_t d)
{
    (void)d;
    /* Scaled to lie mostly within 0..1 over the minimum; the second has the lowest. */
    static const struct {
        double (*value)(const double *x, size_t d);
        size_t first, count;
        double least, scale, offset;
    } list[] = {
        {branin, 1, 2, 0.39788735772973816, 100, 0.02},
        {hartmann3, 3, 3, -3.8627797873326624, 4, 0},
        {rosenbrock, 6, 4, 0, 50000, 0.05},
        {styblinski_tang, 10, 3, 3 * -39.16616570377141, 150, 0.1},
    };
    size_t i = choice(x[0], 4);
    return (list[i].value(x + list[i].first, list[i].count) - list[i].least) / list[i].scale + list[i].offset;
}

static const struct function_range algorithms_ranges[] = {
    {0, 3, true},    {-5, 10, false}, {0, 15, false},  {0, 1, false},  {0, 1, false},  {0, 1, false}, {-5, 10, false},
    {-5, 10, false}, {-5, 10, false}, {-5, 10, false}, {-5, 5, false}, {-5, 5, false}, {-5, 5, false}};
static const double algorithms_at[] = {1, 0, 0, 0.114588876694, 0.555648894614, 0.852546984624, 1, 1, 1, 1, 0, 0, 0};

/* --- the table --- */

#define CAMEL_LEAST -1.0316284534898774

static const double branin_at[] = {M_PI, 2.275}; /* one of three; the others are at -pi, 12.275 and 3 pi, 2.475 */
static const double camel_at[] = {0.089842013101, -0.712656402951}; /* one of two */
static const double goldstein_price_at[] = {0, -1};
static const double beale_at[] = {3, 0.5};
static const double eggholder_at[] = {512, 404.2318052};
static const double hartmann3_at[] = {0.114588876694, 0.555648894614, 0.852546984624};
static const double hartmann6_at[] = {0.201689511026, 0.150010691821, 0.476873974145,
                                      0.275332430488, 0.311651616610, 0.657300534067};
/* Every term has one coordinate, so that the minimum is known for each: here for ten. */
static const double michalewicz_at[] = {2.20290552, 1.57079633, 1.28499157, 1.92305847, 1.72046977,
                                        1.57079633, 1.45441397, 1.75608652, 1.65571742, 1.57079633};

static const struct function_range branin_ranges[] = {{-5, 10, false}, {0, 15, false}};
static const struct function_range camel_ranges[] = {{-3, 3, false}, {-2, 2, false}};

#define FIXED(d) .least = (d), .most = (d)
#define FREE(d)  .least = (d), .most = ANY

const struct function function_list[] = {
    {"branin", FIXED(2), 0, 0, branin_ranges, false, branin, branin_at, 0, 0.39788735772973816, 0,
     "Dixon and Szego 1978"},
    {"six_hump_camel", FIXED(2), 0, 0, camel_ranges, false, six_hump_camel, camel_at, 0, CAMEL_LEAST, 0,
     "Dixon and Szego 1978"},
    {"goldstein_price", FIXED(2), -2, 2, NULL, false, goldstein_price, goldstein_price_at, 0, 3, 0,
     "Goldstein and Price 1971"},
    {"beale", FIXED(2), -4.5, 4.5, NULL, false, beale, beale_at, 0, 0, 0, "Beale 1958"},
    {"eggholder", FIXED(2), -512, 512, NULL, false, eggholder, eggholder_at, 0, -959.64066272085051, 0,
     "Whitley et al. 1996"},
    {"hartmann3", FIXED(3), 0, 1, NULL, false, hartmann3, hartmann3_at, 0, -3.8627797873326624, 0, "Hartman 1973"},
    {"hartmann6", FIXED(6), 0, 1, NULL, false, hartmann6, hartmann6_at, 0, -3.3223680114155147, 0, "Hartman 1973"},
    {"sphere", FREE(1), -5.12, 5.12, NULL, false, sphere, NULL, 0, 0, 0, "De Jong 1975"},
    {"ackley", FREE(1), -32.768, 32.768, NULL, false, ackley, NULL, 0, 0, 0, "Ackley 1987"},
    {"rosenbrock", FREE(2), -5, 10, NULL, false, rosenbrock, NULL, 1, 0, 0, "Rosenbrock 1960"},
    {"rastrigin", FREE(1), -5.12, 5.12, NULL, false, rastrigin, NULL, 0, 0, 0, "Rastrigin 1974"},
    {"levy", FREE(1), -10, 10, NULL, false, levy, NULL, 1, 0, 0, "Levy and Montalvo 1985"},
    {"styblinski_tang", FREE(1), -5, 5, NULL, false, styblinski_tang, NULL, -2.903534027771177, 0, -39.16616570377141,
     "Styblinski and Tang 1990"},
    {"griewank", FREE(1), -600, 600, NULL, false, griewank, NULL, 0, 0, 0, "Griewank 1981"},
    {"michalewicz", 1, 10, 0, M_PI, NULL, false, michalewicz, michalewicz_at, 0, NAN, 0, "Michalewicz 1992"},
    {"schwefel", FREE(1), -500, 500, NULL, false, schwefel, NULL, 420.968746359982, 0, 0, "Schwefel 1981"},
    {"zakharov", FREE(1), -5, 10, NULL, false, zakharov, NULL, 0, 0, 0, "Rahnamayan et al. 2007"},
    {"slope", FREE(1), -5, 5, NULL, false, slope, NULL, -5, 0, 0, "BBOB's linear slope, Hansen et al. 2009"},
    {"choices2", FIXED(4), 0, 0, choices2_ranges, false, choices2, choices2_at, 0, 0.2 * CAMEL_LEAST, 0,
     "Func2C of Ru et al. 2020"},
    {"choices3", FIXED(5), 0, 0, choices3_ranges, false, choices3, choices3_at, 0, 0.7 * CAMEL_LEAST, 0,
     "Func3C of Ru et al. 2020"},
    {"tree", FIXED(9), 0, 0, tree_ranges, true, tree, tree_at, 0, 0.1, 0, "Jenatton et al. 2017"},
    {"algorithms", FIXED(13), 0, 0, algorithms_ranges, true, algorithms, algorithms_at, 0, 0, 0,
     "after the problem of Thornton et al. 2013"},
    {0},
};

const struct function *function_find(const char *name)
{
    for (const struct function *row = function_list; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

struct function_range function_domain(const struct function *function, size_t i)
{
    return function->ranges ? function->ranges[i] : (struct function_range){function->low, function->high, false};
}

double function_minimum(const struct function *function, size_t d, double *x)
{
    for (size_t i = 0; i < d; i++)
        x[i] = function->at ? function->at[i] : function->all;
    return isnan(function->minimum) ? function->value(x, d) : function->minimum + function->minimum_per * (double)d;
}
