/* Every backend beside the plain loops, on shapes drawn from a seed; and what holds of each. */
#include "tests/claims.h"
#include "tests/operation_cases.h"
#include "worker/backend/exponential.h"
#include "worker/backend/team.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef ROUNDS
enum { ROUNDS = 15, REPEATS = 5, ODD_ONES = 12 };
#endif

/* The largest difference beside numbers of size 1. */
static double difference(const struct tensors *a, const struct tensors *b)
{
    double most = 0;
    assert_int_equal(a->result_count, b->result_count);
    for (size_t i = 0; i < a->result_count; i++) {
        double here = fabs(a->results[i] - b->results[i]) / fmax(1, fabs(b->results[i]));
        most = isnan(here) || here > most ? here : most;
    }
    return most;
}

static double compare_case(const struct operation_case *one, const struct backend_kind *kind, enum tensor_type type,
                           uint64_t seed)
{
    struct tensors theirs, ours;
    tensors_open(&theirs, kind, seed);
    tensors_open(&ours, &backend_ref, seed);
    one->run(&theirs, type);
    one->run(&ours, type);
    double most = difference(&theirs, &ours);
    tensors_close(&theirs);
    tensors_close(&ours);
    return most;
}

/* Results of BF16 have 8 bits, and so has what they are made from: a sum in another order may round to a neighbour. */
static const double within_bf16 = 0.02;

static void check_kind(const struct backend_kind *kind)
{
    for (const struct operation_case *one = operation_cases; one->name; one++)
        for (enum tensor_type type = TENSOR_F32; type <= (one->narrow ? TENSOR_BF16 : TENSOR_F32); type++) {
            double most = 0, within = type == TENSOR_F32 ? one->within : within_bf16;
            for (uint64_t seed = 0; seed < ROUNDS; seed++) {
                double here = compare_case(one, kind, type, seed);
                if (!(here <= within))
                    fail_msg("%s, %s, type %d, seed %d: off by %g", kind->name, one->name, (int)type, (int)seed, here);
                most = fmax(most, here);
            }
            print_message("# %s, %s%s: off by at most %.2g\n", kind->name, one->name,
                          type == TENSOR_BF16 ? ", BF16" : "", most);
        }
}

static void every_backend_agrees_with_the_plain_loops(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++)
        if (backend_list[i] != &backend_ref)
            check_kind(backend_list[i]);
}

/* Convolutions whose examples several threads share: seven among three, of images large enough. */
static void share_examples(struct tensors *t, enum tensor_type type)
{
    struct window window = {.height = 3, .width = 3, .stride = 1, .padding = 1};
    size_t I = 1 + rng_below(&t->rng, 20), O = 1 + rng_below(&t->rng, 40);
    struct tensor x = tensors_random(t, type, (size_t[4]){7, 12, 12, I}),
                  dz = tensors_random(t, type, (size_t[4]){7, 12, 12, O});
    struct tensor dw = tensors_random(t, TENSOR_F32, (size_t[4]){O, 3, 3, I}),
                  db = tensors_random(t, TENSOR_F32, (size_t[4]){O});
    op_conv_back_weights(t->backend, &window, &x, &dz, &dw, O % 2 ? &db : NULL);
    tensors_result(t, &dw);
    tensors_result(t, &db);
}

/* Products that several threads share, among which no count can be divided evenly. */
static void share_products(struct tensors *t, enum tensor_type type)
{
    enum activation f = (enum activation)rng_below(&t->rng, ACTIVATION_NONE + 1);
    size_t B = 60 + rng_below(&t->rng, 80), I = 200 + rng_below(&t->rng, 50), O = 90 + rng_below(&t->rng, 40);
    struct tensor x = tensors_random(t, type, (size_t[4]){B, I}), w = tensors_random(t, type, (size_t[4]){O, I});
    struct tensor b = tensors_random(t, TENSOR_F32, (size_t[4]){O}), y = tensors_zeros(t, type, (size_t[4]){B, O});
    struct tensor dz = tensors_random(t, type, (size_t[4]){B, O}), dx = tensors_zeros(t, type, (size_t[4]){B, I});
    struct tensor dw = tensors_zeros(t, TENSOR_F32, (size_t[4]){O, I}),
                  db = tensors_zeros(t, TENSOR_F32, (size_t[4]){O});
    bool biased = rng_below(&t->rng, 2);
    op_dense(t->backend, &x, &w, biased ? &b : NULL, f, &y);
    op_dense_back_data(t->backend, &dz, &w, &dx);
    op_dense_back_weights(t->backend, &x, &dz, &dw, biased ? &db : NULL);
    const struct tensor *results[] = {&y, &dx, &dw, &db};
    for (size_t i = 0; i < 4; i++)
        tensors_result(t, results[i]);
}

