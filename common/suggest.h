/* "Did you mean ...?": the one name in a list that a mistyped name is near to. */
#ifndef GANNET_COMMON_SUGGEST_H
#define GANNET_COMMON_SUGGEST_H

#include "common/buf.h"

#include <stddef.h>

/* Edits between two texts: insertions, deletions, substitutions and swaps of neighbours count 1 each (the optimal
 * string alignment form of Damerau-Levenshtein). Characters' case and '-' against '_' do not count. Texts over 64
 * bytes: their length. */
size_t suggest_distance(const char *a, const char *b);

/* The single nearest of `count` names when it is near enough (at most max(1, length/3) edits) and no other is as near;
 * NULL otherwise. */
const char *suggest_nearest(const char *name, const char *const *names, size_t count);

/* Adds "a, b, c" to out. */
void suggest_list(struct buf *out, const char *const *names, size_t count);

#endif
