/* Pooling; see backend.h. Shapes: x[B,H,W,C], y[B,H',W',C]. `where` holds the row x W + column of the largest pixel in
 * its image. On the way back each pixel collects from the windows that it is under, in their order. */
#include "worker/backend/cuda/device.cuh"

/* All sizes of a pooling. */
struct pool {
    size_t H, W, C, places_h, places_w;
    struct window window;
};

static struct pool pool_of(const struct window *window, const struct tensor *x, const struct tensor *y)
{
    struct pool pool = {x->size[1], x->size[2], x->size[3], y->size[1], y->size[2], *window};
    return pool;
}

/* A number of an array [B,H,W,C]. */
struct place {
    size_t n, i, j, c;
};

static __device__ inline struct place place_of(size_t at, size_t height, size_t width, size_t C)
{
    struct place place;
    place.c = at % C;
    place.j = at / C % width;
    place.i = at / C / width % height;
    place.n = at / C / width / height;
    return place;
}

/* From and to along one axis: pixels under a window, or windows over a pixel. */
struct span {
    size_t first, end;
};

static __device__ inline struct span pixels_under(size_t place, size_t kernel, size_t size, size_t stride,
                                                  size_t padding)
{
    size_t begin = place * stride, end = begin + kernel;
    struct span span;
    span.first = begin < padding ? 0 : begin - padding;
    span.end = end < padding ? 0 : end - padding < size ? end - padding : size;
    return span;
}

static __device__ inline struct span windows_over(size_t pixel, size_t kernel, size_t places, size_t stride,
                                                  size_t padding)
{
    size_t at = pixel + padding, last = at / stride + 1;
    struct span span;
    span.first = at < kernel ? 0 : (at - kernel) / stride + 1;
    span.end = last < places ? last : places;
    return span;
}

static __device__ inline struct span rows_under(const struct pool *p, size_t i)
{
    return pixels_under(i, p->window.height, p->H, p->window.stride, p->window.padding);
}

static __device__ inline struct span columns_under(const struct pool *p, size_t j)
{
    return pixels_under(j, p->window.width, p->W, p->window.stride, p->window.padding);
}

static __global__ void pool_max(size_t count, struct pool p, struct numbers x, struct numbers y, int32_t *where)
{
    size_t at = this_thread();
    if (at >= count)
        return;
    struct place place = place_of(at, p.places_h, p.places_w, p.C);
    struct span rows = rows_under(&p, place.i), columns = columns_under(&p, place.j);
    size_t image = place.n * p.H * p.W, best = rows.first * p.W + columns.first;
    float largest = get(x, (image + best) * p.C + place.c);
    for (size_t i = rows.first; i < rows.end; i++)
        for (size_t j = columns.first; j < columns.end; j++) {
            float value = get(x, (image + i * p.W + j) * p.C + place.c);
            if (value > largest) {
                largest = value;
                best = i * p.W + j;
            }
        }
    set(y, at, largest);
    where[at] = (int32_t)best;
}

void cuda_pool_max(void *self, const struct window *window, const struct tensor *x, const struct tensor *y,
                   const struct tensor *where)
{
    CUDA_EACH(cuda_of(self), pool_max, tensor_count(y), pool_of(window, x, y), numbers_of(x), numbers_of(y),
              (int32_t *)where->at);
}

/* where NULL: each pixel of a window has its part. */
static __global__ void pool_back(size_t count, struct pool p, struct numbers dy, const int32_t *where,
                                 struct numbers dx)
{
    size_t at = this_thread();
    if (at >= count)
        return;
    struct place pixel = place_of(at, p.H, p.W, p.C);
    size_t stride = p.window.stride, padding = p.window.padding;
    struct span down = windows_over(pixel.i, p.window.height, p.places_h, stride, padding);
    struct span across = windows_over(pixel.j, p.window.width, p.places_w, stride, padding);
    int32_t ours = (int32_t)(pixel.i * p.W + pixel.j);
    float sum = 0;
    for (size_t i = down.first; i < down.end; i++)
        for (size_t j = across.first; j < across.end; j++) {
            size_t from = ((pixel.n * p.places_h + i) * p.places_w + j) * p.C + pixel.c;
            struct span rows = rows_under(&p, i), columns = columns_under(&p, j);
            if (!where)
                sum += get(dy, from) / (float)((rows.end - rows.first) * (columns.end - columns.first));
            else if (where[from] == ours)
                sum += get(dy, from);
        }
    set(dx, at, sum);
}

void cuda_pool_max_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *where,
                        const struct tensor *dx)
{
    CUDA_EACH(cuda_of(self), pool_back, tensor_count(dx), pool_of(window, dx, dy), numbers_of(dy),
              (const int32_t *)where->at, numbers_of(dx));
}

static __global__ void pool_mean(size_t count, struct pool p, struct numbers x, struct numbers y)
{
    size_t at = this_thread();
    if (at >= count)
        return;
    struct place place = place_of(at, p.places_h, p.places_w, p.C);
    struct span rows = rows_under(&p, place.i), columns = columns_under(&p, place.j);
    float sum = 0;
    for (size_t i = rows.first; i < rows.end; i++)
        for (size_t j = columns.first; j < columns.end; j++)
            sum += get(x, ((place.n * p.H + i) * p.W + j) * p.C + place.c);
    set(y, at, sum / (float)((rows.end - rows.first) * (columns.end - columns.first)));
}

void cuda_pool_mean(void *self, const struct window *window, const struct tensor *x, const struct tensor *y)
{
    CUDA_EACH(cuda_of(self), pool_mean, tensor_count(y), pool_of(window, x, y), numbers_of(x), numbers_of(y));
}

void cuda_pool_mean_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *dx)
{
    CUDA_EACH(cuda_of(self), pool_back, tensor_count(dx), pool_of(window, dx, dy), numbers_of(dy),
              (const int32_t *)NULL, numbers_of(dx));
}
