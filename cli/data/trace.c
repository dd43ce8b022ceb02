/* Writing a trace; see trace.h. */
#include "cli/data/trace.h"
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
    json_t *slots;    /* the thread that stands for each, and for each further rank there */
    json_t *last;     /* of the single trial its last attempt, */
    double worked;    /* and when its launch and the opening of its data had ended */
    double beginning; /* seconds since 1970 that are time 0 */
    uint64_t runs;
    json_int_t ranks; /* processes of a trial on each of its nodes */
};

/* Where an attempt is drawn: the numbers of a process and a thread, of which no two are the same, nor 0. Perfetto takes
 * thread 0 for the one that has its process's number, and names the last thread that had a number, of any process. */
struct track {
    json_int_t process, thread, slot;
};

/* Threads are counted behind all processes. */
enum { FIRST_THREAD = 100000000 };

/* Whole microseconds since the beginning. Times since 1970 are hardly more exact, and viewers drop a span that overlaps
 * another by a nanosecond. */
static double time_of(const struct trace *trace, double seconds)
{
    return round((seconds - trace->beginning) * 1e6);
}

/* Seconds since 1970 up to the year 5138; a damaged store may say anything. */
static bool is_plausible(double seconds)
{
    return seconds >= 0 && seconds < 1e11;
}

static json_int_t number_of(const json_t *run, const char *member)
{
    return json_integer_value(json_object_get(run, member));
}

/* --- tracks --- */

/* Metadata of a track: its name, its place among the others of its process. */
static void describe_track(struct trace *trace, const char *kind, const struct track *track, json_t *args)
{
    trace_file_add(&trace->file, json_pack("{s:s, s:s, s:I, s:I, s:o}", "ph", "M", "name", kind, "pid", track->process,
                                           "tid", track->thread, "args", args));
}

static void name_track(struct trace *trace, const char *kind, const struct track *track, const char *name)
{
    describe_track(trace, kind, track, json_pack("{s:s}", "name", name));
}

/* A worker's number has 64 bits, which no viewer takes: they are counted, from 1. */
static json_int_t find_process(struct trace *trace, const json_t *run)
{
    char key[24], name[300];
    snprintf(key, sizeof key, "%016llx", (unsigned long long)number_of(run, "worker"));
    json_t *known = json_object_get(trace->workers, key);
    if (known)
        return json_integer_value(known);
    json_int_t process = (json_int_t)json_object_size(trace->workers) + 1;
    json_object_set_new(trace->workers, key, json_integer(process));
    snprintf(name, sizeof name, "worker %s on %.200s", key, json_text(run, "node"));
    name_track(trace, "process_name", &(struct track){.process = process, .thread = process}, name);
    return process;
}

/* A slot's track, or that of a further rank there. */
static struct track find_track(struct trace *trace, const json_t *run, json_int_t rank)
{
    static const json_int_t most_slots = 1000000;
    char key[80], name[80];
    struct track track = {.process = find_process(trace, run), .slot = number_of(run, "slot")};
    snprintf(key, sizeof key, "%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT, track.process,
             track.slot, rank);
    track.thread = json_integer_value(json_object_get(trace->slots, key));
    if (track.thread)
        return track;
    track.thread = FIRST_THREAD + (json_int_t)json_object_size(trace->slots);
    json_object_set_new(trace->slots, key, json_integer(track.thread));
    int length = snprintf(name, sizeof name, "slot %" JSON_INTEGER_FORMAT, track.slot);
    if (rank)
        snprintf(name + length, sizeof name - (size_t)length, ", process %" JSON_INTEGER_FORMAT, rank);
    name_track(trace, "thread_name", &track, name);
    describe_track(trace, "thread_sort_index", &track,
                   json_pack("{s:I}", "sort_index", track.slot + rank * most_slots));
    return track;
}

/* --- spans and curves --- */

/* A stretch of time, in seconds since 1970. What follows another begins with the very number at which that ended. */
struct trace_stretch {
    double begin, end;
};

