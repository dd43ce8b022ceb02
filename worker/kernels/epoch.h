/* One epoch, for every kernel that trains a classifier: a pass over the training part in batches, then the validation,
 * with the time of each phase.
 *
 * Shapes: N examples of the training part, I inputs, C classes, B examples in a batch. */
#ifndef GANNET_WORKER_KERNELS_EPOCH_H
#define GANNET_WORKER_KERNELS_EPOCH_H

#include "worker/data/dataset.h"
#include "worker/kernels/kernel.h"
#include "worker/kernels/kernel_settings.h"
#include "worker/kernels/pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EPOCH_EVALUATION_BATCH = 256 };

/* The metrics that an epoch reports. */
#define EPOCH_METRICS "val_loss, val_accuracy, train_loss, train_accuracy"

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

/* Opens the data that these options say. -1 with a sentence. */
int epoch_open_data(struct dataset *data, const struct kernel_settings *settings, const char *base, struct err *err);

/* What is trained. */
struct classifier {
    void *self;

    /* The outputs z[B,C] of x[B,I], valid until the next call. B is at most epoch_largest_batch(). `training`: as in
     * training (dropout), keeping what backward needs. */
    const float *(*forward)(void *self, size_t B, const float *x, bool training);

    /* The gradients of all weights from dz[B,C], that of the outputs; after forward with the same x. */
    void (*backward)(void *self, size_t B, const float *x, const float *dz);

    /* One step of the optimizer by the gradients. */
    void (*update)(void *self);
};

/* The part of a trial that visits the data. */
struct epoch {
    const struct dataset *data;
    size_t batch;    /* B: of the training; the last batch of an epoch may be smaller */
    struct rng rng;  /* of the order of examples */
    size_t *order;   /* [N] */
    float *x, *dz;   /* [B,I] and [B,C] */
    int32_t *labels; /* [B] */
};

void epoch_init(struct epoch *epoch, const struct dataset *data, size_t batch, uint64_t seed);
void epoch_fini(struct epoch *epoch);

/* The batches of an epoch, and the largest batch that the classifier will see. */
size_t epoch_batches(const struct epoch *epoch);
size_t epoch_largest_batch(const struct epoch *epoch);

/* Of checkpoints: the order of examples to come. */
void epoch_save(const struct epoch *epoch, struct buf *out);
void epoch_resume(struct epoch *epoch, struct pack *pack);

/* Trains one epoch, validates and reports. DIVERGED with a sentence when the loss is not finite any more. */
enum ending epoch_run(struct epoch *epoch, const struct classifier *classifier, struct kernel_report *report,
                      struct err *err);

#endif
