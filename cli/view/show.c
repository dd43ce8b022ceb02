/* One trial, drawn; see show.h. */
#include "cli/view/show.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/look.h"
#include "cli/view/columns.h"
#include "cli/view/profile.h"
#include "cli/view/running.h"
#include "cli/view/table.h"
#include "cli/view/unfinished.h"
#include "common/endings.h"
#include "common/gpu_share.h"
#include "common/mem.h"
#include "common/run_counters.h"
#include "common/units.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_value(enum run_counter counter, double value, struct buf *out)
{
    char text[32];
    const char *unit = run_counter_unit(counter);
    if (strcmp(unit, "seconds") == 0)
        buf_text(out, units_show_duration(value, text, sizeof text));
    else if (strcmp(unit, "bytes") == 0)
        buf_text(out, units_show_size((uint64_t)value, text, sizeof text));
    else
        buf_format(out, "%s %s", format_number(value, text, sizeof text), unit);
}

/* The attempt that is shown, or NULL. */
static const json_t *find_run(const json_t *runs)
{
    for (size_t i = json_array_size(runs); i-- > 0;)
        if (json_object_size(json_object_get(json_array_get(runs, i), "counters")))
            return json_array_get(runs, i);
    return NULL;
}

static void add_lines(const json_t *counters, struct buf *zeros, struct buf *out)
{
    for (unsigned i = 0; i < RUN_COUNTERS_COUNT; i++) {
        double value;
        const char *name = run_counter_name(i);
        if (!json_number(counters, name, &value) || !run_counter_is_sane(i, value))
            continue;
        if (value > 0) {
            buf_format(out, "  %-21s ", name);
            add_value(i, value, out);
            buf_text(out, "\n");
        } else {
            buf_format(zeros, "%s%s", zeros->length ? ", " : "", name);
        }
    }
}

/* Counters of the same reason stand on one line. */
static void add_uncounted(const json_t *uncounted, struct buf *out)
{
    json_t *why, *other, *done = json_object(), *all = (json_t *)uncounted;
    const char *name, *like;
    json_object_foreach(all, name, why)
    {
        if (!json_is_string(why) || json_object_get(done, json_string_value(why)))
            continue;
        json_object_set(done, json_string_value(why), why);
        buf_text(out, "  not known: ");
        bool first = true;
        json_object_foreach(all, like, other) if (json_equal(why, other))
        {
            buf_text(out, first ? "" : ", ");
            format_safe(like, out);
            first = false;
        }
        buf_text(out, " (");
        format_safe(json_string_value(why), out);
        buf_text(out, ")\n");
    }
    json_decref(done);
}

/* Adds the section "Counters" of the last of a trial's `runs` that has any: a line for each that is not zero, then the
 * names of those that are, and those that its worker could not read with the reason; nothing when no attempt was
 * counted.
 */
static void counters_table_draw(const json_t *runs, const struct look *look, struct buf *out)
{
    const json_t *run = find_run(runs);
    struct buf zeros = {0};
    if (!run)
        return;
    look_heading(look, "Counters", out);
    add_lines(json_object_get(run, "counters"), &zeros, out);
    if (zeros.length)
        buf_format(out, "  none of: %s\n", buf_str(&zeros));
    add_uncounted(json_object_get(run, "uncounted"), out);
    buf_fini(&zeros);
}

/* ", step 3, val_loss 0.41, 1m05s". */
static void add_standing(const struct shown_trial *show, struct buf *out)
{
    struct buf standing = {0};
    running_describe(show->trial, show->metric, &standing);
    if (standing.length)
        buf_format(out, ", %s", buf_str(&standing));
    buf_fini(&standing);
}