static void add_span(struct trace *trace, struct track track, const char *name, struct trace_stretch stretch,
                     json_t *args)
{
    double begin = time_of(trace, stretch.begin);
    trace_file_add(&trace->file, json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", name, "cat",
                                           "run", "pid", track.process, "tid", track.thread, "ts", begin, "dur",
                                           time_of(trace, stretch.end) - begin, "args", args));
}

static void add_value(struct trace *trace, struct track track, const char *name, double time, double value)
{
    if (!isfinite(value))
        return;
    trace_file_add(&trace->file,
                   json_pack("{s:s, s:s, s:I, s:I, s:f, s:{s:f}}", "ph", "C", "name", name, "pid", track.process, "tid",
                             track.thread, "ts", time_of(trace, time), "args", "value", value));
}

/* How many cores it used on average, over its time. */
static void add_cores(struct trace *trace, const json_t *run, struct track track, struct trace_stretch stretch)
{
    char name[40];
    double cpu, seconds = stretch.end - stretch.begin;
    if (!json_number(run, "cpu_seconds", &cpu) || !(seconds > 0))
        return;
    snprintf(name, sizeof name, "slot %" JSON_INTEGER_FORMAT " cores", track.slot);
    add_value(trace, track, name, stretch.begin, cpu / seconds);
    add_value(trace, track, name, stretch.end, 0);
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
    static const char *const of_trial[] = {"params", "metrics", "operations", "gpu_unknown", NULL};
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

/* What was before the first step: the launch, then, of the first run of a trainer, the opening of its data. Gives when
 * that ended. */
static double add_beginning(struct trace *trace, struct track track, const json_t *run, struct trace_stretch whole)
{
    static const char *const names[] = {"launch", "stage"};
    double at = whole.begin, seconds;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_number(run, names[i], &seconds) && seconds > 0) {
            double end = fmin(at + seconds, whole.end);
            add_span(trace, track, names[i], (struct trace_stretch){at, end}, json_object());
            at = end;
        }
    return at;
}

/* The other processes of a trial: they begin and end with the first one. */
static void add_ranks(struct trace *trace, const json_t *run, struct trace_stretch stretch)
{
    enum { NODES_MOST = 1000000 };
    char name[80];
    json_int_t part = number_of(run, "part"), trial = number_of(run, "trial");
    for (json_int_t i = 1; i < trace->ranks && part >= 0 && part < NODES_MOST; i++) {
        json_int_t rank = part * trace->ranks + i;
        snprintf(name, sizeof name, "rank %" JSON_INTEGER_FORMAT " of trial %" JSON_INTEGER_FORMAT, rank, trial);
        add_span(trace, find_track(trace, run, i), name, stretch,
                 json_pack("{s:I, s:I}", "trial", trial, "rank", rank));
    }
}

static void add_run(struct trace *trace, const json_t *run)
{
    char name[40];
    double seconds;
    struct trace_stretch stretch;
    if (!json_number(run, "started", &stretch.begin) || !json_number(run, "seconds", &seconds) ||
        !is_plausible(stretch.begin) || !is_plausible(seconds))
        return; /* it runs, or was lost before it told anything */
    stretch.end = stretch.begin + seconds;
    if (!(trace->beginning > 0)) {
        double first;
        bool is_known = json_number(run, "first", &first) && is_plausible(first);
        trace->beginning = floor(is_known ? fmin(first, stretch.begin) : stretch.begin);
    }
    struct track track = find_track(trace, run, 0);
    snprintf(name, sizeof name, "trial %" JSON_INTEGER_FORMAT, number_of(run, "trial"));
    add_span(trace, track, name, stretch, args_of(trace, run));
    double worked = add_beginning(trace, track, run, stretch);
    add_ranks(trace, run, stretch);
    if (number_of(run, "part") != 0)
        return;
    add_cores(trace, run, track, stretch);
    trace->runs++;
    json_decref(trace->last);
    trace->last = json_incref((json_t *)run);
    trace->worked = worked;
}

/* --- a single trial --- */

/* A step lasts from one value of the objective to the next. Times of samples are those of the attempt that reported
 * them: of a trial with several attempts it is not recorded which. */
