/* Keys and words that gannet doesn't have, and what the person may have meant. */
#ifndef GANNET_SCHEDULER_SPEC_UNKNOWN_H
#define GANNET_SCHEDULER_SPEC_UNKNOWN_H

#include "scheduler/spec/key.h"

/* Reports a key that its section doesn't have, or that this form of a parameter doesn't have. The hint is, in this
 * order: what another tool's key is called here, the same name in another spelling, the section that it belongs to, the
 * name it is nearest to, all keys of the section. Returns the key that was meant, if that can be told; or NULL. */
const struct key *unknown_key(struct reading *reading, const char *section, unsigned forms, const struct entry *entry);

/* The key that was meant by a name, if that can be told; or NULL. */
const struct key *unknown_meant(const char *section, unsigned forms, const char *name);

/* Reports a word that is none of the row's. */
void unknown_word(struct reading *reading, const struct key *key, const struct node *node);

/* Adds "a, b or c". */
void unknown_add_choice(struct buf *out, const char *const *words);

/* Gives a problem the hint "did you mean 'x'?" when one of the names is near to `name`, else the list of them, after
 * `intro`. */
void unknown_hint_nearest(struct problem *problem, const char *name, const char *const *names, size_t count,
                          const char *intro);

#endif
