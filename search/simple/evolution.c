/* Evolution: of a few members of a population that are drawn, the best are parents; of what ended, the best stay.
 *
 * With one objective or several a member's place is the one of ranking.h: by fronts and crowding, as in NSGA-II (Deb,
 * Pratap, Agarwal, Meyarivan: "A fast and elitist multiobjective genetic algorithm: NSGA-II", IEEE TEVC 6(2), 2002).
 * Whenever there are twice as many members as the population has, the worse half goes. `survival: oldest` is
 * regularised evolution instead: members are the last results, whatever they were, so that lucky ones of noisy losses
 * don't stay for ever (Real, Aggarwal, Huang, Le: "Regularized evolution for image classifier architecture search",
 * AAAI 2019). Either way it is steady: a child is made from whatever results are in, and no worker waits for a
 * generation. */
#include "search/registry.h"
#include "search/history/record.h"
#include "search/history/revisit.h"
#include "search/history/ranking.h"
#include "search/simple/breed.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_POPULATION, OPTION_STARTUP, OPTION_TOURNAMENT, OPTION_CROSSOVER, OPTION_SURVIVAL };
static const char *const survivals[] = {"worst", "oldest", NULL};

static const struct gannet_option options[] = {
    [OPTION_POPULATION] = {.name = "population",
                           .type = GANNET_INTEGER,
                           .min = 2,
                           .max = 10000,
                           .default_value = "20",
                           .help = "results that may be parents"},
    [OPTION_STARTUP] = {.name = "startup_trials",
                        .type = GANNET_INTEGER,
                        .min = 1,
                        .max = 1e6,
                        .default_value = "15",
                        .help = "results of random trials before the first child"},
    [OPTION_TOURNAMENT] = {.name = "tournament",
                           .type = GANNET_INTEGER,
                           .min = 1,
                           .max = 1000,
                           .default_value = "5",
                           .help = "members that are drawn, of which the best becomes a parent"},
    [OPTION_CROSSOVER] = {.name = "crossover",
                          .type = GANNET_NUMBER,
                          .min = 0,
                          .max = 1,
                          .default_value = "0.8",
                          .help = "probability that a child has two parents"},
    [OPTION_SURVIVAL] = {.name = "survival",
                         .type = GANNET_WORD,
                         .words = survivals,
                         .default_value = "worst",
                         .help = "who leaves: the worst, or the oldest, which suits noisy losses"},
    {.name = NULL},
};

struct evolution {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    uint32_t size;           /* of the population */
    bool aging;              /* the oldest leave, not the worst */
    struct record **members; /* room for 2 size + 1, in the order of their results */
    uint32_t count;
    uint64_t told;           /* results ever */
    struct revisit *revisit; /* tried before random points */
    struct ranked *order;    /* of the members, the best first */
    uint32_t *place;         /* of each member in that order */
};

static void *create_evolution(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                              size_t why_size)
{
    (void)why, (void)why_size;
    struct evolution *evolution = MEM_NEW(struct evolution);
    evolution->problem = problem;
    evolution->host = host;
    evolution->size = (uint32_t)problem->options[OPTION_POPULATION].number;
    evolution->aging = problem->options[OPTION_SURVIVAL].number == 1;
    evolution->members = MEM_ARRAY(struct record *, 2 * evolution->size + 1);
    evolution->order = MEM_ARRAY(struct ranked, 2 * evolution->size + 1);
    evolution->place = MEM_ARRAY(uint32_t, 2 * evolution->size + 1);
    evolution->revisit = revisit_create(problem, host, 1 + (uint32_t)problem->options[OPTION_STARTUP].number / 2);
    return evolution;
}

static void destroy_evolution(void *self)
{
    struct evolution *evolution = self;
    for (uint32_t i = 0; i < evolution->count; i++)
        free(evolution->members[i]);
    free(evolution->members);
    free(evolution->order);
    free(evolution->place);
    revisit_destroy(evolution->revisit);
    free(evolution);
}

/* --- asking --- */

/* The best of a few members, drawn with replacement. */
static const struct record *choose_parent(const struct evolution *evolution, struct rng *rng)
{
    uint32_t draws = (uint32_t)evolution->problem->options[OPTION_TOURNAMENT].number;
    uint32_t best = (uint32_t)rng_below(rng, evolution->count);
    for (uint32_t i = 1; i < draws; i++) {
        uint32_t at = (uint32_t)rng_below(rng, evolution->count);
        best = evolution->place[at] < evolution->place[best] ? at : best;
    }
    return evolution->members[best];
}

