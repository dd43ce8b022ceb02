/* Other tools name a parameter's distribution; here its keys say it. */
#ifndef GANNET_SCHEDULER_SPEC_DISTRIBUTION_H
#define GANNET_SCHEDULER_SPEC_DISTRIBUTION_H

#include "scheduler/spec/tree.h"

/* Whether a key of a parameter is another tool's word for the distribution. */
bool distribution_is_key(const char *name);

/* Says what to write instead of the named distribution in the parameter `map`. */
void distribution_hint(struct problem *problem, const struct node *map, const struct node *named);

#endif
