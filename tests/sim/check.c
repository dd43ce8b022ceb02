/* The promises, checked after every step and at the end; see sim.h. */
#include "tests/sim/sim.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"
#include "common/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the core's books --- */

static void check_slot(struct sim *sim, const struct slot *slot, uint32_t *busy)
{
    uint32_t count = 0, counting = 0;
    for (const struct list_link *link = slot->leases.after; link != &slot->leases; link = link->after) {
        const struct lease *lease = LIST_ITEM(link, struct lease, link);
        count++;
        counting += lease_trial(sim->core, lease) != NULL;
        if (lease->slot != slot)
            sim_break(sim, "a lease stands at another slot than its own");
    }
    *busy += count > 0;
    if (count != slot->lease_count)
        sim_break(sim, "a slot counts %u leases and has %u", slot->lease_count, count);
    if (counting > 1 + sim->profile.credit)
        sim_break(sim, "a slot was given to %u trials, with room for %u", counting, 1 + sim->profile.credit);
}

/* A node is set aside after three failures there at least, and never so that too few others are left. */
static void check_aside(struct sim *sim, const struct worker *worker)
{
    int number = sim_node_number(worker->node);
    if (!worker->aside || strcmp(worker->node, "stranger") == 0)
        return;
    struct sim_worker *place = number < 0 ? NULL : &sim->workers[number];
    if (!place || !strstr(worker->aside, "fail on this node alone") || place->failures < 3)
        sim_break(sim, "a worker was set aside: %s", worker->aside);
    else if (place->aside != sim->session && sim->core->fit < sim->profile.nodes)
        sim_break(sim, "node%d was set aside, and %u others are left", number, sim->core->fit);
    if (place)
        place->aside = sim->session;
}

static void check_slots(struct sim *sim)
{
    uint32_t slots = 0, busy = 0;
    struct map_entry entry;
    for (size_t at = 0; map_next(&sim->core->workers, &at, &entry);) {
        const struct worker *worker = entry.value;
        slots += worker->slot_count;
        check_aside(sim, worker);
        for (uint32_t i = 0; i < worker->slot_count; i++)
            check_slot(sim, worker->slots[i], &busy);
        if (worker->peer && map_get(&sim->core->peers, worker->peer) != worker)
            sim_break(sim, "a worker's peer is not its own");
    }
    if (slots != sim->core->slots || busy != sim->core->busy)
        sim_break(sim, "slots %u busy %u, counted %u and %u", slots, busy, sim->core->slots, sim->core->busy);
}

/* The parts of a run are on different workers and nodes, and each stands behind the first. */
static void check_parts(struct sim *sim, const struct lease *first)
{
    uint32_t count = 0;
    for (const struct list_link *link = first->gang.parts.after; link != &first->gang.parts; link = link->after) {
        const struct lease *part = LIST_ITEM(link, struct lease, gang.link);
        count++;
        if (part->trial != first->trial || part->attempt != first->attempt || part->gang.first != first)
            sim_break(sim, "a part of trial %llu is another run's", (unsigned long long)first->trial);
        if (!part->gang.node || part->gang.node >= first->gang.nodes || part->worker == first->worker)
            sim_break(sim, "trial %llu has node %u of %u twice", (unsigned long long)first->trial, part->gang.node,
                      first->gang.nodes);
    }
    if (count >= first->gang.nodes || first->gang.node)
        sim_break(sim, "trial %llu runs on %u nodes, not %u", (unsigned long long)first->trial, count + 1,
                  first->gang.nodes);
}

static void check_trial(struct sim *sim, const struct trial *trial)
{
    bool queued = trial->queue.queue != NULL;
    if ((trial->state == TRIAL_RUNNING) != (trial->lease != NULL))
        sim_break(sim, "trial %llu is %s and has %s lease", (unsigned long long)trial->number,
                  trial_state_name(trial->state), trial->lease ? "a" : "no");
    if (trial->lease)
        check_parts(sim, trial->lease);
    if (queued && trial->state != TRIAL_WAITING)
        sim_break(sim, "trial %llu is in the queue and %s", (unsigned long long)trial->number,
                  trial_state_name(trial->state));
    if (trial->state == TRIAL_WAITING && !queued && !list_has(&trial->delayed) && trial->event <= sim->core->committed)
        sim_break(sim, "trial %llu waits, but not in the queue", (unsigned long long)trial->number);
}

