/* What a line that a program prints has besides values: the step that they are of, and what a terminal takes for
 * colours. */
#ifndef GANNET_WORKER_PROGRAM_PRINTED_LINE_H
#define GANNET_WORKER_PROGRAM_PRINTED_LINE_H

#include "common/buf.h"

#include <stdint.h>

/* A whole number in brackets, "(12)", or -1; *at moves behind it. */
int64_t printed_bracket(const char **at, const char *end);

/* "=3", ": 3", " 3", " [3/10]" behind step or epoch; behind the number, or NULL: there is none. *step stays where it is
 * no whole number. */
const char *printed_step(const char *at, const char *end, int64_t *step);

/* Sets `out` to the line without a terminal's sequences. */
void printed_plain(const char *at, const char *end, struct buf *out);

#endif
