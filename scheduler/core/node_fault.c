/* Whose fault a failure is: the trial's, or that of the node it ran on. A file that is missing or damaged on one node
 * alone fails every trial that comes there, within moments, so that this node soon has most of them.
 *
 *     fails on node b, and what ended on b before   another node tries it, and this costs no retry (NODE_FAILED); up
 *     did not end well either, or ended with the    to then, a minute at first, b gets no other trial
 *     same words, which no other node has said
 *     the other node comes further with it          it is b's fault
 *     ... fails it, too, and did well before, or    it is the trial's: it has failed, and b goes on. When both said
 *     no other node does or may                     the same, these words are no node's own from then on
 *     ... fails it, and others do well, or may      that one is as suspect as b: a third is to try it
 *     b's fault three times, and nothing ended      b is set aside, as conduct.h does it, with those words; its workers
 *     well there between them                       are refused for ten minutes, then for twenty, ...
 *
 * So a node that works and fails one configuration costs nothing, and what fails everywhere alike costs one attempt
 * more before it is known; then it counts for limits.same_failures as ever. A node of which the same is wrong as of
 * another one is found out as well, and no trial is lost while the good ones are busy for hours: then the bad ones try
 * others after 1, 2, 4 ... 30 minutes (elsewhere.c), and it again when there are none, twenty times at most. Which
 * nodes do well is seen from what ended there last, and from what they report; one that runs its first trial, and is
 * silent, may.
 *
 * Programs that fail now and then, anywhere, would set one node after the other aside: three times is not enough when
 * that is as likely by chance. After some suspicions in a row that were mistaken there are no more for a while: there
 * are programs whose words are never the same. Nodes are suspected only while others get trials: the last ones are
 * never set aside, and where there is one node all of this does nothing. All of it is forgotten when the session ends:
 * whoever mends the node and goes on with the search has it back. */
#include "scheduler/core/node_fault.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/lease.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/tally.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ALONE = 3, MOST_MISTAKEN = 10, MOST_TIMES = 20 };

/* When there were too many that were mistaken, then one is tried again. */
#define MISTAKEN_SECONDS 600.0

/* That failures in a row were a node's own by chance, at most. */
static const double by_chance = 5e-4;

/* --- words --- */

static struct node_fault_words *find_words(struct core *core, uint64_t key)
{
    for (uint32_t i = 0; i < NODE_FAULT_WORDS; i++)
        if (core->node_faults.words[i].key == key)
            return &core->node_faults.words[i];
    return NULL;
}

/* These words were heard on this node. */
static struct node_fault_words *hear_words(struct core *core, uint64_t key, const struct node_health *node)
{
    struct node_faults *faults = &core->node_faults;
    struct node_fault_words *words = find_words(core, key);
    if (!words) {
        words = &faults->words[faults->words_count++ % NODE_FAULT_WORDS];
        *words = (struct node_fault_words){.key = key, .node = node->key};
    }
    if (words->node != node->key)
        words->node = 0;
    return words;
}

/* --- suspicions that end --- */

static void detach(struct trial *trial)
{
    trial->node_fault.node = NULL;
    list_remove(&trial->node_fault.link);
}

/* Those that are held for no trial: it has ended, or another node that failed it is under suspicion now, and it is
 * known who is right. */
static void let_go_idle(struct core *core)
{
    struct list_link *held = &core->node_faults.held;
    for (struct list_link *link = held->after, *next; link != held; link = next) {
        struct node_health *node = LIST_ITEM(link, struct node_health, held);
        next = link->after;
        if (list_is_empty(&node->trials))
            node_health_let_go(core, node);
    }
}

void node_fault_forget(struct core *core, struct trial *trial)
{
    bool suspected = trial->node_fault.node;
    detach(trial);
    if (suspected)
        let_go_idle(core);
}

/* What is known of these words, or of all (0), is known of the nodes that are held for them, too. */
static void forget_all(struct core *core, uint64_t words)
{
    struct list_link *held = &core->node_faults.held;
    for (struct list_link *link = held->after; link != held; link = link->after) {
        struct node_health *node = LIST_ITEM(link, struct node_health, held);
        for (struct list_link *at = node->trials.after, *after; at != &node->trials; at = after) {
            struct trial *trial = LIST_ITEM(at, struct trial, node_fault.link);
            after = at->after;
            if (!words || trial->node_fault.words == words)
                detach(trial);
        }
    }
    let_go_idle(core);
}

/* Another node, which is to be trusted, failed it, too: with these words (0: for another reason). */
static void take_back(struct core *core, struct trial *trial, uint64_t key)
{
    struct node_faults *faults = &core->node_faults;
    struct node_fault_words *words = find_words(core, key);
    bool same = key && trial->node_fault.words == key;
    node_fault_forget(core, trial);
    if (!key)
        return;
    faults->mistaken++;
    faults->mistaken_at = core->now;
    if (same && words)
        words->general = true;
    if (same || faults->mistaken >= MOST_MISTAKEN)
        forget_all(core, same ? key : 0);
}

/* The node may have a share in an attempt on several, and in one that it was given when it was held no more. */
static bool had_part(const struct core *core, const struct trial *trial, uint32_t attempt,
                     const struct node_health *node)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct worker *worker = workers_find(core, trial->runs[i].worker);
        if (trial->runs[i].attempt == attempt && worker && worker->health == node)
            return true;
    }
    return false;
}

/* Whether failures of its own are as likely by the share of runs that fail on other nodes. What was tried there and
 * gets on counts as a run that does not fail, so that three are enough where none has ended: (1/13)^3. */
