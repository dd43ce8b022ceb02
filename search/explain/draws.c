/* Functions from a posterior; see draws.h.
 *
 * A draw is one from the prior, corrected by what it misses the trials by (Wilson et al.: "Efficiently sampling
 * functions from Gaussian process posteriors", ICML 2020, equation 12):
 *
 *     f(x) + k(x, X) (K + noise)^-1 (y - f(X) - e),   e ~ N(0, noise)
 *
 * The prior's f is a sum of waves, of random frequencies and phases and with normal weights (Rahimi, Recht: "Random
 * features for large-scale kernel machines", NIPS 2007). Frequencies of the Matern 5/2 covariance have Student's t
 * distribution with 5 degrees of freedom. There is a group of waves for all coordinates together and one for each main
 * effect (covariance.h). Coordinates are seen as places whose distances are those of the covariance: a number on a
 * line, each nominal value on an axis of its own, an inactive number beside the line, about 1 from all of it. */
#include "search/explain/draws.h"
#include "search/gp/linalg.h"
#include "common/clones.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    JOINT_WAVES =
        128, /* their covariance is off by 1 / sqrt(128), by chance, and near trials the correction mends it */
    MAIN_WAVES = 16,
    DEGREES = 5 /* of freedom: twice Matern's 5/2 */
};

/* Waves that depend on the coordinates from `first` to before `end`. */
struct draw_group {
    uint32_t first, end, waves;
    double amplitude;
    double *frequencies; /* axis after axis of these coordinates: waves */
    double *phases;      /* waves */
};

struct draws {
    const struct surrogate *surrogate;
    uint32_t count, dimension; /* S, W */
    uint32_t *axes;            /* W + 1: the first axis of each coordinate's place, and the end */
    struct draw_group *groups;
    uint32_t group_count, waves; /* waves of all groups */
    double *weights;             /* S x waves: normal, times the groups' amplitudes */
    double *pull;                /* S x n: what is left to correct, times the inverse covariance */
    double *wave, *near, *more;  /* waves, n, S: scratch of one point */
};

/* --- places --- */

/* A coordinate's place: on one of its axes, or between two. */
struct draw_place {
    uint32_t axis[2];
    double at[2];
};

/* Nominal: an axis for each level and one for inactive. Numbers: the line and one beside it. */
static uint32_t count_axes(const struct domain_axis *axis)
{
    return axis->nominal ? (uint32_t)axis->levels + 1 : 2;
}

static struct draw_place place_of(const struct draws *draws, uint32_t d, double z)
{
    const struct gp_domain *domain = draws->surrogate->domain;
    const struct domain_axis *axis = &domain->axes[d];
    uint32_t first = draws->axes[d], last = draws->axes[d + 1] - 1;
    if (!axis->nominal)
        return isnan(z) ? (struct draw_place){{first, last}, {0.5, sqrt(0.75)}}
                        : (struct draw_place){{first, last}, {z, 0}};
    uint32_t level = isnan(z) ? last : first + (uint32_t)domain_level(domain, d, axis->low + axis->span * z);
    return (struct draw_place){{level, level}, {M_SQRT1_2, 0}};
}

/* --- waves --- */

/* Student's t: a normal direction, all of it longer by one chance. */
static void draw_frequencies(const struct draws *draws, struct draw_group *group, double factor, struct rng *rng)
{
    const struct covariance *covariance = &draws->surrogate->covariance;
    uint32_t begin = draws->axes[group->first];
    for (uint32_t w = 0; w < group->waves; w++) {
        double squares = 0;
        for (int i = 0; i < DEGREES; i++)
            squares += pow(rng_normal(rng), 2);
        double stretch = factor * sqrt((double)DEGREES / squares) / (2 * M_PI);
        for (uint32_t d = group->first; d < group->end; d++)
            for (uint32_t a = draws->axes[d]; a < draws->axes[d + 1]; a++)
                group->frequencies[(size_t)(a - begin) * group->waves + w] =
                    stretch * sqrt(covariance->weight[d]) * rng_normal(rng);
        group->phases[w] = rng_unit(rng);
    }
}

static void group_init(struct draws *draws, uint32_t first, uint32_t end, uint32_t waves, double variance,
                       double factor, struct rng *rng)
{
    struct draw_group *group = &draws->groups[draws->group_count++];
    size_t axes = draws->axes[end] - draws->axes[first];
    *group =
        (struct draw_group){first, end, waves, sqrt(2 * variance / waves), MEM_ARRAY(double, (axes + 1) * waves), NULL};
    group->phases = group->frequencies + axes * waves;
    draw_frequencies(draws, group, factor, rng);
    draws->waves += waves;
}

/* cos(2 pi t) to some 1e-11, in a form that vector registers take. A turn is taken off by adding and taking away a
 * number at which doubles are whole; half a turn is folded onto the sine's rise, whose series (Taylor, to the 15th
 * power) errs by (pi / 2)^17 / 17! at its end. */
static inline double cosine_of_turns(double t)
{
    const double whole = 0x1.8p52;
    double u = 2 * M_PI * (0.25 - fabs(t - ((t + whole) - whole))), s = u * u;
    double series = 1 - s / 210;
    series = 1 - s / 156 * series;
    series = 1 - s / 110 * series;
    series = 1 - s / 72 * series;
    series = 1 - s / 42 * series;
    series = 1 - s / 20 * series;
    return u * (1 - s / 6 * series);
}