static void several_threads_agree_with_the_plain_loops(void **state)
{
    static const struct operation_case shared[] = {{"convolution, shared", share_examples, false, 2e-4},
                                                   {"product, shared", share_products, false, 2e-4}};
    size_t before = team_set(3);
    every_backend_agrees_with_the_plain_loops(state);
    for (size_t i = 0; backend_list[i]; i++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared; k++)
            for (uint64_t seed = 0; seed < ROUNDS; seed++) {
                double f32 = compare_case(&shared[k], backend_list[i], TENSOR_F32, seed);
                double bf16 = compare_case(&shared[k], backend_list[i], TENSOR_BF16, seed);
                if (!(f32 <= shared[k].within && bf16 <= within_bf16))
                    fail_msg("%s, seed %d: off by %g, of BF16 by %g", shared[k].name, (int)seed, f32, bf16);
            }
    team_set(before);
}

static bool leaves_zeros_out(const struct backend_kind *kind)
{
#ifdef __x86_64__
    return strcmp(kind->name, "onednn") == 0 && __builtin_cpu_supports("fma");
#else
    (void)kind;
    return false;
#endif
}

/* Every third of the 64 x 130 numbers is left: each of the others saves a multiplication and an addition for each of
 * the 200 columns. */
static void what_is_multiplied_by_zero_is_left_out_and_not_counted(void **state)
{
    (void)state;
    const double whole = 2.0 * 64 * 130 * 200, zeros = 64 * 130 - (64 * 130 + 2) / 3;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors t;
        tensors_open(&t, backend_list[i], 1);
        struct tensor x = tensors_random(&t, TENSOR_F32, (size_t[5]){64, 200}),
                      dz = tensors_zeros(&t, TENSOR_F32, (size_t[5]){64, 130}),
                      dw = tensors_zeros(&t, TENSOR_F32, (size_t[5]){130, 200});
        for (size_t n = 0; n < tensor_count(&dz); n += 3)
            tensors_set(&t, &dz, n, 1);
        const struct operation_count *count = &t.backend->counts[OPERATION_dense_back_weights];
        op_dense_back_weights(t.backend, &x, &dz, &dw, NULL);
        assert_true(count->flops + count->flops_skipped == whole);
        assert_true(count->flops_skipped == (leaves_zeros_out(backend_list[i]) ? zeros * 2 * 200 : 0));
        tensors_close(&t);
    }
}

/* The kind of a number: a sum that one backend finds infinite another one may not find finite. */
static const char *kind_of(double number)
{
    return isnan(number) ? "NaN" : isinf(number) ? number > 0 ? "infinite" : "-infinite" : "finite";
}

/* Products of which nearly all of a factor is 0, the other one has numbers that are none or have no end, and one row
 * of the zeros has nothing else. */
static void multiply_zeros_by(struct tensors *t, float odd)
{
    struct tensor x = tensors_zeros(t, TENSOR_F32, (size_t[5]){80, 200}),
                  w = tensors_random(t, TENSOR_F32, (size_t[5]){150, 200});
    struct tensor dz = tensors_zeros(t, TENSOR_F32, (size_t[5]){80, 150}),
                  y = tensors_zeros(t, TENSOR_F32, (size_t[5]){80, 150});
    struct tensor dx = tensors_zeros(t, TENSOR_F32, (size_t[5]){80, 200}),
                  dw = tensors_zeros(t, TENSOR_F32, (size_t[5]){150, 200});
    for (size_t n = 0; n < 79 * 150; n += 3) { /* the last rows have nothing else */
        tensors_set(t, &x, n, 1);
        tensors_set(t, &dz, n, 1);
    }
    tensors_set(t, &w, tensors_size(t, 150 * 200) - 1, odd);
    op_dense(t->backend, &x, &w, NULL, ACTIVATION_NONE, &y);
    op_dense_back_data(t->backend, &dz, &w, &dx);
    tensors_set(t, &x, tensors_size(t, 80 * 200) - 1, odd);
    op_dense_back_weights(t->backend, &x, &dz, &dw, NULL);
    tensors_result(t, &y);
    tensors_result(t, &dx);
    tensors_result(t, &dw);
}

