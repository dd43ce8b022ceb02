/* Population-based training: a population of trainings that go on from their own checkpoints with the configuration
 * they have, but for the worst, which go on from a copy of one of the best with its configuration changed a little.
 * What comes out is a schedule as much as a configuration. (Jaderberg et al.: "Population based training of neural
 * networks", arXiv 1711.09846, 2017.)
 *
 * A trial is one stretch of training, as long as the experiment makes a trial: with `epochs: 5` members are compared
 * after 5, 10, 15, ... epochs. The members take turns: whoever has the fewest stretches behind it is next, as soon as
 * it does not run. Nobody waits for the others' stretches; members are compared by the last result of each.
 *
 * Which member a trial belongs to is not told on a restart. It follows from the state, which is then that of the ask:
 * see next_member. */
#include "search/registry.h"
#include "search/history/record.h"
#include "search/history/ranking.h"
#include "common/map.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_POPULATION, OPTION_QUANTILE, OPTION_STEP, OPTION_RESAMPLE, OPTION_STRETCHES };

static const struct gannet_option options[] = {
    [OPTION_POPULATION] = {.name = "population",
                           .type = GANNET_INTEGER,
                           .min = 2,
                           .max = 10000,
                           .default_value = "16",
                           .help = "trainings side by side; more workers than that have nothing to do"},
    [OPTION_QUANTILE] = {.name = "quantile",
                         .type = GANNET_NUMBER,
                         .min = 0.01,
                         .max = 0.5,
                         .default_value = "0.25",
                         .help = "the part of the members that copies, and the part that is copied"},
    [OPTION_STEP] = {.name = "step",
                     .type = GANNET_NUMBER,
                     .min = 0.001,
                     .max = 1,
                     .default_value = "0.1",
                     .help = "how far a copy moves each number, as a part of its range"},
    [OPTION_RESAMPLE] = {.name = "resample",
                         .type = GANNET_NUMBER,
                         .min = 0,
                         .max = 1,
                         .default_value = "0.25",
                         .help = "probability that a copy draws a parameter anew instead"},
    [OPTION_STRETCHES] = {.name = "stretches",
                          .type = GANNET_INTEGER,
                          .min = 0,
                          .max = 1e6,
                          .default_value = "0",
                          .help =
                              "stretches after which a member is trained; 0: they go on until limits end the search"},
    {.name = NULL},
};

struct pbt_member {
    uint64_t running;      /* its trial that runs; 0: none */
    uint64_t last;         /* its last trial that ended well, which it goes on from; 0: it has not begun */
    uint64_t stretches;    /* that ended, well or not */
    struct record *record; /* of its last stretch; NULL: none ended */
};

struct pbt {
    const struct gannet_problem *problem;
    const struct gannet_host *host;
    struct pbt_member *members;
    uint32_t size;
    struct map running;            /* trial -> its struct pbt_member */
    const struct record **records; /* memory for those of all members */
    struct ranked *order;          /* memory for the ranks of all members */
};

static void *create_pbt(const struct gannet_problem *problem, const struct gannet_host *host, char *why,
                        size_t why_size)
{
    if (!problem->can_continue) {
        snprintf(why, why_size,
                 "it trains on from checkpoints: write trial: {checkpoint: true} for a kernel or a program that keeps "
                 "them");
        return NULL;
    }
    struct pbt *pbt = MEM_NEW(struct pbt);
    pbt->problem = problem;
    pbt->host = host;
    pbt->size = (uint32_t)problem->options[OPTION_POPULATION].number;
    pbt->members = MEM_ARRAY(struct pbt_member, pbt->size);
    pbt->records = MEM_ARRAY(const struct record *, pbt->size);
    pbt->order = MEM_ARRAY(struct ranked, pbt->size);
    return pbt;
}

static void destroy_pbt(void *self)
{
    struct pbt *pbt = self;
    for (uint32_t i = 0; i < pbt->size; i++)
        free(pbt->members[i].record);
    free(pbt->members);
    free(pbt->records);
    free(pbt->order);
    map_fini(&pbt->running);
    free(pbt);
}

/* --- asking --- */

static bool is_trained(const struct pbt *pbt, const struct pbt_member *member)
{
    double stretches = pbt->problem->options[OPTION_STRETCHES].number;
    return stretches > 0 && (double)member->stretches >= stretches;
}

