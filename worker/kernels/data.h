/* The data of a classifier: examples with a label, from a CSV file or a pair of IDX files (the format of MNIST), split
 * into a training and a validation part and scaled. Loaded once and shared by all trials of a trainer.
 *
 * The alphabet of shapes: N examples, I inputs, C classes, B examples in a batch. */
#ifndef GANNET_WORKER_KERNELS_DATA_H
#define GANNET_WORKER_KERNELS_DATA_H

#include "common/err.h"
#include "common/rng.h"
#include "worker/kernels/kernel_settings.h"

#include <stddef.h>
#include <stdint.h>

enum { DATA_MOST_CLASSES = 1000, DATA_MOST_INPUTS = 1000000 };

/* x[N, I] and labels[N]; examples 0 .. training-1 are the training part, the others the validation part. */
struct data {
    size_t count, training, inputs, classes;
    float *x;        /* row by row */
    int32_t *labels; /* 0 .. classes-1 */
};

/* clang-format off */
/* The rows of a kernel's options that say which data; the first of its table. */
#define DATA_OPTIONS                                                                                                   \
    {"data", "text", NULL, "a CSV file with a header, or an IDX file of images", 0, 0},                                \
        {"labels", "text", "", "the IDX file of labels that belongs to an IDX file of images", 0, 0},                  \
        {"label", "text", "", "CSV: the column of the class; default: the last one", 0, 0},                            \
        {"validation", "number", "0.2", "the share of the examples that is kept for validation", 0.001, 0.999},        \
        {"stratified", "switch", "true", "whether both parts have the same share of each class", 0, 0},                \
        {"split_seed", "integer", "0", "chooses the validation part; the same for all trials", 0, 9e15},               \
        {"scaling", "none|unit|standard", "standard", "of each input: to 0..1, or to mean 0 and deviation 1", 0, 0}
/* clang-format on */

/* Loads, splits and scales the data of the options. -1 with a sentence that names file, line and column. */
int data_open(struct data *data, const struct settings *settings, const char *base, struct err *err);
void data_close(struct data *data); /* {0} is fine */

/* Readers, for data_open and tests: all examples in the file's order, training = count. */
int data_read_csv(struct data *data, const char *path, const char *label, struct err *err);
int data_read_idx(struct data *data, const char *images, const char *labels, struct err *err);

/* Puts the examples into the order training, validation. */
void data_split(struct data *data, double validation, bool stratified, uint64_t seed);

enum data_scaling { DATA_NONE, DATA_UNIT, DATA_STANDARD };
void data_scale(struct data *data, enum data_scaling scaling);

/* The order in which an epoch visits the training part. */
void data_shuffle(size_t *order, size_t count, struct rng *rng);

/* Copies the examples order[0 .. B-1] into x[B, I] and labels[B]. */
void data_gather(const struct data *data, const size_t *order, size_t count, float *x, int32_t *labels);

#endif
