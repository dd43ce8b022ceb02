/* Probabilities of choices; see cmaes_choices.h. */
#include "search/simple/cmaes_choices.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

static void make_even(struct choices *choices, uint32_t c)
{
    for (uint64_t k = 0; k < choices->values[c]; k++)
        choices->chance[c][k] = 1.0 / (double)choices->values[c];
}

void choices_init(struct choices *choices, uint32_t count, const uint64_t *values)
{
    *choices = (struct choices){.count = count, .values = values, .chance = MEM_ARRAY(double *, count)};
    for (uint32_t c = 0; c < count; c++) {
        choices->chance[c] = MEM_ARRAY(double, values[c]);
        make_even(choices, c);
    }
}

void choices_fini(struct choices *choices)
{
    for (uint32_t c = 0; c < choices->count; c++)
        free(choices->chance[c]);
    free(choices->chance);
    *choices = (struct choices){0};
}

void choices_draw(const struct choices *choices, struct rng *rng, double *index)
{
    for (uint32_t c = 0; c < choices->count; c++) {
        double draw = rng_unit(rng);
        uint64_t k = 0;
        while (k + 1 < choices->values[c] && draw >= choices->chance[c][k])
            draw -= choices->chance[c][k++];
        index[c] = (double)k;
    }
}

/* Raises what fell below the margin and takes it from what lies above it (CatCMA, section 4.2). */
static void keep_margin(double *chance, uint64_t values, double margin)
{
    double sum = 0, spare = 0;
    for (uint64_t k = 0; k < values; k++) {
        chance[k] = fmax(chance[k], margin);
        sum += chance[k];
        spare += chance[k] - margin;
    }
    for (uint64_t k = 0; k < values && spare > 0; k++)
        chance[k] += (1 - sum) * (chance[k] - margin) / spare;
}

void choices_learn(struct choices *choices, const struct normal *normal, const double *const *best)
{
    double freedom = 0;
    for (uint32_t c = 0; c < choices->count; c++)
        freedom += (double)choices->values[c] - 1;
    /* As much new as the selection is worth beside the numbers that are to be learned. */
    double rate = normal->mu_eff / (normal->mu_eff + 2 * freedom);
    /* With this margin a draw has its most probable value in all parameters in 73 % of all cases. */
    double out = 1 - pow(.73, 1.0 / fmax(choices->count, 1));
    for (uint32_t c = 0; c < choices->count; c++) {
        double *chance = choices->chance[c], said = 0;
        for (uint32_t i = 0; i < normal->mu; i++)
            said += best[i][c] < 0 ? 0 : normal->weights[i];
        for (uint64_t k = 0; k < choices->values[c]; k++)
            chance[k] *= 1 - rate * said;
        for (uint32_t i = 0; i < normal->mu; i++)
            if (best[i][c] >= 0)
                chance[(uint64_t)best[i][c]] += rate * normal->weights[i];
        if (choices->values[c] > 1)
            keep_margin(chance, choices->values[c], out / ((double)choices->values[c] - 1));
    }
}