static bool is_by_chance(const struct core *core, const struct node_health *node)
{
    const struct node_faults *faults = &core->node_faults;
    double failed = (double)(faults->failed - node->failed), ended = (double)(faults->ended - node->ended);
    return pow((failed + 1) / (ended + node->alone + 10), node->alone) > by_chance;
}

/* Another node does well with what failed there. */
static void bear_out(struct core *core, struct trial *trial, uint32_t attempt)
{
    struct node_health *node = trial->node_fault.node;
    bool own = !had_part(core, trial, attempt, node);
    node_fault_forget(core, trial);
    if (!own)
        return;
    core->node_faults.mistaken = 0;
    node->hold = 0;
    node->alone++;
    if (node->alone >= MOST_ALONE && !is_by_chance(core, node) && !node->aside && !list_has(&node->condemned))
        list_append(&core->node_faults.condemned, &node->condemned);
}

/* --- what goes well --- */

static void note_success(struct core *core, struct node_health *node)
{
    node->fine = node->going = true;
    node->alone = 0;
    node->hold = 0;
    node->ended++;
    list_remove(&node->unheard);
    core->node_faults.ended++;
    node_health_count(core, node);
}

void node_fault_success(struct core *core, struct trial *trial, uint32_t attempt, const struct outcome *outcome)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct worker *worker = workers_find(core, trial->runs[i].worker);
        struct node_health *node = worker ? worker->health : NULL;
        bool spoiled = node && outcome->spoiler && strcmp(outcome->spoiler, node->name) == 0;
        if (trial->runs[i].attempt == attempt && node && !spoiled)
            note_success(core, node);
    }
    if (trial->node_fault.node)
        bear_out(core, trial, attempt);
}

void node_fault_further(struct core *core, struct trial *trial)
{
    struct node_health *node = trial->lease ? trial->lease->worker->health : NULL;
    if (node && !node->going) {
        node->going = true;
        node_health_count(core, node);
    }
    if (trial->node_fault.node && trial->highest > trial->node_fault.step)
        bear_out(core, trial, trial->attempts);
}

/* --- what fails --- */

static bool may_suspect(struct core *core, const struct trial *trial, const struct node_health *node)
{
    const struct node_faults *faults = &core->node_faults;
    bool mistaken = faults->mistaken >= MOST_MISTAKEN && core->now < faults->mistaken_at + MISTAKEN_SECONDS;
    return core->state == EXPERIMENT_RUNNING && !trial->cancel && !trial->stop && !mistaken &&
           trial->node_fault.times < MOST_TIMES && node_health_others_get_trials(core, node) &&
           large_could_elsewhere(core, trial, node);
}

static void note_failure(struct core *core, struct node_health *node, const char *words, double seconds)
{
    struct node_faults *faults = &core->node_faults;
    node->fine = node->going = false;
    node->failed++;
    node->ended++;
    list_remove(&node->unheard);
    faults->failed++;
    faults->ended++;
    faults->longest = fmax(faults->longest, seconds);
    snprintf(node->words, sizeof node->words, "%.*s", (int)sizeof node->words - 1, words);
    node_health_count(core, node);
}

static void begin_suspicion(struct core *core, struct trial *trial, struct node_health *node, uint64_t words)
{
    detach(trial); /* where it failed before stays held: it would take it at once, and fail it again */
    trial->node_fault.node = node;
    trial->node_fault.words = words;
    trial->node_fault.step = trial->highest;
    trial->node_fault.times++;
    list_append(&node->trials, &trial->node_fault.link);
    node_health_hold(core, node);
}

/* Whether what failed says nothing of its trial: its machine went, or its time was up. */
static bool says_nothing(enum ending ending)
{
    return ending_retry(ending) == RETRY_FREE || ending_retry(ending) == RETRY_LATER;
}

bool node_fault_failure(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome,
                        char *why, size_t size)
{
    char words[sizeof((struct streak *)0)->words];
    struct node_health *node = outcome->node ? node_health_find(core, outcome->node) : NULL;
    uint64_t key = streak_key(ending, outcome->detail, outcome->tail, words, sizeof words);
    bool elsewhere = trial->node_fault.node && trial->node_fault.node != node && !says_nothing(ending);
    bool trusted = !node || !key || node->fine || !node_health_others_may_do_well(core, node);
    if (elsewhere && trusted)
        take_back(core, trial, key);
    if (!node || !key)
        return false;
    bool was_known = find_words(core, key), was_fine = node->fine;
    const struct node_fault_words *heard = hear_words(core, key, node);
    note_failure(core, node, *words ? words : ending_sentence(ending), outcome->seconds);
    bool is_usual = was_known && heard->node == node->key;
    if ((elsewhere && trusted) || (was_fine && !is_usual) || heard->general || !may_suspect(core, trial, node))
        return false;
    begin_suspicion(core, trial, node, key);
    snprintf(why, size, "on node %s: %s; another node is to try it, since it may be that node's fault", node->name,
             node->words);
    return true;
}

/* --- what follows --- */

void node_fault_check(struct core *core)
{
    struct list_link *link, *held = &core->node_faults.held;
    while ((link = list_first(&core->node_faults.condemned)))
        node_health_set_aside(core, LIST_ITEM(link, struct node_health, condemned));
    if (!core->node_faults.changed)
        return;
    core->node_faults.changed = false;
    for (link = held->after; link != held;) {
        struct node_health *node = LIST_ITEM(link, struct node_health, held);
        link = link->after;
        if (!node_health_others_get_trials(core, node))
            node_health_let_go(core, node);
    }
}
