/* Waiting trials: first come, first served; those that were given back or are tried again go to the front, so that no
 * trial waits for ever behind new ones. Each has the size of what it is predicted to need, so that the first one that
 * fits into the time of a slot is found without looking at those before it. Suspects (suspect.c) and those that
 * need more memory than a slot has (large.c) have queues of their own.
 *
 * A prediction is renewed when more is known of how long trials run: some with every input, the oldest first, so that
 * no input costs more because the queue is long, and at once for a trial that is about to be leased. */
#include "scheduler/core/queue.h"
#include "scheduler/core/core_parts.h"
#include "scheduler/core/suspect.h"
#include "scheduler/core/trial.h"
#include "scheduler/core/walltime.h"

#include <math.h>

static struct trial *trial_of(struct fitqueue_item *item)
{
    return item ? LIST_ITEM(item, struct trial, queue) : NULL;
}

/* What the trial needs, as the queue sees it. */
static double size_of(struct core *core, struct trial *trial)
{
    trial->need = walltime_matters(core) ? walltime_predict(core, trial) : -1;
    trial->need_version = walltime_version(core);
    return trial->need < 0 ? -INFINITY : trial->need;
}

void queue_push(struct core *core, struct trial *trial, bool in_front)
{
    if (trial->queue.queue)
        return;
    struct fitqueue *queue = suspect_is(trial)       ? &core->suspects.queue
                             : large_is(core, trial) ? &core->large.queue
                                                     : &core->queue;
    fitqueue_add(queue, &trial->queue, size_of(core, trial), in_front ? --core->front : core->back++);
    list_append(&core->predicted, &trial->predicted);
}

void queue_remove(struct trial *trial)
{
    fitqueue_remove(&trial->queue);
    list_remove(&trial->predicted);
}

struct trial *queue_head(const struct core *core)
{
    const struct fitqueue *queues[] = {&core->queue, &core->large.queue, &core->suspects.queue};
    struct trial *trial = NULL;
    for (size_t i = 0; !trial && i < sizeof queues / sizeof *queues; i++)
        trial = trial_of(fitqueue_first(queues[i], INFINITY));
    return trial;
}

bool queue_renew(struct core *core, struct trial *trial)
{
    if (trial->need_version == walltime_version(core))
        return true;
    if (!core->predictions_left)
        return false;
    core->predictions_left--;
    fitqueue_resize(&trial->queue, size_of(core, trial));
    list_remove(&trial->predicted);
    list_append(&core->predicted, &trial->predicted);
    return true;
}

static struct trial *find_oldest(const struct core *core)
{
    struct list_link *first = list_first(&core->predicted);
    return first ? LIST_ITEM(first, struct trial, predicted) : NULL;
}

bool queue_is_renewed(const struct core *core)
{
    const struct trial *oldest = find_oldest(core);
    return !oldest || oldest->need_version == walltime_version(core);
}

void queue_renew_some(struct core *core, uint32_t most)
{
    core->predictions_left = most;
    while (!queue_is_renewed(core) && queue_renew(core, find_oldest(core)))
        ;
    core->predictions_left = most;
}
