/* Random search: every proposal is drawn anew from the space's own distribution. The reference for all others, and the
 * one to read first. (Bergstra, Bengio: "Random search for hyper-parameter optimization", JMLR 13, 2012.) */
#include "search/registry.h"
#include "common/mem.h"

#include <stdlib.h>

struct random_search {
    uint32_t count; /* of parameters */
};

static void *create_random(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                           size_t why_size)
{
    (void)host, (void)why, (void)why_size;
    struct random_search *self = MEM_NEW(struct random_search);
    self->count = problem->space->count;
    return self;
}

static enum gannet_answer ask_random(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const struct random_search *search = self;
    uint64_t state = ask->random;
    for (uint32_t i = 0; i < search->count; i++)
        unit[i] = gannet_random(&state);
    return GANNET_PROPOSED;
}

const struct gannet_strategy random_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "random",
    .summary = "independent random configurations; the reference for all others",
    .create = create_random,
    .ask = ask_random,
    .destroy = free,
};
