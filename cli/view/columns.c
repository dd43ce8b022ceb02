/* The columns of a list of trials; see columns.h. */
#include "cli/view/columns.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/mem.h"
#include "common/units.h"
#include "common/value.h"

#include <stdlib.h>
#include <string.h>

/* The members of a trial that are columns, in the order of docs/json.md. */
static const char *const members[] = {"trial", "state", "reason", "attempts", "started", "ended", "seconds", "node",
                                      "slot",  "cpus",  "gpus",   "ignored",  "added",   "nodes", "step",    "value"};
enum { MEMBERS = sizeof members / sizeof *members };

/* The prefix of names of each kind, and the member of a trial that holds them. */
static const struct column_prefix {
    const char *prefix, *member;
} kinds[] = {[COLUMN_MEMBER] = {"", NULL},
             [COLUMN_PARAM] = {"param.", "params"},
             [COLUMN_METRIC] = {"metric.", "metrics"},
             [COLUMN_TIME] = {"time.", "profile"}};

void columns_fini(struct trial_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->items[i].name);
    free(columns->items);
    *columns = (struct trial_columns){0};
}

const json_t *column_value(const struct trial_column *column, const json_t *trial)
{
    if (column->kind == COLUMN_MEMBER)
        return json_object_get(trial, column->name);
    const json_t *value = json_object_get(json_object_get(trial, kinds[column->kind].member), column->name);
    return column->kind == COLUMN_TIME ? json_object_get(value, "seconds") : value;
}

/* --- collecting --- */

static bool is_there(const struct trial_columns *columns, enum column_kind kind, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->items[i].kind == kind && strcmp(columns->items[i].name, name) == 0)
            return true;
    return false;
}

/* Whether there are numbers and nothing else. */
static bool is_number(const struct trial_column *column, const json_t *trials)
{
    size_t index;
    const json_t *trial;
    bool any = false;
    json_array_foreach((json_t *)trials, index, trial)
    {
        const json_t *value = column_value(column, trial);
        if (value && !json_is_null(value) && !json_is_number(value))
            return false;
        any = any || json_is_number(value);
    }
    return any;
}

static void add_column_view(struct trial_columns *columns, const json_t *trials, enum column_kind kind,
                            const char *name)
{
    if (is_there(columns, kind, name))
        return;
    MEM_GROW(columns->items, columns->capacity, columns->count + 1);
    struct trial_column *column = &columns->items[columns->count++];
    *column = (struct trial_column){.kind = kind, .name = mem_text(name)};
    column->number = is_number(column, trials);
    column->duration = kind == COLUMN_TIME || (kind == COLUMN_MEMBER && strcmp(name, "seconds") == 0);
}

/* Adds every parameter, metric or phase that occurs in any trial. */
static void add_kind(struct trial_columns *columns, const json_t *trials, enum column_kind kind)
{
    size_t index;
    json_t *trial, *value;
    const char *name;
    json_array_foreach((json_t *)trials, index, trial)
    {
        json_object_foreach(json_object_get(trial, kinds[kind].member), name, value)
            add_column_view(columns, trials, kind, name);
    }
}

void columns_all(const json_t *trials, struct trial_columns *out)
{
    *out = (struct trial_columns){0};
    for (size_t i = 0; i < MEMBERS; i++)
        add_column_view(out, trials, COLUMN_MEMBER, members[i]);
    for (enum column_kind kind = COLUMN_PARAM; kind <= COLUMN_TIME; kind++)
        add_kind(out, trials, kind);
}

static bool any_runs(const json_t *trials)
{
    size_t index;
    json_t *trial;
    json_array_foreach((json_t *)trials, index, trial)
    {
        if (trial_state_named(json_text(trial, "state")) == TRIAL_RUNNING)
            return true;
    }
    return false;
}

static bool any_failed(const json_t *trials)
{
    size_t index;
    json_t *trial;
    json_array_foreach((json_t *)trials, index, trial)
    {
        int state = trial_state_named(json_text(trial, "state"));
        if (state == TRIAL_FAILED || state == TRIAL_CANCELLED)
            return true;
    }
    return false;
}

/* Further metrics that trials are judged by, and whether they keep the limits and count where any does not, and
 * were added where any was. */
static void add_decided(struct trial_columns *out, const json_t *trials)
{
    const json_t *values = NULL;
    bool infeasible = false, ignored = false, added = false;
    size_t index;
    json_t *trial;
    json_array_foreach((json_t *)trials, index, trial)
    {
        const json_t *of_trial = json_object_get(trial, "values");
        values = json_object_size(of_trial) > json_object_size(values) ? of_trial : values;
        infeasible |= json_is_false(json_object_get(trial, "feasible"));
        ignored |= json_is_true(json_object_get(trial, "ignored"));
        added |= json_is_true(json_object_get(trial, "added"));
    }
    void *at = json_object_iter((json_t *)values);
    while (at && (at = json_object_iter_next((json_t *)values, at)))
        add_column_view(out, trials, COLUMN_METRIC, json_object_iter_key(at));
    if (infeasible)
        add_column_view(out, trials, COLUMN_MEMBER, "feasible");
    if (ignored)
        add_column_view(out, trials, COLUMN_MEMBER, "ignored");
    if (added)
        add_column_view(out, trials, COLUMN_MEMBER, "added");
}

void columns_usual(const json_t *trials, struct trial_columns *out)
{
    *out = (struct trial_columns){0};
    add_column_view(out, trials, COLUMN_MEMBER, "trial");
    add_column_view(out, trials, COLUMN_MEMBER, "state");
    if (any_runs(trials))
        add_column_view(out, trials, COLUMN_MEMBER, "step");
    add_column_view(out, trials, COLUMN_MEMBER, "value");
    add_decided(out, trials);
    add_column_view(out, trials, COLUMN_MEMBER, "seconds");
    if (any_failed(trials))
        add_column_view(out, trials, COLUMN_MEMBER, "reason");
    add_kind(out, trials, COLUMN_PARAM);
}

