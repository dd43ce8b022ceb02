/* The section top: the best trials, and those on their way. Of very many trials each is looked at once; those that have
 * ended since are, at the next reading. */
#include "cli/fetch/sections.h"
#include "cli/json.h"
#include "cli/view/running.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40 }; /* what a window of 50 rows has room for */

struct top_memory {
    struct best_known known;
    json_t *best;   /* [[trial, value], ...] */
    json_t *trials; /* of these, as they are shown */
    json_t *names;  /* of the parameters, in the order of the experiment file */
    char *metric;
    bool maximize;
};

static void free_top(void *data)
{
    struct top_memory *memory = data;
    json_decref(memory->best);
    json_decref(memory->trials);
    json_decref(memory->names);
    free(memory->metric);
    free(memory);
}

static struct top_memory *memory_of(struct section_memory *memory)
{
    if (!memory->data) {
        struct top_memory *top = MEM_NEW(struct top_memory);
        top->best = json_array();
        top->known.worst = NAN;
        *memory = (struct section_memory){.data = top, .free = free_top};
    }
    return memory->data;
}

/* What stays the same. -1 with a sentence. */
static int know_experiment(struct top_memory *memory, struct source *source, struct err *err)
{
    json_t *experiment, *parameter;
    size_t index;
    if (memory->names)
        return 0;
    if (!(experiment = source_read(source, "experiment", json_pack("{s:b}", "brief", 1), err)))
        return -1;
    memory->names = json_array();
    json_array_foreach(json_object_get(experiment, "parameters"), index, parameter)
        json_array_append(memory->names, json_object_get(parameter, "name"));
    memory->metric = mem_text(json_text(experiment, "metric"));
    memory->maximize = strcmp(json_text(experiment, "goal"), "maximize") == 0;
    json_decref(experiment);
    return 0;
}

/* --- the best --- */

static double value_at(const json_t *rows, size_t at)
{
    double value = NAN;
    (void)json_to_real(json_array_get(json_array_get(rows, at), 1), &value);
    return value;
}

/* Two lists, the best first, become one; of equal values those that were known first. */
static json_t *merge_trials(const struct top_memory *memory, const json_t *known, const json_t *more)
{
    json_t *all = json_array();
    for (size_t i = 0, k = 0; json_array_size(all) < MOST;) {
        bool has_known = i < json_array_size(known), has_more = k < json_array_size(more);
        double left = value_at(known, i), right = value_at(more, k);
        if (!has_known && !has_more)
            break;
        bool is_known = has_known && (!has_more || (memory->maximize ? left >= right : left <= right));
        json_array_append(all, is_known ? json_array_get(known, i++) : json_array_get(more, k++));
    }
    return all;
}

static void take_best(struct top_memory *memory, const json_t *answer)
{
    const json_t *more = json_object_get(answer, "trials");
    if (json_is_true(json_object_get(answer, "anew")))
        json_array_clear(memory->best);
    else if (!json_array_size(more))
        return;
    json_t *all = merge_trials(memory, memory->best, more);
    json_decref(memory->best);
    json_decref(memory->trials);
    memory->best = all;
    memory->trials = NULL;
}

static int find_best(struct top_memory *memory, struct source *source, struct err *err)
{
    struct best_known *known = &memory->known;
    json_t *answer =
        source_read(source, "top",
                    json_pack("{s:I, s:I, s:o, s:i}", "told", (json_int_t)known->told, "taken_back",
                              (json_int_t)known->taken_back, "worst", json_of_known(known->worst), "limit", (int)MOST),
                    err);
    if (!answer)
        return -1;
    take_best(memory, answer);
    known->told = (uint64_t)json_integer_value(json_object_get(answer, "told"));
    known->taken_back = (uint64_t)json_integer_value(json_object_get(answer, "taken_back"));
    known->worst = json_array_size(memory->best) == MOST ? value_at(memory->best, MOST - 1) : NAN;
    json_decref(answer);
    return 0;
}

/* Those trials; while they are too few, and that is while few have ended or hardly any counts, the others behind them.
 */
static int read_best(struct top_memory *memory, struct source *source, struct err *err)
{
    struct trial_query query = {.limit = MOST}; /* not brief: the step is shown */
    size_t index;
    if (memory->trials && json_array_size(memory->best) == MOST)
        return 0;
    json_t *numbers = json_array(), *row;
    json_array_foreach(memory->best, index, row) json_array_append(numbers, json_array_get(row, 0));
    query.by_value = json_array_size(numbers) < MOST;
    query.numbers = query.by_value ? NULL : numbers;
    json_decref(memory->trials);
    memory->trials = source_trials(source, &query, err);
    json_decref(numbers);
    return memory->trials ? 0 : -1;
}

/* --- the section --- */

static json_t *read_running(struct source *source, const char *metric)
{
    struct trial_query query = {.state = TRIAL_RUNNING + 1, .limit = MOST};
    json_t *trials = source_lives(source) ? source_trials(source, &query, NULL) : NULL, *trial;
    size_t index;
    json_array_foreach(trials, index, trial) running_fill(trial, metric, clock_wall());
    return trials ? trials : json_array();
}

json_t *section_top(const struct section_reading *reading, struct err *err)
{
    struct top_memory *memory = memory_of(reading->memory);
    if (know_experiment(memory, reading->source, err) || find_best(memory, reading->source, err) ||
        read_best(memory, reading->source, err))
        return NULL;
    return json_pack("{s:o, s:o, s:O}", "best", json_deep_copy(memory->trials), "running",
                     read_running(reading->source, memory->metric), "names", memory->names);
}
