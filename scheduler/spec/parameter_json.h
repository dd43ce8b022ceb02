/* The parameters of an experiment in their long forms: as the store keeps them and programs read them, a JSON array
 * with one object a parameter (docs/store.md); and as the frozen experiment has them. */
#ifndef GANNET_SCHEDULER_SPEC_PARAMETER_JSON_H
#define GANNET_SCHEDULER_SPEC_PARAMETER_JSON_H

#include "common/buf.h"
#include "search/space.h"

/* Adds the array: objects of name, kind (real, int, choice, normal, constant) and what that kind has - min, max, log,
 * step; mean, stddev; values, weights, ordered - and, where given, default, description and when. */
void parameters_write(const struct space *space, struct buf *out);

/* Adds one of them as YAML: {type: float, min: 0.1, max: 1.0, log: true}. `args` (may be NULL) has the `arg` of those
 * that have one. */
void parameter_emit(const struct space *space, uint32_t index, const json_t *args, struct buf *out);

#endif
