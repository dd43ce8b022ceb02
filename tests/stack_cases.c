/* Operations on several networks at once, on random shapes; see stack_cases.h. */
#include "tests/stack_cases.h"

#define S(...) TENSORS_SIZES(__VA_ARGS__)

/* Weights of F networks, P numbers apart, and the part of the first. */
static struct tensor random_stack(struct tensors *t, const struct stack *stack)
{
    return tensors_random(t, TENSOR_F32, S(stack->F * stack->P));
}

static struct tensor first_of(const struct tensor *all, size_t from, size_t rows, size_t columns)
{
    struct tensor made =
        columns ? tensor_make(TENSOR_F32, 2, (size_t[]){rows, columns}) : tensor_vector(TENSOR_F32, rows);
    made.at = (float *)all->at + from;
    return made;
}

void stack_cases_dense(struct tensors *t, enum tensor_type type)
{
    size_t F = tensors_size(t, 5), B = tensors_size(t, 20), I = tensors_size(t, 40), O = tensors_size(t, 40);
    struct stack stack = {F, O * I + O + rng_below(&t->rng, 20)};
    const struct backend_stack *slots = t->backend->kind->stack;
    struct tensor weights = random_stack(t, &stack), gradients = random_stack(t, &stack);
    struct tensor w = first_of(&weights, 0, O, I), b = first_of(&weights, O * I, O, 0);
    struct tensor dw = first_of(&gradients, 0, O, I), db = first_of(&gradients, O * I, O, 0);
    struct tensor x = tensors_random(t, type, S(F * B, I)), y = tensors_zeros(t, type, S(F * B, O));
    struct tensor dz = tensors_random(t, type, S(F * B, O)), dx = tensors_zeros(t, type, S(F * B, I));
    slots->dense(t->backend->self, &stack, &x, &w, &b, (enum activation)rng_below(&t->rng, ACTIVATIONS_COUNT), &y);
    slots->dense_back_data(t->backend->self, &stack, &dz, &w, &dx);
    slots->dense_back_weights(t->backend->self, &stack, &x, &dz, &dw, &db);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    tensors_result(t, &gradients);
}

void stack_cases_batch(struct tensors *t, enum tensor_type type)
{
    size_t F = tensors_size(t, 5), B = tensors_size(t, 20), C = tensors_size(t, 20);
    struct stack stack = {F, 0};
    const struct backend_stack *slots = t->backend->kind->stack;
    float shares[STACK_MOST], smoothing[STACK_MOST];
    uint64_t streams[STACK_MOST];
    for (size_t f = 0; f < F; f++) {
        shares[f] = (float)rng_below(&t->rng, 10) / 10;
        smoothing[f] = (float)rng_below(&t->rng, 3) / 10;
        streams[f] = rng_below(&t->rng, 1000);
    }
    struct tensor z = tensors_random(t, type, S(F * B, C)), labels = tensors_whole(t, F * B, C);
    struct tensor losses = tensors_zeros(t, type, S(F * B)), hits = tensors_zeros(t, TENSOR_I32, S(F * B));
    struct tensor dz = tensors_random(t, type, S(F * B, C));
    slots->dropout(t->backend->self, &stack, shares, streams, &z, &dz);
    tensors_result(t, &dz);
    for (int back = 0; back < 2; back++) {
        slots->softmax_loss(t->backend->self, &stack, &z, &labels, smoothing, &losses, &hits, back ? &dz : NULL);
        tensors_result(t, &losses);
        tensors_result(t, &hits);
    }
    tensors_result(t, &dz);
}

/* Each network with numbers of its own. */
void stack_cases_update(struct tensors *t, enum tensor_type type)
{
    size_t F = tensors_size(t, 5), count = tensors_size(t, 300);
    struct stack stack = {F, count + rng_below(&t->rng, 20)};
    const struct backend_stack *slots = t->backend->kind->stack;
    (void)type;
    for (enum update_kind kind = UPDATE_SGD; kind <= UPDATE_LARS; kind++) {
        struct update updates[STACK_MOST];
        float limits[STACK_MOST], decays[STACK_MOST];
        struct tensor all[5], views[5]; /* w, dw, first, second, mean */
        for (size_t i = 0; i < 5; i++) {
            all[i] = i == 2 || i == 3 ? tensors_zeros(t, TENSOR_F32, S(F * stack.P)) : random_stack(t, &stack);
            views[i] = first_of(&all[i], 0, count, 0);
        }
        for (size_t f = 0; f < F; f++) {
            float own = 1 + (float)rng_below(&t->rng, 5);
            updates[f] = (struct update){
                kind, 0.01f * own, 0.01f / own, 1 - 0.01f / own, 0.1f * own, 0.1f * own, 0.9f, 1e-4f, own, 0.1f, F % 2};
            limits[f] = rng_below(&t->rng, 2) ? own : 0;
            decays[f] = rng_below(&t->rng, 2) ? 0.1f * own : 0;
        }
        slots->clip(t->backend->self, &stack, limits, &views[1]);
        slots->update(t->backend->self, &stack, updates, &views[0], &views[1], &views[2], &views[3]);
        slots->average(t->backend->self, &stack, decays, &views[0], &views[4]);
        for (size_t i = 0; i < 5; i++)
            tensors_result(t, &all[i]);
    }
}
