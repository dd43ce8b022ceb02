/* Attempts on slots, of searches that went on in another session (cli/data/slot_spans.c). */
#include "cli/data/slot_spans.h"
#include "tests/claims.h"

static const double began = 1.7e9;

/* An attempt of so many seconds on a slot of a worker. */
static void add(struct slot_spans *spans, int worker, int slot, double from, double seconds)
{
    json_t *span =
        json_pack("{s:i, s:i, s:i, s:s, s:i, s:i, s:f, s:f, s:s}", "trial", 1, "attempt", 1, "part", 0, "node", "n1",
                  "worker", worker, "slot", slot, "started", began + from, "seconds", seconds, "reason", "completed");
    slot_spans_add(spans, span, began + 10000);
    json_decref(span);
}

static void a_slot_of_two_sessions_is_one_and_was_not_there_between_them(void **state)
{
    struct slot_spans spans = {0};
    (void)state;
    add(&spans, 1, 0, 0, 10);
    add(&spans, 1, 1, 0, 8);
    add(&spans, 2, 0, 1010, 20);
    add(&spans, 2, 1, 1010, 20);
    slot_spans_finish(&spans);
    assert_int_equal(spans.slot_count, 2);
    assert_float_equal(spans.slots[0].away, 1000, 1e-6);
    assert_float_equal(spans.slots[0].busy, 30, 1e-6);
    assert_float_equal(spans.slots[1].away, 1002, 1e-6);
    assert_float_equal(slot_spans_there(&spans), 2 * 1030 - 2002, 1e-6);
    slot_spans_fini(&spans);
}

static void workers_that_are_there_at_once_have_slots_of_their_own(void **state)
{
    struct slot_spans spans = {0};
    (void)state;
    add(&spans, 1, 0, 0, 10);
    add(&spans, 2, 0, 5, 10);
    add(&spans, 1, 0, 20, 10);
    add(&spans, 3, 0, 130, 10); /* in the next session */
    add(&spans, 4, 0, 132, 8);
    slot_spans_finish(&spans);
    assert_int_equal(spans.slot_count, 2);
    assert_float_equal(slot_spans_there(&spans), 2 * 140 - (132 - 30) - (130 - 15), 1e-6);
    slot_spans_fini(&spans);
}

static void nothing_is_no_time(void **state)
{
    struct slot_spans spans = {0};
    (void)state;
    slot_spans_finish(&spans);
    assert_int_equal(spans.slot_count, 0);
    slot_spans_fini(&spans);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_of_two_sessions_is_one_and_was_not_there_between_them),
        cmocka_unit_test(workers_that_are_there_at_once_have_slots_of_their_own),
        cmocka_unit_test(nothing_is_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
