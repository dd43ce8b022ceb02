/* Functional ANOVA; see fanova.h.
 *
 * Hutter, Hoos, Leyton-Brown: "An efficient approach for assessing hyperparameter importance" (ICML 2014) add up the
 * leaves of a forest exactly. That needs boxes, and conditional parameters have none. But a configuration is a function
 * of D independent coordinates of the unit cube, inactive ones without effect, so the same shares are found by
 * sampling: for Sobol's first-order index the mean over the sample at each of some values of a coordinate, the same
 * sample at all of them; for the total index Jansen's estimator (Saltelli et al.: "Variance based sensitivity analysis
 * of model output", Computer Physics Communications 181, 2010, table 2). */
#include "search/explain/fanova.h"
#include "search/simple/owen.h"
#include "common/mem.h"
#include "common/rng.h"

#include <gsl/gsl_integration.h>
#include <gsl/gsl_qrng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAMPLE = 128, /* even in every coordinate and pair of them: so the variance of what one or two of them cause is
                   * right to half a percent; with as many random points it would be to 13 % */
    VALUES = 12,  /* of a coordinate at most: Gauss' points, exact for polynomials up to degree 23 */
    LEAST = 6,
    LOOKS = 160, /* values of all coordinates together, but LEAST of each: 20,000 points, at 60 us 1.2 s */
    BLOCK = 40   /* dimensions of GSL's generator */
};

struct study {
    const struct fanova_functions *functions;
    const struct gannet_space *space;
    const struct gannet_host *host;
    double *cube;          /* SAMPLE x D: independent coordinates */
    double *unit;          /* D: a canonical point made of them */
    double *origin;        /* S: the functions at the first point; values are taken from there, for the digits */
    double *values;        /* S: at another one */
    double *along;         /* 2 x S: at one point of the sample, sums over a coordinate's values and their squares */
    double *means;         /* VALUES x S: over the sample, at each value of a coordinate */
    double *mean, *square; /* S: over all that was looked at, values and their squares */
    uint32_t count;        /* values of the coordinate at hand that are looked at */
    double at[VALUES];     /* where they are */
    double weight[VALUES]; /* the part of the range that each stands for */
};

/* The functions at a point of the sample with coordinate d at a value; with no d of it (d >= D), as it is. */
static void evaluate_point(struct study *study, uint32_t i, uint32_t d, double value, double *out)
{
    uint32_t dimension = study->space->count;
    memcpy(study->unit, study->cube + (size_t)i * dimension, dimension * sizeof *study->unit);
    if (d < dimension)
        study->unit[d] = value;
    study->host->snap(study->host, study->unit);
    study->functions->values(study->functions->context, study->unit, out);
}

/* Sobol's points, scrambled, for the coordinates from `first` on; those of later blocks come in another order. */
static void draw_block(struct study *study, uint32_t first, struct rng *rng)
{
    uint32_t dimension = study->space->count, count = dimension - first < BLOCK ? dimension - first : BLOCK;
    gsl_qrng *sobol = gsl_qrng_alloc(gsl_qrng_sobol, count);
    uint32_t seeds[BLOCK], mask = first ? (uint32_t)rng_below(rng, SAMPLE) : 0, factor = first ? mask | 1 : 1;
    double point[BLOCK] = {0}; /* the sequence's point 0, which the generator leaves out */
    for (uint32_t d = 0; d < count; d++)
        seeds[d] = (uint32_t)(rng_next(rng) >> 32);
    for (uint32_t i = 0; i < SAMPLE; i++) {
        double *cube = study->cube + (size_t)((i * factor + mask) % SAMPLE) * dimension + first;
        for (uint32_t d = 0; d < count; d++)
            cube[d] = (owen_scramble((uint32_t)(point[d] * 0x1p32), seeds[d]) + 0.5) * 0x1p-32;
        gsl_qrng_get(sobol, point);
    }
    gsl_qrng_free(sobol);
}

static void draw_cube(struct study *study)
{
    struct rng rng = rng_make(0, "fanova", 0);
    for (uint32_t first = 0; first < study->space->count; first += BLOCK)
        draw_block(study, first, &rng);
}

