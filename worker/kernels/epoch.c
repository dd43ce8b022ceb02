/* Training and validation of one epoch; see epoch.h. */
#include "worker/kernels/epoch.h"

#include "common/clock.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

size_t epoch_largest_batch(const struct examples *examples, size_t batch)
{
    size_t N = examples->data->training, evaluated = EPOCH_EVALUATION_BATCH / examples->steps;
    batch = batch < N ? batch : N;
    return batch > evaluated ? batch : evaluated;
}

/* Of EPOCH_CHECKED batches, or of a whole epoch; and of a batch of the validation. */
static size_t losses_at_once(const struct epoch *epoch)
{
    size_t N = epoch->examples->data->training, checked = EPOCH_CHECKED * epoch->batch;
    checked = checked < N ? checked : N;
    return (checked > epoch->largest ? checked : epoch->largest) * tensor_width(&epoch->examples->labels);
}

/* The tensors of a batch, and of the losses of some, in one piece of memory. */
static int allocate_epoch(struct epoch *epoch, struct err *err)
{
    const struct dataset *data = epoch->examples->data;
    size_t B = epoch->batch, at = 0;
    epoch->places = tensor_vector(TENSOR_I32, data->training);
    epoch->x = epoch->examples->x;
    epoch->labels = epoch->examples->labels;
    epoch->x.size[0] = epoch->labels.size[0] = epoch->examples->text ? epoch->largest : B;
    epoch->lengths = tensor_vector(TENSOR_I32, epoch->examples->lengths.at ? B : 0);
    epoch->dy = tensor_make(TENSOR_F32, 2, (size_t[]){B * tensor_width(&epoch->labels), data->classes});
    epoch->losses = tensor_vector(TENSOR_F32, losses_at_once(epoch));
    epoch->hits = tensor_vector(TENSOR_I32, losses_at_once(epoch));
    struct tensor *all[] = {&epoch->places, &epoch->x,      &epoch->labels, &epoch->lengths,
                            &epoch->dy,     &epoch->losses, &epoch->hits};
    enum { ALL = sizeof all / sizeof *all, LINE = 64 };
    size_t begin[ALL];
    for (size_t i = 0; i < ALL; i++) {
        begin[i] = at;
        at += (tensor_bytes(all[i]) + LINE - 1) / LINE * LINE;
    }
    epoch->memory = backend_allocate(epoch->backend, at, err);
    for (size_t i = 0; i < ALL; i++)
        all[i]->at = epoch->memory ? (char *)epoch->memory + begin[i] : NULL;
    return epoch->memory ? 0 : -1;
}

int epoch_init(struct epoch *epoch, struct backend *backend, const struct examples *examples, size_t batch,
               uint64_t seed, struct err *err)
{
    size_t N = examples->data->training;
    *epoch = (struct epoch){.backend = backend,
                            .examples = examples,
                            .batch = batch < N ? batch : N,
                            .seed = seed,
                            .order = MEM_ARRAY(size_t, N),
                            .wanted = MEM_ARRAY(int32_t, N)};
    epoch->largest = epoch_largest_batch(examples, batch);
    if (examples->text) {
        epoch->tokens = MEM_ARRAY(int32_t, epoch->largest * examples->steps);
        epoch->next = MEM_ARRAY(int32_t, epoch->largest * examples->steps);
    }
    epoch->loss = MEM_ARRAY(float, losses_at_once(epoch));
    epoch->hit = MEM_ARRAY(int32_t, losses_at_once(epoch));
    return allocate_epoch(epoch, err);
}

void epoch_fini(struct epoch *epoch)
{
    if (epoch->backend)
        epoch->backend->kind->release(epoch->backend->self, epoch->memory);
    feed_destroy(epoch->feed);
    free(epoch->parts);
    free(epoch->order);
    free(epoch->wanted);
    free(epoch->loss);
    free(epoch->hit);
    free(epoch->tokens);
    free(epoch->next);
    *epoch = (struct epoch){0};
}

void epoch_use_feed(struct epoch *epoch, const struct feed_source *source)
{
    struct feed_source whole = *source;
    whole.data = epoch->examples->data;
    whole.seed = epoch->seed;
    whole.batch = epoch->batch;
    epoch->feed = feed_create(&whole);
    epoch->parts = MEM_ARRAY(struct feed_part, epoch_batches(epoch));
}

