/* Writing YAML that our own reader (and any other of YAML 1.1 or 1.2) reads back as the same. */
#ifndef GANNET_SCHEDULER_SPEC_EMIT_H
#define GANNET_SCHEDULER_SPEC_EMIT_H

#include "common/buf.h"

#include <jansson.h>

/* A text, without quotes where no reader could take it for something else. */
void emit_text(struct buf *out, const char *text);

void emit_number(struct buf *out, double number);

/* Without an exponent, with at most so many decimals and no zeros at the end. The number is below 1e40. */
void emit_decimal(struct buf *out, double number, int decimals);

/* Any JSON, on one line: {file: a.csv, sizes: [1, 2]}. */
void emit_json(struct buf *out, const json_t *json);

#endif
