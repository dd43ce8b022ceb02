/* Whose fault a failure is: the trial's, or that of the node it ran on. A file that is missing or damaged on one node
 * alone fails every trial that comes there, within moments, so that this node soon has most of them.
 *
 *     fails on node b, with words that no other   another node tries it, and this costs no retry (NODE_FAILED); up to
 *     node has said, and what ended on b before   then, a minute at most, b gets no other trial
 *     did not end well either
 *     the other node comes further with it        it is b's fault
 *     ... fails it, too                           it is the trial's: it has failed, and b goes on
 *     b's fault three times, and nothing ended    b is set aside, as conduct.h does it, with those words; its workers
 *     well there between them                     are refused until the session ends
 *
 * So a node that works and fails one configuration costs nothing, and what fails everywhere alike costs one attempt
 * more before it is known; then it counts for limits.same_failures as ever. After some doubts in a row that were
 * mistaken there are no more: there are programs whose words are never the same. Nodes are doubted only while others
 * get trials: the last ones are never set aside, and where there is one node all of this does nothing. All of it is
 * forgotten when the session ends: whoever mends the node and goes on with the search has it back. */
#include "scheduler/core/doubt.h"
#include "common/hash.h"
#include "common/mem.h"
#include "scheduler/core/conduct.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/gang.h"
#include "scheduler/core/tally.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/vacancy.h"
#include "scheduler/core/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ALONE = 3, MOST_MISTAKEN = 10, MOST_HELD = 4, MOST_TIMES = 5 };

/* What was doubted is the next trial that another node gets; but what runs there may be long. */
#define HELD_SECONDS 60.0

struct doubt_node {
    char *name;
    uint64_t key;               /* of the name */
    struct list_link workers;   /* that are on it */
    struct list_link trials;    /* that failed on it, and that another node is to try */
    struct list_link held;      /* in the list of those that get no trial; in none: it gets some */
    double held_until;          /* held: at the latest */
    struct list_link condemned; /* in the list of those that are to be set aside */
    bool fine;                  /* what ended there last ended well */
    uint32_t alone;             /* failures since something did that were its own */
    char words[120];            /* of the last failure */
    char *aside;                /* why it was set aside; NULL: it was not */
};

void doubt_init(struct core *core)
{
    list_init(&core->doubts.held);
    list_init(&core->doubts.condemned);
}

static void free_node(struct doubt_node *node)
{
    list_remove(&node->held);
    list_remove(&node->condemned);
    free(node->name);
    free(node->aside);
    free(node);
}

void doubt_fini(struct core *core)
{
    struct map_entry entry;
    for (size_t at = 0; map_next(&core->doubts.nodes, &at, &entry);)
        free_node(entry.value);
    map_fini(&core->doubts.nodes);
}

/* --- nodes and their workers --- */

static struct doubt_node *find_node(const struct core *core, const char *name)
{
    return map_get(&core->doubts.nodes, hash_text(name));
}

static struct doubt_node *add_node(struct core *core, const char *name)
{
    struct doubt_node *node = MEM_NEW(struct doubt_node);
    node->name = mem_text(name);
    node->key = hash_text(name);
    list_init(&node->workers);
    list_init(&node->trials);
    map_put(&core->doubts.nodes, node->key, node);
    return node;
}

void doubt_leave(struct core *core, struct worker *worker)
{
    struct doubt_node *node = worker->doubt_node;
    worker->doubt_node = NULL;
    list_remove(&worker->same_node);
    if (!node || !list_is_empty(&node->workers) || !list_is_empty(&node->trials) || node->aside)
        return;
    core->doubts.held_count -= list_has(&node->held);
    map_remove(&core->doubts.nodes, node->key);
    free_node(node);
}

void doubt_enter(struct core *core, struct worker *worker)
{
    struct doubt_node *node = find_node(core, worker->node);
    if (node && node == worker->doubt_node)
        return;
    doubt_leave(core, worker);
    node = find_node(core, worker->node);
    worker->doubt_node = node ? node : add_node(core, worker->node);
    list_append(&worker->doubt_node->workers, &worker->same_node);
}

bool doubt_holds(const struct worker *worker)
{
    return worker->doubt_node && list_has(&worker->doubt_node->held);
}

const char *doubt_refuses(const struct core *core, const char *name)
{
    const struct doubt_node *node = find_node(core, name);
    return node ? node->aside : NULL;
}

static uint32_t count_fit(const struct doubt_node *node)
{
    uint32_t count = 0;
    for (const struct list_link *link = node->workers.after; link != &node->workers; link = link->after)
        count += LIST_ITEM(link, struct worker, same_node)->fit;
    return count;
}

/* Whether trials have somewhere to run while this node and those that are held get none. */
static bool others_get_trials(const struct core *core, const struct doubt_node *node)
{
    uint32_t others = core->fit - (list_has(&node->held) ? 0 : count_fit(node));
    for (const struct list_link *link = core->doubts.held.after; link != &core->doubts.held; link = link->after)
        others -= count_fit(LIST_ITEM(link, struct doubt_node, held));
    return others >= gang_nodes(core);
}

static void refresh_slots(struct core *core, const struct doubt_node *node)
{
    for (const struct list_link *link = node->workers.after; link != &node->workers; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_node);
        for (uint32_t i = 0; i < worker->slot_count; i++)
            vacancy_refresh(core, worker->slots[i]);
    }
}

static void hold(struct core *core, struct doubt_node *node)
{
    node->held_until = core->now + HELD_SECONDS;
    if (list_has(&node->held))
        return;
    list_append(&core->doubts.held, &node->held);
    core->doubts.held_count++;
    refresh_slots(core, node);
}

