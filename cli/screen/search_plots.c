/* Of the screen search the parts that are pictures: a parameter against the metric, and two objectives. */
#include "cli/screen/search.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/plot/axis.h"
#include "cli/plot/dots.h"
#include "common/json.h"
#include "common/mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 11 }; /* columns of the labels at the left */

/* A picture in an area: dots with an axis at the left and a line below. */
struct dots_picture {
    struct canvas *canvas;
    struct area area; /* of the dots */
    struct dots dots;
    struct axis y;
};

static void begin_picture(struct dots_picture *picture, struct canvas *canvas, struct area area, struct axis y)
{
    picture->canvas = canvas;
    picture->area = (struct area){area.row, area.column + LABELS, area.rows - 1, area.columns - LABELS};
    picture->y = y;
    dots_init(&picture->dots, picture->area.columns, picture->area.rows);
}

/* Values beyond the axis lie at its edge. */
static void add_point(struct dots_picture *picture, double x, double value, enum tint tint)
{
    dots_point(&picture->dots, x, fmin(fmax(axis_place(&picture->y, value), 0), 1), tint);
}

static void draw_labels(const struct dots_picture *picture)
{
    struct tick ticks[8];
    struct area left = {picture->area.row, picture->area.column - LABELS, picture->area.rows, LABELS - 1};
    size_t count = axis_ticks(&picture->y, picture->area.rows > 8 ? 5 : 3, ticks);
    for (size_t i = 0; i < count; i++) {
        double place = 1 - axis_place(&picture->y, ticks[i].value);
        unsigned row = (unsigned)fmin(place * picture->area.rows, picture->area.rows - 1);
        canvas_right(picture->canvas, left, row, 0, LABELS - 1, TINT_QUIET, ticks[i].label);
    }
}

static void end_picture(struct dots_picture *picture, const char *low, const char *high)
{
    char text[DOTS_CELL_BYTES];
    struct canvas *canvas = picture->canvas;
    struct area area = picture->area, below = {area.row, area.column, area.rows + 1, area.columns};
    for (unsigned row = 0; row < area.rows; row++)
        for (unsigned column = 0; column < area.columns; column++) {
            dots_cell(&picture->dots, column, row, canvas->look.unicode, text);
            if (strcmp(text, " ") != 0)
                canvas_text(canvas, area, row, column, dots_tint(&picture->dots, column, row), text);
        }
    draw_labels(picture);
    canvas_text(canvas, below, area.rows, 0, TINT_QUIET, low);
    canvas_right(canvas, below, area.rows, area.columns / 2, area.columns - area.columns / 2, TINT_QUIET, high);
    dots_fini(&picture->dots);
}

/* --- values --- */