/* "Trial 12: failed, its metric became NaN or infinite: loss became NaN at step 3". */
static void add_state(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    const char *state = json_text(show->trial, "state");
    const char *detail = json_text(show->trial, "detail");
    int ending = ending_named(json_text(show->trial, "reason"));
    buf_text(out, "Trial ");
    format_scalar(json_object_get(show->trial, "trial"), out);
    buf_text(out, ": ");
    look_add(look, tint_of_state(state), state, out);
    if (json_is_true(json_object_get(show->trial, "added")))
        buf_text(out, ", measured elsewhere and added by hand");
    else if (ending >= 0)
        buf_format(out, ", %s", ending_sentence((enum ending)ending));
    else if (show->own_loop)
        buf_text(out, ", asked for and not told yet");
    else if (strcmp(state, "running") == 0)
        add_standing(show, out);
    if (*detail) {
        buf_text(out, ": ");
        format_safe(detail, out);
    }
    buf_text(out, json_is_true(json_object_get(show->trial, "ignored")) ? "; it is ignored\n" : "\n");
}

/* --- the learning curve of the objective --- */

struct learning_curve {
    double *values; /* as they were reported, NaN and infinities too */
    size_t count, capacity;
    size_t numbers; /* that are finite */
};

static void read_curve(const struct shown_trial *show, struct learning_curve *curve)
{
    size_t index;
    const json_t *sample;
    json_array_foreach(json_object_get(show->trial, "curve"), index, sample)
    {
        double value;
        if (strcmp(json_text(sample, "metric"), show->metric) != 0 || !json_number(sample, "value", &value))
            continue;
        MEM_GROW(curve->values, curve->capacity, curve->count + 1);
        curve->values[curve->count++] = value;
        curve->numbers += isfinite(value) ? 1 : 0;
    }
}

static void add_line(const struct shown_trial *show, const struct learning_curve *curve, const struct look *look,
                     struct buf *out)
{
    enum { WIDTH = 60 };
    char first[32], last[32];
    buf_text(out, "  ");
    chart_line(look, curve->values, curve->count, WIDTH, out);
    buf_format(out, "\n  %s: %s at first, %s at last, %zu values\n", show->metric,
               format_number(curve->values[0], first, sizeof first),
               format_number(curve->values[curve->count - 1], last, sizeof last), curve->count);
}

/* A line needs two values. */
static void add_curve(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    struct learning_curve curve = {0};
    read_curve(show, &curve);
    if (curve.count > 1)
        look_heading(look, "Learning curve", out);
    if (curve.count > 1 && curve.numbers)
        add_line(show, &curve, look, out);
    else if (curve.count > 1)
        buf_format(out, "  all %zu values of %s were NaN or infinite\n", curve.count, show->metric);
    free(curve.values);
}

/* --- the attempts --- */

enum column_unit { UNIT_NONE, UNIT_SECONDS, UNIT_BYTES };

/* The columns of the attempts. */
static const struct run_column {
    const char *name, *member; /* the title; the member of a run */
    enum column_unit unit;
    bool right;  /* it is a number */
    bool seldom; /* it is shown when any run has something there */
} run_columns[] = {
    {"attempt", "attempt", UNIT_NONE, true, false},
    {"reason", "reason", UNIT_NONE, false, false},
    {"seconds", "seconds", UNIT_SECONDS, true, false},
    {"cpu", "cpu_seconds", UNIT_SECONDS, true, false},
    {"memory", "peak_memory", UNIT_BYTES, true, false},
    {"of", "memory_limit", UNIT_BYTES, true, true},
    {"time limit", "time_limit", UNIT_SECONDS, true, true},
    {"node", "node", UNIT_NONE, false, false},
    {"nodes", "nodes", UNIT_NONE, false, true},
    {"job", "job", UNIT_NONE, false, true},
    {"slot", "slot", UNIT_NONE, true, false},
    {"cpus", "cpus", UNIT_NONE, false, false},
    {"gpus", "gpus", UNIT_NONE, false, false},
    {"detail", "detail", UNIT_NONE, false, false},
};
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

static void add_cell(struct text_table *table, const json_t *run, const struct run_column *column)
{
    struct buf text = {0};
    const json_t *value = json_object_get(run, column->member);
    double number;
    char shown[32];
    if (strcmp(column->member, "gpus") == 0) /* "half of 3" */
        buf_text(&text,
                 gpu_share_words((uint32_t)json_integer_value(json_object_get(run, "gpu_slots")), shown, sizeof shown));
    if (json_is_array(value))
        format_ranges(value, &text);
    else if (column->unit == UNIT_SECONDS && json_number(run, column->member, &number))
        buf_text(&text, units_show_duration(number, shown, sizeof shown));
    else if (column->unit == UNIT_BYTES && json_is_integer(value))
        buf_text(&text, units_show_size((uint64_t)json_integer_value(value), shown, sizeof shown));
    else
        format_scalar(value, &text);
    table_cell(table, TINT_NONE, buf_str(&text));
    buf_fini(&text);
}

