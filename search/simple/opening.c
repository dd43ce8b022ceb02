/* The first points of strategies with a model; see opening.h. */
#include "search/simple/opening.h"
#include "search/builtin.h"
#include "search/history/revisit.h"
#include "common/mem.h"

#include <stdlib.h>

struct opening {
    struct revisit *revisit;
    void *sobol;
};

struct opening *opening_create(const struct gannet_problem *problem, const struct gannet_host *host, double trials,
                               char *why, size_t why_size)
{
    struct opening *opening = MEM_NEW(struct opening);
    opening->revisit = revisit_create(problem, host, 1 + (uint32_t)trials / 2);
    opening->sobol = sobol_strategy.create(problem, host, why, why_size);
    if (opening->sobol)
        return opening;
    opening_destroy(opening);
    return NULL;
}

void opening_destroy(struct opening *opening)
{
    if (!opening)
        return;
    if (opening->sobol)
        sobol_strategy.destroy(opening->sobol);
    revisit_destroy(opening->revisit);
    free(opening);
}

void opening_learn(struct opening *opening, const struct gannet_past *past)
{
    revisit_learn(opening->revisit, past);
}

enum gannet_answer opening_ask(struct opening *opening, const struct gannet_ask *ask, double *unit, char *why,
                               size_t why_size)
{
    if (!ask->retry && revisit_next(opening->revisit, unit))
        return GANNET_PROPOSED;
    return sobol_strategy.ask(opening->sobol, ask, unit, why, why_size);
}

void opening_note(struct opening *opening, uint64_t trial, const double *unit, bool over)
{
    revisit_note(opening->revisit, unit);
    if (!over)
        sobol_strategy.note(opening->sobol, trial, unit);
}