void sim_check_core(struct sim *sim)
{
    uint64_t live[TRIAL_STATES] = {0};
    struct map_entry entry;
    for (size_t at = 0; map_next(&sim->core->trials, &at, &entry);) {
        const struct trial *trial = entry.value;
        live[trial->state]++;
        check_trial(sim, trial);
    }
    for (int state = 0; state < TRIAL_STATES; state++)
        if (live[state] != sim->core->live[state])
            sim_break(sim, "%llu trials are %s, counted %llu", (unsigned long long)live[state],
                      trial_state_name((enum trial_state)state), (unsigned long long)sim->core->live[state]);
    check_slots(sim);
    if (sim->core->leases.count && sim->now > sim->deadline)
        sim_break(sim, "%zu runs go on behind the deadline", sim->core->leases.count);
}

/* An item is found among n others by visiting some 2 log2 n of them, 30 of 10,000, and a lease or a trial that comes or
 * goes does so about ten times. Looking through 1,000 would be seen. */
void sim_check_costs(struct sim *sim, const struct core_counters *before, enum sim_kind kind)
{
    enum { VISITS = 200, PREDICTIONS = 2 * 16, TICK_PREDICTIONS = 4096, LOOKS = 8, MOVES = 2 };
    const struct core_counters *now = core_counters(sim->core);
    const struct core *core = sim->core;
    bool tick = kind == SIM_TICK || core->ticked >= sim->now;
    bool held = now->holds > before->holds; /* a node, and all may be on one */
    bool all_may = tick || held || kind == SIM_FAULT || core->state != EXPERIMENT_RUNNING; /* it may end all runs */
    uint64_t inputs = now->inputs - before->inputs, leases = now->leases - before->leases;
    uint64_t done = inputs + leases + now->outputs - before->outputs + now->acts - before->acts;
    uint64_t predictions = now->predictions - before->predictions, looks = now->looks - before->looks;
    uint64_t all = core->workers.count + core->slots + core->leases.count + now->lost - before->lost;
    if (now->visits - before->visits > VISITS * (done + predictions + looks))
        sim_break(sim, "an input visited %llu items, and did %llu things",
                  (unsigned long long)(now->visits - before->visits), (unsigned long long)(done + predictions + looks));
    if (predictions > PREDICTIONS * inputs + done + tick * TICK_PREDICTIONS + all_may * all)
        sim_break(sim, "an input made %llu predictions", (unsigned long long)predictions);
    if (looks > LOOKS * done + all_may * 4 * all)
        sim_break(sim, "an input looked at %llu workers, slots and leases", (unsigned long long)looks);
    if (now->moves - before->moves > MOVES * done)
        sim_break(sim, "an input asked early stopping %llu times", (unsigned long long)(now->moves - before->moves));
}

/* --- nothing leaves before it is on disk --- */

/* The same for one of its further nodes. What becomes of those once the trial has ended is nobody's concern. */
static void note_part_ack(struct sim *sim, const struct msg_ack *ack, struct sim_part *part)
{
    const struct sim_record *record = &sim->records[ack->trial];
    bool had_ended = record->ended || ack->attempt <= record->reopened;
    part->told_over |= ack->ended;
    if (ack->ended && !part->over && !had_ended)
        sim_break(sim, "trial %llu attempt %u: the end of a part is acknowledged before it is on disk",
                  (unsigned long long)ack->trial, ack->attempt);
}

/* What is acknowledged is on disk, and has to be there after every start from now on. */
static void note_ack(struct sim *sim, const struct msg_ack *ack)
{
    struct sim_attempt *attempt = sim_attempt(&sim->records[ack->trial], ack->attempt);
    if (!attempt->over && ack->samples > attempt->samples)
        sim_break(sim, "trial %llu attempt %u: %u samples are acknowledged, and %u on disk",
                  (unsigned long long)ack->trial, ack->attempt, ack->samples, attempt->samples);
    attempt->told_over |= ack->ended;
    if (!attempt->over && ack->samples > attempt->told)
        attempt->told = ack->samples;
}

