/* The forms of a parameter: a range, a choice, a normal distribution or a constant; see draft.h. */
#include "scheduler/spec/draft.h"
#include "scheduler/spec/emit.h"
#include "scheduler/spec/range_text.h"
#include "common/hash.h"
#include "common/map.h"
#include "common/mem.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const char section[] = "parameters.*";

/* The largest whole number that a double counts to without gaps. */
#define LARGEST_INT 0x1p53

/* Where the space cuts a normal distribution off, in standard deviations: a bound beyond it leaves nothing. */
enum { FARTHEST_TRUNCATION = 5 };

static struct problem *report_draft(struct reading *reading, struct draft *draft, enum problem_code code,
                                    struct source_mark mark, const char *sentence)
{
    draft->valid = false;
    return problem_add(reading->problems, code, mark, "%s", sentence);
}

/* --- ranges --- */

static bool is_whole_literal(const struct draft *draft, const char *key)
{
    const struct node *node = node_find(draft->node, key);
    return !node || node_is(node, SCALAR_INT);
}

/* Whole literals make an int, a point or an exponent makes a real, unless `type` says otherwise. */
static bool is_int(const struct draft *draft)
{
    if (draft->has_type)
        return draft->type == NUMBER_INT;
    return is_whole_literal(draft, "min") && is_whole_literal(draft, "max") && is_whole_literal(draft, "step");
}

static void check_whole(struct reading *reading, struct draft *draft, const char *key)
{
    const struct node *node = node_find(draft->node, key);
    double number;
    if (!node_number(node, &number))
        return;
    if (number != floor(number))
        problem_hint(
            report_draft(reading, draft, PROBLEM_BAD_RANGE, node->mark, "an int parameter has whole numbers only"),
            "write type: float, or a whole number instead of %s", node->text);
    else if (fabs(number) > LARGEST_INT)
        problem_hint(
            report_draft(reading, draft, PROBLEM_BAD_RANGE, node->mark, "an int parameter ends at 2^53 at most"),
            "write type: float");
}

/* Where to report that min and max don't fit: at what was said last. */
static struct source_mark bounds_mark(const struct node *min, const struct node *max)
{
    return min->mark.option && !max->mark.option ? min->mark : max->mark;
}

static void check_bounds(struct reading *reading, struct draft *draft)
{
    const struct param *param = &draft->param;
    const struct node *min = node_find(draft->node, "min"), *max = node_find(draft->node, "max");
    if (min && max && param->min == param->max)
        problem_hint(report_draft(reading, draft, PROBLEM_BAD_RANGE, bounds_mark(min, max), "min and max are the same"),
                     "a constant is written %s: %s", draft->name, max->text);
    else if (min && max && param->min > param->max)
        problem_hint(report_draft(reading, draft, PROBLEM_BAD_RANGE, bounds_mark(min, max), "max is below min"),
                     "write {min: %s, max: %s}", max->text, min->text);
    if (param->log && min && param->min <= 0)
        problem_hint(
            report_draft(reading, draft, PROBLEM_BAD_RANGE, min->mark, "a logarithmic parameter has a min above 0"),
            draft->param.kind == PARAM_NORMAL ? "leave min out"
            : draft->param.kind == PARAM_INT  ? "write for example min: 1"
                                              : "write for example min: 1e-6");
}

/* The last value that steps from min reach; max itself when they end there but for rounding. */
static double last_step(const struct param *param)
{
    double steps = (param->max - param->min) / param->step, rounding = 1e-9 + steps * 1e-15;
    double whole = floor(steps + rounding);
    return steps - whole <= rounding ? param->max : param->min + whole * param->step;
}

static void check_step(struct reading *reading, struct draft *draft)
{
    const struct param *param = &draft->param;
    const struct node *step = node_find(draft->node, "step");
    if (!step)
        return;
    double reached = last_step(param);
    if (param->log && param->kind == PARAM_REAL)
        problem_hint(
            report_draft(reading, draft, PROBLEM_BAD_STEP, step->mark, "a real parameter can't have both log and step"),
            "leave one of them out, or list the values: {values: [...], ordered: true}");
    else if (param->step > param->max - param->min)
        problem_hint(report_draft(reading, draft, PROBLEM_BAD_STEP, step->mark, "the step is larger than the range"),
                     "write a step of at most %g", param->max - param->min);
    else if (reached < param->max)
        problem_hint(problem_add(reading->problems, PROBLEM_UNEVEN_STEP, step->mark,
                                 "the steps of '%s' don't end at its max", draft->name),
                     "the last value is %.12g", reached);
}

/* {min: 0, max: 1} is most often meant to hold 0.5, too. */
static void warn_of_two_integers(struct reading *reading, const struct draft *draft)
{
    const struct param *param = &draft->param;
    if (!draft->has_type && param->kind == PARAM_INT && param->min == 0 && param->max == 1)
        problem_say(reading->problems, PROBLEM_TWO_INTEGERS, node_find(draft->node, "max")->mark,
                    "for reals write {min: 0.0, max: 1.0}; if whole numbers are meant, add type: int",
                    "'%s' takes only the whole numbers 0 and 1", draft->name);
}

