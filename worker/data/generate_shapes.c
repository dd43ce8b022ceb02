/* Images [H,W,channels] of shapes: ten outlines at random places, in random sizes and colours, values 0..255 as images
 * from a camera have them. */
#include "worker/data/generator.h"

enum { SHAPES = 10, MOST_CHANNELS = 16 };

static struct dataset_shape shape_image(const struct generation *generation)
{
    size_t size = generation_size(generation, "size");
    return (struct dataset_shape){.rank = 3, .size = {size, size, generation_size(generation, "channels")}};
}

/* Whether a point of the square -1..1 x -1..1 (v down) is in a shape. */
static bool is_inside(int32_t shape, double u, double v)
{
    double a = fabs(u), b = fabs(v), most = fmax(a, b), least = fmin(a, b), square = u * u + v * v;
    const bool inside[SHAPES] = {
        square <= 1,                                   /* disc */
        square <= 1 && square >= 0.4,                  /* ring */
        most <= 0.85,                                  /* square */
        most <= 0.9 && most >= 0.55,                   /* frame */
        b <= 0.9 && a <= (v + 0.9) / 2,                /* triangle */
        a + b <= 1,                                    /* diamond */
        most <= 1 && least <= 0.25,                    /* plus */
        most <= 1 && fabs(a - b) <= 0.35,              /* cross */
        most <= 1 && (v < -0.6 || v > 0.6 || b < 0.2), /* three bars, lying */
        most <= 1 && (u < -0.6 || u > 0.6 || a < 0.2), /* three bars, standing */
    };
    return inside[shape];
}

/* Where a shape lies, in pixels, and the colours of it and of what is around it. */
struct placed {
    int32_t shape;
    double u, v, radius;
    double front[MOST_CHANNELS], back[MOST_CHANNELS];
};

/* The colours differ by at least 0.35 of the full range in each channel. */
static struct placed place_shape(int32_t shape, size_t size, size_t channels, struct rng *rng)
{
    double half = (double)size / 2;
    struct placed placed = {.shape = shape, .radius = half * generator_between(rng, 0.55, 0.95)};
    placed.u = half + (half - placed.radius) * generator_between(rng, -1, 1);
    placed.v = half + (half - placed.radius) * generator_between(rng, -1, 1);
    for (size_t c = 0; c < channels; c++) {
        bool light = rng_next(rng) & 1;
        double low = generator_between(rng, 0, 0.3), high = generator_between(rng, 0.65, 1);
        placed.front[c] = light ? high : low;
        placed.back[c] = light ? low : high;
    }
    return placed;
}

/* The share of a pixel that the shape covers, from 3 x 3 points. */
static double cover_pixel(const struct placed *placed, size_t row, size_t column)
{
    int inside = 0;
    for (int i = 0; i < 9; i++) {
        double u = (double)column + (1 + 2 * (i % 3)) / 6.0, v = (double)row + (1 + 2 * (i / 3)) / 6.0;
        inside += is_inside(placed->shape, (u - placed->u) / placed->radius, (v - placed->v) / placed->radius);
    }
    return inside / 9.0;
}

static int32_t make_image(const struct generation *generation, size_t n, struct rng *rng, float *x)
{
    size_t size = generation_size(generation, "size"), channels = generation_size(generation, "channels");
    double noise = generation_number(generation, "noise");
    int32_t label = (int32_t)(n % generation_size(generation, "classes"));
    struct placed placed = place_shape(label, size, channels, rng);
    for (size_t i = 0; i < size * size; i++) {
        double cover = cover_pixel(&placed, i / size, i % size);
        for (size_t c = 0; c < channels; c++) {
            double value = placed.back[c] + cover * (placed.front[c] - placed.back[c]) + noise * generator_noise(rng);
            x[i * channels + c] = (float)floor(255 * fmin(fmax(value, 0), 1) + 0.5);
        }
    }
    return label;
}

static const struct generator_option options[] = {
    GENERATOR_OPTIONS(2000, SHAPES, SHAPES, 0.1),
    {"size", 16, 4, 1024, true, "rows and columns of an image"},
    {"channels", 1, 1, MOST_CHANNELS, true, "colours of a pixel: 1 or 3, as a rule"},
    {0},
};

const struct generator generator_shapes = {
    .name = "shapes",
    .summary = "images of a disc, a ring, a square, a frame, a triangle, a diamond, a plus, a cross or bars",
    .options = options,
    .shape = shape_image,
    .example = make_image,
};
