/* A validator for the part of JSON Schema (draft-07) that gannet's own schema uses, so that a test can ask the schema
 * what it thinks of a file. A keyword that it doesn't know fails the test. */
#ifndef GANNET_TESTS_JSON_SCHEMA_H
#define GANNET_TESTS_JSON_SCHEMA_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>

/* Whether the schema accepts the JSON; else the first objection is added to *why. */
bool json_schema_accepts(const json_t *schema, const json_t *json, struct buf *why);

#endif
