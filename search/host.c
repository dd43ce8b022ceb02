/* The space as strategies see it: the public description and the host's functions; see strategy.h. */
#include "search/tables.h"
#include "common/mem.h"

#include <math.h>

static const struct space *space_of(const struct gannet_host *host)
{
    return ((const struct space_host *)(const void *)host)->space;
}

static void host_snap(const struct gannet_host *host, double *unit)
{
    space_snap(space_of(host), unit);
}

static bool host_allowed(const struct gannet_host *host, const double *unit)
{
    return space_allowed(space_of(host), unit);
}

/* A plug-in's index may be anything. */
static double host_natural(const struct gannet_host *host, uint32_t index, double unit)
{
    const struct space *space = space_of(host);
    return index < space->dimension ? scale_natural(&space_searched(space, index)->scale, unit) : NAN;
}

static double host_unit(const struct gannet_host *host, uint32_t index, double natural)
{
    const struct space *space = space_of(host);
    return index < space->dimension ? scale_unit(&space_searched(space, index)->scale, natural) : NAN;
}

static double host_level(const struct gannet_host *host, uint32_t index, uint64_t level)
{
    const struct space *space = space_of(host);
    if (index >= space->dimension || level >= space_searched(space, index)->scale.levels)
        return NAN;
    return scale_middle(&space_searched(space, index)->scale, level);
}

static enum gannet_kind public_kind(const struct param *param)
{
    switch (param->kind) {
    case PARAM_INT:
        return GANNET_INT;
    case PARAM_CHOICE:
        return param->ordered ? GANNET_ORDERED : GANNET_CHOICE;
    default:
        return GANNET_REAL;
    }
}

static void show_choices(struct space_entry *entry)
{
    entry->value_texts = MEM_ARRAY(char *, entry->param.count);
    for (uint32_t i = 0; i < entry->param.count; i++) {
        struct buf text = {0};
        value_show(&entry->param.values[i], &text);
        entry->value_texts[i] = buf_take(&text);
    }
}

static double preferred_unit(const struct space_entry *entry)
{
    double natural;
    if (entry->param.default_value.kind == VALUE_NONE ||
        param_natural(&entry->param, &entry->scale, &entry->param.default_value, &natural, NULL))
        return NAN;
    return scale_unit(&entry->scale, natural);
}

static void describe_param(struct gannet_param *out, struct space_entry *entry)
{
    const struct param *param = &entry->param;
    bool choice = param->kind == PARAM_CHOICE;
    if (choice)
        show_choices(entry);
    *out = (struct gannet_param){
        .name = param->name,
        .kind = public_kind(param),
        .min = choice ? 0 : param->min,
        .max = choice ? param->count - 1.0 : param->max,
        .log = !choice && param->log,
        .levels = entry->scale.levels,
        .choices = (const char *const *)entry->value_texts,
        .preferred = preferred_unit(entry),
        .conditional = entry->gate_count > 0 || entry->never,
    };
}

void space_describe(struct space *space)
{
    space->params = MEM_ARRAY(struct gannet_param, space->dimension);
    for (uint32_t c = 0; c < space->dimension; c++)
        describe_param(&space->params[c], &space->entries[space->searched[c]]);
    space->public = (struct gannet_space){space->dimension, space->params, space->size};
    space->host.functions = (struct gannet_host){host_snap, host_allowed, host_natural, host_unit, host_level};
    space->host.space = space;
}

const struct gannet_space *space_public(const struct space *space)
{
    return &space->public;
}

const struct gannet_host *space_host(const struct space *space)
{
    return &space->host.functions;
}
