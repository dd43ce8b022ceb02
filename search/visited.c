/* Points that a search has been to; see visited.h. */
#include "search/visited.h"
#include "common/hash.h"

#include <math.h>

static const double cells = 0x1p24; /* of a continuous coordinate's range */

void visited_init(struct visited *visited, const struct gannet_space *space)
{
    *visited = (struct visited){.space = space, .finite = isfinite(space->size)};
}

void visited_fini(struct visited *visited)
{
    set_fini(&visited->points);
    set_fini(&visited->older);
}

/* An inactive coordinate may be any NaN: all are taken as one number that no coordinate has. */
static uint64_t add_coordinate(uint64_t hash, double unit)
{
    double coordinate = isnan(unit) ? -1 : unit;
    return hash_bytes(hash, &coordinate, sizeof coordinate);
}

uint64_t visited_hash(const double *unit, uint32_t dimension)
{
    uint64_t hash = HASH_START;
    for (uint32_t d = 0; d < dimension; d++)
        hash = add_coordinate(hash, unit[d]);
    return hash;
}

/* The hash of the cell that a point lies in; + 0.0 makes -0 a 0. */
static uint64_t cell_hash(const struct visited *visited, const double *unit)
{
    uint64_t hash = HASH_START;
    for (uint32_t d = 0; d < visited->space->count; d++) {
        bool continuous = visited->space->params[d].levels == 0;
        hash = add_coordinate(hash, continuous ? rint(unit[d] * cells) + 0.0 : unit[d]);
    }
    return hash;
}

void visited_add(struct visited *visited, const double *unit)
{
    set_add(&visited->points, cell_hash(visited, unit));
    if (visited->finite || visited->points.count < VISITED_MOST)
        return;
    set_fini(&visited->older);
    visited->older = visited->points;
    visited->points = (struct set){0};
}

bool visited_has(const struct visited *visited, const double *unit)
{
    uint64_t hash = cell_hash(visited, unit);
    return set_has(&visited->points, hash) || set_has(&visited->older, hash);
}
