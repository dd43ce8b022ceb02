/* A strategy whose table of options is wrong: a default outside its range. */
#include "strategy.h"

#include <stdlib.h>

static const struct gannet_option options[] = {
    {.name = "step", .type = GANNET_NUMBER, .min = 0, .max = 1, .default_value = "2", .help = "wrong"}, {.name = NULL}};

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    (void)problem, (void)host, (void)why, (void)why_size;
    return malloc(1);
}

static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)self, (void)ask, (void)unit, (void)why, (void)why_size;
    return GANNET_NO_MORE;
}

const struct gannet_strategy gannet_strategy = {.abi = GANNET_STRATEGY_ABI,
                                                .name = "unset",
                                                .summary = "a default outside its range",
                                                .options = options,
                                                .create = create,
                                                .ask = ask,
                                                .destroy = free};
