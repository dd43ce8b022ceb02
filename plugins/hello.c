/* hello: the smallest complete strategy, and the manual of the interface. It climbs: at first it guesses, then it tries
 * neighbours of the best configuration so far and moves to one that is better. To build and use it:
 *
 *     cc -shared -fPIC -o hello.so hello.c        strategy: {name: hello, plugin: ./hello.so, options: {step: 0.1}} */
#include "strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gannet_option options[] = {
    {.name = "step",
     .type = GANNET_NUMBER,
     .min = 0,
     .max = 1,
     .default_value = "0.1",
     .help = "largest step, 1: the range"},
    {.name = NULL},
};

struct hello {
    const struct gannet_problem *problem;
    double best_loss; /* infinite: nothing is known yet */
    double best[];    /* its point, a coordinate for each parameter; NaN: inactive */
};

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    struct hello *hello = calloc(1, sizeof *hello + problem->space->count * sizeof(double));
    (void)host;
    if (hello)
        *hello = (struct hello){.problem = problem, .best_loss = INFINITY};
    else
        snprintf(why, why_size, "out of memory");
    return hello;
}

/* All randomness comes from the ask, so that the same history gives the same proposals. Choices have no neighbours:
 * they are kept or guessed anew. gannet moves what lies outside 0..1 to the end. */
static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    const struct hello *hello = self;
    double step = hello->problem->options[0].number * (1 + ask->retry); /* further when all that is near was tried */
    uint64_t state = ask->random;
    (void)why, (void)why_size;
    for (uint32_t i = 0; i < hello->problem->space->count; i++) {
        double guess = gannet_random(&state), move = step * (2 * gannet_random(&state) - 1);
        bool choice = hello->problem->space->params[i].kind == GANNET_CHOICE;
        bool anew = isinf(hello->best_loss) || isnan(hello->best[i]) || (choice && fabs(move) < step * step);
        unit[i] = anew ? guess : choice ? hello->best[i] : hello->best[i] + move;
    }
    return GANNET_PROPOSED;
}

static void tell(void *self, const struct gannet_outcome_of_trial *told)
{
    struct hello *hello = self;
    if (told->outcome != GANNET_FINISHED || told->loss >= hello->best_loss)
        return;
    hello->best_loss = told->loss;
    memcpy(hello->best, told->unit, hello->problem->space->count * sizeof(double));
}

const struct gannet_strategy gannet_strategy = {.abi = GANNET_STRATEGY_ABI,
                                                .name = "hello",
                                                .summary = "small steps from the best configuration so far; an example",
                                                .options = options,
                                                .uses_history = true,
                                                .create = create,
                                                .ask = ask,
                                                .tell = tell,
                                                .destroy = free};
