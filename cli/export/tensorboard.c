/* Export for TensorBoard: curves, and the table of HParams. The directory has a file that says what was searched for,
 * and a directory for each trial, trial-000012, whose file has its parameters, its metrics step by step, and how it
 * ended.
 *
 * When it follows, the file of a trial that runs is lengthened: TensorBoard goes on reading where it was. What a pass
 * writes is seen when all of it is written (whole_directory.h). The numbers of fields are those of plugin_data.proto
 * and api.proto (tensorboard/plugins/hparams). */
#include "cli/export/event_file.h"
#include "cli/export/place.h"
#include "cli/json.h"
#include "common/endings.h"
#include "common/map.h"
#include "common/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_EXPERIMENT = 2, DATA_START = 3, DATA_END = 4 };
enum {
    EXPERIMENT_DESCRIPTION = 1,
    EXPERIMENT_CREATED = 3,
    EXPERIMENT_PARAMS = 4,
    EXPERIMENT_METRICS = 5,
    EXPERIMENT_NAME = 6
};
enum { PARAM_NAME = 1, PARAM_TYPE = 4, PARAM_CHOICES = 5, PARAM_INTERVAL = 6 };
enum { TYPE_STRING = 1, TYPE_BOOL = 2, TYPE_NUMBER = 3 };
enum { OF_NUMBER = 2, OF_TEXT = 3, OF_BOOL = 4 }; /* google.protobuf.Value */
enum { START_PARAMS = 1, START_GROUP = 4, START_TIME = 5 };
enum { END_STATUS = 1, END_TIME = 2 };
enum { STATUS_OF_SUCCESS = 1, STATUS_OF_FAILURE = 2 };

/* What has been written of a trial. */
struct written_run {
    uint64_t number;
    size_t samples;
    json_int_t attempts;
    bool ended;
};

struct tensorboard {
    double created;    /* when the experiment began */
    struct map living; /* number of a trial that had not ended at the last settle -> struct written_run, owned */
    struct whole_directory whole;
    struct written_run *passed; /* of the trials that were put since */
    size_t count, capacity;
};

/* --- values --- */

/* google.protobuf.Value; what is neither number, text nor truth is its JSON. */
static void add_value(struct buf *out, unsigned field, const json_t *value)
{
    struct buf message = {0}, text = {0};
    if (json_is_number(value))
        field_double(&message, OF_NUMBER, json_number_value(value));
    else if (json_is_boolean(value))
        field_whole(&message, OF_BOOL, json_is_true(value));
    else if (json_is_string(value))
        field_text(&message, OF_TEXT, json_string_value(value));
    else {
        json_add(value, &text);
        field_text(&message, OF_TEXT, buf_str(&text));
        buf_fini(&text);
    }
    field_message(out, field, &message);
}

/* Wraps a message of the plugin's. */
static void add_content(struct buf *out, double wall_time, const char *tag, unsigned field, struct buf *message)
{
    struct buf data = {0};
    field_message(&data, field, message);
    event_hparams(out, wall_time, tag, &data);
}

/* --- the experiment --- */

/* TensorBoard has one type for all values of a parameter: numbers, truths or texts. */
static unsigned type_of(const json_t *values)
{
    size_t index, numbers = 0, truths = 0;
    const json_t *value;
    json_array_foreach((json_t *)values, index, value)
    {
        numbers += json_is_number(value);
        truths += json_is_boolean(value);
    }
    size_t count = json_array_size(values);
    return numbers == count ? TYPE_NUMBER : truths == count ? TYPE_BOOL : TYPE_STRING;
}

static void add_choices(const json_t *parameter, struct buf *out)
{
    json_t *values = json_object_get(parameter, "values") ? json_incref(json_object_get(parameter, "values"))
                                                          : json_pack("[O]", json_object_get(parameter, "value"));
    struct buf list = {0};
    size_t index;
    const json_t *value;
    unsigned type = type_of(values);
    json_array_foreach(values, index, value)
    {
        if (type == TYPE_STRING && !json_is_string(value)) { /* of mixed ones the others as texts */
            struct buf text = {0};
            json_add(value, &text);
            json_t *shown = json_string(buf_str(&text));
            add_value(&list, 1, shown);
            json_decref(shown);
            buf_fini(&text);
        } else {
            add_value(&list, 1, value);
        }
    }
    field_whole(out, PARAM_TYPE, type);
    field_message(out, PARAM_CHOICES, &list);
    json_decref(values);
}

