/* An experiment's jobs at Slurm, shown; see job_list.h. */
#include "cli/view/job_list.h"
#include "cli/data/jobs.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/table.h"
#include "common/json.h"
#include "scheduler/slurm/nodes.h"
#include "scheduler/slurm/refusal.h"
#include "scheduler/slurm/slurm_agent.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROWS = 12 }; /* on a terminal, where the picture is redrawn and has to fit */

static const char *const roles[] = {
    [SLURM_ROLE_EXPERIMENT] = "experiment", [SLURM_ROLE_COORDINATOR] = "coordinator", [SLURM_ROLE_WORKER] = "worker"};

/* --- sentences --- */

/* A moment as people say it: "14:05", with the day when it is not near. */
static const char *show_moment(double moment, double now, char *out, size_t size)
{
    time_t seconds = (time_t)moment;
    struct tm parts;
    bool near = fabs(moment - now) < 16 * 3600;
    if (!localtime_r(&seconds, &parts) || !strftime(out, size, near ? "%H:%M" : "%a %d %b %H:%M", &parts))
        snprintf(out, size, "?");
    return out;
}

static void add_wait(const struct slurm_submission *job, double now, struct buf *out)
{
    char moment[64];
    buf_format(out, "job %" PRIu32 " waits", job->id);
    if (!(job->looked > 0)) {
        buf_format(out, "; it was submitted at %s", show_moment(job->submitted, now, moment, sizeof moment));
        return;
    }
    buf_text(out, ": ");
    format_safe(job->seen.reason, out);
    buf_format(out, "%s%s", *job->seen.reason ? " - " : "", slurm_reason_sentence(job->seen.reason));
    if (job->seen.started > now)
        buf_format(out, "; expected to start at %s", show_moment(job->seen.started, now, moment, sizeof moment));
}

/* The last of its kind before this one, which may be an earlier run of the same job. */
static const struct slurm_submission *find_before(const struct slurm_record *record, const struct slurm_submission *job)
{
    const struct slurm_submission *before = NULL;
    for (const struct slurm_submission *one = record->items; one < job; one++)
        if (one->role == job->role)
            before = one;
    return before && job_list_end_is_of_slurm(before->seen.state) ? before : NULL;
}

/* What became of the job before this one, when its end is why there is another. */
static void add_before(const struct slurm_record *record, const struct slurm_submission *job, struct buf *out)
{
    const struct slurm_submission *before = find_before(record, job);
    if (!before)
        return;
    buf_format(out, "; before, job %" PRIu32 " ", before->id);
    if (before->seen.state != SLURM_NODE_FAILED || before->role == SLURM_ROLE_WORKER) {
        job_list_add_end(&before->seen, out);
        return;
    }
    buf_text(out, "lost ");
    format_safe(*before->seen.batch_node ? before->seen.batch_node : "its node", out);
    buf_text(out, ", on which its coordinator was");
}

/* Of the job whose end is why a session ended so, the one that ended; NULL: that is not known. */
static const struct slurm_submission *find_ended(const struct slurm_record *record, enum reason reason)
{
    const struct slurm_submission *job = jobs_main(record, false);
    const struct slurm_submission *ended = job && jobs_is_open(job) ? find_before(record, job) : job;
    bool of_job = reason == REASON_WALLTIME || reason == REASON_PREEMPTED;
    bool says = ended && job_list_end_is_of_slurm(ended->seen.state) &&
                (of_job || (reason == REASON_INTERRUPTED && jobs_is_cancelled(ended)));
    return says ? ended : NULL;
}

bool job_list_reason(const struct slurm_record *record, enum reason reason, struct buf *out)
{
    const struct slurm_submission *ended = find_ended(record, reason), *job = jobs_main(record, false);
    bool local = !jobs_exist(record) && reason == REASON_PREEMPTED;
    if (local)
        buf_text(out, "what ran it was killed");
    if (!ended)
        return local;
    buf_format(out, "job %" PRIu32 " ", ended->id);
    job_list_add_end(&ended->seen, out);
    if (!jobs_is_open(job))
        buf_text(out, "; `gannet resume` goes on");
    else if (job->id == ended->id)
        buf_text(out, "; it goes on when the job comes back from the queue");
    else
        buf_format(out, "; job %" PRIu32 " goes on", job->id);
    return true;
}

bool job_list_lost(const struct slurm_record *record, struct buf *out)
{
    const struct slurm_submission *job = jobs_main(record, false);
    if (!job || job->seen.state != SLURM_RUNNING || !*job->seen.batch_node ||
        nodes_list_has(job->seen.nodes, sizeof job->seen.nodes, job->seen.batch_node))
        return false;
    buf_format(out, "job %" PRIu32 " has lost ", job->id);
    format_safe(job->seen.batch_node, out);
    buf_text(out, ", on which its coordinator was; within some minutes the nodes that are left see to another job");
    return true;
}

