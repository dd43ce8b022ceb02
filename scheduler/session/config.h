/* What the core is told of an experiment. */
#ifndef GANNET_SCHEDULER_SESSION_CONFIG_H
#define GANNET_SCHEDULER_SESSION_CONFIG_H

#include "scheduler/core/core.h"
#include "scheduler/spec/spec.h"
#include "search/strategy.h"

/* Fills in everything; texts belong to the spec and to the caller. Clocks are those of common/clock.h. */
void config_fill(const struct spec *spec, const char *task, const struct gannet_strategy *strategy,
                 struct core_config *config);

#endif
