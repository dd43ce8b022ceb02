/* The list of built-in strategies; see registry.h. */
#include "search/registry.h"

#include <string.h>

const struct gannet_strategy *const registry_builtin[] = {
    &auto_strategy,   &gp_strategy,        &tpe_strategy, &forest_strategy,
    &cmaes_strategy,  &evolution_strategy, &pbt_strategy, &sobol_strategy,
    &random_strategy, &grid_strategy,      NULL,
};

const struct gannet_strategy *registry_find(const char *name)
{
    for (size_t i = 0; registry_builtin[i]; i++)
        if (strcmp(registry_builtin[i]->name, name) == 0)
            return registry_builtin[i];
    return NULL;
}
