/* What the trials of the simulated world come to; see sim.h. */
#include "tests/sim/sim.h"

#include <math.h>

/* What a trial's runs report: the same for every attempt, so that the recorded value can be told beforehand. */
uint32_t sim_sample_count(const struct sim *sim, uint64_t trial)
{
    return 1 + (uint32_t)(rng_mix(sim->seed, trial) % 6);
}

/* The last sample is always of the objective. */
bool sim_sample_is_objective(const struct sim *sim, uint64_t trial, uint32_t index)
{
    return index + 1 == sim_sample_count(sim, trial) || rng_mix(trial, index) % 3;
}

double sim_sample_value(const struct sim *sim, uint64_t trial, uint32_t index)
{
    return (double)(rng_mix(sim->seed + trial, index) % 1000000) / 1000.0;
}

double sim_value_after(const struct sim *sim, uint64_t trial, uint64_t steps)
{
    double value = NAN;
    for (uint32_t i = 0; i < sim_sample_count(sim, trial) && i < steps; i++) {
        if (!sim_sample_is_objective(sim, trial, i))
            continue;
        double sample = sim_sample_value(sim, trial, i);
        value = sim->profile.use_best ? fmin(isnan(value) ? sample : value, sample) : sample;
    }
    return value;
}

double sim_whole_value(const struct sim *sim, uint64_t trial)
{
    return sim_value_after(sim, trial, sim_sample_count(sim, trial));
}
