/* Epochs of several trials of the same shape at once: the slot fusion of kernels that train a network as a classifier.
 * Their networks lie side by side in vectors (worker/lanes) for the time of an epoch; before and after it everything is
 * where each trial alone has it, but that sums were made in another order.
 *
 * The phases of a trial's profile are the time that passed, which all of an epoch's trials share. */
#include "worker/kernels/classifier.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/lanes/batch.h"
#include "worker/lanes/lanes_network.h"

#include <math.h>
#include <string.h>

enum { VALIDATED = 64 }; /* examples of a batch of the validation, which then lies in the second cache */

/* An epoch of several trials. */
struct fusion {
    struct classifier *const *trials;
    size_t count;
    struct lanes_network *lanes;
    const size_t *orders[LANES]; /* of the examples; of lanes without a trial the first one's */
    lanes smoothing;
    lanes_wide sum;                       /* of the losses of a pass over the data */
    lanes_int hits;                       /* examples whose largest output was right */
    struct kernel_report *const *reports; /* of each trial */
};

static void *join_classifier(void *self)
{
    struct classifier *first = self, *made = MEM_NEW(struct classifier);
    *made = (struct classifier){.settings = first->settings,
                                .data = first->data,
                                .backend = first->backend,
                                .examples = first->examples,
                                .metric = first->metric,
                                .threads = first->threads,
                                .all_team = first->all_team,
                                .team = first->all_team,
                                .shared = first};
    made->settings.params = NULL;
    made->examples.data = &first->data;
    return made;
}

/* Whether a trial can share its epochs at all. One whose own speed is asked for can't. */
static bool can_fuse(const struct classifier *trial)
{
    return trial->scale.rule.kind == LOSS_SCALE_NONE && trial->examples.steps == 1 && !trial->epoch.feed &&
           trial->team == trial->all_team && strcmp(trial->metric, KERNEL_SPEED) != 0 && lanes_suit(trial->network) &&
           trial->examples.x.at == (const void *)trial->data.x; /* the backend's memory is the host's */
}

static bool match_classifiers(const void *self, const void *other)
{
    const struct classifier *a = self, *b = other;
    const struct optimizer_rule *one = &a->optimizer.rule, *two = &b->optimizer.rule;
    return a->epoch.batch == b->epoch.batch && one->kind == two->kind && one->nesterov == two->nesterov &&
           can_fuse(a) && can_fuse(b) && lanes_match(a->network, b->network);
}

/* Together they take as long as if all lanes were used. By tests/bench/fusion.c, where that is as long as one after the
 * other: 2.3 networks of 650 weights, 4 of 2,400, 5 of 4,800, 6 of 7,200, 7 of 9,600; 17,000 are more than LANES. */
static size_t least_classifiers(const void *self)
{
    const struct classifier *trial = self;
    return 3 + tensor_count(&trial->network->weights) / 1800;
}

static void end_phase(struct fusion *fusion, enum phase phase, double *then)
{
    double now = clock_monotonic();
    for (size_t f = 0; f < fusion->count; f++)
        phase_add(&fusion->reports[f]->phases[phase], now - *then);
    *then = now;
}

/* The same of a pass over a batch, which is an operation as well. */
static void end_pass(struct fusion *fusion, enum phase phase, enum operation operation, double *then)
{
    double begun = *then;
    end_phase(fusion, phase, then);
    for (size_t f = 0; f < fusion->count; f++) {
        struct kernel_report *report = fusion->reports[f];
        report->operations[operation].calls++;
        if (report->timed >> operation & 1)
            operation_time(&report->operations[operation], *then - begun);
    }
}

/* --- training --- */

static void gather_batch(struct fusion *fusion, size_t first, size_t B)
{
    const struct dataset *data = &fusion->trials[0]->data;
    const size_t *orders[LANES];
    for (size_t f = 0; f < LANES; f++)
        orders[f] = fusion->orders[f] + first;
    lanes_gather(data->x, data->labels, orders, 0, B, data->inputs, fusion->lanes->x, fusion->lanes->x_row,
                 fusion->lanes->labels);
}

static void update_lanes(struct fusion *fusion)
{
    struct lanes_network *net = fusion->lanes;
    struct lanes_update update = {0};
    lanes limit = {0}, decay = {0};
    bool clips = false, averages = false;
    for (size_t f = 0; f < fusion->count; f++) {
        struct classifier *trial = fusion->trials[f];
        struct update constants = optimizer_count(&trial->optimizer, classifier_lr(trial));
        lanes_update_set(&update, f, &constants);
        limit[f] = trial->optimizer.rule.clip;
        decay[f] = (float)average_count(&trial->average);
        clips |= limit[f] > 0;
        averages |= decay[f] > 0;
    }
    if (clips)
        lanes_clip(net->P, &limit, net->dw);
    lanes_follow(net, &update);
    if (averages)
        lanes_average(net->P, &decay, net->w, net->mean);
}

static void train_batch(struct fusion *fusion, size_t first, size_t B)
{
    struct lanes_network *net = fusion->lanes;
    double then = clock_monotonic();
    gather_batch(fusion, first, B);
    end_phase(fusion, PHASE_DATA, &then);
    lanes *z = lanes_forward(net, B, true, false);
    lanes_loss(B, net->C, z, net->y_row, net->labels, &fusion->smoothing, false, &fusion->sum, &fusion->hits);
    end_pass(fusion, PHASE_FORWARD, OPERATION_lanes_forward, &then);
    lanes_backward(net, B);
    end_pass(fusion, PHASE_BACKWARD, OPERATION_lanes_backward, &then);
    update_lanes(fusion);
    end_pass(fusion, PHASE_UPDATE, OPERATION_lanes_update, &then);
}

