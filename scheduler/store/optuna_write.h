/* A study as a SQLite file of Optuna's present schema (12, Alembic's v3.2.0.a, which Optuna 3 to 5 have): real tables
 * and a rollback journal, so that its programs, its dashboard and readers in browsers open it. One study a file.
 *
 *     optuna_create, optuna_put_study, optuna_put_trial ..., optuna_keep, optuna_end       a new file
 *     optuna_go_on, optuna_put_trial ..., optuna_keep, ..., optuna_end                     more of one that is there */
#ifndef GANNET_SCHEDULER_STORE_OPTUNA_WRITE_H
#define GANNET_SCHEDULER_STORE_OPTUNA_WRITE_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>

struct optuna_writer;

/* Makes the tables in an empty file. Until it is whole it is nobody's, so nothing is synchronised: whoever gives it a
 * name does that. NULL with a sentence. */
struct optuna_writer *optuna_create(const char *path, struct err *err);

/* Opens one that optuna_create made; trials that are put are replaced. NULL with a sentence. */
struct optuna_writer *optuna_go_on(const char *path, struct err *err);

/* The study: {name, directions: ["MINIMIZE", ...], user: {key: value}, system: {key: value}}. */
int optuna_put_study(struct optuna_writer *writer, const json_t *study, struct err *err);

/* A trial: {trial, number, state, started, completed, params: {name: [number, distribution]}, values: [number, ...],
 * steps: [[step, number], ...], user: {key: value}, system: {key: value}}. Numbers may be "nan", "inf" and "-inf",
 * times are RFC 3339 in UTC or null, a distribution is its JSON as text. Of several values at one step the last counts.
 */
int optuna_put_trial(struct optuna_writer *writer, const json_t *trial, struct err *err);

/* What was put is kept: before, nobody sees it; when this or a put fails, nobody ever does. */
int optuna_keep(struct optuna_writer *writer, struct err *err);

/* NULL is fine. */
void optuna_end(struct optuna_writer *writer);

/* Whether the file is one of Optuna's with a study that has the user attribute `key`, and no other study. */
bool optuna_has_mark(const char *path, const char *key);

#endif
