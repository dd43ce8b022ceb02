/* Operations element by element, on examples alike, and rows of a table; see backend.h. */
#include "worker/backend/ref.h"

#include "common/clones.h"

#include <string.h>

CLONES static void add_all(size_t n, const float *a, const float *b, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = a[i] + b[i];
}

CLONES static void mix_all(size_t n, float alpha, const float *x, float beta, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] = alpha * x[i] + beta * y[i];
}

CLONES static void widen_all(size_t n, const uint16_t *from, float *to)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        to[i] = tensor_from_bf16(from[i]);
}

void ref_widen(size_t n, const uint16_t *from, float *to)
{
    widen_all(n, from, to);
}

CLONES static void narrow_all(size_t n, const float *from, uint16_t *to)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        to[i] = tensor_to_bf16(from[i]);
}

void ref_narrow(size_t n, const float *from, uint16_t *to)
{
    narrow_all(n, from, to);
}

void ref_add(void *self, const struct tensor *a, const struct tensor *b, const struct tensor *y)
{
    const float *as = ref_read(self, a), *bs = ref_read(self, b);
    add_all(tensor_count(y), as, bs, ref_write(self, y));
    ref_done(self);
}

void ref_mix(void *self, float alpha, const struct tensor *x, float beta, const struct tensor *y)
{
    size_t count = tensor_count(y);
    const float *xs = ref_read(self, x);
    float *ys = beta == 0 ? ref_write(self, y) : ref_change(self, y);
    if (beta == 0)
        memset(ys, 0, count * sizeof *ys);
    mix_all(count, alpha, xs, beta, ys);
    ref_done(self);
}

void ref_cast(void *self, const struct tensor *x, const struct tensor *y)
{
    size_t count = tensor_count(x);
    (void)self;
    if (x->type == y->type)
        memcpy(y->at, x->at, tensor_bytes(x));
    else if (x->type == TENSOR_F32)
        ref_narrow(count, x->at, y->at);
    else
        ref_widen(count, x->at, y->at);
}

/* Whether all are finite: an exponent of nothing but ones is that of infinity and NaN. */
CLONES static bool scale_all(size_t n, float factor, float *x)
{
    uint32_t most = 0, bits;
#pragma omp simd reduction(max : most) private(bits)
    for (size_t i = 0; i < n; i++) {
        x[i] *= factor;
        memcpy(&bits, &x[i], sizeof bits);
        bits &= 0x7fffffff;
        most = bits > most ? bits : most;
    }
    return most < 0x7f800000;
}

void ref_scale(void *self, float factor, const struct tensor *x, const struct tensor *finite)
{
    (void)self;
    bool all = scale_all(tensor_count(x), factor, x->at);
    if (finite)
        *(int32_t *)finite->at = all;
}

void ref_fill(void *self, float value, const struct tensor *y)
{
    size_t count = tensor_count(y);
    float *ys = ref_write(self, y);
    for (size_t i = 0; i < count; i++)
        ys[i] = value;
    ref_done(self);
}

void ref_gather(void *self, const struct tensor *table, const struct tensor *places, const struct tensor *y)
{
    (void)self;
    size_t bytes = tensor_width(table) * tensor_type_bytes(table->type);
    const int32_t *place = places->at;
    for (size_t n = 0; n < places->size[0]; n++)
        memcpy((char *)y->at + n * bytes, (const char *)table->at + (size_t)place[n] * bytes, bytes);
}

void ref_gather_back(void *self, const struct tensor *dy, const struct tensor *places, const struct tensor *dtable)
{
    size_t width = tensor_width(dtable);
    const int32_t *place = places->at;
    const float *dys = ref_read(self, dy);
    float *rows = ref_write(self, dtable);
    memset(rows, 0, tensor_count(dtable) * sizeof *rows);
    for (size_t n = 0; n < places->size[0]; n++) {
        float *row = rows + (size_t)place[n] * width;
        add_all(width, row, dys + n * width, row);
    }
    ref_done(self);
}

void ref_add_each(void *self, const struct tensor *x, const struct tensor *one, const struct tensor *y)
{
    size_t width = tensor_width(x);
    const float *xs = ref_read(self, x), *ones = ref_read(self, one);
    float *ys = ref_write(self, y);
    for (size_t n = 0; n < x->size[0]; n++)
        add_all(width, xs + n * width, ones, ys + n * width);
    ref_done(self);
}

void ref_sum_each(void *self, const struct tensor *x, const struct tensor *sum)
{
    size_t width = tensor_width(x);
    const float *xs = ref_read(self, x);
    float *sums = ref_write(self, sum);
    memset(sums, 0, width * sizeof *sums);
    for (size_t n = 0; n < x->size[0]; n++)
        add_all(width, sums, xs + n * width, sums);
    ref_done(self);
}
