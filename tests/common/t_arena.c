/* Memory that is freed all at once. The sanitizers and valgrind see what is not. */
#include "common/arena.h"
#include "common/rng.h"
#include "tests/claims.h"

#include <stdalign.h>
#include <string.h>

static bool is_aligned(const void *memory)
{
    return (uintptr_t)memory % alignof(max_align_t) == 0;
}

static void pieces_of_any_size_are_zero_apart_and_aligned(void **state)
{
    (void)state;
    enum { PIECES = 2000 };
    struct arena arena = {0};
    struct rng rng = rng_make(1, "arena", 0);
    struct {
        unsigned char *memory;
        size_t size;
    } pieces[PIECES];
    for (size_t i = 0; i < PIECES; i++) {
        pieces[i].size = rng_below(&rng, i % 100 ? 60 : 5000);
        pieces[i].memory = arena_zero(&arena, pieces[i].size, 1);
        assert_true(is_aligned(pieces[i].memory));
        for (size_t j = 0; j < pieces[i].size; j++)
            assert_int_equal(pieces[i].memory[j], 0);
        memset(pieces[i].memory, (int)(i % 256), pieces[i].size);
    }
    for (size_t i = 0; i < PIECES; i++)
        for (size_t j = 0; j < pieces[i].size; j++)
            assert_int_equal(pieces[i].memory[j], i % 256);
    arena_fini(&arena);
    assert_null(arena.block);
}

static void texts_and_bytes_are_copied(void **state)
{
    (void)state;
    struct arena arena = {0};
    char text[] = "gannet";
    const char *copy = arena_text(&arena, text);
    const char *bytes = arena_copy(&arena, text, 3);
    text[0] = 'x';
    assert_string_equal(copy, "gannet");
    assert_memory_equal(bytes, "gan", 3);
    assert_string_equal(arena_text(&arena, NULL), "");
    assert_non_null(arena_copy(&arena, NULL, 0));
    arena_fini(&arena);
}

static void an_arena_can_be_used_again(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(arena_text(&arena, "again"), "again");
        arena_fini(&arena);
    }
    arena_fini(&arena);
}

/* Of what was filled with many pieces the memory that is kept has room for as many. */
static void an_arena_that_was_reset_gives_the_same_memory_again(void **state)
{
    (void)state;
    enum { MANY = 100 };
    struct arena arena = {0};
    for (int i = 0; i < MANY; i++)
        arena_zero(&arena, 1, 1000);
    arena_reset(&arena);
    const struct arena_block *kept = arena.block;
#ifdef GANNET_SANITIZED
    assert_null(kept); /* so that the sanitizer sees who uses it all the same */
#else
    const char *first = arena_text(&arena, "first");
    arena_zero(&arena, MANY / 4, 1000);
    assert_ptr_equal(arena.block, kept);
    assert_string_equal(first, "first");
    arena_reset(&arena);
    assert_ptr_equal(arena_text(&arena, "again"), first);
#endif
    arena_fini(&arena);
    arena_reset(&arena); /* of an empty one is fine */
    assert_null(arena.block);
}

static void what_is_merged_lives_on_in_the_other(void **state)
{
    (void)state;
    struct arena into = {0}, from = {0}, empty = {0};
    const char *a = arena_text(&into, "a"), *b = arena_text(&from, "b");
    arena_zero(&from, 1, 10000);
    arena_merge(&into, &from);
    arena_merge(&into, &empty);
    assert_null(from.block);
    arena_fini(&from);
    const char *c = arena_text(&into, "c");
    assert_string_equal(a, "a");
    assert_string_equal(b, "b");
    assert_string_equal(c, "c");
    arena_merge(&empty, &into);
    assert_string_equal(b, "b");
    arena_fini(&into);
    arena_fini(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_any_size_are_zero_apart_and_aligned),
        cmocka_unit_test(texts_and_bytes_are_copied),
        cmocka_unit_test(an_arena_can_be_used_again),
        cmocka_unit_test(an_arena_that_was_reset_gives_the_same_memory_again),
        cmocka_unit_test(what_is_merged_lives_on_in_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
