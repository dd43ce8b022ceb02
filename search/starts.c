/* Start points; see starts.h. */
#include "search/starts.h"
#include "common/mem.h"
#include "common/rng.h"

#include <stdlib.h>

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
