/* What is put up with from workers; see conduct.h. */
#include "scheduler/core/conduct.h"
#include "common/hash.h"
#include "common/mem.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/seen.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

#include <stdlib.h>

/* For what it says itself. */
static void set_aside_for(struct core *core, struct worker *worker, const char *why)
{
    char *sentence =
        mem_format("%s; look at its log, end it and start it again with the coordinator's version of gannet", why);
    conduct_set_aside(core, worker, sentence);
    free(sentence);
}

/* --- messages --- */

/* The sentence for a message that is refused; its worker, if it is one, is set aside. */
static void refuse_message(struct core *core, uint64_t peer, const char *why)
{
    struct worker *worker = map_get(&core->peers, peer);
    core->refused++;
    if (!worker)
        dispatch_refuse(core, peer, why);
    else if (!worker->aside)
        set_aside_for(core, worker, why);
}

/* How many samples of one run the message speaks of, at most. */
static uint64_t count_samples(const struct msg *msg)
{
    uint64_t most = 0;
    for (uint32_t i = 0; msg->kind == MSG_SAMPLES && i < msg->samples.batches_count; i++) {
        const struct msg_batch *batch = &msg->samples.batches[i];
        uint64_t count = (uint64_t)batch->first + batch->samples_count;
        most = count > most ? count : most;
    }
    for (uint32_t i = 0; msg->kind == MSG_RESULTS && i < msg->results.results_count; i++) {
        const struct msg_result *result = &msg->results.results[i];
        uint64_t count = (uint64_t)result->first + result->samples_count;
        most = count > most ? count : most;
    }
    return most;
}

bool conduct_allows(struct core *core, uint64_t peer, const struct msg *msg)
{
    struct err err;
    char *why = NULL;
    uint64_t samples = count_samples(msg), most = metrics_most_samples(core->config.metrics.count);
    if (msg_check(msg, &err))
        why = mem_format("its %s makes no sense: %s", msg_kind_name(msg->kind), err.text);
    else if (samples > most)
        why = mem_format("it reports %llu samples of a run; a worker leaves out what is beyond %llu",
                         (unsigned long long)samples, (unsigned long long)most);
    if (why)
        refuse_message(core, peer, why);
    bool allows = !why;
    free(why);
    return allows;
}

/* --- HELLO again and again --- */

/* Whether so many may have come since then. */
static bool has_room(const struct core *core, uint32_t count, double since, uint32_t most)
{
    return count < most + (core->now - since);
}

/* Why no other worker of this node is taken; NULL: one is. */
static const char *refuse_newcomer(const struct core *core, const char *node)
{
    const struct newcomers *newcomers = map_get(&core->conduct.newcomers, hash_text(node));
    if (newcomers && !has_room(core, newcomers->count, newcomers->since, CONDUCT_MOST_NEWCOMERS))
        return "workers of this node come again and again under new numbers, and bring nothing to an end";
    if (!has_room(core, core->conduct.newcomer_count, core->started, CONDUCT_MOST_WORKERS))
        return "workers come again and again under new numbers, and bring nothing to an end";
    return NULL;
}

void conduct_arrived(struct core *core, struct worker *worker, const char *node)
{
    uint64_t key = hash_text(node);
    struct newcomers *newcomers = map_get(&core->conduct.newcomers, key);
    if (!newcomers) {
        newcomers = MEM_NEW(struct newcomers);
        newcomers->since = core->now;
        map_put(&core->conduct.newcomers, key, newcomers);
    }
    newcomers->count++;
    core->conduct.newcomer_count++;
    worker->is_newcomer = true;
    worker->home = key;
}

/* It brought a run to an end. */
static void settle_newcomer(struct core *core, struct worker *worker)
{
    struct newcomers *newcomers = worker->is_newcomer ? map_get(&core->conduct.newcomers, worker->home) : NULL;
    if (!newcomers)
        return;
    newcomers->count--;
    core->conduct.newcomer_count--;
    worker->is_newcomer = false;
    if (!newcomers->count) {
        map_remove(&core->conduct.newcomers, worker->home);
        free(newcomers);
    }
}