void sim_check_sent(struct sim *sim, uint64_t worker, const struct msg *msg)
{
    for (uint32_t i = 0; msg->kind == MSG_LEASES && i < msg->leases.leases_count; i++) {
        const struct msg_lease *lease = &msg->leases.leases[i];
        struct sim_record *record = &sim->records[lease->trial];
        if (!record->proposed || !sim_attempt(record, lease->attempt)->leased)
            sim_break(sim, "trial %llu attempt %u is sent before its lease is on disk",
                      (unsigned long long)lease->trial, lease->attempt);
    }
    for (uint32_t i = 0; msg->kind == MSG_ACKS && i < msg->acks.acks_count; i++) {
        const struct msg_ack *ack = &msg->acks.acks[i];
        struct sim_record *record = ack->trial <= sim->most_trial ? &sim->records[ack->trial] : NULL;
        struct sim_attempt *attempt = record ? sim_attempt(record, ack->attempt) : NULL;
        struct sim_part *part = attempt && attempt->leased ? sim_part(attempt, worker) : NULL;
        if (part)
            note_part_ack(sim, ack, part);
        if (!attempt || !attempt->leased || attempt->worker != worker)
            continue; /* nothing was promised: it was given back, or was never this worker's */
        if (ack->ended && !attempt->over)
            sim_break(sim, "trial %llu attempt %u is acknowledged before its end is on disk",
                      (unsigned long long)ack->trial, ack->attempt);
        note_ack(sim, ack);
    }
}

void sim_check_ack(struct sim *sim, const struct sim_run *run)
{
    struct sim_record *record = &sim->records[run->trial];
    const struct sim_attempt *attempt = sim_attempt(record, run->attempt);
    if (run->node) /* see note_part_ack */
        return;
    if (!run->again && attempt->row && attempt->measured && !attempt->late &&
        attempt->numbers != (1ull << run->made) - 1)
        sim_break(sim, "trial %llu attempt %u reported %u samples, and was told that all are on disk",
                  (unsigned long long)run->trial, run->attempt, run->made);
    if (attempt->leased && !attempt->over) /* what was given back is nobody's after a restart */
        sim_break(sim, "the acknowledged result of trial %llu attempt %u is not on disk",
                  (unsigned long long)run->trial, run->attempt);
    /* Of a trial that is to be cancelled the result of an attempt that was given up counts no more. */
    if (run->ending == ENDING_COMPLETED && !record->ended && attempt->leased && !record->cancelled)
        sim_break(sim, "trial %llu was done and acknowledged, and has not ended", (unsigned long long)run->trial);
}

uint64_t sim_tell_hash(uint64_t before, uint64_t trial, uint64_t step, double value)
{
    uint64_t bits = 0;
    if (!isnan(value))
        memcpy(&bits, &value, sizeof bits);
    return rng_mix(rng_mix(before, trial), rng_mix(step, bits));
}

void sim_tell(struct sim *sim, uint64_t told, uint64_t trial, uint64_t step, double value)
{
    MEM_GROW(sim->tell_hashes, sim->tell_capacity, told + 1);
    sim->tell_hashes[told] = told ? sim_tell_hash(sim->tell_hashes[told - 1], trial, step, value) : 0;
}

/* A function of the seed, the number and what was told, as every strategy's proposal is. */
void sim_propose(const struct sim *sim, uint64_t trial, uint64_t heard, char params[32])
{
    uint64_t draw = rng_mix(rng_mix(sim->seed, trial), sim->tell_hashes[heard]) % 1000000;
    snprintf(params, 32, "{\"x\": %llu, \"y\": %llu}", (unsigned long long)trial, (unsigned long long)draw);
}

