/* Every operation on random shapes; see operation_cases.h. */
#include "tests/operation_cases.h"

#include "tests/stack_cases.h"

#define S(...) TENSORS_SIZES(__VA_ARGS__)

static struct tensor random_like(struct tensors *t, const struct tensor *like)
{
    return tensors_random(t, like->type, S(like->size[0], like->size[1], like->size[2], like->size[3]));
}

static struct tensor zeros_like(struct tensors *t, const struct tensor *like, enum tensor_type type)
{
    return tensors_zeros(t, type, S(like->size[0], like->size[1], like->size[2], like->size[3]));
}

static enum activation draw_activation(struct tensors *t)
{
    return (enum activation)rng_below(&t->rng, ACTIVATIONS_COUNT);
}

/* --- products --- */

static void run_dense(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 70), I = tensors_size(t, 130), O = tensors_size(t, 130);
    enum activation f = draw_activation(t);
    bool biased = rng_below(&t->rng, 4) > 0;
    struct tensor x = tensors_random(t, type, S(B, I)), w = tensors_random(t, type, S(O, I));
    struct tensor b = tensors_random(t, TENSOR_F32, S(O)), y = tensors_zeros(t, type, S(B, O));
    struct tensor dz = tensors_random(t, type, S(B, O)), dx = tensors_zeros(t, type, S(B, I));
    struct tensor dw = tensors_random(t, TENSOR_F32, S(O, I)), db = tensors_random(t, TENSOR_F32, S(O));
    op_dense(t->backend, &x, &w, biased ? &b : NULL, f, &y);
    op_dense_back_data(t->backend, &dz, &w, &dx);
    op_dense_back_weights(t->backend, &x, &dz, &dw, biased ? &db : NULL);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    tensors_result(t, &dw);
    tensors_result(t, &db);
}

/* Rows with a share of zeros, as a relu and dropout leave them. */
static struct tensor random_zeros(struct tensors *t, size_t rows, size_t columns)
{
    struct tensor made = tensors_random(t, TENSOR_F32, S(rows, columns));
    float share = (float)rng_below(&t->rng, 10) / 10;
    op_activate(t->backend, ACTIVATION_RELU, &made, &made);
    op_dropout(t->backend, share, t->rng.state, 0, &made, &made);
    return made;
}

/* Large enough that zeros are left out. */
static void run_dense_of_zeros(struct tensors *t, enum tensor_type type)
{
    size_t B = 70 + tensors_size(t, 60), I = 190 + tensors_size(t, 130), O = 90 + tensors_size(t, 90);
    enum activation f = draw_activation(t);
    bool biased = rng_below(&t->rng, 4) > 0;
    (void)type;
    struct tensor x = random_zeros(t, B, I), w = tensors_random(t, TENSOR_F32, S(O, I));
    struct tensor b = tensors_random(t, TENSOR_F32, S(O)), y = tensors_zeros(t, TENSOR_F32, S(B, O));
    struct tensor dz = random_zeros(t, B, O), dx = tensors_random(t, TENSOR_F32, S(B, I));
    struct tensor dw = tensors_random(t, TENSOR_F32, S(O, I)), db = tensors_random(t, TENSOR_F32, S(O));
    op_dense(t->backend, &x, &w, biased ? &b : NULL, f, &y);
    op_dense_back_data(t->backend, &dz, &w, &dx);
    op_dense_back_weights(t->backend, &x, &dz, &dw, biased ? &db : NULL);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    tensors_result(t, &dw);
    tensors_result(t, &db);
}

static struct window draw_window(struct tensors *t, size_t most)
{
    struct window window = {tensors_size(t, most), tensors_size(t, most), tensors_size(t, 2), 0};
    size_t smaller = window.height < window.width ? window.height : window.width;
    window.padding = (size_t)rng_below(&t->rng, smaller);
    return window;
}

/* Images that the window fits into. */
static struct tensor draw_images(struct tensors *t, enum tensor_type type, const struct window *window)
{
    size_t B = tensors_size(t, 4), H = window->height + tensors_size(t, 9), W = window->width + tensors_size(t, 9);
    size_t C = rng_below(&t->rng, 3) ? tensors_size(t, 20) : 16 * tensors_size(t, 3);
    return tensors_random(t, type, S(B, H, W, C));
}

