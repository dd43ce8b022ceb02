/* Which data a kernel learns from: the rows of its options that say so, and what they come to. */
#ifndef GANNET_WORKER_KERNELS_DATA_OPTIONS_H
#define GANNET_WORKER_KERNELS_DATA_OPTIONS_H

#include "worker/data/dataset.h"
#include "worker/kernels/kernel_settings.h"

/* clang-format off */
/* The first rows of a kernel's table of options. */
#define DATA_OPTIONS                                                                                                   \
    {"data", "path|map", NULL, "a file, CIFAR's directory, or generate:NAME (docs/kernels.md)", 0, 0},                 \
        {"labels", "path", "", "IDX, NPY (NPZ, HDF5: if it is another): the file of labels", 0, 0},                    \
        {"label", "text", "", "what is learned: CSV: a column, default the last; NPZ, HDF5: an array", 0, 0},          \
        {"array", "text", "", "NPZ, HDF5: the array of inputs; default x_train, x, ... as it is there", 0, 0},         \
        {"validation_data", "path|test", "", "a file to validate with; test: the test part that comes with data", 0, 0},    \
        {"validation_labels", "path", "", "as labels, of validation_data", 0, 0},                                      \
        {"validation", "number", "0.2", "without validation_data: the share that is kept for it", 0.001, 0.999},        \
        {"stratified", "switch", "true", "whether both parts have the same share of each class", 0, 0},                \
        {"split_seed", "integer", "0", "chooses the validation part; the same for all trials", 0, 9e15},        \
        {"stage", "none|auto|shm|local", "auto", "one copy for all trainers of a node: in memory, on its disk", 0, 0}
/* clang-format on */

/* Of an example experiment: rows of a table, images, sequences. */
#define OTHER_FORMS      "docs/kernels.md has the other forms."
#define DATA_OF_ONES_OWN "Your own instead: data: train.csv (a header, the label in the last column); " OTHER_FORMS
#define IMAGES_OF_ONES_OWN                                                                                             \
    "Your own instead: data: images.npy (N x height x width x channels), labels: labels.npy (from 0); " OTHER_FORMS
#define SEQUENCES_OF_ONES_OWN                                                                                          \
    "Your own instead: data: sequences.npy (N x steps x features), labels: labels.npy (from 0); " OTHER_FORMS

/* What these rows say, of a kernel that has them; its texts are those of the settings and `base`. */
struct dataset_source data_options_read(const struct kernel_settings *settings, const char *base);

#endif
