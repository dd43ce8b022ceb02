/* Multilayer perceptrons: the gradients of a whole network against finite differences of a reference in double
 * precision, which shares no code with it. */
#include "worker/kernels/net.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "worker/kernels/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { B = 5, I = 7, H = 6, C = 4 };

static const int32_t labels[B] = {0, 3, 1, 1, 2};

/* One network with its batch. */
struct setting {
    struct net net;
    const struct ops *ops;
    void *ops_self;
    float x[B * I];
};

static void make(struct setting *made, const struct ops *ops, size_t depth, enum ops_activation f, double dropout)
{
    struct net_shape shape = {I, H, depth, C, f, dropout};
    struct rng rng = rng_make(4, "inputs", 0);
    made->ops = ops;
    made->ops_self = ops->create();
    net_init(&made->net, &shape, B, 9, ops, made->ops_self);
    for (int i = 0; i < B * I; i++)
        made->x[i] = (float)rng_normal(&rng);
    for (size_t l = 0; l <= depth; l++) /* biases begin at 0, where a mistake would not show */
        for (size_t o = 0; o < made->net.layers[l].outputs; o++)
            made->net.layers[l].b[o] = (float)rng_normal(&rng) / 10;
}

static void unmake(struct setting *made)
{
    net_fini(&made->net);
    made->ops->destroy(made->ops_self);
}

static double activated(enum ops_activation f, double z)
{
    switch (f) {
    case OPS_TANH:
        return tanh(z);
    case OPS_SIGMOID:
        return 1 / (1 + exp(-z));
    case OPS_GELU:
        return 0.5 * z * erfc(-z / sqrt(2));
    default:
        return z > 0 ? z : 0;
    }
}

/* The outputs z[C] for one example in double precision; `row` chooses its part of the dropout masks that the net drew.
 * One weight, if any, is changed by `more`. */
static void reference_outputs(const struct net *net, size_t row, const double *x, const float *changed, double more,
                              double *z)
{
    double in[H > I ? H : I];
    memcpy(in, x, I * sizeof *x);
    for (size_t l = 0; l < net->layer_count; l++) {
        const struct net_layer *layer = &net->layers[l];
        double out[H > C ? H : C];
        for (size_t o = 0; o < layer->outputs; o++) {
            out[o] = (double)layer->b[o] + (&layer->b[o] == changed ? more : 0);
            for (size_t i = 0; i < layer->inputs; i++) {
                const float *w = &layer->w[o * layer->inputs + i];
                out[o] += in[i] * ((double)*w + (w == changed ? more : 0));
            }
        }
        for (size_t o = 0; o < layer->outputs; o++) {
            double mask = layer->mask ? (double)layer->mask[row * layer->outputs + o] : 1;
            in[o] = activated(net->shape.activation, out[o]) * mask;
        }
        memcpy(z, out, C * sizeof *z);
    }
}

/* The mean loss over the batch. */
static double reference_loss(const struct setting *made, const float *changed, double more)
{
    double sum = 0;
    for (size_t n = 0; n < B; n++) {
        double x[I], z[C], total = 0;
        for (int i = 0; i < I; i++)
            x[i] = (double)made->x[n * I + (size_t)i];
        reference_outputs(&made->net, n, x, changed, more, z);
        for (int c = 0; c < C; c++)
            total += exp(z[c]);
        sum += log(total) - z[labels[n]];
    }
    return sum / (double)B;
}

/* The largest difference between the gradients of n weights and finite differences. */
static double check_weights(const struct setting *made, const float *w, const float *dw, size_t n)
{
    const double h = 1e-5;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double wanted = (reference_loss(made, &w[i], h) - reference_loss(made, &w[i], -h)) / (2 * h);
        most = fmax(most, fabs((double)dw[i] - wanted));
    }
    return most;
}

static double check_gradients(const struct ops *ops, size_t depth, enum ops_activation f, double dropout)
{
    struct setting made;
    struct loss loss = {0};
    float dz[B * C];
    double most = 0;
    make(&made, ops, depth, f, dropout);
    const float *z = net_forward(&made.net, B, made.x, true);
    loss_add(&loss, B, C, z, labels, dz);
    net_backward(&made.net, B, made.x, dz);
    assert_true(fabs(loss_mean(&loss) - reference_loss(&made, NULL, 0)) < 1e-5);
    for (size_t l = 0; l <= depth; l++) {
        const struct net_layer *layer = &made.net.layers[l];
        most = fmax(most, check_weights(&made, layer->w, layer->dw, layer->inputs * layer->outputs));
        most = fmax(most, check_weights(&made, layer->b, layer->db, layer->outputs));
    }
    unmake(&made);
    return most;
}

