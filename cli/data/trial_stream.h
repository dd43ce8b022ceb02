/* The stream to the worker of the trial that this process belongs to (docs/trial.md), for commands that a trial's
 * script calls: one connection, one line, one answer. */
#ifndef GANNET_CLI_DATA_TRIAL_STREAM_H
#define GANNET_CLI_DATA_TRIAL_STREAM_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Whether there is a trial around this process. */
bool trial_stream_is_trial(void);

/* Which of several processes of the trial this is, as gannet or another launcher of such processes says; 0: the first,
 * whose word alone counts. */
uint32_t trial_stream_rank(void);

/* Says `line`, to which it adds who speaks, and reads the answer: a new reference. NULL with a sentence: there is no
 * stream, the worker does not answer within some seconds, or it says that the line is wrong. Takes over `line`. */
json_t *trial_stream_say(json_t *line, struct err *err);

#endif
