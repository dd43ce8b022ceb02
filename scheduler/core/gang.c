/* Trials that run on several nodes; see gang.h. The parts of an attempt begin and end together:
 *
 *     PART_LEASED ..., LEASED     one commit; then each worker is sent its own part
 *     a part is given back        before node 0 has reported: so is the attempt; else the machine is at fault
 *     a part completes            its slot is free, the others go on
 *     a part ends otherwise       node 0 is stopped, and once it has ended the run ends with that part's reason
 *     a part's worker is lost     likewise, as lost
 *     node 0 completes or pauses  that is the trial's result at once; the others have trial.grace to end, then are
 *                                 stopped; each slot stays taken until its worker says that the part has ended
 *     node 0 ends otherwise       the others are stopped
 *     an order to stop            goes to all of them
 *
 * A result of node 0 that is a success stands, whatever the others said before it. */
#include "scheduler/core/gang.h"
#include "common/buf.h"
#include "common/mem.h"
#include "common/run_counters.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/dispatch.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/outbox.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gang_init(struct lease *lease)
{
    lease->gang.nodes = 1;
    list_init(&lease->gang.parts);
}

static struct lease *next_part(const struct list_link *link)
{
    return LIST_ITEM(link, struct lease, gang.link);
}

static void leave_first(struct lease *part)
{
    list_remove(&part->gang.link);
    part->gang.first = NULL;
}

void gang_forget(struct lease *lease)
{
    free(lease->gang.meeting);
    free(lease->gang.why);
    free(lease->gang.tail);
    free(lease->gang.where);
}

void gang_fini(struct lease *lease)
{
    struct list_link *link;
    while ((link = list_first(&lease->gang.parts)))
        leave_first(next_part(link));
    leave_first(lease);
    gang_forget(lease);
}

uint32_t gang_nodes(const struct core *core)
{
    return core->config.nodes > 1 ? core->config.nodes : 1;
}

/* Slots of attempts that don't count any more are taken, too. */
bool gang_is_full(const struct core *core)
{
    uint64_t most = core->config.max_concurrent, nodes = gang_nodes(core);
    return most && (core->live[TRIAL_RUNNING] >= most || core->busy + nodes > most * nodes);
}

struct lease *gang_first(struct lease *lease)
{
    return lease->gang.node ? lease->gang.first : lease;
}

/* --- it begins --- */

static struct lease *add_part(struct core *core, struct lease *first, struct slot *slot, uint32_t node)
{
    struct lease *part = lease_add(core, slot, first->trial, first->attempt);
    part->gang.node = node;
    part->gang.nodes = first->gang.nodes;
    part->gang.first = first;
    list_append(&first->gang.parts, &part->gang.link);
    return part;
}

static void write_part(struct core *core, enum event_kind kind, const struct lease *part, struct event_part said)
{
    said.node = part->gang.node;
    said.slot = part->slot->index;
    outbox_event(
        core,
        &(struct event){
            .kind = kind, .trial = part->trial, .attempt = part->attempt, .worker = part->worker->id, .part = said});
}

static void write_granted(struct core *core, uint64_t trial, uint32_t attempt, const struct slot *slot, uint32_t node)
{
    outbox_event(core, &(struct event){.kind = EVENT_PART_LEASED,
                                       .trial = trial,
                                       .attempt = attempt,
                                       .worker = slot->worker->id,
                                       .part = {.node = node, .slot = slot->index}});
}

/* "a,b,c" of the nodes that the slots are on; a worker that says a name with a comma says its own alone. */
static char *name_hosts(struct slot *const *slots, uint32_t nodes)
{
    struct buf hosts = {0};
    for (uint32_t i = 0; i < nodes; i++) {
        const char *name = slots[i]->worker->node;
        buf_format(&hosts, "%s%.*s", i ? "," : "", (int)strcspn(name, ","), name);
    }
    return buf_take(&hosts);
}

/* The parts are written first: whoever reads the lease on node 0 reads them too. */
void gang_grant(struct core *core, struct trial *trial, struct slot *const *slots, uint32_t nodes)
{
    uint32_t attempt = trial->attempts + 1;
    for (uint32_t i = 1; i < nodes; i++)
        write_granted(core, trial->number, attempt, slots[i], i);
    struct lease *first = lease_grant(core, trial, slots[0], attempt);
    first->gang.nodes = nodes;
    first->gang.port = slots[0]->port;
    first->gang.meeting = nodes > 1 ? mem_text(slots[0]->meeting) : NULL;
    for (uint32_t i = 1; i < nodes; i++) {
        add_part(core, first, slots[i], i);
        trial_give(trial, attempt, slots[i]->worker->id, i);
    }
    free(trial->hosts);
    trial->hosts = nodes > 1 ? name_hosts(slots, nodes) : NULL;
}

