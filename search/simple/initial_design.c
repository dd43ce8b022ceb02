/* The first points of strategies with a model; see initial_design.h. */
#include "search/simple/initial_design.h"
#include "search/registry.h"
#include "search/history/revisit.h"
#include "common/mem.h"

#include <stdlib.h>

struct initial_design {
    struct revisit *revisit;
    void *sobol;
};

struct initial_design *initial_design_create(const struct gannet_problem *problem, const struct gannet_host *host,
                                             double trials, char *why, size_t why_size)
{
    struct initial_design *initial_design = MEM_NEW(struct initial_design);
    initial_design->revisit = revisit_create(problem, host, 1 + (uint32_t)trials / 2);
    initial_design->sobol = sobol_strategy.create(problem, host, why, why_size);
    if (initial_design->sobol)
        return initial_design;
    initial_design_destroy(initial_design);
    return NULL;
}

void initial_design_destroy(struct initial_design *initial_design)
{
    if (!initial_design)
        return;
    if (initial_design->sobol)
        sobol_strategy.destroy(initial_design->sobol);
    revisit_destroy(initial_design->revisit);
    free(initial_design);
}

void initial_design_learn(struct initial_design *initial_design, const struct gannet_past *past)
{
    revisit_learn(initial_design->revisit, past);
}

enum gannet_answer initial_design_ask(struct initial_design *initial_design, const struct gannet_ask *ask, double *unit,
                                      char *why, size_t why_size)
{
    if (!ask->retry && revisit_next(initial_design->revisit, unit))
        return GANNET_PROPOSED;
    return sobol_strategy.ask(initial_design->sobol, ask, unit, why, why_size);
}

void initial_design_note(struct initial_design *initial_design, uint64_t trial, const double *unit, bool over)
{
    revisit_note(initial_design->revisit, unit);
    if (!over)
        sobol_strategy.note(initial_design->sobol, trial, unit);
}
