/* What a parent must be: `sgd`, `[2, 3]`, `"not adam"`, `">= 3"`, `{not: [2, 3]}`, `{min: 3, max: 5}`; see draft.h. */
#include "scheduler/spec/draft.h"
#include "common/mem.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char forms[] =
    "a value, a list of values, \"not VALUE\", \">= NUMBER\", {not: [...]} or {min: .., max: ..}";

/* --- values --- */

static bool is_continuous(const struct param *parent)
{
    return parent->kind == PARAM_NORMAL || (parent->kind == PARAM_REAL && !(parent->step > 0));
}

/* One of infinitely many values would never be it. */
static void refuse_continuous(struct reading *reading, const struct entry *entry)
{
    problem_say(reading->problems, PROBLEM_BAD_CONDITION, entry->mark,
                "write a range such as \">= 0.1\", make it a choice or an int, or give it a step",
                "'%s' is continuous: it would never be exactly this", entry->key);
}

static void add_value(struct reading *reading, const struct param *parent, const struct node *node,
                      struct condition *condition)
{
    if (draft_fit(reading, PROBLEM_BAD_CONDITION, parent, node, &condition->values[condition->count]))
        condition->count++;
}

static void read_values(struct reading *reading, const struct param *parent, const struct entry *entry,
                        const struct node *node, struct condition *condition)
{
    bool is_list = node->kind == NODE_LIST;
    if (is_continuous(parent)) {
        refuse_continuous(reading, entry);
        return;
    }
    condition->values = MEM_ARRAY(struct value, is_list ? node->count + 1 : 1);
    for (uint32_t i = 0; is_list && i < node->count; i++)
        add_value(reading, parent, node->entries[i].node, condition);
    if (!is_list)
        add_value(reading, parent, node, condition);
    else if (!node->count)
        problem_add(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "the list of values is empty");
    if (condition->excluded && parent->kind == PARAM_CHOICE && condition->count >= parent->count)
        problem_add(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "'%s' has no other value", entry->key);
}

/* --- ranges --- */

/* Whether the parent can be in the range; of a choice, whether it has such a number. */
static bool can_be_in(const struct param *parent, const struct condition *condition)
{
    double number;
    if (parent->kind != PARAM_CHOICE && parent->kind != PARAM_CONSTANT)
        return condition->min <= condition->max && parent->max >= condition->min && parent->min <= condition->max;
    for (uint32_t i = 0; i < parent->count; i++)
        if (value_number(&parent->values[i], &number) && number >= condition->min && number <= condition->max)
            return true;
    return false;
}

static void check_range(struct reading *reading, const struct param *parent, const struct entry *entry,
                        const struct node *node, const struct condition *condition)
{
    bool is_text = node->kind == NODE_SCALAR;
    bool has_ends = parent->kind == PARAM_INT || parent->kind == PARAM_REAL;
    if (can_be_in(parent, condition))
        return;
    struct problem *problem = problem_add(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "'%s' is never %s",
                                          entry->key, is_text ? node->text : "in this range");
    if (has_ends)
        problem_hint(problem, "it goes from %.15g to %.15g", parent->min, parent->max);
    else if (parent->kind == PARAM_CHOICE)
        problem_hint(problem, "name some of its values: %s: [...]", entry->key);
}

/* Sets the ends that `operator` and a number say. False: it is no such operator. */
static bool set_ends(const char *operator, double number, struct condition *condition)
{
    if (strcmp(operator, ">=") == 0)
        condition->min = number;
    else if (strcmp(operator, ">") == 0)
        condition->min = nextafter(number, INFINITY);
    else if (strcmp(operator, "<=") == 0)
        condition->max = number;
    else if (strcmp(operator, "<") == 0)
        condition->max = nextafter(number, -INFINITY);
    else
        return false;
    return true;
}

/* An int that is above 3 is at least 4, which is how it is shown. */
static void round_ends(const struct param *parent, struct condition *condition)
{
    if (parent->kind != PARAM_INT)
        return;
    condition->min = ceil(condition->min);
    condition->max = floor(condition->max);
}

/* --- texts --- */