static bool has_keys(struct reading *reading, struct draft *draft, const char *first, const char *second)
{
    const char *missing = !node_find(draft->node, first) ? first : !node_find(draft->node, second) ? second : NULL;
    if (missing) {
        draft->valid = false;
        problem_add(reading->problems, PROBLEM_MISSING_KEY, draft->mark, "parameter '%s' has no '%s'", draft->name,
                    missing);
    }
    return !missing;
}

static void read_range(struct reading *reading, struct draft *draft)
{
    struct param *param = &draft->param;
    if (!has_keys(reading, draft, "min", "max"))
        return;
    param->kind = is_int(draft) ? PARAM_INT : PARAM_REAL;
    if (param->kind == PARAM_INT) {
        check_whole(reading, draft, "min");
        check_whole(reading, draft, "max");
        check_whole(reading, draft, "step");
    }
    if (draft->valid)
        check_bounds(reading, draft);
    if (draft->valid)
        check_step(reading, draft);
    if (draft->valid)
        warn_of_two_integers(reading, draft);
}

/* --- normal distributions --- */

static double in_deviations(const struct param *param, double bound)
{
    return ((param->log ? log(bound) : bound) - param->mean) / param->stddev;
}

static void read_normal(struct reading *reading, struct draft *draft)
{
    struct param *param = &draft->param;
    param->kind = PARAM_NORMAL;
    if (!has_keys(reading, draft, "mean", "stddev"))
        return;
    const struct node *min = node_find(draft->node, "min"), *max = node_find(draft->node, "max");
    param->min = min ? param->min : -INFINITY;
    param->max = max ? param->max : INFINITY;
    check_bounds(reading, draft);
    if (draft->valid && min && in_deviations(param, param->min) > (double)FARTHEST_TRUNCATION)
        report_draft(reading, draft, PROBLEM_BAD_RANGE, min->mark,
                     "min lies so far above the mean that nothing is left");
    if (draft->valid && max && !(in_deviations(param, param->max) >= -FARTHEST_TRUNCATION))
        report_draft(reading, draft, PROBLEM_BAD_RANGE, max->mark,
                     "max lies so far below the mean that nothing is left");
}

/* --- choices and constants --- */

static void add_value(struct param *param, const struct node *node)
{
    struct err ignored; /* the node's type has checked it */
    if (node_value(node, &param->values[param->count], &ignored) == 0)
        param->count++;
}

/* Equal values are those of equal JSON: 1 and 1.0 are caught by their numbers. */
static uint64_t hash_of(const struct value *value)
{
    struct buf text = {0};
    double number;
    if (value_number(value, &number))
        emit_number(&text, number);
    else
        value_json(value, &text);
    uint64_t hash = hash_text(buf_str(&text));
    buf_fini(&text);
    return hash;
}

static void check_distinct(struct reading *reading, struct draft *draft, const struct node *list)
{
    struct param *param = &draft->param;
    struct map seen = {0};
    for (uint32_t i = 0; i < param->count; i++) {
        const struct value *before = map_put(&seen, hash_of(&param->values[i]), &param->values[i]);
        if (before && value_equal(before, &param->values[i]))
            problem_hint(report_draft(reading, draft, PROBLEM_BAD_CHOICES, list->entries[i].node->mark,
                                      "this value is in the list already"),
                         "to make a value more probable, use 'weights'");
    }
    map_fini(&seen);
}

static void read_weights(struct reading *reading, struct draft *draft)
{
    struct param *param = &draft->param;
    const struct node *weights = node_find(draft->node, "weights");
    if (!weights)
        return;
    if (weights->count != param->count) {
        draft->valid = false;
        problem_add(reading->problems, PROBLEM_BAD_CHOICES, weights->mark, "there are %u weights for %u values",
                    weights->count, param->count);
        return;
    }
    param->weights = MEM_ARRAY(double, param->count);
    for (uint32_t i = 0; i < param->count; i++)
        node_number(weights->entries[i].node, &param->weights[i]);
}