void sim_check_tell(struct sim *sim, const struct output *told)
{
    const struct sim_record *record = &sim->records[told->trial];
    uint64_t number = ++sim->tells_heard;
    bool observed = told->kind == OUTPUT_OBSERVE;
    if (observed && (record->decided < told->step || record->observed < number))
        sim_break(sim, "trial %llu is observed at step %llu as number %llu, which is not recorded",
                  (unsigned long long)told->trial, (unsigned long long)told->step, (unsigned long long)number);
    if (!observed && (record->ended != 1 || record->told != number))
        sim_break(sim, "trial %llu is told as number %llu, recorded as %llu", (unsigned long long)told->trial,
                  (unsigned long long)number, (unsigned long long)record->told);
    if (number > sim->tells_committed ||
        sim->tell_hashes[number] != sim_tell_hash(sim->tell_hashes[number - 1], told->trial, observed ? told->step : 0,
                                                  told->values ? told->values[0] : NAN))
        sim_break(sim, "what is told as number %llu, of trial %llu, is not what is recorded as that",
                  (unsigned long long)number, (unsigned long long)told->trial);
}

/* The strategy lives through its past again up to there. */
void sim_check_forget(struct sim *sim, uint64_t told)
{
    if (told > sim->tells_committed)
        sim_break(sim, "the strategy is to forget up to tell %llu, and %llu are recorded", (unsigned long long)told,
                  (unsigned long long)sim->tells_committed);
    sim->tells_heard = told;
}

/* --- the end --- */

void sim_check_stuck(struct sim *sim)
{
    const struct core *core = sim->core;
    if (!core)
        sim_break(sim, "the experiment does not end: there is no coordinator");
    else
        sim_break(sim,
                  "the experiment does not end: %s, %s, %zu leases, %llu waiting, %llu running, %llu paused, %llu "
                  "asked, next %llu, "
                  "%u slots, %llu of %llu events committed",
                  experiment_state_name(core->state), reason_name(core->reason), core->leases.count,
                  (unsigned long long)core->live[TRIAL_WAITING], (unsigned long long)core->live[TRIAL_RUNNING],
                  (unsigned long long)core->live[TRIAL_PAUSED], (unsigned long long)core->asked,
                  (unsigned long long)core->next_trial, core->slots, (unsigned long long)core->committed,
                  (unsigned long long)core->events);
}

/* Whoever kills its workers is found out, and nobody else is taken for it. Each kills
 * twice with others and once alone, and is excused three times; what it did beside another one is taken for that one's
 * doing, as often again at most. A session that ends forgets some. */
static void check_killers(struct sim *sim)
{
    enum { EACH = 2 * (2 + 1 + 3) };
    uint64_t killers = 0, killed = 0, forgotten = 2 * sim->session * sim->profile.workers;
    for (uint64_t i = 1; i <= sim->highest_trial; i++) {
        const struct sim_record *record = &sim->records[i];
        bool kills = sim_kills(sim, i);
        killers += kills;
        killed += record->killed;
        if (!kills && record->ending == ENDING_LOST)
            sim_break(sim, "trial %llu is taken for one that kills its workers", (unsigned long long)i);
        if (kills && record->ended && record->ending == ENDING_COMPLETED && !record->added)
            sim_break(sim, "trial %llu kills its workers, and completed", (unsigned long long)i);
    }
    if (killed > EACH * killers + forgotten)
        sim_break(sim, "%llu trials killed %llu workers", (unsigned long long)killers, (unsigned long long)killed);
}

/* Where one node alone fails what comes there, or two alike, and nothing else goes wrong, that costs no trial. While a
 * suspicion about it lasts it has what it was given before, and in three rounds it is set aside; a round more may come
 * to no decision, for what was to bear a suspicion out may be cancelled, or stopped before it came further; and of two
 * nodes the other one may try it first. */
static void check_bad_node(struct sim *sim)
{
    enum { ROUNDS = 5 };
    uint64_t most = (sim->profile.other_bad ? 2u : 1u) * ROUNDS * sim->profile.slots * (1 + sim->profile.credit);
    for (uint64_t i = 1; i <= sim->highest_trial; i++)
        if (sim->records[i].ended && sim->records[i].ending == ENDING_EXITED)
            sim_break(sim, "trial %llu failed, and only its node is at fault", (unsigned long long)i);
    for (uint32_t i = 0; i < sim->profile.workers; i++)
        if (sim_is_bad(sim, i) && sim->workers[i].failures > most)
            sim_break(sim, "%llu runs failed on a bad node, and %llu are enough to know it",
                      (unsigned long long)sim->workers[i].failures, (unsigned long long)most);
}