/* --- choosing --- */

static bool has_kind(const struct trial_columns *all, enum column_kind kind, const char *name,
                     struct trial_columns *out, const json_t *trials)
{
    if (!is_there(all, kind, name))
        return false;
    add_column_view(out, trials, kind, name);
    return true;
}

/* Adds the first column that the name fits: with a prefix of that kind, without one in the order of kinds. */
static bool choose_column(const struct trial_columns *all, const char *name, const json_t *trials,
                          struct trial_columns *out)
{
    for (enum column_kind kind = COLUMN_PARAM; kind <= COLUMN_TIME; kind++) {
        size_t length = strlen(kinds[kind].prefix);
        if (strncmp(name, kinds[kind].prefix, length) == 0 && has_kind(all, kind, name + length, out, trials))
            return true;
    }
    for (enum column_kind kind = COLUMN_MEMBER; kind <= COLUMN_TIME; kind++)
        if (has_kind(all, kind, name, out, trials))
            return true;
    return false;
}

/* When there are no trials, none of their names are known, so every name may be one. */
static bool guess_column(const json_t *trials, const char *name, struct trial_columns *out)
{
    if (json_array_size(trials))
        return false;
    add_column_view(out, trials, COLUMN_PARAM, name);
    return true;
}

static int unknown_column(const struct trial_columns *all, const char *name, struct err *err)
{
    const char **names = MEM_ARRAY(const char *, all->count);
    for (size_t i = 0; i < all->count; i++)
        names[i] = all->items[i].name;
    format_unknown("there is no column", name, names, all->count, "columns", err);
    free(names);
    return -1;
}

int columns_choose(const json_t *trials, const char *list, struct trial_columns *out, struct err *err)
{
    struct trial_columns all;
    columns_all(trials, &all);
    *out = (struct trial_columns){0};
    int result = 0;
    while (*list && result == 0) {
        size_t length = strcspn(list, ",");
        char *name = mem_text_n(list, length);
        if (length && !choose_column(&all, name, trials, out) && !guess_column(trials, name, out))
            result = unknown_column(&all, name, err);
        free(name);
        list += length + (list[length] == ',');
    }
    columns_fini(&all);
    if (result)
        columns_fini(out);
    return result;
}

/* --- showing --- */

void column_title(const struct trial_column *column, struct buf *out)
{
    buf_format(out, "%s%s", kinds[column->kind].prefix, column->name);
}

/* What few trials are, so that those stand out. */
static bool is_exception(const struct trial_column *column)
{
    return strcmp(column->name, "ignored") == 0 || strcmp(column->name, "added") == 0;
}

void column_show(const struct trial_column *column, const json_t *trial, struct buf *out)
{
    const json_t *value = column_value(column, trial);
    char text[32];
    if (column->duration && json_is_number(value))
        buf_text(out, units_show_duration(json_number_value(value), text, sizeof text));
    else if (json_is_array(value) && column->kind != COLUMN_PARAM)
        format_ranges(value, out);
    else if (json_is_boolean(value) && column->kind == COLUMN_MEMBER)
        buf_text(out, json_is_true(value) ? "yes" : is_exception(column) ? "-" : "no");
    else
        format_scalar(value, out);
}

/* --- as CSV --- */

/* The value of a parameter that is a list, as JSON. */
static void add_list(const json_t *list, struct buf *out)
{
    struct value value = {0};
    if (value_from_json(list, &value, NULL) == 0)
        value_show(&value, out);
    value_fini(&value);
}

static void add_csv_value(const struct trial_column *column, const json_t *value, struct buf *out)
{
    struct buf text = {0};
    if (column->kind == COLUMN_PARAM && json_is_array(value))
        add_list(value, &text);
    else if (json_is_string(value))
        buf_text(&text, json_string_value(value));
    else if (json_is_array(value) && json_array_size(value))
        format_ranges(value, &text);
    else if (value && !json_is_null(value) && !json_is_array(value))
        json_add(value, &text);
    format_csv(buf_str(&text), out);
    buf_fini(&text);
}

void columns_csv_names(const struct trial_columns *columns, struct buf *out)
{
    struct buf title = {0};
    for (size_t i = 0; i < columns->count; i++) {
        column_title(&columns->items[i], &title);
        buf_text(out, i ? "," : "");
        format_csv(buf_str(&title), out);
        buf_clear(&title);
    }
    buf_fini(&title);
    buf_text(out, "\r\n");
}

void columns_csv_trial(const json_t *trial, const struct trial_columns *columns, struct buf *out)
{
    for (size_t i = 0; i < columns->count; i++) {
        buf_text(out, i ? "," : "");
        add_csv_value(&columns->items[i], column_value(&columns->items[i], trial), out);
    }
    buf_text(out, "\r\n");
}

enum tint tint_of_state(const char *state)
{
    static const enum tint tints[TRIAL_STATES] = {
        [TRIAL_WAITING] = TINT_QUIET,  [TRIAL_RUNNING] = TINT_BUSY, [TRIAL_PAUSED] = TINT_QUIET,
        [TRIAL_COMPLETED] = TINT_GOOD, [TRIAL_STOPPED] = TINT_WARN, [TRIAL_FAILED] = TINT_BAD,
        [TRIAL_CANCELLED] = TINT_BAD};
    int number = trial_state_named(state);
    return number < 0 ? TINT_NONE : tints[number];
}
