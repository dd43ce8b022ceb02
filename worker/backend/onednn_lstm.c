/* The steps of an LSTM beside oneDNN's products; see backend.h for what they compute and ref_lstm.c for it in plain
 * loops. Weights are put into oneDNN's own order once for all steps. What follows the products is a pass over the
 * gates, in vector registers, with the examples divided among the threads.
 *
 * Shapes: T steps of B examples, H numbers of state. */
#include "worker/backend/onednn.h"

#include "common/clones.h"
#include "worker/backend/exponential.h"

#include <string.h>

/* Numbers of state that are worth a second thread: about 20 microseconds of work. */
enum { WORTH_THREADS = 8192 };

static inline float sigmoid(float x)
{
    return 1 / (1 + exponential(-x));
}

static inline float hyperbolic(float x)
{
    return 2 / (1 + exponential(-2 * x)) - 1;
}

CLONES static void step_cell(size_t H, float *z, const float *before, float *c, float *h)
{
    float *f = z + H, *g = z + 2 * H, *o = z + 3 * H;
#pragma omp simd
    for (size_t k = 0; k < H; k++) {
        z[k] = sigmoid(z[k]);
        f[k] = sigmoid(f[k]);
        g[k] = hyperbolic(g[k]);
        o[k] = sigmoid(o[k]);
        c[k] = f[k] * before[k] + z[k] * g[k];
        h[k] = o[k] * hyperbolic(c[k]);
    }
}

CLONES static void step_cell_back(size_t H, float *z, const float *before, const float *c, const float *dh,
                                  const float *dy, float *dc)
{
    float *fs = z + H, *gs = z + 2 * H, *os = z + 3 * H;
#pragma omp simd
    for (size_t k = 0; k < H; k++) {
        float i = z[k], f = fs[k], g = gs[k], o = os[k], t = hyperbolic(c[k]), dhk = dh[k] + dy[k];
        float d = dc[k] + dhk * o * (1 - t * t);
        z[k] = d * g * i * (1 - i);
        fs[k] = d * before[k] * f * (1 - f);
        gs[k] = d * i * (1 - g * g);
        os[k] = dhk * t * o * (1 - o);
        dc[k] = d * f;
    }
}

/* The arrays of one pass. */
struct lstm_steps {
    size_t T, B, H;
    float *z, *c, *h;             /* [T,B,4H], [T,B,H], [T,B,H]; h of the way forward */
    float *dh, *dc;               /* [B,H] each, of the way back */
    const float *dy;              /* of the way back: of all steps or of the last */
    bool every;                   /* whether dy is of all steps */
    const float *zeros;           /* [H] */
    const struct tensor *lengths; /* of each example; NULL: T */
};

static size_t row_of(const struct lstm_steps *s, size_t t, size_t b)
{
    return (t * s->B + b) * s->H;
}

static const float *before_of(const struct lstm_steps *s, size_t t, size_t b)
{
    return t ? s->c + row_of(s, t - 1, b) : s->zeros;
}

static const float *dy_of(const struct lstm_steps *s, size_t t, size_t b)
{
    size_t length = ref_length(s->lengths, b, s->T);
    if (s->every)
        return t < length ? s->dy + row_of(s, t, b) : s->zeros;
    return t == length - 1 ? s->dy + row_of(s, 0, b) : s->zeros;
}

/* What comes in behind an example's last step changes nothing. */
static void stay(const struct lstm_steps *s, size_t t, size_t b)
{
    memset(s->z + 4 * row_of(s, t, b), 0, 4 * s->H * sizeof *s->z);
    memcpy(s->c + row_of(s, t, b), s->c + row_of(s, t - 1, b), s->H * sizeof *s->c);
    memcpy(s->h + row_of(s, t, b), s->h + row_of(s, t - 1, b), s->H * sizeof *s->h);
}

static void step_one(const struct lstm_steps *s, size_t t, size_t b)
{
    if (t >= ref_length(s->lengths, b, s->T))
        stay(s, t, b);
    else
        step_cell(s->H, s->z + 4 * row_of(s, t, b), before_of(s, t, b), s->c + row_of(s, t, b), s->h + row_of(s, t, b));
}

static void step_all(const struct lstm_steps *s, size_t t)
{
#pragma omp parallel for schedule(static) if (s->B * s->H >= WORTH_THREADS)
    for (size_t b = 0; b < s->B; b++)
        step_one(s, t, b);
}

static void step_all_back(const struct lstm_steps *s, size_t t)
{
#pragma omp parallel for schedule(static) if (s->B * s->H >= WORTH_THREADS)
    for (size_t b = 0; b < s->B; b++)
        step_cell_back(s->H, s->z + 4 * row_of(s, t, b), before_of(s, t, b), s->c + row_of(s, t, b),
                       s->dh + row_of(s, 0, b), dy_of(s, t, b), s->dc + row_of(s, 0, b));
}

static struct onednn_call product_call(enum onednn_kind kind, const struct lstm_steps *s)
{
    return (struct onednn_call){.kind = kind,
                                .activation = ACTIVATION_NONE,
                                .B = (uint32_t)s->B,
                                .I = (uint32_t)s->H,
                                .O = (uint32_t)(4 * s->H)};
}

static struct lstm_steps steps_of(void *self, const struct tensor *lengths, const struct tensor *z,
                                  const struct tensor *c)
{
    size_t H = c->size[2];
    float *zeros = ref_scratch(self, H);
    memset(zeros, 0, H * sizeof *zeros);
    return (struct lstm_steps){
        .T = c->size[0], .B = c->size[1], .H = H, .z = z->at, .c = c->at, .zeros = zeros, .lengths = lengths};
}

void onednn_lstm(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
                 const struct tensor *c, const struct tensor *h)
{
    struct lstm_steps s = steps_of(self, lengths, z, c);
    struct onednn_call call = product_call(ONEDNN_DENSE_ADDED, &s);
    struct onednn_operation *product = onednn_find(self, &call);
    if (!product) {
        ref_done(self);
        ref_lstm(self, w, lengths, z, c, h);
        return;
    }
    s.h = h->at;
    for (size_t t = 0; t < s.T; t++) {
        if (t > 0)
            onednn_run_again(self, product, (void *[]){s.h + row_of(&s, t - 1, 0), w->at, s.z + 4 * row_of(&s, t, 0)},
                             t > 1);
        step_all(&s, t);
    }
    ref_done(self);
}

void onednn_lstm_back(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                      const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc)
{
    struct lstm_steps s = steps_of(self, lengths, z, c);
    struct onednn_call call = product_call(ONEDNN_DENSE_BACK_DATA, &s);
    struct onednn_operation *product = onednn_find(self, &call);
    if (!product) {
        ref_done(self);
        ref_lstm_back(self, w, lengths, c, dy, z, dh, dc);
        return;
    }
    s.dh = memset(dh->at, 0, tensor_bytes(dh));
    s.dc = memset(dc->at, 0, tensor_bytes(dc));
    s.dy = dy->at;
    s.every = dy->size[0] == s.T;
    for (size_t t = s.T; t-- > 0;) {
        step_all_back(&s, t);
        if (t > 0)
            onednn_run(self, product, (void *[]){s.z + 4 * row_of(&s, t, 0), w->at, s.dh});
    }
    ref_done(self);
}
