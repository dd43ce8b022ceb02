/* How long a trial will run, by those that ran before it: a bound that nine in ten stay below.
 *
 * Durations are compared on a logarithmic scale. The plain forecast is their mean and the spread around it; where the
 * configuration tells more (a ridge regression of the logarithm of the duration on the parameters, judged by how well
 * it foretells each trial from all the others) the regression takes its place. With few trials the bound lies above
 * the longest of them. */
#ifndef GANNET_SCHEDULER_CORE_FORECAST_H
#define GANNET_SCHEDULER_CORE_FORECAST_H

#include "scheduler/core/configuration.h"

struct forecast;

struct forecast *forecast_create(void);
void forecast_destroy(struct forecast *forecast); /* NULL is fine */

/* A trial with these parameters (a JSON object) ran so long, from its beginning to its end. The last few hundred are
 * remembered. */
void forecast_learn(struct forecast *forecast, const char *params, double seconds);

/* Seconds that a trial of this configuration will hardly run longer than; NULL: one that nothing special is known of.
 * Negative: nothing is known yet. */
double forecast_seconds(const struct forecast *forecast, const struct configuration *configuration);

/* Counts how often what it says has changed for all trials. */
uint64_t forecast_version(const struct forecast *forecast);

#endif
