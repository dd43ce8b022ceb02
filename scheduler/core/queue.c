/* Waiting trials: first come, first served; those that were given back or are tried again go to the front, so that no
 * trial waits for ever behind new ones. Those that would not end before the deadline are put aside: time only gets
 * shorter, so they are not looked at again before the deadline is moved or more is known of how long trials run. */
#include "scheduler/core/parts.h"

void queue_push(struct core *core, struct trial *trial, bool in_front)
{
    if (list_has(&trial->queue))
        return;
    if (in_front)
        list_prepend(&core->queue, &trial->queue);
    else
        list_append(&core->queue, &trial->queue);
}

void queue_restore(struct core *core)
{
    struct list_link *last;
    while ((last = core->exceeds_walltime.before) != &core->exceeds_walltime) {
        list_remove(last);
        list_prepend(&core->queue, last);
        LIST_ITEM(last, struct trial, queue)->exceeds_walltime = false;
    }
    core->exceeding_count = 0;
}

void queue_look_again(struct core *core)
{
    if (core->exceeding_version == forecast_version(core->forecast))
        return;
    core->exceeding_version = forecast_version(core->forecast);
    queue_restore(core);
}

static void put_aside(struct core *core, struct trial *trial)
{
    list_append(&core->exceeds_walltime, &trial->queue);
    trial->exceeds_walltime = true;
    core->exceeding_count++;
}

struct trial *queue_pop_for(struct core *core, const struct worker *worker)
{
    for (struct list_link *link = core->queue.after; link != &core->queue; link = link->after) {
        struct trial *trial = LIST_ITEM(link, struct trial, queue);
        if (!walltime_fits_worker(core, trial, worker))
            continue;
        list_remove(link);
        return trial;
    }
    return NULL;
}

struct trial *queue_pop(struct core *core)
{
    struct list_link *first;
    while ((first = list_first(&core->queue))) {
        struct trial *trial = LIST_ITEM(first, struct trial, queue);
        list_remove(first);
        if (walltime_fits(core, trial))
            return trial;
        put_aside(core, trial);
    }
    return NULL;
}
