/* The state of an experiment; see overview.h. */
#include "cli/view/overview.h"
#include "cli/look.h"
#include "cli/format.h"
#include "cli/data/jobs.h"
#include "cli/view/job_list.h"
#include "cli/json.h"
#include "cli/view/cost_note.h"
#include "cli/view/odd_workers.h"
#include "cli/view/progress.h"
#include "cli/view/running.h"
#include "cli/view/table.h"
#include "common/json.h"
#include "common/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* --- why nothing runs --- */

/* Whether any coordinator ever ran it. */
static bool was_started(const struct overview *overview)
{
    return json_integer_value(json_object_get(overview->experiment, "sessions")) > 0;
}

bool overview_is_own_loop(const struct overview *overview)
{
    uint64_t trials = 0;
    for (int state = 0; state < TRIAL_STATES; state++)
        trials += overview->snapshot.trials[state];
    return !overview->lives && !was_started(overview) && trials > 0;
}

/* A submitted search whose session ended because its job did goes on in the next one; so does any for which a person
 * has submitted another. */
static bool has_ended(const struct overview *overview)
{
    const struct snapshot *snapshot = &overview->snapshot;
    bool by_person = snapshot->reason == REASON_INTERRUPTED || snapshot->reason == REASON_SAME_FAILURES;
    bool goes_on = overview->jobs && ((reason_goes_on(snapshot->reason) && !by_person) || jobs_wait(overview->jobs));
    return snapshot->state == EXPERIMENT_ENDED && !goes_on;
}

/* Trials that a person's own loop asked for and has not told when the search has come to its end. */
static bool explain_open(const struct overview *overview, struct buf *out)
{
    uint64_t open = overview_is_own_loop(overview) ? overview->snapshot.trials[TRIAL_RUNNING] : 0;
    if (!open)
        return false;
    format_count(open, "trial", out);
    buf_format(out, " that %s asked for %s not told; gannet tell still takes %s", open == 1 ? "was" : "were",
               open == 1 ? "is" : "are", open == 1 ? "it" : "them");
    return true;
}

/* What was said of the end, unless something has been done about it. */
static bool explain_end(const struct overview *overview, struct buf *out)
{
    const char *detail = json_text(overview->experiment, "detail");
    if (overview->snapshot.state != EXPERIMENT_ENDED || !*detail || (overview->jobs && jobs_bring_more(overview->jobs)))
        return false;
    buf_text(out, detail);
    if (overview->jobs)
        buf_text(out, "; `gannet submit EXP --resume --set KEY=VALUE` goes on");
    return true;
}

static bool explain_dead(const struct overview *overview, struct buf *out)
{
    if (overview->waits) {
        buf_text(out, progress_no_room);
        return true;
    }
    if (explain_end(overview, out))
        return true;
    if (overview->hidden && !has_ended(overview)) {
        buf_text(out, "this is what is recorded; whether its coordinator lives only its owner can see");
        return true;
    }
    if (has_ended(overview))
        return explain_open(overview, out);
    if (overview->jobs && job_list_explain(overview->jobs, false, overview->now, out))
        return true;
    if (overview_is_own_loop(overview)) {
        buf_text(out, "a loop of its own asks and tells; there is no coordinator");
        return true;
    }
    buf_text(out, was_started(overview)
                      ? "its coordinator is gone without having ended it; `gannet run --resume` goes on"
                      : "it was prepared but never ran; `gannet run --resume` starts it");
    return true;
}

/* Its node, and of several there which one it is: "n1", "n1:2". */
static void add_name(const struct snapshot_worker *worker, struct buf *out)
{
    format_safe(worker->name, out);
    if (worker->part)
        buf_format(out, ":%" PRIu32, worker->part);
}

/* A worker that gets no more leases; what it says comes from another machine. */
static void explain_aside(const struct snapshot_worker *worker, struct buf *out)
{
    buf_text(out, "a worker on ");
    add_name(worker, out);
    buf_text(out, " was set aside: ");
    format_safe(worker->aside, out);
    buf_text(out, "; look at its log, end it and start it again with the coordinator's version of gannet");
}

