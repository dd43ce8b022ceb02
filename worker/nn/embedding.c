/* What sequences begin and end with: embedding gives each token a row of a learned table, positions add to each step
 * what its place is, learned or sinusoids, and mean_step makes one row of all steps of an example. */
#include "worker/nn/layer.h"

#include "worker/nn/plan.h"

enum { TABLE }; /* the parameter, or of sinusoids the state */

/* --- embedding: x[B,T], I32, becomes [B,T,D] --- */

static int plan_embedding(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct tensor *x = &layer->x_shape;
    size_t V = layer->setting->tokens, D = layer->setting->outputs;
    struct tensor table = tensor_make(TENSOR_F32, 2, (size_t[]){V, D});
    if (x->axes != 2 || x->type != TENSOR_I32)
        return err_set(err, "an embedding needs sequences of tokens");
    plan_parameter(plan, layer, &table, BEGINS_GLOROT, V, D);
    layer->y = tensor_make(TENSOR_F32, 3, (size_t[]){x->size[0], x->size[1], D});
    plan_work(plan, &layer->y);
    plan->first = false; /* there is no gradient of tokens */
    return 0;
}

static void forward_embedding(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    struct tensor places = tensor_flat(x), rows = tensor_rows(&layer->y);
    op_gather(pass->backend, &layer->parameters[TABLE].w, &places, &rows);
}

static void backward_embedding(struct layer *layer, const struct pass *pass, const struct tensor *x,
                               const struct tensor *dy)
{
    struct tensor places = tensor_flat(x), rows = tensor_rows(dy);
    op_gather_back(pass->backend, &rows, &places, &layer->parameters[TABLE].dw);
}

/* --- positions: y[B,T,D] = x + table[T,D] --- */

static int plan_positions(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct tensor *x = &layer->x_shape;
    if (x->axes != 3)
        return err_set(err, "positions are those of the steps of a sequence");
    struct tensor table = tensor_make(TENSOR_F32, 2, (size_t[]){x->size[1], x->size[2]});
    if (layer->setting->sinusoids)
        plan_state(plan, layer, &table, BEGINS_WAVES);
    else
        plan_parameter(plan, layer, &table, BEGINS_GLOROT, x->size[1], x->size[2]);
    layer->y = *x;
    plan_work(plan, &layer->y);
    layer->dx = *x; /* has dy's memory */
    plan->first = false;
    return 0;
}

static void forward_positions(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    const struct tensor *table = layer->setting->sinusoids ? &layer->state[TABLE] : &layer->parameters[TABLE].w;
    op_add_each(pass->backend, x, table, &layer->y);
}

static void backward_positions(struct layer *layer, const struct pass *pass, const struct tensor *x,
                               const struct tensor *dy)
{
    (void)x;
    if (!layer->setting->sinusoids)
        op_sum_each(pass->backend, dy, &layer->parameters[TABLE].dw);
    layer->dx.at = dy->at;
}

/* --- mean_step: y[B,D] = the mean of x[B,T,D] over the steps of each example --- */

static struct window all_steps(const struct layer *layer)
{
    return (struct window){layer->x_shape.size[1], 1, 1, 0};
}

static int plan_mean(struct layer *layer, struct plan *plan, struct err *err)
{
    const struct tensor *x = &layer->x_shape;
    if (x->axes != 3)
        return err_set(err, "a mean over steps needs a sequence");
    plan_narrow(plan, layer);
    layer->y = tensor_make(x->type, 2, (size_t[]){x->size[0], x->size[2]});
    plan_work(plan, &layer->y);
    plan_gradient(plan, layer);
    return 0;
}

/* A sequence as images of one column, [B,T,1,D]; one row as [B,1,1,D]. */
static struct tensor view_column(const struct tensor *tensor)
{
    size_t T = tensor->axes == 3 ? tensor->size[1] : 1, D = tensor->size[tensor->axes - 1];
    struct tensor view = tensor_make(tensor->type, 4, (size_t[]){tensor->size[0], T, 1, D});
    view.at = tensor->at;
    return view;
}

static void forward_mean(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    struct window window = all_steps(layer);
    struct tensor column = view_column(x), one = view_column(&layer->y);
    if (pass->lengths)
        op_mean_steps(pass->backend, x, pass->lengths, &layer->y);
    else
        op_pool_mean(pass->backend, &window, &column, &one);
}

static void backward_mean(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    (void)x;
    struct window window = all_steps(layer);
    struct tensor column = view_column(&layer->dx), one = view_column(dy);
    if (layer->dx.at && pass->lengths)
        op_mean_steps_back(pass->backend, dy, pass->lengths, &layer->dx);
    else if (layer->dx.at)
        op_pool_mean_back(pass->backend, &window, &one, &column);
}

const struct layer_kind layer_embedding = {"embedding", plan_embedding, forward_embedding, backward_embedding};
const struct layer_kind layer_positions = {"positions", plan_positions, forward_positions, backward_positions};
const struct layer_kind layer_mean_step = {"mean_step", plan_mean, forward_mean, backward_mean};
