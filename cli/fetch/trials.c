/* The section trials: those in view, in an order, of those that a filter keeps.
 *
 * In the order of their numbers all are found without reading any. Else each is looked at once when it has ended, in
 * the order in which the ends were told, for some tenths of a second at a time; what it is ordered by is kept, and
 * nothing else (trial_order.h). Those that live are looked at again and again. */
#include "cli/fetch/sections.h"
#include "cli/fetch/trial_order.h"
#include "cli/fetch/trials_rows.h"
#include "cli/data/filter.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/view/columns.h"
#include "cli/view/running.h"
#include "common/clock.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds that a reading looks at trials for: others wait for the thread meanwhile. And for how long, as a multiple of
 * what looking at living trials takes, these are left alone then. */
static const double turn_seconds = 0.25, rest = 10;

enum {
    SAMPLE = 200,
    NAMES_SECONDS = 30,
    ENDS_PAGE = 10000,
    FACTS_PAGE = 1000,
    LIVING_PAGE = 250,
    LIVING_MOST = 100000
};

/* What the rows of `ended` have, under the names of a trial's members (source_read). */
static const char *const compact_members[] = {"trial", "state", "value", "seconds", "feasible", "ignored"};
enum { COMPACT_MEMBERS = sizeof compact_members / sizeof *compact_members };

struct trials_memory {
    /* What was asked for, and what is made of it. */
    char order[WANTS_TEXT], filter_text[WANTS_TEXT];
    bool reverse, prepared;
    struct filter *filter;       /* NULL: all */
    struct trial_columns column; /* one, or none: by number */
    bool by_value;
    char mistake[400];
    struct trial_order *rows; /* NULL: by number, and all */

    uint64_t told, looked_at; /* the place of the last end that was looked at, and how many were */
    double living_next;       /* when living ones are looked at again, on the monotonic clock */

    /* Of the experiment, now and then. */
    json_t *experiment, *sample;
    double known; /* when, on the monotonic clock */
};

static void forget_wish(struct trials_memory *memory)
{
    filter_destroy(memory->filter);
    memory->filter = NULL;
    columns_fini(&memory->column);
    trial_order_destroy(memory->rows);
    memory->rows = NULL;
    memory->told = memory->looked_at = 0;
    memory->living_next = 0;
    memory->mistake[0] = '\0';
    memory->prepared = false;
}

static void free_memory(void *data)
{
    struct trials_memory *memory = data;
    forget_wish(memory);
    json_decref(memory->experiment);
    json_decref(memory->sample);
    free(memory);
}

static struct trials_memory *memory_of(const struct section_reading *reading)
{
    if (!reading->memory->data) {
        reading->memory->data = MEM_NEW(struct trials_memory);
        reading->memory->free = free_memory;
    }
    return reading->memory->data;
}

/* --- what is asked for --- */

static int know_experiment(struct trials_memory *memory, struct source *source, struct err *err)
{
    double now = clock_monotonic();
    if (memory->experiment && json_array_size(memory->sample) && now - memory->known < NAMES_SECONDS)
        return 0;
    json_t *experiment = source_read(source, "experiment", json_pack("{s:b}", "brief", 1), err),
           *sample = experiment ? source_trials(source, &(struct trial_query){.limit = SAMPLE}, err) : NULL;
    if (!sample) {
        json_decref(experiment);
        return -1;
    }
    json_decref(memory->experiment);
    json_decref(memory->sample);
    memory->experiment = experiment;
    memory->sample = sample;
    memory->known = now;
    return 0;
}

/* The column of the order. "value" and the objective's name mean the same: the best first. */
static void choose_order(struct trials_memory *memory, const struct wants *wants)
{
    struct err err = {""};
    const char *name = wants->trials.order, *metric = json_text(memory->experiment, "metric");
    char title[WANTS_TEXT + 8];
    memory->by_value = strcmp(name, "value") == 0 || strcmp(name, metric) == 0 ||
                       (strncmp(name, "metric.", 7) == 0 && strcmp(name + 7, metric) == 0);
    snprintf(title, sizeof title, "%s", memory->by_value ? "value" : name);
    if (strcmp(name, "trial") != 0 && columns_choose(memory->sample, title, &memory->column, &err))
        snprintf(memory->mistake, sizeof memory->mistake, "order: %s", err.text);
}

static bool needs_params(const struct trials_memory *memory)
{
    return (memory->column.count && memory->column.items[0].kind == COLUMN_PARAM) ||
           (memory->filter && filter_reads_params(memory->filter));
}

