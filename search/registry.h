/* The strategies that gannet brings along. */
#ifndef GANNET_SEARCH_REGISTRY_H
#define GANNET_SEARCH_REGISTRY_H

#include "search/strategy.h"

/* The built-in strategies, in the order they are listed; NULL ends it. */
extern const struct gannet_strategy *const registry_builtin[];

/* The built-in of that name, or NULL. */
const struct gannet_strategy *registry_find(const char *name);

#endif