static void check_all(const struct ops *ops)
{
    for (int f = 0; f < OPS_ACTIVATIONS_COUNT; f++)
        for (size_t depth = 0; depth <= 3; depth++)
            for (int dropped = 0; dropped < 2; dropped++) {
                double most = check_gradients(ops, depth, (enum ops_activation)f, dropped ? 0.3 : 0);
                if (!(most < 1e-5))
                    fail_msg("%s, activation %d, depth %zu, dropout %d: a gradient is wrong by %g", ops->name, f, depth,
                             dropped, most);
            }
}

static void gradients_agree_with_finite_differences(void **state)
{
    (void)state;
    check_all(&ops_ref);
}

#ifdef HAVE_ONEDNN
static void gradients_by_onednn_agree_with_finite_differences(void **state)
{
    (void)state;
    check_all(&ops_dnnl);
}
#endif

static void dropout_drops_its_share_in_training_only(void **state)
{
    (void)state;
    enum { MANY = 200 };
    struct setting made;
    size_t dropped = 0;
    make(&made, &ops_ref, 1, OPS_SIGMOID, 0.25);
    const struct net_layer *hidden = &made.net.layers[0];
    for (int n = 0; n < MANY; n++) {
        net_forward(&made.net, B, made.x, true);
        for (int i = 0; i < B * H; i++) {
            dropped += hidden->mask[i] == 0;
            assert_true(hidden->mask[i] == 0 || fabs((double)hidden->mask[i] - 4.0 / 3) < 1e-6);
            assert_true((hidden->out[i] == 0) == (hidden->mask[i] == 0));
        }
    }
    double share = (double)dropped / (MANY * B * H); /* 6,000 draws: deviation 0.0056 */
    assert_true(fabs(share - 0.25) < 0.03);
    net_forward(&made.net, B, made.x, false);
    for (int i = 0; i < B * H; i++)
        assert_true(hidden->out[i] != 0);
    unmake(&made);
}

static void weights_begin_random_within_their_limits(void **state)
{
    (void)state;
    struct setting relu, sigmoid;
    make(&relu, &ops_ref, 2, OPS_RELU, 0);
    make(&sigmoid, &ops_ref, 2, OPS_SIGMOID, 0);
    const double he = sqrt(6.0 / (double)I), glorot = sqrt(6.0 / (I + H));
    double most[2] = {0};
    for (int i = 0; i < H * I; i++) {
        most[0] = fmax(most[0], fabs((double)relu.net.layers[0].w[i]));
        most[1] = fmax(most[1], fabs((double)sigmoid.net.layers[0].w[i]));
    }
    assert_true(most[0] <= he && most[0] > 0.8 * he);
    assert_true(most[1] <= glorot && most[1] > 0.8 * glorot);
    assert_true(relu.net.layers[1].w[0] != relu.net.layers[0].w[0]);
    unmake(&relu);
    unmake(&sigmoid);
}

static void smaller_batches_use_the_same_net(void **state)
{
    (void)state;
    struct setting made;
    float whole[B * C];
    make(&made, &ops_ref, 2, OPS_TANH, 0);
    memcpy(whole, net_forward(&made.net, B, made.x, false), sizeof whole);
    const float *some = net_forward(&made.net, 2, made.x + I, false);
    assert_memory_equal(some, whole + C, 2 * C * sizeof *some);
    unmake(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_agree_with_finite_differences),
#ifdef HAVE_ONEDNN
        cmocka_unit_test(gradients_by_onednn_agree_with_finite_differences),
#endif
        cmocka_unit_test(dropout_drops_its_share_in_training_only),
        cmocka_unit_test(weights_begin_random_within_their_limits),
        cmocka_unit_test(smaller_batches_use_the_same_net),
    };
    return cmocka_run_group_tests_name("net", tests, NULL, NULL);
}
