/* The steps of an LSTM, and axes that change places; see backend.h. Shapes: T steps of B examples, H numbers of state.
 */
#include "worker/backend/ref.h"

#include <math.h>
#include <string.h>

void ref_swap(void *self, const struct tensor *x, const struct tensor *y)
{
    size_t I = x->size[0], J = x->size[1], row = tensor_count(x) ? tensor_bytes(x) / (I * J) : 0;
    (void)self;
    for (size_t i = 0; i < I; i++)
        for (size_t j = 0; j < J; j++)
            memcpy((char *)y->at + (j * I + i) * row, (const char *)x->at + (i * J + j) * row, row);
}

/* z[4H] += w[4H,H] h[H] */
static void add_products(size_t H, const float *w, const float *h, float *z)
{
    for (size_t o = 0; o < 4 * H; o++) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t k = 0; k < H; k++)
            sum += w[o * H + k] * h[k];
        z[o] += sum;
    }
}

/* dh[H] = dz[4H] w[4H,H] */
static void multiply_back(size_t H, const float *w, const float *dz, float *dh)
{
    memset(dh, 0, H * sizeof *dh);
    for (size_t o = 0; o < 4 * H; o++)
        for (size_t k = 0; k < H; k++)
            dh[k] += dz[o] * w[o * H + k];
}

/* One example's gates from their sums, its c and h; before: NULL is 0. */
static void step_cell(size_t H, float *z, const float *before, float *c, float *h)
{
    for (size_t k = 0; k < H; k++) {
        float i = z[k] = ref_value(ACTIVATION_SIGMOID, z[k]);
        float f = z[H + k] = ref_value(ACTIVATION_SIGMOID, z[H + k]);
        float g = z[2 * H + k] = tanhf(z[2 * H + k]);
        float o = z[3 * H + k] = ref_value(ACTIVATION_SIGMOID, z[3 * H + k]);
        c[k] = f * (before ? before[k] : 0) + i * g;
        h[k] = o * tanhf(c[k]);
    }
}

/* The gradients of the sums in the place of the gates, and dc of the step before in that of dc. */
static void step_cell_back(size_t H, float *z, const float *before, const float *c, const float *dh, float *dc)
{
    for (size_t k = 0; k < H; k++) {
        float i = z[k], f = z[H + k], g = z[2 * H + k], o = z[3 * H + k], t = tanhf(c[k]);
        float d = dc[k] + dh[k] * o * (1 - t * t); /* of the loss by c */
        z[k] = d * g * i * (1 - i);
        z[H + k] = before ? d * before[k] * f * (1 - f) : 0;
        z[2 * H + k] = d * i * (1 - g * g);
        z[3 * H + k] = dh[k] * t * o * (1 - o);
        dc[k] = d * f;
    }
}

void ref_lstm(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
              const struct tensor *c, const struct tensor *h)
{
    size_t T = c->size[0], B = c->size[1], H = c->size[2], rows = T * B;
    const float *ws = ref_read(self, w);
    float *zs = ref_change(self, z), *cs = ref_write(self, c), *hs = ref_write(self, h);
    for (size_t n = 0; n < rows; n++) {
        if (n / B >= ref_length(lengths, n % B, T)) {
            memset(zs + n * 4 * H, 0, 4 * H * sizeof *zs);
            memcpy(cs + n * H, cs + (n - B) * H, H * sizeof *cs);
            memcpy(hs + n * H, hs + (n - B) * H, H * sizeof *hs);
            continue;
        }
        if (n >= B)
            add_products(H, ws, hs + (n - B) * H, zs + n * 4 * H);
        step_cell(H, zs + n * 4 * H, n >= B ? cs + (n - B) * H : NULL, cs + n * H, hs + n * H);
    }
    ref_done(self);
}

/* The gradient of h at step t of example b, of all steps or of the last alone; NULL: it has none. */
static const float *gradient_of(const struct tensor *dy, const float *dys, size_t t, size_t b, size_t length)
{
    size_t B = dy->size[1], H = dy->size[2];
    if (t >= length || (dy->size[0] == 1 && t + 1 < length))
        return NULL;
    return dys + ((dy->size[0] == 1 ? 0 : t * B) + b) * H;
}

void ref_lstm_back(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                   const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc)
{
    size_t T = c->size[0], B = c->size[1], H = c->size[2], rows = T * B;
    const float *ws = ref_read(self, w), *cs = ref_read(self, c), *dys = ref_read(self, dy);
    float *zs = ref_change(self, z), *dhs = ref_write(self, dh), *dcs = ref_write(self, dc);
    memset(dhs, 0, B * H * sizeof *dhs);
    memset(dcs, 0, B * H * sizeof *dcs);
    for (size_t n = rows; n-- > 0;) {
        const float *more = gradient_of(dy, dys, n / B, n % B, ref_length(lengths, n % B, T));
        float *at = dhs + n % B * H;
        for (size_t k = 0; more && k < H; k++)
            at[k] += more[k];
        step_cell_back(H, zs + n * 4 * H, n >= B ? cs + (n - B) * H : NULL, cs + n * H, at, dcs + n % B * H);
        multiply_back(H, ws, zs + n * 4 * H, at);
    }
    ref_done(self);
}
