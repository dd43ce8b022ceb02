/* The plain loops' gradients against finite differences of the way forward. */
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/tensors.h"

#include <math.h>
#include <stdlib.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

/* A way forward, and what it made: the objective is the sum over all results of r times the result. */
struct way {
    struct tensors t;
    void (*forward)(struct way *way);
    struct tensor x[3], dx[3]; /* what it is made from, and the gradients of the objective */
    int inputs;
    struct tensor y[2], r[2]; /* its results, and the gradients of the objective by them */
    int outputs;
    struct tensor work[4]; /* what it keeps */
    enum activation f;
    struct norm norm;
    struct window window;
    struct attention attention;
    struct tensor lengths; /* of sequences; at NULL: they have all steps */
};

static double objective(struct way *way)
{
    double sum = 0;
    way->forward(way);
    for (int k = 0; k < way->outputs; k++) {
        double *y = tensors_read(&way->t, &way->y[k]), *r = tensors_read(&way->t, &way->r[k]);
        for (size_t i = 0; i < tensor_count(&way->y[k]); i++)
            sum += y[i] * r[i];
        free(y);
        free(r);
    }
    return sum;
}

/* Numbers are F32: with this h, rounding and the third derivative each cost some 1e-4 of a gradient of size 1. */
static void check_gradients(struct way *way, const char *what)
{
    const double h = 0.01, within = 4e-3;
    for (int k = 0; k < way->inputs; k++) {
        double *x = tensors_read(&way->t, &way->x[k]), *dx = tensors_read(&way->t, &way->dx[k]);
        for (size_t i = 0; i < tensor_count(&way->x[k]); i++) {
            tensors_set(&way->t, &way->x[k], i, (float)(x[i] + h));
            double up = objective(way);
            tensors_set(&way->t, &way->x[k], i, (float)(x[i] - h));
            double wanted = (up - objective(way)) / (2 * h);
            tensors_set(&way->t, &way->x[k], i, (float)x[i]);
            if (!(fabs(dx[i] - wanted) <= within * fmax(1, fabs(wanted))))
                fail_msg("%s: gradient %d of input %d is %g, by differences %g", what, (int)i, k, dx[i], wanted);
        }
        free(x);
        free(dx);
    }
    tensors_close(&way->t);
}

static void add_input(struct way *way, struct tensor x)
{
    way->x[way->inputs] = x;
    way->dx[way->inputs++] = tensors_random(&way->t, TENSOR_F32, S(x.size[0], x.size[1], x.size[2], x.size[3]));
}

static void add_output(struct way *way, const size_t *sizes)
{
    way->y[way->outputs] = tensors_zeros(&way->t, TENSOR_F32, sizes);
    way->r[way->outputs++] = tensors_random(&way->t, TENSOR_F32, sizes);
}

static void begin_way(struct way *way, void (*forward)(struct way *way))
{
    *way = (struct way){.forward = forward};
    tensors_open(&way->t, &backend_ref, 5);
}

/* Numbers that no step of a finite difference takes over a corner: tenths in a random order, none of them 0. */
static struct tensor draw_apart(struct way *way, const size_t *sizes)
{
    struct tensor made = tensors_zeros(&way->t, TENSOR_F32, sizes);
    size_t count = tensor_count(&made);
    float *numbers = MEM_ARRAY(float, count);
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)rng_below(&way->t.rng, i + 1);
        numbers[i] = numbers[j];
        numbers[j] = (float)i / 10 - (float)count / 20 + 0.05f;
    }
    op_upload(way->t.backend, numbers, &made);
    free(numbers);
    return made;
}

static void forward_dense(struct way *way)
{
    op_dense(way->t.backend, &way->x[0], &way->x[1], &way->x[2], way->f, &way->y[0]);
}

static void gradients_of_products_agree_with_differences(void **state)
{
    (void)state;
    struct way way;
    begin_way(&way, forward_dense);
    way.f = ACTIVATION_TANH;
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(4, 5)));
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(3, 5)));
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(3)));
    add_output(&way, S(4, 3));
    forward_dense(&way);
    struct tensor dz = tensors_zeros(&way.t, TENSOR_F32, S(4, 3));
    op_activate_back(way.t.backend, way.f, &way.y[0], &way.r[0], &dz);
    op_dense_back_data(way.t.backend, &dz, &way.x[1], &way.dx[0]);
    op_dense_back_weights(way.t.backend, &way.x[0], &dz, &way.dx[1], &way.dx[2]);
    check_gradients(&way, "dense");
}

