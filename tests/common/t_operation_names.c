/* Operations by name, and which of them a run times. */
#include "common/operations.h"
#include "tests/claims.h"

#include <string.h>

static void names_are_found_by_patterns(void **state)
{
    (void)state;
    assert_true(operations_like("gemm") == UINT64_C(1) << OPERATION_dense);
    uint64_t conv = operations_like("conv*");
    assert_true(conv == (UINT64_C(1) << OPERATION_conv | UINT64_C(1) << OPERATION_conv_back_data |
                         UINT64_C(1) << OPERATION_conv_back_weights));
    assert_true(operations_like("*") == ((UINT64_C(1) << OPERATIONS_COUNT) - 1) - (UINT64_C(1) << OPERATION_step));
    assert_true(operations_like("relu") == 0 && operations_like("") == 0 && operations_like("[") == 0);
}

static void a_choice_holds_within_its_steps(void **state)
{
    (void)state;
    json_t *json = json_pack("{s:[s], s:i, s:i}", "operations", "gemm", "first", 10, "last", 20);
    struct operation_choice choice = operation_choice_read(json), none = operation_choice_read(NULL);
    assert_true(!operation_choice_at(&choice, 9) && operation_choice_at(&choice, 10));
    assert_true(operation_choice_at(&choice, 20) && !operation_choice_at(&choice, 21));
    assert_true(!operation_choice_at(&none, 1));
    choice.first = choice.last = 0;
    assert_true(operation_choice_at(&choice, 1) && operation_choice_at(&choice, 1000000));
    json_decref(json);
}

static void sums_have_the_least_and_most_of_what_was_timed(void **state)
{
    (void)state;
    struct operation_count sum = {0}, one = {.calls = 3}, two = {.calls = 1};
    operation_time(&two, 0.5);
    operation_time(&two, 0.25);
    operation_merge(&sum, &one);
    operation_merge(&sum, &two);
    assert_true(sum.calls == 4 && sum.timed == 2 && sum.seconds == 0.75 && sum.min == 0.25 && sum.max == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_by_patterns),
        cmocka_unit_test(a_choice_holds_within_its_steps),
        cmocka_unit_test(sums_have_the_least_and_most_of_what_was_timed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
