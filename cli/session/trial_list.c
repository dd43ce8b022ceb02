/* Writing trials while they are read; see trial_list.h. */
#include "cli/session/trial_list.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/view/table.h"
#include "common/endings.h"

#include <string.h>

enum { SAMPLE = 1000 }; /* trials that are looked at before the first line is written */

/* --- for programs --- */

/* Where they go to. */
struct writing {
    struct console *console;
    const struct trial_columns *columns; /* of CSV */
    struct buf text;                     /* of one trial */
    uint64_t written;
};

static int write_json(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    buf_text(&writing->text, writing->written++ ? ",\n " : "[");
    json_add(trial, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

int trial_list_json(struct console *console, struct source *source, const struct trial_query *query, struct err *err)
{
    struct writing writing = {.console = console};
    int result = source_each_trial(source, query, write_json, &writing, err);
    if (result == 0)
        fputs(writing.written ? "]\n" : "[]\n", console->out);
    buf_fini(&writing.text);
    return result;
}

/* Values that call for a column of their own: columns_usual depends on them. */
static bool is_telling(const char *name, const json_t *value)
{
    int state = strcmp(name, "state") == 0 ? trial_state_named(json_string_value(value)) : -1;
    return state == TRIAL_FAILED || state == TRIAL_CANCELLED || (strcmp(name, "feasible") == 0 && json_is_false(value));
}

static int collect_names(void *context, json_t *trial, struct err *err)
{
    json_t *all = context;
    const char *name;
    json_t *part;
    (void)err;
    json_object_foreach(trial, name, part)
    {
        json_t *known = json_object_get(all, name);
        if (!known || json_is_null(known) || is_telling(name, part))
            json_object_set_new(all, name, json_copy(part));
        else if (json_is_object(part) && json_is_object(known))
            json_object_update_missing(known, part);
    }
    return 0;
}

json_t *trial_list_names(struct source *source, const struct trial_query *query, struct err *err)
{
    json_t *all = json_object(), *list = json_array();
    int result = source_each_trial(source, query, collect_names, all, err);
    if (result == 0 && json_object_size(all))
        json_array_append(list, all);
    json_decref(all);
    if (result == 0)
        return list;
    json_decref(list);
    return NULL;
}

static int write_csv(void *context, json_t *trial, struct err *err)
{
    struct writing *writing = context;
    (void)err;
    columns_csv_trial(trial, writing->columns, &writing->text);
    console_write(writing->console->out, &writing->text);
    return 0;
}

int trial_list_csv(struct console *console, struct source *source, const struct trial_query *query,
                   const struct trial_columns *columns, struct err *err)
{
    struct writing writing = {.console = console, .columns = columns};
    columns_csv_names(columns, &writing.text);
    console_write(console->out, &writing.text);
    int result = source_each_trial(source, query, write_csv, &writing, err);
    buf_fini(&writing.text);
    return result;
}

/* --- for people --- */

/* A table that is being written. */
struct trial_table {
    struct console *console;
    struct trial_columns columns;
    struct text_table *table;
    struct buf text;
    uint64_t rows; /* added so far */
};

static void add_row(struct trial_table *listing, const json_t *trial)
{
    struct buf text = {0};
    for (size_t i = 0; i < listing->columns.count; i++) {
        const struct trial_column *column = &listing->columns.items[i];
        bool is_state = column->kind == COLUMN_MEMBER && strcmp(column->name, "state") == 0;
        column_show(column, trial, &text);
        table_cell(listing->table, is_state ? tint_of_state(buf_str(&text)) : TINT_NONE, buf_str(&text));
        buf_clear(&text);
    }
    buf_fini(&text);
    listing->rows++;
}

/* The first rows are kept until the widths are known; later ones are written at once. */
static int draw_trial(void *context, json_t *trial, struct err *err)
{
    struct trial_table *listing = context;
    (void)err;
    add_row(listing, trial);
    if (listing->rows == SAMPLE)
        table_begin(listing->table, &listing->console->out_look, &listing->text);
    else if (listing->rows > SAMPLE)
        table_rows(listing->table, &listing->console->out_look, &listing->text);
    console_write(listing->console->out, &listing->text);
    return 0;
}

static int draw_trials(struct trial_table *listing, struct source *source, const struct trial_query *query,
                       struct err *err)
{
    for (size_t i = 0; i < listing->columns.count; i++)
        table_column(listing->table, listing->columns.items[i].name, listing->columns.items[i].number);
    int status = source_each_trial(source, query, draw_trial, listing, err) ? STATUS_FAILED : STATUS_OK;
    if (listing->rows < SAMPLE)
        table_begin(listing->table, &listing->console->out_look, &listing->text);
    table_end(listing->table, &listing->text);
    console_write(listing->console->out, &listing->text);
    return status;
}

/* Trials from which the columns are chosen: the first ones, and when there are more, one that has what occurs in any.
 */
static json_t *look_at(struct source *source, const struct trial_query *query, struct err *err)
{
    struct trial_query first = *query;
    if (!first.limit || first.limit > SAMPLE)
        first.limit = SAMPLE;
    json_t *sample = source_trials(source, &first, err);
    if (json_array_size(sample) < SAMPLE || query->limit == SAMPLE)
        return sample;
    json_t *all = trial_list_names(source, query, err);
    json_array_extend(sample, all);
    if (!all)
        json_decref(sample);
    json_decref(all);
    return all ? sample : NULL;
}

static int choose_columns(const json_t *sample, const char *list, struct trial_columns *out, struct err *err)
{
    if (list)
        return columns_choose(sample, list, out, err) ? STATUS_USAGE : STATUS_OK;
    columns_usual(sample, out);
    return STATUS_OK;
}

int trial_list_table(struct console *console, struct source *source, const struct trial_query *query, const char *list,
                     struct err *err)
{
    struct trial_table listing = {.console = console, .table = table_create()};
    json_t *sample = look_at(source, query, err);
    int status = sample ? choose_columns(sample, list, &listing.columns, err) : STATUS_FAILED;
    json_decref(sample);
    if (!status && listing.columns.count)
        status = draw_trials(&listing, source, query, err);
    columns_fini(&listing.columns);
    table_destroy(listing.table);
    buf_fini(&listing.text);
    return status;
}
