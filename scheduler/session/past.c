/* Trials of somebody else; see past.h. Each becomes the events that it would have been here: proposed, leased, ended.
 */
#include "scheduler/session/past.h"

#include "common/clock.h"
#include "common/hash.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/node.h"
#include "scheduler/core/tally.h"
#include "scheduler/store/store.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { EVENTS_A_COMMIT = 4000 }; /* some milliseconds of writing, and some MiB */

struct past {
    int lock;
    struct store *store;
    const struct spec *spec;
    struct metrics metrics;
    uint64_t worker; /* that stands for the other tool */
    uint64_t trials;
    struct event *events; /* not written yet */
    size_t count, capacity;
};

static void emit_event(struct past *past, struct event what, double time)
{
    MEM_GROW(past->events, past->capacity, past->count + 1);
    struct event *event = &past->events[past->count++];
    *event = what;
    event->time = time > 0 ? time : clock_wall();
    event_keep(event);
}

static void drop_events(struct past *past)
{
    for (size_t i = 0; i < past->count; i++)
        event_fini(&past->events[i]);
    past->count = 0;
}

static int write_events(struct past *past, struct err *err)
{
    int failed = store_write(past->store, past->events, past->count, err);
    drop_events(past);
    return failed;
}

static void begin_experiment(struct past *past, const char *whence)
{
    char node[NODE_SIZE];
    emit_event(past, (struct event){.kind = EVENT_EXPERIMENT, .experiment = {EXPERIMENT_RUNNING, REASON_NONE, "", 0}},
               0);
    emit_event(
        past,
        (struct event){
            .kind = EVENT_WORKER,
            .worker = past->worker,
            .hello = {.worker = past->worker, .node = node_name(node), .version = GANNET_VERSION, .machine = whence}},
        0);
}

struct past *past_create(const struct rundir *dir, struct spec *spec, const char *whence, struct err *err)
{
    if (rundir_make(dir, spec, err))
        return NULL;
    struct past *past = MEM_NEW(struct past);
    past->lock = -1;
    past->spec = spec;
    past->metrics = spec_metrics(spec);
    past->worker = hash_text(dir->path) >> 1 | 1;
    if (rundir_lock(dir, &past->lock, err) == 0 && (past->store = store_open(dir->store, err))) {
        begin_experiment(past, whence);
        return past;
    }
    past_destroy(past);
    return NULL;
}

/* The configuration as this space writes it, when it is one of its; else as it was. */
static char *write_params(const struct past *past, const struct past_trial *trial, uint64_t *fingerprint)
{
    char *text = json_dumps(trial->params, JSON_COMPACT | JSON_PRESERVE_ORDER);
    double *unit = MEM_ARRAY(double, space_dimension(past->spec->space));
    struct buf own = {0};
    *fingerprint = hash_text(text ? text : "");
    if (text && space_point_of_json(past->spec->space, text, unit, NULL) == 0) {
        *fingerprint = space_fingerprint(past->spec->space, unit);
        space_json(past->spec->space, unit, &own);
    }
    free(unit);
    if (!own.length)
        buf_text(&own, text ? text : "{}");
    free(text);
    return buf_take(&own);
}

/* The steps of the first metric, then the values. */
static uint32_t fill_samples(const struct past *past, const struct past_trial *trial, struct msg_sample *out)
{
    uint32_t count = 0;
    size_t index, steps = json_array_size(trial->steps);
    const json_t *step;
    json_array_foreach(trial->steps, index, step)
    {
        json_int_t number = json_integer_value(json_array_get(step, 0));
        double value;
        if (number >= 0 && json_to_real(json_array_get(step, 1), &value) && isfinite(value))
            out[count++] = (struct msg_sample){.metric = past->metrics.items[0].name,
                                               .step = number,
                                               .value = value,
                                               .time = trial->seconds * (double)(index + 1) / (double)(steps + 1)};
    }
    int64_t last = count ? out[count - 1].step : 0;
    for (uint32_t i = 0; i < past->metrics.count; i++)
        if (!isnan(trial->values[i]))
            out[count++] = (struct msg_sample){
                .metric = past->metrics.items[i].name, .step = last, .value = trial->values[i], .time = trial->seconds};
    return count;
}

static void emit_end(struct past *past, const struct past_trial *trial, enum ending ending, const char *detail)
{
    double ended = trial->started > 0 ? trial->started + trial->seconds : 0;
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, json_array_size(trial->steps) + past->metrics.count);
    struct event run = {.kind = EVENT_RUN_ENDED,
                        .trial = past->trials,
                        .attempt = 1,
                        .worker = past->worker,
                        .run = {.ending = ending,
                                .detail = detail,
                                .started = trial->started > 0 ? trial->started : clock_wall(),
                                .seconds = trial->seconds}};
    run.run.sampled.samples = samples;
    run.run.sampled.samples_count = fill_samples(past, trial, samples);
    struct event end = {.kind = EVENT_TRIAL_ENDED, .trial = past->trials, .worker = past->worker};
    end.end = (struct event_end){.ending = ending, .detail = detail, .seconds = trial->seconds, .told = past->trials};
    if (ending == ENDING_COMPLETED || ending == ENDING_STOPPED_EARLY)
        event_set_values(&end.end, &past->metrics, trial->values);
    emit_event(past, run, ended);
    emit_event(past, end, ended);
    free(samples);
}

int past_add(struct past *past, const struct past_trial *trial, struct err *err)
{
    uint64_t fingerprint;
    uint32_t culprit;
    char detail[256], *params = write_params(past, trial, &fingerprint);
    enum ending ending = trial->ending;
    const char *why = trial->detail;
    past->trials++;
    if (ending == ENDING_COMPLETED) {
        ending = tally_check_values(&past->metrics, trial->values, NULL, &culprit);
        if (ending != ENDING_COMPLETED)
            why = tally_detail(&past->metrics, culprit, why, detail, sizeof detail);
    }
    emit_event(past,
               (struct event){.kind = EVENT_PROPOSED,
                              .trial = past->trials,
                              .worker = past->worker,
                              .proposed = {.params = params,
                                           .fingerprint = fingerprint,
                                           .told_before = past->trials - 1,
                                           .from_start = true}},
               trial->started);
    emit_event(past, (struct event){.kind = EVENT_LEASED, .trial = past->trials, .attempt = 1, .worker = past->worker},
               trial->started);
    emit_end(past, trial, ending, why);
    free(params);
    return past->count > EVENTS_A_COMMIT ? write_events(past, err) : 0;
}

int past_end(struct past *past, struct err *err)
{
    emit_event(past,
               (struct event){.kind = EVENT_EXPERIMENT, .experiment = {EXPERIMENT_ENDED, REASON_MAX_TRIALS, "", 0}}, 0);
    return write_events(past, err);
}

void past_destroy(struct past *past)
{
    if (!past)
        return;
    drop_events(past);
    free(past->events);
    store_close(past->store);
    if (past->lock >= 0)
        close(past->lock);
    free(past);
}
