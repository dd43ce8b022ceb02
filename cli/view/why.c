/* From what is known to sentences; see why.h. */
#include "cli/view/why.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/notes.h"
#include "cli/view/why_jobs.h"
#include "common/endings.h"
#include "common/json.h"
#include "common/units.h"

#include <inttypes.h>
#include <string.h>

/* The share of the time of all attempts from which on it is trouble that it was not kept. */
static const double waste_trouble = 0.01;

/* --- sentences --- */

static void add_sentence(json_t *sentences, struct buf *sentence)
{
    json_array_append_new(sentences, json_of_text(buf_str(sentence)));
    buf_clear(sentence);
}

static void add_time(const char *text, struct buf *out)
{
    if (*text)
        buf_format(out, " at %s", text);
}

static const char *show_seconds(const json_t *object, const char *member, char *out, size_t size)
{
    double seconds = 0;
    json_number(object, member, &seconds);
    return units_show_duration(seconds, out, size);
}

static const char *show_bytes(const json_t *object, const char *member, char *out, size_t size)
{
    return units_show_size((uint64_t)json_integer_value(json_object_get(object, member)), out, size);
}

static const char *sentence_of(const char *reason)
{
    int ending = ending_named(reason);
    return ending < 0 ? "" : ending_sentence((enum ending)ending);
}

/* --- the experiment --- */

static void explain_state(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    const struct snapshot *snapshot = &known->overview->snapshot;
    const char *state = overview_state(known->overview), *recorded = experiment_state_name(snapshot->state);
    buf_text(line, state);
    if (snapshot->state != EXPERIMENT_RUNNING && (strcmp(state, recorded) == 0 || overview_is_paused(known->overview)))
        buf_text(line, ": "), overview_add_reason(known->overview, line);
    add_sentence(sentences, line);
    if (overview_explain(known->overview, line))
        add_sentence(sentences, line);
}

/* When the time of the job is up, and what does not fit. */
static void explain_time(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    const struct snapshot *snapshot = &known->overview->snapshot;
    char left[32], needed[32];
    if (!snapshot->has_deadline || (known->trouble && !snapshot->exceeds_walltime))
        return;
    double seconds = snapshot->deadline > 0 ? snapshot->deadline : 0;
    buf_format(line, "the time of the job is up in %s", units_show_duration(seconds, left, sizeof left));
    if (snapshot->exceeds_walltime)
        buf_format(line,
                   "; %" PRIu64 " waiting trials would not end in time, such as trial %" PRIu64 ", which may take %s",
                   snapshot->exceeds_walltime, snapshot->exceeding_trial,
                   units_show_duration(snapshot->exceeding_seconds, needed, sizeof needed));
    add_sentence(sentences, line);
}

/* Early stopping that had nothing to go by. */
static void explain_held_back(const struct why_facts *known, const json_t *trial, json_t *sentences, struct buf *line)
{
    if (known->overview->snapshot.early_stop && notes_add_held_back(trial, line))
        add_sentence(sentences, line);
}

/* Whether a failed trial that is told beside the sentences ended so. */
static bool is_told(const struct why_facts *known, const char *reason)
{
    size_t index;
    json_t *one;
    json_array_foreach((json_t *)known->failures, index, one)
    {
        if (strcmp(json_text(one, "reason"), reason) == 0)
            return true;
    }
    return false;
}

/* Whether it is worth a sentence that attempts ended so. What a person cancelled, or the end of a session cut, did not
 * end well, but that is no trouble. */
static bool is_ending_said(const struct why_facts *known, const char *reason)
{
    int ending = ending_named(reason);
    if (known->trouble)
        return !is_told(known, reason) && (ending < 0 || ending_state((enum ending)ending) == TRIAL_FAILED);
    return ending != ENDING_COMPLETED && ending != ENDING_STOPPED_EARLY && ending != ENDING_PAUSED;
}

/* How attempts ended that did not end well. */
static void explain_endings(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    size_t index;
    json_t *row;
    char seconds[32];
    json_array_foreach(json_object_get(known->faults, "endings"), index, row)
    {
        const char *reason = json_text(row, "reason");
        if (!is_ending_said(known, reason))
            continue;
        format_count((uint64_t)json_integer_value(json_object_get(row, "attempts")), "attempt", line);
        buf_format(line, " (%s) ended as %s: %s", show_seconds(row, "seconds", seconds, sizeof seconds), reason,
                   sentence_of(reason));
        add_sentence(sentences, line);
    }
}