size_t epoch_batches(const struct epoch *epoch)
{
    return (epoch->examples->data->training + epoch->batch - 1) / epoch->batch;
}

/* --- a pass over the data --- */

static double seconds_prepared(const struct epoch *epoch)
{
    const struct backend *backend = epoch->backend;
    return backend->kind->prepared ? backend->kind->prepared(backend->self) : 0;
}

/* A phase begins now. */
static double begin_phase(struct epoch *epoch)
{
    epoch->prepared = seconds_prepared(epoch);
    return clock_monotonic();
}

/* The phase that began at *then ends and the next one begins. What the backend prepared meanwhile is a phase of its
 * own. */
static void end_phase(struct epoch *epoch, struct kernel_report *report, enum phase phase, double *then)
{
    double now = clock_monotonic(), compiled = seconds_prepared(epoch) - epoch->prepared;
    phase_add(&report->phases[phase], now - *then - compiled);
    if (compiled > 0)
        phase_add(&report->phases[PHASE_COMPILE], compiled);
    epoch->prepared += compiled;
    *then = now;
}

/* What no backend does. */
static void count_call(struct kernel_report *report, enum operation operation, size_t bytes, double seconds)
{
    report->operations[operation].calls++;
    report->operations[operation].bytes += (double)bytes;
    if (report->timed >> operation & 1)
        operation_time(&report->operations[operation], seconds);
}

/* Adds what the first `count` places of losses and hits hold. */
static void collect_losses(struct epoch *epoch, size_t count, struct epoch_loss *loss)
{
    if (!count)
        return;
    struct tensor losses = tensor_slice(&epoch->losses, 0, count), hits = tensor_slice(&epoch->hits, 0, count);
    op_download(epoch->backend, &losses, epoch->loss);
    op_download(epoch->backend, &hits, epoch->hit);
    for (size_t i = 0; i < count; i++) {
        loss->sum += (double)epoch->loss[i];
        loss->hits += epoch->hit[i] != 0;
    }
    loss->count += count;
}

/* The same, of backends that work behind the calls: what they have still to do is work of no phase that we know. */
static void await_losses(struct epoch *epoch, size_t count, struct kernel_report *report, struct epoch_loss *loss)
{
    double then = epoch->backend->kind->begin ? begin_phase(epoch) : 0;
    collect_losses(epoch, count, loss);
    if (epoch->backend->kind->begin)
        end_phase(epoch, report, PHASE_WORK, &then);
}

/* The losses and hits of a batch into the places from `at` on; their gradients, unless dy is NULL. */
static void measure_loss(struct epoch *epoch, const struct tensor *y, const struct tensor *labels, size_t at,
                         float smoothing, const struct tensor *dy)
{
    struct tensor rows = tensor_rows(y), of = tensor_flat(labels);
    struct tensor losses = tensor_slice(&epoch->losses, at, rows.size[0]);
    struct tensor hits = tensor_slice(&epoch->hits, at, rows.size[0]);
    op_softmax_loss(epoch->backend, &rows, &of, smoothing, &losses, &hits, dy);
}

/* Windows of the text as a batch: those of `which`, or B from `first` on. */
static void upload_windows(struct epoch *epoch, const int32_t *which, size_t first, const struct tensor *x,
                           const struct tensor *labels)
{
    size_t T = epoch->examples->steps;
    for (size_t n = 0; n < x->size[0]; n++)
        text_read(epoch->examples->text, which ? (size_t)which[n] : first + n, epoch->tokens + n * T,
                  epoch->next + n * T);
    op_upload(epoch->backend, epoch->tokens, x);
    op_upload(epoch->backend, epoch->next, labels);
}

