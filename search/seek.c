/* Looking for a usable configuration; see seek.h. */
#include "search/seek.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point costs about a microsecond. Infinite spaces get a second, so that one allowed part in 100,000 is found;
 * finite ones a millisecond of random points, which spread better, then a walk: of some seconds at most, but without
 * constraints to the end, since then only what was proposed before is passed over. */
enum { DRAWS_INFINITE = 1000000, DRAWS_FINITE = 1000, MOST_STEPS = 5000000 };

static void draw_point(const struct space *space, struct rng *rng, double *unit)
{
    for (uint32_t c = 0; c < space_dimension(space); c++)
        unit[c] = rng_unit(rng);
    space_snap(space, unit);
}

static bool same_point(const double *a, const double *b, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++)
        if (a[c] != b[c] && !(isnan(a[c]) && isnan(b[c])))
            return false;
    return true;
}

/* From a point once around the space, back to it. */
static enum seek_result walk_points(const struct space *space, seek_usable *usable, void *context, double *unit,
                                    uint64_t *tried)
{
    uint32_t dimension = space_dimension(space);
    double *start = MEM_ARRAY(double, dimension);
    memcpy(start, unit, dimension * sizeof *unit);
    bool to_the_end = space_constraint_count(space) == 0;
    enum seek_result result = SEEK_GAVE_UP;
    for (int i = 0; (to_the_end || i < MOST_STEPS) && result == SEEK_GAVE_UP; i += !to_the_end) {
        ++*tried;
        if (usable(context, unit))
            result = SEEK_FOUND;
        else if (!space_next(space, unit))
            space_first(space, unit);
        if (result != SEEK_FOUND && same_point(unit, start, dimension))
            result = SEEK_NONE;
    }
    free(start);
    return result;
}

enum seek_result seek_point(const struct space *space, uint64_t seed, uint64_t trial, seek_usable *usable,
                            void *context, double *unit, uint64_t *tried)
{
    struct rng rng = rng_make(seed, "seek", trial);
    bool finite = isfinite(space_size(space, NULL));
    int draws = finite ? DRAWS_FINITE : DRAWS_INFINITE;
    for (int i = 0; i < draws; i++) {
        draw_point(space, &rng, unit);
        ++*tried;
        if (usable(context, unit))
            return SEEK_FOUND;
    }
    if (!finite)
        return SEEK_GAVE_UP;
    draw_point(space, &rng, unit);
    return walk_points(space, usable, context, unit, tried);
}
