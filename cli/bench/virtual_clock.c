/* The virtual clock; see virtual_clock.h. */
#include "cli/bench/virtual_clock.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- how long trials take --- */

static const char *const names[] = {
#define X(id, name, meaning) [DURATION_##id] = name,
    DURATIONS(X)
#undef X
};

bool durations_find(const char *name, enum duration_kind *kind)
{
    for (int i = 0; i < DURATION_KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            *kind = (enum duration_kind)i;
            return true;
        }
    return false;
}

/* A draw of mean 1. */
static double draw_share(enum duration_kind kind, struct rng *rng)
{
    const double sigma = 0.5;
    switch (kind) {
    case DURATION_UNIFORM:
        return 0.5 + rng_unit(rng);
    case DURATION_EXPONENTIAL:
        return -log1p(-rng_unit(rng));
    case DURATION_LOGNORMAL: /* the mean of exp(sigma z) is exp(sigma^2 / 2) */
        return exp(sigma * rng_normal(rng) - sigma * sigma / 2);
    default:
        return 1;
    }
}

double durations_draw(const struct durations *durations, uint64_t seed, uint64_t trial)
{
    struct rng rng = rng_make(seed, "duration", trial);
    return durations->mean * draw_share(durations->kind, &rng);
}

/* --- what is to happen --- */

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
