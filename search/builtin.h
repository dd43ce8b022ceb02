/* The built-in strategies' descriptors, each in its own file. The list is registry.c's. */
#ifndef GANNET_SEARCH_BUILTIN_H
#define GANNET_SEARCH_BUILTIN_H

#include "search/strategy.h"

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

#endif
