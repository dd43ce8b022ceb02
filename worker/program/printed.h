/* Metrics that a program prints; whatever else is in the output, binary garbage too, is passed over.
 *
 *     epoch 3 loss=0.31 acc: 97.5%            loss 0.31 and acc 97.5, at step 3
 *     {"step": 12, "loss": 0.31}              loss 0.31 at step 12
 *     loss = 0.31 (12)                        loss 0.31 at step 12
 *     loss tensor(0.31, device='cuda:0')      loss 0.31
 *
 * The names that are looked for are found as name=value, name: value, "name": value, name | value and name value, at
 * the boundaries of words. The step is what step or epoch says in the same line when that is whole (step wins), or the
 * number in brackets behind the value; else one more than the metric's last step.
 *
 * Other names are metrics, too, where the line says that it is about metrics: it has a name that is looked for, or a
 * step. There name=value and name: value count, of at most PRINTED_OTHERS names, and of each the first
 * PRINTED_OTHER_VALUES values and the last.
 *
 * A line ends at a line feed, or within 64 KiB, where no value is cut if that can be. What a carriage return takes back
 * (progress bars) counts no more than on a terminal: the last state of such a line does. */
#ifndef GANNET_WORKER_PROGRAM_PRINTED_H
#define GANNET_WORKER_PROGRAM_PRINTED_H

#include "common/buf.h"

#include <stddef.h>
#include <stdint.h>

struct printed;

enum { PRINTED_OTHERS = 32, PRINTED_OTHER_VALUES = 1000 };

/* Where text comes from: each has lines of its own. A metric without steps is counted where it came first: what logs
 * say again on the error output is not another step. */
enum printed_stream { PRINTED_OUT, PRINTED_ERR, PRINTED_FILE, PRINTED_STREAMS };

/* What is called for each value; `name` lives as long as the struct. */
typedef void printed_call(void *context, const char *name, int64_t step, double value);

/* For the names of a list that ends with NULL; they are copied. With a pattern (common/line_pattern.h, which can be
 * read) only what fits that counts; NULL: the forms above do. */
struct printed *printed_create(const char *const *names, const char *pattern, printed_call *call, void *context);

/* Names of those of which a printed 97.5% is 0.975; NULL: of none. To be called before anything is read. */
void printed_percent(struct printed *printed, const char *const *names);

void printed_destroy(struct printed *printed); /* NULL is fine */

/* Reads the next part of a stream; values in a line that is not complete yet come later. */
void printed_read(struct printed *printed, enum printed_stream stream, const char *bytes, size_t length);

/* A stream begins anew: what there was of a line is no part of one. */
void printed_forget(struct printed *printed, enum printed_stream stream);

/* The output has ended: reads the last lines, though they have no end. */
void printed_end(struct printed *printed);

/* Adds what there was of numbers, for the sentence that the one wanted did not come: "it printed loss, acc". Nothing
 * when there were none. */
void printed_others(const struct printed *printed, struct buf *out);

#endif
