/* See batch.h. */
#include "worker/lanes/batch.h"

#include <math.h>

/* --- examples --- */

/* LANES numbers of each of LANES rows, turned into as many vectors: three rounds, in which pairs of rows exchange
 * halves, quarters and single numbers. */
LANES_INLINE void turn_square(const float *const rows[LANES], size_t i, lanes *out)
{
    lanes a[LANES], b[LANES];
    for (size_t f = 0; f < LANES; f++)
        __builtin_memcpy(&a[f], rows[f] + i, sizeof a[f]);
    for (size_t f = 0; f < 4; f++) {
        b[f] = __builtin_shufflevector(a[f], a[f + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[f + 4] = __builtin_shufflevector(a[f], a[f + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
    for (size_t f = 0; f < LANES; f += 4)
        for (size_t g = f; g < f + 2; g++) {
            a[g] = __builtin_shufflevector(b[g], b[g + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[g + 2] = __builtin_shufflevector(b[g], b[g + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (size_t f = 0; f < LANES; f += 2) {
        out[f] = __builtin_shufflevector(a[f], a[f + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        out[f + 1] = __builtin_shufflevector(a[f], a[f + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
}

CLONES_OF_PRODUCTS static void turn_rows(const float *const rows[LANES], size_t I, lanes *out)
{
    size_t i = 0;
    for (; i + LANES <= I; i += LANES)
        turn_square(rows, i, out + i);
    for (; i < I; i++)
        for (size_t f = 0; f < LANES; f++)
            out[i][f] = rows[f][i];
}

void lanes_gather(const float *table, const int32_t *table_labels, const size_t *const orders[LANES], size_t first,
                  size_t B, size_t I, lanes *x, size_t row, lanes_int *labels)
{
    const float *rows[LANES];
    for (size_t n = 0; n < B; n++) {
        for (size_t f = 0; f < LANES; f++) {
            size_t place = orders[f] ? orders[f][n] : first + n;
            rows[f] = table + place * I;
            labels[n][f] = table_labels[place];
        }
        turn_rows(rows, I, x + n * row);
    }
}

/* --- losses --- */

/* exp(x) for x <= 0 to 2 units in the last place: 2^n exp(r) with |r| <= ln(2)/2 and exp(r) as the polynomial of
 * Moshier's Cephes library. NaN stays NaN. */
LANES_INLINE void raise_e(lanes *x)
{
    lanes lowest = LANES_OF(-87.3f), at = LANES_CHOOSE(*x < lowest, lowest, *x);
    lanes_int n = __builtin_convertvector(at * 1.44269504f - 0.5f, lanes_int);
    lanes whole = __builtin_convertvector(n, lanes);
    lanes r = at - whole * 0.693359375f + whole * 2.12194440e-4f;
    lanes p = LANES_OF(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    *x = (p * r * r + r + 1) * (lanes)((n + 127) << 23);
}

/* The largest output, the first of several, and which one it is. */
LANES_INLINE void find_top(const lanes *z, size_t C, lanes *top, lanes_int *at)
{
    *top = z[0];
    *at = (lanes_int){0};
    for (size_t c = 1; c < C; c++) {
        lanes_int larger = z[c] > *top;
        *top = LANES_CHOOSE(larger, z[c], *top);
        *at = (*at & ~larger) | (larger & (int32_t)c);
    }
}

/* The loss of an example of each network; `share`: of one example in the gradient, 0: none is wanted. */
LANES_INLINE void lose_one(lanes *z, size_t C, const lanes_int *label, const lanes *smoothing, float share, lanes *loss,
                           lanes_int *hits)
{
    lanes_int at;
    lanes top, sum = LANES_OF(0), all = LANES_OF(0), aim = LANES_OF(0), even = *smoothing / (float)C;
    lanes sure = 1 - *smoothing, none = LANES_OF(0);
    find_top(z, C, &top, &at);
    for (size_t c = 0; c < C; c++) {
        lanes e = z[c] - top;
        raise_e(&e);
        sum += e;
        all += z[c];
        aim = LANES_CHOOSE(*label == (int32_t)c, z[c], aim);
        z[c] = share > 0 ? e : z[c];
    }
    for (size_t c = 0; share > 0 && c < C; c++)
        z[c] = (z[c] / sum - even - LANES_CHOOSE(*label == (int32_t)c, sure, none)) * share;
    for (size_t f = 0; f < LANES; f++)
        sum[f] = logf(sum[f]);
    *hits -= at == *label;
    *loss = sum + top - (sure * aim + even * all);
}

CLONES_OF_PRODUCTS static void lose_all(size_t B, size_t C, lanes *z, size_t row, const lanes_int *labels,
                                        const lanes *smoothing, bool forward, lanes_wide *sum, lanes_int *hits)
{
    float share = forward ? 0 : 1 / (float)B;
    for (size_t n = 0; n < B; n++) {
        lanes loss;
        lose_one(z + n * row, C, &labels[n], smoothing, share, &loss, hits);
        *sum += __builtin_convertvector(loss, lanes_wide);
    }
}

void lanes_loss(size_t B, size_t C, lanes *z, size_t row, const lanes_int *labels, const lanes *smoothing, bool forward,
                lanes_wide *sum, lanes_int *hits)
{
    lose_all(B, C, z, row, labels, smoothing, forward, sum, hits);
}
