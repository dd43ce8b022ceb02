/* A search space in words. */
#ifndef GANNET_CLI_VIEW_DESCRIBE_H
#define GANNET_CLI_VIEW_DESCRIBE_H

#include "search/space.h"

#include <jansson.h>

/* Adds "float 1e-05 .. 0.1, even in the logarithm, when optimizer is sgd". */
void describe_param(const struct space *space, const struct param *param, struct buf *out);

/* Adds "8 parameters, 123 configurations", "at most ...", "infinitely many configurations". */
void describe_size(const struct space *space, struct buf *out);

/* The share of random points that the constraints forbid, measured on `points` of them. */
double describe_rejection(const struct space *space, uint64_t seed, unsigned points);

#endif
