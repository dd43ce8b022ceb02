/* Pools: what is given back is taken again, zeroed. */
#include "common/pool.h"
#include "tests/claims.h"

#include <string.h>

enum { BYTES = 48 };

static void an_item_is_zeroed_also_when_it_serves_again(void **state)
{
    (void)state;
    static const char zeros[BYTES];
    struct pool pool = {0};
    for (int i = 0; i < 3; i++) {
        char *item = pool_take(&pool, BYTES);
        assert_memory_equal(item, zeros, BYTES);
        memset(item, 'x', BYTES);
        pool_give(&pool, item);
    }
    pool_give(&pool, NULL);
    pool_fini(&pool);
}

static void items_that_are_taken_are_different_ones(void **state)
{
    (void)state;
    enum { MANY = 20000 }; /* more than are kept */
    struct pool pool = {0};
    static char *items[MANY];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++)
            memcpy(items[i] = pool_take(&pool, BYTES), &i, sizeof i);
        for (int i = 0, number; i < MANY; i++) {
            memcpy(&number, items[i], sizeof number);
            assert_int_equal(number, i);
        }
        for (int i = 0; i < MANY; i++)
            pool_give(&pool, items[i]);
    }
    pool_fini(&pool);
    assert_int_equal(pool.count, 0);
}

static void the_smallest_item_has_room_too(void **state)
{
    (void)state;
    struct pool pool = {0};
    char *a = pool_take(&pool, 1), *b = pool_take(&pool, 1);
    pool_give(&pool, a);
    pool_give(&pool, b);
    pool_fini(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_is_zeroed_also_when_it_serves_again),
        cmocka_unit_test(items_that_are_taken_are_different_ones),
        cmocka_unit_test(the_smallest_item_has_room_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