static void let_go(struct core *core, struct doubt_node *node)
{
    list_remove(&node->held);
    core->doubts.held_count--;
    refresh_slots(core, node);
}

/* --- words --- */

static struct doubt_words *find_words(struct core *core, uint64_t key)
{
    for (uint32_t i = 0; i < DOUBT_WORDS; i++)
        if (core->doubts.words[i].key == key)
            return &core->doubts.words[i];
    return NULL;
}

/* These words were heard on this node: whether they are its own so far. */
static bool hear_words(struct core *core, uint64_t key, const struct doubt_node *node)
{
    struct doubts *doubts = &core->doubts;
    struct doubt_words *words = find_words(core, key);
    if (!words) {
        words = &doubts->words[doubts->words_count++ % DOUBT_WORDS];
        *words = (struct doubt_words){key, node->key};
    }
    if (words->node != node->key)
        words->node = 0;
    return words->node;
}

/* --- doubts --- */

void doubt_forget(struct trial *trial)
{
    trial->doubt.node = NULL;
    list_remove(&trial->doubt.link);
}

/* The node may have a share in an attempt on several, and in one that it was given when it was held no more. */
static bool had_part(const struct core *core, const struct trial *trial, const struct doubt_node *node)
{
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct worker *worker = workers_find(core, trial->runs[i].worker);
        if (trial->runs[i].attempt == trial->attempts && worker && worker->doubt_node == node)
            return true;
    }
    return false;
}

/* Another node does well with what failed there. */
static void bear_out(struct core *core, struct trial *trial)
{
    struct doubt_node *node = trial->doubt.node;
    bool own = !had_part(core, trial, node);
    doubt_forget(trial);
    if (!own)
        return;
    core->doubts.mistaken = 0;
    node->alone++;
    if (node->alone >= MOST_ALONE && !node->aside && !list_has(&node->condemned))
        list_append(&core->doubts.condemned, &node->condemned);
}

void doubt_success(struct core *core, struct trial *trial)
{
    if (trial->doubt.node)
        bear_out(core, trial);
    for (size_t i = 0; i < trial->run_count; i++) {
        const struct worker *worker = workers_find(core, trial->runs[i].worker);
        if (trial->runs[i].attempt != trial->attempts || !worker || !worker->doubt_node)
            continue;
        worker->doubt_node->fine = true;
        worker->doubt_node->alone = 0;
    }
}

void doubt_further(struct core *core, struct trial *trial)
{
    if (trial->doubt.node && trial->highest > trial->doubt.step)
        bear_out(core, trial);
}

static bool may_doubt(const struct core *core, const struct trial *trial, const struct doubt_node *node)
{
    const struct doubts *doubts = &core->doubts;
    bool has_room = list_has(&node->held) || doubts->held_count < MOST_HELD;
    return core->state == EXPERIMENT_RUNNING && !trial->cancel && !trial->stop && has_room &&
           trial->doubt.times < MOST_TIMES && doubts->mistaken < MOST_MISTAKEN && others_get_trials(core, node);
}

bool doubt_failure(struct core *core, struct trial *trial, enum ending ending, const struct outcome *outcome, char *why,
                   size_t size)
{
    char words[sizeof((struct streak *)0)->words];
    struct doubt_node *node = outcome->node ? find_node(core, outcome->node) : NULL;
    uint64_t key = streak_key(ending, outcome->detail, outcome->tail, words, sizeof words);
    bool elsewhere = trial->doubt.node && trial->doubt.node != node, ran = ending_retry(ending) != RETRY_FREE;
    if (elsewhere && ran && ending_retry(ending) != RETRY_LATER) {
        core->doubts.mistaken += key != 0;
        doubt_forget(trial);
    }
    if (!node || !key)
        return false;
    bool was_fine = node->fine, own = hear_words(core, key, node);
    node->fine = false;
    snprintf(node->words, sizeof node->words, "%.*s", (int)sizeof node->words - 1,
             *words ? words : ending_sentence(ending));
    if (elsewhere || was_fine || !own || !may_doubt(core, trial, node))
        return false;
    doubt_forget(trial);
    trial->doubt.node = node;
    trial->doubt.step = trial->highest;
    trial->doubt.times++;
    list_append(&node->trials, &trial->doubt.link);
    hold(core, node);
    snprintf(why, size, "on node %s: %s; another node is to try it, since it may be that node's fault", node->name,
             node->words);
    return true;
}

/* --- what follows --- */

static void set_aside(struct core *core, struct doubt_node *node)
{
    list_remove(&node->condemned);
    if (!others_get_trials(core, node)) {
        node->alone = 0;
        return;
    }
    node->aside =
        mem_format("trials fail on this node alone, other nodes are fine: %s; mend that there, and a search that "
                   "is resumed takes the node again",
                   node->words);
    for (struct list_link *link = node->workers.after; link != &node->workers; link = link->after) {
        struct worker *worker = LIST_ITEM(link, struct worker, same_node);
        if (!worker->aside)
            conduct_set_aside(core, worker, node->aside);
    }
}

void doubt_check(struct core *core)
{
    struct list_link *link;
    while ((link = list_first(&core->doubts.condemned)))
        set_aside(core, LIST_ITEM(link, struct doubt_node, condemned));
    for (link = core->doubts.held.after; link != &core->doubts.held;) {
        struct doubt_node *node = LIST_ITEM(link, struct doubt_node, held);
        link = link->after;
        if (list_is_empty(&node->trials) || core->now >= node->held_until || !others_get_trials(core, node))
            let_go(core, node);
    }
}
