/* The end of a run, fetched; see watch_experiment.h. */
#include "cli/session/watch_experiment.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/status.h"
#include "cli/session/rerun.h"
#include "cli/data/sample.h"
#include "cli/data/source.h"
#include "cli/data/verdict_words.h"
#include "cli/view/job_list.h"
#include "cli/view/summary.h"
#include "cli/view/unfinished.h"
#include "common/endings.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/slurm/slurm_record.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FAILURES = 10000 }; /* are counted by reason; more say nothing new */

/* The path relative to where we are when it is below, else as it is; free() it. */
static char *short_path(const char *path)
{
    char *here = path_absolute(".");
    size_t length = strlen(here);
    while (length && (here[length - 1] == '.' || here[length - 1] == '/'))
        length--;
    bool below = length && strncmp(path, here, length) == 0 && path[length] == '/';
    free(here);
    return mem_text(below ? path + length + 1 : path);
}

/* "digits" for runs/digits, which `gannet show digits` finds from here; else the path. free() it. */
static char *handle_of(const char *path)
{
    return mem_text(strncmp(path, "runs/", 5) == 0 && !strchr(path + 5, '/') ? path + 5 : path);
}

static char *again_of(const char *programs, const struct rundir *dir, const json_t *best)
{
    struct spec *spec = json_is_object(best) ? rundir_spec(dir, NULL) : NULL;
    struct buf text = {0};
    if (spec)
        rerun_add(&(struct rerun){spec, dir->path, programs, true}, best, &text, NULL);
    spec_destroy(spec);
    return text.length ? buf_take(&text) : NULL;
}

static void show_summary(struct console *console, const struct summary *summary, bool json)
{
    struct buf text = {0};
    if (json) {
        console_json(console, summary_json(summary));
        return;
    }
    summary_draw(summary, &console->out_look, &text);
    console_print(console, &text);
}

/* Drops the failures of trials that no longer count. */
static void drop_ignored(json_t *failures)
{
    for (size_t i = json_array_size(failures); i > 0; i--)
        if (json_is_true(json_object_get(json_array_get(failures, i - 1), "ignored")))
            json_array_remove(failures, i - 1);
}

/* Adds the last line that the last attempt wrote to its standard error. */
static void add_last_words(json_t *trial, const json_t *runs)
{
    size_t length;
    const char *line = format_last_line(json_text(json_array_get(runs, json_array_size(runs) - 1), "tail"), &length);
    if (length)
        json_object_set_new(trial, "last_words", json_stringn(line, length));
}

/* Adds to the first trial of each reason the sentence that its worker sent along, and its last words. */
static void add_details(struct source *source, json_t *failures)
{
    bool seen[ENDINGS_COUNT] = {false};
    size_t index;
    json_t *trial;
    json_array_foreach(failures, index, trial)
    {
        int ending = ending_named(json_text(trial, "reason"));
        if (ending < 0 || seen[ending])
            continue;
        seen[ending] = true;
        json_t *all;
        (void)source_show(source, (uint64_t)json_integer_value(json_object_get(trial, "trial")), &all, NULL);
        json_object_set(trial, "detail", json_object_get(all, "detail"));
        add_last_words(trial, json_object_get(all, "runs"));
        json_decref(all);
    }
}

static size_t count_objectives(const json_t *experiment)
{
    size_t index, count = 0;
    json_t *metric;
    json_array_foreach(json_object_get(experiment, "metrics"), index, metric) count +=
        json_is_string(json_object_get(metric, "goal"));
    return count;
}

/* The best trial with everything, where that is looked at. */
static json_t *fetch_example(struct source *source, const struct summary *summary)
{
    json_t *trial = NULL;
    const json_t *number = json_object_get(summary->best, "trial");
    if (summary->snapshot.early_stop && number)
        (void)source_show(source, (uint64_t)json_integer_value(number), &trial, NULL);
    return trial;
}

/* The best of the trials that completed, where the best of all is none of them. */
static json_t *fetch_completed(struct source *source, const json_t *best)
{
    struct trial_query query = {.state = TRIAL_COMPLETED + 1, .by_value = true, .limit = 1};
    json_t *trials = unfinished_is(best) ? source_trials(source, &query, NULL) : NULL;
    json_t *first = json_incref(json_array_get(trials, 0));
    json_decref(trials);
    return first;
}

