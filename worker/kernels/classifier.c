/* Training a network as a classifier; see classifier.h. */
#include "worker/kernels/classifier.h"

#include "common/mem.h"
#include "worker/backend/team.h"
#include "worker/lanes/lanes_network.h"
#include "worker/lanes/stacked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- opening --- */

static int open_data(struct classifier *classifier, const char *base, struct err *err)
{
    const struct kernel_settings *settings = &classifier->settings;
    struct dataset_source source = data_options_read(settings, base);
    source.scaling = (enum dataset_scaling)kernel_settings_word(settings, "scaling");
    return dataset_open(&classifier->data, &source, err);
}

/* The fastest that there is. One that can't be had is no reason not to train, but to say so. */
static struct backend *open_fastest(struct err *err)
{
    struct backend *made = backend_create(backend_list[0], err);
    for (size_t i = 1; !made && backend_list[i]; i++) {
        fprintf(stderr, "gannet-trainer: %s; what computes is %s\n", err->text, backend_list[i]->name);
        made = backend_create(backend_list[i], err);
    }
    return made;
}

static int open_backend(struct classifier *classifier, struct err *err)
{
    const char *name = kernel_settings_text(&classifier->settings, "backend");
    const struct backend_kind *kind = backend_find(name);
    bool any = strcmp(name, "auto") == 0;
    if (!any && !kind)
        return err_set(err, "this gannet-trainer was built without the backend '%s'; 'auto' takes what is there", name);
    backend_flush_tiny();
    classifier->backend = any ? open_fastest(err) : backend_create(kind, err);
    return classifier->backend ? 0 : -1;
}

/* Lets the backend read the examples. */
static int share_data(struct classifier *classifier, struct err *err)
{
    const struct dataset *data = &classifier->data;
    struct backend *backend = classifier->backend;
    struct examples *examples = &classifier->examples;
    const void *x = classifier->tokens ? (const void *)classifier->tokens : data->x;
    examples->data = data;
    examples->x = tensor_make(TENSOR_F32, 2, (size_t[]){data->count, data->inputs});
    examples->labels = tensor_vector(TENSOR_I32, data->count);
    if (classifier->text.bytes) {
        examples->text = &classifier->text;
        examples->labels = tensor_make(TENSOR_I32, 2, examples->x.size);
        return 0;
    }
    examples->lengths = tensor_vector(TENSOR_I32, data->count);
    if (data->lengths) {
        examples->lengths.at = backend_share(backend, data->lengths, tensor_bytes(&examples->lengths), err);
        if (!examples->lengths.at)
            return -1;
    }
    examples->x.at = backend_share(backend, x, tensor_bytes(&examples->x), err);
    examples->labels.at = backend_share(backend, data->labels, tensor_bytes(&examples->labels), err);
    return examples->x.at && examples->labels.at ? 0 : -1;
}

int classifier_open(const struct kernel *kernel, const struct kernel_task *task, void **self, struct err *err)
{
    return classifier_open_with(kernel, open_data, task, self, err);
}

int classifier_open_with(const struct kernel *kernel,
                         int (*read)(struct classifier *classifier, const char *base, struct err *err),
                         const struct kernel_task *task, void **self, struct err *err)
{
    struct classifier *classifier = MEM_NEW(struct classifier);
    classifier->settings = (struct kernel_settings){.kernel = kernel, .options = task->options};
    classifier->metric = task->metric;
    classifier->threads = task->threads;
    classifier->all_team = classifier->team = team_threads();
    classifier->collective = task->collective;
    if (kernel_settings_check_options(&classifier->settings, err) || open_backend(classifier, err) ||
        read(classifier, task->base, err) || share_data(classifier, err)) {
        classifier_close(classifier);
        return -1;
    }
    *self = classifier;
    return 0;
}

uint64_t classifier_taken(const void *self)
{
    return ((const struct classifier *)self)->backend->taken;
}

const struct dataset *classifier_data(const void *self)
{
    return &((const struct classifier *)self)->data;
}

void classifier_close(void *self)
{
    struct classifier *classifier = self;
    struct backend *backend = classifier->backend;
    if (classifier->shared) { /* nothing else is its own */
        free(classifier);
        return;
    }
    lanes_destroy(classifier->lanes);
    stacked_destroy(classifier->stacked);
    if (backend) {
        backend->kind->unshare(backend->self, classifier->examples.x.at);
        backend->kind->unshare(backend->self, classifier->examples.labels.at);
        backend->kind->unshare(backend->self, classifier->examples.lengths.at);
    }
    dataset_close(&classifier->data);
    text_close(&classifier->text);
    free(classifier->tokens);
    backend_destroy(backend);
    free(classifier);
}

/* --- a trial --- */

int classifier_check(struct classifier *classifier, const struct kernel_trial *trial, struct err *err)
{
    classifier->settings.params = trial->params;
    if (kernel_settings_check_params(&classifier->settings, err))
        return -1;
    int threads = kernel_settings_threads(&classifier->settings, classifier->threads, err);
    if (threads < 0)
        return -1;
    bool given = kernel_settings_integer(&classifier->settings, "threads") > 0;
    classifier->team = given && (size_t)threads < classifier->all_team ? (size_t)threads : classifier->all_team;
    team_set(classifier->team);
    return 0;
}

