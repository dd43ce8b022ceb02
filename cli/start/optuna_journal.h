/* The other storage of Optuna, a file of JSON lines to which every process adds what it did. */
#ifndef GANNET_CLI_START_OPTUNA_JOURNAL_H
#define GANNET_CLI_START_OPTUNA_JOURNAL_H

#include "scheduler/store/optuna.h"

/* Whether a file begins as one. */
bool optuna_journal_is(const char *path);

/* As optuna_read. Lines that are broken, as the last one of a process that was killed, are passed over. */
int optuna_journal_read(const char *path, const char *name, struct optuna_study *study, struct err *err);

#endif
