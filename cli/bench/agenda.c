/* The agenda of the virtual clock; see agenda.h. */
#include "cli/bench/agenda.h"
#include "common/mem.h"

#include <stdlib.h>

void agenda_fini(struct agenda *agenda)
{
    free(agenda->heap);
    *agenda = (struct agenda){0};
}

static bool is_before(const struct agenda_entry *a, const struct agenda_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->trial < b->trial;
}

void agenda_add(struct agenda *agenda, struct agenda_entry entry)
{
    MEM_GROW(agenda->heap, agenda->capacity, agenda->count + 1);
    size_t at = agenda->count++;
    for (; at && is_before(&entry, &agenda->heap[(at - 1) / 2]); at = (at - 1) / 2)
        agenda->heap[at] = agenda->heap[(at - 1) / 2];
    agenda->heap[at] = entry;
}

bool agenda_next(struct agenda *agenda, struct agenda_entry *out)
{
    if (!agenda->count)
        return false;
    *out = agenda->heap[0];
    struct agenda_entry last = agenda->heap[--agenda->count];
    size_t at = 0, child;
    while ((child = 2 * at + 1) < agenda->count) {
        child += child + 1 < agenda->count && is_before(&agenda->heap[child + 1], &agenda->heap[child]);
        if (!is_before(&agenda->heap[child], &last))
            break;
        agenda->heap[at] = agenda->heap[child];
        at = child;
    }
    agenda->heap[at] = last;
    return true;
}
