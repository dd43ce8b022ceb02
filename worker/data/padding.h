/* Sequences of different lengths in arrays and tables, which have room for the longest: what is behind the end of a
 * shorter one is filled up with a number, or with NaN (an empty cell). */
#ifndef GANNET_WORKER_DATA_PADDING_H
#define GANNET_WORKER_DATA_PADDING_H

#include "worker/data/dataset.h"

/* How many steps an example has room for: `steps`, or when that is 0 what the data's shape says. -1 with a sentence
 * when that is not said, or does not divide the inputs. */
int padding_steps(const struct dataset *data, size_t steps, size_t *out, struct err *err);

/* Finds out how many steps each example has (data->lengths); before the examples are divided and scaled. Nothing
 * without padding. -1 with a sentence that names the example: there is nothing but padding, or padding before its end,
 * or what is to be a token is none. */
int padding_find(struct dataset *data, const struct dataset_padding *padding, struct err *err);

/* Sets what is padding to 0. */
void padding_clear(struct dataset *data);

#endif
