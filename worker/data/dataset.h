/* The data of a classifier: examples with a label (or a number to be learned), from a CSV file, a pair of IDX files
 * (the format of MNIST) or a generator, split into a training and a validation part and scaled. Loaded once and shared
 * by all trials of a trainer.
 *
 * The alphabet of shapes: N examples, I inputs, C classes, B examples in a batch. */
#ifndef GANNET_WORKER_DATA_DATASET_H
#define GANNET_WORKER_DATA_DATASET_H

#include "common/err.h"
#include "common/rng.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DATASET_MOST_CLASSES = 1000, DATASET_MOST_INPUTS = 1000000 };

/* What one example is, when the data says so: rank 1 [I], 2 [steps, features], 3 [H, W, channels]; rank 0: it does not.
 */
struct dataset_shape {
    int rank;
    size_t size[3];
};

/* The inputs of such an example, I. */
size_t dataset_shape_inputs(const struct dataset_shape *shape);

/* x[N, I] and labels[N] or targets[N]; examples 0 .. training-1 are the training part, the others the validation part.
 */
struct dataset {
    size_t count, training, inputs, classes; /* classes 0: what is learned is a number */
    struct dataset_shape shape;              /* of an example */
    float *x;                                /* row by row; NaN: missing */
    int32_t *labels;                         /* 0 .. classes-1; NULL without classes */
    float *targets;                          /* the numbers to be learned; NULL with classes */
    int32_t *lengths; /* of `steps` steps that each example has, 1 .. steps; the others are padding. NULL: none is */
    size_t steps;     /* 0 without lengths */

    void *map; /* where all of them lie, to be read only (packed.h); NULL: they are of this process alone */
    size_t map_length;
    struct copy *copy; /* the file of that (copy.h) */
};

enum dataset_scaling { DATASET_NONE, DATASET_UNIT, DATASET_STANDARD };

/* Where examples are packed for all processes of the node; auto: in memory when they are large and there is room, else
 * each process has its own. */
enum dataset_stage { DATASET_STAGE_NONE, DATASET_STAGE_AUTO, DATASET_STAGE_SHM, DATASET_STAGE_LOCAL };

/* What sequences are filled up with that are shorter than others (padding.h). */
enum padding_kind { PADDING_NONE, PADDING_NAN, PADDING_NUMBER };
struct dataset_padding {
    enum padding_kind kind;
    float number;
    bool tokens;  /* each input is a step */
    size_t steps; /* else: of an example; 0: as the data says */
};

/* Which examples, and what is done with them. */
struct dataset_source {
    const char *base;   /* the directory that relative paths start from */
    const char *file;   /* the file (read.h), or generate:NAME; NULL: `made` says it */
    const json_t *made; /* the options of a generator (generate.h) */
    const char *labels; /* IDX, NPY, perhaps NPZ, HDF5: the file of labels; "": none */
    const char *array;  /* NPZ, HDF5: the array of inputs; "": one of the usual names */
    const char *label;  /* CSV: the column of the class or number; NPZ, HDF5: the array; "": the last, the usual one */
    const char *validation_data;   /* a file of what is validated with, or `test`; "": a share of the examples is */
    const char *validation_labels; /* as labels */
    bool numbers;                  /* CSV: that column holds numbers to be learned, not names of classes */
    bool missing;                  /* CSV: inputs may be empty or nan */
    struct dataset_padding padding;
    double validation; /* the share of the examples that is kept for validation */
    bool stratified;   /* both parts have the same share of each class */
    uint64_t split_seed;
    enum dataset_scaling scaling;
    enum dataset_stage stage;
};

/* Loads, splits and scales the examples, or finds them where another process of the node has put them. -1 with a
 * sentence that names file, line and column. */
int dataset_open(struct dataset *data, const struct dataset_source *source, struct err *err);
void dataset_close(struct dataset *data); /* {0} is fine */

/* The same in memory of this process, whatever source->stage says. */
int dataset_read(struct dataset *data, const struct dataset_source *source, struct err *err);

/* Puts the examples into the order training, validation. */
void dataset_split(struct dataset *data, double validation, bool stratified, uint64_t seed);

/* Each input by its values in the training part; of sequences with lengths each number of a step, by those of all
 * steps.
 */
void dataset_scale(struct dataset *data, enum dataset_scaling scaling);

/* The order in which an epoch visits the training part. */
void dataset_shuffle(size_t *order, size_t count, struct rng *rng);

/* Copies the examples order[0 .. B-1], which have classes, into x[B, I] and labels[B]. */
void dataset_gather(const struct dataset *data, const size_t *order, size_t count, float *x, int32_t *labels);

#endif