/* B examples of the training part, from `first` on in the order, with their lengths for the network. */
static void take_batch(struct epoch *epoch, struct network *network, size_t first, size_t B, struct tensor *x,
                       struct tensor *labels)
{
    struct tensor places = tensor_slice(&epoch->places, first, B);
    *x = tensor_slice(&epoch->x, 0, B);
    *labels = tensor_slice(&epoch->labels, 0, B);
    if (epoch->examples->text) {
        upload_windows(epoch, epoch->wanted + first, 0, x, labels);
        return;
    }
    if (epoch->feed) {
        const struct feed_batch *batch = feed_next(epoch->feed);
        op_upload(epoch->backend, batch->x, x);
        op_upload(epoch->backend, batch->labels, labels);
        return;
    }
    op_take(epoch->backend, &epoch->examples->x, &places, x);
    op_take(epoch->backend, &epoch->examples->labels, &places, labels);
    if (!epoch->examples->lengths.at)
        return;
    network->lengths = tensor_slice(&epoch->lengths, 0, B);
    op_take(epoch->backend, &epoch->examples->lengths, &places, &network->lengths);
}

/* B examples from `first` on as they lie. */
static void take_slice(struct epoch *epoch, struct network *network, size_t first, size_t B, struct tensor *x,
                       struct tensor *labels)
{
    const struct examples *examples = epoch->examples;
    *x = examples->text ? tensor_slice(&epoch->x, 0, B) : tensor_slice(&examples->x, first, B);
    *labels = examples->text ? tensor_slice(&epoch->labels, 0, B) : tensor_slice(&examples->labels, first, B);
    if (examples->text)
        upload_windows(epoch, NULL, first, x, labels);
    if (examples->lengths.at)
        network->lengths = tensor_slice(&examples->lengths, first, B);
}

/* Tells the feed which batches will be asked for: this rank's parts of them. */
static void begin_feed(struct epoch *epoch, uint64_t number)
{
    size_t N = epoch->examples->data->training, count = 0;
    for (size_t n = 0; n < N; n += epoch->batch) {
        struct data_part part = data_parallel_part(&epoch->parallel, N - n < epoch->batch ? N - n : epoch->batch);
        epoch->parts[count++] = (struct feed_part){n + part.first, part.count};
    }
    feed_begin(epoch->feed, epoch->order, epoch->parts, count, number);
}

/* Says that this rank's part of the batch from `first` on is wanted next, unless the epoch ends there. */
static void expect_batch(struct epoch *epoch, size_t first)
{
    size_t N = epoch->examples->data->training;
    if (first >= N || epoch->examples->text || epoch->feed)
        return;
    struct data_part part = data_parallel_part(&epoch->parallel, N - first < epoch->batch ? N - first : epoch->batch);
    struct tensor places = tensor_slice(&epoch->places, first + part.first, part.count);
    op_expect(epoch->backend, &epoch->examples->x, &places);
}

/* Trains on the batch of `all` examples of the order from `first` on, or on this rank's part of it, whose losses go to
 * the places from `at` on; how many those are. It follows the phase that ended at *then without a gap: of four phases
 * the clock is asked four times. */
static size_t train_batch(struct epoch *epoch, const struct epoch_trainee *trainee, size_t first, size_t all, size_t at,
                          struct kernel_report *report, double *then)
{
    struct data_part part = data_parallel_part(&epoch->parallel, all);
    size_t B = part.count, each = tensor_width(&epoch->labels);
    struct tensor x, labels, dy = tensor_slice(&epoch->dy, 0, B * each);
    data_parallel_begin(&epoch->parallel, &part, all);
    take_batch(epoch, trainee->network, first + part.first, B, &x, &labels);
    expect_batch(epoch, first + all);
    end_phase(epoch, report, PHASE_DATA, then);
    backend_begin_step(epoch->backend, B);
    measure_loss(epoch, network_forward(trainee->network, &x, true), &labels, at, epoch->smoothing, &dy);
    end_phase(epoch, report, PHASE_FORWARD, then);
    network_backward(trainee->network, &x, &dy);
    end_phase(epoch, report, PHASE_BACKWARD, then);
    if (epoch->parallel.collective) {
        double begun = *then;
        data_parallel_finish(&epoch->parallel);
        end_phase(epoch, report, PHASE_ALLREDUCE, then);
        count_call(report, OPERATION_allreduce, tensor_bytes(&trainee->network->gradients), *then - begun);
    }
    trainee->update(trainee->self);
    backend_end_step(epoch->backend);
    report->samples += all;
    end_phase(epoch, report, PHASE_UPDATE, then);
    return part.spare ? 0 : B * each;
}

