/* The plain loops against values worked out by hand. */
#include "tests/claims.h"
#include "tests/tensors.h"
#include "worker/backend/random.h"

#include <math.h>
#include <stdlib.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

static void assert_numbers(struct tensors *t, const struct tensor *tensor, const double *wanted)
{
    double *numbers = tensors_read(t, tensor);
    for (size_t i = 0; i < tensor_count(tensor); i++)
        if (!(fabs(numbers[i] - wanted[i]) <= 1e-6 * fmax(1, fabs(wanted[i]))))
            fail_msg("number %d is %.9g, wanted %.9g", (int)i, numbers[i], wanted[i]);
    free(numbers);
}

static void products_are_what_is_written(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_given(&t, (float[]){1, 2, 3, -1, 0, 1}, S(2, 3));
    struct tensor w = tensors_given(&t, (float[]){1, 0, -1, 2, 1, 0}, S(2, 3));
    struct tensor b = tensors_given(&t, (float[]){10, 20}, S(2)), db = tensors_zeros(&t, TENSOR_F32, S(2));
    struct tensor dz = tensors_given(&t, (float[]){1, 2, 3, 4}, S(2, 2)), y = tensors_zeros(&t, TENSOR_F32, S(2, 2));
    struct tensor dx = tensors_zeros(&t, TENSOR_F32, S(2, 3)), dw = tensors_zeros(&t, TENSOR_F32, S(2, 3));
    op_dense(t.backend, &x, &w, &b, ACTIVATION_NONE, &y);
    op_dense_back_data(t.backend, &dz, &w, &dx);
    op_dense_back_weights(t.backend, &x, &dz, &dw, &db);
    assert_numbers(&t, &y, (double[]){8, 24, 8, 18});
    assert_numbers(&t, &dx, (double[]){5, 2, -1, 11, 4, -3});
    assert_numbers(&t, &dw, (double[]){-2, 2, 6, -2, 4, 10});
    assert_numbers(&t, &db, (double[]){4, 6});
    op_dense(t.backend, &x, &w, NULL, ACTIVATION_RELU, &y);
    assert_numbers(&t, &y, (double[]){0, 4, 0, 0});
    tensors_close(&t);
}

static void products_in_bf16_are_counted_apart(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_zeros(&t, TENSOR_BF16, S(2, 3)), w = tensors_zeros(&t, TENSOR_BF16, S(4, 3)),
                  y = tensors_zeros(&t, TENSOR_BF16, S(2, 4));
    struct tensor wide_x = tensors_zeros(&t, TENSOR_F32, S(2, 3)), wide_w = tensors_zeros(&t, TENSOR_F32, S(4, 3)),
                  wide_y = tensors_zeros(&t, TENSOR_F32, S(2, 4));
    const struct operation_count *count = &t.backend->counts[OPERATION_dense];
    op_dense(t.backend, &wide_x, &wide_w, NULL, ACTIVATION_NONE, &wide_y);
    assert_true(count->flops > 0 && count->flops_bf16 == 0);
    double wide = count->flops;
    op_dense(t.backend, &x, &w, NULL, ACTIVATION_NONE, &y);
    assert_true(count->flops_bf16 == wide && count->flops == 2 * wide);
    tensors_close(&t);
}

/* An image of 3 x 3 pixels 1 .. 9 and the kernel 1 2 / 3 4, with a bias of 100: without padding, and with stride 2 and
 * one row and column of zeros around. */
