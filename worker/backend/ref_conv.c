/* Convolutions; see backend.h. Shapes: x[B,H,W,I], w[O,K,K,I], y[B,H',W',O].
 *
 * Where a window lies in the image, one row of it covers pixels that lie side by side, and so do the weights of that
 * row: the innermost loop goes over such a run of (columns of the window) x I numbers. Each output adds its rows from
 * the top, a row in an order of the compiler's; each gradient adds in the order of examples, then places. */
#include "worker/backend/ref.h"

#include "common/clones.h"

#include <string.h>

/* All sizes of a convolution. */
struct conv_shape {
    size_t B, H, W, I, O; /* examples, pixels of x, channels of x and y */
    size_t places_h, places_w;
    struct window window;
};

/* The part of a window at one place that lies in the image, along one axis. */
struct window_part {
    size_t first, count; /* of the window's rows or columns */
    size_t at;           /* the image's row or column under the first */
};

static struct window_part part_inside(const struct window *window, size_t place, size_t kernel, size_t size)
{
    size_t begin = place * window->stride, first = begin < window->padding ? window->padding - begin : 0;
    size_t end = size + window->padding - begin; /* of the window's rows that are in the image */
    end = end < kernel ? end : kernel;
    return (struct window_part){
        .first = first, .count = end > first ? end - first : 0, .at = begin + first - window->padding};
}

CLONES static float product(size_t n, const float *x, const float *w)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
        sum += x[i] * w[i];
    return sum;
}

/* y[n] += a x[n] */
CLONES static void add_scaled(size_t n, float a, const float *x, float *y)
{
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

enum direction { FORWARD, TO_DATA, TO_WEIGHTS };

/* One output of one place: `image` and `kernel` are x and w of one example and output, or their gradients. */
static void visit_place(const struct conv_shape *s, enum direction direction, struct window_part rows,
                        struct window_part columns, float *image, float *kernel, float *z)
{
    for (size_t r = 0; r < rows.count; r++) {
        float *run = image + ((rows.at + r) * s->W + columns.at) * s->I;
        float *weights = kernel + ((rows.first + r) * s->window.width + columns.first) * s->I;
        if (direction == FORWARD)
            *z += product(columns.count * s->I, run, weights);
        else if (direction == TO_DATA)
            add_scaled(columns.count * s->I, *z, weights, run);
        else
            add_scaled(columns.count * s->I, *z, run, weights);
    }
}

static void visit_places(const struct conv_shape *s, enum direction direction, float *x, float *w, float *z)
{
    size_t kernel = s->window.height * s->window.width * s->I;
    for (size_t n = 0; n < s->B; n++)
        for (size_t i = 0; i < s->places_h; i++)
            for (size_t j = 0; j < s->places_w; j++) {
                struct window_part rows = part_inside(&s->window, i, s->window.height, s->H);
                struct window_part columns = part_inside(&s->window, j, s->window.width, s->W);
                for (size_t o = 0; o < s->O; o++, z++)
                    visit_place(s, direction, rows, columns, x + n * s->H * s->W * s->I, w + o * kernel, z);
            }
}

static struct conv_shape shape_of(const struct window *window, const struct tensor *x, const struct tensor *y)
{
    return (struct conv_shape){.B = x->size[0],
                               .H = x->size[1],
                               .W = x->size[2],
                               .I = x->size[3],
                               .O = y->size[3],
                               .places_h = y->size[1],
                               .places_w = y->size[2],
                               .window = *window};
}

/* What a direction only reads is not written to, whatever its pointer says. */
static float *unchanged(const float *values)
{
    return (float *)(uintptr_t)values;
}

void ref_conv(void *self, const struct window *window, const struct tensor *x, const struct tensor *w,
              const struct tensor *b, enum activation f, const struct tensor *y)
{
    struct conv_shape shape = shape_of(window, x, y);
    size_t count = tensor_count(y);
    const float *bs = ref_read(self, b);
    float *ys = ref_write(self, y);
    for (size_t i = 0; i < count; i++)
        ys[i] = bs ? bs[i % shape.O] : 0;
    visit_places(&shape, FORWARD, unchanged(ref_read(self, x)), unchanged(ref_read(self, w)), ys);
    for (size_t i = 0; f != ACTIVATION_NONE && i < count; i++)
        ys[i] = ref_value(f, ys[i]);
    ref_done(self);
}

void ref_conv_back_data(void *self, const struct window *window, const struct tensor *dz, const struct tensor *w,
                        const struct tensor *dx)
{
    struct conv_shape shape = shape_of(window, dx, dz);
    float *dxs = ref_write(self, dx);
    memset(dxs, 0, tensor_count(dx) * sizeof *dxs);
    visit_places(&shape, TO_DATA, dxs, unchanged(ref_read(self, w)), unchanged(ref_read(self, dz)));
    ref_done(self);
}

void ref_conv_back_weights(void *self, const struct window *window, const struct tensor *x, const struct tensor *dz,
                           const struct tensor *dw, const struct tensor *db)
{
    struct conv_shape shape = shape_of(window, x, dz);
    const float *dzs = ref_read(self, dz);
    float *dws = ref_write(self, dw), *dbs = ref_write(self, db);
    memset(dws, 0, tensor_count(dw) * sizeof *dws);
    visit_places(&shape, TO_WEIGHTS, unchanged(ref_read(self, x)), dws, unchanged(dzs));
    for (size_t o = 0; dbs && o < shape.O; o++)
        dbs[o] = 0;
    for (size_t i = 0; dbs && i < tensor_count(dz); i++)
        dbs[i % shape.O] += dzs[i];
    ref_done(self);
}
