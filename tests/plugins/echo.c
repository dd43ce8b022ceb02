/* A strategy whose proposals say what it was told: a parameter with one of these names gets that number. */
#include "strategy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct echo {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    int notes, observes, tells, pasts;
    struct gannet_outcome_of_trial last; /* observed or told; what it points at is not kept */
    double second, violation;            /* of the last: its second loss, its first violation */
    struct gannet_past past;
};

static void *create(const struct gannet_problem *problem, const struct gannet_host *host, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    struct echo *echo = calloc(1, sizeof *echo);
    if (echo) {
        echo->problem = problem;
        echo->host = host;
    }
    return echo;
}

static double known(double number)
{
    return isnan(number) ? -1 : number;
}

static double number(const struct echo *echo, const struct gannet_ask *ask, const char *name)
{
    const struct {
        const char *name;
        double number;
    } rows[] = {
        {"trial", (double)ask->trial},
        {"retry", ask->retry},
        {"objectives", echo->problem->objectives},
        {"limits", echo->problem->limits},
        {"max_steps", (double)echo->problem->max_steps},
        {"can_continue", echo->problem->can_continue},
        {"notes", echo->notes},
        {"observes", echo->observes},
        {"tells", echo->tells},
        {"told", (double)echo->last.trial},
        {"outcome", echo->last.outcome},
        {"loss", known(echo->last.loss)},
        {"second", known(echo->second)},
        {"violation", known(echo->violation)},
        {"seconds", echo->last.seconds},
        {"step", (double)echo->last.step},
        {"pasts", echo->pasts},
        {"source", echo->past.source},
        {"past_outcome", echo->past.outcome},
        {"past_loss", known(echo->past.loss)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return rows[i].number;
    return NAN;
}

static enum gannet_answer ask(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const struct echo *echo = self;
    const struct gannet_space *space = echo->problem->space;
    for (uint32_t i = 0; i < space->count; i++)
        unit[i] = echo->host->unit(echo->host, i, number(echo, ask, space->params[i].name));
    *ask->from = ask->trial > 1 ? ask->trial - 1 : 0;
    return GANNET_PROPOSED;
}

static void note(void *self, uint64_t trial, const double *unit)
{
    (void)trial, (void)unit;
    struct echo *echo = self;
    echo->notes++;
}

static void keep(struct echo *echo, const struct gannet_outcome_of_trial *last)
{
    echo->last = *last;
    echo->second = echo->problem->objectives > 1 ? last->losses[1] : NAN;
    echo->violation = echo->problem->limits ? last->violation[0] : NAN;
}

static void learn(void *self, const struct gannet_past *past)
{
    struct echo *echo = self;
    echo->pasts++;
    echo->past = *past;
}

static void observe(void *self, const struct gannet_outcome_of_trial *so_far)
{
    struct echo *echo = self;
    echo->observes++;
    keep(echo, so_far);
}

static void tell(void *self, const struct gannet_outcome_of_trial *told)
{
    struct echo *echo = self;
    echo->tells++;
    keep(echo, told);
}

const struct gannet_strategy gannet_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "echo",
    .summary = "says what it was told",
    .uses_history = true,
    .create = create,
    .learn = learn,
    .ask = ask,
    .note = note,
    .observe = observe,
    .tell = tell,
    .destroy = free,
};
