/* The section attention: what a person may have to do something about. */
#include "cli/fetch/sections.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/missing.h"
#include "cli/session/seen.h"
#include "cli/view/why.h"
#include "common/json.h"

enum { FAILURES = 5, MOST_SLOTS = 2000 };

/* Of an attempt that failed the last line that its program wrote to its error output. */
static json_t *last_line(const json_t *trial)
{
    json_t *runs = json_object_get(trial, "runs"), *run = json_array_get(runs, json_array_size(runs) - 1);
    const char *tail = json_text(run, "tail"), *detail = json_text(run, "detail");
    size_t length = 0;
    const char *line = format_last_line(tail, &length);
    return length ? json_stringn(line, length) : json_of_text(detail);
}

/* The trials that failed last: [{trial, reason, node, line}]. */
static json_t *read_failures(struct source *source)
{
    struct trial_query query = {
        .state = TRIAL_FAILED + 1, .order = "ended", .reverse = true, .limit = FAILURES, .brief = true};
    json_t *trials = source_trials(source, &query, NULL), *trial, *out = json_array();
    size_t index;
    json_array_foreach(trials, index, trial)
    {
        json_t *whole = NULL, *line = NULL;
        if (source_show(source, (uint64_t)json_integer_value(json_object_get(trial, "trial")), &whole, NULL) == 0)
            line = last_line(whole);
        json_array_append_new(out, json_pack("{s:O?, s:O?, s:O?, s:o}", "trial", json_object_get(trial, "trial"),
                                             "reason", json_object_get(trial, "reason"), "node",
                                             json_object_get(trial, "node"), "line", line ? line : json_null()));
        json_decref(whole);
    }
    json_decref(trials);
    return out;
}

/* What is wrong with the experiment, as gannet explain says it; the failures are told with their last lines. */
static json_t *read_sentences(struct source *source, struct overview *overview, const json_t *failures)
{
    json_t *faults = source_read(source, "faults", NULL, NULL), *none = json_array();
    struct why_facts known = {
        .overview = overview, .faults = faults, .events = none, .failures = failures, .trouble = true};
    json_t *sentences = faults ? why_experiment(&known) : json_array();
    json_decref(faults);
    json_decref(none);
    return sentences;
}

/* Nodes of its job without workers are known by all of these: a long list of a very large search is not asked for. */
static json_t *read_missing(struct source *source, const struct slurm_record *jobs, const struct overview *overview)
{
    struct experiment_standing standing;
    struct buf text = {0};
    if (overview->lives && overview->snapshot.slots <= MOST_SLOTS && source_standing(source, &standing, NULL) == 0) {
        missing_describe(source_dir(source), jobs, &standing.snapshot, overview->now, &text);
        standing_fini(&standing);
    } else if (!overview->lives) {
        missing_quote(source_dir(source), jobs, &text);
    }
    json_t *out = json_of_text(buf_str(&text));
    buf_fini(&text);
    return out;
}

json_t *section_attention(const struct section_reading *reading, struct err *err)
{
    struct source *source = reading->source;
    struct seen seen;
    json_t *out = NULL;
    if (seen_short(source, false, &seen, err) == 0) {
        seen.overview.best = seen.best = json_null();
        json_t *failures = read_failures(source);
        out = json_pack("{s:o, s:o, s:o}", "sentences", read_sentences(source, &seen.overview, failures), "failures",
                        failures, "missing", read_missing(source, &seen.jobs, &seen.overview));
    }
    seen_fini(&seen);
    return out;
}
