/* Parts of the JSON Schema of experiment files; the whole is spec_schema. */
#ifndef GANNET_SCHEDULER_SPEC_SCHEMA_H
#define GANNET_SCHEDULER_SPEC_SCHEMA_H

#include "scheduler/spec/key.h"

/* The object schema of a section, from the rows of its keys. `forms`: of a parameter, the KEY_IN_ flag. */
json_t *schema_of_section(const char *section, unsigned forms);

/* The schema of `parameters`. */
json_t *schema_of_parameters(const struct key *key);

#endif
