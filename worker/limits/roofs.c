/* Amounts over limits; see roofs.h. */
#include "worker/limits/roofs.h"

#include <math.h>

/* Of nothing 0, whatever the limit. */
static double seconds_for(double amount, double limit)
{
    return amount > 0 ? amount / limit : 0;
}

struct roofs roofs_of(const struct limits *limits, const struct operation_count operations[OPERATIONS_COUNT])
{
    double flops = 0, bytes = 0, computing = 0, moving = 0;
    for (int i = 0; i < OPERATIONS_COUNT; i++) {
        const struct operation_count *one = &operations[i];
        if (!one->calls)
            continue;
        flops += one->flops;
        bytes += one->bytes;
        computing += seconds_for(one->flops - one->flops_bf16, limits->flops);
        computing += seconds_for(one->flops_bf16, limits->flops_bf16);
        moving += seconds_for(one->bytes, limits_bandwidth_for(limits, one->bytes / (double)one->calls));
    }
    return (struct roofs){.flops = computing > 0 ? flops / computing : NAN, .bytes = moving > 0 ? bytes / moving : NAN};
}

double roofs_products(const struct operation_count operations[OPERATIONS_COUNT], double seconds)
{
    static const enum operation products[] = {OPERATION_dense, OPERATION_dense_back_data, OPERATION_dense_back_weights};
    double all = 0, dense = 0;
    for (int i = 0; i < OPERATIONS_COUNT; i++)
        all += operations[i].flops;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        dense += operations[products[i]].flops - operations[products[i]].flops_bf16;
    return seconds > 1 && dense > 0.9 * all ? dense / seconds : 0;
}