static struct tensor windows_of(struct tensors *t, const struct window *window, const struct tensor *x, size_t channels)
{
    return tensors_random(t, x->type,
                          S(x->size[0], window_places(window, x->size[1], window->height),
                            window_places(window, x->size[2], window->width), channels));
}

static void run_conv(struct tensors *t, enum tensor_type type)
{
    struct window window = draw_window(t, 5);
    enum activation f = draw_activation(t);
    bool biased = rng_below(&t->rng, 4) > 0;
    struct tensor x = draw_images(t, type, &window);
    size_t I = x.size[3], O = rng_below(&t->rng, 2) ? tensors_size(t, 20) : 16;
    struct tensor w = tensors_random(t, type, S(O, window.height, window.width, I));
    struct tensor b = tensors_random(t, TENSOR_F32, S(O)), y = windows_of(t, &window, &x, O);
    struct tensor dz = random_like(t, &y), dx = random_like(t, &x);
    struct tensor dw = tensors_random(t, TENSOR_F32, S(O, window.height, window.width, I));
    struct tensor db = tensors_random(t, TENSOR_F32, S(O));
    op_conv(t->backend, &window, &x, &w, biased ? &b : NULL, f, &y);
    op_conv_back_data(t->backend, &window, &dz, &w, &dx);
    op_conv_back_weights(t->backend, &window, &x, &dz, &dw, biased ? &db : NULL);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    tensors_result(t, &dw);
    tensors_result(t, &db);
}

static void run_pools(struct tensors *t, enum tensor_type type)
{
    struct window window = draw_window(t, 4);
    struct tensor x = draw_images(t, type, &window), y = windows_of(t, &window, &x, x.size[3]);
    struct tensor where = zeros_like(t, &y, TENSOR_I32), dy = random_like(t, &y), dx = random_like(t, &x);
    op_pool_max(t->backend, &window, &x, &y, &where);
    op_pool_max_back(t->backend, &window, &dy, &where, &dx);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    op_pool_mean(t->backend, &window, &x, &y);
    op_pool_mean_back(t->backend, &window, &dy, &dx);
    tensors_result(t, &y);
    tensors_result(t, &dx);
}

/* Of equal pixels the first is the largest, as after a relu. */
static void run_pool_of_equals(struct tensors *t, enum tensor_type type)
{
    struct window window = draw_window(t, 4);
    struct tensor x = draw_images(t, type, &window), y = windows_of(t, &window, &x, x.size[3]);
    struct tensor where = zeros_like(t, &y, TENSOR_I32), dy = random_like(t, &y), dx = random_like(t, &x);
    op_activate(t->backend, ACTIVATION_RELU, &x, &x);
    op_pool_max(t->backend, &window, &x, &y, &where);
    op_pool_max_back(t->backend, &window, &dy, &where, &dx);
    tensors_result(t, &dx);
}

/* --- normalisation --- */

static struct norm draw_norm(struct tensors *t, size_t C, size_t statistics)
{
    return (struct norm){.gamma = tensors_random(t, TENSOR_F32, S(C)),
                         .beta = tensors_random(t, TENSOR_F32, S(C)),
                         .mean = tensors_zeros(t, TENSOR_F32, S(statistics)),
                         .variance = tensors_zeros(t, TENSOR_F32, S(statistics)),
                         .epsilon = 1e-3f};
}

static void run_batch_norm(struct tensors *t, enum tensor_type type)
{
    bool images = rng_below(&t->rng, 2);
    size_t B = 1 + tensors_size(t, 40), C = tensors_size(t, 40);
    struct tensor x = tensors_random(t, type, images ? S(B, tensors_size(t, 5), tensors_size(t, 5), C) : S(B, C));
    struct norm norm = draw_norm(t, C, C);
    struct tensor y = random_like(t, &x), dy = random_like(t, &x), dx = random_like(t, &x);
    struct tensor dgamma = tensors_zeros(t, TENSOR_F32, S(C)), dbeta = tensors_zeros(t, TENSOR_F32, S(C));
    op_batch_norm(t->backend, &norm, &x, &y);
    op_batch_norm_back(t->backend, &norm, &x, &dy, &dx, &dgamma, &dbeta);
    tensors_result(t, &y);
    tensors_result(t, &norm.mean);
    tensors_result(t, &norm.variance);
    tensors_result(t, &dx);
    tensors_result(t, &dgamma);
    tensors_result(t, &dbeta);
    op_batch_norm_apply(t->backend, &norm, &dy, &y);
    tensors_result(t, &y);
}

