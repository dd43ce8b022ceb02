/* Answers that are given again to who asks the same. */
#include "scheduler/coordinator/answers.h"
#include "tests/claims.h"

#include "common/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void who_asks_the_same_gets_the_same_for_a_while(void **state)
{
    struct answers answers = {0};
    (void)state;
    answers_keep(&answers, "top 7", "[1]", 3, 100);
    assert_string_equal(answers_find(&answers, "top 7", 4, 102.4), "[1]");
    assert_null(answers_find(&answers, "top 7", 4, 102.6));
    assert_null(answers_find(&answers, "top 8", 3, 100));
    answers_fini(&answers);
}

enum { VIEWERS = 20, PER_SECOND = 1000 }; /* trials that end */

struct viewer {
    double next; /* when it asks */
    uint64_t told;
};

/* Asks for what came since it was told; how many trials were read for it. */
static uint64_t ask(struct answers *answers, struct viewer *viewer, uint64_t change)
{
    char question[32], answer[32];
    uint64_t now = (uint64_t)(viewer->next * PER_SECOND), before = viewer->told;
    snprintf(question, sizeof question, "%" PRIu64, before);
    snprintf(answer, sizeof answer, "%" PRIu64, now);
    const char *again = answers_find(answers, question, change, viewer->next);
    if (!again)
        answers_keep(answers, question, answer, change, viewer->next);
    viewer->told = strtoull(again ? again : answer, NULL, 10);
    return again ? 0 : now - before;
}

/* Every two seconds and a little more, each at its own moments. */
static void twenty_who_ask_for_what_is_new_stay_in_step(void **state)
{
    struct answers answers = {0};
    struct viewer viewers[VIEWERS] = {0};
    uint64_t read = 0, drawn = 7;
    double end = 300;
    (void)state;
    for (int i = 0; i < VIEWERS; i++)
        viewers[i].next = 2.0 * (i * 7 % VIEWERS) / VIEWERS;
    for (uint64_t change = 1;; change++) {
        struct viewer *first = viewers;
        for (int i = 1; i < VIEWERS; i++)
            first = viewers[i].next < first->next ? &viewers[i] : first;
        if (first->next > end)
            break;
        read += ask(&answers, first, change);
        drawn = drawn * 6364136223846793005 + 1442695040888963407;
        first->next += 2 + 0.02 * (double)(drawn >> 33) / (double)(1u << 31);
    }
    assert_in_range(read, 0, (uint64_t)(1.1 * end * PER_SECOND)); /* hardly any trial was read twice */
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
        cmocka_unit_test(who_asks_the_same_gets_the_same_for_a_while),
        cmocka_unit_test(twenty_who_ask_for_what_is_new_stay_in_step),
        cmocka_unit_test(while_nothing_is_written_it_holds_longer_and_not_for_ever),
        cmocka_unit_test(the_oldest_makes_room),
        cmocka_unit_test(what_is_kept_is_bounded_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
