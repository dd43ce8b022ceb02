/* From values to losses and violations; see told.h. */
#include "scheduler/session/told.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

int told_pass_on(const struct told *told, const struct metrics *metrics, struct searcher *searcher, struct err *err)
{
    if (told->params && searcher_add(searcher, told->trial, told->params, err))
        return -1;
    uint32_t objectives = metrics_objectives(metrics), limits = metrics_limits(metrics);
    enum { FEW = 8 };
    double few[FEW], *numbers = objectives + limits > FEW ? MEM_ARRAY(double, objectives + limits) : few;
    for (uint32_t i = 0; i < objectives + limits; i++)
        numbers[i] = NAN;
    if (told->values) {
        metrics_losses(metrics, told->values, numbers);
        metrics_violations(metrics, told->values, numbers + objectives);
    }
    struct measures measured = {.losses = numbers,
                                .violation = numbers + objectives,
                                .seconds = told->seconds,
                                .energy = told->energy > 0 ? told->energy : NAN,
                                .step = told->step};
    if (told->observed)
        searcher_observe(searcher, told->trial, &measured);
    else
        searcher_tell_all(searcher, told->trial, told->ending, &measured);
    if (numbers != few)
        free(numbers);
    return 0;
}