static void run_layer_norm(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 40), C = 2 + tensors_size(t, 60);
    struct tensor x = tensors_random(t, type, S(B, C));
    struct norm norm = draw_norm(t, C, B);
    struct tensor y = random_like(t, &x), dy = random_like(t, &x), dx = random_like(t, &x);
    struct tensor dgamma = tensors_zeros(t, type, S(C)), dbeta = tensors_zeros(t, type, S(C));
    op_layer_norm(t->backend, &norm, &x, &y);
    op_layer_norm_back(t->backend, &norm, &x, &dy, &dx, &dgamma, &dbeta);
    tensors_result(t, &y);
    tensors_result(t, &norm.mean);
    tensors_result(t, &norm.variance);
    tensors_result(t, &dx);
    tensors_result(t, &dgamma);
    tensors_result(t, &dbeta);
}

/* --- element by element --- */

static void run_activations(struct tensors *t, enum tensor_type type)
{
    for (int f = 0; f < ACTIVATIONS_COUNT; f++) {
        struct tensor z = tensors_random(t, type, S(tensors_size(t, 70), tensors_size(t, 130)));
        struct tensor a = random_like(t, &z), da = random_like(t, &z);
        op_activate(t->backend, (enum activation)f, &z, &a);
        tensors_result(t, &a);
        op_activate_back(t->backend, (enum activation)f, activation_forgets((enum activation)f) ? &a : &z, &da, &da);
        tensors_result(t, &da); /* in place */
    }
}

static void run_dropout(struct tensors *t, enum tensor_type type)
{
    struct tensor x = tensors_random(t, type, S(tensors_size(t, 30), tensors_size(t, 30))), y = random_like(t, &x);
    uint64_t stream = rng_next(&t->rng);
    op_dropout(t->backend, 0.3f, stream, 0, &x, &y);
    op_dropout(t->backend, 0.3f, stream, 0, &x, &x);
    tensors_result(t, &y);
    tensors_result(t, &x);
    op_dropout(t->backend, 0.3f, stream, 3, &x, &y);
    tensors_result(t, &y);
}

static void run_elements(struct tensors *t, enum tensor_type type)
{
    struct tensor a = tensors_random(t, type, S(tensors_size(t, 30), tensors_size(t, 30))), b = random_like(t, &a);
    struct tensor y = random_like(t, &a), wide = zeros_like(t, &a, TENSOR_F32), third = zeros_like(t, &a, TENSOR_F32);
    op_add(t->backend, &a, &b, &y);
    tensors_result(t, &y);
    op_mix(t->backend, 0.25f, &a, 0.5f, &y);
    tensors_result(t, &y);
    op_mix(t->backend, 2, &b, 0, &y);
    tensors_result(t, &y);
    op_cast(t->backend, &a, &wide);
    op_mix(t->backend, 1.0f / 3, &wide, 0, &third);
    op_cast(t->backend, &third, &a);
    tensors_result(t, &a);
    op_fill(t->backend, -1.5f, &b);
    op_copy(t->backend, &b, &y);
    tensors_result(t, &y);
}

static void run_gather(struct tensors *t, enum tensor_type type)
{
    size_t N = tensors_size(t, 50), B = tensors_size(t, 60), I = tensors_size(t, 30);
    struct tensor table = tensors_random(t, type, S(N, I)), places = tensors_whole(t, B, N);
    struct tensor labels = tensors_whole(t, N, 10), of = tensors_zeros(t, TENSOR_I32, S(B));
    struct tensor y = tensors_zeros(t, type, S(B, I));
    op_gather(t->backend, &table, &places, &y);
    op_gather(t->backend, &labels, &places, &of);
    tensors_result(t, &y);
    tensors_result(t, &of);
}

static void run_embedding(struct tensors *t, enum tensor_type type)
{
    size_t N = tensors_size(t, 50), B = tensors_size(t, 60), I = tensors_size(t, 30);
    struct tensor dtable = tensors_random(t, type, S(N, I)), places = tensors_whole(t, B, N);
    struct tensor dy = tensors_random(t, type, S(B, I));
    op_gather_back(t->backend, &dy, &places, &dtable);
    tensors_result(t, &dtable);
}

