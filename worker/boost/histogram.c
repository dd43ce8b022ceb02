/* See histogram.h. */
#include "worker/boost/histogram.h"

#include <string.h>

static void fill_one(const uint8_t *column, const uint32_t *rows, size_t n, const gradient_sum *of, gradient_sum *out)
{
    for (size_t i = 0; i < n; i++)
        out[column[rows ? rows[i] : i]] += of[i];
}

/* Four inputs at once share the reading of rows and gradients, and their sums don't wait for each other. */
static void fill_four(const uint8_t *const column[4], const uint32_t *rows, size_t n, const gradient_sum *of,
                      gradient_sum *const out[4])
{
    const uint8_t *a = column[0], *b = column[1], *c = column[2], *d = column[3];
    for (size_t i = 0; i < n; i++) {
        size_t row = rows ? rows[i] : i;
        out[0][a[row]] += of[i];
        out[1][b[row]] += of[i];
        out[2][c[row]] += of[i];
        out[3][d[row]] += of[i];
    }
}

void histogram_fill(const struct bins *bins, const uint32_t *inputs, size_t count, const uint32_t *rows, size_t n,
                    const gradient_sum *of, gradient_sum *out)
{
    const uint8_t *column[HISTOGRAM_TOGETHER];
    gradient_sum *part[HISTOGRAM_TOGETHER];
    for (size_t k = 0; k < count; k++) {
        column[k] = bins->column + inputs[k] * bins->count;
        part[k] = out + bins->of[inputs[k]].first;
        memset(part[k], 0, bins->of[inputs[k]].count * sizeof **part);
    }
    if (count == HISTOGRAM_TOGETHER)
        fill_four(column, rows, n, of, part);
    else
        for (size_t k = 0; k < count; k++)
            fill_one(column[k], rows, n, of, part[k]);
}

void histogram_subtract(const struct bins *bins, uint32_t input, gradient_sum *from, const gradient_sum *child)
{
    size_t first = bins->of[input].first;
    for (size_t b = first; b < first + bins->of[input].count; b++)
        from[b] -= child[b];
}