/* What keeps slots of this worker from starting anything. */
static void explain_wait(const struct snapshot_worker *worker, struct buf *out)
{
    buf_format(out, "%" PRIu32 " of %" PRIu32 " slots of ", worker->waiting, worker->slots);
    add_name(worker, out);
    buf_text(out, worker->waiting == 1 ? " waits: " : " wait: ");
    format_safe(worker->why, out);
}

static bool explain_workers(const struct snapshot *snapshot, struct buf *out)
{
    uint32_t suspects = 0, aside = 0, waiting = 0;
    char heard[32];
    for (uint32_t i = 0; i < snapshot->worker_count; i++) {
        suspects += snapshot->workers[i].suspect;
        aside += *snapshot->workers[i].aside != '\0';
        waiting = snapshot->workers[i].waiting ? i + 1 : waiting;
    }
    if (!snapshot->worker_count && *snapshot->unfit) {
        buf_text(out, "no worker could run a trial; the last was on ");
        format_safe(snapshot->unfit, out);
    } else if (!snapshot->worker_count)
        buf_text(out, "no worker is connected");
    else if (aside == snapshot->worker_count)
        explain_aside(&snapshot->workers[0], out);
    else if (suspects == snapshot->worker_count)
        buf_format(out, "no worker has been heard of for %s",
                   units_show_duration(snapshot->workers[0].heard, heard, sizeof heard));
    else if (!snapshot->slots)
        buf_text(out, "the workers offer no slot: a trial wants more than they have");
    else if (waiting)
        explain_wait(&snapshot->workers[waiting - 1], out);
    else
        return false;
    return true;
}

/* Where the workers are that are not connected. */
static void add_missing_workers(const struct overview *overview, struct buf *out)
{
    struct buf why = {0};
    if (overview->jobs && job_list_explain(overview->jobs, true, overview->now, &why))
        buf_format(out, "; %s", buf_str(&why));
    buf_fini(&why);
}

/* The time of the job is too short for what waits. */
static void explain_deadline(const struct snapshot *snapshot, struct buf *out)
{
    char needed[32], left[32];
    double seconds = snapshot->deadline - snapshot->warn;
    buf_format(out, "trial %" PRIu64 " is predicted to take up to %s, the job has %s left", snapshot->exceeding_trial,
               units_show_duration(snapshot->exceeding_seconds, needed, sizeof needed),
               units_show_duration(seconds > 0 ? seconds : 0, left, sizeof left));
}

/* Why a coordinator does not answer, when Slurm knows. */
static void explain_lost_node(const struct overview *overview, struct buf *out)
{
    struct buf why = {0};
    if (overview->jobs && job_list_lost(overview->jobs, &why))
        buf_format(out, "; %s", buf_str(&why));
    buf_fini(&why);
}

void overview_explain_nodes(const struct snapshot *snapshot, const char *directory, struct buf *out)
{
    buf_format(
        out,
        "a trial takes a slot on each of %" PRIu32 " nodes (resources.nodes), and there are workers on %" PRIu32
        "; on another node `gannet-worker --rundir %s` starts one (on this machine it counts as another node with "
        "--node NAME)",
        snapshot->nodes, snapshot->nodes_here, directory ? directory : "EXP");
}

static bool explain_living(const struct overview *overview, struct buf *out)
{
    const struct snapshot *snapshot = &overview->snapshot;
    if (overview->trouble) {
        buf_text(out, overview->trouble);
        explain_lost_node(overview, out);
        return true;
    }
    if (overview->jobs && *overview->jobs->note)
        return job_list_explain(overview->jobs, true, overview->now, out);
    if (snapshot->state == EXPERIMENT_ENDED || snapshot->trials[TRIAL_RUNNING])
        return false;
    if (explain_workers(snapshot, out)) {
        add_missing_workers(overview, out);
        return true;
    }
    if (snapshot->state == EXPERIMENT_DRAINING)
        buf_text(out, "it ends: nothing new is started");
    else if (snapshot->nodes > 1 && snapshot->nodes_here < snapshot->nodes)
        overview_explain_nodes(snapshot, overview->directory, out);
    else if (snapshot->exceeds_walltime)
        explain_deadline(snapshot, out);
    else
        buf_text(out, snapshot->trials[TRIAL_WAITING] ? "trials are about to start"
                                                      : "the strategy has not proposed anything yet");
    return true;
}