static void read_choice(struct reading *reading, struct draft *draft, const struct node *list)
{
    struct param *param = &draft->param;
    param->kind = PARAM_CHOICE;
    param->values = MEM_ARRAY(struct value, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        add_value(param, list->entries[i].node);
    check_distinct(reading, draft, list);
    read_weights(reading, draft);
}

static void read_constant(struct draft *draft, const struct node *value)
{
    draft->param.kind = PARAM_CONSTANT;
    draft->param.values = MEM_ARRAY(struct value, 1);
    add_value(&draft->param, value);
}

/* --- which form it has --- */

/* The form that a map's keys speak of; 0 when they speak of none. */
static unsigned form_of(const struct node *map)
{
    static const struct {
        const char *key;
        unsigned form;
    } signs[] = {{"value", KEY_IN_CONSTANT}, {"values", KEY_IN_CHOICE}, {"mean", KEY_IN_NORMAL},
                 {"stddev", KEY_IN_NORMAL},  {"min", KEY_IN_RANGE},     {"max", KEY_IN_RANGE},
                 {"step", KEY_IN_RANGE},     {"type", KEY_IN_RANGE}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (node_find(map, signs[i].key))
            return signs[i].form;
    return 0;
}

static void read_default_value(struct reading *reading, struct draft *draft)
{
    const struct node *default_value = node_find(draft->node, "default");
    if (default_value &&
        !draft_fit(reading, PROBLEM_BAD_DEFAULT, &draft->param, default_value, &draft->param.default_value))
        draft->valid = false;
}

static void report_formless(struct reading *reading, struct draft *draft)
{
    problem_hint(
        report_draft(reading, draft, PROBLEM_BAD_PARAMETER, draft->mark, "nothing says what this parameter can be"),
        "write min and max, values, mean and stddev, or value");
}

static void read_form(struct reading *reading, struct draft *draft, unsigned form)
{
    size_t errors = reading->problems->errors;
    reading->parameter = draft->name;
    reading->map = draft->node;
    key_read_map(reading, section, form ? form : KEY_IN_ANY, draft->node, draft->mark, draft);
    draft->has_type = node_find(draft->node, "type");
    draft->valid = reading->problems->errors == errors;
    if (draft->valid && form == KEY_IN_RANGE)
        read_range(reading, draft);
    else if (draft->valid && form == KEY_IN_NORMAL)
        read_normal(reading, draft);
    else if (draft->valid && form == KEY_IN_CHOICE)
        read_choice(reading, draft, node_find(draft->node, "values"));
    else if (draft->valid && form == KEY_IN_CONSTANT)
        read_constant(draft, node_find(draft->node, "value"));
    else if (draft->valid)
        report_formless(reading, draft);
    if (draft->valid)
        read_default_value(reading, draft);
    reading->parameter = NULL;
    reading->map = NULL;
}

/* Refuses what another tool would read as a range, and here would be a constant or a choice. */
static bool refuse_range_text(struct reading *reading, struct draft *draft)
{
    struct buf here = {0};
    bool is_range = range_text_is(draft->node, &here);
    if (is_range)
        problem_hint(report_draft(reading, draft, PROBLEM_RANGE_AS_TEXT, draft->node->mark,
                                  draft->node->kind == NODE_LIST ? "this is a choice of three values, not a range"
                                                                 : "this is one text, not a range"),
                     "write %s; if it is meant as it stands, write {%s: ...}", buf_str(&here),
                     draft->node->kind == NODE_LIST ? "values" : "value");
    buf_fini(&here);
    return is_range;
}

/* [1e-5, 1e-2] may be a choice of two, or the ends of a range as other tools have it. */
static void warn_of_two_values(struct reading *reading, const struct draft *draft)
{
    const struct node *list = draft->node;
    if (range_text_may_be(list))
        problem_hint(problem_add(reading->problems, PROBLEM_TWO_VALUES, list->mark, "'%s' takes only these two values",
                                 draft->name),
                     "for all between them write {min: %s, max: %s}; if the two are meant, write {values: [%s, %s]}",
                     list->entries[0].node->text, list->entries[1].node->text, list->entries[0].node->text,
                     list->entries[1].node->text);
}

/* The short forms: a list is a choice, a scalar a constant. */
static void read_short_form(struct reading *reading, struct draft *draft)
{
    if (refuse_range_text(reading, draft))
        return;
    size_t errors = reading->problems->errors;
    bool is_list = draft->node->kind == NODE_LIST;
    const struct key *key = key_find(section, is_list ? "values" : "value");
    reading->parameter = draft->name;
    key_read(reading, key, draft->node, draft);
    reading->parameter = NULL;
    draft->valid = reading->problems->errors == errors;
    if (draft->valid && is_list)
        read_choice(reading, draft, draft->node);
    else if (draft->valid)
        read_constant(draft, draft->node);
    if (draft->valid)
        warn_of_two_values(reading, draft);
}

/* What the space refuses beyond what was checked above, such as one weight a billion times another. */
static void check_whole_draft(struct reading *reading, struct draft *draft)
{
    struct err err;
    if (draft->valid && param_check(&draft->param, &err))
        report_draft(reading, draft, PROBLEM_BAD_PARAMETER, draft->mark, err.text);
}

static bool is_parameter_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("_.-", *name))
            return false;
    return true;
}

void draft_read(struct reading *reading, const struct entry *entry, struct draft *draft)
{
    *draft = (struct draft){.name = entry->key, .mark = entry->mark, .node = entry->node};
    draft->param.name = mem_text(entry->key);
    if (entry->node->kind == NODE_MAP)
        read_form(reading, draft, form_of(entry->node));
    else if (node_is(entry->node, SCALAR_NULL) && !*entry->node->text)
        report_formless(reading, draft);
    else
        read_short_form(reading, draft);
    check_whole_draft(reading, draft);
    if (is_parameter_name(entry->key))
        return;
    draft->valid = false;
    problem_say(reading->problems, PROBLEM_BAD_NAME, entry->mark,
                "it has letters, digits and ._- and begins with a letter or '_'", "'%s' can't be a parameter's name",
                entry->key);
}
