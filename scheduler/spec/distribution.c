/* W&B's, NNI's and Katib's distributions in our keys; see distribution.h. */
#include "scheduler/spec/distribution.h"
#include "scheduler/spec/unknown.h"

#include <math.h>

struct distribution {
    const char *name, *advice;
};

static const struct distribution distributions[] = {
    {"uniform", "leave it out: 'min' and 'max' alone mean uniform; write reals with a point, or type: float"},
    {"int_uniform", "leave it out: whole 'min' and 'max' alone mean uniform whole numbers"},
    {"randint", "leave it out: whole 'min' and 'max' alone mean uniform whole numbers (both included)"},
    {"q_uniform", "write min, max and step"},
    {"q_uniform_values", "write min, max and step"},
    {"log_uniform_values", "write log: true, with 'min' and 'max' as they are"},
    {"q_log_uniform_values", "write log: true and, for whole numbers, type: int"},
    {"inv_log_uniform", "search 1/x instead: write log: true with the inverse bounds"},
    {"inv_log_uniform_values", "search 1/x instead: write log: true with the inverse bounds"},
    {"normal", "leave it out: 'mean' and 'stddev' alone mean normal"},
    {"q_normal", "write 'mean' and 'stddev'; a normal parameter has no steps"},
    {"log_normal", "write 'mean' and 'stddev' of the logarithm, and log: true"},
    {"q_log_normal", "write 'mean' and 'stddev' of the logarithm, and log: true"},
    {"categorical", "leave it out: 'values' alone mean a choice"},
    {"categorical_w_probabilities", "leave it out and write the probabilities as 'weights'"},
    {"choice", "leave it out: 'values' alone mean a choice"},
    {"constant", "leave it out: 'value' alone means a constant"},
};

bool distribution_is_key(const char *name)
{
    return unknown_same_name(name, "distribution");
}

/* W&B's log_uniform: the bounds are exponents of e. */
static void hint_exponents(struct problem *problem, const struct node *map)
{
    double min, max;
    if (!node_number(node_find(map, "min"), &min) || !node_number(node_find(map, "max"), &max))
        problem_hint(problem, "W&B's log_uniform takes exponents; write log: true, with 'min' and 'max' as values");
    else if (max > 0 && min >= 0)
        problem_hint(problem, "write log: true, with 'min' and 'max' as values");
    else
        problem_hint(problem,
                     "W&B's log_uniform takes exponents: for e^%g .. e^%g write {min: %.3g, max: %.3g, log: true}", min,
                     max, exp(min), exp(max));
}

void distribution_hint(struct problem *problem, const struct node *map, const struct node *named)
{
    if (!node_is(named, SCALAR_TEXT)) {
        problem_hint(problem, "leave it out: the keys of a parameter say what it is");
        return;
    }
    if (unknown_same_name(named->text, "log_uniform") || unknown_same_name(named->text, "q_log_uniform")) {
        hint_exponents(problem, map);
        return;
    }
    for (size_t i = 0; i < sizeof distributions / sizeof *distributions; i++)
        if (unknown_same_name(named->text, distributions[i].name)) {
            problem_hint(problem, "%s", distributions[i].advice);
            return;
        }
    problem_hint(problem, "the keys say it here: min and max (log, step), values, mean and stddev, or value");
}
