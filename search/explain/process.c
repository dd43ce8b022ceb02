/* Drawing a process; see process.h.
 *
 *     choose_points     half of the trials, those far from each other: what theta is drawn from
 *     draw_scale        how losses are bent, by the evidence of each bend
 *     draw_theta        lengths, signals and noise, by elliptical slice sampling
 *     surrogate_learn   all trials */
#include "search/explain/process.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 16,    /* points that theta is drawn from at least, */
    MANY = 100,  /* and at most: a fit to so many takes 7 ms */
    SLICES = 10, /* steps from the most probable theta to one that is drawn */
    MOST_CUTS = 50
};

/* Bends in standard deviations of the losses. Where a search has found losses near the least, effects that multiply are
 * seen on a bent scale only: beside the optimum of a product all other factors seem to matter little. */
static const double bends[] = {INFINITY, 0.3, 0.1};
enum { BENDS = sizeof bends / sizeof *bends };

/* A bend is 400 times less probable than none before the trials speak: few of them show bends that are not there. */
static const double bend_penalty = 6;

/* --- the points --- */

/* The square of the distance between two points. */
static double square_distance(const struct gp_domain *domain, const struct design *points, uint32_t i, uint32_t j)
{
    double sum = 0;
    for (uint32_t d = 0; d < domain->width; d++)
        sum += covariance_square(&domain->axes[d], points->x[(size_t)d * points->capacity + i],
                                 points->x[(size_t)d * points->capacity + j]);
    return sum;
}

/* The number of one of the points, drawn in proportion to these numbers, or the next where all are 0. */
static uint32_t draw_point(const double *chances, uint32_t n, uint32_t after, struct rng *rng)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += chances[i];
    double left = rng_unit(rng) * sum;
    for (uint32_t i = 0; i < n; i++) {
        left -= chances[i];
        if (chances[i] > 0 && left < 0)
            return i;
    }
    return after;
}

/* Chooses half of the points, or more of few, far from each other: each is drawn in proportion to the square of its
 * distance from those chosen before (Arthur, Vassilvitskii: "k-means++", SODA 2007). Of a crowd around the optimum few
 * are taken, so that it is learned how the loss varies over the space, not how little it does there. */
static void choose_points(const struct process_data *data, struct rng *rng, struct design *some, uint32_t *chosen)
{
    const struct design *points = data->points;
    uint32_t n = points->count, half = n / 2 > MANY ? MANY : n / 2 > FEW ? n / 2 : FEW, wanted = n < half ? n : half;
    double *x = MEM_ARRAY(double, points->dimension), *nearest = MEM_ARRAY(double, n);
    for (uint32_t i = 0; i < n; i++)
        nearest[i] = 1;
    while (some->count < wanted) {
        uint32_t i = draw_point(nearest, n, some->count, rng);
        chosen[some->count] = i;
        design_get(points, i, x);
        design_add(some, x);
        for (uint32_t j = 0; j < n; j++) {
            double here = square_distance(data->domain, points, i, j);
            nearest[j] = some->count == 1 ? here : fmin(nearest[j], here);
        }
    }
    free(x);
    free(nearest);
}

/* --- the scale --- */

static double bend_loss(const struct loss_curve *scale, double loss)
{
    double bent = isinf(scale->bend) ? loss : log1p((loss - scale->least) / scale->bend);
    return (bent - scale->mean) / scale->spread;
}

double process_loss(const struct gaussian_process *process, double value)
{
    const struct loss_curve *scale = &process->scale;
    double bent = scale->mean + scale->spread * value;
    return isinf(scale->bend) ? bent : scale->least + scale->bend * expm1(bent);
}

static struct loss_curve make_scale(const struct process_data *data, double bend)
{
    struct loss_curve scale = {.least = INFINITY, .bend = bend, .spread = 1};
    double mean = 0, squares = 0;
    uint32_t n = data->points->count;
    for (uint32_t i = 0; i < n; i++)
        scale.least = fmin(scale.least, data->losses[i]);
    for (uint32_t i = 0; i < n; i++)
        mean += bend_loss(&scale, data->losses[i]) / n;
    for (uint32_t i = 0; i < n; i++)
        squares += pow(bend_loss(&scale, data->losses[i]) - mean, 2) / n;
    scale.mean = mean;
    scale.spread = sqrt(squares);
    return scale;
}

/* By how much the scale stretches what lies around the chosen losses, all factors together, as a logarithm: the
 * probability of their values on it is that much larger than that of the losses themselves. */
static double log_stretch(const struct loss_curve *scale, const struct process_data *data, const uint32_t *chosen,
                          uint32_t count)
{
    double sum = -log(scale->spread) * count;
    for (uint32_t i = 0; i < count && !isinf(scale->bend); i++)
        sum -= log(data->losses[chosen[i]] - scale->least + scale->bend);
    return sum;
}