/* The sums over all ranks. */
static struct epoch_loss add_ranks(const struct epoch *epoch, const struct epoch_loss *own)
{
    double sums[] = {own->sum, (double)own->hits, (double)own->count};
    data_parallel_add(&epoch->parallel, sums, sizeof sums / sizeof *sums);
    return (struct epoch_loss){.sum = sums[0], .hits = (size_t)sums[1], .count = (size_t)sums[2]};
}

void epoch_shuffle(struct epoch *epoch, int64_t step)
{
    size_t N = epoch->examples->data->training;
    struct rng rng = rng_make(epoch->seed, "shuffle", (uint64_t)step);
    for (size_t n = 0; n < N; n++)
        epoch->order[n] = n;
    dataset_shuffle(epoch->order, N, &rng);
}

/* When it has ended. */
static double shuffle_examples(struct epoch *epoch, struct kernel_report *report)
{
    double then = begin_phase(epoch);
    size_t N = epoch->examples->data->training;
    epoch_shuffle(epoch, report->step);
    for (size_t n = 0; n < N; n++)
        epoch->wanted[n] = (int32_t)epoch->order[n];
    op_upload(epoch->backend, epoch->wanted, &epoch->places);
    if (epoch->feed)
        begin_feed(epoch, (uint64_t)report->step);
    end_phase(epoch, report, PHASE_DATA, &then);
    return then;
}

enum ending epoch_train(struct epoch *epoch, const struct epoch_trainee *trainee, struct kernel_report *report,
                        struct epoch_loss *loss, struct err *err)
{
    size_t N = epoch->examples->data->training, waiting = 0;
    struct epoch_loss own = {0};
    double then = shuffle_examples(epoch, report);
    for (size_t n = 0, batch = 1; n < N; n += epoch->batch, batch++) {
        size_t B = N - n < epoch->batch ? N - n : epoch->batch;
        waiting += train_batch(epoch, trainee, n, B, waiting, report, &then);
        if (batch % EPOCH_CHECKED && n + B < N)
            continue;
        await_losses(epoch, waiting, report, &own);
        *loss = add_ranks(epoch, &own);
        waiting = 0;
        if (!isfinite(loss->sum)) {
            err_write(err, "the training loss became %s in epoch %lld", isnan(loss->sum) ? "NaN" : "infinite",
                      (long long)report->step);
            return ENDING_DIVERGED;
        }
        then = begin_phase(epoch);
    }
    data_parallel_settle(&epoch->parallel);
    return ENDING_COMPLETED;
}

struct epoch_loss epoch_validate(struct epoch *epoch, struct network *network, struct kernel_report *report)
{
    const struct dataset *data = epoch->examples->data;
    struct epoch_loss loss = {0};
    double then = begin_phase(epoch);
    struct data_part part = data_parallel_part(&epoch->parallel, data->count - data->training);
    size_t first = data->training + part.first, end = part.spare ? first : first + part.count;
    for (size_t n = first; n < end; n += epoch->largest) {
        size_t B = end - n < epoch->largest ? end - n : epoch->largest;
        struct tensor x, labels;
        take_slice(epoch, network, n, B, &x, &labels);
        measure_loss(epoch, network_forward(network, &x, false), &labels, 0, 0, NULL);
        collect_losses(epoch, tensor_count(&labels), &loss);
    }
    loss = add_ranks(epoch, &loss);
    end_phase(epoch, report, PHASE_EVALUATION, &then);
    return loss;
}

void epoch_report(const struct epoch *epoch, struct kernel_report *report, const struct epoch_loss *train,
                  const struct epoch_loss *val)
{
    report->metric(report->context, "train_loss", train->sum / (double)train->count);
    report->metric(report->context, "train_accuracy", (double)train->hits / (double)train->count);
    report->metric(report->context, "val_loss", val->sum / (double)val->count);
    report->metric(report->context, "val_accuracy", (double)val->hits / (double)val->count);
    if (epoch->examples->text)
        report->metric(report->context, "val_bits_per_byte", val->sum / (double)val->count / M_LN2);
}
