/* Runs in which one rank does not move and the others wait for it (scheduler/core/standstill.c). */
#include "tests/core_gangs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void say(struct fixture *b, uint64_t worker, uint32_t still, uint32_t waiting)
{
    struct msg_stall stall = {.trial = 1,
                              .attempt = 1,
                              .still = still,
                              .waiting = waiting,
                              .rank = still ? 3 : 0,
                              .seconds = still ? 20 : 0,
                              .why = still ? "its process is stopped" : ""};
    fixture_say(b, worker, &(struct msg){.kind = MSG_STALL, .stall = stall});
}

static void assert_says(struct fixture *b, const char *text)
{
    struct snapshot now = fixture_stand(b);
    assert_int_equal(now.standstill_count, *text != '\0');
    if (*text) {
        assert_int_equal(now.standstills[0].trial, 1);
        assert_string_equal(now.standstills[0].text, text);
    }
    snapshot_fini(&now);
}

static void the_rank_is_named_with_its_node_and_who_waits_for_it(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    say(b, 1, 0, 2);
    say(b, 2, 1, 1);
    assert_says(b, "rank 3 on node b has not moved for 20s: its process is stopped; 3 other ranks wait for it");
    say(b, 2, 2, 0);
    assert_says(b, "rank 3 on node b has not moved for 20s: its process is stopped; 2 other ranks wait for it; 1 more "
                   "stands still, too");
}

static void while_nobody_waits_all_compute(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    say(b, 2, 2, 0);
    assert_says(b, "");
    say(b, 1, 0, 1);
    assert_says(b, "rank 3 on node b has not moved for 20s: its process is stopped; 1 other rank waits for it; 1 more "
                   "stands still, too");
}

static void it_is_said_no_more_when_it_moves_again(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    say(b, 1, 0, 1);
    say(b, 2, 1, 0);
    say(b, 2, 0, 0);
    assert_says(b, "");
    say(b, 1, 0, 0);
    assert_says(b, "");
}

static void the_end_says_it(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    gangs_start(b, 2, 2, 1);
    say(b, 1, 0, 1);
    say(b, 2, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_TIMED_OUT, NAN);
    result.detail = "it ran longer than 1m, its limits.trial_time";
    fixture_report(b, 1, result);
    assert_has(b->last_run.run.detail, "its limits.trial_time; rank 3 on node b has not moved for");
    assert_has(b->last_end.end.detail, "rank 3 on node b has not moved for");
}

static void so_does_the_end_that_another_node_brought_about(void **state)
{
    struct fixture *b = *state;
    b->config.retries = 0;
    gangs_start(b, 2, 2, 1);
    say(b, 1, 0, 1);
    say(b, 2, 1, 0);
    struct msg_result result = fixture_done(1, 1, ENDING_TIMED_OUT, NAN);
    result.detail = "it ran longer than 1m";
    fixture_report(b, 2, result);
    fixture_report(b, 1, fixture_done(1, 1, ENDING_CANCELLED, NAN));
    const char *detail = b->last_end.end.detail, *first = strstr(detail, "rank 3 on node b");
    assert_non_null(first);
    assert_null(strstr(first + 1, "rank 3 on node b"));
}

static void what_is_said_of_a_run_that_ended_is_nothing(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    say(b, 2, 1, 0);
    fixture_report(b, 2, fixture_done(1, 1, ENDING_COMPLETED, NAN));
    say(b, 2, 1, 0);
    say(b, 1, 0, 1);
    assert_says(b, "");
}

static void say_stopped(struct fixture *b, uint64_t worker, uint32_t process)
{
    struct msg_stall stall = {
        .trial = 1, .attempt = 1, .still = process > 0, .process = process, .seconds = 20, .why = ""};
    fixture_say(b, worker, &(struct msg){.kind = MSG_STALL, .stall = stall});
}

static void a_process_that_was_stopped_is_named_though_nobody_waits_for_it(void **state)
{
    struct fixture *b = *state;
    gangs_start(b, 2, 2, 1);
    say_stopped(b, 2, 1234);
    assert_says(b, "process 1234 on node b has been stopped for 20s (SIGSTOP); kill -CONT 1234 there lets it go on");
    say_stopped(b, 2, 0);
    assert_says(b, "");
}

static void a_snapshot_keeps_it_in_json(void **state)
{
    struct fixture *b = *state;
    struct err err;
    gangs_start(b, 2, 2, 1);
    say(b, 1, 0, 2);
    say(b, 2, 1, 1);
    struct snapshot now = fixture_stand(b), back;
    json_t *json = snapshot_encode(&now);
    assert_int_equal(snapshot_decode(json, &back, &err), 0);
    assert_int_equal(back.standstill_count, 1);
    assert_string_equal(back.standstills[0].text, now.standstills[0].text);
    json_decref(json);
    snapshot_fini(&now);
    snapshot_fini(&back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_CLAIM(the_rank_is_named_with_its_node_and_who_waits_for_it),
        FIXTURE_CLAIM(while_nobody_waits_all_compute),
        FIXTURE_CLAIM(it_is_said_no_more_when_it_moves_again),
        FIXTURE_CLAIM(the_end_says_it),
        FIXTURE_CLAIM(so_does_the_end_that_another_node_brought_about),
        FIXTURE_CLAIM(what_is_said_of_a_run_that_ended_is_nothing),
        FIXTURE_CLAIM(a_process_that_was_stopped_is_named_though_nobody_waits_for_it),
        FIXTURE_CLAIM(a_snapshot_keeps_it_in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
