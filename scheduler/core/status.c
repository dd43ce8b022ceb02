/* How things stand: the snapshot that status lines are made of. */
#include "scheduler/core/status.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/remaining.h"
#include "scheduler/core/standstill.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Trials ended a second, over the last whole seconds (at most 60) of this session. */
static double ending_rate(const struct core *core, double now)
{
    int64_t second = (int64_t)now, age = second - (int64_t)core->started;
    int64_t window = age < 60 ? age : 60;
    uint64_t sum = 0;
    for (int64_t back = 1; back <= window; back++)
        if (second - back <= core->rate_second && core->rate_second - (second - back) < 64)
            sum += core->rate_buckets[(second - back) % 64];
    return window > 0 ? (double)sum / (double)window : 0;
}

static void copy_slot(const struct slot *slot, struct snapshot_worker *to)
{
    to->busy += slot->lease_count > 0;
    if (slot->waits && !to->waiting++)
        snprintf(to->why, sizeof to->why, "%s", slot->waits);
}

void status_copy_worker(const struct worker *worker, double now, struct snapshot_worker *to)
{
    *to = (struct snapshot_worker){.part = worker->part,
                                   .worker = worker->id,
                                   .slots = worker->slot_count,
                                   .ahead = worker->ahead,
                                   .heard = now - worker->heard,
                                   .suspect = !worker->fit,
                                   .job = worker->job};
    snprintf(to->name, sizeof to->name, "%s", worker->node);
    for (uint32_t i = 0; i < worker->slot_count; i++)
        copy_slot(worker->slots[i], to);
    snprintf(to->version, sizeof to->version, "%s", worker->version ? worker->version : "");
    snprintf(to->aside, sizeof to->aside, "%s", worker->aside ? worker->aside : "");
}

static void copy_workers(const struct core *core, double now, struct snapshot *out)
{
    out->workers = MEM_ARRAY(struct snapshot_worker, core->workers.count);
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        struct snapshot_worker *to = &out->workers[out->worker_count++];
        status_copy_worker(entry.value, now, to);
        snapshot_add_sums(out, to);
    }
}

/* A worker's clock is odd when it differs from the coordinator's by so many seconds. */
static const double odd_seconds = 10;

static bool slot_waits(const struct worker *worker)
{
    for (uint32_t i = 0; i < worker->slot_count; i++)
        if (worker->slots[i]->waits)
            return true;
    return false;
}

/* Counts a worker, and says whether there is something to say of it; of ten thousand hardly more than this is read. */
static bool count_worker(const struct worker *worker, struct snapshot *out)
{
    bool waits = slot_waits(worker), other = worker->version && strcmp(worker->version, out->version) != 0;
    out->sums.workers++;
    out->sums.suspect += !worker->fit;
    out->sums.aside += worker->aside != NULL;
    out->sums.waiting += waits;
    out->sums.other_version += other;
    return waits || other || !worker->fit || worker->aside || fabs(worker->ahead) >= odd_seconds;
}

static void copy_odd_workers(const struct core *core, double now, struct snapshot *out)
{
    enum { MOST = 20 };
    struct map_entry entry;
    out->workers = MEM_ARRAY(struct snapshot_worker, MOST);
    for (size_t at = 0; map_next(&core->workers, &at, &entry);)
        if (count_worker(entry.value, out) && out->worker_count < MOST)
            status_copy_worker(entry.value, now, &out->workers[out->worker_count++]);
}

/* Fills in all of a snapshot but the workers. */
static void snapshot_state(const struct core *core, double now, struct snapshot *out)
{
    *out = (struct snapshot){
        .state = core->state,
        .reason = core->reason,
        .max_trials = core->config.max_trials,
        .added = core->tally.added,
        .ignored = core->tally.ignored,
        .attempts_failed = core->attempts_failed,
        .late = core->late,
        .refused = core->refused,
        .slots = core->slots,
        .nodes = core->config.nodes,
        .nodes_here = core->config.nodes > 1 ? gather_count_nodes(core) : 0,
        .busy = core->busy,
        .has_best = core->tally.has_best,
        .best_trial = core->tally.best_trial,
        .best = core->tally.best,
        .held = core->held_before + now - core->started,
        .rate = ending_rate(core, now),
        .early_stop = core->config.early_stop != NULL,
        .steps = core->steps,
        .stepped = core->stepped,
        .max_steps = core->config.early_stop ? core->config.early_stop->max_steps(core->config.early_stop->context) : 0,
        .uncommitted = core->events - core->committed,
    };
    snprintf(out->version, sizeof out->version, "%s", GANNET_VERSION);
    for (int state = 0; state < TRIAL_STATES; state++)
        out->trials[state] = state < TRIAL_COMPLETED ? core->live[state] : core->tally.ended[state];
    memcpy(out->no_slots, core->no_slots, sizeof out->no_slots);
    out->left = remaining_guess(core, now, out->rate);
    walltime_snapshot(core, now, out);
    standstill_snapshot(core, out);
}

void core_snapshot(const struct core *core, double now, struct snapshot *out)
{
    snapshot_state(core, now, out);
    copy_workers(core, now, out);
}

void core_snapshot_short(const struct core *core, double now, struct snapshot *out)
{
    snapshot_state(core, now, out);
    copy_odd_workers(core, now, out);
}

double core_silence(const struct core *core, double now, const struct worker_sign *sign)
{
    struct map_entry entry;
    double least = INFINITY;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        if (workers_has_sign(worker, sign))
            least = fmin(least, now - worker->heard);
    }
    return isinf(least) ? -1 : fmax(least, 0);
}