static void shuffle_orders(struct fusion *fusion, struct kernel_report *const *reports)
{
    double then = clock_monotonic();
    for (size_t f = 0; f < LANES; f++) {
        struct epoch *epoch = &fusion->trials[f < fusion->count ? f : 0]->epoch;
        if (f < fusion->count)
            epoch_shuffle(epoch, reports[f]->step);
        fusion->orders[f] = epoch->order;
    }
    end_phase(fusion, PHASE_DATA, &then);
}

static void begin_pass(struct fusion *fusion)
{
    fusion->sum = (lanes_wide){0};
    fusion->hits = (lanes_int){0};
}

/* The sums of trial f over the pass. */
static struct epoch_loss loss_of(const struct fusion *fusion, size_t f, size_t count)
{
    return (struct epoch_loss){.sum = fusion->sum[f], .hits = (size_t)fusion->hits[f], .count = count};
}

static void train_epoch(struct fusion *fusion, struct kernel_report *const *reports, struct epoch_loss *losses)
{
    size_t N = fusion->trials[0]->data.training, batch = fusion->trials[0]->epoch.batch;
    shuffle_orders(fusion, reports);
    begin_pass(fusion);
    for (size_t n = 0; n < N; n += batch)
        train_batch(fusion, n, N - n < batch ? N - n : batch);
    for (size_t f = 0; f < fusion->count; f++)
        losses[f] = loss_of(fusion, f, N);
}

/* --- validation --- */

static bool has_average(const struct fusion *fusion)
{
    for (size_t f = 0; f < fusion->count; f++)
        if (fusion->trials[f]->average.mean.at)
            return true;
    return false;
}

/* All trials see the same examples. The mean of a trial that keeps none is its weights. */
static void validate_epoch(struct fusion *fusion, struct epoch_loss *losses)
{
    static const size_t *const as_they_lie[LANES];
    const struct dataset *data = &fusion->trials[0]->data;
    struct lanes_network *net = fusion->lanes;
    bool averaged = has_average(fusion);
    lanes none = {0};
    double then = clock_monotonic();
    begin_pass(fusion);
    for (size_t n = data->training; n < data->count; n += VALIDATED) {
        size_t B = data->count - n < VALIDATED ? data->count - n : VALIDATED;
        lanes_gather(data->x, data->labels, as_they_lie, n, B, data->inputs, net->x, net->x_row, net->labels);
        lanes *z = lanes_forward(net, B, false, averaged);
        lanes_loss(B, net->C, z, net->y_row, net->labels, &none, true, &fusion->sum, &fusion->hits);
    }
    for (size_t f = 0; f < fusion->count; f++)
        losses[f] = loss_of(fusion, f, data->count - data->training);
    end_phase(fusion, PHASE_EVALUATION, &then);
}

/* --- a step --- */

/* The lanes for such trials: those of the last time, where they fit. NULL with a sentence. */
static struct lanes_network *find_lanes(struct classifier *trial, struct err *err)
{
    struct classifier *owner = trial->shared ? trial->shared : trial;
    size_t B = trial->epoch.batch > VALIDATED ? trial->epoch.batch : VALIDATED;
    if (!lanes_fit(owner->lanes, trial->network, B)) {
        lanes_destroy(owner->lanes);
        owner->lanes = lanes_create(trial->network, B, err);
    }
    return owner->lanes;
}

static void move_trials(struct fusion *fusion, bool store)
{
    double then = clock_monotonic();
    for (size_t f = 0; f < fusion->count; f++) {
        struct classifier *trial = fusion->trials[f];
        if (store)
            lanes_store(fusion->lanes, f, trial->network, &trial->optimizer, &trial->average);
        else
            lanes_load(fusion->lanes, f, trial->network, &trial->optimizer, &trial->average);
        fusion->smoothing[f] = (float)trial->training.smoothing;
    }
    end_phase(fusion, PHASE_DATA, &then);
}

static enum ending end_step(struct classifier *trial, struct kernel_report *report, const struct epoch_loss *train,
                            const struct epoch_loss *val, struct err *err)
{
    if (!isfinite(train->sum)) {
        err_write(err, "the training loss became %s in epoch %lld", isnan(train->sum) ? "NaN" : "infinite",
                  (long long)report->step);
        return ENDING_DIVERGED;
    }
    classifier_report(trial, report, train, val, err);
    return ENDING_COMPLETED;
}

static void step_classifiers(void *const *selves, size_t count, struct kernel_report *const *reports,
                             enum ending *endings, struct err *const *errs)
{
    struct epoch_loss train[LANES], val[LANES];
    struct fusion fusion = {.trials = (struct classifier *const *)selves, .count = count, .reports = reports};
    fusion.lanes = find_lanes(fusion.trials[0], errs[0]);
    for (size_t f = 0; f < count && !fusion.lanes; f++) /* they do with what memory each has */
        endings[f] = classifier_step(selves[f], reports[f]->step, reports[f], errs[f]);
    if (!fusion.lanes)
        return;
    move_trials(&fusion, false);
    train_epoch(&fusion, reports, train);
    validate_epoch(&fusion, val);
    move_trials(&fusion, true);
    for (size_t f = 0; f < count; f++)
        endings[f] = end_step(fusion.trials[f], reports[f], &train[f], &val[f], errs[f]);
}

const struct kernel_fusion classifier_fusion = {.most = LANES,
                                                .join = join_classifier,
                                                .match = match_classifiers,
                                                .least = least_classifiers,
                                                .step = step_classifiers};