/* What bounded most of the time, in words. */
static void fetch_bound(struct source *source, const json_t *experiment, struct buf *out)
{
    json_t *sample = sample_choose(source, SAMPLE_TRIALS, NULL),
           *verdicts = sample_read(source, "verdicts", sample, NULL);
    verdict_words_most(experiment, verdicts, out);
    json_decref(sample);
    json_decref(verdicts);
}

/* Where the time went. */
static void fetch_phases(struct source *source, struct summary *summary, struct err *err)
{
    json_t *sample = sample_choose(source, SAMPLE_TRIALS, err);
    summary->phases = sample_read(source, "phases", sample, err);
    summary->sample = sample_json(sample);
    json_decref(sample);
}

/* Fetches everything; -1 with a sentence. */
static int fetch_summary(struct source *source, struct summary *summary, struct experiment_standing *standing,
                         struct err *err)
{
    struct trial_query failed = {.state = TRIAL_FAILED + 1, .limit = MOST_FAILURES};
    if (source_standing(source, standing, err))
        return -1;
    summary->snapshot = standing->snapshot;
    summary->experiment = source_read(source, "experiment", NULL, err);
    summary->best = summary->experiment ? source_read(source, "best", NULL, err) : NULL;
    if (summary->best && count_objectives(summary->experiment) > 1)
        summary->front = source_read(source, "front", NULL, err);
    if (summary->best)
        fetch_phases(source, summary, err);
    summary->completed = fetch_completed(source, summary->best);
    summary->example = fetch_example(source, summary);
    json_t *failures = summary->phases ? source_trials(source, &failed, err) : NULL;
    drop_ignored(failures);
    add_details(source, failures);
    summary->failures = failures;
    return failures ? 0 : -1;
}

/* Sets the exit status alone, for who is shown nothing else. */
static int fetch_status(struct console *console, struct source *source)
{
    struct experiment_standing standing;
    struct err err;
    int failed = source_standing(source, &standing, &err);
    int status = failed ? console_fail(console, STATUS_FAILED, &err) : status_of_end(&standing.snapshot);
    standing_fini(&standing);
    source_close(source);
    return status;
}

static void forget_summary(struct summary *summary)
{
    const json_t *const fetched[] = {summary->experiment, summary->best,   summary->completed, summary->example,
                                     summary->front,      summary->phases, summary->sample,    summary->failures};
    for (size_t i = 0; i < sizeof fetched / sizeof *fetched; i++)
        json_decref((json_t *)fetched[i]);
}

/* With what the run directory and Slurm's record add to it. */
static void show_fetched(struct console *console, const struct rundir *dir, struct source *source,
                         struct summary *summary, bool json)
{
    struct slurm_record record = {0};
    struct buf bound = {0}, job_ended = {0};
    char *path = short_path(dir->path), *handle = handle_of(path),
         *again = again_of(console->programs, dir, summary->best);
    fetch_bound(source, summary->experiment, &bound);
    (void)slurm_record_read(dir, &record, NULL);
    if (job_list_reason(&record, summary->snapshot.reason, &job_ended))
        summary->job_ended = buf_str(&job_ended);
    bool says = summary->snapshot.reason == REASON_NO_WORKERS && *record.note;
    summary->note = says ? record.note : json_text(summary->experiment, "detail");
    summary->bound = buf_str(&bound);
    summary->directory = path;
    summary->handle = handle;
    summary->submitted = slurm_record_exists(dir);
    summary->again = again;
    summary->programs = console->programs;
    show_summary(console, summary, json);
    free(path);
    free(handle);
    free(again);
    slurm_record_fini(&record);
    buf_fini(&bound);
    buf_fini(&job_ended);
}

int report_end(struct console *console, const struct rundir *dir, bool json, bool silent)
{
    struct source *source;
    struct summary summary = {0};
    struct experiment_standing standing = {0};
    struct err err;
    int status = source_open_dir(dir, &source, &err);
    if (status)
        return console_fail(console, status, &err);
    if (silent)
        return fetch_status(console, source);
    if (fetch_summary(source, &summary, &standing, &err)) {
        status = console_fail(console, STATUS_FAILED, &err);
    } else {
        show_fetched(console, dir, source, &summary, json);
        status = status_of_end(&summary.snapshot);
    }
    forget_summary(&summary);
    standing_fini(&standing);
    source_close(source);
    return status;
}