struct values {
    double *items;
    size_t count;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The finite values of a list of arrays, at this place of each, sorted. */
static struct values values_of(const json_t *list, size_t place)
{
    size_t index;
    json_t *row;
    struct values values = {MEM_ARRAY(double, json_array_size(list) + 1), 0};
    json_array_foreach((json_t *)list, index, row)
    {
        double value;
        if (json_to_finite(json_array_get(row, place), &value))
            values.items[values.count++] = value;
    }
    if (values.count)
        qsort(values.items, values.count, sizeof *values.items, by_value);
    return values;
}

/* An axis that all lie on but for a few that are far worse than the others: they would leave no room for these. */
static struct axis axis_but_for_few(struct values values, bool maximize)
{
    static const double far = 2;
    if (!values.count)
        return axis_of(0, 1, AXIS_LINEAR);
    double low = values.items[0], high = values.items[values.count - 1];
    size_t few = values.count / 20;
    double worst = maximize ? values.items[few] : values.items[values.count - 1 - few];
    if (!maximize && high - worst > far * (worst - low))
        high = worst;
    if (maximize && worst - low > far * (high - worst))
        low = worst;
    return axis_widen(axis_of(low, high, AXIS_LINEAR), 0.02);
}

bool search_maximizes(const struct model *model, size_t metric)
{
    return strcmp(json_text(json_array_get(search_get(model, "metrics"), metric), "goal"), "maximize") == 0;
}

/* --- a parameter against the metric --- */

static const json_t *find_param(const struct model *model, const char *name)
{
    return name ? json_named(search_get(model, "parameters"), name) : NULL;
}

static void add_end(const json_t *param, const char *member, struct buf *out)
{
    format_scalar(json_object_get(param, member), out);
}

/* The best of the points; NULL: none has a value. */
static const json_t *best_point(const json_t *points, bool maximize)
{
    size_t index;
    json_t *point;
    const json_t *best = NULL;
    double least = 0, value;
    json_array_foreach((json_t *)points, index, point)
    {
        bool counts = json_is_true(json_array_get(point, 4)) && json_to_finite(json_array_get(point, 2), &value);
        if (counts && (!best || (maximize ? value > least : value < least))) {
            best = point;
            least = value;
        }
    }
    return best;
}

static void draw_points(struct dots_picture *picture, const json_t *points)
{
    size_t index;
    json_t *point;
    double x, value;
    json_array_foreach((json_t *)points, index, point)
    {
        const char *state = json_string_value(json_array_get(point, 3));
        bool stopped = state && strcmp(state, "stopped") == 0;
        if (json_to_finite(json_array_get(point, 1), &x) && json_to_finite(json_array_get(point, 2), &value))
            add_point(picture, x, value, stopped ? TINT_WARN : TINT_GOOD);
    }
}

static void mark_best(const struct dots_picture *picture, const json_t *best)
{
    double x, value;
    if (!json_to_finite(json_array_get(best, 1), &x) || !json_to_finite(json_array_get(best, 2), &value))
        return;
    double y = fmin(fmax(axis_place(&picture->y, value), 0), 1);
    unsigned column = (unsigned)fmin(x * picture->area.columns, picture->area.columns - 1),
             row = (unsigned)fmin((1 - y) * picture->area.rows, picture->area.rows - 1);
    canvas_text(picture->canvas, picture->area, row, column, TINT_STRONG, picture->canvas->look.unicode ? "★" : "*");
}

static uint64_t count_failed(const json_t *points)
{
    size_t index;
    json_t *point;
    uint64_t failed = 0;
    json_array_foreach((json_t *)points, index, point)
    {
        const char *state = json_string_value(json_array_get(point, 3));
        failed += state && strcmp(state, "failed") == 0;
    }
    return failed;
}

/* How many have the parameter at all: that of a condition that does not hold is none. */
static size_t count_placed(const json_t *points)
{
    size_t index, placed = 0;
    json_t *point;
    double x;
    json_array_foreach((json_t *)points, index, point)
    {
        placed += json_to_finite(json_array_get(point, 1), &x);
    }
    return placed;
}

/* What is seen, in a line. */
static void describe_points(const struct model *model, const char *name, const json_t *best, struct buf *out)
{
    const json_t *points = search_get(model, "points");
    size_t placed = count_placed(points);
    json_int_t choices = json_integer_value(json_object_get(find_param(model, name), "values"));
    json_int_t every = json_integer_value(search_get(model, "every")),
               ended = json_integer_value(search_get(model, "ended"));
    format_safe(name, out);
    if (choices > 2)
        buf_format(out, " (%" JSON_INTEGER_FORMAT " values)", choices);
    buf_text(out, " against ");
    format_safe(json_text(json_array_get(search_get(model, "metrics"), 0), "name"), out);
    buf_format(out, " (%s): %zu trials", search_maximizes(model, 0) ? "high is good" : "low is good",
               json_array_size(points));
    if (every > 1 || (json_int_t)json_array_size(points) < ended)
        buf_format(out, " of %s%" JSON_INTEGER_FORMAT, every > 1 ? "about " : "", ended * every);
    if (placed < json_array_size(points))
        buf_format(out, ", %zu have it", placed);
    if (count_failed(points))
        buf_format(out, ", %" PRIu64 " failed", count_failed(points));
    if (best)
        buf_format(out, ", best trial %" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(best, 0)));
}

void search_scatter(struct model *model, struct canvas *canvas, struct area area)
{
    const char *name = json_string_value(search_get(model, "parameter"));
    const json_t *param = find_param(model, name), *points = search_get(model, "points"),
                 *best = best_point(points, search_maximizes(model, 0));
    struct values values = values_of(points, 2);
    struct buf text = {0}, high = {0};
    struct dots_picture picture;
    struct area below = {area.row + 1, area.column, area.rows - 1, area.columns};
    describe_points(model, name ? name : "", best, &text);
    canvas_text(canvas, area, 0, 0, TINT_STRONG, buf_str(&text));
    buf_clear(&text);
    if (!values.count) {
        canvas_text(canvas, below, 1, 0, TINT_QUIET, "no trial has a value yet");
    } else {
        begin_picture(&picture, canvas, below, axis_but_for_few(values, search_maximizes(model, 0)));
        draw_points(&picture, points);
        add_end(param, "low", &text);
        add_end(param, "high", &high);
        if (json_is_true(json_object_get(param, "log")))
            buf_text(&high, " (log)");
        end_picture(&picture, buf_str(&text), buf_str(&high));
        mark_best(&picture, best);
    }
    free(values.items);
    buf_fini(&text);
    buf_fini(&high);
}

