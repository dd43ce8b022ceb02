/* A program's own configuration file with a trial's parameters in it: the parameter optim.lr is the part `lr` of the
 * part `optim`, layers.0.width that of the first item of a list. */
#ifndef GANNET_COMMON_TRIAL_CONFIG_H
#define GANNET_COMMON_TRIAL_CONFIG_H

#include "common/buf.h"
#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether a configuration has that part, by its dotted name. */
bool trial_config_has(const json_t *config, const char *name);

/* A copy of a configuration (NULL: an empty one) with each parameter at its place; parts that are missing are made.
 * NULL with a sentence when a part on the way is no map, or a list has no such item. Caller: json_decref. */
json_t *trial_config_make(const json_t *config, const json_t *params, struct err *err);

/* Adds it as JSON that any reader of YAML takes for the same: 1e-05 would be a text to those of YAML 1.1. */
void trial_config_write(const json_t *config, struct buf *out);

#endif
