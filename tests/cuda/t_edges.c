/* The backend of GPUs at the edges of what it is asked: sizes beside those of blocks and warps, more rows than a grid
 * has places, arrays beyond what 31 bits count, numbers that are none. Compared with the plain loops. */
#include "tests/claims.h"
#include "tests/cuda/fake_cuda.h"
#include "tests/tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define S(...) TENSORS_SIZES(__VA_ARGS__)

struct edge {
    const char *name;
    void (*run)(struct tensors *t, size_t a, size_t b);
    size_t a, b;
};

static void run_dense(struct tensors *t, size_t B, size_t O)
{
    size_t I = 33;
    struct tensor x = tensors_random(t, TENSOR_F32, S(B, I)), w = tensors_random(t, TENSOR_F32, S(O, I)),
                  b = tensors_random(t, TENSOR_F32, S(O)), y = tensors_zeros(t, TENSOR_F32, S(B, O)),
                  dw = tensors_zeros(t, TENSOR_F32, S(O, I)), db = tensors_zeros(t, TENSOR_F32, S(O));
    op_dense(t->backend, &x, &w, &b, ACTIVATION_GELU, &y);
    tensors_result(t, &y);
    op_dense_back_weights(t->backend, &x, &y, &dw, &db);
    op_mix(t->backend, 1.0f / (float)B, &db, 0, &b);
    tensors_result(t, &b);
}

static void run_rows(struct tensors *t, size_t B, size_t C)
{
    struct tensor x = tensors_random(t, TENSOR_F32, S(B, C)), y = tensors_zeros(t, TENSOR_F32, S(B, C)),
                  dx = tensors_zeros(t, TENSOR_F32, S(B, C)), losses = tensors_zeros(t, TENSOR_F32, S(B)),
                  hits = tensors_zeros(t, TENSOR_I32, S(B)), labels = tensors_whole(t, B, C);
    struct norm norm = {tensors_random(t, TENSOR_F32, S(C)), tensors_random(t, TENSOR_F32, S(C)),
                        tensors_zeros(t, TENSOR_F32, S(B)), tensors_zeros(t, TENSOR_F32, S(B)), 1e-3f};
    struct tensor dgamma = tensors_zeros(t, TENSOR_F32, S(C)), dbeta = tensors_zeros(t, TENSOR_F32, S(C));
    op_softmax_loss(t->backend, &x, &labels, 0.1f, &losses, &hits, &dx);
    tensors_result(t, &losses);
    tensors_result(t, &hits);
    tensors_result(t, &dx);
    op_layer_norm(t->backend, &norm, &x, &y);
    tensors_result(t, &y);
    if (C > 1)
        op_layer_norm_back(t->backend, &norm, &x, &y, &dx, &dgamma, &dbeta);
    op_swap(t->backend, &x, &(struct tensor){TENSOR_F32, 2, {C, B}, y.at});
    tensors_result(t, &y);
}

static void run_batch_norm(struct tensors *t, size_t B, size_t C)
{
    struct tensor x = tensors_random(t, TENSOR_F32, S(B, C)), y = tensors_zeros(t, TENSOR_F32, S(B, C)),
                  dx = tensors_zeros(t, TENSOR_F32, S(B, C)), dgamma = tensors_zeros(t, TENSOR_F32, S(C)),
                  dbeta = tensors_zeros(t, TENSOR_F32, S(C));
    struct norm norm = {tensors_random(t, TENSOR_F32, S(C)), tensors_random(t, TENSOR_F32, S(C)),
                        tensors_zeros(t, TENSOR_F32, S(C)), tensors_zeros(t, TENSOR_F32, S(C)), 1e-3f};
    op_batch_norm(t->backend, &norm, &x, &y);
    op_batch_norm_back(t->backend, &norm, &x, &y, &dx, &dgamma, &dbeta);
    tensors_result(t, &y);
    tensors_result(t, &norm.variance);
}

static void run_images(struct tensors *t, size_t B, size_t C)
{
    const struct window window = {2, 2, 1, 1};
    struct tensor x = tensors_random(t, TENSOR_F32, S(B, 1, 1, C)), w = tensors_random(t, TENSOR_F32, S(1, 2, 2, C)),
                  y = tensors_zeros(t, TENSOR_F32, S(B, 2, 2, 1)), p = tensors_zeros(t, TENSOR_F32, S(B, 2, 2, C)),
                  where = tensors_zeros(t, TENSOR_I32, S(B, 2, 2, C));
    op_conv(t->backend, &window, &x, &w, NULL, ACTIVATION_NONE, &y);
    tensors_result(t, &y);
    op_pool_max(t->backend, &window, &x, &p, &where);
    op_pool_max_back(t->backend, &window, &p, &where, &x);
    tensors_result(t, &x);
}

