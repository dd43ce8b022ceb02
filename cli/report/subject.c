/* What pictures are made of; see subject.h. */
#include "cli/report/subject.h"

#include "cli/data/importance.h"
#include "cli/data/trial_data.h"
#include "cli/data/verdict_words.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>

enum {
    BEST_CURVES = 12,   /* of the best trials, */
    OTHER_CURVES = 108, /* and of others, evenly by their numbers: a picture shows no more */
    PROFILES = 12,
    FAILURES = 200,
    LINE_BYTES = 400
};

/* --- curves --- */

static int add_curve(struct source *source, uint64_t trial, struct plot_subject *subject, struct err *err)
{
    json_t *shown;
    const struct trial_metric *metric = &subject->data.metrics[0];
    if (source_show(source, trial, &shown, err))
        return -1;
    trial_curves_add(&subject->curves, shown, metric->name, metric->maximize);
    json_decref(shown);
    return 0;
}

static int compare_picks(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
    return (one > other) - (one < other);
}

/* The trials whose curves are read, each once, in their order: places in the data. */
static size_t pick_trials(const struct trial_data *data, uint32_t *picks)
{
    size_t count = 0, left = 0;
    for (size_t i = data->best_count; i > 0 && data->best_count - i < BEST_CURVES; i--)
        picks[count++] = (uint32_t)data->best[i - 1].at;
    size_t others = data->count < OTHER_CURVES ? data->count : OTHER_CURVES;
    for (size_t i = 0; i < others; i++)
        picks[count++] = (uint32_t)(i * data->count / others);
    qsort(picks, count, sizeof *picks, compare_picks);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || picks[i] != picks[i - 1])
            picks[left++] = picks[i];
    return left;
}

static int read_curves(struct source *source, struct plot_subject *subject, struct err *err)
{
    uint32_t picks[BEST_CURVES + OTHER_CURVES];
    size_t count = subject->data.metric_count ? pick_trials(&subject->data, picks) : 0;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = add_curve(source, subject->data.trials[picks[i]].trial, subject, err);
    trial_curves_finish(&subject->curves);
    return result;
}

/* --- spans --- */

/* Page by page; the last one is empty. */
static int read_spans(struct source *source, struct plot_subject *subject, struct err *err)
{
    json_int_t after = 0;
    double now = clock_wall();
    for (;;) {
        json_t *page = source_read(source, "spans", json_pack("{s:I}", "after", after), err), *span;
        size_t index, count = json_array_size(page);
        json_array_foreach(page, index, span)
        {
            slot_spans_add(&subject->spans, span, now);
            after = json_integer_value(json_object_get(span, "trial"));
        }
        json_decref(page);
        if (!page)
            return -1;
        if (count == 0)
            break;
    }
    slot_spans_finish(&subject->spans);
    return 0;
}

/* --- importance, profiles --- */

/* What can't be explained yet is left out. */
static int read_importance(struct source *source, struct plot_subject *subject, struct err *err)
{
    struct spec *spec = source_spec(source, err);
    struct importance importance;
    if (!spec)
        return -1;
    struct metrics metrics = spec_metrics(spec);
    int result = importance_read(&importance, source, spec, &metrics.items[0], err);
    if (result == 0) {
        if (importance.explanation.finished > 0)
            subject->importance = importance_json(&importance);
        importance_fini(&importance);
    }
    spec_destroy(spec);
    return result;
}

static int read_profiles(struct source *source, struct plot_subject *subject, struct err *err)
{
    struct trial_query query = {.by_value = true, .limit = PROFILES};
    json_t *list = source_trials(source, &query, err), *trial;
    size_t index;
    if (!list)
        return -1;
    subject->profiles = json_array();
    json_array_foreach(list, index, trial)
    {
        if (!json_is_number(json_object_get(trial, "value")))
            continue;
        json_t *words = verdict_words(subject->data.experiment, trial);
        const char *sentence = json_text(words, "sentence");
        json_object_set_new(trial, "words", json_string(sentence));
        json_array_append(subject->profiles, trial);
        json_decref(words);
    }
    json_decref(list);
    return 0;
}

/* --- failures --- */

/* The last line of what the last attempt wrote to its error output, or what else is known of its end. */
static json_t *last_line(const json_t *shown)
{
    const json_t *runs = json_object_get(shown, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    size_t length = 0;
    const char *line = format_last_line(json_text(run, "tail"), &length);
    if (!length)
        return json_of_text(json_text(run, "detail"));
    char *copy = mem_text_n(line, length < LINE_BYTES ? length : LINE_BYTES);
    json_t *json = json_of_text(copy);
    free(copy);
    return json;
}

static int read_failures(struct source *source, struct plot_subject *subject, struct err *err)
{
    const struct trial_data *data = &subject->data;
    subject->failures = json_array();
    for (size_t i = 0; i < data->count && json_array_size(subject->failures) < FAILURES; i++) {
        const struct trial_point *point = &data->trials[i];
        json_t *shown;
        if (point->state != TRIAL_FAILED)
            continue;
        if (source_show(source, point->trial, &shown, err))
            return -1;
        const char *reason = point->reason < 0 ? "" : ending_name((enum ending)point->reason);
        json_array_append_new(subject->failures, json_pack("{s:I, s:s, s:o}", "trial", (json_int_t)point->trial,
                                                           "reason", reason, "line", last_line(shown)));
        json_decref(shown);
    }
    return 0;
}

/* By the run directory's name, as every command knows it: several may be of one experiment. */
static void name_subject(const struct source *source, struct trial_data *data)
{
    free(data->name);
    data->name = mem_text(path_base(source_dir(source)->path));
}

int subject_read(struct source *source, unsigned needs, struct plot_subject *out, struct err *err)
{
    *out = (struct plot_subject){0};
    int result = trial_data_read(source, &out->data, err);
    if (result == 0)
        name_subject(source, &out->data);
    if (result == 0 && needs & PLOT_CURVES)
        result = read_curves(source, out, err);
    if (result == 0 && needs & PLOT_SPANS)
        result = read_spans(source, out, err);
    if (result == 0 && needs & PLOT_IMPORTANCE)
        result = read_importance(source, out, err);
    if (result == 0 && needs & PLOT_PROFILES)
        result = read_profiles(source, out, err);
    if (result == 0 && needs & PLOT_FAILURES)
        result = read_failures(source, out, err);
    if (result)
        plot_subject_fini(out);
    return result;
}