static void forward_conv(struct way *way)
{
    op_conv(way->t.backend, &way->window, &way->x[0], &way->x[1], &way->x[2], ACTIVATION_NONE, &way->y[0]);
}

static void gradients_of_convolutions_agree_with_differences(void **state)
{
    (void)state;
    static const struct window windows[] = {{3, 3, 1, 1}, {2, 3, 2, 0}, {3, 2, 2, 1}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        const struct window *window = &windows[i];
        struct way way;
        begin_way(&way, forward_conv);
        way.window = *window;
        add_input(&way, tensors_random(&way.t, TENSOR_F32, S(2, 5, 6, 2)));
        add_input(&way, tensors_random(&way.t, TENSOR_F32, S(3, window->height, window->width, 2)));
        add_input(&way, tensors_random(&way.t, TENSOR_F32, S(3)));
        add_output(&way, S(2, window_places(window, 5, window->height), window_places(window, 6, window->width), 3));
        op_conv_back_data(way.t.backend, window, &way.r[0], &way.x[1], &way.dx[0]);
        op_conv_back_weights(way.t.backend, window, &way.x[0], &way.r[0], &way.dx[1], &way.dx[2]);
        check_gradients(&way, "convolution");
    }
}

static void forward_pools(struct way *way)
{
    op_pool_max(way->t.backend, &way->window, &way->x[0], &way->y[0], &way->work[0]);
    op_pool_mean(way->t.backend, &way->window, &way->x[0], &way->y[1]);
}

static void gradients_of_pools_agree_with_differences(void **state)
{
    (void)state;
    struct way way;
    begin_way(&way, forward_pools);
    way.window = (struct window){2, 3, 2, 1};
    add_input(&way, draw_apart(&way, S(2, 5, 4, 3)));
    add_output(&way, S(2, 3, 2, 3));
    add_output(&way, S(2, 3, 2, 3));
    way.work[0] = tensors_zeros(&way.t, TENSOR_I32, S(2, 3, 2, 3));
    forward_pools(&way);
    struct tensor other = tensors_zeros(&way.t, TENSOR_F32, S(2, 5, 4, 3));
    op_pool_max_back(way.t.backend, &way.window, &way.r[0], &way.work[0], &way.dx[0]);
    op_pool_mean_back(way.t.backend, &way.window, &way.r[1], &other);
    op_add(way.t.backend, &way.dx[0], &other, &way.dx[0]);
    check_gradients(&way, "pooling");
}

static void forward_activation(struct way *way)
{
    op_activate(way->t.backend, way->f, &way->x[0], &way->y[0]);
}

static void gradients_of_activations_agree_with_differences(void **state)
{
    (void)state;
    for (int f = 0; f < ACTIVATIONS_COUNT; f++) {
        struct way way;
        begin_way(&way, forward_activation);
        way.f = (enum activation)f;
        add_input(&way, draw_apart(&way, S(80)));
        add_output(&way, S(80));
        forward_activation(&way);
        op_activate_back(way.t.backend, way.f, activation_forgets(way.f) ? &way.y[0] : &way.x[0], &way.r[0],
                         &way.dx[0]);
        check_gradients(&way, "activation");
    }
}

/* gamma and beta are inputs, too. */
static void begin_norm(struct way *way, void (*forward)(struct way *way), const size_t *sizes, size_t C, size_t of)
{
    begin_way(way, forward);
    add_input(way, tensors_random(&way->t, TENSOR_F32, sizes));
    add_input(way, tensors_random(&way->t, TENSOR_F32, S(C)));
    add_input(way, tensors_random(&way->t, TENSOR_F32, S(C)));
    add_output(way, sizes);
    way->norm = (struct norm){.gamma = way->x[1],
                              .beta = way->x[2],
                              .mean = tensors_zeros(&way->t, TENSOR_F32, S(of)),
                              .variance = tensors_zeros(&way->t, TENSOR_F32, S(of)),
                              .epsilon = 0.01f};
    forward(way);
}