static void run_each(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 20), T = tensors_size(t, 20), D = tensors_size(t, 20);
    struct tensor x = tensors_random(t, type, S(B, T, D)), one = tensors_random(t, type, S(T, D));
    struct tensor y = random_like(t, &x), sum = random_like(t, &one);
    op_add_each(t->backend, &x, &one, &y);
    op_sum_each(t->backend, &x, &sum);
    op_add_each(t->backend, &x, &one, &x);
    tensors_result(t, &y);
    tensors_result(t, &sum);
    tensors_result(t, &x);
}

static void run_attention(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 3), N = tensors_size(t, 4), K = tensors_size(t, 40), D = N * K;
    size_t T = tensors_size(t, rng_below(&t->rng, 4) ? 40 : 200);
    struct attention how = {.heads = N, .causal = rng_below(&t->rng, 2), .stream = t->rng.state};
    how.dropped = rng_below(&t->rng, 2) ? 0.3f : 0;
    struct tensor lengths = tensors_lengths(t, B, T);
    how.lengths = rng_below(&t->rng, 2) ? &lengths : NULL;
    struct tensor qkv = tensors_random(t, type, S(B, T, 3 * D)), kept = tensors_zeros(t, TENSOR_F32, S(B, N, T));
    struct tensor y = tensors_random(t, type, S(B, T, D)), dy = random_like(t, &y), dqkv = random_like(t, &qkv);
    op_attention(t->backend, &how, &qkv, &kept, &y);
    op_attention_back(t->backend, &how, &qkv, &kept, &y, &dy, &dqkv);
    tensors_result(t, &y);
    tensors_result(t, &kept);
    tensors_result(t, &dqkv);
}

static void run_mean_steps(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 20), T = tensors_size(t, 20), D = tensors_size(t, 40);
    struct tensor x = tensors_random(t, type, S(B, T, D)), lengths = tensors_lengths(t, B, T);
    struct tensor y = tensors_random(t, type, S(B, D)), dy = random_like(t, &y), dx = random_like(t, &x);
    op_mean_steps(t->backend, &x, &lengths, &y);
    op_mean_steps_back(t->backend, &dy, &lengths, &dx);
    tensors_result(t, &y);
    tensors_result(t, &dx);
}

static void run_swap(struct tensors *t, enum tensor_type type)
{
    size_t I = tensors_size(t, 20), J = tensors_size(t, 20), K = tensors_size(t, 10);
    struct tensor x = tensors_random(t, type, S(I, J, K)), y = tensors_zeros(t, type, S(J, I, K));
    op_swap(t->backend, &x, &y);
    tensors_result(t, &y);
}

/* With the gradient of every step, and of the last one alone. */
static void run_lstm(struct tensors *t, enum tensor_type type)
{
    size_t T = tensors_size(t, 6), B = tensors_size(t, 20), H = tensors_size(t, 40);
    struct tensor w = tensors_random(t, type, S(4 * H, H)), c = tensors_zeros(t, type, S(T, B, H)),
                  h = random_like(t, &c);
    struct tensor dh = tensors_random(t, type, S(B, H)), dc = random_like(t, &dh);
    struct tensor drawn = tensors_lengths(t, B, T), *lengths = rng_below(&t->rng, 2) ? &drawn : NULL;
    op_scale(t->backend, 0.3f, &w, NULL); /* states of size 1 at most: sums that are not far from 0 */
    for (int every = 0; every < 2; every++) {
        struct tensor z = tensors_random(t, type, S(T, B, 4 * H)), dy = tensors_random(t, type, S(every ? T : 1, B, H));
        op_lstm(t->backend, &w, lengths, &z, &c, &h);
        tensors_result(t, &z);
        tensors_result(t, &c);
        tensors_result(t, &h);
        op_lstm_back(t->backend, &w, lengths, &c, &dy, &z, &dh, &dc);
        tensors_result(t, &z);
    }
}

static void run_scale(struct tensors *t, enum tensor_type type)
{
    struct tensor x = tensors_random(t, type, S(tensors_size(t, 500))), finite = tensors_whole(t, 1, 1);
    if (rng_below(&t->rng, 3) == 0)
        tensors_set(t, &x, rng_below(&t->rng, tensor_count(&x)), 3e38f);
    op_scale(t->backend, 2, &x, &finite);
    tensors_result(t, &finite);
    tensors_set(t, &x, 0, 0);
    op_scale(t->backend, 0.25f, &x, NULL);
    tensors_result(t, &finite);
}

