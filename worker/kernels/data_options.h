/* Which data a kernel learns from: the rows of its options that say so, and what they come to. */
#ifndef GANNET_WORKER_KERNELS_DATA_OPTIONS_H
#define GANNET_WORKER_KERNELS_DATA_OPTIONS_H

#include "worker/data/dataset.h"
#include "worker/kernels/kernel_settings.h"

/* clang-format off */
/* The first rows of a kernel's table of options. */
#define DATA_OPTIONS                                                                                                   \
    {"data", "text|map", NULL, "a CSV file with a header, an IDX file of images, or a generator (generate:NAME)", 0, 0}, \
        {"labels", "text", "", "the IDX file of labels that belongs to an IDX file of images", 0, 0},                  \
        {"label", "text", "", "CSV: the column of what is learned; default: the last one", 0, 0},                      \
        {"validation", "number", "0.2", "the share of the examples that is kept for validation", 0.001, 0.999},        \
        {"stratified", "switch", "true", "whether both parts have the same share of each class", 0, 0},                \
        {"split_seed", "integer", "0", "chooses the validation part; the same for all trials", 0, 9e15}
/* clang-format on */

/* Of an example experiment. */
#define DATA_OF_ONES_OWN                                                                                               \
    "Your own instead: data: train.csv (a header, the label in the last column); docs/kernels.md has the other forms."

/* What these rows say, of a kernel that has them; its texts are those of the settings and `base`. */
struct dataset_source data_options_read(const struct kernel_settings *settings, const char *base);

#endif
