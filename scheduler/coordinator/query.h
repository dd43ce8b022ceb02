/* The reading half of the store by the names of its functions: what the question `read` may ask for. One row a function
 * in query.c. */
#ifndef GANNET_SCHEDULER_COORDINATOR_QUERY_H
#define GANNET_SCHEDULER_COORDINATOR_QUERY_H

#include "common/err.h"
#include "scheduler/store/reader.h"

#include <jansson.h>

/* Runs {"function": "trials", "state": "failed", "trial": 131, "by_value": true, "limit": 20, "after": 7}; only
 * "function" is needed, the rest as that function takes it. The answer, json_decref it; NULL with a sentence. */
json_t *read_run(struct reader *reader, const json_t *arguments, struct err *err);

/* The same as JSON text, so that the loop has nothing to write; free() it. NULL with a sentence. */
char *read_text(struct reader *reader, const json_t *arguments, struct err *err);

#endif