static void zero_times_what_is_not_finite_is_nan_in_every_backend(void **state)
{
    (void)state;
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    size_t before = team_set(1);
    for (size_t i = 0; backend_list[i]; i++)
        for (size_t threads = 1; threads <= 3; threads++)
            for (uint64_t seed = 0; seed < ODD_ONES; seed++) {
                struct tensors plain, other;
                tensors_open(&plain, &backend_ref, seed);
                tensors_open(&other, backend_list[i], seed);
                multiply_zeros_by(&plain, odd[seed % 3]);
                team_set(threads);
                multiply_zeros_by(&other, odd[seed % 3]);
                team_set(1);
                for (size_t n = 0; n < plain.result_count; n++)
                    if (strcmp(kind_of(plain.results[n]), kind_of(other.results[n])) != 0)
                        fail_msg("%s, %zu threads, seed %d: number %zu is %g in place of %g", backend_list[i]->name,
                                 threads, (int)seed, n, other.results[n], plain.results[n]);
                tensors_close(&plain);
                tensors_close(&other);
            }
    team_set(before);
}

static void rows_are_gathered_as_they_are_whatever_was_expected(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors t;
        tensors_open(&t, backend_list[i], 1);
        struct tensor table = tensors_random(&t, TENSOR_F32, (size_t[5]){300, 50}), places = tensors_whole(&t, 64, 300),
                      others = tensors_whole(&t, 5, 300);
        struct tensor y = tensors_zeros(&t, TENSOR_F32, (size_t[5]){64, 50}),
                      again = tensors_zeros(&t, TENSOR_F32, (size_t[5]){64, 50});
        op_take(t.backend, &table, &places, &y);
        op_expect(t.backend, &table, &others);
        op_expect(t.backend, &table, &places);
        op_take(t.backend, &table, &places, &again);
        double *first = tensors_read(&t, &y), *second = tensors_read(&t, &again);
        assert_memory_equal(first, second, 64 * 50 * sizeof *first);
        free(first);
        free(second);
        tensors_close(&t);
    }
}

static void a_backend_repeats_itself_to_the_bit(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++)
        for (const struct operation_case *one = operation_cases; one->name; one++)
            for (uint64_t seed = 0; seed < REPEATS; seed++) {
                struct tensors runs[2];
                for (int k = 0; k < 2; k++) {
                    tensors_open(&runs[k], backend_list[i], seed);
                    one->run(&runs[k], TENSOR_F32);
                }
                assert_int_equal(runs[0].result_count, runs[1].result_count);
                assert_memory_equal(runs[0].results, runs[1].results, runs[0].result_count * sizeof *runs[0].results);
                tensors_close(&runs[0]);
                tensors_close(&runs[1]);
            }
}

/* More shapes than are kept: the oldest are forgotten and made again. */
static void any_number_of_shapes_can_be_used(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors t;
        tensors_open(&t, backend_list[i], 1);
        struct tensor x = tensors_zeros(&t, TENSOR_F32, TENSORS_SIZES(600, 1)),
                      y = tensors_zeros(&t, TENSOR_F32, TENSORS_SIZES(600, 1));
        struct tensor w = tensors_given(&t, (float[]){2}, TENSORS_SIZES(1, 1)),
                      b = tensors_given(&t, (float[]){1}, TENSORS_SIZES(1));
        tensors_set(&t, &x, 599, 3);
        for (int round = 0; round < 2; round++)
            for (size_t B = 1; B <= 600; B += 1) {
                struct tensor some = tensor_slice(&x, 0, B), out = tensor_slice(&y, 0, B);
                op_dense(t.backend, &some, &w, &b, ACTIVATION_NONE, &out);
                double *got = tensors_read(&t, &out);
                assert_true(got[B - 1] == (B == 600 ? 7 : 1));
                free(got);
            }
        tensors_close(&t);
    }
}

static void calls_operations_and_bytes_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors t;
        tensors_open(&t, backend_list[i], 1);
        struct tensor x = tensors_random(&t, TENSOR_F32, TENSORS_SIZES(8, 10)),
                      y = tensors_zeros(&t, TENSOR_F32, TENSORS_SIZES(8, 6));
        struct tensor w = tensors_random(&t, TENSOR_F32, TENSORS_SIZES(6, 10)),
                      b = tensors_random(&t, TENSOR_F32, TENSORS_SIZES(6));
        op_dense(t.backend, &x, &w, &b, ACTIVATION_RELU, &y);
        const struct operation_count *count = &t.backend->counts[OPERATION_dense];
        assert_true(count->calls == 1 && count->flops == 2 * 8 * 6 * 10 && count->seconds == 0);
        assert_true(count->bytes == 4 * (8 * 10 + 6 * 10 + 6 + 8 * 6));
        t.backend->timed = OPERATIONS_ALL;
        for (int n = 0; n < 1000; n++)
            op_dense(t.backend, &x, &w, &b, ACTIVATION_RELU, &y);
        assert_true(count->calls == 1001 && count->seconds > 0);
        assert_true(count->timed == 1000 && count->min > 0 && count->min <= count->max);
        assert_string_equal(operation_name(OPERATION_dense), "gemm");
        tensors_close(&t);
    }
}

