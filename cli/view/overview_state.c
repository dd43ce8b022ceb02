/* Which state an experiment is in, and why nothing runs; see overview.h. */
#include "cli/view/notes.h"
#include "cli/view/overview.h"
#include "cli/data/jobs.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/view/job_list.h"
#include "cli/view/odd_workers.h"
#include "cli/view/progress.h"
#include "common/units.h"

#include <inttypes.h>
#include <string.h>

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

void overview_add_worker(const struct snapshot_worker *worker, struct buf *out)
{
    format_safe(worker->name, out);
    if (worker->part)
        buf_format(out, ":%" PRIu32, worker->part);
}

void overview_explain_aside(const struct snapshot_worker *worker, struct buf *out)
{
    buf_text(out, "a worker on ");
    overview_add_worker(worker, out);
    buf_text(out, " was set aside: ");
    format_safe(worker->aside, out);
}

void overview_explain_wait(const struct snapshot_worker *worker, struct buf *out)
{
    buf_format(out, "%" PRIu32 " of %" PRIu32 " slots of ", worker->waiting, worker->slots);
    overview_add_worker(worker, out);
    buf_text(out, worker->waiting == 1 ? " waits: " : " wait: ");
    format_safe(worker->why, out);
}

static bool explain_workers(const struct snapshot *snapshot, struct buf *out)
{
    const struct snapshot_sums *sums = &snapshot->sums;
    uint32_t waiting = 0;
    char heard[32];
    for (uint32_t i = 0; i < snapshot->worker_count; i++)
        waiting = snapshot->workers[i].waiting ? i + 1 : waiting;
    if (!sums->workers && *snapshot->no_slots) {
        buf_text(out, "no worker could run a trial; the last was on ");
        format_safe(snapshot->no_slots, out);
    } else if (!sums->workers)
        buf_text(out, "no worker is connected");
    else if (sums->aside == sums->workers && snapshot->worker_count)
        overview_explain_aside(&snapshot->workers[0], out);
    else if (sums->suspect == sums->workers && snapshot->worker_count)
        buf_format(out, "no worker has been heard of for %s",
                   units_show_duration(snapshot->workers[0].heard, heard, sizeof heard));
    else if (!snapshot->slots)
        buf_text(out, "the workers offer no slot: a trial wants more than they have");
    else if (waiting)
        overview_explain_wait(&snapshot->workers[waiting - 1], out);
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
    for (int i = 0; overview->lives && i < 3; i++) {
        buf_clear(&odd);
        bool any = i == 0   ? odd_workers_add(&overview->snapshot, &odd)
                   : i == 1 ? odd_workers_add_strangers(&overview->snapshot, &odd)
                            : notes_add_cost(overview->experiment, &odd);
        if (any)
            buf_format(out, "%s%s", explained ? "; " : "", buf_str(&odd));
        explained |= any;
    }
    buf_fini(&odd);
    return explained;
}

bool overview_is_over(const struct overview *overview)
{
    return !overview->lives && strcmp(overview_state(overview), experiment_state_name(EXPERIMENT_ENDED)) == 0;
}

const char *overview_standing(const struct overview *overview)
{
    switch (overview->snapshot.reason) {
    case REASON_NONE:
    case REASON_MAX_TRIALS:
    case REASON_NO_MORE:
    case REASON_TARGET:
    case REASON_TIME:
        return overview_state(overview);
    default:
        return overview_is_over(overview) ? reason_name(overview->snapshot.reason) : overview_state(overview);
    }
}

bool overview_is_paused(const struct overview *overview)
{
    const struct snapshot *snapshot = &overview->snapshot;
    return !overview->jobs && !overview->lives && !overview->waits && snapshot->state == EXPERIMENT_ENDED &&
           snapshot->reason == REASON_PAUSED;
}

const char *overview_state(const struct overview *overview)
{
    const char *of_jobs = overview->jobs ? jobs_state(overview->jobs) : NULL;
    bool goes_on = of_jobs && !has_ended(overview);
    if (overview->waits)
        return "starting";
    if (overview_is_paused(overview))
        return "paused";
    if (overview->lives || overview->hidden || (overview->snapshot.state == EXPERIMENT_ENDED && !goes_on))
        return experiment_state_name(overview->snapshot.state);
    if (overview_is_own_loop(overview))
        return "open";
    if (goes_on)
        return of_jobs;
    return was_started(overview) ? "interrupted" : "not started";
}
