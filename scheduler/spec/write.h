/* Parts of a spec as YAML; the whole is spec_write. */
#ifndef GANNET_SCHEDULER_SPEC_WRITE_H
#define GANNET_SCHEDULER_SPEC_WRITE_H

#include "scheduler/spec/key.h"

/* Adds the value of a key (not of a section, and not `parameters`) on one line; false when there is none. */
bool write_value(const struct spec *spec, const struct key *key, struct buf *out);

/* Adds a parameter in its long form: {type: float, min: 0.1, max: 1.0, log: true}. */
void write_parameter(const struct space *space, uint32_t index, struct buf *out);

#endif
