/* What a person may have to do something about: failures by their causes, and what gannet explain says of lost workers
 * and attempts. */
#ifndef GANNET_CLI_SESSION_ATTENTION_H
#define GANNET_CLI_SESSION_ATTENTION_H

#include "cli/session/seen.h"

/* What is known from one reading to the next: only what has failed since is read. */
struct attention_memory;
struct attention_memory *attention_remember(void);
void attention_forget(void *memory); /* NULL is fine */

/* Reads it, of an experiment as it was seen: an object as cli/fetch/section_list.h has it, but for
 * what is missing. NULL with a sentence. */
json_t *attention_read(struct attention_memory *memory, struct source *source, const struct seen *seen,
                       struct err *err);

#endif
