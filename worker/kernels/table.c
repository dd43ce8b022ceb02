/* The kernel table: looks a configuration up in a CSV file of measured ones instead of training it, with repeats and
 * learning curves. Searches of thousands of trials then take seconds. */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "worker/data/lookup.h"
#include "worker/kernels/fault.h"
#include "worker/kernels/kernel_settings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct table_trial {
    struct kernel_settings settings;
    struct lookup *lookup;
    const char *objective; /* the name that values are reported under */
    double seconds;        /* of a step */
    int mean;              /* the metric's own column; -1: there is none, the mean of the repeats is taken */
    size_t *repeats;       /* the columns METRIC.s0, METRIC.s1, ... */
    size_t repeat_count;
    int repeat;  /* which of them is taken; -1: none, the mean */
    bool random; /* each trial takes one by its seed */
    /* The trial. */
    size_t row; /* of the next step */
};

static void table_close(void *self)
{
    struct table_trial *table = self;
    lookup_close(table->lookup);
    free(table->repeats);
    free(table);
}

/* Finds the columns METRIC, METRIC.s0, METRIC.s1, ... */
static void find_columns(struct table_trial *table, const char *metric)
{
    table->mean = lookup_column(table->lookup, metric);
    table->repeats = MEM_ARRAY(size_t, lookup_metrics(table->lookup));
    for (;;) {
        char *name = mem_format("%s.s%zu", metric, table->repeat_count);
        int column = lookup_column(table->lookup, name);
        free(name);
        if (column < 0)
            return;
        table->repeats[table->repeat_count++] = (size_t)column;
    }
}

/* Reads the option `repeat`: mean, random or a number. */
static int read_repeat(struct table_trial *table, const char *metric, struct err *err)
{
    const json_t *given = kernel_settings_given(&table->settings, "repeat");
    bool mean = !given || (json_is_string(given) && strcmp(json_string_value(given), "mean") == 0);
    table->random = !mean && json_is_string(given);
    table->repeat = json_is_number(given) ? (int)json_number_value(given) : -1;
    if (mean ? table->mean >= 0 || table->repeat_count
             : table->repeat < (int)table->repeat_count && table->repeat_count)
        return 0;
    return err_set(err,
                   "the option 'repeat' asks for what the table doesn't have: it has %zu columns %s.s0, %s.s1, ...",
                   table->repeat_count, metric, metric);
}

/* Finds out whether the option `also` holds names of columns. */
static int check_also(const struct table_trial *table, struct err *err)
{
    const json_t *also = kernel_settings_given(&table->settings, "also");
    for (size_t i = 0; i < json_array_size(also); i++) {
        const char *name = json_string_value(json_array_get(also, i));
        if (!name)
            return err_set(err, "the option 'also' must hold names of columns, as in [seconds]");
        if (lookup_column(table->lookup, name) < 0)
            return err_set(err, "the table has no column '%s', which the option 'also' names", name);
    }
    return 0;
}

static int load_table(struct table_trial *table, const struct kernel_task *task, struct err *err)
{
    if (kernel_settings_check_options(&table->settings, err))
        return -1;
    const char *metric = kernel_settings_text(&table->settings, "metric");
    metric = *metric ? metric : task->metric;
    struct lookup_roles roles = {.metric = metric,
                                 .step = kernel_settings_text(&table->settings, "step"),
                                 .also = kernel_settings_given(&table->settings, "also")};
    char *path = path_join(task->base, kernel_settings_text(&table->settings, "file"));
    table->lookup = lookup_open(path, &roles, err);
    free(path);
    if (!table->lookup)
        return -1;
    table->objective = task->metric;
    table->seconds = kernel_settings_number(&table->settings, "seconds");
    find_columns(table, metric);
    return read_repeat(table, metric, err) || check_also(table, err) ? -1 : 0;
}

