/* A hash set with linear probing; see set.h. */
#include "common/set.h"
#include "common/mem.h"

#include <stdlib.h>

/* Where the number is, or the free place where it would go. The low bits are mixed with the high ones only, since
 * the numbers are hashes already. */
static uint64_t *place_of(const struct set *set, uint64_t number)
{
    size_t at = (size_t)(number ^ number >> 32) & (set->capacity - 1);
    while (set->places[at] && set->places[at] != number)
        at = (at + 1) & (set->capacity - 1);
    return &set->places[at];
}

static void grow_set(struct set *set)
{
    struct set old = *set;
    set->capacity = old.capacity ? old.capacity * 2 : 16;
    set->places = MEM_ARRAY(uint64_t, set->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.places[i])
            *place_of(set, old.places[i]) = old.places[i];
    free(old.places);
}

void set_fini(struct set *set)
{
    free(set->places);
    *set = (struct set){0};
}

void set_add(struct set *set, uint64_t number)
{
    if (set_has(set, number))
        return;
    set->count++;
    if (!number) {
        set->has_zero = true;
        return;
    }
    if (set->count * 8 > set->capacity * 7)
        grow_set(set);
    *place_of(set, number) = number;
}

bool set_has(const struct set *set, uint64_t number)
{
    if (!number)
        return set->has_zero;
    return set->capacity && *place_of(set, number);
}