/* "not adam" and "!= 3": the rest as a node of its own. False: the text begins with neither. */
static bool read_negation(const struct node *node, struct node *rest)
{
    const char *text = node->text;
    size_t skip = strncmp(text, "!=", 2) == 0 ? 2 : strncmp(text, "not ", 4) == 0 ? 4 : 0;
    *rest = *node;
    rest->text = text + skip + strspn(text + skip, " ");
    rest->plain = true;
    rest->scalar = scalar_resolve(rest->text);
    return skip && *rest->text;
}

/* ">= 3". False: it is no comparison. */
static bool read_comparison(const char *text, struct condition *condition)
{
    char operator[3] = {0};
    size_t length = strspn(text, "<>=");
    double number;
    if (!length || length >= sizeof operator|| !units_number(text + length + strspn(text + length, " "), &number))
        return false;
    memcpy(operator, text, length);
    return set_ends(operator, number, condition);
}

/* Whether a choice has this very text as a value. */
static bool is_value(const struct param *parent, const char *text)
{
    for (uint32_t i = 0; i < parent->count; i++)
        if (parent->values[i].kind == VALUE_TEXT && strcmp(parent->values[i].text, text) == 0)
            return true;
    return false;
}

static void read_scalar(struct reading *reading, const struct param *parent, const struct entry *entry,
                        struct condition *condition)
{
    const struct node *node = entry->node;
    bool is_text = node_is(node, SCALAR_TEXT) && !is_value(parent, node->text);
    bool is_like_one = is_text && strchr("<>=", *node->text) && strspn(node->text, "<>=") <= 2;
    struct node rest;
    if (is_text && read_comparison(node->text, condition)) {
        round_ends(parent, condition);
        check_range(reading, parent, entry, node, condition);
    } else if (is_text && read_negation(node, &rest)) {
        condition->excluded = true;
        read_values(reading, parent, entry, &rest, condition);
    } else if (is_like_one && *node->text) {
        problem_say(reading->problems, PROBLEM_BAD_CONDITION, node->mark,
                    "write \">= NUMBER\", \"> NUMBER\", \"<= NUMBER\" or \"< NUMBER\"", "'%s' is no comparison",
                    node->text);
    } else {
        read_values(reading, parent, entry, node, condition);
    }
}

/* --- maps --- */

static bool read_end(struct reading *reading, const struct node *map, const char *key, double *end)
{
    const struct node *node = node_find(map, key);
    if (!node || node_number(node, end))
        return true;
    problem_add(reading->problems, PROBLEM_BAD_CONDITION, node->mark, "'%s' must be a number, not %s", key,
                node_show(node).text);
    return false;
}

/* What stands in a map beside not, or min and max. */
static const struct entry *find_stray(const struct node *map)
{
    bool is_negation = node_find(map, "not") != NULL;
    for (uint32_t i = 0; i < map->count; i++) {
        const char *key = map->entries[i].key;
        bool is_end = strcmp(key, "min") == 0 || strcmp(key, "max") == 0;
        if (is_negation ? strcmp(key, "not") != 0 : !is_end)
            return &map->entries[i];
    }
    return NULL;
}

static void read_map(struct reading *reading, const struct param *parent, const struct entry *entry,
                     struct condition *condition)
{
    const struct node *map = entry->node, *excluded = node_find(map, "not");
    const struct entry *stray = find_stray(map);
    if (stray || !map->count) {
        problem_say(reading->problems, PROBLEM_BAD_CONDITION, stray ? stray->mark : map->mark, forms,
                    "'%s' says nothing of what '%s' must be", stray ? stray->key : "{}", entry->key);
    } else if (excluded) {
        condition->excluded = true;
        read_values(reading, parent, entry, excluded, condition);
    } else if (read_end(reading, map, "min", &condition->min) && read_end(reading, map, "max", &condition->max)) {
        round_ends(parent, condition);
        check_range(reading, parent, entry, map, condition);
    }
}

void draft_read_condition(struct reading *reading, const struct param *parent, const struct entry *entry,
                          struct condition *condition)
{
    condition->min = -INFINITY;
    condition->max = INFINITY;
    if (entry->node->kind == NODE_MAP)
        read_map(reading, parent, entry, condition);
    else if (entry->node->kind == NODE_LIST)
        read_values(reading, parent, entry, entry->node, condition);
    else
        read_scalar(reading, parent, entry, condition);
}