static void add_curve(struct trace *trace)
{
    const json_t *sample, *curve = json_object_get(trace->shown, "curve");
    double started, seconds, time, value, at = trace->worked;
    size_t index;
    if (json_array_size(json_object_get(trace->shown, "runs")) != 1 || !trace->last)
        return;
    struct track track = find_track(trace, trace->last, 0);
    json_number(trace->last, "started", &started);
    json_number(trace->last, "seconds", &seconds);
    json_array_foreach(curve, index, sample)
    {
        const char *metric = json_text(sample, "metric");
        char name[40];
        if (!json_number(sample, "time", &time) || !(time >= 0 && time <= seconds))
            continue;
        if (json_number(sample, "value", &value))
            add_value(trace, track, metric, started + time, value);
        if (strcmp(metric, json_text(trace->experiment, "metric")) != 0 || started + time < at)
            continue;
        snprintf(name, sizeof name, "step %" JSON_INTEGER_FORMAT, number_of(sample, "step"));
        add_span(trace, track, name, (struct trace_stretch){at, started + time},
                 json_pack("{s:O}", "value", json_object_get(sample, "value")));
        at = started + time;
    }
}

/* --- reading --- */

/* The attempts of the next trials; how many rows there were, or -1. */
static ssize_t add_page(struct trace *trace, uint64_t *after, uint64_t last, struct err *err)
{
    json_t *arguments = json_pack("{s:I, s:I}", "after", (json_int_t)*after, "last", (json_int_t)last);
    json_t *run, *page = source_read(trace->source, "spans", arguments, err);
    size_t index, count = json_array_size(page);
    uint64_t seen = *after;
    if (!page)
        return -1;
    json_array_foreach(page, index, run)
    {
        add_run(trace, run);
        *after = (uint64_t)number_of(run, "trial");
    }
    json_decref(page);
    if (count && (*after <= seen || *after > INT64_MAX))
        return err_set(err, "the attempts in the store are damaged: they don't come in the order of their trials");
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

/* The frozen experiment is written by us: a key a line. A parameter may be called ranks, too. */
static json_int_t count_ranks(const json_t *experiment)
{
    static const char section[] = "\nresources:", key[] = "\n  ranks: ";
    enum { DRAWN_MOST = 256 };
    const char *line = strstr(json_text(experiment, "spec"), section);
    line = line ? strchr(line + 1, '\n') : NULL;
    while (line && line[1] == ' ' && strncmp(line, key, strlen(key)) != 0)
        line = strchr(line + 1, '\n');
    long ranks = line && line[1] == ' ' ? strtol(line + strlen(key), NULL, 10) : 1;
    return ranks < 1 ? 1 : ranks > DRAWN_MOST ? DRAWN_MOST : ranks;
}

static int write_trace(struct trace *trace, uint64_t trial, const char *path, struct err *err)
{
    trace->ranks = count_ranks(trace->experiment);
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
    *out = (struct trace_size){trace.runs, trace.file.file.length};
    trace_file_close(&trace.file);
    json_decref(trace.experiment);
    json_decref(trace.shown);
    json_decref(trace.workers);
    json_decref(trace.slots);
    json_decref(trace.last);
    return status;
}

int trace_file_open(struct trace_file *file, const char *path, struct err *err)
{
    *file = (struct trace_file){0};
    if (whole_file_open(&file->file, path, err))
        return -1;
    buf_text(&file->text, TRACE_FILE_BEGIN);
    whole_file_add(&file->file, &file->text);
    return 0;
}

void trace_file_add(struct trace_file *file, json_t *event)
{
    buf_text(&file->text, file->count++ ? ",\n" : "\n");
    json_add(event, &file->text);
    json_decref(event);
    whole_file_add(&file->file, &file->text);
}

int trace_file_finish(struct trace_file *file, json_t *other, struct err *err)
{
    buf_text(&file->text, "\n],\n\"otherData\": ");
    json_add(other, &file->text);
    buf_text(&file->text, "}\n");
    json_decref(other);
    whole_file_add(&file->file, &file->text);
    return whole_file_finish(&file->file, err);
}

void trace_file_close(struct trace_file *file)
{
    whole_file_close(&file->file);
    buf_fini(&file->text);
    *file = (struct trace_file){0};
}
