/* A strategy that proposes the middle ten times and then thinks for ever. */
#include "strategy.h"

#include <unistd.h>

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    static int nothing;
    (void)host, (void)why, (void)why_size;
    return problem->space->count ? &nothing : NULL;
}

static enum gannet_answer ask(void *self, const struct gannet_ask *question, double *unit, char *why, size_t why_size)
{
    (void)self, (void)why, (void)why_size;
    while (question->trial > 10)
        pause();
    unit[0] = unit[1] = 0.05 * (double)question->trial;
    return GANNET_PROPOSED;
}

static void destroy(void *self)
{
    (void)self;
}

const struct gannet_strategy gannet_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "stuck",
    .summary = "proposes ten points and then thinks for ever",
    .create = create,
    .ask = ask,
    .destroy = destroy,
};
