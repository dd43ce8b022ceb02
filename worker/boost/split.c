/* See split.h. */
#include "worker/boost/split.h"

#include "common/clones.h"
#include "common/unset.h"

double split_value(gradient_sum sum, const struct gradients *units, const struct split_rules *rules)
{
    return -gradients_g(units, sum) / (gradients_h(units, sum) + rules->l2);
}

/* What is on the left of each place, for one input. Arrays, so that places are judged several at a time. */
struct split_places {
    double g[BINS_MOST + 1], h[BINS_MOST + 1]; /* in units */
    double rows[BINS_MOST + 1], gain[BINS_MOST + 1];
};

static void sum_up_places(struct split_places *places, const gradient_sum *part, uint32_t count, gradient_sum left,
                          const struct gradients *units)
{
    for (uint32_t b = 0; b < count; b++) {
        left += part[b];
        places->g[b] = (double)left[0];
        places->h[b] = (double)(int64_t)((uint64_t)left[1] >> units->count_bits);
        places->rows[b] = (double)(int64_t)gradients_rows(units, left);
    }
}

/* The gain of each place; -1 where a side is too small. */
CLONES static void judge_places(struct split_places *places, uint32_t count, gradient_sum all,
                                const struct gradients *units, const struct split_rules *rules)
{
    double g_unit = units->g_unit, h_unit = units->h_unit, l2 = rules->l2;
    double rows = (double)gradients_rows(units, all), least = (double)rules->min_rows, lightest = rules->min_hessian;
    double g = gradients_g(units, all), h = gradients_h(units, all), whole = g * g / (h + l2);
#pragma omp simd
    for (uint32_t b = 0; b < count; b++) {
        double g_left = places->g[b] * g_unit, h_left = places->h[b] * h_unit, g_right = g - g_left,
               h_right = h - h_left;
        double gain =
            (g_left * g_left * (h_right + l2) + g_right * g_right * (h_left + l2)) / ((h_left + l2) * (h_right + l2)) -
            whole;
        bool large = (places->rows[b] >= least) & (rows - places->rows[b] >= least) & (h_left >= lightest) &
                     (h_right >= lightest);
        places->gain[b] = large ? gain : -1;
    }
}

/* Tries all places with the missing rows on one side: `left` is what is there before bin 0. */
static void try_places(const gradient_sum *part, uint32_t count, gradient_sum left, gradient_sum all,
                       const struct gradients *units, const struct split_rules *rules, struct split *best)
{
    UNSET struct split_places places;
    bool missing_left = gradients_rows(units, left) > 0;
    sum_up_places(&places, part, count, left, units);
    judge_places(&places, count, all, units, rules);
    uint32_t at = count;
    for (uint32_t b = 0; b < count; b++)
        if (places.gain[b] > best->gain) {
            best->gain = places.gain[b];
            at = b;
        }
    if (at == count)
        return;
    best->bin = (uint8_t)at;
    best->missing_left = missing_left;
    best->left = left;
    for (uint32_t b = 0; b <= at; b++)
        best->left += part[b];
}

struct split split_find(const struct bins *bins, uint32_t input, const gradient_sum *part, gradient_sum all,
                        const struct gradients *units, const struct split_rules *rules)
{
    const struct bins_input *of = &bins->of[input];
    struct split best = {.gain = rules->min_gain, .input = input};
    double least = best.gain;
    bool missing = of->count > of->values && gradients_rows(units, part[of->values]) > 0;
    /* With missing rows on the right, behind the last place everything that is not missing is on the left. */
    try_places(part, of->values - 1 + missing, (gradient_sum){0, 0}, all, units, rules, &best);
    if (missing)
        try_places(part, of->values - 1, part[of->values], all, units, rules, &best);
    if (!(best.gain > least))
        best.gain = 0;
    return best;
}
