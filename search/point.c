/* Points and configurations: making points canonical, reading them, walking over all of them; see space.h. Coordinates
 * stand in an order in which parents come before their children, so one pass from the first to the last decides. */
#include "search/tables.h"

#include <assert.h>
#include <math.h>

void space_snap(const struct space *space, double *unit)
{
    for (uint32_t c = 0; c < space->dimension; c++) {
        const struct space_entry *entry = space_searched(space, c);
        if (!entry_active(space, entry, unit))
            unit[c] = NAN;
        else
            unit[c] = scale_unit(&entry->scale, scale_natural(&entry->scale, isnan(unit[c]) ? 0.5 : unit[c]));
    }
}

void space_config(const struct space *space, const double *unit, struct value *config)
{
    for (size_t i = 0; i < space->count; i++) {
        const struct space_entry *entry = &space->entries[i];
        if (!entry_active(space, entry, unit))
            config[i] = (struct value){0};
        else if (entry->param.kind == PARAM_CONSTANT)
            config[i] = param_value(&entry->param, 0);
        else
            config[i] = param_value(&entry->param, scale_natural(&entry->scale, unit[entry->coordinate]));
    }
}

int space_point(const struct space *space, const struct value *config,
                double (*fill)(void *context, uint32_t coordinate), void *context, double *unit, struct err *err)
{
    for (size_t i = 0; i < space->count; i++) {
        const struct space_entry *entry = &space->entries[i];
        const struct value *value = config[i].kind != VALUE_NONE ? &config[i] : &entry->param.default_value;
        bool constant = entry->param.kind == PARAM_CONSTANT;
        double natural;
        if (config[i].kind == VALUE_NONE && constant)
            continue;
        if (value->kind == VALUE_NONE)
            unit[entry->coordinate] = fill ? fill(context, entry->coordinate) : 0.5;
        else if (param_natural(&entry->param, &entry->scale, value, &natural, err))
            return -1;
        else if (!constant)
            unit[entry->coordinate] = scale_unit(&entry->scale, natural);
    }
    space_snap(space, unit);
    return 0;
}

/* All coordinates from `from` on at their first level. */
static void restart_from(const struct space *space, double *unit, uint32_t from)
{
    for (uint32_t c = from; c < space->dimension; c++)
        unit[c] = scale_middle(&space_searched(space, c)->scale, 0);
    space_snap(space, unit);
}

void space_first(const struct space *space, double *unit)
{
    assert(isfinite(space->size));
    restart_from(space, unit, 0);
}

/* Like counting: the last active digit that can go up does, and all behind it begin anew. */
bool space_next(const struct space *space, double *unit)
{
    assert(isfinite(space->size));
    for (uint32_t c = space->dimension; c-- > 0;) {
        const struct param_scale *scale = &space_searched(space, c)->scale;
        uint64_t level = isnan(unit[c]) ? scale->levels : scale_level(scale, unit[c]);
        if (level + 1 < scale->levels) {
            unit[c] = scale_middle(scale, level + 1);
            restart_from(space, unit, c + 1);
            return true;
        }
    }
    return false;
}
