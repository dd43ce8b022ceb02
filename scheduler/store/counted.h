/* What was counted of a run, as the column `counters` of the table runs has it: a JSON array of whole numbers, at the
 * place of each counter's number what it came to times the scale of its row in the table counters; null where it is
 * unknown. */
#ifndef GANNET_SCHEDULER_STORE_COUNTED_H
#define GANNET_SCHEDULER_STORE_COUNTED_H

#include "common/run_counters.h"

/* No number has more than 16 digits. */
enum { COUNTED_BYTES = RUN_COUNTERS_COUNT * 18 + 3 };

/* Writes it into `out`, of COUNTED_BYTES; NULL: none is known. `counters` may be NULL. */
const char *counted_encode(const struct run_counters *counters, char *out);

/* Reads it; of what is not such a text as much as is understood. NULL is none. */
void counted_decode(const char *text, struct run_counters *out);

#endif
