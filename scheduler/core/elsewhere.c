/* Trials that failed on a node and that another one is to try (node_fault.c) wait at the front of the queue. When that
 * node gets trials again before another one had a vacant slot, it is given what is behind them; when nothing is, a new
 * one that the strategy is asked for; and only when there will be none, one of them once more. So a node that works
 * goes on however long the others are busy, and no configuration is tried there again and again. */
#include "scheduler/core/elsewhere.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/node_health.h"
#include "scheduler/core/proposals.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/workers.h"

/* So many are passed over at most: a node has a few slots, and what failed there is soon tried elsewhere. */
enum { MOST_PASSED_OVER = 32 };

void elsewhere_begin(struct core *core)
{
    list_init(&core->elsewhere.passed);
    core->elsewhere.count = 0;
}

static struct trial *trial_of(struct fitqueue_item *item)
{
    return item ? LIST_ITEM(item, struct trial, queue) : NULL;
}

static bool failed_there(const struct core *core, const struct trial *trial, const struct slot *slot)
{
    const struct node_health *node = trial->node_fault.node;
    return node && node == slot->worker->health && node_health_others_get_trials(core, node);
}

/* The first one that did not fail there; NULL: there is none. */
static struct trial *find_other(struct core *core, const struct slot *slot, double capacity)
{
    struct fitqueue_item *passed[MOST_PASSED_OVER], *item;
    int64_t places[MOST_PASSED_OVER];
    double sizes[MOST_PASSED_OVER];
    int count = 0;
    while ((item = fitqueue_first(&core->queue, capacity)) && failed_there(core, trial_of(item), slot) &&
           count < MOST_PASSED_OVER) {
        core->counters.looks++;
        passed[count] = item;
        places[count] = item->place;
        sizes[count++] = item->size;
        fitqueue_remove(item);
    }
    struct trial *other = item && !failed_there(core, trial_of(item), slot) ? trial_of(item) : NULL;
    while (count-- > 0) /* the last one first: each goes in front of those behind it */
        fitqueue_add(&core->queue, passed[count], sizes[count], places[count]);
    return other;
}

/* Whether the strategy is asked for another one, was, or will be. */
static bool comes_another(struct core *core)
{
    core->elsewhere.count++;
    if (proposals_come(core))
        return true;
    core->elsewhere.count--;
    return false;
}

struct trial *elsewhere_choose(struct core *core, struct slot *slot, double capacity)
{
    struct trial *first = trial_of(fitqueue_first(&core->queue, capacity));
    if (!failed_there(core, first, slot))
        return first;
    struct trial *other = find_other(core, slot, capacity);
    if (other || !comes_another(core))
        return other ? other : first;
    vacancy_remove(core, slot);
    list_append(&core->elsewhere.passed, &slot->passed);
    return NULL;
}

void elsewhere_end(struct core *core)
{
    struct list_link *link;
    while ((link = list_first(&core->elsewhere.passed))) {
        list_remove(link);
        vacancy_refresh(core, LIST_ITEM(link, struct slot, passed));
    }
}
