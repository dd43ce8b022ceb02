/* How often something may be done; see scheduler/slurm/token_bucket.h. */
#include "scheduler/slurm/token_bucket.h"
#include "tests/claims.h"

static void a_full_bucket_gives_its_tokens_at_once_and_then_one_a_period(void **state)
{
    (void)state;
    struct token_bucket bucket;
    token_bucket_init(&bucket, 100, 10, 3);
    for (int i = 0; i < 3; i++)
        assert_true(token_bucket_take(&bucket, 100));
    assert_false(token_bucket_take(&bucket, 109));
    assert_true(token_bucket_take(&bucket, 110));
    assert_false(token_bucket_take(&bucket, 110));
}

static void in_the_long_run_there_is_one_a_period(void **state)
{
    (void)state;
    struct token_bucket bucket;
    int taken = 0;
    token_bucket_init(&bucket, 0, 10, 4);
    for (int i = 0; i < 100000; i++)
        taken += token_bucket_take(&bucket, i * 0.1); /* for 10,000 s */
    assert_in_range(taken, 1003, 1004);
}

static void tokens_do_not_heap_up(void **state)
{
    (void)state;
    struct token_bucket bucket;
    token_bucket_init(&bucket, 0, 10, 2);
    assert_true(token_bucket_take(&bucket, 1e6));
    assert_true(token_bucket_take(&bucket, 1e6));
    assert_false(token_bucket_take(&bucket, 1e6));
}

static void without_a_period_it_is_never_empty(void **state)
{
    (void)state;
    struct token_bucket bucket;
    token_bucket_init(&bucket, 0, 0, 1);
    for (int i = 0; i < 5; i++)
        assert_true(token_bucket_take(&bucket, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_bucket_gives_its_tokens_at_once_and_then_one_a_period),
        cmocka_unit_test(in_the_long_run_there_is_one_a_period),
        cmocka_unit_test(tokens_do_not_heap_up),
        cmocka_unit_test(without_a_period_it_is_never_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
