/* What the kernels that train a network as a classifier have in common: all but the network and their tables. Such a
 * kernel's file has its rows, and a start that reads them into a list of layers. */
#ifndef GANNET_WORKER_KERNELS_CLASSIFIER_H
#define GANNET_WORKER_KERNELS_CLASSIFIER_H

#include "worker/kernels/data_options.h"
#include "worker/kernels/epoch.h"
#include "worker/kernels/kernel_settings.h"
#include "worker/kernels/recipe.h"
#include "worker/nn/optimizer.h"
#include "worker/nn/schedule.h"

/* clang-format off */
/* The rows of a kernel's options that say which data, and what computes; the first of its table. */
#define CLASSIFIER_OPTIONS                                                                                             \
    DATA_OPTIONS,                                                                                                      \
        {"scaling", "none|unit|standard", "standard", "of each input: to 0..1, or to mean 0 and deviation 1", 0, 0},   \
        {"backend", "auto|cuda|onednn|ref", "auto", "what computes: a GPU, oneDNN, plain loops, or the fastest", 0, 0},  \
        {"data_threads", "auto|integer", "auto", "threads that make batches ready ahead; auto: by the processors", 0,  \
         FEED_MOST_THREADS}

/* The rows of a kernel's parameters that classifier_read_training reads; the last of its table. The second names the
 * optimizer that is the default. */
#define CLASSIFIER_PARAMS CLASSIFIER_PARAMS_WITH("sgd")
#define CLASSIFIER_PARAMS_WITH(optimizer_)                                                                             \
    {"optimizer", OPTIMIZERS, optimizer_, "how the weights follow their gradients", 0, 0},                             \
        {"momentum", "number", "0.9", "of sgd, rmsprop and lars; the others do not use it", 0, 0.9999},                \
        {"nesterov", "switch", "false", "of sgd: whether the gradient looks ahead", 0, 0},                             \
        {"beta1", "number", "0.9", "of adam and adamw: of the mean of gradients", 0, 0.9999},                          \
        {"beta2", "number", "0.999", "of adam and adamw: of the mean of squared gradients", 0, 0.999999},              \
        {"rho", "number", "0.95", "of rmsprop and adadelta: of the mean of squared gradients", 0, 0.999999},           \
        {"trust", "number", "0.001", "of lars: a step of rate 1 as a share of a layer's weights", 1e-9, 1},            \
        {"epsilon", "number", "1e-8", "added to the divisor: of adam, adamw, rmsprop and adadelta", 1e-12, 1},         \
        {"weight_decay", "number", "0", "of the loss; adamw: of the weights themselves", 0, 1e6},                      \
        {"clip", "number", "0", "the largest norm of all gradients together; 0: any", 0, 1e9},                         \
        {"label_smoothing", "number", "0", "the share of each label that all classes have alike", 0, 0.99},            \
        {"ema", "number", "0", "decay of the mean of weights that is validated; 0: the weights are", 0, 0.999999},     \
        {"batch", "integer", "64", "examples in a batch", 1, 1e6},                                                     \
        {"epochs", "integer", "10", "passes over the training part; an epoch is a step", 1, 1e6},                      \
        {"schedule", SCHEDULES, "constant", "of the learning rate", 0, 0},                                             \
        {"warmup", "number", "0", "epochs during which the learning rate rises from 0", 0, 1e6},                       \
        RECIPE_PARAMS
/* clang-format on */

/* How a network is trained. */
struct classifier_training {
    struct optimizer_rule optimizer;
    enum schedule schedule;
    double lr;        /* the largest */
    double warmup;    /* epochs */
    double smoothing; /* of labels */
    double ema;       /* of the mean of weights; 0: none */
    size_t batch;
    int64_t epochs;
    struct recipe recipe;
    struct augment augment; /* of images, in training; {0}: none */
};

/* Where a trial began, of whose own steps its schedule is: behind another one when it started from its checkpoint. */
struct classifier_beginning {
    int64_t step, updates; /* taken before its first one; of checkpoints */
    int64_t ended;         /* whether it has come to its end: who starts from there begins there */
};

struct lanes_network;
struct stacked;

struct classifier {
    struct kernel_settings settings;
    const char *metric; /* the objective's name */
    struct dataset data;
    int threads;     /* of the processor, that a trial may use */
    size_t all_team; /* threads of loops, unless a trial has fewer */
    size_t team;     /* those of this trial */
    struct backend *backend;
    const struct collective *collective; /* NULL: one process */
    struct examples examples;            /* the data where the backend reads it */
    struct text text;                    /* whose windows are the examples; {0}: the data's are */
    int32_t *tokens;                     /* [N,I]: the data's inputs when they are tokens; NULL: they are numbers */
    size_t token_kinds;                  /* tokens are below it */
    /* The trial. */
    struct classifier_training training;
    struct epoch epoch;
    struct network *network;
    struct optimizer optimizer;
    struct average average;
    struct loss_scale scale;
    struct patience patience;
    int64_t updates, warmup; /* of the trial; the first with a rising learning rate */
    struct classifier_beginning beginning;
    /* Of fusion.c. */
    struct classifier *shared;   /* whose data and backend it uses; NULL: they are its own */
    struct lanes_network *lanes; /* of the last step that several of them took together; of the one they belong to */
    struct stacked *stacked;     /* the same in a device */
};

/* The slot open of a kernel, which must have CLASSIFIER_OPTIONS: reads the options, starts the backend, loads the data.
 */
int classifier_open(const struct kernel *kernel, const struct kernel_task *task, void **self, struct err *err);

/* The same for a kernel that reads its data itself: `read` sets data, and text or tokens. */
int classifier_open_with(const struct kernel *kernel,
                         int (*read)(struct classifier *classifier, const char *base, struct err *err),
                         const struct kernel_task *task, void **self, struct err *err);

/* Takes the trial's parameters and checks them; the first thing of the slot start. */
int classifier_check(struct classifier *classifier, const struct kernel_trial *trial, struct err *err);

/* The values of CLASSIFIER_PARAMS and "lr". */
struct classifier_training classifier_read_training(const struct kernel_settings *settings);

/* Prepares a trial: the last thing of the slot start. `example`: the shape of one, [1,I], [1,H,W,C] or [1,T,F]; [1,T]
 * of tokens. -1 with a
 * sentence: layers that do not fit, or no memory. */
int classifier_start(struct classifier *classifier, const struct kernel_trial *trial,
                     const struct classifier_training *training, const struct tensor *example,
                     const struct layer_setting *settings, int64_t *steps, struct err *err);

/* Parts of a step, for who takes it in another way: what is done first, since others may have trained in this process
 * since the last one; the learning rate of the next update; what ends it, its metrics and whether it was the last one.
 */
void classifier_enter(struct classifier *classifier);
double classifier_lr(const struct classifier *classifier);
void classifier_report(struct classifier *classifier, struct kernel_report *report, const struct epoch_loss *train,
                       const struct epoch_loss *val, struct err *err);

/* Slots of struct kernel. */
uint64_t classifier_taken(const void *self);
const struct dataset *classifier_data(const void *self);
enum ending classifier_step(void *self, int64_t step, struct kernel_report *report, struct err *err);
void classifier_save(void *self, struct pack_writer *out);
int classifier_resume(void *self, int64_t step, struct pack_reader *in, struct err *err);
void classifier_finish(void *self);
void classifier_close(void *self);

/* The slot fusion of kernels whose layers are dense and dropout (fusion.c). */
extern const struct kernel_fusion classifier_fusion;

#endif
