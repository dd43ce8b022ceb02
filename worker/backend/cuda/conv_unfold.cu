/* Convolutions as products: the numbers under each window side by side, V = K K I of them, for some examples at a time;
 * see conv.cuh. */
#include "worker/backend/cuda/conv.cuh"
#include "worker/backend/cuda/device.cuh"

/* Of windows at once, in bytes: some ten times what a product needs to fill a GPU. */
static const size_t MOST_BYTES = (size_t)64 << 20;

/* All sizes of a convolution; `some` examples at a time. */
struct shape {
    size_t B, H, W, I, O, places_h, places_w, V, some;
    struct window window;
};

static struct shape shape_of(const struct window *window, const struct tensor *x, const struct tensor *y)
{
    struct shape s = {x->size[0], x->size[1], x->size[2], x->size[3],
                      y->size[3], y->size[1], y->size[2], window->height * window->width * x->size[3],
                      1,          *window};
    size_t each = s.places_h * s.places_w * s.V * sizeof(float), most = MOST_BYTES / (each ? each : 1);
    s.some = most < 1 ? 1 : most < s.B ? most : s.B;
    return s;
}

static size_t rows_of(const struct shape *s, size_t examples)
{
    return examples * s->places_h * s->places_w;
}

/* How many examples are next, from `first` on. */
static size_t next_of(const struct shape *s, size_t first)
{
    return s->B - first < s->some ? s->B - first : s->some;
}

/* windows[R,V] of the examples of x; 0 where a window is beyond the image. */
static __global__ void unfold(size_t count, struct shape s, struct numbers x, struct numbers windows)
{
    size_t at = this_thread(), v = at % s.V, row = at / s.V;
    if (at >= count)
        return;
    size_t c = v % s.I, column = v / s.I % s.window.width, line = v / s.I / s.window.width;
    size_t j = row % s.places_w, i = row / s.places_w % s.places_h, n = row / s.places_w / s.places_h;
    size_t down = i * s.window.stride + line, across = j * s.window.stride + column, padding = s.window.padding;
    bool inside = down >= padding && down - padding < s.H && across >= padding && across - padding < s.W;
    set(windows, at, inside ? get(x, ((n * s.H + down - padding) * s.W + across - padding) * s.I + c) : 0);
}

/* dx of the examples: each pixel adds up where it is in windows, in their order. */
static __global__ void fold(size_t count, struct shape s, const float *windows, struct numbers dx)
{
    size_t at = this_thread();
    if (at >= count)
        return;
    size_t c = at % s.I, down = at / s.I / s.W % s.H + s.window.padding, across = at / s.I % s.W + s.window.padding;
    size_t n = at / s.I / s.W / s.H, stride = s.window.stride;
    size_t top = down < s.window.height ? 0 : (down - s.window.height) / stride + 1;
    size_t left = across < s.window.width ? 0 : (across - s.window.width) / stride + 1;
    float sum = 0;
    for (size_t i = top; i < s.places_h && i * stride <= down; i++)
        for (size_t j = left; j < s.places_w && j * stride <= across; j++) {
            size_t row = (n * s.places_h + i) * s.places_w + j;
            sum += windows[row * s.V + ((down - i * stride) * s.window.width + across - j * stride) * s.I + c];
        }
    set(dx, at, sum);
}

/* The windows of examples from `first` on, in scratch. */
static struct numbers unfold_some(struct cuda *self, const struct shape *s, const struct tensor *x, size_t first,
                                  size_t examples)
{
    struct tensor from = tensor_slice(x, first, examples);
    size_t count = rows_of(s, examples) * s->V;
    struct numbers windows = {cuda_scratch(self, CUDA_SCRATCH_WINDOWS, rows_of(s, s->some) * s->V * sizeof(float)),
                              x->type == TENSOR_BF16};
    CUDA_EACH(self, unfold, count, *s, numbers_of(&from), windows);
    return windows;
}

void cuda_unfold(struct cuda *self, const struct window *window, const struct tensor *x, const struct tensor *w,
                 const struct tensor *y, enum cuda_after after, const void *bias)
{
    struct shape s = shape_of(window, x, y);
    for (size_t first = 0, some; first < s.B; first += some) {
        some = next_of(&s, first);
        struct numbers windows = unfold_some(self, &s, x, first, some);
        struct tensor to = tensor_slice(y, first, some);
        struct cuda_product product = {s.O, rows_of(&s, some), s.V, false, false, x->type, y->type, after, false};
        cuda_multiply(self, &product, w->at, windows.at, to.at, bias);
    }
}

void cuda_unfold_back_data(struct cuda *self, const struct window *window, const struct tensor *dz,
                           const struct tensor *w, const struct tensor *dx)
{
    struct shape s = shape_of(window, dx, dz);
    float *windows = (float *)cuda_scratch(self, CUDA_SCRATCH_WINDOWS, rows_of(&s, s.some) * s.V * sizeof(float));
    for (size_t first = 0, some; first < s.B; first += some) {
        some = next_of(&s, first);
        struct tensor from = tensor_slice(dz, first, some), to = tensor_slice(dx, first, some);
        struct cuda_product product = {s.V,        rows_of(&s, some),  s.O,  true, false, dz->type,
                                       TENSOR_F32, CUDA_AFTER_NOTHING, false};
        cuda_multiply(self, &product, w->at, from.at, windows, NULL);
        CUDA_EACH(self, fold, tensor_count(&to), s, windows, numbers_of(&to));
    }
}

void cuda_unfold_back_weights(struct cuda *self, const struct window *window, const struct tensor *x,
                              const struct tensor *dz, const struct tensor *dw)
{
    struct shape s = shape_of(window, x, dz);
    for (size_t first = 0, some; first < s.B; first += some) {
        some = next_of(&s, first);
        struct numbers windows = unfold_some(self, &s, x, first, some);
        struct tensor from = tensor_slice(dz, first, some);
        struct cuda_product product = {s.V,     s.O,      rows_of(&s, some),  true,     true,
                                       x->type, dw->type, CUDA_AFTER_NOTHING, first > 0};
        cuda_multiply(self, &product, windows.at, from.at, dw->at, NULL);
    }
}
