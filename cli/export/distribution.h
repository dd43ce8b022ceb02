/* A parameter of an experiment as one of Optuna's distributions, and its values as the numbers that Optuna keeps. */
#ifndef GANNET_CLI_EXPORT_DISTRIBUTION_H
#define GANNET_CLI_EXPORT_DISTRIBUTION_H

#include <jansson.h>
#include <stdbool.h>

struct optuna_distribution {
    char *name;
    char *text;     /* as Optuna keeps it: JSON */
    json_t *values; /* of a choice or constant, in the order of their numbers; NULL: it is a range */
};

/* Of a definition as `parameters` of docs/json.md has it. What Optuna has no word for becomes what is nearest: a normal
 * distribution is the range that it reaches, a constant a choice of one, a list in a choice its JSON as a text, of a
 * step and `log` the step is left out. */
void distribution_init(struct optuna_distribution *distribution, const json_t *parameter);
void distribution_fini(struct optuna_distribution *distribution);

/* The number of a value; false: the distribution has no such. */
bool distribution_number(const struct optuna_distribution *distribution, const json_t *value, double *number);

#endif