static bool explain_ended(const struct slurm_submission *job, struct buf *out)
{
    buf_format(out, "job %" PRIu32 " ", job->id);
    if (jobs_is_cancelled(job) && !*job->seen.nodes) {
        buf_text(out, "was taken out of the queue; `gannet resume` goes on");
        return true;
    }
    job_list_add_end(&job->seen, out);
    buf_format(out, ", and the search has not; gannet logs tells what it said, `gannet resume` goes on");
    return true;
}

bool job_list_explain(const struct slurm_record *record, bool lives, double now, struct buf *out)
{
    const struct slurm_submission *job = jobs_main(record, lives);
    char moment[64];
    if (record->unsure > 0 && !lives)
        buf_format(out,
                   "whether Slurm took the job that was asked for at %s is not known, since it did not answer; "
                   "`gannet resume` looks for it, and submits one when there is none",
                   show_moment(record->unsure, now, moment, sizeof moment));
    else if (record->paused && !lives && !jobs_is_cancelled(job))
        buf_text(out, "it is paused; `gannet resume` goes on");
    else if (*record->note)
        format_safe(record->note, out);
    else if (!job || (lives && !jobs_is_open(job)))
        return false;
    else if (!jobs_is_open(job))
        return explain_ended(job, out);
    else if (job->seen.state == SLURM_PENDING)
        add_wait(job, now, out);
    else if (slurm_job_is_ending(&job->seen))
        buf_format(out, "job %" PRIu32 " is ending", job->id);
    else if (lives || !job_list_lost(record, out))
        buf_format(out, "job %" PRIu32 " runs; its %s is starting", job->id, lives ? "worker" : "coordinator");
    if (job && jobs_is_open(job) && (lives || !record->paused) && !*record->note)
        add_before(record, job, out);
    return true;
}

/* --- the table --- */

/* Slurm says of a job without a limit that it ends in a year. */
static bool is_limited(const struct slurm_job *job)
{
    return slurm_state_is_end(job->state) || !(job->started > 0) || job->ends - job->started < 300 * 86400.;
}

/* When it ends, ended or is expected to start. */
static void add_when(const struct slurm_job *job, double now, struct buf *out)
{
    char moment[64];
    const char *what = slurm_state_is_end(job->state) ? "ended" : "ends";
    double when = job->ends;
    if (job->state == SLURM_PENDING) {
        what = "expected";
        when = job->started;
    }
    if (when > 0 && is_limited(job))
        buf_format(out, "%s %s", what, show_moment(when, now, moment, sizeof moment));
}

static void add_row(const struct slurm_submission *one, double now, struct text_table *table)
{
    const struct slurm_job *seen = &one->seen;
    struct buf text = {0};
    buf_format(&text, "%" PRIu32, one->id);
    if (one->count > 1)
        buf_format(&text, "_[%" PRIu32 "]", one->count);
    table_cell(table, TINT_STRONG, buf_str(&text));
    table_cell(table, TINT_NONE, roles[one->role]);
    buf_clear(&text);
    buf_text(&text, slurm_state_name(seen->state));
    if (seen->restarts)
        buf_format(&text, ", requeued %" PRIu32 " time%s", seen->restarts, seen->restarts == 1 ? "" : "s");
    table_cell(table, seen->state == SLURM_RUNNING ? TINT_BUSY : TINT_NONE, buf_str(&text));
    table_cell(table, TINT_NONE, *seen->nodes ? seen->nodes : "-");
    buf_clear(&text);
    add_when(seen, now, &text);
    table_cell(table, TINT_NONE, text.length ? buf_str(&text) : "-");
    table_cell(table, TINT_NONE, seen->state == SLURM_PENDING && *seen->reason ? seen->reason : "-");
    buf_fini(&text);
}

void job_list_draw(const struct slurm_record *record, double now, const struct look *look, struct buf *out)
{
    struct text_table *table = table_create();
    uint32_t shown = 0, left_out = 0;
    table_columns(table, "job|role|state|nodes|time|reason");
    for (uint32_t i = record->count; i-- > 0;) {
        if (!jobs_is_open(&record->items[i]))
            continue;
        if (look->live && shown == MOST_ROWS)
            left_out++;
        else {
            add_row(&record->items[i], now, table);
            shown++;
        }
    }
    if (!shown && record->count) {
        add_row(&record->items[record->count - 1], now, table);
        shown++;
    }
    if (shown) {
        buf_text(out, "\n");
        table_draw(table, look, out);
    }
    if (left_out)
        buf_format(out, "and %" PRIu32 " more; gannet status | cat shows all\n", left_out);
    table_destroy(table);
}

/* --- for programs --- */

