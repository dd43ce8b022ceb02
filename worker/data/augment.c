/* Augmentation of images; see augment.h. All of it in one pass: where a pixel of the result comes from. */
#include "worker/data/augment.h"

#include "common/rng.h"

#include <math.h>
#include <string.h>

/* What is done to one image. Its numbers are drawn whether they are used or not, so that one kind of augmentation
 * changes nothing in the others. */
struct augment_draw {
    int64_t shift[2]; /* rows and columns by which it is moved */
    int64_t crop[2];  /* of the corner in the image with zeros around it, from the old corner */
    bool flipped;
    int64_t hole[2]; /* first row and column of the square */
};

bool augment_is_any(const struct augment *augment)
{
    return augment->shift > 0 || augment->crop || augment->flip > 0 || augment->cutout;
}

/* A whole number from -most to most. */
static int64_t draw_offset(struct rng *rng, size_t most)
{
    return (int64_t)rng_below(rng, 2 * (uint64_t)most + 1) - (int64_t)most;
}

static struct augment_draw draw_image(const struct augment *augment, const struct dataset_shape *image, struct rng rng)
{
    struct augment_draw drawn;
    for (int axis = 0; axis < 2; axis++)
        drawn.shift[axis] = draw_offset(&rng, (size_t)floor(augment->shift * (double)image->size[axis]));
    for (int axis = 0; axis < 2; axis++)
        drawn.crop[axis] = draw_offset(&rng, augment->crop);
    drawn.flipped = rng_unit(&rng) < augment->flip;
    for (int axis = 0; axis < 2; axis++)
        drawn.hole[axis] = (int64_t)rng_below(&rng, image->size[axis]) - (int64_t)(augment->cutout / 2);
    return drawn;
}

static bool is_within(int64_t at, int64_t first, size_t count)
{
    return at >= first && at < first + (int64_t)count;
}

/* The row (axis 0) or column of the image that place `at` of the result shows; -1: none, it is zero. */
static int64_t place_of(const struct augment_draw *drawn, int axis, size_t size, size_t at)
{
    int64_t last = (int64_t)size - 1, place = (int64_t)at;
    if (axis == 1 && drawn->flipped)
        place = last - place;
    place += drawn->crop[axis];
    if (!is_within(place, 0, size))
        return -1;
    place -= drawn->shift[axis];
    return place < 0 ? 0 : place > last ? last : place;
}

void augment_image(const struct augment *augment, const struct dataset_shape *image, uint64_t seed, uint64_t epoch,
                   uint64_t example, const float *from, float *to)
{
    size_t H = image->size[0], W = image->size[1], C = image->size[2];
    struct augment_draw drawn = draw_image(augment, image, rng_make(seed, "augment", rng_mix(epoch, example)));
    for (size_t h = 0; h < H; h++) {
        int64_t row = place_of(&drawn, 0, H, h);
        bool holed = is_within((int64_t)h, drawn.hole[0], augment->cutout);
        for (size_t w = 0; w < W; w++, to += C) {
            int64_t column = place_of(&drawn, 1, W, w);
            if (row < 0 || column < 0 || (holed && is_within((int64_t)w, drawn.hole[1], augment->cutout)))
                memset(to, 0, C * sizeof *to);
            else
                for (size_t c = 0; c < C; c++)
                    to[c] = from[((size_t)row * W + (size_t)column) * C + c];
        }
    }
}
