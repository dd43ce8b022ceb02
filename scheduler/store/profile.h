/* Where the time of a run went, as the column `profile` of the table runs has it: a JSON array of arrays, one a phase
 * that occurred, of its number, nanoseconds, how many times, and, unless they are the same as the whole, the shortest
 * and the longest nanoseconds of one time, and, where they are known, the median and the 95th percentile. Behind these
 * stand phases that the program named, with the name in the place of the number. A row for each phase would cost three
 * times as much to write as the run. */
#ifndef GANNET_SCHEDULER_STORE_PROFILE_H
#define GANNET_SCHEDULER_STORE_PROFILE_H

#include "common/msg.h"
#include "common/phases.h"

#include <stdbool.h>

/* Seven numbers of at most 20 digits hardly fill that, nor do a name and six. */
enum { PROFILE_BYTES = PHASES_COUNT * 152 + PHASES_NAMED_MOST * (PHASE_NAME_LONGEST + 152) + 2 };

/* Writes it into `out`, of PROFILE_BYTES; NULL: no phase occurred. Of `named`, which pass phase_is_name, the first
 * PHASES_NAMED_MOST count. */
const char *profile_encode(const struct phase_time *phases, const struct msg_named *named, uint32_t count, char *out);

/* Reads it into `out`, of PHASES_COUNT; of what is not such a text as much as is understood. */
void profile_decode(const char *text, struct phase_time *out);

/* The next phase that the program named, from `at` on, which is the text at first: its name, of PHASE_NAME_LONGEST + 1
 * bytes, and its times. Where to go on, or NULL when there is none. */
const char *profile_next_named(const char *at, char *name, struct phase_time *out);

#endif
