/* Verdicts as programs get them and pages show them: with their sentence, and the advice that fits the experiment. */
#ifndef GANNET_CLI_DATA_VERDICT_WORDS_H
#define GANNET_CLI_DATA_VERDICT_WORDS_H

#include "common/buf.h"

#include <jansson.h>

/* Of a trial or a run, as the store shows it: {verdict, figure, sentence, advice}; null when it has none. `experiment`
 * is as reader_experiment gives it. */
json_t *verdict_words(const json_t *experiment, const json_t *trial);

/* Of an experiment: the store's list (reader_verdicts), each with `advice`. */
json_t *verdict_words_all(const json_t *experiment, const json_t *verdicts);

/* Of the same list the verdict that took the most time: "97 % of the time was in runs with the verdict latency: raise
 * `batch` ..."; nothing of an empty list. */
void verdict_words_most(const json_t *experiment, const json_t *verdicts, struct buf *out);

/* The kinds of runs that an experiment has, from its frozen file, as advice_whom gives them. A text that is no
 * experiment is that of a program. */
unsigned advice_kinds(const char *spec);

#endif
