/* Which examples train and which validate; see dataset.h. */
#include "worker/data/dataset.h"

#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void permute_floats(float **rows, const size_t *order, size_t count, size_t columns)
{
    float *permuted = MEM_ARRAY(float, count *columns);
    for (size_t n = 0; n < count; n++)
        memcpy(permuted + n * columns, *rows + order[n] * columns, columns * sizeof *permuted);
    free(*rows);
    *rows = permuted;
}

static void permute_labels(int32_t **labels, const size_t *order, size_t count)
{
    int32_t *permuted = MEM_ARRAY(int32_t, count);
    for (size_t n = 0; n < count; n++)
        permuted[n] = (*labels)[order[n]];
    free(*labels);
    *labels = permuted;
}

/* Puts the examples into a new order. */
static void permute_rows(struct dataset *data, const size_t *order)
{
    permute_floats(&data->x, order, data->count, data->inputs);
    if (data->labels)
        permute_labels(&data->labels, order, data->count);
    else
        permute_floats(&data->targets, order, data->count, 1);
    if (data->lengths)
        permute_labels(&data->lengths, order, data->count);
}

void dataset_split(struct dataset *data, double validation, bool stratified, uint64_t seed)
{
    size_t *order = MEM_ARRAY(size_t, data->count), *split = MEM_ARRAY(size_t, data->count);
    size_t *seen = MEM_ARRAY(size_t, data->classes + 1);
    stratified = stratified && data->classes;
    struct rng rng = rng_make(seed, "split", 0);
    for (size_t n = 0; n < data->count; n++)
        order[n] = n;
    dataset_shuffle(order, data->count, &rng);
    /* Of each class, or of all, every (1 / validation)-th goes to the validation part, which fills up from the end. */
    size_t front = 0, back = data->count;
    for (size_t n = 0; n < data->count; n++) {
        double nth = (double)seen[stratified ? data->labels[order[n]] : 0]++;
        bool kept = floor((nth + 1) * validation + 0.5) > floor(nth * validation + 0.5);
        split[kept ? --back : front++] = order[n];
    }
    permute_rows(data, split);
    data->training = front;
    free(order);
    free(split);
    free(seen);
}