static void forward_batch_norm(struct way *way)
{
    op_batch_norm(way->t.backend, &way->norm, &way->x[0], &way->y[0]);
}

static void forward_layer_norm(struct way *way)
{
    op_layer_norm(way->t.backend, &way->norm, &way->x[0], &way->y[0]);
}

static void gradients_of_normalisations_agree_with_differences(void **state)
{
    (void)state;
    struct way way;
    begin_norm(&way, forward_batch_norm, S(3, 2, 3, 4), 4, 4);
    op_batch_norm_back(way.t.backend, &way.norm, &way.x[0], &way.r[0], &way.dx[0], &way.dx[1], &way.dx[2]);
    check_gradients(&way, "batch normalisation");
    begin_norm(&way, forward_layer_norm, S(4, 7), 7, 4);
    op_layer_norm_back(way.t.backend, &way.norm, &way.x[0], &way.r[0], &way.dx[0], &way.dx[1], &way.dx[2]);
    check_gradients(&way, "layer normalisation");
}

/* Gives the examples fewer steps than T, in turns; the gradient of what comes of those behind is 0. */
static void shorten(struct way *way, size_t B, size_t T, bool steps_first)
{
    const struct tensor *r = &way->r[0];
    int32_t *lengths = MEM_ARRAY(int32_t, B);
    size_t width = tensor_count(r) / (B * T);
    for (size_t b = 0; b < B; b++)
        lengths[b] = (int32_t)(T - 1 - b % (T - 1));
    for (size_t b = 0; b < B; b++)
        for (size_t t = (size_t)lengths[b]; t < T; t++)
            for (size_t i = 0; i < width; i++)
                tensors_set(&way->t, r, (steps_first ? t * B + b : b * T + t) * width + i, 0);
    way->lengths = tensors_zeros(&way->t, TENSOR_I32, S(B));
    op_upload(way->t.backend, lengths, &way->lengths);
    free(lengths);
}

static const struct tensor *lengths_of(const struct way *way)
{
    return way->lengths.at ? &way->lengths : NULL;
}

/* z is written over, so it is copied from what varies. */
static void forward_lstm(struct way *way)
{
    op_copy(way->t.backend, &way->x[0], &way->work[0]);
    op_lstm(way->t.backend, &way->x[1], lengths_of(way), &way->work[0], &way->work[1], &way->y[0]);
}

static void check_lstm_steps(bool shorter)
{
    enum { T = 3, B = 2, H = 5 };
    struct way way;
    begin_way(&way, forward_lstm);
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(T, B, 4 * H)));
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(4 * H, H)));
    add_output(&way, S(T, B, H));
    if (shorter)
        shorten(&way, B, T, true);
    way.work[0] = tensors_zeros(&way.t, TENSOR_F32, S(T, B, 4 * H));
    way.work[1] = tensors_zeros(&way.t, TENSOR_F32, S(T, B, H));
    struct tensor dh = tensors_zeros(&way.t, TENSOR_F32, S(B, H)), dc = tensors_zeros(&way.t, TENSOR_F32, S(B, H));
    forward_lstm(&way);
    op_lstm_back(way.t.backend, &way.x[1], lengths_of(&way), &way.work[1], &way.r[0], &way.work[0], &dh, &dc);
    op_copy(way.t.backend, &way.work[0], &way.dx[0]);
    struct tensor h = tensor_make(TENSOR_F32, 2, (size_t[]){(T - 1) * B, H}), dz = h;
    h.at = way.y[0].at;
    dz.size[1] = 4 * H;
    dz.at = tensor_slice(&way.dx[0], 1, T - 1).at;
    op_dense_back_weights(way.t.backend, &h, &dz, &way.dx[1], NULL);
    check_gradients(&way, shorter ? "LSTM steps before padding" : "LSTM steps");
}

static void gradients_of_lstm_steps_agree_with_differences(void **state)
{
    (void)state;
    check_lstm_steps(false);
    check_lstm_steps(true);
}