static void add_parameter(const json_t *parameter, struct buf *out)
{
    struct buf message = {0}, interval = {0};
    double min, max;
    field_text(&message, PARAM_NAME, json_text(parameter, "name"));
    if (json_object_get(parameter, "values") || json_object_get(parameter, "value")) {
        add_choices(parameter, &message);
    } else {
        field_whole(&message, PARAM_TYPE, TYPE_NUMBER);
        if (json_number(parameter, "min", &min) && json_number(parameter, "max", &max)) {
            field_double(&interval, 1, min);
            field_double(&interval, 2, max);
            field_message(&message, PARAM_INTERVAL, &interval);
        }
    }
    field_message(out, EXPERIMENT_PARAMS, &message);
}

static void add_metric(const json_t *metric, struct buf *out)
{
    struct buf message = {0}, name = {0};
    field_text(&name, 2, json_text(metric, "name"));
    field_message(&message, 1, &name);
    field_message(out, EXPERIMENT_METRICS, &message);
}

static void add_experiment(const struct export *export, double created, struct buf *out)
{
    struct buf message = {0};
    size_t index;
    const json_t *one;
    field_text(&message, EXPERIMENT_NAME, json_text(export->experiment, "name"));
    field_text(&message, EXPERIMENT_DESCRIPTION, json_text(export->experiment, "description"));
    field_double(&message, EXPERIMENT_CREATED, created);
    json_array_foreach(json_object_get(export->experiment, "parameters"), index, one) add_parameter(one, &message);
    json_array_foreach(json_object_get(export->experiment, "metrics"), index, one) add_metric(one, &message);
    event_first(out, created);
    add_content(out, created, "_hparams_/experiment", DATA_EXPERIMENT, &message);
}

/* --- trials --- */

/* A parameter whose values are of several types is a text everywhere. */
static bool is_mixed(const struct export *export, const char *name)
{
    const json_t *parameter = json_named(json_object_get(export->experiment, "parameters"), name);
    const json_t *values = json_object_get(parameter, "values");
    return values && type_of(values) == TYPE_STRING;
}

static void add_params(const struct export *export, const json_t *trial, struct buf *out)
{
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(trial, "params"), name, value)
    {
        struct buf entry = {0}, text = {0};
        field_text(&entry, 1, name);
        if (is_mixed(export, name) && !json_is_string(value))
            json_add(value, &text);
        json_t *shown = text.length ? json_string(buf_str(&text)) : json_incref(value);
        add_value(&entry, 2, shown);
        field_message(out, START_PARAMS, &entry);
        json_decref(shown);
        buf_fini(&text);
    }
}

