/* The steps of an LSTM; see backend.h. Shapes: T steps of B examples, H numbers of state. Each step is a product, which
 * adds to the sums of the gates, and a pass over the state. */
#include "worker/backend/cuda/device.cuh"

struct cell {
    size_t B, H, t;
    const int32_t *lengths; /* NULL: all steps */
    float *z, *c, *h;       /* [T,B,4H], [T,B,H]; h is not there on the way back */
};

static struct cell cell_of(const struct tensor *lengths, const struct tensor *z, const struct tensor *c, size_t t)
{
    struct cell cell = {c->size[1],     c->size[2],     t,   lengths ? (const int32_t *)lengths->at : NULL,
                        (float *)z->at, (float *)c->at, NULL};
    return cell;
}

/* The four gates of one number of state, H apart. */
static __device__ inline float *gates_of(const struct cell *cell, size_t b, size_t k)
{
    return cell->z + (cell->t * cell->B + b) * 4 * cell->H + k;
}

static __global__ void step_cell(size_t count, struct cell cell)
{
    size_t n = this_thread(), H = cell.H, b = n / H, at = cell.t * cell.B * H + n;
    if (n >= count)
        return;
    float *z = gates_of(&cell, b, n % H), before = cell.t ? cell.c[at - count] : 0;
    if (cell.lengths && cell.t >= (size_t)cell.lengths[b]) { /* not at step 0 */
        z[0] = z[H] = z[2 * H] = z[3 * H] = 0;
        cell.c[at] = before;
        cell.h[at] = cell.h[at - count];
        return;
    }
    float i = z[0] = device_sigmoid(z[0]), f = z[H] = device_sigmoid(z[H]), g = z[2 * H] = tanhf(z[2 * H]);
    float o = z[3 * H] = device_sigmoid(z[3 * H]), c = cell.c[at] = f * before + i * g;
    cell.h[at] = o * tanhf(c);
}

void cuda_lstm(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *z,
               const struct tensor *c, const struct tensor *h)
{
    struct cuda *cuda = cuda_of(self);
    size_t T = c->size[0], B = c->size[1], H = c->size[2];
    struct cuda_product product = {4 * H, B, H, false, false, TENSOR_F32, TENSOR_F32, CUDA_AFTER_NOTHING, true};
    for (size_t t = 0; t < T; t++) {
        struct cell cell = cell_of(lengths, z, c, t);
        cell.h = (float *)h->at;
        if (t)
            cuda_multiply(cuda, &product, w->at, cell.h + (t - 1) * B * H, cell.z + t * B * 4 * H, NULL);
        CUDA_EACH(cuda, step_cell, B * H, cell);
    }
}

/* The gradient of h at step t of example b: of all steps, or of the last that it has alone. */
static __device__ inline float given_to(const struct cell *cell, size_t T, size_t steps, const float *dy, size_t b,
                                        size_t n)
{
    size_t length = cell->lengths ? (size_t)cell->lengths[b] : T;
    if (cell->t >= length || (steps == 1 && cell->t + 1 < length))
        return 0;
    return dy[(steps == 1 ? 0 : cell->t * cell->B * cell->H) + n];
}

/* The gradients of the sums in the place of the gates, and dc of the step before in that of dc. At the last step dh and
 * dc are 0, whatever they hold. */
static __global__ void step_cell_back(size_t count, struct cell cell, size_t T, size_t steps, const float *dy,
                                      const float *dh, float *dc)
{
    size_t n = this_thread(), H = cell.H, b = n / H, at = cell.t * cell.B * H + n;
    if (n >= count)
        return;
    bool last = cell.t + 1 == T;
    float *z = gates_of(&cell, b, n % H), i = z[0], f = z[H], g = z[2 * H], o = z[3 * H], t = tanhf(cell.c[at]);
    float back = (last ? 0 : dh[n]) + given_to(&cell, T, steps, dy, b, n);
    float d = (last ? 0 : dc[n]) + back * o * (1 - t * t); /* of the loss by c */
    z[0] = d * g * i * (1 - i);
    z[H] = cell.t ? d * cell.c[at - count] * f * (1 - f) : 0;
    z[2 * H] = d * i * (1 - g * g);
    z[3 * H] = back * t * o * (1 - o);
    dc[n] = d * f;
}

void cuda_lstm_back(void *self, const struct tensor *w, const struct tensor *lengths, const struct tensor *c,
                    const struct tensor *dy, const struct tensor *z, const struct tensor *dh, const struct tensor *dc)
{
    struct cuda *cuda = cuda_of(self);
    size_t T = c->size[0], B = c->size[1], H = c->size[2];
    struct cuda_product product = {H, B, 4 * H, true, false, TENSOR_F32, TENSOR_F32, CUDA_AFTER_NOTHING, false};
    for (size_t t = T; t-- > 0;) {
        struct cell cell = cell_of(lengths, z, c, t);
        CUDA_EACH(cuda, step_cell_back, B * H, cell, T, dy->size[0], (const float *)dy->at, (const float *)dh->at,
                  (float *)dc->at);
        if (t)
            cuda_multiply(cuda, &product, w->at, cell.z + t * B * 4 * H, dh->at, NULL);
    }
}