static void explain_waste(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    double share = 0, least = known->trouble ? waste_trouble : 0;
    char wasted[32], all[32];
    json_number(known->faults, "wasted", &share);
    if (share <= 0 || share < least)
        return;
    buf_format(line, "%.1f %% of the time of all attempts was not kept: %s of %s", 100 * share,
               show_seconds(known->faults, "wasted_seconds", wasted, sizeof wasted),
               show_seconds(known->faults, "run_seconds", all, sizeof all));
    add_sentence(sentences, line);
}

/* --- workers --- */

static void describe_worker(const struct why_facts *known, const json_t *worker, json_t *sentences, struct buf *line)
{
    buf_format(line, "worker %s on %s", json_text(worker, "worker"), json_text(worker, "node"));
    if (*json_text(worker, "job"))
        buf_format(line, " (job %s)", json_text(worker, "job"));
    buf_text(line, " joined");
    add_time(json_text(worker, "joined"), line);
    buf_text(line, " and was given ");
    format_count((uint64_t)json_integer_value(json_object_get(worker, "runs")), "attempt", line);
    if (*json_text(worker, "gone")) {
        buf_text(line, "; it went");
        add_time(json_text(worker, "gone"), line);
        buf_format(line, ": %s", *json_text(worker, "why") ? json_text(worker, "why") : "no reason is known");
        why_jobs_add_end(known, json_text(worker, "job"), json_text(worker, "gone"), line);
    }
    add_sentence(sentences, line);
}

static bool is_at(const json_t *worker, const char *place)
{
    return strcmp(json_text(worker, "node"), place) == 0 || strcmp(json_text(worker, "worker"), place) == 0;
}

static bool has_left_at_end(const json_t *worker)
{
    return strcmp(json_text(worker, "why"), WORKER_LEFT_AT_END) == 0;
}

/* Of the workers that are gone the last one, and how many there are. */
static void explain_gone(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    size_t index, gone = 0;
    json_t *worker;
    const json_t *last = NULL;
    json_array_foreach(json_object_get(known->faults, "workers"), index, worker)
    {
        bool is_gone = *json_text(worker, "gone") && !(known->trouble && has_left_at_end(worker));
        gone += is_gone;
        if (is_gone && (!last || strcmp(json_text(worker, "gone"), json_text(last, "gone")) >= 0))
            last = worker;
    }
    if (!last)
        return;
    if (json_object_get(known->faults, "gone")) /* of which the last alone is told */
        gone = (size_t)json_integer_value(json_object_get(known->faults, "gone"));
    format_count(gone, "worker", line);
    buf_format(line, " %s gone; the last on %s: %s", gone == 1 ? "is" : "are", json_text(last, "node"),
               *json_text(last, "why") ? json_text(last, "why") : "no reason is known");
    why_jobs_add_end(known, json_text(last, "job"), json_text(last, "gone"), line);
    add_sentence(sentences, line);
}

/* Of a living search it is in the sentence about its state. */
static void explain_cost(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    if (!known->overview->lives && notes_add_cost(known->overview->experiment, line))
        add_sentence(sentences, line);
}

/* Runs whose ranks wait for one of them: all of them, or that of a trial. */
static void explain_standstills(const struct why_facts *known, json_int_t trial, json_t *sentences, struct buf *line)
{
    const struct snapshot *snapshot = &known->overview->snapshot;
    for (uint32_t i = 0; known->overview->lives && i < snapshot->standstill_count; i++) {
        const struct snapshot_standstill *one = &snapshot->standstills[i];
        if (trial && one->trial != (uint64_t)trial)
            continue;
        buf_format(line, "trial %llu stands still: %s", (unsigned long long)one->trial, one->text);
        add_sentence(sentences, line);
    }
}

/* What bounded most of the time, and all of it that is worth an advice. */
static void explain_verdicts(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    size_t index;
    json_t *row;
    char seconds[32];
    if (json_is_object(known->sample)) {
        buf_text(line, "what bounded attempts is told by ");
        notes_add_sample(known->sample, line);
        add_sentence(sentences, line);
    }
    json_array_foreach((json_t *)known->verdicts, index, row)
    {
        const char *advice = json_text(row, "advice");
        if (!*advice)
            continue;
        format_count((uint64_t)json_integer_value(json_object_get(row, "runs")), "attempt", line);
        buf_format(line, " of %s bounded by %s: %s", show_seconds(row, "seconds", seconds, sizeof seconds),
                   json_text(row, "verdict"), advice);
        add_sentence(sentences, line);
    }
}

static void explain_aside(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    size_t index;
    json_t *aside;
    json_array_foreach(json_object_get(known->overview->experiment, "aside"), index, aside)
    {
        notes_add_aside(aside, line);
        add_sentence(sentences, line);
    }
}

