/* The kernel gbt: gradient-boosted trees over histograms, for classes or numbers (worker/boost). A step is a round: one
 * tree, or one a class. */
#include "worker/kernels/kernel.h"

#include "common/mem.h"
#include "worker/boost/ensemble.h"
#include "worker/data/dataset.h"
#include "worker/kernels/data_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gbt {
    struct kernel_settings settings;
    struct dataset data;
    int threads;                      /* of the slot */
    struct bins training, validation; /* of `bins_most` bins an input; empty: not made yet */
    int64_t bins_most;
    /* The trial. */
    struct ensemble ensemble;
};

static void gbt_close(void *self)
{
    struct gbt *gbt = self;
    bins_fini(&gbt->training);
    bins_fini(&gbt->validation);
    dataset_close(&gbt->data);
    free(gbt);
}

static int check_metric(const char *metric, bool numbers, struct err *err)
{
    bool rates = strstr(metric, "accuracy") != NULL, distances = strstr(metric, "rmse") != NULL;
    if (numbers ? !rates : !distances)
        return 0;
    return err_set(
        err, "the metric %s is of %s, and 'learn' is %s; write learn: %s in trial.options, or another metric", metric,
        numbers ? "classes" : "numbers", numbers ? "numbers" : "classes", numbers ? "classes" : "numbers");
}

static int open_data(struct gbt *gbt, const struct kernel_task *task, struct err *err)
{
    const struct kernel_settings *settings = &gbt->settings;
    bool numbers = kernel_settings_word(settings, "learn") == 1;
    struct dataset_source source = data_options_read(settings, task->base);
    source.numbers = numbers;
    source.missing = true;
    if (check_metric(task->metric, numbers, err) || dataset_open(&gbt->data, &source, err))
        return -1;
    if (numbers && !gbt->data.targets)
        return err_set(
            err,
            "the data has classes: the option 'learn: numbers' is of tables and of arrays (CSV, IDX, NPY, NPZ, HDF5)");
    return 0;
}

static int gbt_open(const struct kernel_task *task, void **self, struct err *err)
{
    struct gbt *gbt = MEM_NEW(struct gbt);
    gbt->settings = (struct kernel_settings){.kernel = &kernel_gbt, .options = task->options};
    gbt->threads = task->threads > 1 ? task->threads : 1;
    if (kernel_settings_check_options(&gbt->settings, err) || open_data(gbt, task, err)) {
        gbt_close(gbt);
        return -1;
    }
    *self = gbt;
    return 0;
}

static const struct dataset *gbt_data(const void *self)
{
    return &((const struct gbt *)self)->data;
}

/* Bins are kept from trial to trial as long as their number stays. */
static void sort_into_bins(struct gbt *gbt)
{
    const struct dataset *data = &gbt->data;
    int64_t most = kernel_settings_integer(&gbt->settings, "bins");
    if (most == gbt->bins_most)
        return;
    bins_fini(&gbt->training);
    bins_fini(&gbt->validation);
    bins_make(&gbt->training, data->x, data->training, data->inputs, (uint32_t)most, gbt->threads);
    bins_like(&gbt->validation, &gbt->training, data->x + data->training * data->inputs, data->count - data->training);
    gbt->bins_most = most;
}

static struct objective part_of(const struct dataset *data, size_t from, size_t to)
{
    return (struct objective){
        .kind = data->targets        ? OBJECTIVE_SQUARES
                : data->classes == 2 ? OBJECTIVE_LOGISTIC
                                     : OBJECTIVE_SOFTMAX,
        .count = to - from,
        .scores = data->classes > 2 ? data->classes : 1,
        .targets = data->targets ? data->targets + from : NULL,
        .labels = data->labels ? data->labels + from : NULL,
    };
}

