/* Workers one by one, for who looks at them, and the short snapshot that has hardly any of them. */
#include "common/buf.h"
#include "scheduler/core/worker_list.h"
#include "tests/core_fixture.h"

#include <string.h>

enum { MANY = 300 };

/* So many workers of one slot each, named 1, 2, ...; ten of them have a trial. */
static void join_many(struct fixture *b, uint64_t count)
{
    fixture_start(b);
    for (uint64_t i = 1; i <= count; i++)
        fixture_join(b, 1000 + i, i, 1, 0);
}

static void is_text(const json_t *json, const char *member, const char *expected)
{
    assert_string_equal(json_string_value(json_object_get(json, member)), expected);
}

static void pages_hold_every_worker_once_in_the_order_of_their_names(void **state)
{
    struct fixture *b = *state;
    join_many(b, MANY);
    uint64_t seen = 0;
    json_t *page;
    for (; (page = worker_list_page(b->core, b->now, seen, 64)) && json_array_size(page); json_decref(page)) {
        size_t index;
        json_t *worker;
        assert_true(json_array_size(page) == 64 || seen + json_array_size(page) == MANY);
        json_array_foreach(page, index, worker)
        {
            struct buf name = {0};
            buf_format(&name, "%016llx", (unsigned long long)++seen);
            is_text(worker, "worker", buf_str(&name));
            buf_fini(&name);
        }
    }
    json_decref(page);
    assert_int_equal(seen, MANY);
    json_t *most = worker_list_page(b->core, b->now, 0, 100000), *none = worker_list_page(b->core, b->now, MANY, 10);
    assert_int_equal(json_array_size(most), WORKER_LIST_LONGEST);
    assert_int_equal(json_array_size(none), 0);
    json_decref(most);
    json_decref(none);
}

static void a_worker_is_shown_with_what_runs_in_its_slots_and_what_waits(void **state)
{
    struct fixture *b = *state;
    fixture_start(b);
    fixture_join(b, 7, 0xabc, 3, 1);
    fixture_say(b, 7, &(struct msg){.kind = MSG_WAITS, .waits = {2, "no space left"}});
    b->now += 5;
    json_t *names = json_pack("[s, s, i]", "0000000000000abc", "ffffffffffffffff", 7);
    json_t *page = worker_list_named(b->core, b->now, names), *worker = json_array_get(page, 0);
    json_t *running = json_object_get(worker, "running"), *first = json_array_get(running, 0);
    assert_int_equal(json_array_size(page), 1);
    assert_int_equal(json_array_size(running), 3);
    assert_int_equal(json_integer_value(json_object_get(first, "trial")), 1);
    assert_int_equal(json_integer_value(json_object_get(first, "attempt")), 1);
    assert_true(json_number_value(json_object_get(first, "seconds")) >= 5);
    assert_true(json_number_value(json_object_get(worker, "heard")) >= 5);
    assert_true(json_is_null(json_object_get(worker, "left")));
    assert_true(json_is_true(json_object_get(worker, "connected")));
    is_text(json_array_get(running, 2), "why", "no space left");
    json_decref(page);
    json_decref(names);
}

static void in_short_all_workers_count_and_the_odd_ones_are_listed(void **state)
{
    struct fixture *b = *state;
    join_many(b, MANY);
    struct snapshot whole = fixture_stand(b), brief;
    core_snapshot_short(b->core, b->now, &brief);
    assert_int_equal(brief.worker_count, 0);
    assert_int_equal(brief.sums.workers, MANY);
    assert_memory_equal(&brief.sums, &whole.sums, sizeof brief.sums);
    snapshot_fini(&brief);
    snapshot_fini(&whole);
    for (uint64_t i = 1; i <= 40; i++)
        fixture_say(b, 1000 + i, &(struct msg){.kind = MSG_WAITS, .waits = {0, "no space left"}});
    core_snapshot_short(b->core, b->now, &brief);
    whole = fixture_stand(b);
    assert_int_equal(whole.worker_count, MANY);
    assert_int_equal(brief.worker_count, 20);
    assert_int_equal(brief.sums.waiting, 40);
    assert_memory_equal(&brief.sums, &whole.sums, sizeof brief.sums);
    assert_string_equal(brief.workers[0].why, "no space left");
    json_t *json = snapshot_encode(&brief);
    struct snapshot back;
    assert_int_equal(snapshot_decode(json, &back, NULL), 0);
    assert_memory_equal(&brief.sums, &back.sums, sizeof brief.sums);
    json_object_del(json, "sums"); /* as an earlier version says it */
    snapshot_fini(&back);
    assert_int_equal(snapshot_decode(json, &back, NULL), 0);
    assert_int_equal(back.sums.workers, 20);
    json_decref(json);
    snapshot_fini(&back);
    snapshot_fini(&brief);
    snapshot_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(pages_hold_every_worker_once_in_the_order_of_their_names),
        FIXTURE_CLAIM(a_worker_is_shown_with_what_runs_in_its_slots_and_what_waits),
        FIXTURE_CLAIM(in_short_all_workers_count_and_the_odd_ones_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
