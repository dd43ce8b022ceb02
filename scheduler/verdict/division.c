/* Every place between two values is tried, with running counts of each side; see division.h. */
#include "scheduler/verdict/division.h"

#include <math.h>
#include <stdlib.h>

static const double least_gain = 0.1; /* bits */

struct division_side {
    size_t count, of[VERDICTS_COUNT];
};

static void add_trial(struct division_side *side, const struct division_trial *trial)
{
    side->count++;
    side->of[trial->verdict]++;
}

static struct division_side rest_of(const struct division_side *all, const struct division_side *some)
{
    struct division_side rest = {.count = all->count - some->count};
    for (int i = 0; i < VERDICTS_COUNT; i++)
        rest.of[i] = all->of[i] - some->of[i];
    return rest;
}

/* Bits that a verdict takes, times how many there are. */
static double bits_of(const struct division_side *side)
{
    double bits = 0;
    for (int i = 0; i < VERDICTS_COUNT; i++)
        if (side->of[i])
            bits -= (double)side->of[i] * log2((double)side->of[i] / (double)side->count);
    return bits;
}

static double share_of(const struct division_side *side, int verdict)
{
    return (double)side->of[verdict] / (double)side->count;
}

static double difference_of(const struct division_side *here, const struct division_side *there, int verdict)
{
    return fabs(share_of(here, verdict) - share_of(there, verdict));
}

/* Where there are but two verdicts their shares differ by as much: then it is the one with more trials. */
static int most_different(const struct division_side *here, const struct division_side *there)
{
    static const double equal = 1e-9;
    int most = 0;
    for (int i = 1; i < VERDICTS_COUNT; i++) {
        double more = difference_of(here, there, i) - difference_of(here, there, most);
        bool is_frequent = here->of[i] + there->of[i] > here->of[most] + there->of[most];
        if (more > equal || (more > -equal && is_frequent))
            most = i;
    }
    return most;
}

/* Takes this division when it says more. */
static void try_sides(const struct division_side *all, const struct division_side *here, double value,
                      struct division *best)
{
    struct division_side there = rest_of(all, here);
    if (here->count < DIVISION_LEAST || there.count < DIVISION_LEAST)
        return;
    double gain = (bits_of(all) - bits_of(here) - bits_of(&there)) / (double)all->count;
    if (!(gain > best->gain))
        return;
    int verdict = most_different(here, &there);
    *best = (struct division){.gain = gain,
                              .value = value,
                              .verdict = (enum verdict_kind)verdict,
                              .here = here->count,
                              .there = there.count,
                              .bounded_here = here->of[verdict],
                              .bounded_there = there.of[verdict]};
}

static int compare_values(const void *a, const void *b)
{
    const struct division_trial *one = a, *other = b;
    return (one->value > other->value) - (one->value < other->value);
}

bool division_find(struct division_trial *trials, size_t count, bool is_named, struct division *out)
{
    struct division_side all = {0}, here = {0};
    *out = (struct division){.gain = 0};
    qsort(trials, count, sizeof *trials, compare_values);
    for (size_t i = 0; i < count; i++)
        add_trial(&all, &trials[i]);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        add_trial(&here, &trials[i]);
        if (!is_last && !(trials[i + 1].value > trials[i].value))
            continue;
        try_sides(&all, &here, trials[is_named || is_last ? i : i + 1].value, out);
        if (is_named)
            here = (struct division_side){0};
    }
    return out->gain >= least_gain;
}
