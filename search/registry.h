/* The strategies that gannet brings along. */
#ifndef GANNET_SEARCH_REGISTRY_H
#define GANNET_SEARCH_REGISTRY_H

#include "search/strategy.h"
#include "common/err.h"

/* Their descriptors, each in its own file. */
extern const struct gannet_strategy auto_strategy;
extern const struct gannet_strategy gp_strategy;
extern const struct gannet_strategy random_strategy;
extern const struct gannet_strategy grid_strategy;
extern const struct gannet_strategy cmaes_strategy;
extern const struct gannet_strategy evolution_strategy;
extern const struct gannet_strategy pbt_strategy;
extern const struct gannet_strategy sobol_strategy;
extern const struct gannet_strategy tpe_strategy;
extern const struct gannet_strategy forest_strategy;

/* The built-in strategies, in the order they are listed; NULL ends it. */
extern const struct gannet_strategy *const registry_builtin[];

/* The built-in of that name, or NULL. */
const struct gannet_strategy *registry_find(const char *name);

/* The same; NULL with a sentence that lists them, and `others` behind them. */
const struct gannet_strategy *registry_choose(const char *name, const char *others, struct err *err);

#endif
