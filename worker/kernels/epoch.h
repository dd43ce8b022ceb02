/* One epoch of a classifier: a pass over the training part in batches, then the validation, with the time of each
 * phase.
 *
 * The data lies where the backend can read it; what leaves the backend are the losses, a download for some batches
 * together, so that a device is seldom waited for. They are summed on the host in the order of the examples, in double
 * precision.
 *
 * Shapes: N examples of the training part, I inputs, C classes, B examples in a batch; sequences of T steps, with a
 * label for all or one for each step. What is summed and counted are labels. */
#ifndef GANNET_WORKER_KERNELS_EPOCH_H
#define GANNET_WORKER_KERNELS_EPOCH_H

#include "worker/data/feed.h"
#include "worker/data/text.h"
#include "worker/kernels/data_parallel.h"
#include "worker/kernels/kernel.h"
#include "worker/nn/network.h"

#include <stddef.h>
#include <stdint.h>

enum {
    EPOCH_EVALUATION_BATCH = 256, /* steps of all its examples, unless that of the training is larger */
    EPOCH_CHECKED = 16,           /* batches whose losses are looked at together */
};

/* The metrics that an epoch reports. */
#define EPOCH_METRICS "val_loss, val_accuracy, train_loss, train_accuracy, " KERNEL_SPEED

/* What a trial takes, of the kernels that are trained by epochs. */
#define EPOCH_MEMORY                                                                                                   \
    "the examples once for all trials of a trainer; 4 bytes a weight three times (adam, rmsprop and adadelta four), "  \
    "and of a batch twice what each layer gives"

/* Examples where the backend can read them. */
struct examples {
    const struct dataset *data;
    struct tensor x;         /* [N, the shape of an example]: training and validation part */
    struct tensor labels;    /* [N], or [N,T]: of each step */
    struct tensor lengths;   /* [N]: steps that are no padding; at NULL: there is none */
    size_t steps;            /* T of sequences, else 1 */
    const struct text *text; /* NULL, or x and labels have no memory: a batch is read from its windows */
};

/* The part of a trial that visits the data. */
struct epoch {
    struct backend *backend;
    const struct examples *examples;
    struct feed *feed;       /* of the batches of the training; NULL: the backend gathers them itself */
    struct feed_part *parts; /* that it is asked for */
    struct data_parallel parallel;
    size_t batch;                /* B: of the training, of all ranks; the last batch of an epoch may be smaller */
    size_t largest;              /* of the validation */
    float smoothing;             /* of the labels, in training */
    double prepared;             /* what the backend had prepared when the present phase began, in seconds */
    uint64_t seed;               /* of the order of examples, which is a function of it and the epoch */
    size_t *order;               /* [N] */
    int32_t *wanted;             /* [N]: the order as it is uploaded */
    float *loss;                 /* losses that were downloaded */
    int32_t *hit;                /* hits that were downloaded */
    int32_t *tokens, *next;      /* [B,T]: windows of a text as they are uploaded */
    void *memory;                /* of the tensors below, in the backend */
    struct tensor places;        /* [N]: the order */
    struct tensor x, labels, dy; /* of a batch */
    struct tensor lengths;       /* likewise, of [B] */
    struct tensor losses, hits;  /* of the batches that were not yet looked at */
};

/* What is done with the gradients of a batch. */
struct epoch_trainee {
    struct network *network;
    void *self;
    void (*update)(void *self); /* one step of the optimizer */
};

/* The largest batch that the network will see. */
size_t epoch_largest_batch(const struct examples *examples, size_t batch);

/* -1 with a sentence when there is no memory. `examples` must outlive it. */
int epoch_init(struct epoch *epoch, struct backend *backend, const struct examples *examples, size_t batch,
               uint64_t seed, struct err *err);
void epoch_fini(struct epoch *epoch); /* {0} is fine */

/* Batches of the training come from such a feed from now on, as they would without; what epoch_init was told is filled
 * in. */
void epoch_use_feed(struct epoch *epoch, const struct feed_source *source);

/* The batches of an epoch. */
size_t epoch_batches(const struct epoch *epoch);

/* Sets the order of an epoch, which follows from its number: a trial that goes on needs nothing of those before. */
void epoch_shuffle(struct epoch *epoch, int64_t step);

/* Sums over labels. */
struct epoch_loss {
    double sum;
    size_t hits, count; /* those whose largest output is that of their class; all */
};

/* Trains one epoch. DIVERGED with a sentence when the loss is not finite any more. */
enum ending epoch_train(struct epoch *epoch, const struct epoch_trainee *trainee, struct kernel_report *report,
                        struct epoch_loss *loss, struct err *err);

/* The loss over the validation part. */
struct epoch_loss epoch_validate(struct epoch *epoch, struct network *network, struct kernel_report *report);

/* Reports EPOCH_METRICS; of a text val_bits_per_byte, too. */
void epoch_report(const struct epoch *epoch, struct kernel_report *report, const struct epoch_loss *train,
                  const struct epoch_loss *val);

#endif