/* The first of them that has not been sent; NULL: all have. */
static struct lease *find_unsent(struct lease *first)
{
    if (!first->sent)
        return first;
    for (struct list_link *link = first->gang.parts.after; link != &first->gang.parts; link = link->after)
        if (!next_part(link)->sent)
            return next_part(link);
    return NULL;
}

void gang_act(struct core *core, struct trial *trial)
{
    struct lease *first = trial->lease, *unsent = find_unsent(first);
    if (!unsent)
        return;
    if (core->state != EXPERIMENT_RUNNING) {
        lease_return(core, unsent);
        return;
    }
    if (!first->sent)
        dispatch_lease(core, first, trial);
    for (struct list_link *link = first->gang.parts.after; link != &first->gang.parts; link = link->after)
        if (!next_part(link)->sent)
            dispatch_lease(core, next_part(link), trial);
}

/* --- it ends --- */

static void stop_one(struct core *core, struct lease *lease, enum ending ending)
{
    if (!lease->stopping)
        dispatch_stop(core, lease->worker, lease->trial, lease->attempt, ending);
    lease->stopping = true;
    lease->stop_with = ending;
}

void gang_stop(struct core *core, struct lease *first, enum ending ending)
{
    for (struct list_link *link = first->gang.parts.after, *next; link != &first->gang.parts; link = next) {
        struct lease *part = next_part(link);
        next = link->after;
        if (part->sent) {
            stop_one(core, part, ending);
            continue;
        }
        write_part(core, EVENT_PART_ENDED, part, (struct event_part){.ending = ending, .given_up = true});
        lease_free(core, part);
    }
    stop_one(core, first, ending);
}

/* It does not count any more. */
static void drop_one(struct core *core, struct lease *lease, const struct lease *except)
{
    if (lease->gang.node)
        leave_first(lease);
    if (lease == except)
        return;
    if (lease->sent)
        stop_one(core, lease, ENDING_CANCELLED);
    else
        lease_free(core, lease);
}

void gang_dissolve(struct core *core, struct lease *first, const struct lease *except)
{
    struct list_link *link;
    while ((link = list_first(&first->gang.parts)))
        drop_one(core, next_part(link), except);
    drop_one(core, first, except);
}

void gang_leave(struct core *core, struct lease *first)
{
    struct list_link *link;
    if (core->config.first_starts_all)
        gang_dissolve(core, first, first);
    while ((link = list_first(&first->gang.parts))) {
        struct lease *part = next_part(link);
        leave_first(part);
        part->gang.leave_by = core->now + core->config.grace;
        if (!part->sent)
            lease_free(core, part);
    }
}

void gang_tick(struct core *core, struct slot *slot)
{
    struct lease *front = slot->lease_count ? LIST_ITEM(slot->leases.after, struct lease, link) : NULL;
    if (front && front->gang.leave_by > 0 && core->now >= front->gang.leave_by)
        stop_one(core, front, ENDING_CANCELLED);
}

/* --- a part ends before node 0 --- */

/* What a run can end with because another node did: whoever says that it was stopped, and was not told to, is lost. */
static enum ending spoiled_ending(enum ending ending)
{
    enum trial_state state = ending_state(ending);
    bool fails = state == TRIAL_FAILED || state == TRIAL_WAITING;
    return fails ? ending : ENDING_LOST;
}

static char *describe_end(const char *node, enum ending ending, const char *why)
{
    return mem_format("node %s ended: %s", node, why && *why ? why : ending_sentence(ending));
}

static void note_spoiled(const struct core *core, struct lease *first, const struct lease *part, enum ending ending,
                         const char *why, const char *tail)
{
    struct gang_place *gang = &first->gang;
    if (gang->spoiled)
        return;
    gang->spoiled = true;
    gang->ending = spoiled_ending(ending);
    gang->why = describe_end(part->worker->node, ending, why);
    char *more = standstill_append(core, first, gang->why);
    if (more) {
        free(gang->why);
        gang->why = more;
    }
    gang->tail = tail && *tail ? mem_text(tail) : NULL;
    gang->where = mem_text(part->worker->node);
}

/* The whole run is stopped, and ends with this. When node 0 has not begun, the attempt goes back: the part could not
 * meet anybody. `tail` may be NULL. */
static void spoil_run(struct core *core, struct lease *part, enum ending ending, const char *why, const char *tail)
{
    struct lease *first = gang_first(part);
    note_spoiled(core, first, part, ending, why, tail);
    leave_first(part);
    if (first->sent)
        gang_stop(core, first, ENDING_CANCELLED);
    else
        lease_return(core, first);
}