static void run_steps(struct tensors *t, size_t B, size_t T)
{
    size_t N = 1, K = 3;
    struct attention how = {.heads = N, .causal = true, .stream = 5, .dropped = 0.3f};
    struct tensor qkv = tensors_random(t, TENSOR_F32, S(B, T, 3 * N * K)),
                  kept = tensors_zeros(t, TENSOR_F32, S(B, N, T)), y = tensors_zeros(t, TENSOR_F32, S(B, T, N * K)),
                  dqkv = tensors_zeros(t, TENSOR_F32, S(B, T, 3 * N * K));
    op_attention(t->backend, &how, &qkv, &kept, &y);
    op_attention_back(t->backend, &how, &qkv, &kept, &y, &y, &dqkv);
    tensors_result(t, &y);
    tensors_result(t, &dqkv);
}

static void run_lstm(struct tensors *t, size_t B, size_t H)
{
    struct tensor w = tensors_random(t, TENSOR_F32, S(4 * H, H)), z = tensors_random(t, TENSOR_F32, S(2, B, 4 * H)),
                  c = tensors_zeros(t, TENSOR_F32, S(2, B, H)), h = tensors_zeros(t, TENSOR_F32, S(2, B, H)),
                  dh = tensors_zeros(t, TENSOR_F32, S(B, H)), dc = tensors_zeros(t, TENSOR_F32, S(B, H));
    op_scale(t->backend, 0.1f, &w, NULL);
    op_lstm(t->backend, &w, NULL, &z, &c, &h);
    tensors_result(t, &h);
    op_lstm_back(t->backend, &w, NULL, &c, &h, &z, &dh, &dc);
    tensors_result(t, &z);
}

static void run_table(struct tensors *t, size_t B, size_t N)
{
    struct tensor table = tensors_random(t, TENSOR_F32, S(N, 2)), places = tensors_whole(t, B, N),
                  y = tensors_zeros(t, TENSOR_F32, S(B, 2));
    op_gather(t->backend, &table, &places, &y);
    tensors_result(t, &y);
    op_scale(t->backend, 1.0f / (float)B, &y, NULL);
    op_gather_back(t->backend, &y, &places, &table);
    tensors_result(t, &table);
}

static const struct edge edges[] = {
    {"dense", run_dense, 1, 1},
    {"dense", run_dense, 31, 33},
    {"dense", run_dense, 257, 1},
    {"rows", run_rows, 1, 1},
    {"rows", run_rows, 1, 257},
    {"rows", run_rows, 3, 1025},
    {"batch norm", run_batch_norm, 2, 1},
    {"batch norm", run_batch_norm, 33, 257},
    {"batch norm", run_batch_norm, 1025, 1},
    {"images", run_images, 1, 1},
    {"images", run_images, 3, 257},
    {"images", run_images, 65537, 1},
    {"attention", run_steps, 1, 1},
    {"attention", run_steps, 2, 65},
    {"LSTM", run_lstm, 1, 1},
    {"LSTM", run_lstm, 3, 65},
    {"table", run_table, 65537, 1},
    {"table", run_table, 1, 1031},
};

/* A number of size 1 is off by some thousand roundings at most: sums have up to 65,537 numbers, in double precision. */
static const double within = 3e-4;

static void sizes_beside_those_of_blocks_and_grids_agree(void **state)
{
    (void)state;
    fake_cuda_set("");
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        struct tensors ours, plain;
        tensors_open(&ours, backend_list[0], i);
        tensors_open(&plain, &backend_ref, i);
        edges[i].run(&ours, edges[i].a, edges[i].b);
        edges[i].run(&plain, edges[i].a, edges[i].b);
        for (size_t k = 0; k < plain.result_count; k++)
            if (!(fabs(ours.results[k] - plain.results[k]) <= within * fmax(1, fabs(plain.results[k]))))
                fail_msg("%s of %zu and %zu: number %zu is %g in place of %g", edges[i].name, edges[i].a, edges[i].b, k,
                         ours.results[k], plain.results[k]);
        tensors_close(&ours);
        tensors_close(&plain);
    }
}

