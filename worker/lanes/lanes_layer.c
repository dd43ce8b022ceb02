/* See lanes_layer.h. */
#include "worker/lanes/lanes_layer.h"

#include "worker/backend/random.h"

/* --- dense --- */

/* All numbers of the rows as one tensor; what fills up the rows is computed, too, and read by nobody. */
static struct tensor as_tensor(lanes *at, size_t vectors)
{
    struct tensor whole = tensor_vector(TENSOR_F32, vectors * LANES);
    whole.at = at;
    return whole;
}

static lanes *sums_of(const struct lanes_layer *layer)
{
    return activation_forgets(layer->activation) ? layer->y : layer->kept;
}

static void forward_dense(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x)
{
    const struct lanes_matrix w = {pass->w + layer->w, layer->x_row, 1};
    struct tensor z = as_tensor(sums_of(layer), pass->B * layer->y_row),
                  y = as_tensor(layer->y, pass->B * layer->y_row);
    lanes_product(pass->B, layer->O, layer->I, x, &w, pass->w + layer->b, sums_of(layer), layer->y_row);
    if (layer->activation != ACTIVATION_NONE)
        op_activate(pass->backend, layer->activation, &z, &y);
    layer->out = (struct lanes_matrix){layer->y, layer->y_row, 1};
}

CLONES_OF_PRODUCTS static void add_rows(size_t B, size_t O, const lanes *dz, size_t row, lanes *db)
{
    for (size_t o = 0; o < O; o++)
        db[o] = LANES_OF(0);
    for (size_t n = 0; n < B; n++)
        for (size_t o = 0; o < O; o++)
            db[o] += dz[n * row + o];
}

static lanes *backward_dense(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x,
                             lanes *dy)
{
    const struct lanes_matrix dz = {dy, layer->y_row, 1}, turned_dz = {dy, 1, layer->y_row},
                              turned_x = {x->at, 1, x->row}, turned_w = {pass->w + layer->w, 1, layer->x_row};
    struct tensor kept = as_tensor(sums_of(layer), pass->B * layer->y_row), d = as_tensor(dy, pass->B * layer->y_row);
    if (layer->activation != ACTIVATION_NONE)
        op_activate_back(pass->backend, layer->activation, &kept, &d, &d);
    lanes_product(layer->O, layer->I, pass->B, &turned_dz, &turned_x, NULL, pass->dw + layer->w, layer->x_row);
    add_rows(pass->B, layer->O, dy, layer->y_row, pass->dw + layer->b);
    if (layer->dx)
        lanes_product(pass->B, layer->I, layer->O, &dz, &turned_w, NULL, layer->dx, layer->x_row);
    return layer->dx;
}

/* --- dropout --- */

LANES_INLINE void draw_bits(const lanes_bits *stream, uint64_t i, lanes_bits *out)
{
    lanes_bits z = *stream + (i + 1) * RANDOM_STRIDE;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    *out = z ^ (z >> 31);
}

/* What each of [B,O] outputs is multiplied with: number n of a network is the n-th of its stream (random.h). */
CLONES_OF_PRODUCTS static void draw_factors(size_t B, size_t O, const struct lanes_layer *layer, lanes *kept,
                                            size_t row)
{
    lanes_bits bits = {0};
    for (size_t n = 0, i = 0; n < B; n++)
        for (size_t o = 0; o < O; o++, i++, bits >>= 16) {
            if (i % RANDOM_A_DRAW == 0)
                draw_bits(&layer->stream, i / RANDOM_A_DRAW, &bits);
            lanes left = __builtin_convertvector((bits & 0xffff) >= layer->bound, lanes);
            kept[n * row + o] = -left * layer->scale;
        }
}

CLONES_OF_PRODUCTS static void multiply_rows(size_t B, size_t O, const lanes *x, const lanes *kept, size_t row,
                                             lanes *y)
{
    for (size_t n = 0; n < B; n++)
        for (size_t o = 0; o < O; o++)
            y[n * row + o] = x[n * row + o] * kept[n * row + o];
}

static void forward_dropout(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x)
{
    layer->out = *x;
    if (!pass->training)
        return;
    draw_factors(pass->B, layer->O, layer, layer->kept, layer->y_row);
    multiply_rows(pass->B, layer->O, x->at, layer->kept, layer->y_row, layer->y);
    layer->stream += random_after(0, pass->B * layer->O);
    layer->out.at = layer->y;
}

static lanes *backward_dropout(const struct lanes_layer *layer, const struct lanes_pass *pass, lanes *dy)
{
    multiply_rows(pass->B, layer->O, dy, layer->kept, layer->y_row, dy);
    return dy;
}

/* --- either --- */

void lanes_layer_forward(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x)
{
    (layer->drops ? forward_dropout : forward_dense)(layer, pass, x);
}

lanes *lanes_layer_backward(struct lanes_layer *layer, const struct lanes_pass *pass, const struct lanes_matrix *x,
                            lanes *dy)
{
    return layer->drops ? backward_dropout(layer, pass, dy) : backward_dense(layer, pass, x, dy);
}
