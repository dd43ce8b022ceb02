/* Several networks at once as plain loops: one after the other; see backend.h. */
#include "worker/backend/ref.h"

/* The part of network f of an array of all examples. */
static struct tensor part_of(const struct stack *stack, const struct tensor *all, size_t f)
{
    size_t B = all->size[0] / stack->F;
    return tensor_slice(all, f * B, B);
}

/* The weights of network f. */
static struct tensor weights_of(const struct stack *stack, const struct tensor *first, size_t f)
{
    struct tensor own = *first;
    own.at = (float *)first->at + f * stack->P;
    return own;
}

static void stack_dense(void *self, const struct stack *stack, const struct tensor *x, const struct tensor *w,
                        const struct tensor *b, enum activation activation, const struct tensor *y)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_x = part_of(stack, x, f), own_y = part_of(stack, y, f), own_w = weights_of(stack, w, f),
                      own_b = weights_of(stack, b, f);
        ref_dense(self, &own_x, &own_w, &own_b, activation, &own_y);
    }
}

static void stack_dense_back_data(void *self, const struct stack *stack, const struct tensor *dz,
                                  const struct tensor *w, const struct tensor *dx)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_dz = part_of(stack, dz, f), own_dx = part_of(stack, dx, f), own_w = weights_of(stack, w, f);
        ref_dense_back_data(self, &own_dz, &own_w, &own_dx);
    }
}

static void stack_dense_back_weights(void *self, const struct stack *stack, const struct tensor *x,
                                     const struct tensor *dz, const struct tensor *dw, const struct tensor *db)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_x = part_of(stack, x, f), own_dz = part_of(stack, dz, f), own_dw = weights_of(stack, dw, f),
                      own_db = weights_of(stack, db, f);
        ref_dense_back_weights(self, &own_x, &own_dz, &own_dw, &own_db);
    }
}

static void stack_dropout(void *self, const struct stack *stack, const float *shares, const uint64_t *streams,
                          const struct tensor *x, const struct tensor *y)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_x = part_of(stack, x, f), own_y = part_of(stack, y, f);
        ref_dropout(self, shares[f], streams[f], 0, &own_x, &own_y);
    }
}

static void stack_softmax_loss(void *self, const struct stack *stack, const struct tensor *z,
                               const struct tensor *labels, const float *smoothing, const struct tensor *losses,
                               const struct tensor *hits, const struct tensor *dz)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_z = part_of(stack, z, f), own_labels = part_of(stack, labels, f),
                      own_losses = part_of(stack, losses, f), own_hits = part_of(stack, hits, f), own_dz;
        if (dz)
            own_dz = part_of(stack, dz, f);
        ref_softmax_loss(self, &own_z, &own_labels, smoothing[f], &own_losses, &own_hits, dz ? &own_dz : NULL);
    }
}

static void stack_clip(void *self, const struct stack *stack, const float *limits, const struct tensor *g)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own = weights_of(stack, g, f);
        if (limits[f] > 0)
            ref_clip(self, limits[f], &own);
    }
}

static void stack_update(void *self, const struct stack *stack, const struct update *updates, const struct tensor *w,
                         const struct tensor *dw, const struct tensor *first, const struct tensor *second)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_w = weights_of(stack, w, f), own_dw = weights_of(stack, dw, f),
                      own_first = weights_of(stack, first, f), own_second = weights_of(stack, second, f);
        ref_update(self, &updates[f], &own_w, &own_dw, &own_first, &own_second);
    }
}

static void stack_average(void *self, const struct stack *stack, const float *decays, const struct tensor *w,
                          const struct tensor *mean)
{
    for (size_t f = 0; f < stack->F; f++) {
        struct tensor own_w = weights_of(stack, w, f), own_mean = weights_of(stack, mean, f);
        ref_mix(self, 1 - decays[f], &own_w, decays[f], &own_mean);
    }
}

const struct backend_stack ref_stack = {.dense = stack_dense,
                                        .dense_back_data = stack_dense_back_data,
                                        .dense_back_weights = stack_dense_back_weights,
                                        .dropout = stack_dropout,
                                        .softmax_loss = stack_softmax_loss,
                                        .clip = stack_clip,
                                        .update = stack_update,
                                        .average = stack_average};
