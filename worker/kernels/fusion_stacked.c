/* Epochs of several trials at once in the memory of a device (worker/lanes/stacked.h): as fusion.c has them in vectors.
 * A batch of all trials is a step that repeats itself, which the device may start as a whole; their constants go along
 * with it. What the device has still to do where losses are fetched is the phase work. */
#include "worker/kernels/fusion.h"

#include "common/clock.h"
#include "worker/lanes/stacked.h"

/* What there is memory for: the largest batch, and the longer pass over the data. */
static size_t largest_batch(const struct classifier *trial)
{
    return epoch_largest_batch(&trial->examples, trial->epoch.batch);
}

static size_t longer_pass(const struct dataset *data)
{
    size_t validated = data->count - data->training;
    return data->training > validated ? data->training : validated;
}

uint64_t fusion_room(const struct classifier *trial)
{
    return stacked_bytes(trial->network, largest_batch(trial), longer_pass(&trial->data));
}

/* The stack for such trials: that of the last time, where it fits. NULL with a sentence. */
static struct stacked *find_stack(const struct fused_trials *fused, struct err *err)
{
    struct classifier *trial = fused->trials[0], *owner = trial->shared ? trial->shared : trial;
    size_t B = largest_batch(trial), N = longer_pass(&trial->data);
    if (!stacked_fit(owner->stacked, trial->network, fused->count, B, N)) {
        stacked_destroy(owner->stacked);
        owner->stacked = stacked_create(trial->network, fused->count, B, N, err);
    }
    return owner->stacked;
}

static void move_trials(const struct fused_trials *fused, struct stacked *stacked, bool store)
{
    double then = clock_monotonic();
    for (size_t f = 0; f < fused->count; f++) {
        struct classifier *trial = fused->trials[f];
        if (store)
            stacked_store(stacked, f, trial->network, &trial->optimizer, &trial->average);
        else
            stacked_load(stacked, f, trial->network, &trial->optimizer, &trial->average);
    }
    fusion_end_phase(fused, PHASE_DATA, &then);
}

static void fetch_losses(const struct fused_trials *fused, struct stacked *stacked, size_t N, size_t B,
                         struct epoch_loss *losses)
{
    struct stacked_loss sums[STACK_MOST];
    stacked_sums(stacked, N, B, sums);
    for (size_t f = 0; f < fused->count; f++)
        losses[f] = (struct epoch_loss){.sum = sums[f].sum, .hits = sums[f].hits, .count = N};
}

static void update_stack(const struct fused_trials *fused, struct stacked *stacked)
{
    struct fused_constants constants;
    fusion_count(fused, &constants);
    if (constants.clips)
        stacked_clip(stacked, constants.limits);
    stacked_follow(stacked, constants.updates);
    if (constants.averages)
        stacked_average(stacked, constants.decays);
}

static void train_batch(const struct fused_trials *fused, struct stacked *stacked, size_t n, size_t B,
                        const float *smoothing, double *then)
{
    const struct examples *examples = &fused->trials[0]->examples;
    stacked_take(stacked, &examples->x, &examples->labels, n, B);
    fusion_end_phase(fused, PHASE_DATA, then);
    backend_begin_step(stacked->backend, fused->count * B);
    stacked_forward(stacked, n, B, smoothing, true, false);
    fusion_end_pass(fused, PHASE_FORWARD, OPERATION_lanes_forward, then);
    stacked_backward(stacked, B);
    fusion_end_pass(fused, PHASE_BACKWARD, OPERATION_lanes_backward, then);
    update_stack(fused, stacked);
    backend_end_step(stacked->backend);
    fusion_end_pass(fused, PHASE_UPDATE, OPERATION_lanes_update, then);
}

static void train_epoch(const struct fused_trials *fused, struct stacked *stacked, struct epoch_loss *losses)
{
    size_t N = fused->trials[0]->data.training, batch = fused->trials[0]->epoch.batch;
    const size_t *orders[STACK_MOST];
    float smoothing[STACK_MOST];
    double then = clock_monotonic();
    fusion_shuffle(fused);
    for (size_t f = 0; f < fused->count; f++) {
        orders[f] = fused->trials[f]->epoch.order;
        smoothing[f] = (float)fused->trials[f]->training.smoothing;
    }
    stacked_places(stacked, orders, 0, N, batch);
    for (size_t n = 0; n < N; n += batch)
        train_batch(fused, stacked, n, N - n < batch ? N - n : batch, smoothing, &then);
    fetch_losses(fused, stacked, N, batch, losses);
    fusion_end_phase(fused, PHASE_WORK, &then);
}

/* All trials see the same examples. The mean of a trial that keeps none is its weights. */
static void validate_epoch(const struct fused_trials *fused, struct stacked *stacked, struct epoch_loss *losses)
{
    const struct classifier *first = fused->trials[0];
    size_t from = first->data.training, N = first->data.count - from, batch = largest_batch(first);
    bool averaged = fusion_averages(fused);
    const float none[STACK_MOST] = {0};
    double then = clock_monotonic();
    stacked_places(stacked, NULL, from, N, batch);
    for (size_t n = 0; n < N; n += batch) {
        size_t B = N - n < batch ? N - n : batch;
        stacked_take(stacked, &first->examples.x, &first->examples.labels, n, B);
        stacked_forward(stacked, n, B, none, false, averaged);
    }
    fetch_losses(fused, stacked, N, batch, losses);
    fusion_end_phase(fused, PHASE_EVALUATION, &then);
}

int fusion_step_stacked(const struct fused_trials *fused, struct epoch_loss *train, struct epoch_loss *val,
                        struct err *err)
{
    struct stacked *stacked = find_stack(fused, err);
    if (!stacked)
        return -1;
    stacked_begin(stacked, fused->count);
    move_trials(fused, stacked, false);
    train_epoch(fused, stacked, train);
    validate_epoch(fused, stacked, val);
    move_trials(fused, stacked, true);
    return 0;
}
