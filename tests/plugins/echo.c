/* A strategy whose proposals say what it was told: a parameter with one of these names gets that number. */
#include "strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct echo {
    const struct gannet_space *space;
    const struct gannet_host *host;
    int notes, tells;
    struct gannet_outcome_of_trial last; /* its point is not kept */
};

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    struct echo *echo = calloc(1, sizeof *echo);
    if (echo) {
        echo->space = problem->space;
        echo->host = host;
    }
    return echo;
}

static double number(const struct echo *echo, const struct gannet_ask *ask, const char *name)
{
    if (strcmp(name, "trial") == 0)
        return (double)ask->trial;
    if (strcmp(name, "retry") == 0)
        return ask->retry;
    if (strcmp(name, "notes") == 0)
        return echo->notes;
    if (strcmp(name, "tells") == 0)
        return echo->tells;
    if (strcmp(name, "told") == 0)
        return (double)echo->last.trial;
    if (strcmp(name, "outcome") == 0)
        return echo->last.outcome;
    if (strcmp(name, "loss") == 0)
        return isnan(echo->last.loss) ? -1 : echo->last.loss;
    return echo->last.seconds;
}

static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const struct echo *echo = self;
    for (uint32_t i = 0; i < echo->space->count; i++)
        unit[i] = echo->host->unit(echo->host, i, number(echo, ask, echo->space->params[i].name));
    return GANNET_PROPOSED;
}

static void note(void *self, uint64_t trial, const double *unit)
{
    (void)trial, (void)unit;
    struct echo *echo = self;
    echo->notes++;
}

static void tell(void *self, const struct gannet_outcome_of_trial *told)
{
    struct echo *echo = self;
    echo->tells++;
    echo->last = *told;
}

const struct gannet_strategy gannet_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "echo",
    .summary = "says what it was told",
    .uses_history = true,
    .create = create,
    .ask = ask,
    .note = note,
    .tell = tell,
    .destroy = free,
};