json_t *why_experiment(const struct why_facts *known)
{
    json_t *sentences = json_array();
    struct buf line = {0};
    if (!known->trouble) {
        explain_state(known, sentences, &line);
        explain_standstills(known, 0, sentences, &line);
    }
    explain_time(known, sentences, &line);
    why_jobs_explain(known, sentences);
    if (!known->trouble)
        explain_aside(known, sentences, &line);
    explain_gone(known, sentences, &line);
    explain_endings(known, sentences, &line);
    explain_waste(known, sentences, &line);
    explain_verdicts(known, sentences, &line);
    explain_cost(known, sentences, &line);
    explain_held_back(known, known->example, sentences, &line);
    buf_fini(&line);
    return sentences;
}

json_t *why_place(const struct why_facts *known)
{
    json_t *sentences = json_array(), *worker;
    struct buf line = {0};
    size_t index;
    json_array_foreach(json_object_get(known->faults, "workers"), index, worker)
    {
        if (is_at(worker, known->place))
            describe_worker(known, worker, sentences, &line);
    }
    buf_fini(&line);
    return sentences;
}

/* --- a trial --- */

/* Why a trial waits that could run. */
static void add_wait(const struct why_facts *known, struct buf *line)
{
    const struct snapshot *snapshot = &known->overview->snapshot;
    char needed[32], left[32];
    if (json_is_false(json_object_get(known->prospect, "fits")))
        buf_format(line, "it may take %s, and the job has %s left for running trials; a later job starts it",
                   show_seconds(known->prospect, "predicted", needed, sizeof needed),
                   show_seconds(known->prospect, "left", left, sizeof left));
    else if (json_is_true(json_object_get(known->prospect, "alone")))
        buf_format(line,
                   "workers were lost while it ran (%" JSON_INTEGER_FORMAT
                   " times), so it runs alone, once a worker has "
                   "nothing else to do",
                   json_integer_value(json_object_get(known->prospect, "losses")));
    else if (json_integer_value(json_object_get(known->prospect, "memory")) > 0)
        buf_format(line, "it ran out of memory before and gets %s now; it starts once a worker has so much free",
                   show_bytes(known->prospect, "memory", needed, sizeof needed));
    else if (known->overview->lives && snapshot->slots && snapshot->busy >= snapshot->slots)
        buf_format(line, "all %" PRIu32 " slots are busy", snapshot->slots);
    else if (!known->overview->lives && snapshot->state == EXPERIMENT_ENDED)
        buf_format(line, "the experiment has ended: %s; `gannet run --resume` goes on with it",
                   reason_sentence(snapshot->reason));
    else if (!overview_explain(known->overview, line))
        buf_text(line, "it is about to start");
}

