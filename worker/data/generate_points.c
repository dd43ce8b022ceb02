/* Points in the plane: spirals, which no straight line divides (Lang and Witbrock 1988), and a checkerboard. */
#include "worker/data/generator.h"

static struct dataset_shape shape_points(const struct generation *generation)
{
    (void)generation;
    return (struct dataset_shape){.rank = 1, .size = {2}};
}

/* --- spirals: class c's arm begins at c / C turns and is as dense outside as inside --- */

static int32_t make_spiral(const struct generation *generation, size_t n, struct rng *rng, float *x)
{
    size_t classes = generation_size(generation, "classes"), label = n % classes;
    double noise = generation_number(generation, "noise"), radius = sqrt(rng_unit(rng));
    double turns = radius * generation_number(generation, "turns") + (double)label / (double)classes;
    x[0] = (float)(radius * generator_cosine(turns) + noise * generator_noise(rng));
    x[1] = (float)(radius * generator_sine(turns) + noise * generator_noise(rng));
    return (int32_t)label;
}

static const struct generator_option spirals[] = {
    GENERATOR_OPTIONS(2000, 2, 10, 0.03),
    {"turns", 1.5, 0.1, 10, false, "of each arm"},
    {0},
};

const struct generator generator_spirals = {
    .name = "spirals",
    .summary = "points on the arms of a spiral around (0, 0), an arm for each class; the arms end at radius 1",
    .options = spirals,
    .shape = shape_points,
    .example = make_spiral,
};

/* --- checkerboard: the square's row and column, added up, say the class --- */

static int32_t make_square(const struct generation *generation, size_t n, struct rng *rng, float *x)
{
    (void)n;
    size_t classes = generation_size(generation, "classes"), size = generation_size(generation, "size"), sum = 0;
    double noise = generation_number(generation, "noise");
    for (int i = 0; i < 2; i++) {
        double at = rng_unit(rng);
        sum += (size_t)(at * (double)size);
        x[i] = (float)(2 * at - 1 + noise * generator_noise(rng));
    }
    return (int32_t)(sum % classes);
}

static const struct generator_option checkerboard[] = {
    GENERATOR_OPTIONS(2000, 2, 10, 0),
    {"size", 4, 2, 64, true, "squares in a row"},
    {0},
};

const struct generator generator_checkerboard = {
    .name = "checkerboard",
    .summary = "points in -1..1 x -1..1, whose class is the colour of the square that they lie in",
    .options = checkerboard,
    .shape = shape_points,
    .example = make_square,
};
