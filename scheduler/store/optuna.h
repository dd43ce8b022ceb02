/* Studies of Optuna, as its own storages have them, so that what was found there need not be found again. Here: the
 * SQLite file of Optuna 3, 4 and 5; the other one is read by whoever knows its lines, into the same study. */
#ifndef GANNET_SCHEDULER_STORE_OPTUNA_H
#define GANNET_SCHEDULER_STORE_OPTUNA_H

#include "common/err.h"
#include "common/map.h"

#include <jansson.h>
#include <stdbool.h>

enum {
    OPTUNA_MOST_TRIALS = 1000000, /* trials, and ten times as many rows about them; more is refused */
    OPTUNA_MOST_ROWS = 10000000
};

struct optuna_study {
    char *name;
    json_t *maximize;      /* an array: for each objective, whether it is maximized */
    json_t *metrics;       /* an array of their names; NULL: they have none */
    json_t *distributions; /* an array of texts: each distribution once, as JSON */
    /* An array of {state: "COMPLETE", params: {name: [number, index of the distribution]}, values: [...], steps:
     * [[step, value], ...], started, seconds}, in the order of their numbers. */
    json_t *trials;
    struct map seen; /* hash of a distribution -> its index + 1 */
};

void optuna_init(struct optuna_study *study);
void optuna_fini(struct optuna_study *study); /* {0} is fine */

/* A new trial; and a parameter of one: the number that Optuna keeps, and the distribution that says what it means. */
json_t *optuna_trial(struct optuna_study *study, const char *state, double started, double ended);
void optuna_param(struct optuna_study *study, json_t *trial, const char *name, double number, const char *distribution);

/* Reads the study of that name (NULL: the only one) from a SQLite file, which is only read. -1 with a sentence: it is
 * none of Optuna's, there is no such study, or there are several. optuna_fini in any case. */
int optuna_read(const char *path, const char *name, struct optuna_study *study, struct err *err);

/* Says which studies there are when none, or not one, was meant; is -1. `names`: an array of texts. */
int optuna_refuse(const char *path, const char *wanted, const json_t *names, struct err *err);

#endif
