/* Writing a trace; see trace.h. The format: "Trace Event Format", Google 2016. */
#include "cli/data/trace.h"

#include "cli/json.h"
#include "cli/status.h"
#include "common/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trace that is being written. */
struct trace {
    struct source *source;
    json_t *experiment;
    json_t *shown;    /* the single trial; NULL: all are traced */
    json_t *named;    /* workers and slots whose names have been said */
    json_t *last;     /* of the single trial its last attempt */
    double beginning; /* seconds since 1970 that are time 0 */
    struct buf out;
    size_t count; /* events */
};

/* Adds an event; takes over the reference. */
static void add_event(struct trace *trace, json_t *event)
{
    buf_text(&trace->out, trace->count++ ? ",\n" : "\n");
    json_add(event, &trace->out);
    json_decref(event);
}

/* Microseconds since the beginning, to the nanosecond. */
static double time_of(const struct trace *trace, double seconds)
{
    return round((seconds - trace->beginning) * 1e9) / 1e3;
}

static double length_of(double seconds)
{
    return round(seconds * 1e9) / 1e3;
}

/* --- tracks --- */

static json_int_t number_of(const json_t *run, const char *member)
{
    return json_integer_value(json_object_get(run, member));
}

static void name_track(struct trace *trace, const char *kind, json_int_t worker, json_int_t slot, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "%s %" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT, kind, worker, slot);
    if (json_object_get(trace->named, key))
        return;
    json_object_set_new(trace->named, key, json_true());
    add_event(trace, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", kind, "pid", worker, "tid", slot,
                               "args", "name", name));
}

static void name_tracks(struct trace *trace, const json_t *run)
{
    char name[300];
    json_int_t worker = number_of(run, "worker"), slot = number_of(run, "slot");
    snprintf(name, sizeof name, "worker %" JSON_INTEGER_FORMAT " on %.200s", worker, json_text(run, "node"));
    name_track(trace, "process_name", worker, 0, name);
    snprintf(name, sizeof name, "slot %" JSON_INTEGER_FORMAT, slot);
    name_track(trace, "thread_name", worker, slot, name);
}

/* --- spans --- */

static void add_span(struct trace *trace, const json_t *run, const char *name, double begin, double seconds,
                     json_t *args)
{
    add_event(trace, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", name, "cat", "run", "pid",
                               number_of(run, "worker"), "tid", number_of(run, "slot"), "ts", time_of(trace, begin),
                               "dur", length_of(seconds), "args", args));
}

/* What the span of an attempt says beside its times. */
static json_t *args_of(const struct trace *trace, const json_t *run)
{
    static const char *const members[] = {"attempt", "reason", "queue"}, *const shown[] = {"params", "metrics",
                                                                                           "profile", "operations",
                                                                                           "verdict"};
    json_t *args = json_object();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        json_object_set(args, members[i], json_object_get(run, members[i]));
    for (size_t i = 0; trace->shown && i < sizeof shown / sizeof *shown; i++)
        json_object_set(args, shown[i], json_object_get(trace->shown, shown[i]));
    return args;
}

static void add_run(struct trace *trace, const json_t *run)
{
    char name[40];
    double started, seconds, launch;
    if (!json_number(run, "started", &started) || !json_number(run, "seconds", &seconds))
        return; /* it runs, or was lost before it told anything */
    if (!(trace->beginning > 0))
        trace->beginning = floor(started);
    name_tracks(trace, run);
    snprintf(name, sizeof name, "trial %" JSON_INTEGER_FORMAT, number_of(run, "trial"));
    add_span(trace, run, name, started, seconds, args_of(trace, run));
    if (json_number(run, "launch", &launch) && launch > 0)
        add_span(trace, run, "launch", started, fmin(launch, seconds), json_object());
    json_decref(trace->last);
    trace->last = json_incref((json_t *)run);
}

/* --- a single trial --- */

/* Times of samples are those of the attempt that reported them; of a trial that went on from a checkpoint only those of
 * its last attempt are known to be of its span. */
static void add_curve(struct trace *trace)
{
    const json_t *sample, *curve = json_object_get(trace->shown, "curve");
    const char *objective = json_text(trace->experiment, "metric");
    double started, seconds, time, value, before = 0;
    size_t index;
    bool single = json_array_size(json_object_get(trace->shown, "runs")) == 1;
    if (!single || !json_number(trace->last, "started", &started) || !json_number(trace->last, "seconds", &seconds))
        return;
    json_number(trace->last, "launch", &before);
    json_array_foreach(curve, index, sample)
    {
        const char *metric = json_text(sample, "metric");
        if (!json_number(sample, "time", &time) || !(time >= 0 && time <= seconds))
            continue;
        if (json_number(sample, "value", &value) && isfinite(value))
            add_event(trace, json_pack("{s:s, s:s, s:I, s:f, s:{s:f}}", "ph", "C", "name", metric, "pid",
                                       number_of(trace->last, "worker"), "ts", time_of(trace, started + time), "args",
                                       "value", value));
        if (strcmp(metric, objective) != 0 || time < before)
            continue;
        char name[40];
        snprintf(name, sizeof name, "step %" JSON_INTEGER_FORMAT, number_of(sample, "step"));
        add_span(trace, trace->last, name, started + before, time - before,
                 json_pack("{s:O}", "value", json_object_get(sample, "value")));
        before = time;
    }
}

/* --- reading --- */

/* The attempts of some trials behind `after`; how many trials were looked at to *after. */
static int add_page(struct trace *trace, uint64_t trial, uint64_t *after, bool *more, struct err *err)
{
    json_t *arguments = json_pack("{s:I, s:I}", "trial", (json_int_t)trial, "after", (json_int_t)*after);
    json_t *page = source_read(trace->source, "spans", arguments, err);
    const json_t *run;
    size_t index;
    json_array_foreach(page, index, run)
    {
        add_run(trace, run);
        *after = (uint64_t)number_of(run, "trial");
    }
    *more = !trial && json_array_size(page) > 0;
    json_decref(page);
    return page ? 0 : -1;
}

static int write_file(struct trace *trace, const char *path, struct err *err)
{
    struct buf text = {0};
    buf_text(&text, "{\"displayTimeUnit\": \"ms\",\n\"otherData\": ");
    json_t *other =
        json_pack("{s:O, s:f}", "experiment", json_object_get(trace->experiment, "name"), "time_0", trace->beginning);
    json_add(other, &text);
    json_decref(other);
    buf_format(&text, ",\n\"traceEvents\": [%s\n]}\n", buf_str(&trace->out));
    int result = path_write(path, buf_str(&text), text.length, 0666, err);
    buf_fini(&text);
    return result;
}

int trace_write(struct source *source, uint64_t trial, const char *path, struct err *err)
{
    struct trace trace = {.source = source, .named = json_object()};
    uint64_t after = 0;
    bool more = true;
    int status = trial ? source_show(source, trial, &trace.shown, err) : STATUS_OK;
    if (!status && !(trace.experiment = source_read(source, "experiment", NULL, err)))
        status = STATUS_FAILED;
    while (!status && more)
        status = add_page(&trace, trial, &after, &more, err) ? STATUS_FAILED : STATUS_OK;
    if (!status && trial)
        add_curve(&trace);
    if (!status)
        status = write_file(&trace, path, err) ? STATUS_FAILED : STATUS_OK;
    json_decref(trace.experiment);
    json_decref(trace.shown);
    json_decref(trace.named);
    json_decref(trace.last);
    buf_fini(&trace.out);
    return status;
}
