/* Rungs; see rung.h. */
#include "search/stop/rung.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

void rung_init(struct rung *rung, uint32_t objectives)
{
    *rung = (struct rung){.objectives = objectives};
}

void rung_fini(struct rung *rung)
{
    free(rung->entries);
    free(rung->losses);
    *rung = (struct rung){0};
}

static double *losses_at(const struct rung *rung, size_t place)
{
    return rung->losses + place * rung->objectives;
}

/* Whether a is in nothing worse than b and in something better. */
static bool dominates(const double *a, const double *b, uint32_t objectives)
{
    bool better = false;
    for (uint32_t i = 0; i < objectives; i++) {
        if (a[i] > b[i])
            return false;
        better |= a[i] < b[i];
    }
    return better;
}

/* Moves the entry from its place to a better or worse one; those between make room. */
static void move_entry(struct rung *rung, size_t from, size_t to)
{
    size_t m = rung->objectives, low = from < to ? from : to, high = from < to ? to : from;
    struct rung_entry entry = rung->entries[from];
    size_t into = from < to ? low : low + 1, out_of = from < to ? low + 1 : low;
    memmove(rung->entries + into, rung->entries + out_of, (high - low) * sizeof entry);
    rung->entries[to] = entry;
    if (!rung->losses)
        return;
    double *mine = mem_resize(NULL, m, sizeof *mine);
    memcpy(mine, losses_at(rung, from), m * sizeof *mine);
    memmove(losses_at(rung, into), losses_at(rung, out_of), (high - low) * m * sizeof *mine);
    memcpy(losses_at(rung, to), mine, m * sizeof *mine);
    free(mine);
}

/* The first place, before `end`, of an entry that is worse than this key. */
static size_t place_of(const struct rung *rung, double key, size_t end)
{
    size_t low = 0;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (rung->entries[middle].key <= key)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* The first place whose key is not better than this one. */
static size_t first_of(const struct rung *rung, double key)
{
    size_t low = 0, end = rung->count;
    while (low < end) {
        size_t middle = low + (end - low) / 2;
        if (rung->entries[middle].key < key)
            low = middle + 1;
        else
            end = middle;
    }
    return low;
}

/* Counts who dominates whom now that the last entry is there; those that lose a place move behind. */
static void count_domination(struct rung *rung)
{
    size_t last = rung->count - 1;
    const uint32_t m = rung->objectives;
    for (size_t i = 0; i < last; i++) {
        rung->entries[last].key += dominates(losses_at(rung, i), losses_at(rung, last), m);
        rung->entries[i].key += dominates(losses_at(rung, last), losses_at(rung, i), m);
    }
    for (size_t i = 1; i < last; i++) /* nearly sorted: an insertion sort */
        if (rung->entries[i].key < rung->entries[i - 1].key)
            move_entry(rung, i, place_of(rung, rung->entries[i].key, i));
}

size_t rung_add(struct rung *rung, uint64_t trial, const double *losses)
{
    size_t last = rung->count++;
    MEM_GROW(rung->entries, rung->capacity, rung->count);
    rung->entries[last] = (struct rung_entry){.trial = trial & RUNG_MOST_TRIAL, .key = losses[0]};
    if (rung->objectives > 1) {
        MEM_GROW(rung->losses, rung->losses_capacity, rung->count * rung->objectives);
        memcpy(losses_at(rung, last), losses, rung->objectives * sizeof *losses);
        rung->entries[last].key = 0;
        count_domination(rung);
    }
    size_t place = place_of(rung, rung->entries[last].key, last);
    if (place != last)
        move_entry(rung, last, place);
    return place;
}

size_t rung_find(const struct rung *rung, uint64_t trial, double loss)
{
    size_t place = rung->losses ? 0 : first_of(rung, loss);
    while (place < rung->count && (rung->entries[place].trial != trial || rung->entries[place].gone))
        place++;
    return place;
}

double rung_loss(const struct rung *rung, size_t place)
{
    return rung->losses ? losses_at(rung, place)[0] : rung->entries[place].key;
}
