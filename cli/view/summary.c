/* The end of a run, in words; see summary.h. */
#include "cli/view/summary.h"
#include "cli/view/notes.h"
#include "cli/view/progress.h"
#include "cli/view/unfinished.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/profile.h"
#include "common/units.h"

#include <inttypes.h>
#include <string.h>

/* "digits: all trials of limits.max_trials have ended (40 trials in 21s, 1.9/s)". */
static void add_end(const struct summary *summary, const struct look *look, struct buf *out)
{
    const struct snapshot *snapshot = &summary->snapshot;
    char held[32];
    look_add(look, TINT_STRONG, json_text(summary->experiment, "name"), out);
    bool by_job = summary->job_ended && *summary->job_ended;
    buf_format(out, ": %s (", by_job ? summary->job_ended : reason_sentence(snapshot->reason));
    format_count(trial_states_ended(snapshot->trials), "trial", out);
    buf_format(out, " in %s)\n", units_show_duration(snapshot->held, held, sizeof held));
    if (summary->note && *summary->note)
        buf_format(out, "%s\n", summary->note);
    notes_draw_aside(summary->experiment, NULL, out);
    if (notes_add_cost(summary->experiment, out))
        buf_text(out, "\n");
}

/* The trials of the front, a line each; the hypervolume. */
static void add_front(const struct summary *summary, const struct look *look, struct buf *out)
{
    enum { SHOWN = 10 };
    const json_t *trials = json_object_get(summary->front, "front");
    look_heading(look, "Pareto front", out);
    for (size_t i = 0; i < json_array_size(trials) && i < SHOWN; i++) {
        const json_t *trial = json_array_get(trials, i);
        buf_text(out, "  trial ");
        format_scalar(json_object_get(trial, "trial"), out);
        format_values(trial, out);
        buf_text(out, "\n");
    }
    if (json_array_size(trials) > SHOWN)
        buf_format(out, "  and %zu more\n", json_array_size(trials) - SHOWN);
    buf_text(out, "  hypervolume ");
    format_scalar(json_object_get(summary->front, "hypervolume"), out);
    buf_text(out, "\n");
}

static void add_best(const struct summary *summary, const struct look *look, struct buf *out)
{
    if (!json_is_object(summary->best)) {
        buf_text(out, "\nNo trial has a value.\n");
        return;
    }
    buf_text(out, "\n");
    look_add(look, TINT_STRONG, "Best", out);
    buf_text(out, "  ");
    format_safe(json_text(summary->experiment, "metric"), out);
    buf_text(out, " ");
    format_scalar(json_object_get(summary->best, "value"), out);
    buf_text(out, "  (trial ");
    format_scalar(json_object_get(summary->best, "trial"), out);
    if (unfinished_is(summary->best)) {
        buf_text(out, ": ");
        unfinished_add(summary->best, out);
    }
    buf_text(out, ")\n");
    format_members(json_object_get(summary->best, "params"), "", look, out);
    if (unfinished_is(summary->best)) {
        buf_text(out, "  ");
        unfinished_add_completed(summary->completed, out);
        buf_text(out, "\n");
    }
    if (summary->again)
        unfinished_draw_again(summary->best, summary->again, look, out);
}

/* A line of those below a heading, broken between words where it is wider than the terminal. */
static void add_wrapped(const char *text, size_t indent, const struct look *look, struct buf *out)
{
    buf_format(out, "%*s", (int)indent, "");
    format_hang(text, indent, indent + 2, look->width, out);
}

/* What the first of so many trials said. */
static void add_words(const json_t *trial, size_t count, const struct look *look, struct buf *out)
{
    const char *detail = json_text(trial, "detail"), *words = json_text(trial, "last_words");
    struct buf line = {0};
    if (!*detail)
        return;
    buf_text(&line, count > 1 ? "the first: " : "it said: ");
    format_safe(detail, &line);
    if (*words && !strstr(detail, words)) { /* of an exception that is both, once */
        buf_text(&line, "; its last words: ");
        format_safe(words, &line);
    }
    add_wrapped(buf_str(&line), 4, look, out);
    buf_fini(&line);
}

/* Adds "  3 diverged: its metric became NaN or infinite (trials 4, 9, 11)" and what the first of them said. */
static void add_failures_by(enum ending ending, const json_t *failures, const struct look *look, struct buf *out)
{
    enum { NAMED = 5 };
    struct buf numbers = {0}, line = {0};
    size_t index, count = 0;
    const json_t *trial, *first = NULL;
    json_array_foreach(failures, index, trial)
    {
        if (strcmp(json_text(trial, "reason"), ending_name(ending)) != 0)
            continue;
        first = count ? first : trial;
        if (count++ < NAMED)
            buf_format(&numbers, "%s%" JSON_INTEGER_FORMAT, count > 1 ? ", " : "",
                       json_integer_value(json_object_get(trial, "trial")));
    }
    if (count) {
        buf_format(&line, "%zu %s: %s (trial%s %s%s)", count, ending_name(ending), ending_sentence(ending),
                   count > 1 ? "s" : "", buf_str(&numbers), count > NAMED ? ", ..." : "");
        add_wrapped(buf_str(&line), 2, look, out);
        add_words(first, count, look, out);
    }
    buf_fini(&numbers);
    buf_fini(&line);
}