void gang_give_up(struct core *core, struct lease *part, enum ending ending, const char *why)
{
    write_part(core, EVENT_PART_ENDED, part, (struct event_part){.ending = ending, .given_up = true, .detail = why});
    spoil_run(core, part, ending, why, NULL);
}

void gang_lose(struct core *core, struct lease *part, enum ending ending, const char *why)
{
    struct trial *trial = lease_trial(core, part);
    write_part(core, EVENT_PART_ENDED, part, (struct event_part){.ending = ending, .given_up = true, .detail = why});
    if (!trial || (part->stopping && !trial->lease->gang.spoiled))
        return; /* all of it was to end */
    if (ending_retry(ending) == RETRY_FREE && !trial->lease->gang.spoiled)
        suspect_note_loss(core, part, trial);
    spoil_run(core, part, ending, why, NULL);
}

/* In the order of gang_place.joules. */
static const enum run_counter joules[] = {COUNT_ENERGY_PROCESSORS, COUNT_ENERGY_MEMORY, COUNT_ENERGY_GPUS};
enum { JOULES = sizeof joules / sizeof *joules };

/* What a worker counted; NaN: it did not, or that makes no sense. */
static double find_counted(const struct msg_result *result, enum run_counter counter)
{
    for (uint32_t i = 0; i < result->counted_count; i++)
        if (result->counted[i].counter == (uint32_t)counter)
            return run_counter_is_sane(counter, result->counted[i].value) ? result->counted[i].value : NAN;
    return NAN;
}

static void add_joules(struct gang_place *gang, const struct msg_result *result)
{
    for (int i = 0; i < JOULES; i++)
        gang->joules[i] += find_counted(result, joules[i]);
    gang->told++;
}

void gang_sum_joules(const struct core *core, const struct lease *first, struct run_counters *counters)
{
    static const struct gang_place silent = {.told = 0};
    const struct gang_place *gang = first ? &first->gang : &silent;
    uint32_t nodes = first ? gang->nodes : gang_nodes(core), other = nodes > gang->told ? nodes - gang->told : 1;
    for (int i = 0; i < JOULES; i++) {
        double sum = other * counters->values[joules[i]] + gang->joules[i];
        counters->values[joules[i]] = run_counter_is_sane(joules[i], sum) ? sum : NAN;
    }
}

void gang_take_result(struct core *core, struct lease *part, const struct msg_result *result)
{
    struct lease *first = gang_first(part);
    if (first)
        add_joules(&first->gang, result);
    enum ending ending = result->ending < ENDINGS_COUNT ? (enum ending)result->ending : ENDING_CRASHED;
    ending = walltime_cause(core, part->worker, ending);
    bool well = ending == ENDING_COMPLETED || ending == ENDING_PAUSED;
    bool told = part->stopping && lease_trial(core, part) && !gang_first(part)->gang.spoiled;
    write_part(core, EVENT_PART_ENDED, part, (struct event_part){.ending = ending, .detail = result->detail});
    if (lease_trial(core, part) && !well && !told)
        spoil_run(core, part, ending, result->detail, result->tail);
    lease_free(core, part);
}

void gang_note_end(struct core *core, const struct worker *worker, uint32_t node, const struct msg_result *result)
{
    enum ending ending = result->ending < ENDINGS_COUNT ? (enum ending)result->ending : ENDING_CRASHED;
    struct event_part said = {.node = node, .slot = result->slot, .ending = ending, .detail = result->detail};
    outbox_event(core, &(struct event){.kind = EVENT_PART_ENDED,
                                       .trial = result->trial,
                                       .attempt = result->attempt,
                                       .worker = worker->id,
                                       .part = said});
}

/* --- after a restart --- */

static struct slot *recall_slot(struct core *core, const struct memory_part *from)
{
    struct worker *worker = workers_find(core, from->worker);
    if (!worker)
        worker = workers_add(core, from->worker);
    worker->patience = core->config.restart_patience;
    return workers_slot(core, worker, from->slot);
}

static void recall_part(struct core *core, struct lease *first, const struct memory_part *from)
{
    if (from->ended && from->ending != ENDING_COMPLETED && from->ending != ENDING_PAUSED && !first->gang.spoiled) {
        first->gang.spoiled = true;
        first->gang.ending = spoiled_ending(from->ending);
        first->gang.why = describe_end(from->host, from->ending, from->detail);
    }
    if (from->ended)
        return;
    struct lease *part = add_part(core, first, recall_slot(core, from), from->node);
    part->sent = true; /* it may have been: the worker's OFFER will tell */
    part->sent_at = core->now;
}

void gang_recall(struct core *core, struct trial *trial, const struct memory_trial *from)
{
    trial->lease->gang.nodes = from->part_count + 1;
    for (uint32_t i = 0; i < from->part_count; i++)
        recall_part(core, trial->lease, &from->parts[i]);
}
