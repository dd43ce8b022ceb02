/* What a run did by kinds of operations, as the column `operations` of the table runs has it: a JSON array of arrays,
 * one an operation that was called, of its number (common/operation_list.h), calls, thousands of floating-point
 * operations and thousands of bytes; of one that was timed also nanoseconds in all, of the shortest and of the longest
 * call, and, when not all calls were timed, how many were. Twenty timed ones take about 1,100 bytes. */
#ifndef GANNET_SCHEDULER_STORE_OPERATIONS_H
#define GANNET_SCHEDULER_STORE_OPERATIONS_H

#include "common/msg.h"
#include "common/operations.h"

/* Eight numbers of at most 20 digits, with what is between them. */
enum { OPERATIONS_BYTES = OPERATIONS_COUNT * 8 * 21 + 3 };

/* Writes it into `out`, of OPERATIONS_BYTES; NULL: there are none. */
const char *operations_encode(const struct msg_operation *operations, uint32_t count, char *out);

/* Adds it to `out`, of OPERATIONS_COUNT; of what is not such a text as much as is understood. */
void operations_decode(const char *text, struct operation_count *out);

#endif
