/* The variables in which a person's program finds its parameters: two parameters must not have the same; see
 * parameters.h. */
#include "scheduler/spec/parameters.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/trial_command.h"

#include <stdlib.h>
#include <string.h>

static bool same_variable(const struct draft *a, const struct draft *b)
{
    char *first = trial_command_variable_name(a->name), *second = trial_command_variable_name(b->name);
    bool same = strcmp(first, second) == 0;
    free(first);
    free(second);
    return same;
}

/* `seen` has the drafts before this one by the hash of their variable. */
static void check_variable(struct reading *reading, struct map *seen, struct draft *draft)
{
    char *name = trial_command_variable_name(draft->name);
    struct draft *before = map_put(seen, hash_text(name), draft);
    if (before && same_variable(before, draft))
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_NAME, draft->mark,
                                 "the parameters '%s' and '%s' are both %s in the environment of the command",
                                 before->name, draft->name, name),
                     "give one of them another name");
    free(name);
}

void parameters_check_variables(struct reading *reading, const struct parameters *parameters)
{
    struct map seen = {0};
    const struct node *trial = node_find(reading->root, "trial");
    if (trial && node_entry(trial, "command"))
        for (uint32_t i = 0; i < parameters->count; i++)
            if (parameters->drafts[i].name)
                check_variable(reading, &seen, &parameters->drafts[i]);
    map_fini(&seen);
}
