/* A recurrent layer (Hochreiter and Schmidhuber 1997): of x[B,T,I] the state h of the last step, y[B,H], or of every
 * step, y[B,T,H] (`every_step`). Gates i, f, g, o lie side by side, so that a step has one product.
 *
 *     z_t[B,4H] = x_t w_x^T + b          for all steps at once
 *     the rest                           step by step: struct backend_kind, lstm
 *
 * Behind an example's last step its state stays what it was, so that the last one of all is its own.
 *
 * Work is [T,B,...], so that a step's numbers lie side by side; it is as large as the largest batch, and its form
 * follows each batch. The forget gate's b begins at 1 (Jozefowicz et al. 2015). */
#include "worker/nn/plan.h"

enum { W_X, W_H, BIAS };
enum { X, GATES, CELLS, STATES, DX, DY, DH, DC }; /* kept, as one axis each; DX: the gradient of X; DY: of STATES */

/* How large a batch is. */
struct lstm_sizes {
    size_t T, B, I, H;
};

static struct lstm_sizes sizes_of(const struct layer *layer, size_t B)
{
    return (struct lstm_sizes){layer->x_shape.size[1], B, layer->x_shape.size[2], layer->setting->outputs};
}

static void plan_kept(struct plan *plan, struct layer *layer, int which, size_t count)
{
    layer->kept[which] = tensor_vector(TENSOR_F32, count);
    plan_work(plan, &layer->kept[which]);
}

static void plan_weights(struct plan *plan, struct layer *layer, const struct lstm_sizes *s)
{
    struct tensor w_x = tensor_make(TENSOR_F32, 2, (size_t[]){4 * s->H, s->I}),
                  w_h = tensor_make(TENSOR_F32, 2, (size_t[]){4 * s->H, s->H}), b = tensor_vector(TENSOR_F32, 4 * s->H);
    plan_parameter(plan, layer, &w_x, BEGINS_GLOROT, s->I, s->H);
    plan_parameter(plan, layer, &w_h, BEGINS_GLOROT, s->H, s->H);
    plan_parameter(plan, layer, &b, BEGINS_FORGET, 0, 0);
}

static int plan_lstm(struct layer *layer, struct plan *plan, struct err *err)
{
    if (layer->x_shape.axes != 3)
        return err_set(err, "an LSTM needs sequences, [steps, numbers of a step]");
    bool every = layer->setting->every_step, first = plan->first;
    struct lstm_sizes s = sizes_of(layer, layer->x_shape.size[0]);
    size_t states = s.T * s.B * s.H;
    plan_weights(plan, layer, &s);
    plan_kept(plan, layer, X, s.T * s.B * s.I);
    plan_kept(plan, layer, GATES, 4 * states);
    plan_kept(plan, layer, CELLS, states);
    plan_kept(plan, layer, STATES, states);
    plan_kept(plan, layer, DH, s.B * s.H);
    plan_kept(plan, layer, DC, s.B * s.H);
    if (!first)
        plan_kept(plan, layer, DX, s.T * s.B * s.I);
    layer->y = tensor_make(TENSOR_F32, 2, (size_t[]){s.B, s.H}); /* the last step's, in its place among all */
    if (every) {
        plan_kept(plan, layer, DY, states);
        layer->y = tensor_make(TENSOR_F32, 3, (size_t[]){s.B, s.T, s.H});
        plan_work(plan, &layer->y);
    }
    plan_gradient(plan, layer);
    return 0;
}

/* What is kept, as an array of these sizes. */
static struct tensor kept_as(const struct layer *layer, int which, int axes, const size_t *sizes)
{
    struct tensor view = tensor_make(TENSOR_F32, axes, sizes);
    view.at = layer->kept[which].at;
    return view;
}

/* Of all steps, [T,B,width]; as rows, [T B,width]. */
static struct tensor steps_in(const struct layer *layer, int which, const struct lstm_sizes *s, size_t width)
{
    return kept_as(layer, which, 3, (size_t[]){s->T, s->B, width});
}

