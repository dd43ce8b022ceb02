/* Sequences of different lengths in one batch: losses and gradients are those of the sequences alone, to rounding,
 * whatever fills them up. */
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/network_cases.h"
#include "tests/tensors.h"

#include <math.h>
#include <stdlib.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

enum { B = 4, T = 70, TOKENS = 7, FEATURES = 3, CLASSES = 3 };

/* Longer than a block of attention, of one step, and between. */
static const int32_t lengths[B] = {T, 1, 66, 30};
static const int32_t labels[B] = {2, 0, 1, 2};

#define PART(...)                                                                                                      \
    {                                                                                                                  \
        .kind = &layer_residual, .activation = ACTIVATION_NONE, .inner = LIST(__VA_ARGS__)                             \
    }
#define ENCODER(causal)                                                                                                \
    POSITIONS(false), PART(LAYER_NORM, ROWS(24, NONE), ATTENTION(2, causal, 0), ROWS(8, NONE)),                        \
        PART(LAYER_NORM, ROWS(16, GELU), ROWS(8, NONE)), LAYER_NORM, MEAN_STEP, DENSE(CLASSES, NONE)

static const struct {
    const char *about;
    const struct layer_setting *settings;
} cases[] = {
    {"transformer of tokens", LIST(EMBEDDING(TOKENS, 8), ENCODER(false))},
    {"causal transformer of tokens", LIST(EMBEDDING(TOKENS, 8), ENCODER(true))},
    {"transformer of numbers", LIST(ROWS(8, NONE), ENCODER(false))},
    {"LSTM", LIST(LSTM(5, false), DENSE(CLASSES, NONE))},
    {"LSTM of two layers", LIST(LSTM(5, true), LSTM(4, false), DENSE(CLASSES, NONE))},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Losses, and the gradients of all weights by their mean, of a batch that goes through a network of its own. */
struct result {
    double *losses, *gradients;
    size_t weights;
};

static void result_fini(struct result *result)
{
    free(result->losses);
    free(result->gradients);
}

static struct result run(struct tensors *t, const struct layer_setting *settings, enum tensor_type type,
                         const struct tensor *x, const int32_t *own_labels, const int32_t *own_lengths)
{
    struct err err = {0};
    size_t count = x->size[0];
    struct network *network = network_create(t->backend, type, x, settings, 11, &err);
    if (!network)
        fail_msg("%s", err.text);
    struct tensor of = tensors_zeros(t, TENSOR_I32, S(count)), losses = tensors_zeros(t, TENSOR_F32, S(count));
    struct tensor hits = tensors_zeros(t, TENSOR_I32, S(count)), dy = tensors_zeros(t, TENSOR_F32, S(count, CLASSES));
    op_upload(t->backend, own_labels, &of);
    if (own_lengths) {
        network->lengths = tensors_zeros(t, TENSOR_I32, S(count));
        op_upload(t->backend, own_lengths, &network->lengths);
    }
    op_softmax_loss(t->backend, network_forward(network, x, true), &of, 0, &losses, &hits, &dy);
    network_backward(network, x, &dy);
    struct result result = {tensors_read(t, &losses), tensors_read(t, &network->gradients),
                            tensor_count(&network->gradients)};
    network_destroy(network);
    return result;
}

/* Some examples of so many steps; what lies behind their lengths is other numbers, and larger ones. */
static struct tensor draw_batch(struct tensors *t, bool tokens)
{
    if (tokens) {
        struct tensor x = tensor_make(TENSOR_I32, 2, S(B, T));
        x.at = tensors_whole(t, B * T, TOKENS).at;
        return x;
    }
    struct tensor x = tensors_random(t, TENSOR_F32, S(B, T, FEATURES));
    for (size_t b = 0; b < B; b++)
        for (size_t i = (size_t)lengths[b] * FEATURES; i < T * FEATURES; i++)
            tensors_set(t, &x, b * T * FEATURES + i, i % 2 ? 300 : -100);
    return x;
}

/* Example b as it is, without padding. */
static struct tensor take_alone(const struct tensor *x, size_t b)
{
    struct tensor one = tensor_slice(x, b, 1);
    one.size[1] = (size_t)lengths[b];
    return one;
}

static void assert_near(const char *about, const char *backend, const char *what, double is, double wanted,
                        double within)
{
    if (!(fabs(is - wanted) <= within * fmax(1, fabs(wanted))))
        fail_msg("%s, %s: a %s is %.9g, and alone %.9g", about, backend, what, is, wanted);
}

static void compare(const struct backend_kind *kind, size_t which, enum tensor_type type, double within)
{
    struct tensors t;
    tensors_open(&t, kind, 31);
    const struct layer_setting *settings = cases[which].settings;
    struct tensor x = draw_batch(&t, settings->tokens);
    struct result together = run(&t, settings, type, &x, labels, lengths);
    double *sum = MEM_ARRAY(double, together.weights);
    for (size_t b = 0; b < B; b++) {
        struct tensor one = take_alone(&x, b);
        struct result alone = run(&t, settings, type, &one, &labels[b], NULL);
        assert_int_equal(alone.weights, together.weights);
        assert_near(cases[which].about, kind->name, "loss", together.losses[b], alone.losses[0], within);
        for (size_t i = 0; i < alone.weights; i++)
            sum[i] += alone.gradients[i] / B;
        result_fini(&alone);
    }
    for (size_t i = 0; i < together.weights; i++)
        assert_near(cases[which].about, kind->name, "gradient", together.gradients[i], sum[i], within);
    free(sum);
    result_fini(&together);
    tensors_close(&t);
}

static void a_padded_batch_comes_to_what_its_sequences_come_to_alone(void **state)
{
    (void)state;
    for (size_t k = 0; backend_list[k]; k++)
        for (size_t which = 0; which < CASES; which++)
            compare(backend_list[k], which, TENSOR_F32, 2e-5);
}

/* The plain loops round as a processor with bf16 does. */
static void so_it_does_in_bf16(void **state)
{
    (void)state;
    for (size_t which = 0; which < CASES; which++)
        compare(&backend_ref, which, TENSOR_BF16, 1e-2);
}

/* What fills up is not looked at: other numbers give the same bits. */
static void what_fills_up_changes_no_bit(void **state)
{
    (void)state;
    for (size_t k = 0; backend_list[k]; k++)
        for (size_t which = 0; which < CASES; which++) {
            struct tensors t;
            tensors_open(&t, backend_list[k], 32);
            const struct layer_setting *settings = cases[which].settings;
            struct tensor x = draw_batch(&t, settings->tokens);
            struct result first = run(&t, settings, TENSOR_F32, &x, labels, lengths);
            size_t width = tensor_width(&x) / T;
            struct tensor flat = tensor_flat(&x);
            for (size_t i = 0; i < B * T * width; i++)
                if (i / width % T >= (size_t)lengths[i / width / T]) {
                    struct tensor one = tensor_slice(&flat, i, 1);
                    op_upload(t.backend, settings->tokens ? (void *)&(int32_t){3} : &(float){1e6f}, &one);
                }
            struct result second = run(&t, settings, TENSOR_F32, &x, labels, lengths);
            assert_memory_equal(first.losses, second.losses, B * sizeof *first.losses);
            assert_memory_equal(first.gradients, second.gradients, first.weights * sizeof *first.gradients);
            result_fini(&first);
            result_fini(&second);
            tensors_close(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_padded_batch_comes_to_what_its_sequences_come_to_alone),
        cmocka_unit_test(so_it_does_in_bf16),
        cmocka_unit_test(what_fills_up_changes_no_bit),
    };
    return cmocka_run_group_tests_name("lengths", tests, NULL, NULL);
}
