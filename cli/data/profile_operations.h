/* Rates and shares of operations, from their counts and seconds. */
#ifndef GANNET_CLI_DATA_PROFILE_OPERATIONS_H
#define GANNET_CLI_DATA_PROFILE_OPERATIONS_H

#include <jansson.h>

/* Takes the operations of a run or of all (docs/json.md) and adds to each what follows from its numbers: the average
 * call, GFLOP/s and GB/s, its share of the time of all that were timed, and its room: the share of its time that it
 * would save at the best rates that any operation of the list came to. The slowest stand first. The whole steps, which
 * are no operation, become the member `steps` of `page`, the others `operations`. */
void profile_operations_add(const json_t *operations, json_t *page);

#endif
