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
    LOOKS = 160, /* values of all coordinates together, but LEAST of each: 20,000 points, at 30 us 0.6 s */
    BLOCK = 40   /* dimensions of GSL's generator */
};

struct study {
    const struct fanova_functions *functions;
    const struct gannet_space *space;
    const struct gannet_host *host;
    double *cube;          /* SAMPLE x D: independent coordinates */
    double *unit;          /* D: a canonical point made of them */
    double *plain;         /* SAMPLE x S: the functions at the sample */
    double *other;         /* S: the same at one point with a coordinate replaced */
    double *means;         /* VALUES x S: over the sample, at each value of a coordinate */
    double *variance;      /* S */
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

static void measure_variance(struct study *study)
{
    uint32_t count = study->functions->count;
    for (uint32_t i = 0; i < SAMPLE; i++)
        evaluate_point(study, i, study->space->count, 0, study->plain + (size_t)i * count);
    for (uint32_t s = 0; s < count; s++) {
        double mean = 0;
        for (uint32_t i = 0; i < SAMPLE; i++)
            mean += study->plain[(size_t)i * count + s] / (double)SAMPLE;
        for (uint32_t i = 0; i < SAMPLE; i++)
            study->variance[s] += pow(study->plain[(size_t)i * count + s] - mean, 2) / (double)SAMPLE;
    }
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

/* Half the mean square of what replacing a coordinate changes is its total effect. */
static void replace_coordinate(struct study *study, uint32_t d, double *together)
{
    uint32_t count = study->functions->count;
    memset(study->means, 0, (size_t)VALUES * count * sizeof *study->means);
    for (uint32_t v = 0; v < study->count; v++)
        for (uint32_t i = 0; i < SAMPLE; i++) {
            evaluate_point(study, i, d, study->at[v], study->other);
            for (uint32_t s = 0; s < count; s++) {
                double change = study->other[s] - study->plain[(size_t)i * count + s];
                study->means[v * count + s] += study->other[s] / (double)SAMPLE;
                together[(size_t)s * study->space->count + d] +=
                    study->weight[v] / (double)SAMPLE * change * change / 2;
            }
        }
}

/* The variance of a function's means at the values of a coordinate. */
static double variance_along(const struct study *study, uint32_t s)
{
    double mean = 0, sum = 0;
    for (uint32_t v = 0; v < study->count; v++)
        mean += study->weight[v] * study->means[v * study->functions->count + s];
    for (uint32_t v = 0; v < study->count; v++)
        sum += study->weight[v] * pow(study->means[v * study->functions->count + s] - mean, 2);
    return sum;
}

static void divide_variance(struct study *study, uint32_t d, double *alone, double *together)
{
    choose_values(study, d);
    replace_coordinate(study, d, together);
    for (uint32_t s = 0; s < study->functions->count; s++) {
        size_t at = (size_t)s * study->space->count + d;
        double variance = study->variance[s];
        together[at] = variance > 0 ? fmin(1, together[at] / variance) : 0;
        alone[at] = variance > 0 ? fmin(together[at], variance_along(study, s) / variance) : 0;
    }
}

void fanova(const struct fanova_functions *functions, const struct gannet_space *space, const struct gannet_host *host,
            double *alone, double *together)
{
    size_t dimension = space->count, count = functions->count;
    double *numbers = MEM_ARRAY(double, (SAMPLE + 1) * dimension + (SAMPLE + VALUES + 2) * count);
    struct study study = {.functions = functions, .space = space, .host = host, .cube = numbers};
    study.unit = study.cube + SAMPLE * dimension;
    study.plain = study.unit + dimension;
    study.means = study.plain + SAMPLE * count;
    study.other = study.means + VALUES * count;
    study.variance = study.other + count;
    memset(together, 0, count * dimension * sizeof *together);
    draw_cube(&study);
    measure_variance(&study);
    for (uint32_t d = 0; d < dimension; d++)
        divide_variance(&study, d, alone, together);
    free(numbers);
}