/* Later retries change more, since what lies near was refused. */
static void make_child(const struct evolution *evolution, struct rng *rng, uint32_t retry, double *unit)
{
    const struct gannet_space *space = evolution->problem->space;
    const struct record *mother = choose_parent(evolution, rng);
    memcpy(unit, mother->unit, space->count * sizeof *unit);
    if (rng_unit(rng) < evolution->problem->options[OPTION_CROSSOVER].number)
        breed_cross(space, rng, mother->unit, choose_parent(evolution, rng)->unit, unit);
    breed_mutate(space, evolution->host, rng, fmin(1, (1.0 + retry) / space->count), unit);
    breed_fill(space, rng, unit);
}

static enum gannet_answer ask_evolution(void *self, const struct gannet_ask *ask, double *unit, char *why,
                                        size_t why_size)
{
    (void)why, (void)why_size;
    const struct evolution *evolution = self;
    struct rng rng = {ask->random};
    if (evolution->told >= (uint64_t)evolution->problem->options[OPTION_STARTUP].number) {
        make_child(evolution, &rng, ask->retry, unit);
        return GANNET_PROPOSED;
    }
    if (!ask->retry && revisit_next(evolution->revisit, unit))
        return GANNET_PROPOSED;
    for (uint32_t i = 0; i < evolution->problem->space->count; i++)
        unit[i] = rng_unit(&rng);
    return GANNET_PROPOSED;
}

/* --- telling --- */

static void rank_members(struct evolution *evolution)
{
    ranking_sort((const struct record *const *)evolution->members, evolution->count, evolution->problem,
                 evolution->order);
    for (uint32_t i = 0; i < evolution->count; i++)
        evolution->place[evolution->order[i].index] = i;
}

/* The members whose place is at least `from` go. */
static void drop_worst(struct evolution *evolution, uint32_t from)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < evolution->count; i++)
        if (evolution->place[i] >= from)
            free(evolution->members[i]);
        else
            evolution->members[kept++] = evolution->members[i];
    evolution->count = kept;
}

static void drop_oldest(struct evolution *evolution)
{
    free(evolution->members[0]);
    evolution->count--;
    memmove(evolution->members, evolution->members + 1, evolution->count * sizeof(struct record *));
}

/* A new result, or a later one of a trial that was observed and is still here. */
static void take_result(struct evolution *evolution, const struct gannet_outcome_of_trial *outcome)
{
    uint32_t at = 0;
    while (at < evolution->count && evolution->members[at]->trial != outcome->trial)
        at++;
    if (at < evolution->count) {
        record_fill(evolution->members[at], evolution->problem, outcome, true);
    } else {
        if (evolution->aging && evolution->count == evolution->size)
            drop_oldest(evolution);
        evolution->members[evolution->count++] = record_create(evolution->problem, outcome);
        evolution->told++;
    }
    rank_members(evolution);
    if (evolution->count == 2 * evolution->size) {
        drop_worst(evolution, evolution->size);
        rank_members(evolution);
    }
}

static void learn_evolution(void *self, const struct gannet_past *past)
{
    revisit_learn(((struct evolution *)self)->revisit, past);
}

static void note_evolution(void *self, uint64_t trial, const double *unit)
{
    (void)trial;
    revisit_note(((struct evolution *)self)->revisit, unit);
}

static void observe_evolution(void *self, const struct gannet_outcome_of_trial *so_far)
{
    take_result(self, so_far);
}

static void tell_evolution(void *self, const struct gannet_outcome_of_trial *told)
{
    if (told->outcome != GANNET_VOID)
        take_result(self, told);
}

const struct gannet_strategy evolution_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "evolution",
    .summary = "children of good configurations; for mixed and conditional spaces and for many objectives",
    .options = options,
    .uses_history = true,
    .create = create_evolution,
    .learn = learn_evolution,
    .ask = ask_evolution,
    .note = note_evolution,
    .observe = observe_evolution,
    .tell = tell_evolution,
    .destroy = destroy_evolution,
};
