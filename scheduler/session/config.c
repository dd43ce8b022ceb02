/* From a spec to the core's configuration; see config.h. */
#include "scheduler/session/config.h"

#include "common/clock.h"

void config_fill(const struct spec *spec, const char *task, const struct gannet_strategy *strategy,
                 struct core_config *config)
{
    core_config_defaults(config);
    config->seed = spec->seed;
    config->task = task;
    config->metrics = spec_metrics(spec);
    config->has_target = spec->has_target;
    config->target = spec->target;
    config->max_trials = spec->limits.max_trials;
    config->max_concurrent = spec->limits.max_concurrent;
    config->has_max_failures = spec->limits.has_max_failures;
    config->max_failures = spec->limits.max_failures;
    config->same_failures = spec->limits.same_failures;
    config->time = spec->limits.time;
    config->trial_time = spec->limits.trial_time;
    config->more_time = spec->limits.on_timeout;
    config->trial_time_max = spec->limits.trial_time_max;
    config->nodes = spec->resources.nodes;
    config->first_starts_all = spec->trial.launch_first;
    config->memory = spec->resources.memory;
    config->more_memory = spec->resources.on_oom;
    config->memory_max = spec->resources.memory_max;
    config->grace = spec->trial.grace;
    config->retries = spec->trial.retries;
    config->requeues = spec->trial.requeues;
    config->can_continue = spec->trial.checkpoint == CHECKPOINT_YES;
    config->ask_far_ahead = !strategy->uses_history;
    config->wall_offset = clock_wall() - clock_monotonic();
}
