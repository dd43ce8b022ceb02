/* See bins.h. */
#include "worker/boost/bins.h"

#include "common/mem.h"
#include "worker/boost/each.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows that cuts are chosen by; of more, every so-manyth. */
enum { SAMPLE_MOST = 200000 };

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A number between two: not below the first, and below the second. */
static float middle_of(float low, float high)
{
    float middle = low + (high - low) / 2;
    return middle < high ? middle : low;
}

/* The different ones of sorted values, and how many rows have each. */
static size_t count_different(float *values, size_t *rows, size_t count)
{
    size_t different = 0;
    for (size_t i = 0; i < count; i++) {
        if (!different || values[i] > values[different - 1]) {
            values[different] = values[i];
            rows[different++] = 0;
        }
        rows[different - 1]++;
    }
    return different;
}

/* Cuts behind those values at which a bin has its share of the rows that are left for it and the bins after it. */
static uint32_t cut_by_share(const float *values, const size_t *rows, size_t different, size_t count, uint32_t most,
                             float *cuts)
{
    uint32_t made = 0;
    size_t in_bin = 0, left = count;
    for (size_t i = 0; i + 1 < different && made + 1 < most; i++) {
        in_bin += rows[i];
        bool plenty = different - i - 1 > most - made - 1; /* more values are left than bins */
        if (plenty && in_bin * (most - made) < left)
            continue;
        cuts[made++] = middle_of(values[i], values[i + 1]);
        left -= in_bin;
        in_bin = 0;
    }
    return made;
}

static void choose_cuts(struct bins_input *input, const float *x, size_t count, size_t inputs, uint32_t most)
{
    size_t stride = count / SAMPLE_MOST + 1, sampled = 0;
    float *values = MEM_ARRAY(float, count / stride + 1);
    size_t *rows = MEM_ARRAY(size_t, count / stride + 1);
    bool missing = false;
    for (size_t n = 0; n < count; n++) {
        missing |= isnan(x[n * inputs]);
        if (n % stride == 0 && !isnan(x[n * inputs]))
            values[sampled++] = x[n * inputs];
    }
    qsort(values, sampled, sizeof *values, compare_floats);
    size_t different = count_different(values, rows, sampled);
    input->cuts = MEM_ARRAY(float, most);
    input->values = 1 + cut_by_share(values, rows, different, sampled, most, input->cuts);
    input->count = input->values + missing;
    free(values);
    free(rows);
}

/* The number of cuts below the value: a search by halves without branches, which no processor could foresee. */
static uint8_t bin_of(const struct bins_input *input, float value)
{
    if (isnan(value))
        return (uint8_t)(input->count - 1); /* of an input that never lacked a value while cuts were chosen: the last */
    uint32_t low = 0;
    for (uint32_t left = input->values - 1; left > 0;) {
        uint32_t half = (left + 1) / 2;
        low += input->cuts[low + half - 1] < value ? half : 0;
        left -= half;
    }
    return (uint8_t)low;
}

static void sort_column(struct bins *bins, size_t f, const float *x)
{
    uint8_t *column = bins->column + f * bins->count;
    for (size_t n = 0; n < bins->count; n++)
        column[n] = bin_of(&bins->of[f], x[n * bins->inputs + f]);
}

/* What one input's bins are made of. */
struct making {
    struct bins *bins;
    const float *x;
    uint32_t most;
};

static void make_input(void *context, size_t f)
{
    const struct making *making = context;
    struct bins *bins = making->bins;
    choose_cuts(&bins->of[f], making->x + f, bins->count, bins->inputs, making->most);
    sort_column(bins, f, making->x);
}

void bins_make(struct bins *bins, const float *x, size_t count, size_t inputs, uint32_t most, int threads)
{
    *bins = (struct bins){.count = count,
                          .inputs = inputs,
                          .of = MEM_ARRAY(struct bins_input, inputs),
                          .column = MEM_ARRAY(uint8_t, inputs * count)};
    each_do(threads, inputs, make_input, &(struct making){bins, x, most});
    for (size_t f = 0; f < inputs; f++) {
        bins->of[f].first = bins->total;
        bins->total += bins->of[f].count;
    }
}

void bins_like(struct bins *bins, const struct bins *like, const float *x, size_t count)
{
    *bins = (struct bins){
        .count = count,
        .inputs = like->inputs,
        .of = MEM_ARRAY(struct bins_input, like->inputs),
        .total = like->total,
        .column = MEM_ARRAY(uint8_t, like->inputs * count),
    };
    for (size_t f = 0; f < like->inputs; f++) {
        bins->of[f] = like->of[f];
        bins->of[f].cuts = mem_resize(NULL, BINS_MOST, sizeof(float));
        memcpy(bins->of[f].cuts, like->of[f].cuts, (like->of[f].values - 1) * sizeof(float));
        sort_column(bins, f, x);
    }
}

void bins_fini(struct bins *bins)
{
    for (size_t f = 0; f < bins->inputs; f++)
        free(bins->of[f].cuts);
    free(bins->of);
    free(bins->column);
    *bins = (struct bins){0};
}
