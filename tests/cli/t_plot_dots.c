/* Dots of character cells, and what they look like. */
#include "cli/plot/dots.h"
#include "tests/claims.h"

#include <math.h>

static void draws(const struct dots *dots, bool unicode, const char *expected)
{
    struct buf out = {0};
    for (uint32_t row = 0; row < dots->rows; row++) {
        dots_row(dots, row, unicode, &out);
        buf_text(&out, "\n");
    }
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void an_empty_grid_is_blank(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 3, 2);
    draws(&dots, true, "   \n   \n");
    draws(&dots, false, "   \n   \n");
    dots_fini(&dots);
}

static void a_place_is_a_dot_of_its_cell(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 2, 1);
    dots_point(&dots, 0, 0, TINT_NONE); /* the lower left corner */
    dots_point(&dots, 1, 1, TINT_NONE); /* the upper right one */
    draws(&dots, true, "⡀⠈\n");
    draws(&dots, false, ".'\n");
    dots_fini(&dots);
}

static void what_has_no_place_is_left_out(void **state)
{
    (void)state;
    static const double places[] = {NAN, INFINITY, -INFINITY, -0.001, 1.001, 1e300};
    struct dots dots;
    dots_init(&dots, 2, 2);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        dots_point(&dots, places[i], 0.5, TINT_NONE);
        dots_point(&dots, 0.5, places[i], TINT_NONE);
        if (!isfinite(places[i])) {
            dots_line(&dots, places[i], 0, 1, 1, TINT_NONE);
            dots_fill(&dots, 0, 0, 1, places[i], TINT_NONE);
        }
    }
    dots_line(&dots, 2, 0, 3, 1, TINT_NONE);
    dots_line(&dots, 0, -1, 1, -0.5, TINT_NONE);
    dots_fill(&dots, 1.5, 0, 2, 1, TINT_NONE);
    draws(&dots, true, "  \n  \n");
    dots_fini(&dots);
}

static void a_line_goes_from_end_to_end_without_gaps(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 4, 1);
    dots_line(&dots, 0, 0, 1, 0, TINT_NONE);
    draws(&dots, true, "⣀⣀⣀⣀\n");
    draws(&dots, false, "____\n");
    dots_fini(&dots);
    dots_init(&dots, 1, 2);
    dots_line(&dots, 0, 1, 0, 0, TINT_NONE);
    draws(&dots, true, "⡇\n⡇\n");
    draws(&dots, false, "|\n|\n");
    dots_fini(&dots);
    dots_init(&dots, 2, 1);
    dots_line(&dots, 0, 0, 1, 1, TINT_NONE);
    draws(&dots, true, "⡠⠊\n");
    dots_fini(&dots);
}

static void a_line_is_cut_at_the_edges(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 2, 1);
    dots_line(&dots, -1e9, -1e9, 1e9, 1e9, TINT_NONE);
    draws(&dots, true, "⡠⠊\n");
    dots_fini(&dots);
}

static void a_filled_cell_is_full_in_both_characters(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 2, 1);
    dots_fill(&dots, -5, -5, 0.4, 5, TINT_NONE);
    draws(&dots, true, "⣿ \n");
    draws(&dots, false, "# \n");
    dots_fini(&dots);
}

static void the_last_tint_of_a_cell_counts(void **state)
{
    (void)state;
    struct dots dots;
    dots_init(&dots, 3, 1);
    dots_line(&dots, 0, 0, 1, 0, TINT_QUIET);
    dots_point(&dots, 0, 1, TINT_GOOD);
    assert_int_equal(dots_tint(&dots, 0, 0), TINT_GOOD);
    assert_int_equal(dots_tint(&dots, 1, 0), TINT_QUIET);
    struct buf out = {0};
    dots_draw_row(&dots, 0, &(struct look){.colour = true, .unicode = true}, &out);
    assert_string_equal(buf_str(&out), "\033[32m⣁\033[0m\033[2m⣀⣀\033[0m");
    buf_clear(&out);
    dots_draw_row(&dots, 0, &(struct look){.unicode = true}, &out);
    assert_string_equal(buf_str(&out), "⣁⣀⣀");
    buf_fini(&out);
    dots_fini(&dots);
}

static void letters_in_the_same_cells_take_turns(void **state)
{
    (void)state;
    struct dots dots;
    static const char *const names[] = {"A", "B", "C"};
    dots_init(&dots, 6, 1);
    for (size_t i = 0; i < 3; i++) {
        dots.sign = names[i];
        dots_line(&dots, 0, 0.5, 1, 0.5, TINT_NONE);
    }
    draws(&dots, true, "ABCABC\n");
    dots.sign = "*";
    dots_point(&dots, 0, 0.5, TINT_NONE);
    dots.sign = NULL;
    dots_letters(&dots, 4, 0, "äö!", TINT_NONE);
    draws(&dots, false, "*BCAäö\n");
    dots_fini(&dots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_grid_is_blank),         cmocka_unit_test(a_place_is_a_dot_of_its_cell),
        cmocka_unit_test(what_has_no_place_is_left_out),  cmocka_unit_test(a_line_goes_from_end_to_end_without_gaps),
        cmocka_unit_test(a_line_is_cut_at_the_edges),     cmocka_unit_test(a_filled_cell_is_full_in_both_characters),
        cmocka_unit_test(the_last_tint_of_a_cell_counts), cmocka_unit_test(letters_in_the_same_cells_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