/* Whether the compact rows, and parameters, tell all that filter and order need. */
static bool is_compact(const struct trials_memory *memory)
{
    bool known = memory->column.count == 0 || memory->column.items[0].kind == COLUMN_PARAM;
    for (size_t i = 0; i < COMPACT_MEMBERS && !known; i++)
        known = memory->column.items[0].kind == COLUMN_MEMBER &&
                strcmp(memory->column.items[0].name, compact_members[i]) == 0;
    return known && (!memory->filter || filter_reads_only(memory->filter, compact_members, COMPACT_MEMBERS));
}

/* -1 with a sentence when the experiment can't be read; a mistake of the person's is noted. */
static int prepare_memory(struct trials_memory *memory, const struct section_reading *reading, struct err *err)
{
    const struct wants *wants = reading->wants;
    bool same = memory->prepared && strcmp(memory->order, wants->trials.order) == 0 &&
                strcmp(memory->filter_text, wants->trials.filter) == 0 && memory->reverse == wants->trials.reverse;
    if (know_experiment(memory, reading->source, err))
        return -1;
    if (same)
        return 0;
    forget_wish(memory);
    memcpy(memory->order, wants->trials.order, WANTS_TEXT);
    memcpy(memory->filter_text, wants->trials.filter, WANTS_TEXT);
    memory->reverse = wants->trials.reverse;
    choose_order(memory, wants);
    struct err fault = {""};
    int status = STATUS_OK;
    if (*memory->filter_text && !(memory->filter = filter_open(reading->source, memory->filter_text, &status, &fault)))
        snprintf(memory->mistake, sizeof memory->mistake, "filter: %s", fault.text);
    bool maximize = strcmp(json_text(memory->experiment, "goal"), "maximize") == 0;
    if (!*memory->mistake && (memory->filter || memory->column.count))
        memory->rows = trial_order_create(memory->reverse != (memory->by_value && maximize));
    memory->prepared = status != STATUS_FAILED;
    return 0;
}

/* --- looking at trials --- */

/* As `gannet trials --sort value`: those that count, of these those that keep the limits, and last those without. */
static unsigned rank_of(const json_t *trial)
{
    int state = trial_state_named(json_text(trial, "state"));
    bool result = state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
    if (json_is_true(json_object_get(trial, "ignored")))
        return 3;
    return json_is_false(json_object_get(trial, "feasible")) ? 2 : !result;
}

static struct order_key key_of_trial(const struct trials_memory *memory, const json_t *trial)
{
    struct order_key key = {.number = NAN};
    if (!memory->column.count) {
        key.number = (double)json_integer_value(json_object_get(trial, "trial"));
        return key;
    }
    const struct trial_column *column = &memory->column.items[0];
    const json_t *value = column_value(column, trial);
    bool text = json_is_string(value) && (column->kind == COLUMN_PARAM || column->kind == COLUMN_MEMBER);
    if (text)
        key.text = json_string_value(value);
    else if (json_is_boolean(value))
        key.number = json_is_true(value);
    else
        json_to_real(value, &key.number);
    if (memory->by_value)
        key.rank = isnan(key.number) ? 4 : rank_of(trial);
    return key;
}

static bool is_kept(const struct trials_memory *memory, const json_t *trial)
{
    return !memory->filter || filter_keeps(memory->filter, trial);
}

static int look_at_ended(void *context, json_t *trial, struct err *err)
{
    struct trials_memory *memory = context;
    struct order_key key = key_of_trial(memory, trial);
    bool ended = trial_state_name_is_end(json_text(trial, "state"));
    (void)err;
    trial_order_put(memory->rows, (uint64_t)json_integer_value(json_object_get(trial, "trial")), &key,
                    ended && is_kept(memory, trial));
    return 0;
}

static int look_at_living(void *context, json_t *trial, struct err *err)
{
    struct trials_memory *memory = context;
    (void)err;
    if (trial_state_name_is_end(json_text(trial, "state")))
        return 0; /* meanwhile; the next reading finds it */
    struct order_key key = key_of_trial(memory, trial);
    running_fill(trial, json_text(memory->experiment, "metric"), clock_wall());
    if (!memory->by_value)
        key = key_of_trial(memory, trial);
    if (is_kept(memory, trial))
        trial_order_put_living(memory->rows, (uint64_t)json_integer_value(json_object_get(trial, "trial")), &key);
    return 0;
}

static json_t *numbers_at(const json_t *rows, size_t place, size_t first, size_t count)
{
    json_t *numbers = json_array();
    for (size_t i = first; i < first + count && i < json_array_size(rows); i++)
        json_array_append(numbers, json_array_get(json_array_get(rows, i), place));
    return numbers;
}

/* Those that live are read with their samples, for their value so far. */
static int look_at_all_living(struct trials_memory *memory, struct source *source, const json_t *rows, struct err *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < json_array_size(rows); i += LIVING_PAGE) {
        struct trial_query query = {.numbers = numbers_at(rows, 0, i, LIVING_PAGE)};
        failed = source_each_trial(source, &query, look_at_living, memory, err);
        json_decref((json_t *)query.numbers);
    }
    return failed;
}