bool overview_explain(const struct overview *overview, struct buf *out)
{
    bool explained = overview->lives ? explain_living(overview, out) : explain_dead(overview, out);
    if (overview->logs_say)
        buf_format(out, "%s%s", explained ? "; " : "", overview->logs_say);
    explained = explained || overview->logs_say;
    struct buf odd = {0};
    for (int i = 0; overview->lives && i < 2; i++) {
        buf_clear(&odd);
        if (i ? cost_note_add(overview->experiment, &odd) : odd_workers_add(&overview->snapshot, &odd)) {
            buf_format(out, "%s%s", explained ? "; " : "", buf_str(&odd));
            explained = true;
        }
    }
    buf_fini(&odd);
    return explained;
}

const char *overview_state(const struct overview *overview)
{
    const char *of_jobs = overview->jobs ? jobs_state(overview->jobs) : NULL;
    bool goes_on = of_jobs && !has_ended(overview);
    if (overview->waits)
        return "starting";
    if (overview->lives || overview->hidden || (overview->snapshot.state == EXPERIMENT_ENDED && !goes_on))
        return experiment_state_name(overview->snapshot.state);
    if (overview_is_own_loop(overview))
        return "open";
    if (goes_on)
        return of_jobs;
    return was_started(overview) ? "interrupted" : "not started";
}

/* --- drawing --- */

enum {
    LABEL = 9,    /* columns of a label on a terminal */
    WORKERS = 12, /* that are shown on a terminal, where the picture is redrawn and has to fit */
    BAR = 20
};

/* Adds a labelled line; on a terminal it fits the width. */
static void add_line(const char *label, const char *text, const struct look *look, struct buf *out)
{
    if (look->live) {
        struct buf padded = {0};
        buf_format(&padded, "%-*s", LABEL, label);
        look_add(look, TINT_QUIET, buf_str(&padded), out);
        buf_fini(&padded);
    } else {
        for (const char *c = label; *c; c++)
            buf_format(out, "%c", tolower((unsigned char)*c));
        buf_text(out, ": ");
    }
    size_t capacity = look->live && look->width > LABEL + 1 ? look->width - LABEL - 1 : SIZE_MAX;
    format_cut(look, text, capacity, out);
    buf_text(out, "\n");
}

void overview_add_reason(const struct overview *overview, struct buf *out)
{
    enum reason reason = overview->snapshot.reason;
    if (overview->jobs && job_list_reason(overview->jobs, reason, out))
        return;
    if (reason == REASON_PREEMPTED && !overview->jobs && overview->directory)
        buf_format(out, "what ran it was killed; gannet run %s --resume goes on", overview->directory);
    else
        buf_text(out, reason_sentence(reason));
}

static void add_state(const struct overview *overview, const struct look *look, struct buf *out)
{
    const struct snapshot *snapshot = &overview->snapshot;
    struct buf line = {0}, why = {0};
    char held[32];
    buf_text(&line, overview_state(overview));
    if (!overview->lives && strcmp(overview_state(overview), experiment_state_name(EXPERIMENT_ENDED)) == 0)
        buf_text(&line, ": "), overview_add_reason(overview, &line);
    buf_format(&line, ", ran for %s", units_show_duration(snapshot->held, held, sizeof held));
    add_line("State", buf_str(&line), look, out);
    if (overview_explain(overview, &why))
        add_line("Note", buf_str(&why), look, out);
    buf_fini(&line);
    buf_fini(&why);
}

/* What runs at a person's own loop is known as what was not told. */
static const char *state_name(const struct overview *overview, enum trial_state state)
{
    return state == TRIAL_RUNNING && overview_is_own_loop(overview) ? "not told" : trial_state_name(state);
}

