/* Examples that are made instead of read: for demonstrations, tests, and measuring a machine without data of one's own.
 * They follow from the options alone, bit for bit on every machine: whole-number random bits (common/rng.h) and plain
 * arithmetic, no function of the mathematical library. Example n is the same however many are made. */
#ifndef GANNET_WORKER_DATA_GENERATE_H
#define GANNET_WORKER_DATA_GENERATE_H

#include "common/buf.h"
#include "common/err.h"
#include "worker/data/dataset.h"

#include <jansson.h>
#include <stdbool.h>

/* The generator that an option `data` asks for by a text, generate:NAME; NULL when the text is a path. */
const char *generate_named(const char *text);

/* Makes the examples of a generator with its usual options (`wanted` is its name, a JSON text), or of
 * {"generate": NAME, OPTION: NUMBER, ...}; labels are 0 .. classes-1, training = count. -1 with a sentence: an unknown
 * name or option, a value out of range, more examples than memory holds. */
int generate_dataset(struct dataset *data, const json_t *wanted, struct err *err);

/* Adds the generators with their options as text. */
void generate_list(struct buf *out);

#endif