/* Chooses the values of a coordinate that are looked at: of a few levels each as often as the others. */
static void choose_values(struct study *study, uint32_t d)
{
    uint64_t levels = study->space->params[d].levels, fair = LOOKS / study->space->count;
    uint64_t most = fair > VALUES ? VALUES : fair < LEAST ? LEAST : fair;
    bool few = levels > 0 && levels <= VALUES;
    study->count = (uint32_t)(!few ? most : levels > most ? levels : most / levels * levels);
    gsl_integration_glfixed_table *gauss = gsl_integration_glfixed_table_alloc(study->count);
    for (uint32_t v = 0; v < study->count; v++) {
        study->at[v] = (v + 0.5) / study->count;
        study->weight[v] = 1.0 / study->count;
        if (!few)
            gsl_integration_glfixed_point(0, 1, v, &study->at[v], &study->weight[v], gauss);
    }
    gsl_integration_glfixed_table_free(gauss);
}

/* Adds what the functions do at a point of the sample as coordinate d takes its values: their variance along it is part
 * of the total effect. */
static void look_along(struct study *study, uint32_t i, uint32_t d, double *together)
{
    uint32_t count = study->functions->count;
    double *sums = study->along, *squares = sums + count;
    memset(sums, 0, 2 * (size_t)count * sizeof *sums);
    for (uint32_t v = 0; v < study->count; v++) {
        evaluate_point(study, i, d, study->at[v], study->values);
        for (uint32_t s = 0; s < count; s++) {
            double value = study->values[s] - study->origin[s];
            study->means[v * count + s] += value / (double)SAMPLE;
            sums[s] += study->weight[v] * value;
            squares[s] += study->weight[v] * value * value;
        }
    }
    for (uint32_t s = 0; s < count; s++) {
        study->square[s] += squares[s] / (double)SAMPLE / study->space->count;
        together[(size_t)s * study->space->count + d] += fmax(0, squares[s] - sums[s] * sums[s]) / (double)SAMPLE;
    }
}

/* The variance of a function's means at the values of a coordinate; their mean is added up. */
static double variance_along(struct study *study, uint32_t s)
{
    double mean = 0, sum = 0;
    for (uint32_t v = 0; v < study->count; v++)
        mean += study->weight[v] * study->means[v * study->functions->count + s];
    for (uint32_t v = 0; v < study->count; v++)
        sum += study->weight[v] * pow(study->means[v * study->functions->count + s] - mean, 2);
    study->mean[s] += mean / study->space->count;
    return sum;
}

static void divide_variance(struct study *study, uint32_t d, double *alone, double *together)
{
    uint32_t count = study->functions->count;
    choose_values(study, d);
    memset(study->means, 0, (size_t)VALUES * count * sizeof *study->means);
    for (uint32_t i = 0; i < SAMPLE; i++)
        look_along(study, i, d, together);
    for (uint32_t s = 0; s < count; s++)
        alone[(size_t)s * study->space->count + d] = variance_along(study, s);
}

/* From variances to shares of the whole, which all points that were looked at know together. */
static void divide_by_whole(const struct study *study, double *alone, double *together)
{
    uint32_t dimension = study->space->count;
    for (uint32_t s = 0; s < study->functions->count; s++) {
        double whole = study->square[s] - study->mean[s] * study->mean[s];
        for (uint32_t d = 0; d < dimension; d++) {
            size_t at = (size_t)s * dimension + d;
            together[at] = whole > 0 ? fmin(1, together[at] / whole) : 0;
            alone[at] = whole > 0 ? fmin(together[at], alone[at] / whole) : 0;
        }
    }
}

void fanova(const struct fanova_functions *functions, const struct gannet_space *space, const struct gannet_host *host,
            double *alone, double *together)
{
    size_t dimension = space->count, count = functions->count;
    double *numbers = MEM_ARRAY(double, (SAMPLE + 1) * dimension + (VALUES + 6) * count);
    struct study study = {.functions = functions, .space = space, .host = host, .cube = numbers};
    study.unit = study.cube + SAMPLE * dimension;
    study.origin = study.unit + dimension;
    study.values = study.origin + count;
    study.along = study.values + count;
    study.mean = study.along + 2 * count;
    study.square = study.mean + count;
    study.means = study.square + count;
    memset(together, 0, count * dimension * sizeof *together);
    draw_cube(&study);
    evaluate_point(&study, 0, space->count, 0, study.origin);
    for (uint32_t d = 0; d < dimension; d++)
        divide_variance(&study, d, alone, together);
    divide_by_whole(&study, alone, together);
    free(numbers);
}
