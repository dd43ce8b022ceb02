/* Points that a person adds, as words of a command line or lines of a CSV file, read by the experiment's own parameters
 * and metrics. */
#ifndef GANNET_CLI_SESSION_ADDED_H
#define GANNET_CLI_SESSION_ADDED_H

#include "scheduler/session/add.h"

/* One point of words "lr=0.1", "loss=0.3": an array as add_trials takes it. A name that is both a parameter's and a
 * metric's is written param.NAME or metric.NAME. NULL with a sentence; every point was checked. */
json_t *added_from_words(const struct spec *spec, const char *const *words, struct err *err);

/* The same of a file: the first line names parameters and metrics, each other line is a point; an empty cell is no
 * value. The sentence names file and line. */
json_t *added_from_csv(const struct spec *spec, const char *path, struct err *err);

#endif