static void backends_are_found_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(backend_find("ref"), &backend_ref);
    assert_null(backend_find("none"));
    for (size_t i = 0; backend_list[i]; i++)
        assert_ptr_equal(backend_find(backend_list[i]->name), backend_list[i]);
}

/* More than is there is not taken from the system, which would give it and end a process that writes to it. The limit
 * on addresses keeps a mistake here from doing so. */
static void more_memory_than_the_machine_has_left_is_refused(void **state)
{
    (void)state;
    struct rlimit before, little;
    struct err err = {""};
    struct backend *backend = backend_create(&backend_ref, &err);
    getrlimit(RLIMIT_AS, &before);
    little = before;
    little.rlim_cur = (rlim_t)1 << 30;
    size_t all = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    setrlimit(RLIMIT_AS, &little);
    void *made = backend->kind->allocate(backend->self, 2 * all, &err);
    setrlimit(RLIMIT_AS, &before);
    assert_null(made);
    assert_has(err.text, " are left on this machine; a smaller batch");
    backend_destroy(backend);
}

/* A loss that is no number must not become one. */
static void the_exponential_of_nan_is_nan(void **state)
{
    (void)state;
    assert_true(isnan(exponential(NAN)));
    const float numbers[] = {-87, -1, 0, 0.3f, 1, 88};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(fabsf(exponential(numbers[i]) / expf(numbers[i]) - 1) < 1e-6f);
    assert_true(exponential(-INFINITY) < 1e-37f);
}

/* Files that are not compiled with OpenMP (this one, and the kernels) see as many threads as those that are. */
static void every_file_sees_as_many_threads(void **state)
{
    (void)state;
    size_t before = team_set(3), here = team_threads();
    assert_int_equal(here, team_set(before));
    assert_int_equal(before, team_threads());
}

/* Some passes over tensors that are large enough to be shared, at sizes that no number of threads divides. */
static void pass_over_memory(struct tensors *t)
{
    struct tensor x = tensors_random(t, TENSOR_F32, TENSORS_SIZES(401, 307)),
                  one = tensors_random(t, TENSOR_F32, TENSORS_SIZES(307)),
                  y = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(401, 307)),
                  z = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(401, 307)), places = tensors_whole(t, 401, 401);
    struct update adam = {
        .kind = UPDATE_ADAM, .lr = .1f, .keep = 1, .beta1 = .9f, .beta2 = .999f, .epsilon = 1e-8f, .scale = 1};
    op_gather(t->backend, &x, &places, &y);
    op_add_each(t->backend, &y, &one, &y);
    op_add(t->backend, &x, &y, &z);
    op_mix(t->backend, .3f, &y, .7f, &z);
    op_dropout(t->backend, .2f, 7, 0, &z, &z);
    op_copy(t->backend, &z, &y);
    struct tensor m = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(401, 307)),
                  v = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(401, 307));
    for (int step = 0; step < 3; step++)
        op_update(t->backend, &adam, &z, &y, &m, &v);
    tensors_result(t, &y);
    tensors_result(t, &z);
}

/* A layer of few examples and many inputs, whose products backends make in ways of their own. */
enum { MANY_INPUTS = 4616 };

static void pass_many_inputs(struct tensors *t)
{
    struct tensor x = tensors_random(t, TENSOR_F32, TENSORS_SIZES(37, MANY_INPUTS)),
                  w = tensors_random(t, TENSOR_F32, TENSORS_SIZES(96, MANY_INPUTS)),
                  b = tensors_random(t, TENSOR_F32, TENSORS_SIZES(96)),
                  y = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(37, 96));
    for (enum activation f = 0; f <= ACTIVATION_NONE; f++) {
        op_dense(t->backend, &x, &w, f % 2 ? NULL : &b, f, &y);
        tensors_result(t, &y);
    }
}

/* A sum of n normal products grows as the root of n. Its n roundings, in the mean 0.4 of half an epsilon each, come to
 * 0.14 n epsilons, and between two orders of summing to 0.2 n. This is five times that. */
static const double within_many = (double)MANY_INPUTS * (double)FLT_EPSILON;