static void convolutions_are_what_is_written(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_given(&t, (float[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, S(1, 3, 3, 1));
    struct tensor w = tensors_given(&t, (float[]){1, 2, 3, 4}, S(1, 2, 2, 1)),
                  b = tensors_given(&t, (float[]){100}, S(1));
    struct tensor y = tensors_zeros(&t, TENSOR_F32, S(1, 2, 2, 1));
    op_conv(t.backend, &(struct window){2, 2, 1, 0}, &x, &w, &b, ACTIVATION_NONE, &y);
    assert_numbers(&t, &y, (double[]){137, 147, 167, 177});
    op_conv(t.backend, &(struct window){2, 2, 2, 1}, &x, &w, &b, ACTIVATION_NONE, &y);
    assert_numbers(&t, &y, (double[]){104, 118, 136, 177});
    tensors_close(&t);
}

static void pools_take_the_largest_and_the_mean(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_given(&t, (float[]){1, 5, 3, 5, 2, 6, 7, 8, -9}, S(1, 3, 3, 1));
    struct tensor y = tensors_zeros(&t, TENSOR_F32, S(1, 2, 2, 1)),
                  where = tensors_zeros(&t, TENSOR_I32, S(1, 2, 2, 1));
    struct tensor dy = tensors_given(&t, (float[]){1, 10, 100, 1000}, S(1, 2, 2, 1)),
                  dx = tensors_zeros(&t, TENSOR_F32, S(1, 3, 3, 1));
    struct window window = {2, 2, 1, 0}, padded = {2, 2, 2, 1};
    op_pool_max(t.backend, &window, &x, &y, &where);
    assert_numbers(&t, &y, (double[]){5, 6, 8, 8});
    op_pool_max_back(t.backend, &window, &dy, &where, &dx);
    assert_numbers(&t, &dx, (double[]){0, 1, 0, 0, 0, 10, 0, 1100, 0});
    op_pool_mean(t.backend, &padded, &x, &y); /* 1; 5 and 3; 5 and 7; 2, 6, 8 and -9 */
    assert_numbers(&t, &y, (double[]){1, 4, 6, 1.75});
    op_pool_mean_back(t.backend, &padded, &dy, &dx);
    assert_numbers(&t, &dx, (double[]){1, 5, 5, 50, 250, 250, 50, 250, 250});
    tensors_close(&t);
}

static void activations_have_their_known_values(void **state)
{
    (void)state;
    static const double wanted[][3] = {[ACTIVATION_RELU] = {0, 0, 2},
                                       [ACTIVATION_TANH] = {-0.96402758, 0, 0.96402758},
                                       [ACTIVATION_SIGMOID] = {0.11920292, 0.5, 0.88079708},
                                       [ACTIVATION_GELU] = {-0.04550026, 0, 1.95449974},
                                       [ACTIVATION_NONE] = {-2, 0, 2}};
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor z = tensors_given(&t, (float[]){-2, 0, 2}, S(3)), a = tensors_zeros(&t, TENSOR_F32, S(3));
    for (int f = 0; f < ACTIVATIONS_COUNT; f++) {
        op_activate(t.backend, (enum activation)f, &z, &a);
        assert_numbers(&t, &a, wanted[f]);
    }
    tensors_close(&t);
}

static void dropout_drops_its_share_and_keeps_the_sum(void **state)
{
    (void)state;
    enum { MANY = 40000 };
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_zeros(&t, TENSOR_F32, S(MANY)), y = tensors_zeros(&t, TENSOR_F32, S(MANY));
    op_fill(t.backend, 3, &x);
    op_dropout(t.backend, 0.25f, 17, 0, &x, &y);
    double *numbers = tensors_read(&t, &y), dropped = 0;
    for (size_t i = 0; i < MANY; i++) {
        dropped += numbers[i] == 0;
        assert_true(numbers[i] == 0 || numbers[i] == 4);
    }
    assert_true(fabs(dropped / MANY - 0.25) < 0.02); /* the deviation of a share is 0.002 */
    free(numbers);
    tensors_close(&t);
}

/* Ranks that train together have parts of a batch each. */
static void dropout_of_a_part_is_that_of_the_whole(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor x = tensors_zeros(&t, TENSOR_F32, S(MANY)), y = tensors_zeros(&t, TENSOR_F32, S(MANY));
    op_fill(t.backend, 3, &x);
    op_dropout(t.backend, 0.25f, 17, 0, &x, &y);
    double *whole = tensors_read(&t, &y);
    for (size_t from = 0; from < 9; from++) {
        struct tensor part = tensor_slice(&x, from, MANY - from), out = tensor_slice(&y, from, MANY - from);
        op_fill(t.backend, 7, &out);
        op_dropout(t.backend, 0.25f, random_after(17, from / RANDOM_A_DRAW * RANDOM_A_DRAW), from % RANDOM_A_DRAW,
                   &part, &out);
        assert_numbers(&t, &y, whole);
    }
    free(whole);
    tensors_close(&t);
}

static void bf16_rounds_to_the_nearest_of_8_bits(void **state)
{
    (void)state;
    assert_true(tensor_from_bf16(tensor_to_bf16(1.0f)) == 1.0f);
    assert_true(tensor_from_bf16(tensor_to_bf16(1.0f + 1.0f / 256)) == 1.0f);              /* a tie: to even */
    assert_true(tensor_from_bf16(tensor_to_bf16(1.0f + 3.0f / 256)) == 1.0f + 4.0f / 256); /* a tie: to even */
    assert_true(tensor_from_bf16(tensor_to_bf16(1.0f + 1.01f / 256)) == 1.0f + 2.0f / 256);
    assert_true(isnan(tensor_from_bf16(tensor_to_bf16(NAN))));
    assert_true(isinf(tensor_from_bf16(tensor_to_bf16(3.4e38f))));
}

static void equal_outputs_lose_the_logarithm_of_the_classes(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor z = tensors_given(&t, (float[]){3, 3, 3, 3, -1, -1, -1, -1, 1000, -1000, 1000, -1000}, S(3, 4));
    struct tensor labels = tensors_zeros(&t, TENSOR_I32, S(3)), losses = tensors_zeros(&t, TENSOR_F32, S(3));
    struct tensor hits = tensors_zeros(&t, TENSOR_I32, S(3)), dz = tensors_zeros(&t, TENSOR_F32, S(3, 4));
    op_upload(t.backend, (int32_t[]){0, 2, 1}, &labels);
    op_softmax_loss(t.backend, &z, &labels, 0, &losses, &hits, &dz);
    assert_numbers(&t, &losses, (double[]){log(4), log(4), 2000 + (double)logf(2)}); /* and nothing overflows */
    assert_numbers(&t, &hits, (double[]){1, 0, 0}); /* of equal outputs the first counts */
    const double q = 0.25 / 3, one = 1.0 / 3;
    assert_numbers(&t, &dz, (double[]){q - one, q, q, q, q, q, q - one, q, one / 2, -one, one / 2, 0});
    tensors_close(&t);
}

/* Equal keys are looked at alike, so that y is the mean of the values seen. */
static void attention_is_what_is_written(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor qkv = tensors_given(&t, (float[]){5, 0, 1, 7, 0, 2, 9, 0, 6}, S(1, 3, 3));
    struct tensor kept = tensors_zeros(&t, TENSOR_F32, S(1, 1, 3)), y = tensors_zeros(&t, TENSOR_F32, S(1, 3, 1));
    for (int causal = 0; causal < 2; causal++) {
        op_attention(t.backend, &(struct attention){.heads = 1, .causal = causal}, &qkv, &kept, &y);
        double *ys = tensors_read(&t, &y), *sums = tensors_read(&t, &kept);
        assert_true(fabs(ys[0] - (causal ? 1 : 3)) < 1e-6 && fabs(ys[1] - (causal ? 1.5 : 3)) < 1e-6);
        assert_true(fabs(ys[2] - 3) < 1e-6 && fabs(sums[2] - log(3)) < 1e-6);
        free(ys);
        free(sums);
    }
    tensors_close(&t);
}

/* Of the steps of the second example the first two are seen, however large what lies behind them. */
static void attention_looks_at_no_padding(void **state)
{
    (void)state;
    struct tensors t;
    tensors_open(&t, &backend_ref, 1);
    struct tensor qkv =
        tensors_given(&t, (float[]){5, 0, 1, 7, 0, 2, 9, 0, 6, 5, 0, 1, 7, 0, 2, 1e9f, 1e9f, 1e9f}, S(2, 3, 3));
    struct tensor kept = tensors_zeros(&t, TENSOR_F32, S(2, 1, 3)), y = tensors_zeros(&t, TENSOR_F32, S(2, 3, 1));
    struct tensor lengths = tensors_zeros(&t, TENSOR_I32, S(2));
    op_upload(t.backend, (int32_t[]){3, 2}, &lengths);
    op_attention(t.backend, &(struct attention){.heads = 1, .lengths = &lengths}, &qkv, &kept, &y);
    assert_numbers(&t, &y, (double[]){3, 3, 3, 1.5, 1.5, 0});
    tensors_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_what_is_written),
        cmocka_unit_test(products_in_bf16_are_counted_apart),
        cmocka_unit_test(convolutions_are_what_is_written),
        cmocka_unit_test(pools_take_the_largest_and_the_mean),
        cmocka_unit_test(activations_have_their_known_values),
        cmocka_unit_test(dropout_drops_its_share_and_keeps_the_sum),
        cmocka_unit_test(dropout_of_a_part_is_that_of_the_whole),
        cmocka_unit_test(bf16_rounds_to_the_nearest_of_8_bits),
        cmocka_unit_test(equal_outputs_lose_the_logarithm_of_the_classes),
        cmocka_unit_test(attention_is_what_is_written),
        cmocka_unit_test(attention_looks_at_no_padding),
    };
    return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