bool conduct_greeting(struct core *core, uint64_t peer, const struct msg_hello *hello)
{
    struct worker *worker = workers_find(core, hello->worker), *other = map_get(&core->peers, peer);
    const struct worker *aside = worker && worker->aside ? worker : other && other->aside ? other : NULL;
    const char *why = aside ? aside->aside : NULL;
    if (!worker && core->state != EXPERIMENT_RUNNING)
        why = "the experiment is ending";
    else if (!worker && core->workers.count >= CONDUCT_MOST_WORKERS)
        why = "there are too many workers";
    else if (!worker && !why)
        why = refuse_newcomer(core, hello->node);
    if (!worker && !why)
        why = node_health_refuses(core, hello->node);
    core->refused += why != NULL;
    if (why)
        dispatch_refuse(core, peer, why);
    return !why;
}

bool conduct_greeted(struct core *core, struct worker *worker)
{
    if (++worker->greetings <= CONDUCT_MOST_GREETINGS + (core->now - worker->came))
        return true;
    set_aside_for(core, worker, "it says HELLO again and again");
    return false;
}

/* --- round in circles --- */

void conduct_returned(struct worker *worker, const struct lease *lease)
{
    worker->fruitless += !lease->stopping;
}

/* Whether a run that paused was to do so: it came to the step that it was given for. */
static bool may_pause(struct core *core, const struct trial *trial, const struct msg_result *result)
{
    const struct early_stop *early_stop = core->config.early_stop;
    uint64_t until = early_stop ? early_stop->until(early_stop->context, trial->number) : 0;
    uint64_t last = result->samples_count ? (uint64_t)result->samples[result->samples_count - 1].step : 0;
    return until && (last >= until || seen_step(trial) >= until);
}

void conduct_result(struct core *core, struct worker *worker, const struct msg_result *result)
{
    const struct lease *lease = lease_find(core, worker->id, result->trial, result->attempt);
    const struct trial *trial = lease ? lease_trial(core, lease) : NULL;
    if (!trial || lease->stopping || result->ending >= ENDINGS_COUNT)
        return;
    bool paused = result->ending == ENDING_PAUSED;
    bool cut = paused ? !may_pause(core, trial, result) : ending_retry((enum ending)result->ending) == RETRY_LATER;
    worker->fruitless = cut ? worker->fruitless + 1 : 0;
    if (!cut)
        settle_newcomer(core, worker);
}

void conduct_judge(struct core *core, struct worker *worker)
{
    if (worker->fruitless > CONDUCT_MOST_FRUITLESS && !worker->aside)
        set_aside_for(core, worker,
                      "it gives back what it is to run, or cuts it off, over and over, and brings nothing to an end");
}

void conduct_set_aside(struct core *core, struct worker *worker, const char *why)
{
    char *detail = mem_format(EVENT_ASIDE "%s", why);
    core->conduct.aside++;
    worker->aside = mem_text(why);
    worker->leases.leases.leases_count = 0;
    if (worker->peer)
        dispatch_refuse(core, worker->peer, detail);
    workers_give_up(core, worker, ENDING_LOST, detail);
    workers_trim(core, worker, 0);
    free(detail);
}

/* --- what is remembered of those that went --- */

void conduct_remember(struct core *core, const struct worker *worker)
{
    core->conduct.departed[core->conduct.departures++ % CONDUCT_DEPARTED] =
        (struct departed){worker->id, worker->last_peer, worker->greetings, worker->fruitless, worker->came};
}

void conduct_recall(struct core *core, struct worker *worker, uint64_t peer)
{
    const struct worker *other = map_get(&core->peers, peer);
    for (size_t i = 0; i < CONDUCT_DEPARTED; i++) {
        const struct departed *before = &core->conduct.departed[i];
        if (before->worker && (before->worker == worker->id || before->peer == peer) &&
            before->greetings >= worker->greetings) {
            worker->greetings = before->greetings;
            worker->fruitless = before->fruitless;
            worker->came = before->came;
        }
    }
    if (other && other->greetings > worker->greetings) {
        worker->greetings = other->greetings;
        worker->came = other->came;
    }
}

void conduct_fini(struct conduct *conduct)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&conduct->newcomers, &at, &entry);)
        free(entry.value);
    map_fini(&conduct->newcomers);
}