static void forward_mean(struct way *way)
{
    op_mean_steps(way->t.backend, &way->x[0], &way->lengths, &way->y[0]);
}

static void gradients_of_means_over_steps_agree_with_differences(void **state)
{
    (void)state;
    struct way way;
    begin_way(&way, forward_mean);
    add_input(&way, tensors_random(&way.t, TENSOR_F32, S(3, 4, 5)));
    add_output(&way, S(3, 5));
    way.lengths = tensors_lengths(&way.t, 3, 4);
    op_mean_steps_back(way.t.backend, &way.r[0], &way.lengths, &way.dx[0]);
    check_gradients(&way, "mean over steps");
}

static void forward_attention(struct way *way)
{
    op_attention(way->t.backend, &way->attention, &way->x[0], &way->work[0], &way->y[0]);
}

static void gradients_of_attention_agree_with_differences(void **state)
{
    (void)state;
    static const struct attention ways[] = {{.heads = 2},
                                            {.heads = 2, .causal = true},
                                            {.heads = 2, .dropped = 0.4f, .stream = 7},
                                            {.heads = 2, .causal = true, .dropped = 0.4f, .stream = 8}};
    for (size_t i = 0; i < 2 * sizeof ways / sizeof *ways; i++) {
        struct way way;
        begin_way(&way, forward_attention);
        way.attention = ways[i / 2];
        add_input(&way, tensors_random(&way.t, TENSOR_F32, S(2, 5, 18)));
        add_output(&way, S(2, 5, 6));
        if (i % 2)
            shorten(&way, 2, 5, false);
        way.attention.lengths = lengths_of(&way);
        way.work[0] = tensors_zeros(&way.t, TENSOR_F32, S(2, 2, 5));
        forward_attention(&way);
        op_attention_back(way.t.backend, &way.attention, &way.x[0], &way.work[0], &way.y[0], &way.r[0], &way.dx[0]);
        check_gradients(&way, i % 2 ? "attention before padding" : "attention");
    }
}

static void forward_softmax(struct way *way)
{
    op_softmax_loss(way->t.backend, &way->x[0], &way->work[0], 0.1f, &way->y[0], &way->work[1], NULL);
}

static void forward_square(struct way *way)
{
    op_square_loss(way->t.backend, &way->x[0], &way->work[2], &way->y[0], NULL);
}

/* Losses give the gradient of their mean. */
static void gradients_of_losses_agree_with_differences(void **state)
{
    (void)state;
    for (int square = 0; square < 2; square++) {
        struct way way;
        begin_way(&way, square ? forward_square : forward_softmax);
        add_input(&way, tensors_random(&way.t, TENSOR_F32, S(4, 5)));
        add_output(&way, S(4));
        op_fill(way.t.backend, 0.25f, &way.r[0]);
        way.work[0] = tensors_whole(&way.t, 4, 5);
        way.work[1] = tensors_zeros(&way.t, TENSOR_I32, S(4));
        way.work[2] = tensors_random(&way.t, TENSOR_F32, S(4, 5));
        if (square)
            op_square_loss(way.t.backend, &way.x[0], &way.work[2], &way.y[0], &way.dx[0]);
        else
            op_softmax_loss(way.t.backend, &way.x[0], &way.work[0], 0.1f, &way.y[0], &way.work[1], &way.dx[0]);
        check_gradients(&way, square ? "squared error" : "cross entropy");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_of_products_agree_with_differences),
        cmocka_unit_test(gradients_of_convolutions_agree_with_differences),
        cmocka_unit_test(gradients_of_pools_agree_with_differences),
        cmocka_unit_test(gradients_of_activations_agree_with_differences),
        cmocka_unit_test(gradients_of_normalisations_agree_with_differences),
        cmocka_unit_test(gradients_of_lstm_steps_agree_with_differences),
        cmocka_unit_test(gradients_of_means_over_steps_agree_with_differences),
        cmocka_unit_test(gradients_of_attention_agree_with_differences),
        cmocka_unit_test(gradients_of_losses_agree_with_differences),
    };
    return cmocka_run_group_tests_name("operation_gradients", tests, NULL, NULL);
}
