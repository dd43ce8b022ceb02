/* The step log of a trial: when each step had ended, how long it took, and what it reported; see profile_sections.h.
 *
 *     step   at  took  val_loss  train_loss
 *        1  2.3s  2.3s      1.51        2.14
 */
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/profile_sections.h"
#include "cli/view/table.h"
#include "common/mem.h"
#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    METRICS_MOST = 6,
    NAMES_MOST = 6,
    ROWS_MOST = 12 /* of more steps as many, evenly, with the first and the last */
};

struct profiled_step {
    json_int_t number;
    double time; /* since the run began */
    double values[METRICS_MOST];
};

struct log {
    const char *metrics[METRICS_MOST];
    size_t metric_count;
    json_t *left_out; /* an object: the metrics that there is no room for */
    struct profiled_step *steps;
    size_t count, capacity;
};

/* METRICS_MOST: there is no room for another. */
static size_t find_metric(struct log *log, const char *name)
{
    for (size_t i = 0; i < log->metric_count; i++)
        if (strcmp(log->metrics[i], name) == 0)
            return i;
    if (log->metric_count == METRICS_MOST)
        return METRICS_MOST;
    log->metrics[log->metric_count] = name;
    return log->metric_count++;
}

static struct profiled_step *find_step(struct log *log, json_int_t number, double time)
{
    if (log->count && log->steps[log->count - 1].number == number)
        return &log->steps[log->count - 1];
    MEM_GROW(log->steps, log->capacity, log->count + 1);
    struct profiled_step *step = &log->steps[log->count++];
    *step = (struct profiled_step){.number = number, .time = time};
    for (int i = 0; i < METRICS_MOST; i++)
        step->values[i] = NAN;
    return step;
}

/* Whether any sample is one of that metric. */
static bool has_metric(const json_t *curve, const char *name)
{
    size_t index;
    json_t *sample;
    json_array_foreach((json_t *)curve, index, sample) if (strcmp(json_text(sample, "metric"), name) == 0) return true;
    return false;
}

static void read_curve(const json_t *curve, struct log *log)
{
    size_t index;
    json_t *sample;
    json_array_foreach((json_t *)curve, index, sample)
    {
        double time = NAN;
        json_number(sample, "time", &time);
        struct profiled_step *step = find_step(log, json_integer_value(json_object_get(sample, "step")), time);
        size_t metric = find_metric(log, json_text(sample, "metric"));
        if (metric < METRICS_MOST)
            json_number(sample, "value", &step->values[metric]);
        else
            json_object_set_new(log->left_out, json_text(sample, "metric"), json_true());
    }
}

static void add_duration(struct text_table *table, double seconds)
{
    char text[32];
    table_cell(table, TINT_NONE,
               seconds >= 0 && isfinite(seconds) ? units_show_duration(seconds, text, sizeof text) : "-");
}

static void add_step(struct text_table *table, const struct log *log, size_t at)
{
    const struct profiled_step *step = &log->steps[at];
    table_print(table, TINT_NONE, "%" JSON_INTEGER_FORMAT, step->number);
    add_duration(table, step->time);
    add_duration(table, step->time - (at ? log->steps[at - 1].time : 0));
    for (size_t i = 0; i < log->metric_count; i++) {
        if (isnan(step->values[i]))
            table_cell(table, TINT_NONE, "-");
        else
            table_print(table, TINT_NONE, "%.6g", step->values[i]);
    }
}

/* "  not shown, and in --json: grad_norm, speed and 3 more". */
static void draw_left_out(const struct log *log, struct buf *out)
{
    const char *name;
    json_t *ignored;
    size_t count = json_object_size(log->left_out), shown = 0;
    if (!count)
        return;
    buf_text(out, "  not shown, and in --json: ");
    json_object_foreach(log->left_out, name, ignored)
    {
        if (shown++ == NAMES_MOST)
            break;
        buf_text(out, shown > 1 ? ", " : "");
        format_safe(name, out);
    }
    if (count > NAMES_MOST)
        buf_format(out, " and %zu more", count - NAMES_MOST);
    buf_text(out, "\n");
}

static void draw_log(const struct log *log, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    size_t rows = log->count < ROWS_MOST ? log->count : ROWS_MOST;
    look_heading(look, "Steps", out);
    table_columns(table, ">step|>at|>took");
    for (size_t i = 0; i < log->metric_count; i++)
        table_column(table, log->metrics[i], true);
    for (size_t i = 0; i < rows; i++)
        add_step(table, log, rows > 1 ? i * (log->count - 1) / (rows - 1) : 0);
    table_finish(table, look, out);
    if (rows < log->count)
        buf_format(out, "  %zu of %zu steps; --json has all that are recorded\n", rows, log->count);
    draw_left_out(log, out);
}

void profile_steps_draw(const json_t *page, const struct look *look, struct buf *out)
{
    const json_t *curve = json_object_get(page, "curve");
    struct log log = {.left_out = json_object()};
    if (has_metric(curve, json_text(page, "metric")))
        find_metric(&log, json_text(page, "metric")); /* the objective has the first column */
    read_curve(curve, &log);
    if (log.count > 1)
        draw_log(&log, look, out);
    free(log.steps);
    json_decref(log.left_out);
}