/* A table of 3e9 numbers, 6 GB of which only what is touched is there. */
static void rows_beyond_two_to_the_31_are_found(void **state)
{
    (void)state;
    struct err err;
    fake_cuda_set("memory=16000000000");
    struct backend *backend = backend_create(backend_list[0], &err);
    const size_t N = 100000, I = 30000, last = N - 1;
    struct tensor table = tensor_make(TENSOR_BF16, 2, S(N, I)), y = tensor_make(TENSOR_BF16, 2, S(2, I)),
                  places = tensor_vector(TENSOR_I32, 2);
    struct tensor *all[] = {&table, &y, &places};
    for (size_t i = 0; i < 3; i++)
        assert_non_null(all[i]->at = backend->kind->allocate(backend->self, tensor_bytes(all[i]), &err));
    uint16_t *row = calloc(2 * I, sizeof *row);
    const int32_t wanted[2] = {(int32_t)last, 0};
    row[0] = 7;
    row[I - 1] = 9;
    struct tensor at = tensor_slice(&table, last, 1);
    op_upload(backend, row, &at);
    op_upload(backend, wanted, &places);
    op_gather(backend, &table, &places, &y);
    memset(row, 1, 2 * I * sizeof *row);
    op_download(backend, &y, row);
    assert_true(row[0] == 7 && row[I - 1] == 9 && row[1] == 0 && row[I] == 0);
    for (size_t i = 0; i < 3; i++)
        backend->kind->release(backend->self, all[i]->at);
    free(row);
    backend_destroy(backend);
    fake_cuda_set("");
}

/* What the operations of a classifier make of numbers that are none, or have no end, is of the same kind. */
static void pass_odd_numbers(struct tensors *t, float odd)
{
    struct tensor x = tensors_random(t, TENSOR_F32, S(5, 40)), y = tensors_zeros(t, TENSOR_F32, S(5, 40)),
                  losses = tensors_zeros(t, TENSOR_F32, S(5)), hits = tensors_zeros(t, TENSOR_I32, S(5)),
                  labels = tensors_whole(t, 5, 40), finite = tensors_zeros(t, TENSOR_I32, S(1)),
                  sum = tensors_zeros(t, TENSOR_F32, S(40));
    tensors_set(t, &x, 7, odd);
    tensors_set(t, &x, 83, odd);
    for (enum activation f = 0; f <= ACTIVATION_NONE; f++) {
        op_activate(t->backend, f, &x, &y);
        tensors_result(t, &y);
    }
    op_softmax_loss(t->backend, &x, &labels, 0.1f, &losses, &hits, &y);
    tensors_result(t, &losses);
    tensors_result(t, &y);
    op_sum_each(t->backend, &x, &sum);
    tensors_result(t, &sum);
    op_mix(t->backend, 2, &sum, 0, &(struct tensor){TENSOR_F32, 1, {40}, y.at});
    tensors_result(t, &y);
    op_scale(t->backend, 0.5f, &x, &finite);
    tensors_result(t, &finite);
}

static const char *kind_of(double number)
{
    return isnan(number) ? "NaN" : isinf(number) ? number > 0 ? "infinite" : "-infinite" : "finite";
}

static void numbers_that_are_none_stay_so(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    fake_cuda_set("");
    for (size_t i = 0; i < 3; i++) {
        struct tensors ours, plain;
        tensors_open(&ours, backend_list[0], i);
        tensors_open(&plain, &backend_ref, i);
        pass_odd_numbers(&ours, odd[i]);
        pass_odd_numbers(&plain, odd[i]);
        for (size_t k = 0; k < plain.result_count; k++)
            if (strcmp(kind_of(ours.results[k]), kind_of(plain.results[k])) != 0)
                fail_msg("%g: number %zu is %g in place of %g", (double)odd[i], k, ours.results[k], plain.results[k]);
        tensors_close(&ours);
        tensors_close(&plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_beside_those_of_blocks_and_grids_agree),
        cmocka_unit_test(rows_beyond_two_to_the_31_are_found),
        cmocka_unit_test(numbers_that_are_none_stay_so),
    };
    return cmocka_run_group_tests_name("edges", tests, NULL, NULL);
}
