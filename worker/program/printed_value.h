/* A number as programs write one: 0.31, 1e-3, nan, 97.5%, and as Python shows its own: tensor(0.31, device='cuda:0'),
 * np.float64(0.31), [0.31], "0.31". */
#ifndef GANNET_WORKER_PROGRAM_PRINTED_VALUE_H
#define GANNET_WORKER_PROGRAM_PRINTED_VALUE_H

#include <stdbool.h>

/* Behind the value at `at`, or NULL when there is none: a clock's time (0:03:20), a list of several, a version (1.2.3).
 * *comma: it would be one with a point for its comma (0,25). */
const char *printed_value(const char *at, const char *end, double *value, bool *comma);

/* The same for a value whose percent sign counts, also within quotes and brackets: 97.5% and "97.5 %" are 0.975. What
 * is returned lies in front of a sign that stands behind all else. */
const char *printed_share(const char *at, const char *end, double *value, bool *comma);

/* What names of metrics are made of: "val_loss", "train/acc", "top-5". */
bool printed_is_word(char c);

const char *printed_skip_blanks(const char *at, const char *end);

#endif