/* Trials that count for limits.max_trials. */
static uint64_t count_counted(const struct sim *sim)
{
    uint64_t count = 0;
    for (uint64_t i = 1; i <= sim->highest_trial; i++)
        count += sim->records[i].proposed && !sim->records[i].added && !sim->records[i].ignored;
    return count;
}

/* One that waited when others came to count again, and that limits.max_trials has no room for any more. */
static bool is_beyond_limit(const struct sim *sim, const struct sim_record *record)
{
    return sim->amended && !record->ended && count_counted(sim) > sim->profile.trials;
}

static void check_record(struct sim *sim, uint64_t trial)
{
    const struct sim_record *record = &sim->records[trial];
    if (record->added || (sim->amended && !record->proposed))
        return; /* it did not run, or nobody has the number */
    if (record->proposed != 1)
        sim_break(sim, "trial %llu is recorded %u times", (unsigned long long)trial, record->proposed);
    else if (is_beyond_limit(sim, record))
        return;
    else if (record->ended != 1)
        sim_break(sim, "trial %llu ended %u times", (unsigned long long)trial, record->ended);
    else if (record->ending == ENDING_COMPLETED && fabs(record->value - sim_whole_value(sim, trial)) > 0)
        sim_break(sim, "trial %llu has value %g, not %g", (unsigned long long)trial, record->value,
                  sim_whole_value(sim, trial));
    else if (sim->profile.early && record->ending == ENDING_STOPPED_EARLY &&
             fabs(record->value - sim_value_after(sim, trial, record->step)) > 0)
        sim_break(sim, "trial %llu, stopped at step %llu, has value %g, not %g", (unsigned long long)trial,
                  (unsigned long long)record->step, record->value, sim_value_after(sim, trial, record->step));
    if (record->ending == ENDING_COMPLETED && sim_memory_needed(sim, trial) > sim->profile.memory &&
        record->memory < sim_memory_needed(sim, trial))
        sim_break(sim, "trial %llu completed with less memory than it needs", (unsigned long long)trial);
    if (record->failures > sim->profile.retries)
        sim_break(sim, "trial %llu was tried again %u times, with %u retries", (unsigned long long)trial,
                  record->failures, sim->profile.retries);
}

/* Those that count again after others had their room are beyond the limit, and the strategy may have nothing left. */
static void check_count(struct sim *sim, bool by_limit)
{
    uint64_t counted = count_counted(sim);
    if (counted < sim->profile.trials && !by_limit && !sim->profile.strategy_limit)
        sim_break(sim, "%llu trials that count, not %llu", (unsigned long long)counted,
                  (unsigned long long)sim->profile.trials);
    if (sim->tells_committed < sim->amend_promised)
        sim_break(sim, "what an operator was told is gone");
}

void sim_check_end(struct sim *sim)
{
    uint64_t expected = sim->profile.trials;
    if (sim->profile.strategy_limit && sim->profile.strategy_limit < expected)
        expected = sim->profile.strategy_limit;
    if (!sim->over)
        sim_break(sim, "nothing happens any more, and the experiment has not ended");
    bool by_limit = sim->reason == REASON_TIME || sim->reason == REASON_TARGET || sim->reason == REASON_FAILURES;
    if (sim->amended)
        check_count(sim, by_limit);
    else if (sim->highest_trial > expected || (sim->highest_trial < expected && !by_limit))
        sim_break(sim, "%llu trials, not %llu", (unsigned long long)sim->highest_trial, (unsigned long long)expected);
    for (uint64_t i = 1; i <= sim->highest_trial && !*sim->broken; i++)
        check_record(sim, i);
    if (sim->profile.killing > 0)
        check_killers(sim);
    if (sim->profile.quiet)
        check_bad_node(sim);
    sim_store_end(sim);
}
