/* The kernel logreg: multinomial logistic regression by stochastic gradient descent. The shortest of those that train,
 * the one to read first: mlp.c does the same with more layers.
 *
 *     z[B,C] = x[B,I] w[C,I]^T + b[C]
 *     loss   = mean over B of -log softmax(z)[label]  +  weight_decay / 2 (|w|^2 + |b|^2)
 *
 * Shapes: I inputs, C classes, B examples in a batch. */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "worker/kernels/epoch.h"
#include "worker/kernels/ops.h"
#include "worker/kernels/kernel_settings.h"

#include <stdlib.h>

struct logreg {
    struct kernel_settings settings;
    struct dataset data;
    const struct ops *ops;
    void *ops_self;
    /* The trial. */
    struct epoch epoch;
    float lr, weight_decay;
    float *w, *b;   /* [C,I] and, behind it in the same memory, [C] */
    float *dw, *db; /* their gradients */
    float *z;       /* [B,C] */
};

static void logreg_close(void *self)
{
    struct logreg *model = self;
    dataset_close(&model->data);
    model->ops->destroy(model->ops_self);
    free(model);
}

static int logreg_open(const struct kernel_task *task, void **self, struct err *err)
{
    struct logreg *model = MEM_NEW(struct logreg);
    model->settings = (struct kernel_settings){.kernel = &kernel_logreg, .options = task->options};
    ops_flush_tiny();
    model->ops = ops_best();
    model->ops_self = model->ops->create();
    if (kernel_settings_check_options(&model->settings, err) ||
        epoch_open_data(&model->data, &model->settings, task->base, err)) {
        logreg_close(model);
        return -1;
    }
    *self = model;
    return 0;
}

static int logreg_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct logreg *model = self;
    const struct kernel_settings *settings = &model->settings;
    model->settings.params = trial->params;
    if (kernel_settings_check_params(settings, err))
        return -1;
    size_t I = model->data.inputs, C = model->data.classes;
    epoch_init(&model->epoch, &model->data, (size_t)kernel_settings_integer(settings, "batch"), trial->seed);
    model->lr = (float)kernel_settings_number(settings, "lr");
    model->weight_decay = (float)kernel_settings_number(settings, "weight_decay");
    model->w = mem_aligned(C * I + C, sizeof(float)); /* zeros: the loss is convex, so any start will do */
    model->b = model->w + C * I;
    model->dw = mem_aligned(C * I + C, sizeof(float));
    model->db = model->dw + C * I;
    model->z = mem_aligned(epoch_largest_batch(&model->epoch) * C, sizeof(float));
    *steps = kernel_settings_integer(settings, "epochs");
    return 0;
}

static const float *forward_logreg(void *self, size_t B, const float *x, bool training)
{
    (void)training;
    struct logreg *model = self;
    model->ops->linear(model->ops_self, B, model->data.inputs, model->data.classes, x, model->w, model->b, model->z);
    return model->z;
}

static void backward_logreg(void *self, size_t B, const float *x, const float *dz)
{
    struct logreg *model = self;
    size_t I = model->data.inputs, C = model->data.classes;
    model->ops->linear_back_weights(model->ops_self, B, I, C, x, dz, model->dw, model->db);
}

static void update_logreg(void *self)
{
    struct logreg *model = self;
    size_t count = model->data.classes * (model->data.inputs + 1);
    for (size_t i = 0; i < count; i++)
        model->w[i] -= model->lr * (model->dw[i] + model->weight_decay * model->w[i]);
}

static enum ending logreg_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    (void)step;
    struct logreg *model = self;
    struct classifier classifier = {
        .self = model, .forward = forward_logreg, .backward = backward_logreg, .update = update_logreg};
    return epoch_run(&model->epoch, &classifier, report, err);
}

static size_t weights_of(const struct logreg *model)
{
    return model->data.classes * (model->data.inputs + 1);
}

static void logreg_save(void *self, struct buf *out)
{
    const struct logreg *model = self;
    epoch_save(&model->epoch, out);
    pack_add(out, model->w, weights_of(model), sizeof(float));
}

static int logreg_resume(void *self, int64_t step, const void *bytes, size_t length, struct err *err)
{
    (void)step;
    struct logreg *model = self;
    struct pack pack = {.at = bytes, .left = length};
    epoch_resume(&model->epoch, &pack);
    pack_take(&pack, model->w, weights_of(model), sizeof(float));
    return pack_end(&pack, err);
}

static void logreg_finish(void *self)
{
    struct logreg *model = self;
    epoch_fini(&model->epoch);
    free(model->w);
    free(model->dw);
    free(model->z);
}

static const struct kernel_option options[] = {DATA_OPTIONS, {0}};

static const struct kernel_option params[] = {
    {"lr", "number", "0.1", "the learning rate", 0, 1e6},
    {"batch", "integer", "64", "examples in a batch", 1, 1e6},
    {"epochs", "integer", "10", "passes over the training part; an epoch is a step", 1, 1e6},
    {"weight_decay", "number", "0", "the factor of half the squared weights in the loss", 0, 1e6},
    {0},
};

const struct kernel kernel_logreg = {
    .name = "logreg",
    .summary = "multinomial logistic regression on a CSV or IDX file",
    .options = options,
    .params = params,
    .fixed = true,
    .metrics = EPOCH_METRICS,
    .open = logreg_open,
    .start = logreg_start,
    .step = logreg_step,
    .save = logreg_save,
    .resume = logreg_resume,
    .finish = logreg_finish,
    .close = logreg_close,
};