/* --- losses, optimizers --- */

static void run_losses(struct tensors *t, enum tensor_type type)
{
    size_t B = tensors_size(t, 50), C = tensors_size(t, 30);
    struct tensor z = tensors_random(t, type, S(B, C)), targets = tensors_random(t, type, S(B, C));
    struct tensor labels = tensors_whole(t, B, C), losses = tensors_zeros(t, TENSOR_F32, S(B));
    struct tensor hits = tensors_zeros(t, TENSOR_I32, S(B)), dz = random_like(t, &z);
    for (int smooth = 0; smooth < 2; smooth++) {
        op_softmax_loss(t->backend, &z, &labels, smooth ? 0.1f : 0, &losses, &hits, &dz);
        tensors_result(t, &losses);
        tensors_result(t, &hits);
        tensors_result(t, &dz);
    }
    op_softmax_loss(t->backend, &targets, &labels, 0, &losses, &hits, NULL);
    tensors_result(t, &losses);
    op_square_loss(t->backend, &z, &targets, &losses, &dz);
    tensors_result(t, &losses);
    tensors_result(t, &dz);
}

static void run_optimizers(struct tensors *t, enum tensor_type type)
{
    static const struct update updates[] = {
        {.kind = UPDATE_SGD},
        {.kind = UPDATE_SGD, .momentum = 0.9f},
        {.kind = UPDATE_SGD, .momentum = 0.9f, .nesterov = true},
        {.kind = UPDATE_ADAM, .beta1 = 0.9f, .beta2 = 0.99f, .epsilon = 1e-4f, .scale = 3},
        {.kind = UPDATE_RMSPROP, .momentum = 0.5f, .beta2 = 0.9f, .epsilon = 1e-4f},
        {.kind = UPDATE_ADADELTA, .beta2 = 0.9f, .epsilon = 1e-4f},
        {.kind = UPDATE_LARS, .momentum = 0.9f, .trust = 0.1f},
    };
    size_t P = tensors_size(t, 300);
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        struct update update = updates[i];
        update.lr = 0.1f;
        update.l2 = 0.01f;
        update.keep = 0.99f;
        struct tensor w = tensors_random(t, type, S(P)), dw = tensors_random(t, type, S(P));
        struct tensor first = tensors_zeros(t, type, S(P)), second = tensors_zeros(t, type, S(P));
        op_clip(t->backend, i % 2 ? 1 : 1e6f, &dw);
        op_update(t->backend, &update, &w, &dw, &first, &second);
        op_update(t->backend, &update, &w, &dw, &first, &second);
        tensors_result(t, &dw);
        tensors_result(t, &w);
        tensors_result(t, &first);
        tensors_result(t, &second);
    }
}

/* Sums of some hundreds of products of size 1 in another order differ by about 1e-5. */
const struct operation_case operation_cases[] = {
    {"dense", run_dense, true, 1e-4},
    {"dense of zeros", run_dense_of_zeros, false, 1e-4},
    {"convolution", run_conv, true, 2e-4},
    {"pooling", run_pools, true, 1e-5},
    {"pooling of equal pixels", run_pool_of_equals, true, 1e-5},
    {"batch normalisation", run_batch_norm, true, 1e-4},
    {"layer normalisation", run_layer_norm, false, 1e-4},
    {"activations", run_activations, true, 1e-5},
    {"dropout", run_dropout, true, 1e-6},
    {"element by element", run_elements, true, 1e-6},
    {"scaling", run_scale, false, 0},
    {"rows of a table", run_gather, true, 0},
    {"rows of a table, back", run_embedding, false, 0},
    {"examples alike", run_each, false, 1e-6},
    {"attention", run_attention, true, 1e-4},
    {"means over steps", run_mean_steps, true, 1e-5},
    {"axes that change places", run_swap, true, 0},
    {"LSTM steps", run_lstm, false, 1e-4},
    {"losses", run_losses, false, 1e-5},
    {"optimizers", run_optimizers, false, 1e-5},
    {"dense of several networks", stack_cases_dense, false, 1e-4},
    {"losses and dropout of several networks", stack_cases_batch, false, 1e-5},
    {"optimizers of several networks", stack_cases_update, false, 1e-5},
    {0},
};
