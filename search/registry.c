/* The list of built-in strategies; see registry.h. */
#include "search/registry.h"
#include "common/suggest.h"

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

const struct gannet_strategy *registry_choose(const char *name, const char *others, struct err *err)
{
    const struct gannet_strategy *strategy = registry_find(name);
    if (strategy)
        return strategy;
    const char *names[64];
    size_t count = 0;
    for (; registry_builtin[count] && count < 64; count++)
        names[count] = registry_builtin[count]->name;
    struct buf list = {0};
    suggest_list(&list, names, count);
    const char *meant = suggest_nearest(name, names, count);
    err_write(err, "there is no strategy '%s'%s%s%s; there are: %s, %s", name, meant ? " (did you mean '" : "",
              meant ? meant : "", meant ? "'?)" : "", buf_str(&list), others);
    buf_fini(&list);
    return NULL;
}
