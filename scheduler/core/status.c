/* How things stand: the snapshot that status lines are made of. */
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/snapshot.h"
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

static double guess_seconds_left(const struct core *core, const struct snapshot *out)
{
    uint64_t done = trial_states_ended(core->tally.ended) - core->tally.added;
    double guess = -1;
    if (core->config.max_trials && out->rate > 0)
        guess = (double)(core->config.max_trials - (done < core->config.max_trials ? done : core->config.max_trials)) /
                out->rate;
    double time = core->config.time - out->held;
    if (core->config.time > 0 && (guess < 0 || time < guess))
        guess = time > 0 ? time : 0;
    return guess;
}

static void copy_slot(const struct slot *slot, struct snapshot_worker *to)
{
    to->busy += slot->lease_count > 0;
    if (slot->waits && !to->waiting++)
        snprintf(to->why, sizeof to->why, "%s", slot->waits);
}

static void copy_workers(const struct core *core, double now, struct snapshot *out)
{
    out->workers = MEM_ARRAY(struct snapshot_worker, core->workers.count);
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        struct snapshot_worker *to = &out->workers[out->worker_count++];
        snprintf(to->name, sizeof to->name, "%s", worker->node);
        to->part = worker->part;
        to->worker = worker->id;
        to->slots = worker->slot_count;
        for (uint32_t i = 0; i < worker->slot_count; i++)
            copy_slot(worker->slots[i], to);
        snprintf(to->version, sizeof to->version, "%s", worker->version ? worker->version : "");
        to->ahead = worker->ahead;
        to->heard = now - worker->heard;
        to->suspect = !worker->fit;
        snprintf(to->aside, sizeof to->aside, "%s", worker->aside ? worker->aside : "");
        to->job = worker->job;
    }
}

void core_snapshot(const struct core *core, double now, struct snapshot *out)
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
    memcpy(out->unfit, core->unfit, sizeof out->unfit);
    out->left = guess_seconds_left(core, out);
    walltime_snapshot(core, now, out);
    standstill_snapshot(core, out);
    copy_workers(core, now, out);
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
