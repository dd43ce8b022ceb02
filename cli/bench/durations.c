/* Drawing how long trials take; see durations.h. */
#include "cli/bench/durations.h"
#include "common/rng.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {
#define X(id, name, meaning) [DURATION_##id] = name,
    DURATIONS(X)
#undef X
};

bool durations_find(const char *name, enum duration_kind *kind)
{
    for (int i = 0; i < DURATION_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (enum duration_kind)i;
            return true;
        }
    return false;
}

/* A draw of mean 1. */
static double draw(enum duration_kind kind, struct rng *rng)
{
    const double sigma = 0.5;
    switch (kind) {
    case DURATION_UNIFORM:
        return 0.5 + rng_unit(rng);
    case DURATION_EXPONENTIAL:
        return -log1p(-rng_unit(rng));
    case DURATION_LOGNORMAL: /* the mean of exp(sigma z) is exp(sigma^2 / 2) */
        return exp(sigma * rng_normal(rng) - sigma * sigma / 2);
    default:
        return 1;
    }
}

double durations_draw(const struct durations *durations, uint64_t seed, uint64_t trial)
{
    struct rng rng = rng_make(seed, "duration", trial);
    return durations->mean * draw(durations->kind, &rng);
}