/* What early stopping saved, and why it could not. */
static void add_steps(const struct summary *summary, struct buf *out)
{
    struct buf steps = {0};
    progress_steps(&summary->snapshot, &steps);
    if (steps.length)
        buf_format(out, "  steps used: %s\n", buf_str(&steps));
    buf_clear(&steps);
    if (notes_add_held_back(summary->example, &steps))
        buf_format(out, "  %s\n", buf_str(&steps));
    buf_fini(&steps);
}

static void add_trials(const struct summary *summary, const struct look *look, struct buf *out)
{
    size_t shown = 0;
    look_heading(look, "Trials", out);
    buf_text(out, "  ");
    for (int state = 0; state < TRIAL_STATES; state++)
        if (summary->snapshot.trials[state])
            buf_format(out, "%s%" PRIu64 " %s", shown++ ? ", " : "", summary->snapshot.trials[state],
                       trial_state_name((enum trial_state)state));
    buf_text(out, shown ? "" : "none");
    if (summary->snapshot.added)
        buf_format(out, "; %" PRIu64 " of them added", summary->snapshot.added);
    if (summary->snapshot.ignored)
        buf_format(out, "; %" PRIu64 " ignored", summary->snapshot.ignored);
    buf_text(out, "\n");
    add_steps(summary, out);
    for (int ending = 0; ending < ENDINGS_COUNT; ending++)
        add_failures_by((enum ending)ending, summary->failures, look, out);
    if (json_array_size(summary->failures) < summary->snapshot.trials[TRIAL_FAILED])
        buf_format(out, "  (of the first %zu that failed)\n", json_array_size(summary->failures));
}

/* Failures that ended the search count no longer, and their trials run again, once a person has mended them. */
static void add_retry(const struct summary *summary, const char *name, struct buf *out)
{
    enum reason reason = summary->snapshot.reason;
    if (reason != REASON_SAME_FAILURES && reason != REASON_FAILURES)
        return;
    buf_format(out, "  %sgannet retry %s --failed\n", summary->programs, name);
    if (reason == REASON_FAILURES)
        buf_format(out, "  %sgannet %s %s --resume\n", summary->programs, summary->submitted ? "submit" : "run", name);
}

/* What the person may want to type now. */
static void add_next(const struct summary *summary, const struct look *look, struct buf *out)
{
    struct buf handle = {0};
    format_shell(summary->handle, &handle);
    const char *name = buf_str(&handle), *programs = summary->programs, *run = summary->submitted ? "submit" : "run";
    buf_text(out, "\nEverything is in ");
    format_safe(summary->directory, out);
    buf_text(out, "\n");
    look_heading(look, "Next", out);
    if (json_is_object(summary->best))
        buf_format(out, "  %sgannet trials %s --sort value -n 10\n  %sgannet show %s best\n", programs, name, programs,
                   name);
    if (json_array_size(summary->failures)) {
        const json_t *first = json_object_get(json_array_get(summary->failures, 0), "trial");
        buf_format(out, "  %sgannet trials %s --state failed\n", programs, name);
        buf_format(out, "  %sgannet show %s %" JSON_INTEGER_FORMAT "\n", programs, name, json_integer_value(first));
    }
    add_retry(summary, name, out);
    if (reason_goes_on(summary->snapshot.reason) || summary->snapshot.reason == REASON_STOPPED)
        buf_format(out, "  %sgannet %s %s --resume\n", programs, run, name);
    else if (summary->snapshot.reason == REASON_MAX_TRIALS)
        buf_format(out, "  %sgannet %s %s --resume --set limits.max_trials=%" PRIu64 "\n", programs, run, name,
                   2 * (trial_states_ended(summary->snapshot.trials) - summary->snapshot.added));
    buf_fini(&handle);
}

static void add_phases(const struct summary *summary, const struct look *look, struct buf *out)
{
    struct buf bound = {0};
    buf_text(&bound, summary->bound);
    if (json_is_object(summary->sample)) {
        buf_text(&bound, *summary->bound ? "\n  from " : "from ");
        notes_add_sample(summary->sample, &bound);
    }
    profile_draw(summary->phases, buf_str(&bound), look, out);
    buf_fini(&bound);
}

void summary_draw(const struct summary *summary, const struct look *look, struct buf *out)
{
    add_end(summary, look, out);
    add_best(summary, look, out);
    if (summary->front)
        add_front(summary, look, out);
    add_phases(summary, look, out);
    add_trials(summary, look, out);
    add_next(summary, look, out);
}

json_t *summary_json(const struct summary *summary)
{
    json_t *trials = json_object();
    for (int state = 0; state < TRIAL_STATES; state++)
        json_object_set_new(trials, trial_state_name((enum trial_state)state),
                            json_integer((json_int_t)summary->snapshot.trials[state]));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:f, s:O, s:O?, s:O?, s:O, s:O?, s:s?, s:O?}", "name",
                     json_text(summary->experiment, "name"), "directory", summary->directory, "state",
                     experiment_state_name(summary->snapshot.state), "reason", reason_name(summary->snapshot.reason),
                     "trials", trials, "seconds", summary->snapshot.held, "best", summary->best, "best_completed",
                     summary->completed, "front", summary->front, "phases", summary->phases, "sample", summary->sample,
                     "again", summary->again, "aside", json_object_get(summary->experiment, "aside"));
}
