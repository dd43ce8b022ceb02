/* A trial's life: trial_update changes its state by an event; act.c does what follows once that event is on disk.
 *
 *     (none) --PROPOSED--> waiting --LEASED--> running --TRIAL_ENDED--> completed | stopped | failed | cancelled
 *                             ^---RETURNED, RETRIED---'|
 *                             '--RESUMED--- paused <---PAUSED
 *     (none) --ADDED--> completed
 */
#include "scheduler/core/trial.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/grow.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/queue.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/walltime.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct trial *trial_find(const struct core *core, uint64_t number)
{
    return map_get(&core->trials, number);
}

struct trial *trial_add(struct core *core, uint64_t number, const char *params)
{
    struct trial *trial = pool_take(&core->spare_trials, sizeof *trial);
    trial->number = number;
    trial->params = mem_text(params);
    trial->highest = -1;
    trial->waits_since = core->now;
    map_put(&core->trials, number, trial);
    core->live[trial->state]++;
    return trial;
}

static const struct memory_run *find_run(const struct trial *trial, uint32_t attempt, uint64_t worker)
{
    for (size_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].attempt == attempt && trial->runs[i].worker == worker)
            return &trial->runs[i];
    return NULL;
}

bool trial_was_given(const struct trial *trial, uint32_t attempt, uint64_t worker)
{
    const struct memory_run *run = find_run(trial, attempt, worker);
    return run && !run->node;
}

uint32_t trial_part(const struct trial *trial, uint32_t attempt, uint64_t worker)
{
    const struct memory_run *run = find_run(trial, attempt, worker);
    return run ? run->node : 0;
}

bool trial_had_parts(const struct trial *trial, uint32_t attempt)
{
    for (size_t i = 0; i < trial->run_count; i++)
        if (trial->runs[i].attempt == attempt && trial->runs[i].node)
            return true;
    return false;
}

void trial_give(struct trial *trial, uint32_t attempt, uint64_t worker, uint32_t node)
{
    if (find_run(trial, attempt, worker))
        return;
    const struct memory_run run = {attempt, worker, node};
    if (!trial->run_count++) { /* most trials have no further one */
        trial->first_run = run;
        trial->runs = &trial->first_run;
        return;
    }
    struct memory_run *runs = trial->run_capacity ? trial->runs : NULL;
    MEM_GROW(runs, trial->run_capacity, trial->run_count);
    if (trial->runs == &trial->first_run)
        runs[0] = trial->first_run;
    trial->runs = runs;
    runs[trial->run_count - 1] = run;
}

void trial_free(struct core *core, struct trial *trial)
{
    seen_forget(trial);
    list_remove(&trial->lost);
    list_remove(&trial->delayed);
    list_remove(&trial->node_fault.link);
    free(trial->stop);
    free(trial->hosts);
    free(trial->values);
    if (trial->runs != &trial->first_run)
        free(trial->runs);
    free(trial->configuration);
    free(trial->params);
    pool_give(&core->spare_trials, trial);
}

/* Takes it out of all that its state put it into. */
static void leave_state(struct core *core, struct trial *trial)
{
    assert(!trial_state_is_end(trial->state));
    core->live[trial->state]--;
    queue_remove(trial);
    list_remove(&trial->delayed);
    core->returning -= trial->returning;
    trial->returning = false;
}

static void set_state(struct core *core, struct trial *trial, const struct event *event)
{
    switch (event->kind) {
    case EVENT_PROPOSED:
    case EVENT_RETURNED:
    case EVENT_RETRIED:
        trial->state = TRIAL_WAITING;
        trial->lease = NULL;
        trial->waits_since = core->now;
        break;
    case EVENT_RESUMED:
        trial->state = TRIAL_WAITING;
        trial->waits_since = core->now;
        trial->held = false;
        trial->returning = true;
        core->returning++;
        break;
    case EVENT_PAUSED:
        trial->state = TRIAL_PAUSED;
        trial->lease = NULL;
        trial->reached = event->paused.step;
        break;
    case EVENT_LEASED:
        trial->state = TRIAL_RUNNING;
        trial->said = trial->begun = trial->further = false;
        trial->samples = 0;
        if (event->attempt > trial->attempts)
            trial->attempts = event->attempt;
        break;
    case EVENT_TRIAL_ENDED:
        trial->state = ending_state(event->end.ending);
        trial->lease = NULL;
        trial->ending = event->end.ending;
        node_fault_forget(core, trial);
        trial->seconds = event->end.seconds;
        trial->energy = event->end.energy;
        trial->step = event->end.step;
        break;
    case EVENT_ADDED:
        trial->state = ending_state(event->added.end.ending);
        trial->ending = event->added.end.ending;
        break;
    default:
        assert(false && "this event changes no trial");
    }
}

void trial_update(struct core *core, struct trial *trial, const struct event *event)
{
    leave_state(core, trial);
    set_state(core, trial, event);
    core->live[trial->state]++;
    trial->event = event->number;
    outbox_act_later(core, event->number, trial->number);
}

/* One more for the rate at which trials end. */
static void count_end(struct core *core)
{
    int64_t second = (int64_t)core->now;
    for (; core->rate_second < second; core->rate_second++)
        core->rate_buckets[(core->rate_second + 1) % 64] = 0;
    core->rate_buckets[second % 64]++;
}

void trial_keep_values(const struct core *core, struct trial *trial, const double *values)
{
    size_t bytes = core->config.metrics.count * sizeof *values;
    trial->values = memcpy(mem_resize(NULL, 1, bytes), values, bytes);
}

/* A program goes on for some steps until it hears that it is stopped, and what fails had begun. */
static void count_steps(struct core *core, const struct trial *trial, struct event_end *end)
{
    end->advance = end->step > trial->decided ? end->step - trial->decided : 0;
    core->steps = event_add_steps(core->steps, end->advance);
    core->stepped += end->advance && !trial->decided;
}

