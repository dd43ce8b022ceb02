/* Sequences [steps, features]: waves, whose frequency is the class. Phase and height are drawn for each feature, so
 * that no single step says anything: what tells the classes apart is how steps follow each other. */
#include "worker/data/generator.h"

static struct dataset_shape shape_sequence(const struct generation *generation)
{
    return (struct dataset_shape){
        .rank = 2, .size = {generation_size(generation, "steps"), generation_size(generation, "features")}};
}

/* Class c of C has (c + 1) / (C + 1) times the highest frequency, four steps a wave. */
static int32_t make_sequence(const struct generation *generation, size_t n, struct rng *rng, float *x)
{
    size_t classes = generation_size(generation, "classes"), label = n % classes;
    size_t steps = generation_size(generation, "steps"), features = generation_size(generation, "features");
    double noise = generation_number(generation, "noise");
    double turns = 0.25 * (double)(label + 1) / (double)(classes + 1);
    for (size_t f = 0; f < features; f++) {
        double phase = rng_unit(rng), height = generator_between(rng, 0.7, 1.3);
        for (size_t t = 0; t < steps; t++)
            x[t * features + f] =
                (float)(height * generator_sine(turns * (double)t + phase) + noise * generator_noise(rng));
    }
    return (int32_t)label;
}

static const struct generator_option options[] = {
    GENERATOR_OPTIONS(2000, 4, 32, 0.3),
    {"steps", 32, 2, 100000, true, "of a sequence"},
    {"features", 2, 1, 10000, true, "numbers of a step"},
    {0},
};

const struct generator generator_sequences = {
    .name = "sequences",
    .summary = "sequences of steps x features: waves with random phase, whose frequency is the class",
    .options = options,
    .shape = shape_sequence,
    .example = make_sequence,
};
