/* A strategy that misbehaves in the way that its option says. */
#include "strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOT_A_NUMBER,
    OUTSIDE,
    NOTHING,
    SAME,
    LATER,
    ERROR,
    ERROR_MUTE,
    NONSENSE,
    NO_MORE,
    ENDLESS,
    REFUSE,
    REFUSE_MUTE
};
static const char *const modes[] = {"nan",      "outside", "nothing", "same",   "later",       "error", "error_mute",
                                    "nonsense", "no_more", "endless", "refuse", "refuse_mute", NULL};

static const struct gannet_option options[] = {
    {.name = "mode", .type = GANNET_WORD, .words = modes, .default_value = "nan", .help = "what it does"},
    {.name = NULL},
};

struct rogue {
    uint32_t count;
    int mode;
};

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    (void)host;
    int mode = (int)problem->options[0].number;
    if (mode == REFUSE)
        memset(why, 'x', why_size); /* and no zero at the end */
    if (mode == REFUSE || mode == REFUSE_MUTE)
        return NULL;
    struct rogue *rogue = malloc(sizeof *rogue);
    if (rogue)
        *rogue = (struct rogue){problem->space->count, mode};
    return rogue;
}

static void fill(const struct rogue *rogue, double *unit, double value)
{
    for (uint32_t i = 0; i < rogue->count; i++)
        unit[i] = value;
}

static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    const struct rogue *rogue = self;
    switch (rogue->mode) {
    case NOT_A_NUMBER:
        fill(rogue, unit, NAN);
        break;
    case OUTSIDE:
        fill(rogue, unit, ask->trial % 2 ? 1e300 : -INFINITY);
        break;
    case SAME:
        fill(rogue, unit, 0.5);
        break;
    case LATER:
        return GANNET_LATER;
    case ERROR:
        strncpy(why, "the moon is full", why_size);
        return GANNET_ERROR;
    case ERROR_MUTE:
        return GANNET_ERROR;
    case NONSENSE:
        return (enum gannet_answer)77;
    case NO_MORE:
        return GANNET_NO_MORE;
    case ENDLESS:
        memset(why, 'x', why_size);
        return GANNET_ERROR;
    default:
        break;
    }
    return GANNET_PROPOSED;
}

const struct gannet_strategy gannet_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "rogue",
    .summary = "misbehaves",
    .options = options,
    .create = create,
    .ask = ask,
    .destroy = free,
};
