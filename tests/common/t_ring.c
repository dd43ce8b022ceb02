/* The queue against counting: what comes out is what went in, in order. */
#include "common/ring.h"
#include "common/rng.h"
#include "tests/claims.h"

struct item {
    uint64_t number;
    char rest[13]; /* a size that is no power of two */
};

static void items_come_out_in_the_order_they_went_in(void **state)
{
    (void)state;
    struct ring ring;
    struct rng rng = rng_make(1, "ring", 0);
    uint64_t in = 0, out = 0;
    ring_init(&ring, sizeof(struct item));
    assert_null(ring_front(&ring));
    for (int round = 0; round < 200; round++) {
        for (uint64_t i = rng_below(&rng, 100); i; i--) {
            struct item *item = ring_push(&ring);
            assert_int_equal(item->number, 0);
            item->number = ++in;
        }
        for (uint64_t i = rng_below(&rng, 100); i && out < in; i--) {
            assert_int_equal(((struct item *)ring_front(&ring))->number, ++out);
            ring_pop(&ring);
        }
        assert_int_equal(ring.count, in - out);
    }
    for (; out < in; ring_pop(&ring))
        assert_int_equal(((struct item *)ring_front(&ring))->number, ++out);
    assert_null(ring_front(&ring));
    ring_fini(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_in_the_order_they_went_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
