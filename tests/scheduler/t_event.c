/* Events: what every kind says is kept, whatever becomes of who said it; see scheduler/core/event.h. */
#include "scheduler/core/event.h"
#include "tests/claims.h"
#include "tests/event_text.h"

#include <stdlib.h>

/* An event's line, to be freed. */
static char *line_of(const struct event *event)
{
    struct buf text = {0};
    event_print(event, &text);
    return buf_take(&text);
}

/* Texts and lists that are freed after the event was kept: a reader of freed memory is found by its wrong line, and by
 * the address sanitizer. */
static void a_kept_event_of_any_kind_owns_all_that_it_says(void **state)
{
    (void)state;
    for (int kind = 0; kind < EVENT_KINDS; kind++) {
        struct arena lent = {0};
        struct event event = event_sample((enum event_kind)kind, 100, &lent);
        char *before = line_of(&event);
        event_keep(&event);
        arena_fini(&lent);
        struct event other = event_sample((enum event_kind)kind, 900, &lent); /* takes the place of what was freed */
        char *after = line_of(&event), *another = line_of(&other);
        assert_string_equal(after, before);
        assert_string_not_equal(another, before);
        event_fini(&event);
        arena_fini(&lent);
        free(before);
        free(after);
        free(another);
    }
}

static void what_an_event_does_not_say_costs_no_memory(void **state)
{
    (void)state;
    struct event end = {.kind = EVENT_TRIAL_ENDED, .end = {.detail = NULL, .has_value = true, .value = 1}};
    struct event job = {.kind = EVENT_JOB, .job = {.state = NULL, .reason = ""}};
    event_keep(&end);
    event_keep(&job);
    assert_string_equal(end.end.detail, "");
    assert_null(end.end.values);
    assert_null(job.job.state); /* not known */
    assert_string_equal(job.job.reason, "");
    assert_null(end.memory.block);
    assert_null(job.memory.block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kept_event_of_any_kind_owns_all_that_it_says),
        cmocka_unit_test(what_an_event_does_not_say_costs_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