static void add_trials(const struct run_progress *progress, const struct overview *overview, const struct look *look,
                       struct buf *out)
{
    const struct snapshot *snapshot = &overview->snapshot;
    struct buf line = {0};
    buf_format(&line, "%" PRIu64, progress->ended);
    if (progress->total)
        buf_format(&line, "/%" PRIu64, progress->total);
    if (progress->total && look->live) {
        buf_text(&line, "  ");
        chart_bar(look, (double)progress->ended / (double)progress->total, BAR, &line);
    }
    for (int state = 0; state < TRIAL_STATES; state++)
        if (snapshot->trials[state])
            buf_format(&line, "  %" PRIu64 " %s", snapshot->trials[state],
                       state_name(overview, (enum trial_state)state));
    if (snapshot->added)
        buf_format(&line, "  %" PRIu64 " of them added", snapshot->added);
    if (snapshot->ignored)
        buf_format(&line, "  %" PRIu64 " ignored", snapshot->ignored);
    add_line("Trials", buf_str(&line), look, out);
    buf_clear(&line);
    progress_steps(snapshot, &line);
    if (line.length)
        add_line("Steps", buf_str(&line), look, out);
    buf_fini(&line);
}

/* Whether the best trial is the one that was read: between the two looks there may have been a better one. */
static bool is_read(const struct overview *overview)
{
    json_int_t read = json_integer_value(json_object_get(overview->best, "trial"));
    return overview->snapshot.has_best && read == (json_int_t)overview->snapshot.best_trial;
}

/* What the best trial came to: the first metric, and the others that trials are judged by where it is known. */
static void add_values(const struct overview *overview, const struct run_progress *progress, struct buf *line)
{
    struct buf values = {0};
    char number[32];
    if (is_read(overview) && json_object_size(json_object_get(overview->best, "values")) > 1)
        format_values(overview->best, &values);
    if (values.length) {
        buf_text(line, buf_str(&values) + strspn(buf_str(&values), " "));
    } else {
        format_safe(progress->metric, line);
        buf_format(line, " %s", format_number(progress->best, number, sizeof number));
    }
    buf_fini(&values);
}

static void add_best(const struct overview *overview, const struct run_progress *progress, const struct look *look,
                     struct buf *out)
{
    struct buf line = {0};
    if (!progress->has_best)
        return;
    add_values(overview, progress, &line);
    buf_format(&line, " (trial %" PRIu64 ")  ", progress->best_trial);
    format_params(json_object_get(overview->best, "params"), " ", &line);
    add_line("Best", buf_str(&line), look, out);
    buf_fini(&line);
}

static void add_rate(const struct run_progress *progress, const struct look *look, struct buf *out)
{
    struct buf line = {0};
    char left[32];
    if (!(progress->rate > 0))
        return;
    buf_format(&line, "%.3g trials/s", progress->rate);
    if (progress->left >= 0)
        buf_format(&line, ", about %s left", units_show_duration(progress->left, left, sizeof left));
    add_line("Rate", buf_str(&line), look, out);
    buf_fini(&line);
}

/* When the time of the job is up, and what that keeps waiting. */
static void add_deadline(const struct snapshot *snapshot, const struct look *look, struct buf *out)
{
    struct buf line = {0};
    char left[32];
    if (!snapshot->has_deadline)
        return;
    buf_format(&line, "in %s", units_show_duration(snapshot->deadline > 0 ? snapshot->deadline : 0, left, sizeof left));
    if (snapshot->exceeds_walltime)
        buf_format(&line, "; %" PRIu64 " waiting trials would not end in time", snapshot->exceeds_walltime);
    add_line("Time up", buf_str(&line), look, out);
    buf_fini(&line);
}

