/* Pooling; see backend.h. Shapes: x[B,H,W,C], y[B,H',W',C]. `where` holds the row x W + column of the largest pixel in
 * its image. A gradient that several windows share adds them in their order. */
#include "worker/backend/ref.h"

#include <string.h>

/* The pixels of the image under a window. */
struct pixels {
    size_t top, bottom, left, right; /* bottom and right are not among them */
};

static size_t clip_edge(size_t edge, size_t padding, size_t size)
{
    return edge < padding ? 0 : edge - padding < size ? edge - padding : size;
}

static struct pixels pixels_under(const struct window *window, size_t i, size_t j, size_t H, size_t W)
{
    size_t down = i * window->stride, across = j * window->stride;
    return (struct pixels){.top = clip_edge(down, window->padding, H),
                           .bottom = clip_edge(down + window->height, window->padding, H),
                           .left = clip_edge(across, window->padding, W),
                           .right = clip_edge(across + window->width, window->padding, W)};
}

/* Calls `visit` for each window of each example, with x and y (or their gradients) of that example's image and of that
 * window's C results. */
static void visit_windows(const struct window *window, const struct tensor *x, const struct tensor *y, float *xs,
                          float *ys, int32_t *where,
                          void (*visit)(struct pixels p, size_t W, size_t C, float *image, float *results, int32_t *at))
{
    size_t H = x->size[1], W = x->size[2], C = x->size[3];
    for (size_t n = 0; n < y->size[0]; n++)
        for (size_t i = 0; i < y->size[1]; i++)
            for (size_t j = 0; j < y->size[2]; j++) {
                visit(pixels_under(window, i, j, H, W), W, C, xs + n * H * W * C, ys, where);
                ys += C;
                where = where ? where + C : NULL;
            }
}

static void find_largest(struct pixels p, size_t W, size_t C, float *image, float *results, int32_t *at)
{
    for (size_t c = 0; c < C; c++)
        at[c] = (int32_t)(p.top * W + p.left);
    memcpy(results, image + (p.top * W + p.left) * C, C * sizeof *results);
    for (size_t i = p.top; i < p.bottom; i++)
        for (size_t j = p.left; j < p.right; j++)
            for (size_t c = 0; c < C; c++)
                if (image[(i * W + j) * C + c] > results[c]) {
                    results[c] = image[(i * W + j) * C + c];
                    at[c] = (int32_t)(i * W + j);
                }
}

static void give_to_largest(struct pixels p, size_t W, size_t C, float *image, float *results, int32_t *at)
{
    (void)p;
    (void)W;
    for (size_t c = 0; c < C; c++)
        image[(size_t)at[c] * C + c] += results[c];
}

static float share_of(struct pixels p)
{
    return 1 / (float)((p.bottom - p.top) * (p.right - p.left));
}

static void find_mean(struct pixels p, size_t W, size_t C, float *image, float *results, int32_t *at)
{
    (void)at;
    for (size_t c = 0; c < C; c++)
        results[c] = 0;
    for (size_t i = p.top; i < p.bottom; i++)
        for (size_t j = p.left; j < p.right; j++)
            for (size_t c = 0; c < C; c++)
                results[c] += image[(i * W + j) * C + c];
    for (size_t c = 0; c < C; c++)
        results[c] *= share_of(p);
}

static void give_to_all(struct pixels p, size_t W, size_t C, float *image, float *results, int32_t *at)
{
    (void)at;
    for (size_t i = p.top; i < p.bottom; i++)
        for (size_t j = p.left; j < p.right; j++)
            for (size_t c = 0; c < C; c++)
                image[(i * W + j) * C + c] += results[c] * share_of(p);
}

void ref_pool_max(void *self, const struct window *window, const struct tensor *x, const struct tensor *y,
                  const struct tensor *where)
{
    float *xs = (float *)(uintptr_t)ref_read(self, x); /* is only read */
    visit_windows(window, x, y, xs, ref_write(self, y), where->at, find_largest);
    ref_done(self);
}

void ref_pool_max_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *where,
                       const struct tensor *dx)
{
    float *dys = (float *)(uintptr_t)ref_read(self, dy), *dxs = ref_write(self, dx);
    memset(dxs, 0, tensor_count(dx) * sizeof *dxs);
    visit_windows(window, dx, dy, dxs, dys, where->at, give_to_largest);
    ref_done(self);
}

void ref_pool_mean(void *self, const struct window *window, const struct tensor *x, const struct tensor *y)
{
    float *xs = (float *)(uintptr_t)ref_read(self, x);
    visit_windows(window, x, y, xs, ref_write(self, y), NULL, find_mean);
    ref_done(self);
}

void ref_pool_mean_back(void *self, const struct window *window, const struct tensor *dy, const struct tensor *dx)
{
    float *dys = (float *)(uintptr_t)ref_read(self, dy), *dxs = ref_write(self, dx);
    memset(dxs, 0, tensor_count(dx) * sizeof *dxs);
    visit_windows(window, dx, dy, dxs, dys, NULL, give_to_all);
    ref_done(self);
}
