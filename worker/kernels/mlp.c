/* The kernel mlp: a multilayer perceptron (net.h) trained as a classifier with a choice of optimizers and learning
 * rate schedules (optimizer.h). */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "worker/kernels/epoch.h"
#include "worker/kernels/net.h"
#include "worker/kernels/optimizer.h"
#include "worker/kernels/kernel_settings.h"

#include <math.h>
#include <stdlib.h>

struct mlp {
    struct kernel_settings settings;
    struct dataset data;
    const struct ops *ops;
    void *ops_self;
    /* The trial. */
    struct epoch epoch;
    struct net net;
    struct optimizer optimizer;
    enum schedule schedule;
    double lr;               /* the largest */
    int64_t updates, warmup; /* of the trial; the first with a rising learning rate */
};

static void mlp_close(void *self)
{
    struct mlp *mlp = self;
    dataset_close(&mlp->data);
    mlp->ops->destroy(mlp->ops_self);
    free(mlp);
}

static int mlp_open(const struct kernel_task *task, void **self, struct err *err)
{
    struct mlp *mlp = MEM_NEW(struct mlp);
    mlp->settings = (struct kernel_settings){.kernel = &kernel_mlp, .options = task->options};
    ops_flush_tiny();
    mlp->ops = ops_best();
    mlp->ops_self = mlp->ops->create();
    if (kernel_settings_check_options(&mlp->settings, err) ||
        epoch_open_data(&mlp->data, &mlp->settings, task->base, err)) {
        mlp_close(mlp);
        return -1;
    }
    *self = mlp;
    return 0;
}

static void make_net(struct mlp *mlp, uint64_t seed)
{
    const struct kernel_settings *settings = &mlp->settings;
    struct net_shape shape = {
        .inputs = mlp->data.inputs,
        .width = (size_t)kernel_settings_integer(settings, "width"),
        .depth = (size_t)kernel_settings_integer(settings, "depth"),
        .classes = mlp->data.classes,
        .activation = (enum ops_activation)kernel_settings_word(settings, "activation"),
        .dropout = kernel_settings_number(settings, "dropout"),
    };
    net_init(&mlp->net, &shape, epoch_largest_batch(&mlp->epoch), seed, mlp->ops, mlp->ops_self);
}

static void make_optimizer(struct mlp *mlp)
{
    const struct kernel_settings *settings = &mlp->settings;
    struct optimizer_rule rule = {
        .kind = (enum optimizer_kind)kernel_settings_word(settings, "optimizer"),
        .momentum = (float)kernel_settings_number(settings, "momentum"),
        .beta1 = (float)kernel_settings_number(settings, "beta1"),
        .beta2 = (float)kernel_settings_number(settings, "beta2"),
        .epsilon = (float)kernel_settings_number(settings, "epsilon"),
        .weight_decay = (float)kernel_settings_number(settings, "weight_decay"),
    };
    optimizer_init(&mlp->optimizer, &rule, mlp->net.count);
}

static int mlp_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct mlp *mlp = self;
    const struct kernel_settings *settings = &mlp->settings;
    mlp->settings.params = trial->params;
    if (kernel_settings_check_params(settings, err))
        return -1;
    *steps = kernel_settings_integer(settings, "epochs");
    epoch_init(&mlp->epoch, &mlp->data, (size_t)kernel_settings_integer(settings, "batch"), trial->seed);
    make_net(mlp, trial->seed);
    make_optimizer(mlp);
    mlp->schedule = (enum schedule)kernel_settings_word(settings, "schedule");
    mlp->lr = kernel_settings_number(settings, "lr");
    double batches = (double)epoch_batches(&mlp->epoch), warmup = kernel_settings_number(settings, "warmup");
    mlp->updates = (int64_t)batches * *steps;
    mlp->warmup = (int64_t)fmin(warmup * batches, (double)mlp->updates);
    return 0;
}

static const float *forward_mlp(void *self, size_t B, const float *x, bool training)
{
    struct mlp *mlp = self;
    return net_forward(&mlp->net, B, x, training);
}

static void backward_mlp(void *self, size_t B, const float *x, const float *dz)
{
    struct mlp *mlp = self;
    net_backward(&mlp->net, B, x, dz);
}

static void update_mlp(void *self)
{
    struct mlp *mlp = self;
    double lr = schedule_lr(mlp->schedule, mlp->lr, mlp->optimizer.steps, mlp->updates, mlp->warmup);
    optimizer_update(&mlp->optimizer, lr, mlp->net.weights, mlp->net.gradients);
}

static enum ending mlp_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    (void)step;
    struct mlp *mlp = self;
    struct classifier classifier = {
        .self = mlp, .forward = forward_mlp, .backward = backward_mlp, .update = update_mlp};
    return epoch_run(&mlp->epoch, &classifier, report, err);
}

static void mlp_save(void *self, struct buf *out)
{
    const struct mlp *mlp = self;
    epoch_save(&mlp->epoch, out);
    net_save(&mlp->net, out);
    optimizer_save(&mlp->optimizer, out);
}

static int mlp_resume(void *self, int64_t step, const void *bytes, size_t length, struct err *err)
{
    (void)step;
    struct mlp *mlp = self;
    struct pack pack = {.at = bytes, .left = length};
    epoch_resume(&mlp->epoch, &pack);
    net_resume(&mlp->net, &pack);
    optimizer_resume(&mlp->optimizer, &pack);
    return pack_end(&pack, err);
}

static void mlp_finish(void *self)
{
    struct mlp *mlp = self;
    epoch_fini(&mlp->epoch);
    net_fini(&mlp->net);
    optimizer_fini(&mlp->optimizer);
}

static const struct kernel_option options[] = {DATA_OPTIONS, {0}};

static const struct kernel_option params[] = {
    {"lr", "number", "0.01", "the learning rate; its largest value when it is scheduled", 0, 1e6},
    {"width", "integer", "128", "outputs of each hidden layer", 1, 16384},
    {"depth", "integer", "1", "hidden layers", 0, 64},
    {"dropout", "number", "0", "the share of hidden outputs that is dropped in training", 0, 0.99},
    {"activation", OPS_ACTIVATIONS, "relu", "of the hidden layers", 0, 0},
    {"optimizer", OPTIMIZERS, "sgd", "how the weights follow their gradients", 0, 0},
    {"momentum", "number", "0.9", "of sgd; the others do not use it", 0, 0.9999},
    {"beta1", "number", "0.9", "of adam and adamw: of the mean of gradients", 0, 0.9999},
    {"beta2", "number", "0.999", "of adam and adamw: of the mean of squared gradients", 0, 0.999999},
    {"epsilon", "number", "1e-8", "of adam and adamw: added to the divisor", 1e-12, 1},
    {"weight_decay", "number", "0", "sgd and adam: of the loss; adamw: of the weights themselves", 0, 1e6},
    {"batch", "integer", "64", "examples in a batch", 1, 1e6},
    {"epochs", "integer", "10", "passes over the training part; an epoch is a step", 1, 1e6},
    {"schedule", SCHEDULES, "constant", "of the learning rate", 0, 0},
    {"warmup", "number", "0", "epochs during which the learning rate rises from 0", 0, 1e6},
    {0},
};

const struct kernel kernel_mlp = {
    .name = "mlp",
    .summary = "multilayer perceptron on a CSV or IDX file",
    .options = options,
    .params = params,
    .fixed = true,
    .metrics = EPOCH_METRICS,
    .open = mlp_open,
    .start = mlp_start,
    .step = mlp_step,
    .save = mlp_save,
    .resume = mlp_resume,
    .finish = mlp_finish,
    .close = mlp_close,
};