/* Whose turn it is: of those that neither run nor are trained the first with the fewest stretches; NULL: nobody's. */
static struct pbt_member *next_member(const struct pbt *pbt)
{
    struct pbt_member *next = NULL;
    for (uint32_t i = 0; i < pbt->size; i++) {
        struct pbt_member *member = &pbt->members[i];
        if (!member->running && !is_trained(pbt, member) && (!next || member->stretches < next->stretches))
            next = member;
    }
    return next;
}

/* Exploit: whom a member goes on from. Itself, unless it failed or is among the worst: then one of the best. */
static const struct pbt_member *choose_source(const struct pbt *pbt, const struct pbt_member *member, struct rng *rng)
{
    uint32_t count = 0, place = UINT32_MAX;
    const struct pbt_member **found = MEM_ARRAY(const struct pbt_member *, pbt->size), *source = member;
    for (uint32_t i = 0; i < pbt->size; i++)
        if (pbt->members[i].record && !pbt->members[i].record->failed) {
            found[count] = &pbt->members[i];
            pbt->records[count++] = pbt->members[i].record;
        }
    ranking_sort(pbt->records, count, pbt->problem, pbt->order);
    for (uint32_t i = 0; i < count; i++)
        place = found[pbt->order[i].index] == member ? i : place;
    uint32_t copied = (uint32_t)fmax(1, pbt->problem->options[OPTION_QUANTILE].number * count);
    bool is_bad = place == UINT32_MAX || (count > 1 && place >= count - copied);
    if (is_bad && count)
        source = found[pbt->order[rng_below(rng, copied)].index];
    free(found);
    return source;
}

/* Explore: one parameter of a copy. A step goes up or down; from an end it turns back. */
static double changed_value(const struct pbt *pbt, struct rng *rng, uint32_t i, double unit)
{
    const struct gannet_param *param = &pbt->problem->space->params[i];
    double draw = rng_unit(rng), step = pbt->problem->options[OPTION_STEP].number;
    if (rng_unit(rng) < pbt->problem->options[OPTION_RESAMPLE].number || isnan(unit))
        return draw;
    if (param->kind == GANNET_CHOICE)
        return unit;
    step = param->levels ? fmax(step, 1.0 / (double)param->levels) : step;
    double there = draw < .5 ? unit - step : unit + step;
    return there < 0 || there > 1 ? 2 * unit - there : there;
}

static enum gannet_answer ask_pbt(void *self, const struct gannet_ask *ask, double *unit, char *why, size_t why_size)
{
    (void)why, (void)why_size;
    const struct pbt *pbt = self;
    const struct pbt_member *member = next_member(pbt);
    uint32_t count = pbt->problem->space->count;
    struct rng rng = {ask->random};
    if (!member)
        return pbt->running.count ? GANNET_LATER : GANNET_NO_MORE;
    const struct pbt_member *source = member->record ? choose_source(pbt, member, &rng) : member;
    bool goes_on = source == member && ask->retry == 0 && member->record && !member->record->failed;
    *ask->from = source->last;
    if (source->last)
        memcpy(unit, source->record->unit, count * sizeof *unit);
    for (uint32_t i = 0; i < count; i++)
        if (!source->last)
            unit[i] = rng_unit(&rng);
        else if (!goes_on)
            unit[i] = changed_value(pbt, &rng, i, unit[i]);
    return GANNET_PROPOSED;
}

/* --- what happens --- */

static void note_pbt(void *self, uint64_t trial, const double *unit)
{
    (void)unit;
    struct pbt *pbt = self;
    struct pbt_member *member = next_member(pbt);
    if (!member)
        return; /* a start point more than there are members */
    member->running = trial;
    map_put(&pbt->running, trial, member);
}

static void tell_pbt(void *self, const struct gannet_outcome_of_trial *told)
{
    struct pbt *pbt = self;
    struct pbt_member *member = map_remove(&pbt->running, told->trial);
    if (!member)
        return;
    member->running = 0;
    if (told->outcome == GANNET_VOID)
        return; /* the stretch is run again */
    free(member->record);
    member->record = record_create(pbt->problem, told);
    member->stretches++;
    if (!member->record->failed)
        member->last = told->trial;
}

const struct gannet_strategy pbt_strategy = {
    .abi = GANNET_STRATEGY_ABI,
    .name = "pbt",
    .summary = "population-based training: schedules found while training, by copying and changing the best",
    .options = options,
    .uses_history = true,
    .continues = true,
    .create = create_pbt,
    .ask = ask_pbt,
    .note = note_pbt,
    .tell = tell_pbt,
    .destroy = destroy_pbt,
};
