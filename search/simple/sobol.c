/* Scrambled Sobol points: as even as a grid in every projection, at any number of points, and random as a whole.
 *
 * GSL gives Sobol's sequence in 40 dimensions (Bratley, Fox: Algorithm 659, TOMS 1988; the recurrence: Antonov, Saleev
 * 1979), from point 1 on and in the order of the Gray code. We take from it the direction numbers - a point is the
 * exclusive or of those that the binary digits of its index select - and make the points 0, 1, 2, ... in any order.
 * Every dimension is scrambled by itself (owen.h) with a seed made from the experiment's.
 *
 * More than 40 parameters are padded as in Burley (owen.h), section 5: the next 40 use the same dimensions again, with
 * the index scrambled. Ours scrambles an index only below its highest binary digit, so that the first 2^k points are a
 * permutation of themselves and direction numbers are needed no earlier than GSL comes to them. */
#include "search/registry.h"
#include "search/simple/owen.h"
#include "search/simple/sequence.h"
#include "common/mem.h"
#include "common/rng.h"

#include <gsl/gsl_qrng.h>
#include <stdlib.h>

enum {
    BLOCK = 40,      /* dimensions of GSL's generator */
    BITS = 30,       /* binary digits of its points, and of the largest index */
    PATIENCE = 1000, /* points in a row that constraints may forbid */
};

struct sobol {
    uint32_t count;      /* parameters */
    uint32_t dimensions; /* of the generator: count, 40 at most */
    uint64_t seed;
    uint32_t *seeds; /* count of the dimensions, then one of each block's indices */
    uint64_t round;  /* that the seeds are for */
    struct sequence *sequence;
    gsl_qrng *generator;
    uint64_t generated;               /* points that it gave */
    uint32_t point[BLOCK];            /* the last one, in units of 2^-30 */
    uint32_t directions[BITS][BLOCK]; /* as far as they are known */
    uint32_t known;                   /* of BITS */
    uint64_t index;                   /* of the next point */
};

/* Between two points next to each other in the Gray code one direction number is added: at point 2^k a new one, k. */
static void generate_directions(struct sobol *sobol)
{
    double unit[BLOCK];
    gsl_qrng_get(sobol->generator, unit);
    sobol->generated++;
    bool reveals = (sobol->generated & (sobol->generated - 1)) == 0;
    for (uint32_t d = 0; d < sobol->dimensions; d++) {
        uint32_t point = (uint32_t)(unit[d] * (1 << BITS));
        if (reveals)
            sobol->directions[sobol->known][d] = point ^ sobol->point[d];
        sobol->point[d] = point;
    }
    sobol->known += reveals;
}

static void make_seeds(struct sobol *sobol, uint64_t round)
{
    struct rng rng = rng_make(sobol->seed, "sobol", round);
    for (uint32_t i = 0; i < sobol->count + sobol->count / BLOCK + 1; i++)
        sobol->seeds[i] = (uint32_t)(rng_next(&rng) >> 32);
    sobol->round = round;
}

/* Dimension d of the point with this index, in units of 2^-32. */
static uint32_t sobol_coordinate(const struct sobol *sobol, uint32_t index, uint32_t d)
{
    uint32_t sum = 0;
    for (uint32_t bit = 0; index >> bit; bit++)
        if (index >> bit & 1)
            sum ^= sobol->directions[bit][d];
    return sum << (32 - BITS);
}

/* Another order of the indices, in which each keeps its highest digit. */
static uint32_t shuffled(uint32_t index, uint32_t seed)
{
    uint32_t below = index;
    for (unsigned shift = 1; shift < 32; shift *= 2)
        below |= below >> shift;
    below >>= 1; /* ones at all digits below the highest */
    return (index & ~below) | (owen_scramble(index, seed) & below);
}

/* After 2^30 points, which nobody waits for, the same begin again with another scrambling. */
static enum sequence_step next_point(void *source, double *unit)
{
    struct sobol *sobol = source;
    uint32_t index = (uint32_t)(sobol->index & ((1u << BITS) - 1));
    if (sobol->index >> BITS != sobol->round)
        make_seeds(sobol, sobol->index >> BITS);
    while (index >> sobol->known)
        generate_directions(sobol);
    for (uint32_t i = 0; i < sobol->count; i++) {
        uint32_t block = i / BLOCK;
        uint32_t at = block ? shuffled(index, sobol->seeds[sobol->count + block]) : index;
        unit[i] = (owen_scramble(sobol_coordinate(sobol, at, i % BLOCK), sobol->seeds[i]) + 0.5) * 0x1p-32;
    }
    sobol->index++;
    return SEQUENCE_POINT;
}

static void destroy_sobol(void *self)
{
    struct sobol *sobol = self;
    sequence_destroy(sobol->sequence);
    gsl_qrng_free(sobol->generator);
    free(sobol->seeds);
    free(sobol);
}

static void *create_sobol(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                          size_t why_size)
{
    (void)why, (void)why_size;
    struct sobol *sobol = MEM_NEW(struct sobol);
    sobol->count = problem->space->count;
    sobol->dimensions = sobol->count < BLOCK ? sobol->count : BLOCK;
    sobol->seed = problem->seed;
    sobol->seeds = MEM_ARRAY(uint32_t, sobol->count + sobol->count / BLOCK + 1);
    make_seeds(sobol, 0);
    sobol->generator = gsl_qrng_alloc(gsl_qrng_sobol, sobol->dimensions);
    sobol->sequence = sequence_create(problem, host, next_point, sobol, PATIENCE);
    return sobol;
}

/* Where constraints leave nothing of the points ahead, chance may find more. */
static enum gannet_answer ask_sobol(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    struct sobol *sobol = self;
    if (sequence_ask(sobol->sequence, ask->retry, unit) == SEQUENCE_POINT)
        return GANNET_PROPOSED;
    uint64_t state = ask->random;
    for (uint32_t i = 0; i < sobol->count; i++)
        unit[i] = gannet_random(&state);
    return GANNET_PROPOSED;
}

static void note_sobol(void *self, uint64_t trial, const double *unit)
{
    (void)trial;
    struct sobol *sobol = self;
    sequence_note(sobol->sequence, unit);
}

const struct gannet_strategy sobol_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "sobol",
    .summary = "scrambled Sobol points: like random, but evenly spread; good for any number of trials",
    .create = create_sobol,
    .ask = ask_sobol,
    .note = note_sobol,
    .destroy = destroy_sobol,
};
