/* Answers that are given again to who asks the same. */
#include "scheduler/coordinator/answers.h"
#include "tests/claims.h"

#include "common/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void who_asks_the_same_gets_the_same_for_half_a_second(void **state)
{
    struct answers answers = {0};
    (void)state;
    answers_keep(&answers, "top 7", "[1]", 3, 100);
    assert_string_equal(answers_find(&answers, "top 7", 4, 100.4), "[1]");
    assert_null(answers_find(&answers, "top 7", 4, 100.6));
    assert_null(answers_find(&answers, "top 8", 3, 100));
    answers_fini(&answers);
}

static void while_nothing_is_written_it_holds_longer_and_not_for_ever(void **state)
{
    struct answers answers = {0};
    (void)state;
    answers_keep(&answers, "top 7", "[1]", 3, 100);
    assert_string_equal(answers_find(&answers, "top 7", 3, 103), "[1]");
    assert_null(answers_find(&answers, "top 7", 3, 106));
    answers_fini(&answers);
}

static void the_oldest_makes_room(void **state)
{
    struct answers answers = {0};
    char question[16];
    (void)state;
    for (int i = 0; i <= ANSWERS_MOST; i++) {
        snprintf(question, sizeof question, "%d", i);
        answers_keep(&answers, question, "[]", 1, 100);
    }
    assert_null(answers_find(&answers, "0", 1, 100));
    assert_non_null(answers_find(&answers, "1", 1, 100));
    assert_non_null(answers_find(&answers, question, 1, 100));
    answers_fini(&answers);
    assert_int_equal(answers.bytes, 0);
}

static void what_is_kept_is_bounded_in_bytes(void **state)
{
    enum { LARGE = ANSWERS_BYTES / 3 };
    struct answers answers = {0};
    char question[16], *text = mem_zero(ANSWERS_BYTES + 1, 1);
    (void)state;
    memset(text, 'x', LARGE);
    for (int i = 0; i < 3 * ANSWERS_MOST; i++) {
        snprintf(question, sizeof question, "%d", i);
        answers_keep(&answers, question, text, 1, 100);
        assert_true(answers.bytes <= ANSWERS_BYTES);
        assert_non_null(answers_find(&answers, question, 1, 100));
    }
    memset(text, 'x', ANSWERS_BYTES);
    answers_keep(&answers, "too large", text, 1, 100);
    assert_null(answers_find(&answers, "too large", 1, 100));
    assert_non_null(answers_find(&answers, question, 1, 100));
    answers_fini(&answers);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_the_same_gets_the_same_for_half_a_second),
        cmocka_unit_test(while_nothing_is_written_it_holds_longer_and_not_for_ever),
        cmocka_unit_test(the_oldest_makes_room),
        cmocka_unit_test(what_is_kept_is_bounded_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
