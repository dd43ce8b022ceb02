/* Whether the strategy that a file names is there and has the options it is given; see read.h. A plug-in's options are
 * checked when it is loaded: reading an experiment file loads no code. */
#include "scheduler/spec/read.h"
#include "scheduler/spec/foreign.h"
#include "scheduler/spec/option_check.h"
#include "scheduler/spec/unknown.h"
#include "search/registry.h"

#include <string.h>

static size_t builtin_names(const char **names, size_t capacity)
{
    size_t count = 0;
    while (registry_builtin[count] && count < capacity) {
        names[count] = registry_builtin[count]->name;
        count++;
    }
    return count;
}

static void unknown_strategy(struct reading *reading, const struct node *name)
{
    enum { MOST = 32 };
    const char *names[MOST];
    const struct foreign_word *foreign = foreign_find_word("strategy.name", name->text);
    if (foreign && !foreign->here) {
        problem_hint(problem_add(reading->problems, PROBLEM_NOT_YET, name->mark,
                                 "the strategy '%s' comes with a later version of gannet", name->text),
                     "%s", foreign->advice);
        return;
    }
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_UNKNOWN_STRATEGY, name->mark, "there is no strategy '%s'", name->text);
    if (foreign)
        problem_hint(problem, "it is called '%s' here", foreign->here);
    else
        unknown_hint_nearest(problem, name->text, names, builtin_names(names, MOST), "the strategies are");
}

void strategy_check(struct reading *reading)
{
    const struct node *node = node_find(reading->root, "strategy");
    const struct node *name = node_is(node, SCALAR_TEXT) ? node : node_find(node, "name");
    const struct node *options = node_find(node, "options");
    if (reading->spec->strategy.plugin || node_find(node, "plugin") || !reading->spec->strategy.name)
        return;
    const struct gannet_strategy *strategy = registry_find(reading->spec->strategy.name);
    if (!strategy && name)
        unknown_strategy(reading, name);
    for (uint32_t i = 0; strategy && options && options->kind == NODE_MAP && i < options->count; i++)
        option_check(reading, "strategy", strategy->name, strategy->options, &options->entries[i]);
}
