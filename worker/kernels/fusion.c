/* Epochs of several trials of the same shape at once: the slot fusion of kernels that train a network as a classifier.
 * Their networks lie side by side in vectors (worker/lanes) for the time of an epoch, or in a device's memory one
 * behind the other (fusion_stacked.c); before and after it everything is where each trial alone has it, but that sums
 * were made in another order.
 *
 * The phases of a trial's profile are the time that passed, which all of an epoch's trials share. */
#include "worker/kernels/fusion.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/lanes/batch.h"
#include "worker/lanes/lanes_network.h"

#include <math.h>
#include <string.h>

enum { VALIDATED = 64 }; /* examples of a batch of the validation, which then lies in the second cache */

/* An epoch in lanes. */
struct fusion {
    const struct fused_trials *of;
    struct lanes_network *lanes;
    const size_t *orders[LANES]; /* of the examples; of lanes without a trial the first one's */
    lanes smoothing;
    lanes_wide sum; /* of the losses of a pass over the data */
    lanes_int hits; /* examples whose largest output was right */
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

/* The backend's memory is the host's. */
static bool is_hosts(const struct classifier *trial)
{
    return trial->examples.x.at == (const void *)trial->data.x;
}

/* Whether a trial can share its epochs at all. One whose own speed is asked for can't. */
static bool can_fuse(const struct classifier *trial)
{
    return trial->scale.rule.kind == LOSS_SCALE_NONE && trial->examples.steps == 1 && !trial->epoch.feed &&
           trial->team == trial->all_team && strcmp(trial->metric, KERNEL_SPEED) != 0 && lanes_suit(trial->network);
}

static bool match_classifiers(const void *self, const void *other)
{
    const struct classifier *a = self, *b = other;
    const struct optimizer_rule *one = &a->optimizer.rule, *two = &b->optimizer.rule;
    return a->epoch.batch == b->epoch.batch && one->kind == two->kind && one->nesterov == two->nesterov &&
           a->training.recipe.coarse == b->training.recipe.coarse && can_fuse(a) && can_fuse(b) &&
           lanes_match(a->network, b->network);
}

static size_t most_classifiers(const void *self)
{
    return is_hosts(self) ? LANES : STACK_MOST;
}

/* In lanes together they take as long as if all were used. By tests/bench/fusion.c, where that is as long as one after
 * the other: 2.3 networks of 650 weights, 4 of 2,400, 5 of 4,800, 6 of 7,200, 7 of 9,600; 17,000 are more than LANES. A
 * device is started as often for two as for one. */
static size_t least_classifiers(const void *self)
{
    const struct classifier *trial = self;
    return is_hosts(trial) ? 3 + tensor_count(&trial->network->weights) / 1800 : 2;
}

static uint64_t room_of_classifier(const void *self)
{
    return can_fuse(self) ? fusion_room(self) : 0;
}

/* --- what both ways share --- */

void fusion_end_phase(const struct fused_trials *fused, enum phase phase, double *then)
{
    double now = clock_monotonic();
    for (size_t f = 0; f < fused->count; f++)
        phase_add(&fused->reports[f]->phases[phase], now - *then);
    *then = now;
}

void fusion_end_pass(const struct fused_trials *fused, enum phase phase, enum operation operation, double *then)
{
    double begun = *then;
    fusion_end_phase(fused, phase, then);
    for (size_t f = 0; f < fused->count; f++) {
        struct kernel_report *report = fused->reports[f];
        report->operations[operation].calls++;
        if (report->timed >> operation & 1)
            operation_time(&report->operations[operation], *then - begun);
    }
}

void fusion_shuffle(const struct fused_trials *fused)
{
    for (size_t f = 0; f < fused->count; f++)
        epoch_shuffle(&fused->trials[f]->epoch, fused->reports[f]->step);
}

void fusion_count(const struct fused_trials *fused, struct fused_constants *out)
{
    out->clips = out->averages = false;
    for (size_t f = 0; f < fused->count; f++) {
        struct classifier *trial = fused->trials[f];
        out->updates[f] = optimizer_count(&trial->optimizer, classifier_lr(trial));
        out->limits[f] = trial->optimizer.rule.clip;
        out->decays[f] = (float)average_count(&trial->average);
        out->clips |= out->limits[f] > 0;
        out->averages |= out->decays[f] > 0;
    }
}

bool fusion_averages(const struct fused_trials *fused)
{
    for (size_t f = 0; f < fused->count; f++)
        if (fused->trials[f]->average.mean.at)
            return true;
    return false;
}

/* --- training --- */

static void gather_batch(struct fusion *fusion, size_t first, size_t B)
{
    const struct dataset *data = &fusion->of->trials[0]->data;
    const size_t *orders[LANES];
    for (size_t f = 0; f < LANES; f++)
        orders[f] = fusion->orders[f] + first;
    lanes_gather(data->x, data->labels, orders, 0, B, data->inputs, fusion->lanes->x, fusion->lanes->x_row,
                 fusion->lanes->labels);
}

static void update_lanes(struct fusion *fusion)
{
    struct lanes_network *net = fusion->lanes;
    struct fused_constants constants;
    struct lanes_update update = {0};
    lanes limit = {0}, decay = {0};
    fusion_count(fusion->of, &constants);
    for (size_t f = 0; f < fusion->of->count; f++) {
        lanes_update_set(&update, f, &constants.updates[f]);
        limit[f] = constants.limits[f];
        decay[f] = constants.decays[f];
    }
    if (constants.clips)
        lanes_clip(net->P, &limit, net->dw);
    lanes_follow(net, &update);
    if (constants.averages)
        lanes_average(net->P, &decay, net->w, net->mean);
}

static void train_batch(struct fusion *fusion, size_t first, size_t B)
{
    struct lanes_network *net = fusion->lanes;
    double then = clock_monotonic();
    gather_batch(fusion, first, B);
    fusion_end_phase(fusion->of, PHASE_DATA, &then);
    lanes *z = lanes_forward(net, B, true, false);
    lanes_loss(B, net->C, z, net->y_row, net->labels, &fusion->smoothing, false, &fusion->sum, &fusion->hits);
    fusion_end_pass(fusion->of, PHASE_FORWARD, OPERATION_lanes_forward, &then);
    lanes_backward(net, B);
    fusion_end_pass(fusion->of, PHASE_BACKWARD, OPERATION_lanes_backward, &then);
    update_lanes(fusion);
    fusion_end_pass(fusion->of, PHASE_UPDATE, OPERATION_lanes_update, &then);
}

static void shuffle_orders(struct fusion *fusion)
{
    double then = clock_monotonic();
    fusion_shuffle(fusion->of);
    for (size_t f = 0; f < LANES; f++)
        fusion->orders[f] = fusion->of->trials[f < fusion->of->count ? f : 0]->epoch.order;
    fusion_end_phase(fusion->of, PHASE_DATA, &then);
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

static void train_epoch(struct fusion *fusion, struct epoch_loss *losses)
{
    size_t N = fusion->of->trials[0]->data.training, batch = fusion->of->trials[0]->epoch.batch;
    shuffle_orders(fusion);
    begin_pass(fusion);
    for (size_t n = 0; n < N; n += batch)
        train_batch(fusion, n, N - n < batch ? N - n : batch);
    for (size_t f = 0; f < fusion->of->count; f++)
        losses[f] = loss_of(fusion, f, N);
}

/* --- validation --- */

/* All trials see the same examples. The mean of a trial that keeps none is its weights. */
static void validate_epoch(struct fusion *fusion, struct epoch_loss *losses)
{
    static const size_t *const as_they_lie[LANES];
    const struct dataset *data = &fusion->of->trials[0]->data;
    struct lanes_network *net = fusion->lanes;
    bool averaged = fusion_averages(fusion->of);
    lanes none = {0};
    double then = clock_monotonic();
    begin_pass(fusion);
    for (size_t n = data->training; n < data->count; n += VALIDATED) {
        size_t B = data->count - n < VALIDATED ? data->count - n : VALIDATED;
        lanes_gather(data->x, data->labels, as_they_lie, n, B, data->inputs, net->x, net->x_row, net->labels);
        lanes *z = lanes_forward(net, B, false, averaged);
        lanes_loss(B, net->C, z, net->y_row, net->labels, &none, true, &fusion->sum, &fusion->hits);
    }
    for (size_t f = 0; f < fusion->of->count; f++)
        losses[f] = loss_of(fusion, f, data->count - data->training);
    fusion_end_phase(fusion->of, PHASE_EVALUATION, &then);
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
    for (size_t f = 0; f < fusion->of->count; f++) {
        struct classifier *trial = fusion->of->trials[f];
        if (store)
            lanes_store(fusion->lanes, f, trial->network, &trial->optimizer, &trial->average);
        else
            lanes_load(fusion->lanes, f, trial->network, &trial->optimizer, &trial->average);
        fusion->smoothing[f] = (float)trial->training.smoothing;
    }
    fusion_end_phase(fusion->of, PHASE_DATA, &then);
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

/* -1: there are no lanes. */
static int step_lanes(const struct fused_trials *of, struct epoch_loss *train, struct epoch_loss *val, struct err *err)
{
    struct fusion fusion = {.of = of, .lanes = find_lanes(of->trials[0], err)};
    if (!fusion.lanes)
        return -1;
    move_trials(&fusion, false);
    train_epoch(&fusion, train);
    validate_epoch(&fusion, val);
    move_trials(&fusion, true);
    return 0;
}

static void step_classifiers(void *const *selves, size_t count, struct kernel_report *const *reports,
                             enum ending *endings, struct err *const *errs)
{
    struct epoch_loss train[STACK_MOST], val[STACK_MOST];
    const struct fused_trials of = {(struct classifier *const *)selves, reports, count};
    classifier_enter(of.trials[0]);
    if ((is_hosts(selves[0]) ? step_lanes : fusion_step_stacked)(&of, train, val, errs[0])) {
        for (size_t f = 0; f < count; f++) /* they do with what memory each has */
            endings[f] = classifier_step(selves[f], reports[f]->step, reports[f], errs[f]);
        return;
    }
    for (size_t f = 0; f < count; f++)
        endings[f] = end_step(of.trials[f], reports[f], &train[f], &val[f], errs[f]);
}

const struct kernel_fusion classifier_fusion = {.most = most_classifiers,
                                                .join = join_classifier,
                                                .match = match_classifiers,
                                                .least = least_classifiers,
                                                .room = room_of_classifier,
                                                .step = step_classifiers};
