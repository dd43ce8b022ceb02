/* Augmentation of images does what it is said to do, each kind written down plainly here, and the same whenever it is
 * asked. */
#include "tests/claims.h"
#include "worker/data/augment.h"

#include <string.h>

enum { H = 4, W = 3, C = 2 };

static const struct dataset_shape shape = {3, {H, W, C}};

/* An image, and how to get at a number of it. */
struct image {
    float at[H][W][C];
};

static struct image image_of_numbers(void)
{
    struct image image;
    float next = 1;
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            for (int c = 0; c < C; c++)
                image.at[h][w][c] = next++;
    return image;
}

static void copy_pixel(struct image *to, int h, int w, const struct image *from, int row, int column)
{
    memcpy(to->at[h][w], from->at[row][column], sizeof to->at[h][w]);
}

static int clamp(int at, int size)
{
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

/* Moved down and to the right, the edges repeated. */
static struct image shifted(const struct image *image, int down, int right)
{
    struct image moved;
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            copy_pixel(&moved, h, w, image, clamp(h - down, H), clamp(w - right, W));
    return moved;
}

/* Put into the middle of zeros, P on each side, and cut out from (row, column) on. */
static struct image cropped(const struct image *image, int P, int row, int column)
{
    struct image cut;
    float wide[3 * H][3 * W][C] = {0};
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            memcpy(wide[h + P][w + P], image->at[h][w], sizeof wide[0][0]);
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            memcpy(cut.at[h][w], wide[row + h][column + w], sizeof wide[0][0]);
    return cut;
}

static struct image flipped(const struct image *image)
{
    struct image other;
    for (int h = 0; h < H; h++)
        for (int w = 0; w < W; w++)
            copy_pixel(&other, h, w, image, h, W - 1 - w);
    return other;
}

/* A square of S pixels around (row, column), which is the lower right one of the middle when S is even. */
static struct image cut_out(const struct image *image, int S, int row, int column)
{
    struct image holed = *image;
    for (int h = row - S / 2; h < row - S / 2 + S; h++)
        for (int w = column - S / 2; w < column - S / 2 + S; w++)
            if (h >= 0 && h < H && w >= 0 && w < W)
                memset(holed.at[h][w], 0, sizeof holed.at[h][w]);
    return holed;
}

static struct image augmented(const struct augment *augment, uint64_t seed, uint64_t epoch, uint64_t example)
{
    struct image from = image_of_numbers(), to;
    augment_image(augment, &shape, seed, epoch, example, from.at[0][0], to.at[0][0]);
    return to;
}

static bool alike(const struct image *a, const struct image *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* --- each kind alone: every result is one of the plain ones, and each of those comes --- */

enum { MOST = 64, EXAMPLES = 2000 };

static void check_kind(const struct augment *augment, const struct image *plain, int count)
{
    bool seen[MOST] = {false};
    for (uint64_t example = 0; example < EXAMPLES; example++) {
        struct image result = augmented(augment, 1, 1, example);
        bool found = false;
        for (int i = 0; i < count; i++) {
            bool is_it = alike(&result, &plain[i]);
            found |= is_it;
            seen[i] |= is_it;
        }
        assert_true(found);
    }
    for (int i = 0; i < count; i++)
        assert_true(seen[i]);
}

static void a_shift_moves_by_whole_pixels_and_repeats_the_edges(void **state)
{
    (void)state;
    struct image image = image_of_numbers(), plain[MOST];
    int count = 0;
    for (int down = -2; down <= 2; down++) /* half of 4, half of 3 rounded down */
        for (int right = -1; right <= 1; right++)
            plain[count++] = shifted(&image, down, right);
    check_kind(&(struct augment){.shift = 0.5}, plain, count);
}

static void a_crop_cuts_a_part_out_of_the_image_with_zeros_around_it(void **state)
{
    (void)state;
    struct image image = image_of_numbers(), plain[MOST];
    int count = 0;
    for (int row = 0; row <= 4; row++)
        for (int column = 0; column <= 4; column++)
            plain[count++] = cropped(&image, 2, row, column);
    check_kind(&(struct augment){.crop = 2}, plain, count);
}

static void a_flip_swaps_left_and_right(void **state)
{
    (void)state;
    struct image image = image_of_numbers(), plain[] = {image, flipped(&image)};
    check_kind(&(struct augment){.flip = 0.3}, plain, 2);
    check_kind(&(struct augment){.flip = 1}, plain + 1, 1);
    int flips = 0;
    for (uint64_t example = 0; example < EXAMPLES; example++) {
        struct image result = augmented(&(struct augment){.flip = 0.3}, 1, 1, example);
        flips += alike(&result, &plain[1]);
    }
    assert_in_range(flips, 530, 670); /* 600 expected; these are 3.4 deviations, and the seed is always the same */
}

static void a_cutout_is_a_square_of_zeros_around_any_pixel(void **state)
{
    (void)state;
    struct image image = image_of_numbers(), plain[MOST];
    for (int S = 1; S <= 5; S++) {
        int count = 0;
        for (int row = 0; row < H; row++)
            for (int column = 0; column < W; column++)
                plain[count++] = cut_out(&image, S, row, column);
        check_kind(&(struct augment){.cutout = (size_t)S}, plain, count);
    }
}

/* --- together --- */

static bool is_any_of(const struct image *result, const struct image *image)
{
    for (int row = 0; row < H; row++)
        for (int column = 0; column < W; column++) {
            struct image holed = cut_out(image, 2, row, column);
            if (alike(result, &holed))
                return true;
        }
    return false;
}

/* Shift, crop, flip, cutout: whether some of each lead to the result. */
static bool is_plain(const struct image *result)
{
    struct image image = image_of_numbers();
    for (int i = 0; i < 9; i++) {
        struct image moved = shifted(&image, i / 3 - 1, i % 3 - 1);
        for (int k = 0; k < 9; k++) {
            struct image cut = cropped(&moved, 1, k / 3, k % 3), other = flipped(&cut);
            if (is_any_of(result, &cut) || is_any_of(result, &other))
                return true;
        }
    }
    return false;
}

static void all_kinds_come_one_after_the_other(void **state)
{
    (void)state;
    struct augment augment = {.shift = 0.34, .crop = 1, .flip = 0.5, .cutout = 2};
    for (uint64_t example = 0; example < 300; example++) {
        struct image result = augmented(&augment, 5, 2, example);
        assert_true(is_plain(&result));
    }
}

static void what_is_done_is_a_function_of_seed_epoch_and_example(void **state)
{
    (void)state;
    struct augment augment = {.shift = 0.34, .crop = 1, .flip = 0.5, .cutout = 2};
    int same[3] = {0};
    for (uint64_t example = 0; example < 200; example++) {
        struct image one = augmented(&augment, 5, 2, example), again = augmented(&augment, 5, 2, example),
                     others[] = {augmented(&augment, 6, 2, example), augmented(&augment, 5, 3, example),
                                 augmented(&augment, 5, 2, example + 1)};
        assert_true(alike(&one, &again));
        for (int i = 0; i < 3; i++)
            same[i] += alike(&one, &others[i]);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(same[i], 0, 20);
}

/* So that a search over one of them changes nothing else. */
static void a_kind_that_is_added_leaves_the_others_as_they_were(void **state)
{
    (void)state;
    for (uint64_t example = 0; example < 200; example++) {
        struct image crop = augmented(&(struct augment){.crop = 2}, 5, 2, example),
                     both = augmented(&(struct augment){.crop = 2, .cutout = 2}, 5, 2, example);
        assert_true(is_any_of(&both, &crop));
    }
}

static void an_image_of_one_pixel_and_a_square_larger_than_any_are_fine(void **state)
{
    (void)state;
    const struct dataset_shape pixel = {3, {1, 1, 1}};
    struct augment augment = {.shift = 1, .crop = 1024, .flip = 1, .cutout = 4096};
    float from = 1, to = 7;
    augment_image(&augment, &pixel, 1, 1, 1, &from, &to);
    assert_true(to == 0);
    augment_image(&(struct augment){0}, &pixel, 1, 1, 1, &from, &to);
    assert_true(to == 1);
    assert_false(augment_is_any(&(struct augment){0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shift_moves_by_whole_pixels_and_repeats_the_edges),
        cmocka_unit_test(a_crop_cuts_a_part_out_of_the_image_with_zeros_around_it),
        cmocka_unit_test(a_flip_swaps_left_and_right),
        cmocka_unit_test(a_cutout_is_a_square_of_zeros_around_any_pixel),
        cmocka_unit_test(all_kinds_come_one_after_the_other),
        cmocka_unit_test(what_is_done_is_a_function_of_seed_epoch_and_example),
        cmocka_unit_test(a_kind_that_is_added_leaves_the_others_as_they_were),
        cmocka_unit_test(an_image_of_one_pixel_and_a_square_larger_than_any_are_fine),
    };
    return cmocka_run_group_tests_name("augment", tests, NULL, NULL);
}