static struct ensemble_rules read_rules(const struct gbt *gbt, uint64_t seed, int threads)
{
    const struct kernel_settings *settings = &gbt->settings;
    return (struct ensemble_rules){
        .grow = {.split = {.l2 = kernel_settings_number(settings, "l2"),
                           .min_gain = kernel_settings_number(settings, "min_gain"),
                           .min_rows = (uint64_t)kernel_settings_integer(settings, "min_rows"),
                           .min_hessian = kernel_settings_number(settings, "min_hessian")},
                 .max_leaves = (uint32_t)kernel_settings_integer(settings, "leaves"),
                 .max_depth = (uint32_t)kernel_settings_integer(settings, "depth"),
                 .rate = kernel_settings_number(settings, "lr"),
                 .threads = threads},
        .subsample = kernel_settings_number(settings, "subsample"),
        .inputs = kernel_settings_number(settings, "inputs"),
        .seed = seed,
    };
}

static int gbt_start(void *self, const struct kernel_trial *trial, int64_t *steps, struct err *err)
{
    struct gbt *gbt = self;
    gbt->settings.params = trial->params;
    if (kernel_settings_check_params(&gbt->settings, err))
        return -1;
    int threads = kernel_settings_threads(&gbt->settings, gbt->threads, err);
    if (threads < 0)
        return -1;
    sort_into_bins(gbt);
    struct ensemble_rules rules = read_rules(gbt, trial->seed, threads);
    struct objective training = part_of(&gbt->data, 0, gbt->data.training),
                     validation = part_of(&gbt->data, gbt->data.training, gbt->data.count);
    ensemble_init(&gbt->ensemble, &rules, &gbt->training, &training, &gbt->validation, &validation);
    *steps = kernel_settings_integer(&gbt->settings, "rounds");
    return 0;
}

/* --- a step --- */

static void report_part(struct kernel_report *report, const struct ensemble_part *part, const char *const names[3])
{
    bool numbers = part->objective.kind == OBJECTIVE_SQUARES;
    report->metric(report->context, names[0], part->loss.loss);
    report->metric(report->context, names[numbers ? 2 : 1], numbers ? sqrt(part->loss.loss) : part->loss.accuracy);
}

static enum ending gbt_step(void *self, int64_t step, struct kernel_report *report, struct err *err)
{
    static const char *const training[] = {"train_loss", "train_accuracy", "train_rmse"}, *const validation[] = {
                                                                                              "val_loss",
                                                                                              "val_accuracy",
                                                                                              "val_rmse"};
    struct gbt *gbt = self;
    ensemble_grow(&gbt->ensemble, report->phases, report->timed, report->operations);
    report->samples += gbt->data.training;
    if (!isfinite(gbt->ensemble.training.loss.loss)) {
        err_write(err, "the training loss became %s in round %lld",
                  isnan(gbt->ensemble.training.loss.loss) ? "NaN" : "infinite", (long long)step);
        return ENDING_DIVERGED;
    }
    report_part(report, &gbt->ensemble.training, training);
    report_part(report, &gbt->ensemble.validation, validation);
    return ENDING_COMPLETED;
}

/* --- checkpoints: the trees, with the number of bins that their nodes name; scores follow from them --- */

static void gbt_save(void *self, struct pack_writer *out)
{
    const struct gbt *gbt = self;
    const struct ensemble *ensemble = &gbt->ensemble;
    pack_add(out, &gbt->bins_most, 1, sizeof gbt->bins_most);
    size_t count = ensemble->rounds * ensemble->training.objective.scores;
    pack_add(out, &count, 1, sizeof count);
    for (size_t i = 0; i < count; i++) {
        const struct boosted_tree *tree = &ensemble->trees[i];
        pack_add(out, &tree->leaves, 1, sizeof tree->leaves);
        pack_add(out, tree->nodes, tree->leaves - 1, sizeof *tree->nodes);
        pack_add(out, tree->values, tree->leaves, sizeof *tree->values);
    }
}