/* --- several objectives --- */

/* The names of the objectives, in their order; how many there are. */
static size_t objectives_of(const struct model *model, const char *names[], size_t places[], size_t most)
{
    size_t index, count = 0;
    json_t *metric;
    json_array_foreach(search_get(model, "metrics"), index, metric)
    {
        if (count < most && *json_text(metric, "goal")) {
            places[count] = index;
            names[count++] = json_text(metric, "name");
        }
    }
    return count;
}

static void draw_front(const struct model *model, struct canvas *canvas, struct area area, const char *const names[],
                       const size_t places[])
{
    const json_t *front = search_get(model, "front");
    struct values x = values_of(front, 1), y = values_of(front, 2);
    struct axis across = axis_but_for_few(x, search_maximizes(model, places[0]));
    struct dots_picture picture;
    char low[24], high[24], text[300];
    size_t index;
    json_t *row;
    begin_picture(&picture, canvas, area, axis_but_for_few(y, search_maximizes(model, places[1])));
    json_array_foreach((json_t *)front, index, row)
    {
        double first, second;
        if (json_to_finite(json_array_get(row, 1), &first) && json_to_finite(json_array_get(row, 2), &second))
            add_point(&picture, fmin(fmax(axis_place(&across, first), 0), 1), second, TINT_GOOD);
    }
    axis_label(across.low, low, sizeof low);
    axis_label(across.high, high, sizeof high);
    snprintf(text, sizeof text, "%s  %.200s", low, names[0]);
    end_picture(&picture, text, high);
    free(x.items);
    free(y.items);
}

static void draw_front_rows(struct model *model, struct canvas *canvas, struct area area, size_t objectives)
{
    const json_t *front = search_get(model, "front");
    struct list_place *place = &model->view.places[SCREEN_SEARCH];
    char text[32];
    place_follow(place, json_array_size(front), area.rows);
    for (unsigned i = 0; i < area.rows && place->first + i < json_array_size(front); i++) {
        const json_t *row = json_array_get(front, (size_t)place->first + i);
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(row, 0)));
        canvas_right(canvas, area, i, 0, 9, TINT_STRONG, text);
        for (unsigned k = 0; k < objectives; k++) {
            double value = NAN;
            (void)json_to_real(json_array_get(row, k + 1), &value);
            canvas_right(canvas, area, i, 10 + 14 * k, 13, TINT_NONE, format_number(value, text, sizeof text));
        }
        if (place->first + i == place->chosen)
            canvas_choose(canvas, area, i);
    }
}

void search_front(struct model *model, struct canvas *canvas, struct area area)
{
    enum { MOST = 8 };
    const char *names[MOST];
    size_t places[MOST], objectives = objectives_of(model, names, places, MOST);
    const json_t *front = search_get(model, "front");
    if (objectives < 2) {
        canvas_wrap(canvas, area, 0, 0, TINT_QUIET,
                    "there is one objective: what is best of it is a single trial, and the overview has it");
        return;
    }
    struct buf title = {0};
    format_count(json_array_size(front), "trial", &title);
    buf_format(&title, " that no other is better than in one objective and worse in none: %s up, %s across", names[1],
               names[0]);
    canvas_text(canvas, area, 0, 0, TINT_STRONG, buf_str(&title));
    buf_fini(&title);
    unsigned plot = area.rows > 14 ? (area.rows - 2) / 2 : 0;
    if (plot && json_array_size(front))
        draw_front(model, canvas, (struct area){area.row + 1, area.column, plot, area.columns}, names, places);
    struct area head = {area.row + 1 + plot, area.column, 1, area.columns},
                rows = {head.row + 1, area.column, area.rows - plot - 2, area.columns};
    canvas_right(canvas, head, 0, 0, 9, TINT_NONE, "trial");
    for (unsigned k = 0; k < objectives; k++)
        canvas_right(canvas, head, 0, 10 + 14 * k, 13, TINT_NONE, names[k]);
    canvas_reverse(canvas, head, 0);
    draw_front_rows(model, canvas, rows, objectives);
}
