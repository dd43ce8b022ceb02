/* The backend of GPUs makes the same bits whatever the order in which the threads of a GPU come, leaves nothing behind,
 * and takes views that begin at any number. */
#include "tests/claims.h"
#include "tests/cuda/fake_cuda.h"
#include "tests/operation_cases.h"

#include <math.h>
#include <string.h>

enum { SEEDS = 2 };

static const char *const orders[] = {"threads=forward", "threads=backward", "threads=shuffled:1",
                                     "threads=shuffled:2 run=now"};
enum { ORDERS = sizeof orders / sizeof *orders };

static void run_case(struct tensors *t, const struct operation_case *one, enum tensor_type type, uint64_t seed,
                     size_t shift)
{
    tensors_open(t, backend_list[0], seed);
    t->shift = shift;
    one->run(t, type);
}

static void check_orders(const struct operation_case *one, enum tensor_type type, uint64_t seed)
{
    struct tensors first, other;
    fake_cuda_set(orders[0]);
    run_case(&first, one, type, seed, 0);
    for (int i = 1; i < ORDERS; i++) {
        fake_cuda_set(orders[i]);
        run_case(&other, one, type, seed, 0);
        if (memcmp(first.results, other.results, first.result_count * sizeof *first.results) != 0)
            fail_msg("%s, type %d, seed %d, %s: other bits", one->name, (int)type, (int)seed, orders[i]);
        tensors_close(&other);
    }
    tensors_close(&first);
}

static void any_order_of_threads_makes_the_same_bits(void **state)
{
    (void)state;
    assert_string_equal(backend_list[0]->name, "cuda");
    for (const struct operation_case *one = operation_cases; one->name; one++)
        for (enum tensor_type type = TENSOR_F32; type <= (one->narrow ? TENSOR_BF16 : TENSOR_F32); type++)
            check_orders(one, type, (uint64_t)type);
}

static void nothing_is_left_behind(void **state)
{
    (void)state;
    fake_cuda_set("");
    for (const struct operation_case *one = operation_cases; one->name; one++) {
        struct tensors t;
        run_case(&t, one, TENSOR_F32, 0, 0);
        assert_true(fake_cuda_bytes() > 0 && fake_cuda_things() > 0);
        tensors_close(&t);
        assert_int_equal(fake_cuda_bytes(), 0);
        assert_int_equal(fake_cuda_things(), 0);
    }
}

/* Other algorithms may serve them, so that sums may be in another order. */
static void check_views(const struct operation_case *one, enum tensor_type type, uint64_t seed)
{
    struct tensors whole, view;
    double within = type == TENSOR_BF16 ? 0.02 : one->within;
    run_case(&whole, one, type, seed, 0);
    run_case(&view, one, type, seed, 1 + seed % 3);
    for (size_t i = 0; i < whole.result_count; i++)
        if (!(fabs(view.results[i] - whole.results[i]) <= within * fmax(1, fabs(whole.results[i]))))
            fail_msg("%s, type %d, seed %d: number %zu is %g in place of %g", one->name, (int)type, (int)seed, i,
                     view.results[i], whole.results[i]);
    tensors_close(&whole);
    tensors_close(&view);
}

static void views_may_begin_at_any_number(void **state)
{
    (void)state;
    fake_cuda_set("");
    for (const struct operation_case *one = operation_cases; one->name; one++)
        for (enum tensor_type type = TENSOR_F32; type <= (one->narrow ? TENSOR_BF16 : TENSOR_F32); type++)
            for (uint64_t seed = 0; seed < SEEDS; seed++)
                check_views(one, type, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_of_threads_makes_the_same_bits),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(views_may_begin_at_any_number),
    };
    return cmocka_run_group_tests_name("orders of threads", tests, NULL, NULL);
}