static void add_place(const json_t *run, struct buf *line)
{
    const char *nodes = json_text(run, "nodes");
    if (!*json_text(run, "node"))
        return;
    if (*nodes)
        buf_format(line, " on the nodes %s, of the first", nodes);
    else
        buf_format(line, " on %s,", json_text(run, "node"));
    buf_format(line, " slot %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(run, "slot")));
    if (*json_text(run, "job"))
        buf_format(line, ", job %s", json_text(run, "job"));
}

static void explain_trial_state(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    const json_t *trial = known->trial;
    const char *state = json_text(trial, "state"), *reason = json_text(trial, "reason");
    char seconds[32];
    buf_format(line, "trial %" JSON_INTEGER_FORMAT " ", json_integer_value(json_object_get(trial, "trial")));
    if (strcmp(state, "waiting") == 0 && overview_is_own_loop(known->overview)) {
        buf_text(line, "waits to be told: `gannet tell` says what came of it");
    } else if (strcmp(state, "waiting") == 0) {
        buf_text(line, "waits: ");
        add_wait(known, line);
    } else if (strcmp(state, "running") == 0) {
        buf_text(line, overview_is_own_loop(known->overview) ? "was asked for and is not told yet" : "runs");
        add_place(trial, line);
        buf_format(line, ", since %s", json_text(trial, "started"));
    } else if (strcmp(state, "paused") == 0) {
        buf_text(line, "waits at a checkpoint until early stopping decides about it");
    } else if (json_is_true(json_object_get(trial, "added"))) {
        buf_format(line, "is %s: it was measured elsewhere, and added by hand", state);
    } else {
        bool failed = strcmp(state, "failed") == 0;
        buf_format(line, "%s%s after %s: %s", failed ? "" : "is ", state,
                   show_seconds(trial, "seconds", seconds, sizeof seconds), sentence_of(reason));
        if (*json_text(trial, "detail"))
            buf_format(line, ": %s", json_text(trial, "detail"));
    }
    add_sentence(sentences, line);
}

/* Whether the end of a job may be why an attempt ended so. */
static bool is_of_job(const char *reason)
{
    int ending = ending_named(reason);
    return ending == ENDING_LOST || ending == ENDING_WALLTIME || ending == ENDING_PREEMPTED ||
           ending == ENDING_NODE_FAILED;
}

/* The last line of a failed attempt's standard error, unless the sentence repeats it. */
static void add_last_words(const json_t *run, const char *reason, const char *detail, struct buf *line)
{
    size_t length;
    int ending = ending_named(reason);
    const char *words = format_last_line(json_text(run, "tail"), &length);
    bool failed = ending >= 0 && ending_state((enum ending)ending) == TRIAL_FAILED;
    if (!length || !failed || memmem(detail, strlen(detail), words, length))
        return;
    buf_text(line, "; its last words: ");
    buf_add(line, words, length);
}

/* Whether what is said of the trial says already why this attempt of it failed. */
static bool is_end_told(const json_t *trial, const json_t *run)
{
    return strcmp(json_text(trial, "state"), "failed") == 0 &&
           strcmp(json_text(trial, "reason"), json_text(run, "reason")) == 0 &&
           strcmp(json_text(trial, "detail"), json_text(run, "detail")) == 0;
}

/* One attempt: where it ran, how it ended, and where it had begun. */
static void explain_run(const struct why_facts *known, const json_t *run, json_t *sentences, struct buf *line)
{
    json_int_t resumed = json_integer_value(json_object_get(run, "resumed"));
    const char *reason = json_text(run, "reason"), *detail = json_text(run, "detail");
    char seconds[32];
    buf_format(line, "attempt %" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(run, "attempt")));
    add_place(run, line);
    if (resumed)
        buf_format(line, ", went on from step %" JSON_INTEGER_FORMAT, resumed);
    if (*reason) {
        buf_format(line, ", ended after %s as %s", show_seconds(run, "seconds", seconds, sizeof seconds), reason);
        if (!is_end_told(known->trial, run))
            buf_format(line, ": %s", *detail ? detail : sentence_of(reason));
        add_last_words(run, reason, detail, line);
        if (is_of_job(reason))
            why_jobs_add_end(known, json_text(run, "job"), json_text(run, "started"), line);
    } else {
        buf_text(line, overview_is_own_loop(known->overview) ? " is not told yet" : " runs");
    }
    add_sentence(sentences, line);
}

/* What early stopping did; its own words tell at which step. */
static const char *say_decision(const json_t *trial, const char *decision)
{
    bool completed = strcmp(json_text(trial, "state"), "completed") == 0;
    return strcmp(decision, "stops") == 0     ? completed ? "wanted no more steps" : "stopped it"
           : strcmp(decision, "pauses") == 0  ? "paused it"
           : strcmp(decision, "goes_on") == 0 ? "let it go on"
                                              : "took it up again";
}

static void explain_verdict(const struct why_facts *known, json_t *sentences, struct buf *line)
{
    const char *advice = json_text(known->verdict, "advice");
    if (!json_is_object(known->verdict) || strcmp(json_text(known->verdict, "verdict"), "unknown") == 0)
        return;
    buf_format(line, "%s%s%s", json_text(known->verdict, "sentence"), *advice ? ": " : "", advice);
    add_sentence(sentences, line);
}

json_t *why_trial(const struct why_facts *known)
{
    json_t *sentences = json_array(), *one;
    struct buf line = {0};
    size_t index;
    explain_trial_state(known, sentences, &line);
    explain_standstills(known, json_integer_value(json_object_get(known->trial, "trial")), sentences, &line);
    json_array_foreach(json_object_get(known->trial, "runs"), index, one) explain_run(known, one, sentences, &line);
    explain_verdict(known, sentences, &line);
    json_array_foreach(json_object_get(known->trial, "decisions"), index, one)
    {
        buf_format(&line, "early stopping %s: %s", say_decision(known->trial, json_text(one, "decision")),
                   json_text(one, "why"));
        add_sentence(sentences, &line);
    }
    explain_held_back(known, known->trial, sentences, &line);
    buf_fini(&line);
    return sentences;
}

/* --- events --- */

static bool is_about(const struct why_facts *known, const json_t *event)
{
    json_int_t trial = json_integer_value(json_object_get(event, "trial"));
    if (known->trial)
        return trial == json_integer_value(json_object_get(known->trial, "trial"));
    return !known->place || strcmp(json_text(event, "node"), known->place) == 0;
}

json_t *why_events(const struct why_facts *known)
{
    json_t *about = json_array(), *event;
    size_t index;
    json_array_foreach((json_t *)known->events, index, event)
    {
        if (is_about(known, event))
            json_array_append(about, event);
    }
    return about;
}