/* Joules of the attempts that count and of this run; 0 when those of either are not known. */
static double add_energy(const struct trial *trial, const struct outcome *outcome)
{
    bool is_known = (trial->energy > 0 || !(trial->spent > 0)) && (outcome->energy > 0 || !(outcome->seconds > 0));
    return is_known ? trial->energy + outcome->energy : 0;
}

void trial_spend(struct trial *trial, const struct outcome *outcome)
{
    trial->energy = add_energy(trial, outcome);
    trial->spent += outcome->seconds;
}

void trial_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome)
{
    const struct early_stop *early_stop = core->config.early_stop;
    struct event event = {.kind = EVENT_TRIAL_ENDED, .trial = trial->number};
    event.end = (struct event_end){.ending = ending,
                                   .detail = outcome->detail,
                                   .seconds = trial->spent + outcome->seconds,
                                   .energy = add_energy(trial, outcome),
                                   .step = seen_step(trial),
                                   .told = ++core->tells,
                                   .watched = early_stop != NULL};
    if (outcome->values) {
        trial_keep_values(core, trial, outcome->values);
        event_set_values(&event.end, &core->config.metrics, outcome->values);
    }
    if (early_stop) {
        count_steps(core, trial, &event.end);
        early_stop->ended(early_stop->context, trial->number, ending);
        event.end.max_steps = early_stop->max_steps(early_stop->context);
    }
    trial_update(core, trial, outbox_event(core, &event));
    streak_note(&core->streak, &core->tally, ending, outcome->detail, outcome->tail);
    tally_add(&core->tally, core->config.metrics.items[0].maximize, trial->number, &event.end);
    count_end(core);
    if (!trial->guilty)
        core->suspects.convicted = 0;
    core->progressed = true;
}

void trial_pause(struct core *core, struct trial *trial, const struct outcome *outcome)
{
    uint64_t came_to = seen_step(trial);
    trial_spend(trial, outcome);
    suspect_acquit(trial);
    struct event_paused paused = {
        .step = came_to > trial->reached ? came_to : trial->reached, .seconds = trial->spent, .energy = trial->energy};
    struct event event = {.kind = EVENT_PAUSED, .trial = trial->number, .paused = paused};
    trial_update(core, trial, outbox_event(core, &event));
}

/* What lacked memory or time: another attempt is worth a retry only with more of it. */
static bool use_more(const struct core *core, struct trial *trial, enum ending ending, struct outcome *outcome,
                     char *why, size_t size)
{
    if (!grow_is_wanted(core, ending) || ++trial->failures > core->config.retries)
        return false;
    if (grow_give(core, trial, ending, outcome->detail, why, size))
        return true;
    outcome->detail = why;
    return false;
}

/* Whether the trial is to be tried again, now or in a later session; uses up what that costs. May leave another
 * sentence for its end in `why`. */
static bool use_retry(const struct core *core, struct trial *trial, enum ending ending, struct outcome *outcome,
                      char *why, size_t size)
{
    if (trial->cancel)
        return false;
    switch (ending_retry(ending)) {
    case RETRY_COUNTED:
        return ++trial->failures <= core->config.retries;
    case RETRY_MORE:
        return use_more(core, trial, ending, outcome, why, size);
    case RETRY_FREE:
        return !trial->guilty;
    case RETRY_LATER:
        return true;
    default:
        /* Cancelled, but not by a person's wish to drop the trial: the run was cut short to be gone on with later. */
        return ending == ENDING_CANCELLED && reason_goes_on(core->reason);
    }
}

/* Early stopping had stopped it before its attempt failed: nothing is to be tried again. */
static bool end_stopped(struct core *core, struct trial *trial, const struct outcome *outcome)
{
    if (!trial->stop || !seen_values(&core->config.metrics, trial->seen, core->values))
        return false;
    struct outcome stopped = {
        .detail = trial->stop, .values = core->values, .seconds = outcome->seconds, .energy = outcome->energy};
    trial_end(core, trial, ENDING_STOPPED_EARLY, &stopped);
    return true;
}

void trial_retry_or_end(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome)
{
    char why[400];
    struct outcome end = *outcome;
    bool elsewhere = node_fault_failure(core, trial, ending, outcome, why, sizeof why);
    if (!elsewhere && !use_retry(core, trial, ending, &end, why, sizeof why)) {
        if (trial->guilty && !trial->cancel)
            end.detail = suspect_convict(core, trial, ending, why, sizeof why);
        trial_end(core, trial, trial->cancel ? ENDING_CANCELLED : ending, &end);
        return;
    }
    if (end_stopped(core, trial, outcome))
        return;
    bool failed = ending != ENDING_CANCELLED && ending_retry(ending) != RETRY_LATER;
    core->attempts_failed += failed;
    if (!failed || ending == ENDING_TIMED_OUT)
        walltime_cut(trial, outcome->seconds);
    if (elsewhere || ending_uses_retry(ending) || ending == ENDING_REQUEUED)
        suspect_acquit(trial);
    struct event_retried retried = {.ending = elsewhere ? ENDING_NODE_FAILED : ending,
                                    .detail = elsewhere ? why : outcome->detail,
                                    .losses = trial->losses,
                                    .alone = suspect_is(trial),
                                    .memory = trial->memory,
                                    .time = trial->time};
    struct event event = {.kind = EVENT_RETRIED, .trial = trial->number, .retried = retried};
    trial_update(core, trial, outbox_event(core, &event));
    if (trial->held)
        trial_pause(core, trial, &(struct outcome){0}); /* nothing of a run that failed counts */
}
