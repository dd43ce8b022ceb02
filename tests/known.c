/* Functions of known shares; see known.h. */
#include "tests/known.h"
#include "tests/searches.h"
#include "tests/spaces.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the functions --- */

static double bowl(const double *x)
{
    return 5 * pow(x[0] - 0.3, 2) + pow(x[1] - 0.7, 2);
}

/* With noise of a seventh of what the function varies by. */
static double noisy_bowl(const double *x)
{
    uint64_t bits[2];
    memcpy(bits, x, sizeof bits);
    struct rng rng = rng_make(bits[0], "noise", bits[1]);
    return bowl(x) + 0.1 * rng_normal(&rng);
}

static double sphere(const double *x)
{
    return 8 * pow(x[0] - 0.4, 2) + 4 * pow(x[1] - 0.4, 2) + 2 * pow(x[2] - 0.4, 2) + pow(x[3] - 0.4, 2);
}

static double lines(const double *x)
{
    return 10 * x[0] + 3 * x[1] + x[2] + 0.3 * x[3];
}

static double ishigami(const double *x)
{
    return sin(x[0]) + 7 * pow(sin(x[1]), 2) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

static double sobol_g(const double *x)
{
    const double a[] = {0, 1, 4.5, 9};
    double product = 1;
    for (int i = 0; i < 4; i++)
        product *= (fabs(4 * x[i] - 2) + a[i]) / (1 + a[i]);
    return product;
}

static double crossed(const double *x)
{
    return 4 * (x[0] - 0.5) * (x[1] - 0.5) + x[2];
}

static double choices(const double *x)
{
    const double offset[] = {0, 1, 2, 5};
    return offset[(int)x[0]] + 2 * x[1];
}

static double conditional(const double *x)
{
    return x[0] == 0 ? 1 + 2 * x[1] : 1.5 * x[2];
}

static double training(const double *x)
{
    return pow(log10(x[0]) + 3, 2) + 0.3 * pow(x[1] - 2, 2);
}

static double steep(const double *x)
{
    return exp(5 * x[0]) + 30 * x[1];
}

static double rosenbrock(const double *x)
{
    return 100 * pow(x[1] - x[0] * x[0], 2) + pow(1 - x[0], 2);
}

/* Shares by integration: of a sum they are as the terms' variances, here 5^2 : 1 and so on. */
const struct known known_functions[] = {
    {"bowl", "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}", bowl, {.9615, .0385}, {.9615, .0385}},
    {"noisy bowl",
     "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}",
     noisy_bowl,
     {.9615, .0385},
     {.9615, .0385}},
    {"sphere",
     "{'a': {'min': 0.0, 'max': 1.0}, 'b': {'min': 0.0, 'max': 1.0}, 'c': {'min': 0.0, 'max': 1.0},"
     " 'd': {'min': 0.0, 'max': 1.0}}",
     sphere,
     {.7529, .1882, .0471, .0118},
     {.7529, .1882, .0471, .0118}},
    {"lines",
     "{'a': {'min': 0.0, 'max': 1.0}, 'b': {'min': 0.0, 'max': 1.0}, 'c': {'min': 0.0, 'max': 1.0},"
     " 'd': {'min': 0.0, 'max': 1.0}, 'idle': {'min': 0.0, 'max': 1.0}, 'idler': {'min': 0.0, 'max': 1.0}}",
     lines,
     {.9084, .0818, .0091, .0008},
     {.9084, .0818, .0091, .0008}},
    {"ishigami",
     "{'x': {'min': -3.14159265, 'max': 3.14159265}, 'y': {'min': -3.14159265, 'max': 3.14159265},"
     " 'z': {'min': -3.14159265, 'max': 3.14159265}}",
     ishigami,
     {.3139, .4424, 0},
     {.5576, .4424, .2437}},
    {"sobol g",
     "{'a': {'min': 0.0, 'max': 1.0}, 'b': {'min': 0.0, 'max': 1.0}, 'c': {'min': 0.0, 'max': 1.0},"
     " 'd': {'min': 0.0, 'max': 1.0}}",
     sobol_g,
     {.7165, .1791, .0237, .0072},
     {.7874, .2423, .0343, .0105}},
    {"crossed",
     "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}, 'z': {'min': 0.0, 'max': 1.0}}",
     crossed,
     {0, 0, .4286},
     {.5714, .5714, .4286}},
    {"choices", "{'c': ['p', 'q', 'r', 's'], 'x': {'min': 0.0, 'max': 1.0}}", choices, {.9130, .0870}, {.9130, .0870}},
    {"conditional",
     "{'opt': ['p', 'q'], 'inner': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'p'}},"
     " 'other': {'min': 0.0, 'max': 1.0, 'when': {'opt': 'q'}}}",
     conditional,
     {.6, .128, .072},
     {.8, .256, .144}},
    {"training",
     "{'lr': {'min': 1e-5, 'max': 1e-1, 'log': true}, 'layers': {'min': 1, 'max': 5},"
     " 'idle': {'min': 0.0, 'max': 0.5}}",
     training,
     {.5940, .4060, 0},
     {.5940, .4060, 0}},
    {"steep", "{'x': {'min': 0.0, 'max': 1.0}, 'y': {'min': 0.0, 'max': 1.0}}", steep, {.9467, .0533}, {.9467, .0533}},
    {"rosenbrock",
     "{'x': {'min': -2.0, 'max': 2.0}, 'y': {'min': -2.0, 'max': 2.0}}",
     rosenbrock,
     {.4975, .2964},
     {.7036, .5025}},
};
const uint32_t known_count = sizeof known_functions / sizeof *known_functions;

double known_value(const struct known *known, const struct space *space, const double *unit)
{
    const struct gannet_host *host = space_host(space);
    double naturals[KNOWN_MOST];
    for (uint32_t d = 0; d < space_dimension(space); d++)
        naturals[d] = isnan(unit[d]) ? NAN : host->natural(host, d, unit[d]);
    return known->value(naturals);
}

/* --- searches --- */

static void tell(const struct known *known, struct known_search *search, struct searcher *searcher, uint64_t trial,
                 const char *params)
{
    double unit[KNOWN_MOST];
    space_point_of_json(search->space, params, unit, NULL);
    double loss = known_value(known, search->space, unit);
    searcher_tell(searcher, trial, ENDING_COMPLETED, loss, 1);
    struct gannet_outcome_of_trial told = {
        .trial = trial, .unit = unit, .outcome = GANNET_FINISHED, .loss = loss, .losses = &loss, .energy = NAN};
    history_tell(search->history, &told);
}

struct known_search known_search(const struct known *known, const char *strategy, uint64_t seed, uint32_t trials)
{
    struct known_search out = {.space = spaces_make(known->space), .problem = MEM_NEW(struct gannet_problem)};
    *out.problem = (struct gannet_problem){.space = space_public(out.space), .objectives = 1};
    out.history = history_create(out.problem, 0);
    struct searcher *searcher = searches_make(&(struct search){.strategy = strategy}, out.space, seed);
    struct proposal before = {0}, proposal;
    struct err err;
    for (uint64_t trial = 1; trial <= trials; trial++) {
        if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED)
            break;
        if (before.params)
            tell(known, &out, searcher, trial - 1, before.params);
        free(before.params);
        before = proposal;
    }
    if (before.params)
        tell(known, &out, searcher, trials, before.params);
    free(before.params);
    searcher_destroy(searcher);
    return out;
}

void known_search_end(struct known_search *search)
{
    history_destroy(search->history);
    free(search->problem);
    space_destroy(search->space);
}
