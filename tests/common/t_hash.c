/* FNV-1a against its authors' published values. */
#include "common/hash.h"
#include "tests/claims.h"

static void the_published_values_come_out(void **state)
{
    (void)state;
    assert_true(hash_text("") == 0xcbf29ce484222325u);
    assert_true(hash_text("a") == 0xaf63dc4c8601ec8cu);
    assert_true(hash_text("foobar") == 0x85944171f73967e8u);
}

static void a_hash_can_be_continued(void **state)
{
    (void)state;
    uint64_t half = hash_bytes(HASH_START, "foo", 3);
    assert_true(hash_bytes(half, "bar", 3) == hash_text("foobar"));
    assert_true(hash_bytes(half, "", 0) == half);
    assert_true(hash_bytes(HASH_START, "\0", 1) != HASH_START);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_values_come_out),
        cmocka_unit_test(a_hash_can_be_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
