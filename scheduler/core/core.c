/* The core as a whole: made, driven, destroyed. The map of its parts is parts.h. */
#include "scheduler/core/core.h"
#include "common/mem.h"
#include "scheduler/core/parts.h"

#include <math.h>
#include <stdlib.h>

/* How often core_tick looks after workers and limits; the finest of them (heartbeats) are seconds. */
#define TICK_SECONDS 0.5

void core_config_defaults(struct core_config *config)
{
    *config = (struct core_config){
        .grace = 60,
        .retries = 1,
        .loss_limit = 5,
        .ready_limit = 4096,
        .heartbeat = 2,
        .suspect = 10,
        .lost = 60,
        .warn = 60,
        .restart_patience = 30,
    };
}

struct core *core_create(const struct core_config *config, const struct memory *memory, double now)
{
    struct core *core = MEM_NEW(struct core);
    core->config = *config;
    core->values = MEM_ARRAY(double, config->metrics.count);
    core->now = core->started = core->held_written = core->ticked = now;
    core->rate_second = (int64_t)now;
    core->run_seconds = -1;
    core->deadline = INFINITY;
    core->forecast = forecast_create();
    ring_init(&core->outputs, sizeof(struct output));
    ring_init(&core->settles, sizeof(struct settle));
    ring_init(&core->debts, sizeof(struct debt));
    fitqueue_init(&core->queue, &core->counters.visits);
    list_init(&core->predicted);
    place_init(core);
    list_init(&core->mail);
    outbox_event(core, &(struct event){.kind = EVENT_EXPERIMENT, .experiment = {.held = memory->held}});
    restart_recall(core, memory);
    core_settle(core);
    return core;
}

void core_destroy(struct core *core)
{
    if (!core)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->leases, &at, &entry);)
        free(entry.value);
    for (size_t at = 0; map_next(&core->trials, &at, &entry);)
        trial_free(entry.value);
    for (size_t at = 0; map_next(&core->workers, &at, &entry); at--) /* another one may have moved there */
        workers_free(core, entry.value);
    map_fini(&core->leases);
    map_fini(&core->trials);
    map_fini(&core->workers);
    map_fini(&core->jobs);
    map_fini(&core->peers);
    outbox_fini(core);
    forecast_destroy(core->forecast);
    free(core->values);
    free(core);
}

/* Acknowledges what is on disk. */
static void pay_debts(struct core *core)
{
    struct debt *debt;
    while ((debt = ring_front(&core->debts)) && debt->event <= core->committed) {
        struct worker *worker = workers_find(core, debt->worker);
        if (worker && worker->peer)
            dispatch_ack(core, worker, debt->ack);
        ring_pop(&core->debts);
    }
}

/* Acts on the trials whose changes are on disk. */
static void act_on_settled(struct core *core)
{
    struct settle *settle;
    while ((settle = ring_front(&core->settles)) && settle->event <= core->committed) {
        core->counters.acts++;
        struct trial *trial = trial_find(core, settle->trial);
        bool latest = trial && trial->event == settle->event; /* else a later one acts, in its turn */
        if (settle->values)
            outbox_observe(core, settle);
        ring_pop(&core->settles);
        if (latest)
            trial_act(core, trial);
    }
}

/* Predictions that one input renews, 0.3 to 1 us each by the number of parameters: at most twice 16 us of a message, 4
 * ms of a tick. */
enum { RENEWED_BY_INPUT = 16, RENEWED_BY_TICK = 4096 };

void core_settle(struct core *core)
{
    core->counters.inputs++;
    pay_debts(core);
    act_on_settled(core);
    pause_move(core);
    queue_renew_some(core, RENEWED_BY_INPUT);
    place_all(core);
    limits_check(core);
    proposals_ask(core);
    dispatch_flush(core);
}

void core_message(struct core *core, double now, uint64_t peer, const struct msg *msg)
{
    core->now = now;
    dispatch_message(core, peer, msg);
    core_settle(core);
}

void core_committed(struct core *core, double now, uint64_t number)
{
    core->now = now;
    if (number > core->committed && number <= core->events)
        core->committed = number;
    core_settle(core);
}

void core_tick(struct core *core, double now)
{
    core->now = core->ticked = now;
    workers_tick(core);
    walltime_tick(core);
    queue_renew_some(core, RENEWED_BY_TICK);
    core_settle(core);
}

const struct core_counters *core_counters(const struct core *core)
{
    return &core->counters;
}

bool core_is_deserted(const struct core *core)
{
    return core->fit == 0;
}

double core_wake(const struct core *core)
{
    return core->over ? INFINITY : core->ticked + TICK_SECONDS;
}