static void add_start(const struct export *export, const json_t *trial, double started, struct buf *out)
{
    struct buf message = {0};
    char group[40];
    snprintf(group, sizeof group, "trial %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(trial, "trial")));
    add_params(export, trial, &message);
    field_text(&message, START_GROUP, group);
    field_double(&message, START_TIME, started);
    event_first(out, started);
    add_content(out, started, "_hparams_/session_start_info", DATA_START, &message);
}

static void add_samples(const json_t *trial, double started, size_t from, struct buf *out)
{
    const json_t *curve = json_object_get(trial, "curve");
    for (size_t i = from; i < json_array_size(curve); i++) {
        const json_t *sample = json_array_get(curve, i);
        double time = 0, value;
        json_number(sample, "time", &time);
        if (json_number(sample, "value", &value))
            event_scalar(out, started + time, json_integer_value(json_object_get(sample, "step")),
                         json_text(sample, "metric"), value);
    }
}

/* A trial that was measured elsewhere has values and no samples. */
static void add_values(const json_t *trial, double started, struct buf *out)
{
    const char *name;
    json_t *value;
    if (json_array_size(json_object_get(trial, "curve")))
        return;
    json_object_foreach(json_object_get(trial, "metrics"), name, value)
    {
        double number;
        if (json_number(json_object_get(trial, "metrics"), name, &number))
            event_scalar(out, started, 0, name, number);
    }
}

static void add_end(const json_t *trial, double started, struct buf *out)
{
    struct buf message = {0};
    int state = trial_state_named(json_text(trial, "state"));
    bool good = state == TRIAL_COMPLETED || state == TRIAL_STOPPED;
    double ended = place_seconds(json_object_get(trial, "ended"), started);
    field_whole(&message, END_STATUS, good ? STATUS_OF_SUCCESS : STATUS_OF_FAILURE);
    field_double(&message, END_TIME, ended);
    add_content(out, ended, "_hparams_/session_end_info", DATA_END, &message);
}

/* --- files --- */

/* "trial-000012/events.out.tfevents.1795470665.gannet" of a trial, or (0) the experiment's file. free() it. */
static char *name_file(const struct tensorboard *self, uint64_t trial)
{
    char part[40] = "";
    if (trial)
        snprintf(part, sizeof part, "trial-%06" PRIu64 "/", trial);
    return mem_format("%sevents.out.tfevents.%.0f.gannet", part, self->created);
}

static int begin_tensorboard(struct export *export, struct err *err)
{
    struct tensorboard *self = MEM_NEW(struct tensorboard);
    struct buf text = {0};
    export->state = self;
    self->created = place_seconds(json_object_get(export->experiment, "started"), 0);
    self->whole.place = export->path;
    char *name = name_file(self, 0);
    add_experiment(export, self->created, &text);
    int failed = place_mark(export, &self->whole, err) || whole_directory_write(&self->whole, name, &text, err);
    buf_fini(&text);
    free(name);
    if (failed)
        export_tensorboard.end(export);
    return failed ? -1 : 0;
}

/* Whether what was written of the trial goes on. */
static bool goes_on(const struct written_run *written, const json_t *trial)
{
    return written && written->samples <= json_array_size(json_object_get(trial, "curve")) &&
           written->attempts == json_integer_value(json_object_get(trial, "attempts"));
}

/* Counts once it is settled. */
static void remember_trial(struct tensorboard *self, uint64_t number, const json_t *trial)
{
    MEM_GROW(self->passed, self->capacity, self->count + 1);
    self->passed[self->count++] = (struct written_run){
        .number = number,
        .samples = json_array_size(json_object_get(trial, "curve")),
        .attempts = json_integer_value(json_object_get(trial, "attempts")),
        .ended = trial_state_name_is_end(json_text(trial, "state")),
    };
}

static int write_trial(struct tensorboard *self, uint64_t number, bool more, struct buf *text, struct err *err)
{
    char *name = name_file(self, number);
    int failed = more ? 0 : whole_directory_write(&self->whole, name, text, err);
    if (more && text->length)
        whole_directory_add(&self->whole, name, text);
    free(name);
    return failed;
}

/* A trial that has not begun has no file. */
static int put_tensorboard(struct export *export, const json_t *trial, struct err *err)
{
    struct tensorboard *self = export->state;
    uint64_t number = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    struct written_run *written = map_get(&self->living, number);
    struct buf text = {0};
    bool more = goes_on(written, trial);
    const json_t *began = json_object_get(trial, "started"), *ended = json_object_get(trial, "ended");
    if (json_is_null(began) && json_is_null(ended))
        return 0;
    double started = place_seconds(json_is_null(began) ? ended : began, self->created);
    if (!more)
        add_start(export, trial, started, &text);
    add_samples(trial, started, more ? written->samples : 0, &text);
    if (trial_state_name_is_end(json_text(trial, "state"))) {
        add_values(trial, started, &text);
        add_end(trial, started, &text);
    }
    int failed = write_trial(self, number, more, &text, err);
    if (!failed)
        remember_trial(self, number, trial);
    buf_fini(&text);
    return failed;
}

static void drop_tensorboard(struct export *export)
{
    struct tensorboard *self = export->state;
    whole_directory_drop(&self->whole);
    self->count = 0;
}

static int settle_tensorboard(struct export *export, struct err *err)
{
    struct tensorboard *self = export->state;
    if (whole_directory_settle(&self->whole, err))
        return -1;
    for (size_t i = 0; i < self->count && export->follows; i++) {
        struct written_run *written = self->passed[i].ended ? NULL : MEM_NEW(struct written_run);
        if (written)
            *written = self->passed[i];
        free(written ? map_put(&self->living, self->passed[i].number, written)
                     : map_remove(&self->living, self->passed[i].number));
    }
    self->count = 0;
    return 0;
}

static void end_tensorboard(struct export *export)
{
    struct tensorboard *self = export->state;
    struct map_entry entry;
    whole_directory_drop(&self->whole);
    free(self->passed);
    for (size_t at = 0; map_next(&self->living, &at, &entry);)
        free(entry.value);
    map_fini(&self->living);
    free(self);
    export->state = NULL;
}

const struct exporter export_tensorboard = {.name = "tensorboard",
                                            .what =
                                                "a directory for TensorBoard: curves and HParams, a directory a trial",
                                            .next = "tensorboard --logdir %s",
                                            .ending = "-tensorboard",
                                            .curves = true,
                                            .may_replace = place_may_replace,
                                            .begin = begin_tensorboard,
                                            .put = put_tensorboard,
                                            .settle = settle_tensorboard,
                                            .drop = drop_tensorboard,
                                            .end = end_tensorboard};
