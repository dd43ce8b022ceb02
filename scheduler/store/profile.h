/* Where the time of a run went, as the column `profile` of the table runs has it: a JSON array of arrays, one a phase
 * that occurred, of its number, nanoseconds, how many times, and, unless they are the same as the whole, the shortest
 * and the longest nanoseconds of one time. A row for each phase would cost three times as much to write as the run. */
#ifndef GANNET_SCHEDULER_STORE_PROFILE_H
#define GANNET_SCHEDULER_STORE_PROFILE_H

#include "common/phases.h"

#include <stdbool.h>

enum { PROFILE_BYTES = PHASES_COUNT * 96 + 2 }; /* five numbers of at most 20 digits hardly fill that */

/* Writes it into `out`, of PROFILE_BYTES; NULL: no phase occurred. */
const char *profile_encode(const struct phase_time *phases, char *out);

/* Reads it into `out`, of PHASES_COUNT; of what is not such a text as much as is understood. */
void profile_decode(const char *text, struct phase_time *out);

#endif