/* What filter and order look at. */
static json_t *list_members(const struct trials_memory *memory)
{
    static const char *const of_kind[] = {
        [COLUMN_PARAM] = "params", [COLUMN_METRIC] = "metrics", [COLUMN_TIME] = "profile"};
    const struct trial_column *column = memory->column.count ? &memory->column.items[0] : NULL;
    json_t *members = json_pack("[s, s, s]", "value", "feasible", "ignored"); /* by value */
    if (memory->filter)
        filter_list_members(memory->filter, members);
    if (column)
        json_array_append_new(members,
                              json_of_text(column->kind == COLUMN_MEMBER ? column->name : of_kind[column->kind]));
    return members;
}

/* Ended trials of which the compact rows don't tell enough. */
static int look_at_facts(struct trials_memory *memory, struct source *source, const json_t *rows, struct err *err)
{
    json_t *numbers = numbers_at(rows, 1, 0, json_array_size(rows)), *trial;
    json_t *facts =
        source_read(source, "facts", json_pack("{s:o, s:o}", "numbers", numbers, "members", list_members(memory)), err);
    size_t index;
    json_array_foreach(facts, index, trial) look_at_ended(memory, trial, err);
    json_decref(facts);
    return facts ? 0 : -1;
}

/* One row of `ended`: [told, trial, state, ended, started, seconds, cores, value, feasible, ignored]. */
static json_t *trial_of_end(json_t *row)
{
    return json_pack("{s:O, s:O, s:O, s:O, s:O, s:O}", "trial", json_array_get(row, 1), "state", json_array_get(row, 2),
                     "seconds", json_array_get(row, 5), "value", json_array_get(row, 7), "feasible",
                     json_array_get(row, 8), "ignored", json_array_get(row, 9));
}

/* The parameters of the trials of these rows, an array; of none where they are not needed. NULL with a sentence. */
static json_t *read_params(const struct trials_memory *memory, struct source *source, json_t *rows, struct err *err)
{
    json_t *numbers = json_array(), *row;
    size_t index;
    if (needs_params(memory))
        json_array_foreach(rows, index, row) json_array_append(numbers, json_array_get(row, 1));
    return source_read(source, "params", json_pack("{s:o}", "numbers", numbers), err);
}

static int look_at_ends(struct trials_memory *memory, struct source *source, json_t *rows, struct err *err)
{
    size_t index;
    json_t *row;
    if (!is_compact(memory))
        return look_at_facts(memory, source, rows, err);
    json_t *params = read_params(memory, source, rows, err);
    json_array_foreach(rows, index, row)
    {
        json_t *trial = params ? trial_of_end(row) : NULL;
        if (trial && json_array_get(params, index))
            json_object_set(trial, "params", json_array_get(params, index));
        if (trial)
            look_at_ended(memory, trial, err);
        json_decref(trial);
    }
    json_decref(params);
    return params ? 0 : -1;
}

/* One page of ends: how many there were; -1 with a sentence. */
static int read_ends(struct trials_memory *memory, struct source *source, struct err *err)
{
    json_int_t limit = is_compact(memory) ? ENDS_PAGE : FACTS_PAGE;
    json_t *rows =
        source_read(source, "ended", json_pack("{s:I, s:I}", "after", (json_int_t)memory->told, "limit", limit), err);
    size_t count = json_array_size(rows);
    int failed = rows ? look_at_ends(memory, source, rows, err) : -1;
    if (!failed && count) {
        memory->told = (uint64_t)json_integer_value(json_array_get(json_array_get(rows, count - 1), 0));
        memory->looked_at += count;
    }
    json_decref(rows);
    return failed ? -1 : (int)count;
}

/* Those that live have no value that they could be ordered by: all of them go last. */
static int put_without_value(struct trials_memory *memory, json_t *rows)
{
    size_t index;
    const json_t *row;
    const struct order_key none = {.rank = 4, .number = NAN};
    json_array_foreach(rows, index, row)
        trial_order_put_living(memory->rows, (uint64_t)json_integer_value(json_array_get(row, 0)), &none);
    return 0;
}

static int read_living(struct trials_memory *memory, struct source *source, struct err *err)
{
    double began = clock_monotonic();
    if (began < memory->living_next)
        return 0;
    json_t *rows = source_read(source, "living", json_pack("{s:I}", "limit", (json_int_t)LIVING_MOST), err);
    trial_order_clear_living(memory->rows);
    int failed = !rows                                 ? -1
                 : memory->by_value && !memory->filter ? put_without_value(memory, rows)
                                                       : look_at_all_living(memory, source, rows, err);
    double now = clock_monotonic();
    memory->living_next = now + rest * (now - began > 0.05 ? now - began : 0);
    json_decref(rows);
    return failed;
}

