/* Waiting trials: first come, first served; those that were given back or are tried again go to the front, so that no
 * trial waits for ever behind new ones. */
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

struct trial *queue_pop(struct core *core)
{
    struct list_link *first = list_first(&core->queue);
    if (!first)
        return NULL;
    list_remove(first);
    return LIST_ITEM(first, struct trial, queue);
}
