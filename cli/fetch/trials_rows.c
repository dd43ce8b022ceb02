/* Rows of trials; see trials_rows.h. */
#include "cli/fetch/trials_rows.h"
#include "cli/json.h"
#include "cli/view/running.h"
#include "common/clock.h"

#include <math.h>
#include <string.h>

enum { TREND = 24 };

/* Seconds that a running trial has still to go: by its steps, else as long as others took; null: not known. */
static json_t *seconds_left(const json_t *trial, double max_steps, double usual)
{
    double seconds, step;
    if (!json_number(trial, "seconds", &seconds))
        return json_null();
    if (json_number(trial, "step", &step) && step > 0 && max_steps >= step)
        return json_real(seconds / step * (max_steps - step));
    return usual > 0 ? json_real(fmax(usual - seconds, 0)) : json_null();
}

/* How long a trial takes on average; 0: not known. */
static double usual_seconds(const json_t *experiment, const json_t *counts)
{
    double run = 0;
    json_int_t ended = json_integer_value(json_object_get(counts, "completed")) +
                       json_integer_value(json_object_get(counts, "stopped")) +
                       json_integer_value(json_object_get(counts, "failed"));
    return json_number(experiment, "run_seconds", &run) && ended > 0 ? run / (double)ended : 0;
}

static json_t *read_rows(struct source *source, const json_t *experiment, const json_t *numbers, const json_t *snapshot,
                         struct err *err)
{
    json_t *rows =
        json_array_size(numbers) ? source_trials(source, &(struct trial_query){.numbers = numbers}, err) : json_array();
    double usual = usual_seconds(experiment, json_object_get(snapshot, "trials")), most = 0;
    json_number(json_object_get(snapshot, "steps"), "max_steps", &most);
    size_t index;
    json_t *trial;
    json_array_foreach(rows, index, trial)
    {
        if (strcmp(json_text(trial, "state"), "running") != 0)
            continue;
        running_fill(trial, json_text(experiment, "metric"), clock_wall());
        json_object_set_new(trial, "left", seconds_left(trial, most, usual));
    }
    return rows;
}

/* Each row has its last values of the objective, for a small curve. */
static int add_trends(struct source *source, json_t *rows, struct err *err)
{
    json_t *numbers = json_array(), *trends = NULL, *row;
    size_t index;
    json_array_foreach(rows, index, row) json_array_append(numbers, json_object_get(row, "trial"));
    trends = source_read(source, "trends", json_pack("{s:o, s:i}", "numbers", numbers, "limit", TREND), err);
    json_array_foreach(rows, index, row) json_object_set(row, "trend", json_array_get(trends, index));
    json_decref(trends);
    return trends ? 0 : -1;
}

json_t *trials_rows(struct source *source, const json_t *experiment, const json_t *numbers, const json_t *snapshot,
                    struct err *err)
{
    json_t *rows = read_rows(source, experiment, numbers, snapshot, err);
    if (rows && add_trends(source, rows, err) == 0)
        return rows;
    json_decref(rows);
    return NULL;
}