/* Goes on with those that have ended, for a turn; behind the last of them those that live. */
static int look_on(struct trials_memory *memory, const struct section_reading *reading, struct err *err)
{
    double end = clock_monotonic() + turn_seconds;
    int count = 1;
    while (count > 0 && clock_monotonic() < end)
        count = read_ends(memory, reading->source, err);
    reading->memory->more = count > 0;
    int failed = count < 0 || read_living(memory, reading->source, err);
    trial_order_settle(memory->rows);
    return failed ? -1 : 0;
}

/* --- the rows in view --- */

/* Those by number: they have the numbers 1 to `total`. */
static void list_numbers(const struct trials_memory *memory, const struct wants *wants, uint64_t total, json_t *numbers)
{
    for (uint64_t i = 0; i < wants->trials.count && wants->trials.first + i < total; i++) {
        uint64_t place = wants->trials.first + i;
        json_array_append_new(numbers, json_integer((json_int_t)(memory->reverse ? total - place : place + 1)));
    }
}

static uint64_t count_all(const json_t *snapshot)
{
    uint64_t total = 0;
    const char *name;
    json_t *count;
    json_object_foreach(json_object_get((json_t *)snapshot, "trials"), name, count) total +=
        (uint64_t)json_integer_value(count);
    return total + (uint64_t)json_integer_value(json_object_get(snapshot, "ignored"));
}

static json_t *list_columns(const json_t *sample)
{
    struct trial_columns columns;
    struct buf title = {0};
    json_t *list = json_array();
    columns_all(sample, &columns);
    for (size_t i = 0; i < columns.count; i++) {
        column_title(&columns.items[i], &title);
        json_array_append_new(list, json_of_text(buf_str(&title)));
        buf_clear(&title);
    }
    buf_fini(&title);
    columns_fini(&columns);
    return list;
}

static json_t *encode_trials(struct trials_memory *memory, const struct section_reading *reading,
                             const json_t *snapshot, struct err *err)
{
    const struct wants *wants = reading->wants;
    uint64_t total = count_all(snapshot), matching = memory->rows ? trial_order_count(memory->rows) : total;
    json_t *numbers = json_array();
    if (*memory->mistake)
        matching = 0;
    else if (memory->rows)
        trial_order_list(memory->rows, wants->trials.first, wants->trials.count, numbers);
    else
        list_numbers(memory, wants, total, numbers);
    json_t *rows = trials_rows(reading->source, memory->experiment, numbers, snapshot, err);
    json_decref(numbers);
    if (!rows)
        return NULL;
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:O?, s:O?, s:I, s:b, s:s}", "total", (json_int_t)total, "matching",
                     (json_int_t)matching, "first", (json_int_t)wants->trials.first, "rows", rows, "all",
                     list_columns(memory->sample), "metric", json_object_get(memory->experiment, "metric"), "goal",
                     json_object_get(memory->experiment, "goal"), "looked_at", (json_int_t)memory->looked_at, "looking",
                     (int)reading->memory->more, "mistake", memory->mistake);
}

/* Whether numbers are missing between those of trials: sessions that had asked for them ended. A trial that came
 * meanwhile is in the next count. */
static int has_gaps(struct source *source, const json_t *snapshot, bool *out, struct err *err)
{
    json_t *more =
        source_trials(source, &(struct trial_query){.after = count_all(snapshot), .limit = 1, .brief = true}, err);
    json_t *again = json_array_size(more) ? source_read(source, "snapshot", NULL, err) : NULL;
    json_int_t number = json_integer_value(json_object_get(json_array_get(more, 0), "trial"));
    int failed = !more || (json_array_size(more) && !again);
    *out = again && (uint64_t)number > count_all(again);
    json_decref(more);
    json_decref(again);
    return failed ? -1 : 0;
}

/* -1 with a sentence. */
static int find_rows(struct trials_memory *memory, const struct section_reading *reading, const json_t *snapshot,
                     struct err *err)
{
    bool gaps = false;
    if (*memory->mistake)
        return 0;
    if (!memory->rows && has_gaps(reading->source, snapshot, &gaps, err))
        return -1;
    if (gaps)
        memory->rows = trial_order_create(memory->reverse);
    return memory->rows ? look_on(memory, reading, err) : 0;
}

json_t *section_trials(const struct section_reading *reading, struct err *err)
{
    struct trials_memory *memory = memory_of(reading);
    if (prepare_memory(memory, reading, err))
        return NULL;
    json_t *snapshot = source_read(reading->source, "snapshot", NULL, err), *out = NULL;
    if (snapshot && find_rows(memory, reading, snapshot, err) == 0)
        out = encode_trials(memory, reading, snapshot, err);
    json_decref(snapshot);
    return out;
}
