/* The kernels with their options, parameters and metrics, for people and programs: from the kernels' tables. */
#ifndef GANNET_WORKER_TRAINER_CATALOGUE_H
#define GANNET_WORKER_TRAINER_CATALOGUE_H

#include "common/buf.h"

/* Adds the kernels as text, or as JSON: an array of
 *
 *     {"name", "summary", "metrics": "a, b; *: any", "memory",
 *      "example": {"options", "metric", "parameters", "data"}, "fusion": whether trials can train together,
 *      "options": [row, ...], "params": [row, ...]}
 *     row: {"name", "type", "default", "help", "min", "max"}
 *
 * `default` is a text, or null when the option must be given; min and max are there when the row has a range. A name
 * that ends in * stands for all with that beginning. Parameters that may be given as options too are in both lists. */
void catalogue_text(struct buf *out);
void catalogue_json(struct buf *out);

/* Adds the functions of the kernel synth with domain and minimum, as text. */
void catalogue_functions(struct buf *out);

/* Adds what computes, the fastest first, and tries each: an array of {"name", "summary", "works", "why"}, the last a
 * sentence, "" when it works. */
void catalogue_backends(struct buf *out);

#endif