static struct boosted_tree take_tree(struct pack_reader *in)
{
    struct boosted_tree tree = {0};
    pack_take(in, &tree.leaves, 1, sizeof tree.leaves);
    if (in->torn || tree.leaves < 1 || tree.leaves > in->left / sizeof *tree.values) {
        in->torn = true;
        return (struct boosted_tree){0};
    }
    tree.nodes = MEM_ARRAY(struct boosted_node, tree.leaves);
    tree.values = MEM_ARRAY(float, tree.leaves);
    pack_take(in, tree.nodes, tree.leaves - 1, sizeof *tree.nodes);
    pack_take(in, tree.values, tree.leaves, sizeof *tree.values);
    return tree;
}

static int gbt_resume(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    struct gbt *gbt = self;
    size_t count = 0, scores = gbt->ensemble.training.objective.scores;
    int64_t bins = 0;
    pack_take(in, &bins, 1, sizeof bins);
    if (!in->torn && bins != gbt->bins_most)
        return err_set(err, "its trees are of %lld bins, and this trial has %lld", (long long)bins,
                       (long long)gbt->bins_most);
    pack_take(in, &count, 1, sizeof count);
    in->torn |= count != (size_t)step * scores;
    for (size_t i = 0; i < count && !in->torn; i++) {
        struct boosted_tree tree = take_tree(in);
        in->torn |= !boosted_tree_is_sound(&tree, &gbt->training);
        if (in->torn)
            boosted_tree_fini(&tree);
        else
            ensemble_take(&gbt->ensemble, i / scores, i % scores, tree);
    }
    return pack_end(in, err);
}

static void gbt_finish(void *self)
{
    struct gbt *gbt = self;
    ensemble_fini(&gbt->ensemble);
}

static const struct kernel_option options[] = {
    DATA_OPTIONS,
    {"learn", "classes|numbers", "classes", "what the label holds", 0, 0},
    {0},
};

static const struct kernel_option params[] = {
    {"lr", "number", "0.1", "the learning rate: the share of a tree's values that is added", 0, 1e6},
    {"rounds", "integer", "100", "trees, of each class one; a round is a step", 1, 1e6},
    {"leaves", "integer", "31", "leaves of a tree", 2, 65536},
    {"depth", "integer", "0", "divisions between the root and a leaf; 0: not limited", 0, 1000},
    {"min_rows", "integer", "20", "examples in a leaf, at least", 1, 1e9},
    {"min_hessian", "number", "0.001", "the sum of second derivatives in a leaf, at least", 0, 1e12},
    {"min_gain", "number", "0", "what a division has to gain", 0, 1e12},
    {"l2", "number", "0", "regularisation: added to the sum of second derivatives", 0, 1e12},
    {"subsample", "number", "1", "the share of examples that a round's trees are grown by", 0.001, 1},
    {"inputs", "number", "1", "the share of inputs that a tree looks at", 0.001, 1},
    {"bins", "integer", "255", "places of an input at which it may be divided, and one", 2, BINS_MOST},
    KERNEL_THREADS_PARAM,
    {0},
};

const struct kernel kernel_gbt = {
    .name = "gbt",
    .summary = "gradient-boosted trees: classes or numbers of a table's rows",
    .options = options,
    .params = params,
    .fixed = true,
    .metrics = "val_loss, val_accuracy, val_rmse, train_loss, train_accuracy, train_rmse, " KERNEL_SPEED,
    .memory = "the examples twice, as numbers of 4 bytes and as bins of 1; of each leaf 16 bytes a bin and input",
    .example = {.options = "data=generate:checkerboard rounds=60",
                .metric = "val_loss minimize",
                .parameters =
                    "lr=0.03..0.5:log leaves=4..63:log min_rows=1..60:log l2=0.001..30.0:log subsample=0.3..1.0",
                .data = "Points on a checkerboard, which are made. " DATA_OF_ONES_OWN},
    .open = gbt_open,
    .data = gbt_data,
    .start = gbt_start,
    .step = gbt_step,
    .save = gbt_save,
    .resume = gbt_resume,
    .finish = gbt_finish,
    .close = gbt_close,
};
