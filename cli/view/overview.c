/* The state of an experiment; see overview.h. */
#include "cli/view/overview.h"
#include "cli/look.h"
#include "cli/format.h"
#include "cli/view/job_list.h"
#include "cli/json.h"
#include "cli/view/notes.h"
#include "cli/view/progress.h"
#include "cli/view/running.h"
#include "cli/view/table.h"
#include "common/json.h"
#include "common/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

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

static void add_resume(const struct overview *overview, struct buf *out)
{
    buf_text(out, "gannet run ");
    format_shell(overview->directory, out);
    buf_text(out, " --resume goes on");
}

void overview_add_reason(const struct overview *overview, struct buf *out)
{
    enum reason reason = overview->snapshot.reason;
    if (overview->jobs && job_list_reason(overview->jobs, reason, out))
        return;
    bool again = (reason == REASON_PREEMPTED || reason == REASON_PAUSED) && !overview->jobs && overview->directory;
    if (again && reason == REASON_PREEMPTED)
        buf_text(out, "what ran it was killed; ");
    if (again)
        add_resume(overview, out);
    else
        buf_text(out, reason_sentence(reason));
}

static void add_state(const struct overview *overview, const struct look *look, struct buf *out)
{
    const struct snapshot *snapshot = &overview->snapshot;
    struct buf line = {0}, why = {0};
    char held[32];
    buf_text(&line, overview_state(overview));
    if (overview_is_over(overview) || overview_is_paused(overview))
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
        overview_add_worker(worker, &name);
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
            overview_explain_wait(&snapshot->workers[i], out);
            buf_text(out, "\n");
        }
    if (shown < snapshot->worker_count)
        buf_format(out, "and %" PRIu32 " more; gannet status | cat shows all\n", snapshot->worker_count - shown);
    for (uint32_t i = 0; i < shown; i++)
        if (*snapshot->workers[i].aside) {
            overview_explain_aside(&snapshot->workers[i], out);
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
    notes_draw_aside(overview->experiment, overview->lives ? snapshot : NULL, out);
    running_draw_standstills(snapshot, out);
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
    json_object_set(json, "aside", json_object_get(overview->experiment, "aside"));
    json_object_set(json, "best_values", is_read(overview) ? json_object_get(overview->best, "values") : json_null());
    json_object_set_new(json, "running_trials", json_of_running(overview->running));
    json_object_set(json, "counters", overview->counters ? overview->counters : json_null());
    json_object_update_new(json, json_pack("{s:n, s:n}", "verdicts", "sample"));
    json_decref(snapshot);
    buf_fini(&note);
    return json;
}
