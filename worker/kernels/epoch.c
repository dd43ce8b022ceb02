/* Training and validation of one epoch; see epoch.h. */
#include "worker/kernels/epoch.h"

#include "common/clock.h"
#include "common/mem.h"
#include "worker/kernels/loss.h"

#include <math.h>
#include <stdlib.h>

int epoch_open_data(struct dataset *data, const struct kernel_settings *settings, const char *base, struct err *err)
{
    struct dataset_source source = {.base = base,
                                    .file = kernel_settings_text(settings, "data"),
                                    .labels = kernel_settings_text(settings, "labels"),
                                    .label = kernel_settings_text(settings, "label"),
                                    .validation = kernel_settings_number(settings, "validation"),
                                    .stratified = kernel_settings_switch(settings, "stratified"),
                                    .split_seed = (uint64_t)kernel_settings_integer(settings, "split_seed"),
                                    .scaling = (enum dataset_scaling)kernel_settings_word(settings, "scaling")};
    return dataset_open(data, &source, err);
}

void epoch_init(struct epoch *epoch, const struct dataset *data, size_t batch, uint64_t seed)
{
    batch = batch < data->training ? batch : data->training;
    *epoch = (struct epoch){
        .data = data,
        .batch = batch,
        .rng = rng_make(seed, "shuffle", 0),
        .order = MEM_ARRAY(size_t, data->training),
        .x = mem_aligned(batch * data->inputs, sizeof(float)),
        .dz = mem_aligned(batch * data->classes, sizeof(float)),
        .labels = MEM_ARRAY(int32_t, batch),
    };
    for (size_t n = 0; n < data->training; n++)
        epoch->order[n] = n;
}

void epoch_fini(struct epoch *epoch)
{
    free(epoch->order);
    free(epoch->x);
    free(epoch->dz);
    free(epoch->labels);
    *epoch = (struct epoch){0};
}

size_t epoch_batches(const struct epoch *epoch)
{
    return (epoch->data->training + epoch->batch - 1) / epoch->batch;
}

size_t epoch_largest_batch(const struct epoch *epoch)
{
    return epoch->batch > EPOCH_EVALUATION_BATCH ? epoch->batch : EPOCH_EVALUATION_BATCH;
}

void epoch_save(const struct epoch *epoch, struct buf *out)
{
    pack_add(out, &epoch->rng, 1, sizeof epoch->rng);
    pack_add(out, epoch->order, epoch->data->training, sizeof *epoch->order);
}

/* An order that is no order of the examples would read outside the data. */
static bool is_order(const size_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (order[i] >= count)
            return false;
    return true;
}

void epoch_resume(struct epoch *epoch, struct pack *pack)
{
    pack_take(pack, &epoch->rng, 1, sizeof epoch->rng);
    pack_take(pack, epoch->order, epoch->data->training, sizeof *epoch->order);
    pack->torn |= !is_order(epoch->order, epoch->data->training);
}

/* Counts the seconds since *then to a phase. */
static void end_phase(struct kernel_report *report, enum phase phase, double *then)
{
    double now = clock_monotonic();
    phase_add(&report->phases[phase], now - *then);
    *then = now;
}

/* One step of training on the examples order[0 .. B-1]. */
static void train_batch(struct epoch *epoch, const struct classifier *classifier, const size_t *order, size_t B,
                        struct loss *loss, struct kernel_report *report)
{
    double then = clock_monotonic();
    dataset_gather(epoch->data, order, B, epoch->x, epoch->labels);
    end_phase(report, PHASE_DATA, &then);
    const float *z = classifier->forward(classifier->self, B, epoch->x, true);
    loss_add(loss, B, epoch->data->classes, z, epoch->labels, epoch->dz);
    end_phase(report, PHASE_FORWARD, &then);
    classifier->backward(classifier->self, B, epoch->x, epoch->dz);
    end_phase(report, PHASE_BACKWARD, &then);
    classifier->update(classifier->self);
    end_phase(report, PHASE_UPDATE, &then);
}

/* The loss over the validation part. */
static struct loss validate_epoch(const struct epoch *epoch, const struct classifier *classifier)
{
    const struct dataset *data = epoch->data;
    struct loss loss = {0};
    for (size_t n = data->training; n < data->count; n += EPOCH_EVALUATION_BATCH) {
        size_t B = data->count - n < EPOCH_EVALUATION_BATCH ? data->count - n : EPOCH_EVALUATION_BATCH;
        const float *z = classifier->forward(classifier->self, B, data->x + n * data->inputs, false);
        loss_add(&loss, B, data->classes, z, data->labels + n, NULL);
    }
    return loss;
}

static void report_loss(struct kernel_report *report, const struct loss *train, const struct loss *val)
{
    report->metric(report->context, "train_loss", loss_mean(train));
    report->metric(report->context, "train_accuracy", loss_accuracy(train));
    report->metric(report->context, "val_loss", loss_mean(val));
    report->metric(report->context, "val_accuracy", loss_accuracy(val));
}

enum ending epoch_run(struct epoch *epoch, const struct classifier *classifier, struct kernel_report *report,
                      struct err *err)
{
    size_t N = epoch->data->training;
    struct loss loss = {0};
    double then = clock_monotonic();
    dataset_shuffle(epoch->order, N, &epoch->rng);
    end_phase(report, PHASE_DATA, &then);
    for (size_t n = 0; n < N; n += epoch->batch) {
        size_t B = N - n < epoch->batch ? N - n : epoch->batch;
        train_batch(epoch, classifier, epoch->order + n, B, &loss, report);
        if (!isfinite(loss.sum)) {
            err_write(err, "the training loss became %s in epoch %lld", isnan(loss.sum) ? "NaN" : "infinite",
                      (long long)report->step);
            return ENDING_DIVERGED;
        }
    }
    then = clock_monotonic();
    struct loss val = validate_epoch(epoch, classifier);
    end_phase(report, PHASE_EVALUATION, &then);
    report_loss(report, &loss, &val);
    return ENDING_COMPLETED;
}