CLONES static void turn_to_cosines(double *turns, uint32_t count)
{
#pragma omp simd
    for (uint32_t w = 0; w < count; w++)
        turns[w] = cosine_of_turns(turns[w]);
}

CLONES static void add_turns(const double *frequencies, uint32_t count, double at, double *turns)
{
#pragma omp simd
    for (uint32_t w = 0; w < count; w++)
        turns[w] += at * frequencies[w];
}

/* The waves of one group at a point. */
static void wave_at(const struct draws *draws, const struct draw_group *group, const double *z, double *out)
{
    uint32_t begin = draws->axes[group->first];
    memcpy(out, group->phases, group->waves * sizeof *out);
    for (uint32_t d = group->first; d < group->end; d++) {
        struct draw_place place = place_of(draws, d, z[d]);
        for (int side = 0; side < 2; side++) {
            const double *frequencies = group->frequencies + (size_t)(place.axis[side] - begin) * group->waves;
            if (place.at[side] != 0)
                add_turns(frequencies, group->waves, place.at[side], out);
        }
    }
    turn_to_cosines(out, group->waves);
}

/* The prior's draws at a point, without the constant mean, which is in the last weight. */
static void prior_at(struct draws *draws, const double *z, double *out)
{
    double *wave = draws->wave;
    for (uint32_t g = 0; g < draws->group_count; g++) {
        wave_at(draws, &draws->groups[g], z, wave);
        wave += draws->groups[g].waves;
    }
    *wave = 1;
    linalg_multiply_rows(draws->weights, draws->count, draws->waves + 1, draws->waves + 1, draws->wave, out);
}

static void draw_weights(struct draws *draws, struct rng *rng)
{
    double *weight = draws->weights = MEM_ARRAY(double, (size_t)draws->count *(draws->waves + 1));
    for (uint32_t s = 0; s < draws->count; s++) {
        for (uint32_t g = 0; g < draws->group_count; g++)
            for (uint32_t w = 0; w < draws->groups[g].waves; w++)
                *weight++ = draws->groups[g].amplitude * rng_normal(rng);
        *weight++ = sqrt(draws->surrogate->covariance.offset) * rng_normal(rng);
    }
}

/* --- the correction --- */

static void correct_draws(struct draws *draws, struct rng *rng)
{
    const struct posterior *posterior = &draws->surrogate->posterior;
    uint32_t n = posterior->known;
    double *z = MEM_ARRAY(double, draws->dimension);
    draws->pull = MEM_ARRAY(double, (size_t)draws->count *n);
    for (uint32_t i = 0; i < n; i++) {
        design_get(&posterior->z, i, z);
        prior_at(draws, z, draws->more);
        for (uint32_t s = 0; s < draws->count; s++)
            draws->pull[(size_t)s * n + i] =
                posterior->values[i] - draws->more[s] - sqrt(posterior->noise[i]) * rng_normal(rng);
    }
    for (uint32_t s = 0; s < draws->count; s++) {
        linalg_solve(posterior->factor, n, posterior->stride, draws->pull + (size_t)s * n);
        linalg_solve_transposed(posterior->factor, n, posterior->stride, draws->pull + (size_t)s * n);
    }
    free(z);
}

/* --- life --- */

struct draws *draws_create(const struct surrogate *surrogate, uint32_t count, struct rng *rng)
{
    const struct covariance *covariance = &surrogate->covariance;
    uint32_t dimension = surrogate->domain->width;
    struct draws *draws = MEM_NEW(struct draws);
    *draws = (struct draws){.surrogate = surrogate, .count = count, .dimension = dimension};
    draws->axes = MEM_ARRAY(uint32_t, dimension + 1);
    for (uint32_t d = 0; d < dimension; d++)
        draws->axes[d + 1] = draws->axes[d] + count_axes(&surrogate->domain->axes[d]);
    draws->groups = MEM_ARRAY(struct draw_group, dimension + 1);
    group_init(draws, 0, dimension, JOINT_WAVES, covariance->signal, 1, rng);
    for (uint32_t d = 0; d < dimension && covariance->main > 0; d++)
        group_init(draws, d, d + 1, MAIN_WAVES, covariance->main / dimension, sqrt(dimension), rng);
    draws->wave = MEM_ARRAY(double, draws->waves + 1);
    draws->near = MEM_ARRAY(double, surrogate->posterior.known + 1);
    draws->more = MEM_ARRAY(double, count);
    draw_weights(draws, rng);
    correct_draws(draws, rng);
    return draws;
}

void draws_destroy(struct draws *draws)
{
    if (!draws)
        return;
    for (uint32_t g = 0; g < draws->group_count; g++)
        free(draws->groups[g].frequencies);
    free(draws->groups);
    free(draws->axes);
    free(draws->weights);
    free(draws->pull);
    free(draws->wave);
    free(draws->near);
    free(draws->more);
    free(draws);
}

void draws_values(struct draws *draws, const double *x, double *out)
{
    const struct posterior *posterior = &draws->surrogate->posterior;
    uint32_t n = posterior->known;
    prior_at(draws, x, out);
    covariance_values(&draws->surrogate->covariance, &posterior->z, n, x, draws->near);
    linalg_multiply_rows(draws->pull, draws->count, n, n, draws->near, draws->more);
    for (uint32_t s = 0; s < draws->count; s++)
        out[s] += draws->more[s];
}
