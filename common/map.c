/* Hash map with linear probing and backward-shift deletion; see map.h. */
#include "common/map.h"
#include "common/mem.h"

#include <assert.h>
#include <stdlib.h>

/* Keys are numbers that count up, or were mixed already: all of their bits have to reach the lowest ones, no more. */
static size_t home_of(const struct map *map, uint64_t key)
{
    key = (key ^ key >> 32) * 0x9e3779b97f4a7c15;
    return (size_t)(key ^ key >> 32) & (map->capacity - 1);
}

/* The entry of the key, or the free one where it would go. */
static size_t place_of(const struct map *map, uint64_t key)
{
    size_t at = home_of(map, key);
    while (map->entries[at].value && map->entries[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

static void grow_map(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : 16;
    map->entries = MEM_ARRAY(struct map_entry, map->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.entries[i].value)
            map->entries[place_of(map, old.entries[i].key)] = old.entries[i];
    free(old.entries);
}

void map_fini(struct map *map)
{
    free(map->entries);
    *map = (struct map){0};
}

void *map_get(const struct map *map, uint64_t key)
{
    return map->capacity ? map->entries[place_of(map, key)].value : NULL;
}

void *map_put(struct map *map, uint64_t key, void *value)
{
    assert(value);
    if ((map->count + 1) * 2 > map->capacity) /* half full: a key is found within two or three entries */
        grow_map(map);
    struct map_entry *entry = &map->entries[place_of(map, key)];
    void *before = entry->value;
    map->count += !before;
    *entry = (struct map_entry){key, value};
    return before;
}

void *map_remove(struct map *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    size_t hole = place_of(map, key);
    void *value = map->entries[hole].value;
    if (!value)
        return NULL;
    map->count--;
    /* Every later entry of the run that could be in the hole moves up, so that no probe ends early. */
    for (size_t at = (hole + 1) & (map->capacity - 1); map->entries[at].value; at = (at + 1) & (map->capacity - 1)) {
        size_t home = home_of(map, map->entries[at].key);
        if (((at - home) & (map->capacity - 1)) >= ((at - hole) & (map->capacity - 1))) {
            map->entries[hole] = map->entries[at];
            hole = at;
        }
    }
    map->entries[hole].value = NULL;
    return value;
}

bool map_next(const struct map *map, size_t *at, struct map_entry *out)
{
    while (*at < map->capacity) {
        const struct map_entry *entry = &map->entries[(*at)++];
        if (entry->value) {
            *out = *entry;
            return true;
        }
    }
    return false;
}