static void layers_of_many_inputs_agree_with_the_plain_loops(void **state)
{
    (void)state;
    struct tensors plain, own;
    tensors_open(&plain, &backend_ref, 3);
    pass_many_inputs(&plain);
    for (size_t i = 0; backend_list[i]; i++)
        for (size_t threads = 1; threads <= 3; threads += 2) {
            size_t before = team_set(threads);
            tensors_open(&own, backend_list[i], 3);
            pass_many_inputs(&own);
            team_set(before);
            double off = difference(&own, &plain);
            if (!(off < within_many))
                fail_msg("%s, %zu threads: off by %g", backend_list[i]->name, threads, off);
            tensors_close(&own);
        }
    tensors_close(&plain);
}

/* Unlike sums, they are the same bits with any number of threads. */
static void passes_that_threads_share_make_the_bits_of_one(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors runs[2];
        for (int k = 0; k < 2; k++) {
            size_t before = team_set(k ? 3 : 1);
            tensors_open(&runs[k], backend_list[i], 5);
            pass_over_memory(&runs[k]);
            team_set(before);
        }
        assert_int_equal(runs[0].result_count, runs[1].result_count);
        assert_memory_equal(runs[0].results, runs[1].results, runs[0].result_count * sizeof *runs[0].results);
        tensors_close(&runs[0]);
        tensors_close(&runs[1]);
    }
}

/* Steps that come again and differ in rates and random numbers, of two sizes by turns: `whole` as backends may start
 * them at once, else operation by operation. In the sixth step somebody waits. */
static void repeat_steps(struct tensors *t, bool whole)
{
    struct tensor x = tensors_random(t, TENSOR_F32, TENSORS_SIZES(40, 30)),
                  w = tensors_random(t, TENSOR_F32, TENSORS_SIZES(20, 30)),
                  b = tensors_random(t, TENSOR_F32, TENSORS_SIZES(20)),
                  y = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(40, 20)),
                  dw = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(20, 30)),
                  m = tensors_zeros(t, TENSOR_F32, TENSORS_SIZES(20, 30));
    for (size_t step = 0; step < 12; step++) {
        size_t B = step % 3 == 2 ? 17 : 40;
        struct tensor some = tensor_slice(&x, 0, B), out = tensor_slice(&y, 0, B);
        struct update update = {.kind = UPDATE_SGD, .lr = 0.01f / (float)(step + 1), .keep = 1, .momentum = 0.5f};
        if (whole)
            backend_begin_step(t->backend, B);
        op_dense(t->backend, &some, &w, &b, ACTIVATION_TANH, &out);
        op_dropout(t->backend, 0.3f, step, 0, &out, &out);
        if (step == 5)
            t->backend->kind->wait(t->backend->self);
        op_dense_back_weights(t->backend, &some, &out, &dw, NULL);
        op_update(t->backend, &update, &w, &dw, &m, NULL);
        if (whole)
            backend_end_step(t->backend);
    }
    tensors_result(t, &y);
    tensors_result(t, &w);
}

static void steps_that_are_started_as_a_whole_make_the_same_bits(void **state)
{
    (void)state;
    for (size_t i = 0; backend_list[i]; i++) {
        struct tensors runs[2];
        for (int k = 0; k < 2; k++) {
            tensors_open(&runs[k], backend_list[i], 9);
            repeat_steps(&runs[k], k == 1);
        }
        assert_int_equal(runs[0].result_count, runs[1].result_count);
        assert_memory_equal(runs[0].results, runs[1].results, runs[0].result_count * sizeof *runs[0].results);
        tensors_close(&runs[0]);
        tensors_close(&runs[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_sees_as_many_threads),
        cmocka_unit_test(every_backend_agrees_with_the_plain_loops),
        cmocka_unit_test(several_threads_agree_with_the_plain_loops),
        cmocka_unit_test(what_is_multiplied_by_zero_is_left_out_and_not_counted),
        cmocka_unit_test(zero_times_what_is_not_finite_is_nan_in_every_backend),
        cmocka_unit_test(rows_are_gathered_as_they_are_whatever_was_expected),
        cmocka_unit_test(a_backend_repeats_itself_to_the_bit),
        cmocka_unit_test(passes_that_threads_share_make_the_bits_of_one),
        cmocka_unit_test(steps_that_are_started_as_a_whole_make_the_same_bits),
        cmocka_unit_test(layers_of_many_inputs_agree_with_the_plain_loops),
        cmocka_unit_test(any_number_of_shapes_can_be_used),
        cmocka_unit_test(calls_operations_and_bytes_are_counted),
        cmocka_unit_test(backends_are_found_by_name),
        cmocka_unit_test(more_memory_than_the_machine_has_left_is_refused),
        cmocka_unit_test(the_exponential_of_nan_is_nan),
    };
    return cmocka_run_group_tests_name("backend", tests, NULL, NULL);
}
