/* The command that trains one configuration again, by hand. */
#ifndef GANNET_CLI_RERUN_H
#define GANNET_CLI_RERUN_H

#include "common/buf.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* Adds the command line for a trial (its JSON object), quoted for the shell. */
void rerun_add(const struct spec *spec, const json_t *trial, struct buf *out);

#endif
