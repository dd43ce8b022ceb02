/* The map against a plain array with the same operations. */
#include "common/map.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <string.h>

static int values[2000]; /* what keys point at */

static void an_empty_map_has_nothing(void **state)
{
    (void)state;
    struct map map = {0};
    struct map_entry entry;
    size_t at = 0;
    assert_null(map_get(&map, 0));
    assert_null(map_remove(&map, 7));
    assert_false(map_next(&map, &at, &entry));
    map_fini(&map);
}

static void a_key_has_the_value_put_last(void **state)
{
    (void)state;
    struct map map = {0};
    assert_null(map_put(&map, 0, &values[1]));
    assert_ptr_equal(map_put(&map, 0, &values[2]), &values[1]);
    assert_ptr_equal(map_get(&map, 0), &values[2]);
    assert_int_equal(map.count, 1);
    assert_ptr_equal(map_remove(&map, 0), &values[2]);
    assert_null(map_get(&map, 0));
    assert_int_equal(map.count, 0);
    map_fini(&map);
}

/* Keys of the shapes that occur: counted up, far apart, and equal in their low bits. */
static uint64_t key_of(uint64_t number, unsigned shape)
{
    return shape == 0 ? number : shape == 1 ? number * 0x9e3779b97f4a7c15u : number << 32;
}

static void check_walk(const struct map *map, int *const *model, size_t keys, unsigned shape)
{
    struct map_entry entry;
    size_t seen = 0;
    for (size_t at = 0; map_next(map, &at, &entry); seen++) {
        size_t number = 0;
        while (number < keys && key_of(number, shape) != entry.key)
            number++;
        assert_true(number < keys);
        assert_ptr_equal(entry.value, model[number]);
    }
    assert_int_equal(seen, map->count);
}

static void it_behaves_like_a_plain_array(void **state)
{
    (void)state;
    enum { KEYS = 1000, ROUNDS = 60000 };
    for (unsigned shape = 0; shape < 3; shape++) {
        int *model[KEYS] = {0};
        size_t count = 0;
        struct map map = {0};
        struct rng rng = rng_make(shape, "map", 0);
        for (int round = 0; round < ROUNDS; round++) {
            /* The map fills up, empties, and fills up again. */
            bool filling = round / (ROUNDS / 6) % 2 == 0;
            size_t number = rng_below(&rng, KEYS);
            uint64_t key = key_of(number, shape);
            int *value = rng_below(&rng, 10) < (filling ? 7u : 3u) ? &values[rng_below(&rng, 2000)] : NULL;
            count += (value && !model[number]) - (size_t)(!value && model[number]);
            assert_ptr_equal(value ? map_put(&map, key, value) : map_remove(&map, key), model[number]);
            model[number] = value;
            assert_int_equal(map.count, count);
            size_t other = rng_below(&rng, KEYS);
            assert_ptr_equal(map_get(&map, key_of(other, shape)), model[other]);
        }
        check_walk(&map, model, KEYS, shape);
        map_fini(&map);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(a_key_has_the_value_put_last),
        cmocka_unit_test(it_behaves_like_a_plain_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
