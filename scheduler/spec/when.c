/* Conditions: `when: {optimizer: sgd, layers: [2, 3]}`; see draft.h. */
#include "scheduler/spec/draft.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

struct draft *draft_find(const struct parameters *parameters, const char *name)
{
    for (uint32_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->drafts[i].name, name) == 0)
            return &parameters->drafts[i];
    return NULL;
}

void draft_unknown(struct reading *reading, enum problem_code code, struct source_mark mark, const char *name,
                   const struct parameters *parameters)
{
    const char **names = MEM_ARRAY(const char *, parameters->count);
    for (uint32_t i = 0; i < parameters->count; i++)
        names[i] = parameters->drafts[i].name;
    struct problem *problem = problem_add(reading->problems, code, mark, "there is no parameter '%s'", name);
    unknown_hint_nearest(problem, name, names, parameters->count, "the parameters are");
    free(names);
}

static void read_condition(struct reading *reading, const struct parameters *parameters, struct draft *child,
                           const struct entry *entry)
{
    const struct draft *parent = draft_find(parameters, entry->key);
    if (!parent) {
        draft_unknown(reading, PROBLEM_BAD_CONDITION, entry->mark, entry->key, parameters);
        return;
    }
    if (!parent->valid)
        return;
    struct condition *condition = &child->param.conditions[child->param.condition_count++];
    condition->parent = (uint32_t)(parent - parameters->drafts);
    draft_read_condition(reading, &parent->param, entry, condition);
}

void draft_read_conditions(struct reading *reading, const struct parameters *parameters, struct draft *draft)
{
    const struct node *when = node_find(draft->node, "when");
    if (!when || when->kind != NODE_MAP || draft->param.conditions)
        return;
    size_t errors = reading->problems->errors;
    draft->param.conditions = MEM_ARRAY(struct condition, when->count);
    for (uint32_t i = 0; i < when->count; i++)
        read_condition(reading, parameters, draft, &when->entries[i]);
    draft->valid &= reading->problems->errors == errors;
}

/* --- circles --- */

/* Whether all parents of a draft are settled. */
static bool is_ready(const struct draft *draft, const bool *settled)
{
    for (uint32_t i = 0; i < draft->param.condition_count; i++)
        if (!settled[draft->param.conditions[i].parent])
            return false;
    return true;
}

/* A parent that is not settled; there is one. */
static uint32_t open_parent(const struct draft *draft, const bool *settled)
{
    uint32_t i = 0;
    while (settled[draft->param.conditions[i].parent])
        i++;
    return draft->param.conditions[i].parent;
}

/* Settles what waits for settled ones only, until nothing moves; what is left waits for a circle. */
static void settle_drafts(const struct parameters *parameters, bool *settled)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < parameters->count; i++)
            if (!settled[i] && is_ready(&parameters->drafts[i], settled))
                moved = settled[i] = true;
    }
}

/* From any draft that is left, parent by parent: after as many steps as there are drafts we are on the circle, and once
 * around names it. */
static void report_circle(struct reading *reading, const struct parameters *parameters, const bool *settled)
{
    uint32_t at = 0;
    while (settled[at])
        at++;
    for (uint32_t i = 0; i < parameters->count; i++)
        at = open_parent(&parameters->drafts[at], settled);
    struct buf names = {0};
    uint32_t first = at;
    do {
        buf_format(&names, "'%s' waits for ", parameters->drafts[at].name);
        at = open_parent(&parameters->drafts[at], settled);
    } while (at != first);
    const struct entry *when = node_entry(parameters->drafts[first].node, "when");
    problem_say(reading->problems, PROBLEM_CIRCLE, when->mark, "one of them must not depend on the others",
                "the conditions run in a circle: %s'%s'", buf_str(&names), parameters->drafts[first].name);
    buf_fini(&names);
}

bool draft_find_circle(struct reading *reading, const struct parameters *parameters)
{
    bool *settled = MEM_ARRAY(bool, parameters->count), circle = false;
    settle_drafts(parameters, settled);
    for (uint32_t i = 0; i < parameters->count; i++)
        circle |= !settled[i];
    if (circle)
        report_circle(reading, parameters, settled);
    free(settled);
    return circle;
}