/* Whether the column is there at all: outside Slurm there are no jobs, and limits that are the same for all attempts
 * stand in the experiment file. */
static bool is_shown(const json_t *runs, const struct run_column *column)
{
    size_t index;
    const json_t *run;
    bool shown = !column->seldom;
    json_array_foreach(runs, index, run)
    {
        const json_t *value = json_object_get(run, column->member);
        shown |= value && !json_is_null(value);
    }
    return shown;
}

static void add_runs(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    const json_t *runs = json_object_get(show->trial, "runs");
    struct text_table *table = table_create();
    size_t index;
    const json_t *run;
    for (size_t i = 0; i < RUN_COLUMNS; i++)
        if (is_shown(runs, &run_columns[i]))
            table_column(table, run_columns[i].name, run_columns[i].right);
    json_array_foreach(runs, index, run)
    {
        for (size_t i = 0; i < RUN_COLUMNS; i++)
            if (is_shown(runs, &run_columns[i]))
                add_cell(table, run, &run_columns[i]);
    }
    if (json_array_size(runs)) {
        char *heading = show->ranks > 1 ? mem_format("Attempts, of %u processes", show->ranks) : mem_text("Attempts");
        look_heading(look, heading, out);
        free(heading);
        table_draw(table, look, out);
    }
    table_destroy(table);
}

/* --- early stopping --- */

/* What it said of the trial, a line each. */
static void add_decisions(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    const json_t *decisions = json_object_get(show->trial, "decisions"), *one;
    size_t index;
    if (!json_array_size(decisions))
        return;
    look_heading(look, "Early stopping", out);
    json_array_foreach(decisions, index, one)
    {
        const char *decision = json_text(one, "decision");
        bool went_on = strcmp(decision, "went_on") == 0, goes_on = strcmp(decision, "goes_on") == 0;
        buf_format(out, "  %-8s ", went_on ? "went on" : goes_on ? "goes on" : decision);
        format_safe(json_text(one, "why"), out);
        buf_text(out, "\n");
    }
}

/* --- the rest --- */

/* The last lines that the last attempt wrote to its standard error. */
static void add_tail(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    const json_t *runs = json_object_get(show->trial, "runs");
    size_t count = json_array_size(runs);
    const char *tail = count ? json_text(json_array_get(runs, count - 1), "tail") : "";
    if (!*tail)
        return;
    look_heading(look, "Its last words", out);
    while (*tail) {
        size_t length = strcspn(tail, "\n");
        char *line = mem_text_n(tail, length);
        buf_text(out, "  ");
        format_safe(line, out);
        buf_text(out, "\n");
        free(line);
        tail += length + (tail[length] == '\n');
    }
}

void show_draw(const struct shown_trial *show, const struct look *look, struct buf *out)
{
    add_state(show, look, out);
    look_heading(look, "Parameters", out);
    format_members(json_object_get(show->trial, "params"), "", look, out);
    if (json_object_size(json_object_get(show->trial, "metrics"))) {
        look_heading(look, "Metrics", out);
        format_members(json_object_get(show->trial, "metrics"), show->metric, look, out);
    }
    add_curve(show, look, out);
    add_decisions(show, look, out);
    add_runs(show, look, out);
    profile_draw(json_object_get(show->trial, "profile"), show->bound, look, out);
    counters_table_draw(json_object_get(show->trial, "runs"), look, out);
    add_tail(show, look, out);
    if (*show->again)
        unfinished_draw_again(show->trial, show->again, look, out);
    if (!show->files)
        return;
    buf_text(out, "\nIts files are in ");
    format_safe(show->files, out);
    buf_text(out, "\n");
}
