/* A strategy without the function that asks. */
#include "strategy.h"

#include <stdlib.h>

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    (void)problem, (void)host, (void)why, (void)why_size;
    return malloc(1);
}

const struct gannet_strategy gannet_strategy = {
    .abi = GANNET_STRATEGY_ABI, .name = "half", .summary = "can't be asked", .create = create, .destroy = free};
