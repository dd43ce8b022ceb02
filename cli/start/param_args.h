/* What a person says about parameters and metric in a few words, on the command line or when asked:
 *
 *     lr=1e-5..1e-1:log    a range, in the logarithm      width=32..512      whole numbers
 *     opt=sgd,adam         a choice                       -dropout           not searched
 *     val_acc maximize     the metric
 *
 * They go into the options of a program (user_program.h): `keys` of one are what it is searched by, `left` says that it
 * is not. */
#ifndef GANNET_CLI_START_PARAM_ARGS_H
#define GANNET_CLI_START_PARAM_ARGS_H

#include "cli/start/metric_guess.h"
#include "common/err.h"

#include <jansson.h>

/* What a word stands for: a number, true or false, else a text. */
json_t *param_args_value(const char *text);

/* One word; an option that is not there is added as --NAME. -1 with a sentence that says how to write it. */
int param_args_take(const char *word, json_t *options, struct err *err);

/* All words of a line. */
int param_args_take_line(const char *line, json_t *options, struct err *err);

/* "NAME", "NAME minimize": without the goal it is that which the name has usually. */
int param_args_metric(const char *text, struct metric_guess *metric, struct err *err);

#endif