static int table_open(const struct kernel_task *task, void **self, struct err *err)
{
    struct table_trial *table = MEM_NEW(struct table_trial);
    table->settings = (struct kernel_settings){.kernel = &kernel_table, .options = task->options};
    if (load_table(table, task, err)) {
        table_close(table);
        return -1;
    }
    *self = table;
    return 0;
}

static int table_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct table_trial *table = self;
    if (lookup_find(table->lookup, trial->params, &table->row, err))
        return -1;
    *steps = 1;
    for (size_t row = table->row, next; (next = lookup_next(table->lookup, row)) != row; row = next)
        ++*steps;
    if (table->random) {
        struct rng rng = rng_make(trial->seed, "repeat", 0);
        table->repeat = (int)rng_below(&rng, table->repeat_count);
    }
    return 0;
}

/* The objective: of one repeat, of its own column, or the mean of the repeats. */
static double value_of(const struct table_trial *table)
{
    if (table->repeat >= 0)
        return lookup_value(table->lookup, table->row, table->repeats[table->repeat]);
    if (table->mean >= 0)
        return lookup_value(table->lookup, table->row, (size_t)table->mean);
    double sum = 0;
    for (size_t i = 0; i < table->repeat_count; i++)
        sum += lookup_value(table->lookup, table->row, table->repeats[i]);
    return sum / (double)table->repeat_count;
}

/* The metrics of the option `also`. */
static void report_others(const struct table_trial *table, struct kernel_report *report)
{
    const json_t *also = kernel_settings_given(&table->settings, "also");
    for (size_t i = 0; i < json_array_size(also); i++) {
        const char *name = json_string_value(json_array_get(also, i));
        size_t column = (size_t)lookup_column(table->lookup, name); /* check_also has seen that it is there */
        report->metric(report->context, name, lookup_value(table->lookup, table->row, column));
    }
}

static enum ending table_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    (void)step;
    (void)err;
    struct table_trial *table = self;
    fault_pace(table->seconds);
    if (lookup_has_steps(table->lookup))
        report->step = lookup_step(table->lookup, table->row);
    report->metric(report->context, table->objective, value_of(table));
    report_others(table, report);
    table->row = lookup_next(table->lookup, table->row);
    return ENDING_COMPLETED;
}

/* What comes follows from the step alone. */
static void table_save(void *self, struct pack_writer *out)
{
    (void)self, (void)out;
}

static int table_resume(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    struct table_trial *table = self;
    for (int64_t i = 0; i < step && !in->left; i++) {
        size_t next = lookup_next(table->lookup, table->row);
        if (next == table->row)
            break; /* the last row: it has no further step */
        table->row = next;
    }
    return in->left ? err_set(err, "it was not saved by this kernel") : 0;
}

static void table_finish(void *self)
{
    (void)self;
}

static const struct kernel_option options[] = {
    {"file", "path", NULL, "the CSV file: a header, then a row for each configuration (and step)", 0, 0},
    {"metric", "text", "", "the column of the objective, when it is not called like the metric", 0, 0},
    {"repeat", "mean|random|integer", "mean",
     "what counts when there are repeats METRIC.s0, METRIC.s1, ...: the column METRIC, one by the trial's seed, or one "
     "for all",
     0, 1e6},
    {"step", "text", "step", "the column of steps, for learning curves", 0, 0},
    {"also", "list", "", "names of columns that are further metrics, not parameters", 0, 0},
    {"seconds", "number", "0", "simulated seconds of a step", 0, 1e6},
    {0},
};

static const struct kernel_option params[] = {
    {"*", "text|number|switch", "", "the columns that are neither the metric, its repeats nor the step", 0, 0},
    {0},
};

const struct kernel kernel_table = {
    .name = "table",
    .summary = "looks configurations up in a CSV file of measured ones",
    .options = options,
    .params = params,
    .metrics = "*",
    .memory = "the table, once for all trials of a trainer",
    .open = table_open,
    .start = table_start,
    .step = table_step,
    .save = table_save,
    .resume = table_resume,
    .finish = table_finish,
    .close = table_close,
};
