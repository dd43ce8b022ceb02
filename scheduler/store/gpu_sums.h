/* What a program did on GPUs, as the column `operations` of the table runs has it, in which a kernel's operations stand
 * otherwise: a JSON array of arrays, one a name, of the name, calls, null, thousands of bytes (null: not known),
 * nanoseconds in all, of the shortest and of the longest call; then, where something is not known, [null, why]. */
#ifndef GANNET_SCHEDULER_STORE_GPU_SUMS_H
#define GANNET_SCHEDULER_STORE_GPU_SUMS_H

#include "common/gpu_sums.h"
#include "scheduler/core/event.h"

#include <jansson.h>

/* A name and six numbers of at most 20 digits, with what is between them, and the sentence. */
enum { GPU_SUMS_BYTES = GPU_SUMS_MOST * (GPU_NAME_LONGEST + 6 * 21 + 6) + GPU_WHY_LONGEST + 16 };

/* Writes it into `out`, of GPU_SUMS_BYTES; NULL: there is nothing. */
const char *gpu_sums_encode(const struct event_run *run, char *out);

/* Adds the operations of such a text, as `gannet show --json` has them (docs/json.md), to those of the same name in the
 * object `rows`; of any other text nothing. Why something is not known, or NULL; json_decref it. */
json_t *gpu_sums_add(const char *text, json_t *rows);

#endif