static struct optimizer_rule read_optimizer(const struct kernel_settings *settings)
{
    return (struct optimizer_rule){
        .kind = (enum optimizer_kind)kernel_settings_word(settings, "optimizer"),
        .momentum = (float)kernel_settings_number(settings, "momentum"),
        .nesterov = kernel_settings_switch(settings, "nesterov"),
        .beta1 = (float)kernel_settings_number(settings, "beta1"),
        .beta2 = (float)kernel_settings_number(settings, "beta2"),
        .rho = (float)kernel_settings_number(settings, "rho"),
        .trust = (float)kernel_settings_number(settings, "trust"),
        .epsilon = (float)kernel_settings_number(settings, "epsilon"),
        .weight_decay = (float)kernel_settings_number(settings, "weight_decay"),
        .clip = (float)kernel_settings_number(settings, "clip"),
    };
}

struct classifier_training classifier_read_training(const struct kernel_settings *settings)
{
    return (struct classifier_training){
        .optimizer = read_optimizer(settings),
        .schedule = (enum schedule)kernel_settings_word(settings, "schedule"),
        .lr = kernel_settings_number(settings, "lr"),
        .warmup = kernel_settings_number(settings, "warmup"),
        .smoothing = kernel_settings_number(settings, "label_smoothing"),
        .ema = kernel_settings_number(settings, "ema"),
        .batch = (size_t)kernel_settings_integer(settings, "batch"),
        .epochs = kernel_settings_integer(settings, "epochs"),
        .recipe = recipe_read(settings),
    };
}

/* Gives the examples the shape of `example`. */
static void shape_examples(struct classifier *classifier, const struct tensor *example)
{
    struct tensor x = *example;
    x.size[0] = classifier->data.count;
    x.at = classifier->examples.x.at;
    classifier->examples.x = x;
    classifier->examples.steps = x.axes == 3 || x.type == TENSOR_I32 ? x.size[1] : 1;
}

/* Others may have trained in another precision before. */
static int choose_products(struct backend *backend, bool coarse, struct err *err)
{
    if (backend->kind->coarse)
        backend->kind->coarse(backend->self, coarse);
    return !coarse || backend->kind->coarse
               ? 0
               : err_set(err,
                         "precision tf32 is of GPUs (backend cuda), and what computes here is %s; write fp32 or bf16",
                         backend->kind->name);
}

static int start_trial(struct classifier *classifier, uint64_t seed, const struct layer_setting *settings,
                       struct err *err)
{
    const struct classifier_training *training = &classifier->training;
    struct tensor shape = classifier->examples.x;
    shape.size[0] = epoch_largest_batch(&classifier->examples, training->batch);
    if (choose_products(classifier->backend, training->recipe.coarse, err) ||
        epoch_init(&classifier->epoch, classifier->backend, &classifier->examples, training->batch, seed, err))
        return -1;
    classifier->epoch.smoothing = (float)training->smoothing;
    classifier->network = network_create(classifier->backend, training->recipe.precision, &shape, settings, seed, err);
    return !classifier->network ||
                   optimizer_init(&classifier->optimizer, &training->optimizer, classifier->network, err) ||
                   average_init(&classifier->average, training->ema, classifier->network, err) ||
                   loss_scale_init(&classifier->scale, &training->recipe.scale, classifier->network, err)
               ? -1
               : 0;
}

/* From so many processors on a thread prepares data by itself. One processor augments an image of 32 x 32 in some 4 us
 * and trains cnn on it in some 400: on two there are at most 2 % to be gained, and the training waited longer for a
 * thread that shared a busy processor. On many the products take little time, and what one does alone is left. */
enum { DATA_THREAD_FROM = 4 };

/* The option data_threads. */
static int read_data_threads(const struct classifier *classifier, bool augmented)
{
    const json_t *given = kernel_settings_given(&classifier->settings, "data_threads");
    if (json_is_number(given))
        return (int)json_number_value(given);
    return augmented && classifier->threads >= DATA_THREAD_FROM;
}

/* Where nothing is done to the examples the backend gathers them where they lie, which is quicker, unless threads were
 * asked for. So does it with tokens, and where sequences have lengths; texts are read by windows. */
static void choose_feed(struct classifier *classifier, const struct tensor *example)
{
    const struct augment *augment = &classifier->training.augment;
    bool augmented = augment_is_any(augment) && example->axes == 4;
    int threads = read_data_threads(classifier, augmented);
    struct feed_source source = {.augment = augmented ? *augment : (struct augment){0}, .threads = threads};
    if (augmented)
        source.image = (struct dataset_shape){3, {example->size[1], example->size[2], example->size[3]}};
    bool plain = classifier->examples.x.type == TENSOR_F32 && !classifier->examples.lengths.at;
    if ((augmented || threads) && !classifier->examples.text && plain)
        epoch_use_feed(&classifier->epoch, &source);
}

