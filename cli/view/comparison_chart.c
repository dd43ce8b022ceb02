/* Drawing curves of contenders; see comparison_chart.h. */
#include "cli/view/comparison_chart.h"
#include "cli/format.h"
#include "cli/plot/axis.h"
#include "common/mem.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { ROWS = 12, WIDEST = 100, NARROWEST = 20, LABEL = 10, MOST_TICKS = 4, LETTERS = 26 };

struct chart {
    const struct compared *compared;
    enum effort over;
    size_t columns;
    double last;      /* the effort at the right edge */
    struct axis axis; /* of values */
    uint32_t *cells;  /* ROWS x columns: the letters whose curves go through each, a bit each */
};

static double effort_at(const struct chart *chart, size_t column)
{
    return chart->last * (double)(column + 1) / (double)chart->columns;
}

static double median_at(const struct chart *chart, size_t group, size_t column)
{
    return comparison_standing(&chart->compared->items[group], chart->over, effort_at(chart, column)).median;
}

/* That of the medians after the first tenth of the effort, as in pictures (cli/plot/history.c): with what searches
 * begin at, by chance, all curves would lie in the uppermost rows. False when there is none. */
static bool set_axis(struct chart *chart)
{
    const struct compared *compared = chart->compared;
    double *medians = MEM_ARRAY(double, compared->count * chart->columns);
    size_t count = 0, beyond;
    for (size_t i = 0; i < compared->count; i++)
        for (size_t column = chart->columns / 10; column < chart->columns; column++) {
            double median = median_at(chart, i, column);
            if (isfinite(median))
                medians[count++] = median;
        }
    chart->axis = axis_of_values(medians, count, compared->items[0].seeds[0].metrics[0].maximize, &beyond);
    free(medians);
    return count > 0;
}

static size_t row_of(const struct chart *chart, double value)
{
    double place = axis_place(&chart->axis, value);
    double row = (1 - fmax(0, fmin(1, place))) * (ROWS - 1);
    return (size_t)lround(row);
}

static void draw_curves(struct chart *chart)
{
    for (size_t i = 0; i < chart->compared->count; i++)
        for (size_t column = 0; column < chart->columns; column++) {
            double value = median_at(chart, i, column);
            if (isfinite(value))
                chart->cells[row_of(chart, value) * chart->columns + column] |= (uint32_t)1 << i % LETTERS;
        }
}

/* The letter of a cell, from 0: where curves meet they take turns from column to column, so that none hides another. */
static size_t letter_of(uint32_t letters, size_t column)
{
    size_t turn = column % (size_t)__builtin_popcount(letters), letter = 0;
    for (; !(letters >> letter & 1) || turn--; letter++)
        ;
    return letter;
}

/* The label of the round value in this row, or blanks. */
static void add_label(const struct chart *chart, size_t row, struct buf *out)
{
    struct tick ticks[MOST_TICKS];
    size_t count = axis_ticks(&chart->axis, MOST_TICKS, ticks);
    const char *label = "";
    for (size_t i = 0; i < count; i++)
        if (row_of(chart, ticks[i].value) == row)
            label = ticks[i].label;
    buf_format(out, "  %*s |", LABEL, label);
}

static void add_rows(const struct chart *chart, const struct look *look, struct buf *out)
{
    static const enum tint tints[] = {TINT_GOOD, TINT_BUSY, TINT_WARN, TINT_BAD, TINT_STRONG};
    for (size_t row = 0; row < ROWS; row++) {
        add_label(chart, row, out);
        for (size_t column = 0; column < chart->columns; column++) {
            uint32_t letters = chart->cells[row * chart->columns + column];
            size_t letter = letters ? letter_of(letters, column) : 0;
            char text[2] = {letters ? (char)('A' + letter) : ' ', '\0'};
            look_add(look, letters ? tints[letter % (sizeof tints / sizeof *tints)] : TINT_NONE, text, out);
        }
        while (out->length && out->data[out->length - 1] == ' ')
            out->data[--out->length] = '\0';
        buf_text(out, "\n");
    }
}

void comparison_chart(const struct compared *compared, enum effort over, const struct look *look, struct buf *out)
{
    char text[64];
    size_t width = look_columns(look, 80);
    struct chart chart = {.compared = compared, .over = over, .last = comparison_common(compared, over)};
    chart.columns = width < NARROWEST + LABEL + 4 ? NARROWEST : width - LABEL - 4;
    chart.columns = chart.columns > WIDEST ? WIDEST : chart.columns;
    buf_text(out, "\n");
    if (!(chart.last > 0) || !set_axis(&chart)) {
        buf_text(out, "  no contender has a value yet\n");
        return;
    }
    chart.cells = MEM_ARRAY(uint32_t, ROWS * chart.columns);
    draw_curves(&chart);
    add_rows(&chart, look, out);
    buf_format(out, "  %*s  up to %s\n", LABEL, "", comparison_show_effort(over, chart.last, text, sizeof text));
    for (size_t i = 0; i < compared->count; i++) {
        buf_format(out, "  %*s  %c ", LABEL, "", (int)('A' + i % LETTERS));
        format_safe(compared->items[i].name, out);
        buf_text(out, "\n");
    }
    free(chart.cells);
}