/* Null for what is not known. */
static json_t *moment_json(double moment)
{
    return moment > 0 ? json_of_time(moment) : json_null();
}

static json_t *submission_json(const struct slurm_submission *one)
{
    const struct slurm_job *seen = &one->seen;
    bool waits = seen->state == SLURM_PENDING, ended = slurm_state_is_end(seen->state);
    const char *why = waits && one->looked > 0 ? slurm_reason_sentence(seen->reason) : NULL;
    return json_pack("{s:I, s:s, s:I, s:s, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "job",
                     (json_int_t)one->id, "role", roles[one->role], "elements", (json_int_t)one->count, "state",
                     slurm_state_name(seen->state), "reason",
                     json_of_text(waits && *seen->reason ? seen->reason : NULL), "explanation", why, "submitted",
                     moment_json(one->submitted), "expected", moment_json(waits ? seen->started : 0), "started",
                     moment_json(waits ? 0 : seen->started), "ends", moment_json(waits ? 0 : seen->ends), "nodes",
                     json_of_text(*seen->nodes ? seen->nodes : NULL), "requeues", (json_int_t)seen->restarts,
                     "exit_status", ended ? json_integer(seen->exit_status) : json_null(), "exit_signal",
                     ended ? json_integer(seen->exit_signal) : json_null(), "looked", moment_json(one->looked));
}

json_t *job_list_json(const struct slurm_record *record)
{
    if (!record->count)
        return json_null();
    json_t *jobs = json_array();
    for (uint32_t i = 0; i < record->count; i++)
        json_array_append_new(jobs, submission_json(&record->items[i]));
    return json_pack("{s:b, s:o, s:o}", "paused", (int)record->paused, "note",
                     json_of_text(*record->note ? record->note : NULL), "jobs", jobs);
}

bool job_list_end_is_of_slurm(enum slurm_state state)
{
    return state == SLURM_CANCELLED || state == SLURM_TIMEOUT || state == SLURM_PREEMPTED ||
           state == SLURM_NODE_FAILED || state == SLURM_OUT_OF_MEMORY || state == SLURM_REQUEUED;
}

/* Who cancelled it, if that is known; Slurm's accounts have it, where a site keeps some. */
static void add_cancelled(const struct slurm_job *job, struct buf *out)
{
    buf_text(out, "was cancelled");
    if (*job->by) {
        buf_text(out, " ");
        format_safe(job->by, out);
    } else {
        buf_format(out, " (`sacct -j %" PRIu32 " --format=State%%30` says by whom, where the site keeps accounts)",
                   job->array ? job->array : job->id);
    }
}

static void add_node(const struct slurm_job *job, struct buf *out)
{
    const char *node = *job->batch_node ? job->batch_node : job->nodes;
    buf_text(out, *node ? "ended because node " : "ended because its node");
    format_safe(node, out);
    buf_text(out, " failed");
}

void job_list_add_end(const struct slurm_job *job, struct buf *out)
{
    switch (job->state) {
    case SLURM_VANISHED:
        buf_text(out, "is not in Slurm's queue any more");
        break;
    case SLURM_CANCELLED:
        add_cancelled(job, out);
        break;
    case SLURM_NODE_FAILED:
        add_node(job, out);
        break;
    case SLURM_TIMEOUT:
        buf_text(out, "reached its time limit");
        break;
    case SLURM_PREEMPTED:
        buf_text(out, "was preempted: Slurm gave its nodes to a job of higher priority");
        break;
    case SLURM_OUT_OF_MEMORY:
        buf_text(out, "needed more memory than it had asked for; slurm.mem asks for more");
        break;
    case SLURM_REQUEUED:
        buf_text(out, "was put back into the queue: preempted for a job of higher priority, or requeued by hand");
        break;
    case SLURM_FAILED:
        buf_format(out, job->exit_signal ? "was ended by signal %d" : "ended with status %d",
                   job->exit_signal ? job->exit_signal : job->exit_status);
        break;
    default:
        buf_format(out, "ended: %s", slurm_state_name(job->state));
    }
}

bool job_list_read_end(const json_t *row, struct slurm_job *out)
{
    int state = slurm_state_named(json_text(row, "state"));
    const char *exit = json_text(row, "exit");
    if (state < 0 || !slurm_state_is_end((enum slurm_state)state))
        return false;
    *out = (struct slurm_job){.id = (uint32_t)json_integer_value(json_object_get(row, "job")),
                              .state = (enum slurm_state)state};
    if (strncmp(exit, "signal ", 7) == 0)
        out->exit_signal = atoi(exit + 7);
    else
        out->exit_status = atoi(exit);
    snprintf(out->nodes, sizeof out->nodes, "%s", json_text(row, "nodes"));
    snprintf(out->by, sizeof out->by, "%s", json_text(row, "reason"));
    return true;
}
