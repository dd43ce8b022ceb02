/* Tables and charts, drawn for made-up places. */
#include "cli/look.h"
#include "cli/view/table.h"
#include "tests/claims.h"

#include <math.h>
#include <string.h>

static const struct look pipe_look = {0};

static struct text_table *two_trials(void)
{
    struct text_table *table = table_create();
    table_column(table, "trial", true);
    table_column(table, "state", false);
    table_column(table, "optimizer", false);
    const char *cells[] = {"1", "completed", "sgd", "131", "failed", "adam with a very long name"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_cell(table, i == 4 ? TINT_BAD : TINT_NONE, cells[i]);
    return table;
}

static void draws(const struct look *look, const char *expected)
{
    struct text_table *table = two_trials();
    struct buf out = {0};
    table_draw(table, look, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
    table_destroy(table);
}

static void columns_are_aligned_and_numbers_stand_right(void **state)
{
    (void)state;
    draws(&pipe_look, "trial  state      optimizer\n"
                      "    1  completed  sgd\n"
                      "  131  failed     adam with a very long name\n");
}

static void a_narrow_terminal_cuts_texts(void **state)
{
    (void)state;
    draws(&(struct look){.width = 30}, "trial  state      optimizer\n"
                                       "    1  completed  sgd\n"
                                       "  131  failed     adam with...\n");
}

static void a_very_narrow_terminal_leaves_columns_out_and_says_so(void **state)
{
    (void)state;
    draws(&(struct look){.width = 16}, "trial  state\n"
                                       "    1  compl...\n"
                                       "  131  failed\n"
                                       "(1 more columns in a wider window)\n");
}

/* Rows that come when the titles were drawn. */
static void draws_more(const struct look *look, const char *expected)
{
    struct text_table *table = two_trials();
    struct buf out = {0};
    table_begin(table, look, &out);
    buf_clear(&out);
    table_rows(table, look, &out);
    assert_string_equal(buf_str(&out), "");
    const char *cells[] = {"1000000", "completed by chance", "sgd"};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        table_cell(table, TINT_NONE, cells[i]);
    table_rows(table, look, &out);
    table_end(table, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
    table_destroy(table);
}

static void later_rows_keep_the_widths_of_the_first_ones(void **state)
{
    (void)state;
    draws_more(&pipe_look, "1000000  completed by chance  sgd\n"); /* nothing is cut in a file */
    draws_more(&(struct look){.width = 60}, "1000000  comple...  sgd\n");
    draws_more(&(struct look){.width = 16}, "1000000  compl...\n(1 more columns in a wider window)\n");
}

static void colours_do_not_count_as_width(void **state)
{
    (void)state;
    draws(&(struct look){.colour = true, .width = 80},
          "\033[2mtrial\033[0m  \033[2mstate\033[0m      \033[2moptimizer\033[0m\n"
          "    1  completed  sgd\n"
          "  131  \033[1;31mfailed\033[0m     adam with a very long name\n");
}

static void escape_sequences_in_cells_are_defused(void **state)
{
    (void)state;
    struct text_table *table = table_create();
    table_column(table, "a", false);
    table_cell(table, TINT_NONE, "x\033[31my\nz\xff");
    struct buf out = {0};
    table_draw(table, &pipe_look, &out);
    assert_string_equal(buf_str(&out), "a\nx?[31my?z?\n");
    buf_fini(&out);
    table_destroy(table);
}

static void messages_beyond_ascii_count_once(void **state)
{
    (void)state;
    struct text_table *table = table_create();
    table_column(table, "name", false);
    table_column(table, "n", true);
    table_cell(table, TINT_NONE, "größe");
    table_cell(table, TINT_NONE, "1");
    struct buf out = {0};
    table_draw(table, &pipe_look, &out);
    assert_string_equal(buf_str(&out), "name   n\ngröße  1\n");
    buf_fini(&out);
    table_destroy(table);
}

static void a_table_without_rows_shows_its_titles(void **state)
{
    (void)state;
    struct text_table *table = table_create();
    struct buf out = {0};
    table_draw(table, &pipe_look, &out);
    assert_string_equal(buf_str(&out), "");
    table_column(table, "trial", true);
    table_draw(table, &pipe_look, &out);
    assert_string_equal(buf_str(&out), "trial\n");
    buf_fini(&out);
    table_destroy(table);
}

static void bar_is(const struct look *look, double share, const char *expected)
{
    struct buf out = {0};
    chart_bar(look, share, 4, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void a_bar_shows_its_share_and_takes_any_number(void **state)
{
    (void)state;
    bar_is(&pipe_look, 0, "....");
    bar_is(&pipe_look, 0.5, "##..");
    bar_is(&pipe_look, 1, "####");
    bar_is(&pipe_look, 7, "####");
    bar_is(&pipe_look, -1, "....");
    bar_is(&pipe_look, NAN, "....");
    bar_is(&pipe_look, INFINITY, "####");
    bar_is(&(struct look){.unicode = true}, 0.53125, "██░░");
}

static void line_is(const double *numbers, size_t count, size_t width, const char *expected)
{
    struct buf out = {0};
    chart_line(&pipe_look, numbers, count, width, &out);
    assert_string_equal(buf_str(&out), expected);
    buf_fini(&out);
}

static void a_line_rises_with_its_numbers(void **state)
{
    (void)state;
    line_is((double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8, 8, "_.-~=*%#");
    line_is((double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8, 2, "_#");
    line_is((double[]){1, NAN, 3}, 3, 8, "_ #");
    line_is((double[]){5, 5, 5}, 3, 8, "___");
    line_is((double[]){NAN, INFINITY}, 2, 8, "  ");
    line_is(NULL, 0, 8, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_and_numbers_stand_right),
        cmocka_unit_test(a_narrow_terminal_cuts_texts),
        cmocka_unit_test(a_very_narrow_terminal_leaves_columns_out_and_says_so),
        cmocka_unit_test(later_rows_keep_the_widths_of_the_first_ones),
        cmocka_unit_test(colours_do_not_count_as_width),
        cmocka_unit_test(escape_sequences_in_cells_are_defused),
        cmocka_unit_test(messages_beyond_ascii_count_once),
        cmocka_unit_test(a_table_without_rows_shows_its_titles),
        cmocka_unit_test(a_bar_shows_its_share_and_takes_any_number),
        cmocka_unit_test(a_line_rises_with_its_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
