/* Gradients over ranks; see data_parallel.h. */
#include "worker/kernels/data_parallel.h"

/* The gradients from number `first` on are made. */
static void post_gradients(void *context, size_t first)
{
    struct data_parallel *parallel = context;
    const struct network *network = parallel->network;
    struct tensor made = tensor_slice(&network->gradients, first, parallel->posted - first);
    op_download(network->backend, &made, parallel->at + first);
    parallel->posted = first;
    parallel->collective->kind->post(parallel->collective->self, first);
}

static size_t largest(size_t a, size_t b)
{
    return a > b ? a : b;
}

int data_parallel_init(struct data_parallel *parallel, const struct collective *collective, struct network *network,
                       struct err *err)
{
    *parallel = (struct data_parallel){.collective = collective, .network = network};
    double failed = !network;
    data_parallel_add(parallel, &failed, 1);
    if (network && failed > 0)
        err_write(err, "another rank of the trial had no memory for it");
    if (failed > 0 || !collective)
        return failed > 0 ? -1 : 0;
    network->made = post_gradients;
    network->context = parallel;
    size_t count = largest(tensor_count(&network->gradients), tensor_count(&network->state));
    return collective->kind->reserve(collective->self, count, err);
}

/* The first ranks have those that are left over: rank 0 always has one. */
struct data_part data_parallel_part(const struct data_parallel *parallel, size_t all)
{
    if (!parallel->collective)
        return (struct data_part){.count = all};
    size_t ranks = parallel->collective->ranks, rank = parallel->collective->rank;
    size_t each = all / ranks, more = all % ranks, count = each + (rank < more);
    if (!count)
        return (struct data_part){.count = 1, .spare = true};
    return (struct data_part){.first = rank * each + (rank < more ? rank : more), .count = count};
}

void data_parallel_begin(struct data_parallel *parallel, const struct data_part *part, size_t all)
{
    struct network *network = parallel->network;
    if (!parallel->collective)
        return;
    float weight = part->spare ? 0 : (float)((double)part->count / (double)all);
    network->before = part->first;
    network->whole = all;
    parallel->posted = tensor_count(&network->gradients);
    parallel->at = parallel->collective->kind->begin(parallel->collective->self, parallel->posted, weight);
}

/* Some numbers of a sum into a tensor. */
static void take_numbers(struct data_parallel *parallel, const struct tensor *whole, const float *numbers, size_t first,
                         size_t count)
{
    struct tensor taken = tensor_slice(whole, first, count);
    op_upload(parallel->network->backend, numbers, &taken);
}

static void take_gradients(void *context, const float *numbers, size_t first, size_t count)
{
    struct data_parallel *parallel = context;
    take_numbers(parallel, &parallel->network->gradients, numbers, first, count);
}

static void take_state(void *context, const float *numbers, size_t first, size_t count)
{
    struct data_parallel *parallel = context;
    take_numbers(parallel, &parallel->network->state, numbers, first, count);
}

void data_parallel_finish(struct data_parallel *parallel)
{
    const struct collective *collective = parallel->collective;
    if (collective)
        collective->kind->finish(collective->self, take_gradients, parallel);
}

void data_parallel_add(const struct data_parallel *parallel, double *numbers, size_t count)
{
    const struct collective *collective = parallel->collective;
    if (collective)
        collective->kind->add(collective->self, numbers, count);
}

void data_parallel_settle(struct data_parallel *parallel)
{
    const struct collective *collective = parallel->collective;
    const struct tensor *state = &parallel->network->state;
    if (!collective || !tensor_count(state))
        return;
    float *at = collective->kind->begin(collective->self, tensor_count(state), 1 / (float)collective->ranks);
    op_download(parallel->network->backend, state, at);
    collective->kind->post(collective->self, 0);
    collective->kind->finish(collective->self, take_state, parallel);
}