/* Draws one of the scales, as probable as its best theta makes the chosen losses. That theta is written, and the values
 * that they have on the scale. */
static struct loss_curve draw_scale(const struct process_data *data, const struct design *some, const uint32_t *chosen,
                                    struct rng *rng, double *theta, double *values)
{
    uint32_t size = covariance_size(data->domain->width, false);
    double *thetas = MEM_ARRAY(double, BENDS *(size_t)size), best = -INFINITY;
    struct loss_curve scales[BENDS];
    size_t drawn = 0;
    for (size_t b = 0; b < BENDS; b++) {
        scales[b] = make_scale(data, bends[b]);
        for (uint32_t i = 0; i < some->count; i++)
            values[i] = bend_loss(&scales[b], data->losses[chosen[i]]);
        struct fit_data here = {data->domain, some, values, NULL, false};
        double evidence = log_stretch(&scales[b], data, chosen, some->count) - (b > 0 ? bend_penalty : 0) -
                          fit(&here, thetas + b * size);
        double score = evidence - log(-log(1 - rng_unit(rng))); /* who has the largest is a draw (Gumbel) */
        drawn = score > best ? b : drawn;
        best = fmax(score, best);
    }
    memcpy(theta, thetas + drawn * size, size * sizeof *theta);
    for (uint32_t i = 0; i < some->count; i++)
        values[i] = bend_loss(&scales[drawn], data->losses[chosen[i]]);
    free(thetas);
    return scales[drawn];
}

/* --- theta --- */

static double log_likelihood(const struct fit_data *data, const double *theta)
{
    double prior_part = 0;
    for (uint32_t i = 0; i < covariance_size(data->domain->width, false); i++) {
        struct log_prior prior = fit_prior(data->domain, i);
        if (theta[i] < prior.low || theta[i] > prior.high)
            return -INFINITY;
        prior_part += 0.5 * pow((theta[i] - prior.mean) / prior.spread, 2);
    }
    return prior_part - fit_value(data, theta, NULL);
}

/* The point at an angle on the ellipse through theta and another draw of the prior, given without its mean. */
static void turn_theta(const struct fit_data *data, const double *theta, const double *other, double angle, double *out)
{
    for (uint32_t i = 0; i < covariance_size(data->domain->width, false); i++) {
        double mean = fit_prior(data->domain, i).mean;
        out[i] = mean + (theta[i] - mean) * cos(angle) + other[i] * sin(angle);
    }
}

/* One step of elliptical slice sampling (Murray, Adams, MacKay, AISTATS 2010): of an ellipse of thetas an arc around
 * the present one is cut down until one that is likely enough is drawn from it. */
static void slice_theta(const struct fit_data *data, double *theta, double *work, struct rng *rng)
{
    uint32_t size = covariance_size(data->domain->width, false);
    double *other = work, *next = work + size, level = log_likelihood(data, theta) + log(1 - rng_unit(rng));
    double angle = 2 * M_PI * rng_unit(rng), low = angle - 2 * M_PI, high = angle;
    for (uint32_t i = 0; i < size; i++)
        other[i] = fit_prior(data->domain, i).spread * rng_normal(rng);
    for (int cuts = 0; cuts < MOST_CUTS; cuts++) {
        turn_theta(data, theta, other, angle, next);
        if (log_likelihood(data, next) > level) {
            memcpy(theta, next, size * sizeof *theta);
            return;
        }
        *(angle < 0 ? &low : &high) = angle;
        angle = low + (high - low) * rng_unit(rng);
    }
}

static void draw_theta(const struct fit_data *data, struct rng *rng, double *theta)
{
    double *work = MEM_ARRAY(double, 2 * (size_t)covariance_size(data->domain->width, false));
    for (int i = 0; i < SLICES; i++)
        slice_theta(data, theta, work, rng);
    free(work);
}

/* --- life --- */

void process_init(struct gaussian_process *process, const struct process_data *data, struct rng *rng)
{
    const struct design *points = data->points;
    struct design some;
    uint32_t *chosen = MEM_ARRAY(uint32_t, points->count);
    double *values = MEM_ARRAY(double, points->count);
    double *theta = MEM_ARRAY(double, covariance_size(data->domain->width, false));
    design_init(&some, points->dimension, points->count);
    choose_points(data, rng, &some, chosen);
    process->scale = draw_scale(data, &some, chosen, rng, theta, values);
    draw_theta(&(struct fit_data){data->domain, &some, values, NULL, false}, rng, theta);
    for (uint32_t i = 0; i < points->count; i++)
        values[i] = bend_loss(&process->scale, data->losses[i]);
    surrogate_init(&process->surrogate, data->domain);
    surrogate_set(&process->surrogate, theta, false);
    surrogate_learn(&process->surrogate, points, values, NULL, 0);
    design_fini(&some);
    free(values);
    free(chosen);
}

void process_fini(struct gaussian_process *process)
{
    surrogate_fini(&process->surrogate);
}
