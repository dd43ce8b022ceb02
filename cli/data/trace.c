/* Writing a trace; see trace.h. */
#include "cli/data/trace.h"

#include "cli/data/trace_file.h"
#include "cli/json.h"
#include "cli/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trace that is being written. */
struct trace {
    struct source *source;
    struct trace_file file;
    json_t *experiment;
    json_t *shown;    /* the single trial; NULL: all are traced */
    json_t *workers;  /* the process that stands for each */
    json_t *slots;    /* those whose names have been said */
    json_t *last;     /* of the single trial its last attempt */
    double beginning; /* seconds since 1970 that are time 0 */
    uint64_t runs;
};

/* Where an attempt is drawn. */
struct track {
    json_int_t process, thread;
};

/* Microseconds since the beginning, to the nanosecond. */
static double time_of(const struct trace *trace, double seconds)
{
    return round((seconds - trace->beginning) * 1e9) / 1e3;
}

static double length_of(double seconds)
{
    return round(seconds * 1e9) / 1e3;
}

static json_int_t number_of(const json_t *run, const char *member)
{
    return json_integer_value(json_object_get(run, member));
}

/* --- tracks --- */

static void name_track(struct trace *trace, const char *kind, struct track track, const char *name)
{
    trace_file_add(&trace->file, json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", kind, "pid",
                                           track.process, "tid", track.thread, "args", "name", name));
}

/* A worker's number has 64 bits, which no viewer takes: they are counted, from 1. */
static json_int_t find_process(struct trace *trace, const json_t *run)
{
    char key[24], name[300];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)number_of(run, "worker"));
    json_t *known = json_object_get(trace->workers, key);
    if (known)
        return json_integer_value(known);
    struct track track = {.process = (json_int_t)json_object_size(trace->workers) + 1};
    json_object_set_new(trace->workers, key, json_integer(track.process));
    snprintf(name, sizeof name, "worker %s on %.200s", key, json_text(run, "node"));
    name_track(trace, "process_name", track, name);
    return track.process;
}

static struct track find_track(struct trace *trace, const json_t *run)
{
    char key[64], name[40];
    struct track track = {.process = find_process(trace, run), .thread = number_of(run, "slot")};
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT, track.process, track.thread);
    if (!json_object_get(trace->slots, key)) {
        json_object_set_new(trace->slots, key, json_true());
        snprintf(name, sizeof name, "slot %" JSON_INTEGER_FORMAT, track.thread);
        name_track(trace, "thread_name", track, name);
    }
    return track;
}

/* --- spans and curves --- */

/* A stretch of time, in seconds. */
struct stretch {
    double begin, seconds;
};

static void add_span(struct trace *trace, struct track track, const char *name, struct stretch stretch, json_t *args)
{
    trace_file_add(&trace->file,
                   json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", name, "cat", "run", "pid",
                             track.process, "tid", track.thread, "ts", time_of(trace, stretch.begin), "dur",
                             length_of(stretch.seconds), "args", args));
}

static void add_value(struct trace *trace, struct track track, const char *name, double time, double value)
{
    trace_file_add(&trace->file,
                   json_pack("{s:s, s:s, s:I, s:I, s:f, s:{s:f}}", "ph", "C", "name", name, "pid", track.process, "tid",
                             track.thread, "ts", time_of(trace, time), "args", "value", value));
}

/* How many cores it used on average, over its time. */
static void add_cores(struct trace *trace, const json_t *run, struct track track, struct stretch stretch)
{
    char name[40];
    double cpu;
    if (!json_number(run, "cpu_seconds", &cpu) || !isfinite(cpu) || !(stretch.seconds > 0))
        return;
    snprintf(name, sizeof name, "slot %" JSON_INTEGER_FORMAT " cores", track.thread);
    add_value(trace, track, name, stretch.begin, cpu / stretch.seconds);
    add_value(trace, track, name, stretch.begin + stretch.seconds, 0);
}

static void copy_members(const json_t *from, const char *const *members, json_t *to)
{
    for (; from && *members; members++)
        if (json_object_get(from, *members) && !json_is_null(json_object_get(from, *members)))
            json_object_set(to, *members, json_object_get(from, *members));
}

/* What the span of an attempt says beside its times. */
static json_t *args_of(const struct trace *trace, const json_t *run)
{
    static const char *const of_run[] = {"attempt", "part", "reason", "cpu_seconds", "peak_memory", NULL};
    static const char *const of_trial[] = {"params", "metrics", "operations", NULL};
    static const char *const counted[] = {"profile", "counters", "verdict", "figure", NULL};
    json_t *args = json_object(), *other, *runs = json_object_get(trace->shown, "runs");
    size_t index;
    copy_members(run, of_run, args);
    if (number_of(json_array_get(runs, json_array_size(runs) - 1), "attempt") == number_of(run, "attempt"))
        copy_members(trace->shown, of_trial, args);
    json_array_foreach(runs, index, other)
    {
        if (number_of(other, "attempt") == number_of(run, "attempt"))
            copy_members(other, counted, args);
    }
    return args;
}

