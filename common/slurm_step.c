/* A task of a step, or not; see slurm_step.h. */
#include "common/slurm_step.h"

#include "common/units.h"

#include <stddef.h>
#include <stdint.h>

static const int64_t largest_number = 0xfffffff0; /* Slurm's SLURM_MAX_NORMAL_STEP_ID */

bool slurm_step_given(char *(*get)(const char *name))
{
    const char *step = get("SLURM_STEP_ID");
    int64_t number;
    if (!step)
        return false;
    return !units_integer(step, &number) || (number >= 0 && number < largest_number);
}
