/* What people who look by a pass read of the store, so that it costs the search as little as can be: in a thread of its
 * own, beside the store's, which has a connection of its own and stands behind the others where processors are short;
 * and an answer that somebody was given a moment ago is given again (answers.h). A store that the store's thread has
 * for itself (on network file systems) is read by that. */
#ifndef GANNET_SCHEDULER_COORDINATOR_READINGS_H
#define GANNET_SCHEDULER_COORDINATOR_READINGS_H

#include "scheduler/coordinator/commit.h"

struct readings;

/* `store`: its file; NULL: the store's thread has it for itself. */
struct readings *readings_open(struct loop *loop, const char *store, struct commit *commit);

/* The answer to a question, or NULL with a sentence. */
typedef void readings_answered(void *context, const char *answer, const struct err *err);

/* Answers a question `read` with these arguments (json, and the same as they came); one after the other. `answered` is
 * called once, on the loop: at once, later, or within readings_close. */
void readings_ask(struct readings *readings, const json_t *arguments, const char *text, readings_answered *answered,
                  void *context);

/* Breaks off what is being read. NULL is fine. A reading that the store's thread has comes later. */
void readings_close(struct readings *readings);

#endif