static void add_run(struct trace *trace, const json_t *run)
{
    char name[40];
    double launch;
    struct stretch stretch;
    if (!json_number(run, "started", &stretch.begin) || !json_number(run, "seconds", &stretch.seconds) ||
        !isfinite(stretch.begin) || !isfinite(stretch.seconds) || stretch.seconds < 0)
        return; /* it runs, or was lost before it told anything */
    if (!(trace->beginning > 0)) {
        double first = stretch.begin;
        json_number(run, "first", &first);
        trace->beginning = floor(fmin(first, stretch.begin));
    }
    struct track track = find_track(trace, run);
    snprintf(name, sizeof name, "trial %" JSON_INTEGER_FORMAT, number_of(run, "trial"));
    add_span(trace, track, name, stretch, args_of(trace, run));
    if (json_number(run, "launch", &launch) && launch > 0)
        add_span(trace, track, "launch", (struct stretch){stretch.begin, fmin(launch, stretch.seconds)}, json_object());
    if (number_of(run, "part") != 0)
        return;
    add_cores(trace, run, track, stretch);
    trace->runs++;
    json_decref(trace->last);
    trace->last = json_incref((json_t *)run);
}

/* --- a single trial --- */

/* A step lasts from one value of the objective to the next. Times of samples are those of the attempt that reported
 * them: of a trial with several attempts it is not recorded which. */
static void add_curve(struct trace *trace)
{
    const json_t *sample, *curve = json_object_get(trace->shown, "curve");
    double started, seconds, time, value, before = 0;
    size_t index;
    if (json_array_size(json_object_get(trace->shown, "runs")) != 1 || !trace->last)
        return;
    struct track track = find_track(trace, trace->last);
    json_number(trace->last, "started", &started);
    json_number(trace->last, "seconds", &seconds);
    json_number(trace->last, "launch", &before);
    json_array_foreach(curve, index, sample)
    {
        const char *metric = json_text(sample, "metric");
        char name[40];
        if (!json_number(sample, "time", &time) || !(time >= 0 && time <= seconds))
            continue;
        if (json_number(sample, "value", &value) && isfinite(value))
            add_value(trace, track, metric, started + time, value);
        if (strcmp(metric, json_text(trace->experiment, "metric")) != 0 || time < before)
            continue;
        snprintf(name, sizeof name, "step %" JSON_INTEGER_FORMAT, number_of(sample, "step"));
        add_span(trace, track, name, (struct stretch){started + before, time - before},
                 json_pack("{s:O}", "value", json_object_get(sample, "value")));
        before = time;
    }
}

/* --- reading --- */

/* The attempts of the next trials; how many rows there were, or -1. */
static ssize_t add_page(struct trace *trace, uint64_t *after, uint64_t last, struct err *err)
{
    json_t *arguments = json_pack("{s:I, s:I}", "after", (json_int_t)*after, "last", (json_int_t)last);
    json_t *run, *page = source_read(trace->source, "spans", arguments, err);
    size_t index, count = json_array_size(page);
    if (!page)
        return -1;
    json_array_foreach(page, index, run)
    {
        add_run(trace, run);
        *after = (uint64_t)number_of(run, "trial");
    }
    json_decref(page);
    return (ssize_t)count;
}

static int add_events(struct trace *trace, uint64_t trial, struct err *err)
{
    uint64_t after = trial ? trial - 1 : 0;
    ssize_t count = 1;
    while (count > 0 && (!trial || after < trial))
        count = add_page(trace, &after, trial, err);
    if (trial && count >= 0)
        add_curve(trace);
    return count < 0 ? -1 : 0;
}

static int write_trace(struct trace *trace, uint64_t trial, const char *path, struct err *err)
{
    if (trace_file_open(&trace->file, path, err) || add_events(trace, trial, err))
        return STATUS_FAILED;
    json_t *other = json_pack("{s:s, s:O, s:f}", "schema", "gannet.trace/1", "experiment",
                              json_object_get(trace->experiment, "name"), "time_0", trace->beginning);
    return trace_file_finish(&trace->file, other, err) ? STATUS_FAILED : STATUS_OK;
}

int trace_write(struct source *source, uint64_t trial, const char *path, struct trace_size *out, struct err *err)
{
    struct trace trace = {.source = source, .workers = json_object(), .slots = json_object()};
    int status = trial ? source_show(source, trial, &trace.shown, err) : STATUS_OK;
    if (!status && !(trace.experiment = source_read(source, "experiment", NULL, err)))
        status = STATUS_FAILED;
    if (!status)
        status = write_trace(&trace, trial, path, err);
    *out = (struct trace_size){trace.runs, trace.file.length};
    trace_file_close(&trace.file);
    json_decref(trace.experiment);
    json_decref(trace.shown);
    json_decref(trace.workers);
    json_decref(trace.slots);
    json_decref(trace.last);
    return status;
}
