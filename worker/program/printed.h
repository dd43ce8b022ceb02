/* Metrics that a program prints: finds name=value and name: value in its output, for the names it is told, at the
 * boundaries of words; whatever else is in the output, binary garbage too, is passed over.
 *
 *     epoch 3 loss=0.31 acc: 97.5%            loss 0.31 and acc 97.5
 *     {"step": 12, "loss": 0.31}              loss 0.31 at step 12
 *     loss = 0.31 (12)                        loss 0.31 at step 12
 *
 * The step is what step= or epoch= says in the same line (step wins), or the number in brackets behind the value; else
 * one more than the metric's last step. A line ends at a line feed, a carriage return (progress bars), or after 64 KiB.
 */
#ifndef GANNET_WORKER_PROGRAM_PRINTED_H
#define GANNET_WORKER_PROGRAM_PRINTED_H

#include "common/buf.h"

#include <stddef.h>
#include <stdint.h>

struct printed;

/* What is called for each value; `name` lives as long as the struct. */
typedef void printed_call(void *context, const char *name, int64_t step, double value);

/* For the names of a list that ends with NULL; they are copied. */
struct printed *printed_create(const char *const *names, printed_call *call, void *context);
void printed_destroy(struct printed *printed); /* NULL is fine */

/* Reads the next part of the output; values in a line that is not complete yet come later. */
void printed_read(struct printed *printed, const char *bytes, size_t length);

/* The output has ended: reads the last line, though it has no end. */
void printed_end(struct printed *printed);

/* Adds the first few other names that had a number: "loss, acc". For the sentence that the one wanted did not come. */
void printed_others(const struct printed *printed, struct buf *out);

#endif