static void add_workers(const struct snapshot *snapshot, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    char text[32];
    table_columns(table, "node|>slots|>busy|>heard");
    uint32_t shown = look->live && snapshot->worker_count > WORKERS ? WORKERS : snapshot->worker_count;
    for (uint32_t i = 0; i < shown; i++) {
        const struct snapshot_worker *worker = &snapshot->workers[i];
        struct buf name = {0};
        add_name(worker, &name);
        table_cell(table, worker->suspect ? TINT_BAD : TINT_NONE, buf_str(&name));
        buf_fini(&name);
        table_print(table, TINT_NONE, "%" PRIu32, worker->slots);
        table_print(table, TINT_NONE, "%" PRIu32, worker->busy);
        table_cell(table, worker->suspect ? TINT_BAD : TINT_NONE,
                   units_show_duration(worker->heard, text, sizeof text));
    }
    buf_text(out, "\n");
    table_finish(table, look, out);
    for (uint32_t i = 0; i < shown; i++)
        if (snapshot->workers[i].waiting) {
            explain_wait(&snapshot->workers[i], out);
            buf_text(out, "\n");
        }
    if (shown < snapshot->worker_count)
        buf_format(out, "and %" PRIu32 " more; gannet status | cat shows all\n", snapshot->worker_count - shown);
    for (uint32_t i = 0; i < shown; i++)
        if (*snapshot->workers[i].aside) {
            explain_aside(&snapshot->workers[i], out);
            buf_text(out, "\n");
        }
}

void overview_draw(const struct overview *overview, const struct look *look, struct buf *out)
{
    const struct snapshot *snapshot = &overview->snapshot;
    struct run_progress progress =
        progress_of(json_text(overview->experiment, "name"), json_text(overview->experiment, "metric"), snapshot);
    struct buf line = {0};
    format_safe(progress.name, &line);
    buf_text(&line, "  (");
    format_safe(overview->directory, &line);
    buf_text(&line, ")");
    add_line("Name", buf_str(&line), look, out);
    add_state(overview, look, out);
    add_trials(&progress, overview, look, out);
    add_best(overview, &progress, look, out);
    if (overview->lives) {
        add_rate(&progress, look, out);
        add_deadline(snapshot, look, out);
        buf_clear(&line);
        buf_format(&line, "%" PRIu32 " of %" PRIu32 " busy", snapshot->busy, snapshot->slots);
        add_line("Slots", buf_str(&line), look, out);
    }
    if (overview->lives)
        running_draw(overview->running, progress.metric, snapshot->trials[TRIAL_RUNNING], look, out);
    if (overview->lives && snapshot->worker_count)
        add_workers(snapshot, look, out);
    if (overview->jobs)
        job_list_draw(overview->jobs, overview->now, look, out);
    buf_fini(&line);
}

/* --- for programs --- */

static json_t *json_of_running(const json_t *running)
{
    static const char *const members[] = {"trial", "step", "value", "seconds"};
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(running); i++) {
        json_t *one = json_object();
        for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
            json_t *value = json_object_get(json_array_get(running, i), members[k]);
            json_object_set(one, members[k], value ? value : json_null());
        }
        json_array_append_new(list, one);
    }
    return list;
}

json_t *overview_json(const struct overview *overview)
{
    struct buf note = {0};
    bool explained = overview_explain(overview, &note);
    json_t *snapshot = snapshot_encode(&overview->snapshot);
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:b, s:o, s:o}", "schema", "gannet.status/1", "name",
                  json_of_text(json_text(overview->experiment, "name")), "directory", json_of_text(overview->directory),
                  "metric", json_of_text(json_text(overview->experiment, "metric")), "lives", (int)overview->lives,
                  "note", json_of_text(explained ? buf_str(&note) : NULL), "slurm",
                  overview->jobs ? job_list_json(overview->jobs) : json_null());
    json_object_update(json, snapshot);
    json_object_set(json, "wasted", json_object_get(overview->experiment, "wasted"));
    json_object_set(json, "best_values", is_read(overview) ? json_object_get(overview->best, "values") : json_null());
    json_object_set_new(json, "running_trials", json_of_running(overview->running));
    json_object_set(json, "counters", overview->counters ? overview->counters : json_null());
    json_object_update_new(json, json_pack("{s:n, s:n}", "verdicts", "sample"));
    json_decref(snapshot);
    buf_fini(&note);
    return json;
}
