/* Start points; see starts.h. */
#include "search/starts.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways of completing a start point that are tried. */
enum { MOST_TRIES = 1000 };

struct starts {
    const struct space *space;
    uint64_t seed;
    struct value **configs; /* P values each */
    uint32_t count, taken;
};

/* Where the missing values come from. */
struct filling {
    struct rng rng;
    bool used;
};

static double fill_coordinate(void *context, uint32_t coordinate)
{
    (void)coordinate;
    struct filling *filling = context;
    filling->used = true;
    return rng_unit(&filling->rng);
}

/* Completes one until it is usable. What lacks nothing has one chance. */
static bool complete_start(const struct starts *starts, const struct value *config, uint64_t trial, seek_usable *usable,
                           void *context, double *unit)
{
    struct filling filling = {.rng = rng_make(starts->seed, "start", trial), .used = true};
    for (int i = 0; i < MOST_TRIES && filling.used; i++) {
        filling.used = false;
        if (space_point(starts->space, config, fill_coordinate, &filling, unit, NULL) == 0 && usable(context, unit))
            return true;
    }
    return false;
}

/* Remembers the last constraint that was violated. */
struct trial_fit {
    const struct space *space;
    int64_t violated;
};

static bool is_allowed(void *context, const double *unit)
{
    struct trial_fit *fit = context;
    fit->violated = space_violated(fit->space, unit);
    return fit->violated < 0;
}

static int check_start(const struct starts *starts, const struct value *config, double *unit, struct err *err)
{
    struct trial_fit fit = {starts->space, -1};
    if (space_point(starts->space, config, NULL, NULL, unit, err))
        return -1;
    if (complete_start(starts, config, 0, is_allowed, &fit, unit))
        return 0;
    return err_set(err, "it violates the constraint '%s'", space_constraint(starts->space, (uint32_t)fit.violated));
}

static int read_all(struct starts *starts, const char *const *texts, struct err *err)
{
    double *unit = MEM_ARRAY(double, space_dimension(starts->space));
    int result = 0;
    for (uint32_t i = 0; i < starts->count && result == 0; i++) {
        starts->configs[i] = MEM_ARRAY(struct value, space_count(starts->space));
        if (space_config_of_json(starts->space, texts[i], starts->configs[i], err) ||
            check_start(starts, starts->configs[i], unit, err))
            result = err_prefix(err, "start point %u", i + 1);
    }
    free(unit);
    return result;
}

struct starts *starts_create(const struct space *space, uint64_t seed, const char *const *texts, uint32_t count,
                             struct err *err)
{
    struct starts *starts = MEM_NEW(struct starts);
    *starts = (struct starts){.space = space, .seed = seed, .count = count};
    starts->configs = MEM_ARRAY(struct value *, count);
    if (read_all(starts, texts, err) == 0)
        return starts;
    starts_destroy(starts);
    return NULL;
}

void starts_destroy(struct starts *starts)
{
    if (!starts)
        return;
    for (uint32_t i = 0; i < starts->count; i++) {
        if (starts->configs[i])
            space_config_fini(starts->space, starts->configs[i]);
        free(starts->configs[i]);
    }
    free(starts->configs);
    free(starts);
}

bool starts_take(struct starts *starts, uint64_t trial, seek_usable *usable, void *context, double *unit)
{
    while (starts->taken < starts->count)
        if (complete_start(starts, starts->configs[starts->taken++], trial, usable, context, unit))
            return true;
    return false;
}

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