int classifier_start(struct classifier *classifier, const struct kernel_trial *trial,
                     const struct classifier_training *training, const struct tensor *example,
                     const struct layer_setting *settings, int64_t *steps, struct err *err)
{
    classifier->training = *training;
    classifier->beginning = (struct classifier_beginning){0};
    classifier->patience = recipe_patience(&training->recipe, classifier->metric);
    shape_examples(classifier, example);
    bool made = start_trial(classifier, trial->seed, settings, err) == 0;
    if (data_parallel_init(&classifier->epoch.parallel, classifier->collective, made ? classifier->network : NULL,
                           err)) {
        classifier_finish(classifier);
        return -1;
    }
    choose_feed(classifier, example);
    double batches = (double)epoch_batches(&classifier->epoch);
    classifier->training.lr = recipe_lr(&training->recipe, training->lr, classifier->epoch.batch);
    *steps = training->epochs;
    classifier->updates = (int64_t)batches * *steps;
    classifier->warmup = (int64_t)fmin(training->warmup * batches, (double)classifier->updates);
    return 0;
}

double classifier_lr(const struct classifier *classifier)
{
    int64_t own = classifier->optimizer.steps - classifier->beginning.updates;
    return schedule_lr(classifier->training.schedule, classifier->training.lr, own, classifier->updates,
                       classifier->warmup);
}

static void update_weights(void *self)
{
    struct classifier *classifier = self;
    if (!loss_scale_undo(&classifier->scale))
        return; /* as if there had been no such batch */
    optimizer_update(&classifier->optimizer, classifier_lr(classifier));
    average_update(&classifier->average);
}

void classifier_report(struct classifier *classifier, struct kernel_report *report, const struct epoch_loss *train,
                       const struct epoch_loss *val, struct err *err)
{
    epoch_report(&classifier->epoch, report, train, val);
    report->done = patience_ends(&classifier->patience, report->objective);
    classifier->beginning.ended =
        report->done || report->step >= classifier->beginning.step + classifier->training.epochs;
    if (report->done)
        err_write(err, "%s has not become better for %lld epochs (patience)", classifier->metric,
                  (long long)classifier->patience.since);
}

static enum ending take_step(struct classifier *classifier, struct kernel_report *report, struct err *err)
{
    struct epoch_trainee trainee = {.network = classifier->network, .self = classifier, .update = update_weights};
    struct epoch_loss loss;
    enum ending ending = epoch_train(&classifier->epoch, &trainee, report, &loss, err);
    if (ending != ENDING_COMPLETED)
        return ending;
    if (loss_scale_check(&classifier->scale, err))
        return ENDING_DIVERGED;
    average_enter(&classifier->average);
    struct epoch_loss val = epoch_validate(&classifier->epoch, classifier->network, report);
    average_leave(&classifier->average);
    classifier_report(classifier, report, &loss, &val, err);
    return ENDING_COMPLETED;
}

void classifier_enter(struct classifier *classifier)
{
    const struct backend *backend = classifier->backend;
    team_set(classifier->team);
    if (backend->kind->coarse)
        backend->kind->coarse(backend->self, classifier->training.recipe.coarse);
}

enum ending classifier_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    (void)step;
    struct classifier *classifier = self;
    classifier_enter(classifier);
    backend_count_into(classifier->backend, report->operations, report->timed);
    enum ending ending = take_step(classifier, report, err);
    backend_count_into(classifier->backend, NULL, 0);
    return ending;
}

/* --- checkpoints --- */

void classifier_save(void *self, struct pack_writer *out)
{
    const struct classifier *classifier = self;
    network_save(classifier->network, out);
    optimizer_save(&classifier->optimizer, out);
    average_save(&classifier->average, out);
    loss_scale_save(&classifier->scale, out);
    patience_save(&classifier->patience, out);
    pack_add_bytes(out, &classifier->beginning, sizeof classifier->beginning);
}

/* That of the trial whose checkpoint it is, or its end. */
static void load_beginning(struct classifier *classifier, int64_t step, struct pack_reader *in)
{
    struct classifier_beginning saved = {0}, end = {.step = step, .updates = classifier->optimizer.steps};
    if (!pack_take_bytes(in, &saved, sizeof saved))
        return;
    in->torn |= saved.step < 0 || saved.step > end.step || saved.updates < 0 || saved.updates > end.updates;
    classifier->beginning = saved.ended ? end : saved;
}

int classifier_resume(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    struct classifier *classifier = self;
    network_load(classifier->network, in);
    optimizer_load(&classifier->optimizer, in);
    average_load(&classifier->average, in);
    loss_scale_load(&classifier->scale, in);
    patience_load(&classifier->patience, in);
    load_beginning(classifier, step, in);
    return pack_end(in, err);
}

void classifier_finish(void *self)
{
    struct classifier *classifier = self;
    loss_scale_fini(&classifier->scale);
    average_fini(&classifier->average);
    optimizer_fini(&classifier->optimizer);
    network_destroy(classifier->network);
    classifier->network = NULL;
    epoch_fini(&classifier->epoch);
}
