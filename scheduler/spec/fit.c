/* Whether a parameter can take a value; see draft.h. */
#include "scheduler/spec/draft.h"
#include "common/mem.h"
#include "common/suggest.h"

#include <math.h>
#include <stdlib.h>

/* How far from a step a value may lie, in steps: the rounding of decimals. */
#define STEP_TOLERANCE 1e-6

/* Ranges and normal distributions: a number within the bounds, on a step. */
static int fit_number(const struct param *param, const struct node *node, struct value *out, struct err *err)
{
    double number, steps;
    if (!node_number(node, &number) || !isfinite(number))
        return err_set(err, "'%s' takes numbers", param->name);
    if (param->kind == PARAM_INT && number != floor(number))
        return err_set(err, "'%s' takes whole numbers only", param->name);
    if (number < param->min)
        return err_set(err, "%s is below the min of '%s'", node->text, param->name);
    if (number > param->max)
        return err_set(err, "%s is above the max of '%s'", node->text, param->name);
    if (param->kind != PARAM_NORMAL && param->step > 0) {
        steps = (number - param->min) / param->step;
        if (fabs(steps - round(steps)) > STEP_TOLERANCE + steps * 1e-15)
            return err_set(err, "%s is not on a step of '%s'", node->text, param->name);
    }
    *out = param->kind == PARAM_INT ? value_of_int((int64_t)number) : value_of_real(number);
    return 0;
}

static int fit_listed(const struct param *param, const struct node *node, struct value *out, struct err *err)
{
    struct value value;
    if (node_value(node, &value, err))
        return -1;
    for (uint32_t i = 0; i < param->count; i++)
        if (value_equal(&value, &param->values[i])) {
            value_fini(&value);
            *out = value_copy(&param->values[i]);
            return 0;
        }
    value_fini(&value);
    return err_set(err, "'%s' can't be %s", param->name, node_show(node).text);
}

/* The hint for a number: the nearest steps, or the bounds. */
static void hint_number(struct problem *problem, const struct param *param, const struct node *node)
{
    double number;
    bool inside = node_number(node, &number) && number >= param->min && number <= param->max;
    if (inside && param->step > 0 && param->kind != PARAM_NORMAL) {
        double low = param->min + floor((number - param->min) / param->step) * param->step;
        if (low + param->step <= param->max)
            problem_hint(problem, "the nearest steps are %.15g and %.15g", low, low + param->step);
        else
            problem_hint(problem, "the nearest step is %.15g", low);
    } else if (inside) {
        problem_hint(problem, "for reals write type: float");
    } else if (isfinite(param->min) && isfinite(param->max)) {
        problem_hint(problem, "it goes from %.15g to %.15g", param->min, param->max);
    }
}

/* The hint for a choice: the value that was meant, or all of them when they are few. */
static void hint_choice(struct problem *problem, const struct param *param, const struct node *node)
{
    enum { LISTED = 12 };
    const char **names = MEM_ARRAY(const char *, param->count);
    struct buf shown = {0};
    for (uint32_t i = 0; i < param->count; i++) {
        buf_text(&shown, i && i < LISTED ? ", " : "");
        if (i < LISTED)
            value_show(&param->values[i], &shown);
        names[i] = param->values[i].kind == VALUE_TEXT ? param->values[i].text : "";
    }
    buf_text(&shown, param->count > LISTED ? ", ..." : "");
    const char *nearest = node->kind == NODE_SCALAR ? suggest_nearest(node->text, names, param->count) : NULL;
    if (nearest && *nearest)
        problem_hint(problem, "did you mean '%s'?", nearest);
    else
        problem_hint(problem, "it takes %s", buf_str(&shown));
    buf_fini(&shown);
    free(names);
}

bool draft_fit(struct reading *reading, enum problem_code code, const struct param *param, const struct node *node,
               struct value *out)
{
    struct err err;
    bool listed = param->kind == PARAM_CHOICE || param->kind == PARAM_CONSTANT;
    if ((listed ? fit_listed : fit_number)(param, node, out, &err) == 0)
        return true;
    struct problem *problem = problem_add(reading->problems, code, node->mark, "%s", err.text);
    if (listed)
        hint_choice(problem, param, node);
    else
        hint_number(problem, param, node);
    return false;
}