static struct tensor rows_in(const struct layer *layer, int which, const struct lstm_sizes *s, size_t width)
{
    return kept_as(layer, which, 2, (size_t[]){s->T * s->B, width});
}

static void forward_lstm(struct layer *layer, const struct pass *pass, const struct tensor *x)
{
    struct backend *backend = pass->backend;
    const struct parameter *p = layer->parameters;
    struct lstm_sizes s = sizes_of(layer, pass->B);
    struct tensor steps = steps_in(layer, X, &s, s.I), in = rows_in(layer, X, &s, s.I);
    struct tensor sums = rows_in(layer, GATES, &s, 4 * s.H), gates = steps_in(layer, GATES, &s, 4 * s.H);
    struct tensor c = steps_in(layer, CELLS, &s, s.H), h = steps_in(layer, STATES, &s, s.H);
    op_swap(backend, x, &steps);
    op_dense(backend, &in, &p[W_X].seen, &p[BIAS].seen, ACTIVATION_NONE, &sums);
    op_lstm(backend, &p[W_H].seen, pass->lengths, &gates, &c, &h);
    if (layer->setting->every_step)
        op_swap(backend, &h, &layer->y);
    else
        layer->y.at = tensor_slice(&h, s.T - 1, 1).at;
}

/* The gradient of w_h: h of each step but the last beside dz of the one behind it. */
static void backward_recurrent(struct layer *layer, struct backend *backend, const struct lstm_sizes *s)
{
    struct tensor h = rows_in(layer, STATES, s, s->H), dz = rows_in(layer, GATES, s, 4 * s->H);
    struct tensor before = tensor_slice(&h, 0, (s->T - 1) * s->B), behind = tensor_slice(&dz, s->B, (s->T - 1) * s->B);
    if (s->T > 1)
        op_dense_back_weights(backend, &before, &behind, &layer->parameters[W_H].dw, NULL);
    else
        op_fill(backend, 0, &layer->parameters[W_H].dw);
}

static void backward_inputs(struct layer *layer, struct backend *backend, const struct lstm_sizes *s)
{
    struct tensor dz = rows_in(layer, GATES, s, 4 * s->H), in = rows_in(layer, X, s, s->I);
    op_dense_back_weights(backend, &in, &dz, &layer->parameters[W_X].dw, &layer->parameters[BIAS].dw);
    if (!layer->dx.at)
        return;
    struct tensor dx = rows_in(layer, DX, s, s->I), steps = steps_in(layer, DX, s, s->I);
    op_dense_back_data(backend, &dz, &layer->parameters[W_X].seen, &dx);
    op_swap(backend, &steps, &layer->dx);
}

static void backward_lstm(struct layer *layer, const struct pass *pass, const struct tensor *x, const struct tensor *dy)
{
    struct lstm_sizes s = sizes_of(layer, pass->B);
    struct tensor gates = steps_in(layer, GATES, &s, 4 * s.H), c = steps_in(layer, CELLS, &s, s.H);
    struct tensor dh = kept_as(layer, DH, 2, (size_t[]){s.B, s.H}), dc = kept_as(layer, DC, 2, (size_t[]){s.B, s.H});
    struct tensor dy_steps = tensor_make(TENSOR_F32, 3, (size_t[]){1, s.B, s.H});
    (void)x;
    dy_steps.at = dy->at;
    if (layer->setting->every_step) {
        dy_steps = steps_in(layer, DY, &s, s.H);
        op_swap(pass->backend, dy, &dy_steps);
    }
    op_lstm_back(pass->backend, &layer->parameters[W_H].seen, pass->lengths, &c, &dy_steps, &gates, &dh, &dc);
    backward_recurrent(layer, pass->backend, &s);
    backward_inputs(layer, pass->backend, &s);
}

const struct layer_kind layer_lstm = {"lstm", plan_lstm, forward_lstm, backward_lstm};
