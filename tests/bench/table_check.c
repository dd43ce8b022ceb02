/* Compares a search on a table with the table itself, read here by other code than the kernel's:
 *
 *     gannet trials EXP --json | table_check TABLE.csv METRIC minimize|maximize
 *
 * Every trial must have found what the table says of its configuration: the value of the last step, or a failure when
 * the configuration is not listed or any of its values is NaN. Prints one line; the exit status is 1 when any differs.
 */
#include "common/mem.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One cell: its text, and the number in it. */
struct cell {
    char *text;
    bool is_number;
    double number;
};

/* A table of rows x columns cells; its first line is the names. */
struct table {
    char **names;
    size_t columns;
    struct cell *cells;
    size_t count, capacity; /* cells in all */
};

/* --- reading the table: fields between commas, no quotes --- */

static struct cell read_cell(const char *text)
{
    char *end;
    struct cell cell = {.text = mem_text(text)};
    cell.number = strtod(text, &end);
    cell.is_number = end != text && !*end;
    return cell;
}

static bool read_table(const char *path, struct table *table)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t capacity = 0, name_capacity = 0;
    if (!file)
        return false;
    while (getline(&line, &capacity, file) > 0) {
        bool header = !table->names;
        char *at = line;
        line[strcspn(line, "\r\n")] = '\0';
        for (char *field; (field = strsep(&at, ","));) {
            if (header) {
                MEM_GROW(table->names, name_capacity, table->columns + 1);
                table->names[table->columns++] = mem_text(field);
            } else {
                MEM_GROW(table->cells, table->capacity, table->count + 1);
                table->cells[table->count++] = read_cell(field);
            }
        }
    }
    free(line);
    fclose(file);
    return table->columns && table->count % table->columns == 0;
}

static void free_table(struct table *table)
{
    for (size_t i = 0; i < table->columns; i++)
        free(table->names[i]);
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->names);
    free(table->cells);
}

static long column_of(const struct table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->names[i], name) == 0)
            return (long)i;
    return -1;
}

/* --- looking a configuration up --- */

static bool equals(const struct cell *cell, const json_t *value)
{
    if (json_is_number(value))
        return cell->is_number && cell->number == json_number_value(value);
    return json_is_string(value) && strcmp(cell->text, json_string_value(value)) == 0;
}

static bool matches(const struct table *table, const struct cell *row, const json_t *params)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)params, name, value)
    {
        long column = column_of(table, name);
        if (column < 0 || !equals(&row[column], value))
            return false;
    }
    return true;
}

/* What the table says of a configuration: false when it is not there or not a number. */
static bool look_up(const struct table *table, const json_t *params, const char *metric, double *value)
{
    long metric_column = column_of(table, metric), step_column = column_of(table, "step");
    double last_step = -INFINITY;
    bool found = false, broken = false;
    for (size_t at = 0; at < table->count; at += table->columns) {
        const struct cell *row = &table->cells[at];
        if (!matches(table, row, params))
            continue;
        double step = step_column >= 0 ? row[step_column].number : 0;
        broken = broken || !row[metric_column].is_number || !isfinite(row[metric_column].number);
        if (!found || step >= last_step)
            *value = row[metric_column].number;
        last_step = fmax(step, last_step);
        found = true;
    }
    return found && !broken;
}

/* --- comparing --- */

struct tally {
    size_t same, failed, different;
    bool has_best;
    double best;
};

static void compare(const struct table *table, const json_t *trial, const char *metric, bool maximize,
                    struct tally *tally)
{
    double value = NAN;
    const json_t *reported = json_object_get(trial, "value");
    const char *state = json_string_value(json_object_get(trial, "state"));
    bool there = look_up(table, json_object_get(trial, "params"), metric, &value);
    bool completed = state && strcmp(state, "completed") == 0;
    bool failed = state && strcmp(state, "failed") == 0;
    if (there && completed && json_is_number(reported) && json_number_value(reported) == value) {
        tally->same++;
        if (!tally->has_best || (maximize ? value > tally->best : value < tally->best))
            tally->best = value;
        tally->has_best = true;
    } else if (!there && failed) {
        tally->failed++;
    } else {
        char *text = json_dumps(trial, JSON_COMPACT);
        fprintf(stderr, "the table says %g of %s\n", value, text);
        free(text);
        tally->different++;
    }
}

int main(int argc, char **argv)
{
    struct table table = {0};
    json_t *trials = json_loadf(stdin, 0, NULL);
    struct tally tally = {0};
    size_t index;
    json_t *trial;
    if (argc != 4 || !json_is_array(trials) || !read_table(argv[1], &table) || column_of(&table, argv[2]) < 0) {
        fprintf(stderr, "usage: gannet trials EXP --json | table_check TABLE.csv METRIC minimize|maximize\n");
        json_decref(trials);
        free_table(&table);
        return 2;
    }
    json_array_foreach(trials, index, trial) compare(&table, trial, argv[2], strcmp(argv[3], "maximize") == 0, &tally);
    printf("%zu values the same, %zu failed as they must, %zu different, best %.10g\n", tally.same, tally.failed,
           tally.different, tally.best);
    json_decref(trials);
    free_table(&table);
    return tally.different || !(tally.same + tally.failed);
}
