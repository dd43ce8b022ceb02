/* Points that a search has been to; see visited.h. */
#include "search/history/visited.h"
#include "common/hash.h"

#include <math.h>

void visited_init(struct visited *visited, const struct gannet_space *space)
{
    *visited = (struct visited){.dimension = space->count, .finite = isfinite(space->size)};
}

void visited_fini(struct visited *visited)
{
    set_fini(&visited->points);
}

/* An inactive coordinate may be any NaN: all are taken as one number that no coordinate has. */
uint64_t visited_hash(const double *unit, uint32_t dimension)
{
    uint64_t hash = HASH_START;
    for (uint32_t d = 0; d < dimension; d++) {
        double coordinate = isnan(unit[d]) ? -1 : unit[d];
        hash = hash_bytes(hash, &coordinate, sizeof coordinate);
    }
    return hash;
}

void visited_add(struct visited *visited, const double *unit)
{
    if (visited->finite)
        set_add(&visited->points, visited_hash(unit, visited->dimension));
}

bool visited_has(const struct visited *visited, const double *unit)
{
    return visited->finite && set_has(&visited->points, visited_hash(unit, visited->dimension));
}
