/* What the coordinator's service answers. */
#include "tests/service_stage.h"
#include "tests/until.h"

#include <stdio.h>

static void status_is_a_snapshot_and_says_whose(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    struct snapshot snapshot;
    service_question_ask(&question, stage->loop, &stage->dir, "status", NULL);
    assert_int_equal(question.status, 0);
    assert_int_equal(snapshot_decode(question.answer, &snapshot, &question.err), 0);
    assert_int_equal(snapshot.max_trials, 20);
    assert_string_equal(json_string_value(json_object_get(question.answer, "name")), "small");
    assert_string_equal(json_string_value(json_object_get(question.answer, "directory")), stage->dir.path);
    assert_int_equal(json_integer_value(json_object_get(question.answer, "session")), 2);
    assert_int_equal(json_integer_value(json_object_get(question.answer, "pid")), getpid());
    assert_true(json_is_null(json_object_get(question.answer, "trouble")));
    snapshot_fini(&snapshot);
    json_decref(question.answer);
}

static bool is_troubled(void *context)
{
    const struct stage *stage = context;
    return commit_trouble(stage->commit);
}

static void status_says_that_nothing_can_be_written(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    atomic_store(&stage->store.full, true);
    core_proposal(stage->core, clock_monotonic(), 2, &(struct event_proposed){.params = "{}", .fingerprint = 1});
    until(stage->loop, is_troubled, stage);
    service_question_ask(&question, stage->loop, &stage->dir, "status", NULL);
    assert_has(json_string_value(json_object_get(question.answer, "trouble")), "the disk is full");
    json_decref(question.answer);
}

static void drain_starts_nothing_new(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "drain", "{\"why\": \"interrupted\"}");
    look(stage, &snapshot);
    assert_int_not_equal(snapshot.state, EXPERIMENT_RUNNING);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void stop_means_stopped_unless_it_says_interrupted(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    refused(stage, "stop", "{\"why\": \"bored\"}", 2, "stopped or interrupted");
    accepted(stage, "stop", "{}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_STOPPED);
    snapshot_fini(&snapshot);
}

static void a_trial_is_cancelled_by_its_number(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    refused(stage, "cancel", "{\"trial\": 99}", SERVICE_NO_TRIAL, "trial 99");
    refused(stage, "cancel", "{}", SERVICE_NO_TRIAL, "trial 0");
    accepted(stage, "cancel", "{\"trial\": 1}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED], 1);
    snapshot_fini(&snapshot);
}

static void the_death_of_an_unknown_worker_does_no_harm(void **state)
{
    accepted(*state, "worker_dead", "{\"pid\": 1}");
    accepted(*state, "worker_dead", "{\"node\": \"n7\", \"ending\": \"node_failed\"}");
    accepted(*state, "silent", "{\"pid\": 1}");
    refused(*state, "silent", "{}", 2, "pid, node or job");
    refused(*state, "worker_dead", "{\"pid\": \"x\", \"why\": 3}", 2, "pid has to be a whole number");
    refused(*state, "worker_dead", "{}", 2, "pid, node or job");
    refused(*state, "worker_dead", "{\"job\": 1, \"ending\": \"completed\"}", 2, "not 'completed'");
}

/* What a program of somebody's own may ask. */
static void questions_that_make_no_sense_are_refused_and_do_no_harm(void **state)
{
    static const struct {
        const char *what, *arguments, *why;
        int status;
    } cases[] = {
        {"until", "{\"until\": \"nan\"}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{\"until\": \"-inf\"}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{}", "until has to be a time in seconds", SERVICE_USAGE},
        {"until", "{\"until\": [1]}", "until has to be a time in seconds", SERVICE_USAGE},
        {"cancel", "{\"trial\": -1}", "trial 0", SERVICE_NO_TRIAL},
        {"cancel", "{\"trial\": \"1\"}", "trial 0", SERVICE_NO_TRIAL},
        {"cancel", "{\"trial\": 9223372036854775807}", "trial 9223372036854775807", SERVICE_NO_TRIAL},
        {"silent", "{\"pid\": -1}", "pid has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"job\": 4294967296}", "job has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"job\": 1, \"element\": 1.5}", "element has to be a whole number", SERVICE_USAGE},
        {"silent", "{\"node\": {}}", "pid, node or job", SERVICE_USAGE},
        {"worker_dead", "{\"job\": 1, \"why\": []}", "why has to be a text", SERVICE_USAGE},
        {"no_workers", "{\"why\": 7}", "why has to be a text", SERVICE_USAGE},
        {"leave", "{\"why\": null}", "walltime, preempted or paused", SERVICE_USAGE},
        {"drain", "{\"why\": \"\"}", "stopped or interrupted", SERVICE_USAGE},
    };
    struct snapshot snapshot;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(*state, cases[i].what, cases[i].arguments, cases[i].status, cases[i].why);
    accepted(*state, "until", "{\"until\": -1e308}"); /* which is long ago */
    look(*state, &snapshot);
    assert_int_equal(snapshot.trials[TRIAL_CANCELLED], 0);
    snapshot_fini(&snapshot);
}

static void more_names_of_workers_than_anybody_needs_at_once_are_refused(void **state)
{
    enum { NAMED = 20001 };
    struct buf arguments = {0};
    buf_text(&arguments, "{\"workers\": [0");
    for (int i = 1; i < NAMED; i++)
        buf_text(&arguments, ",1");
    buf_text(&arguments, "]}");
    refused(*state, "workers", buf_str(&arguments), SERVICE_USAGE, "at most 2000 names at once");
    buf_fini(&arguments);
}

static void a_reason_without_end_is_refused(void **state)
{
    enum { LENGTH = 1 << 20 };
    char *arguments = mem_zero(LENGTH + 32, 1);
    char *at = arguments + sprintf(arguments, "{\"job\": 1, \"why\": \"");
    memset(at, 'x', LENGTH);
    strcpy(at + LENGTH, "\"}");
    refused(*state, "worker_dead", arguments, SERVICE_USAGE, "why has to be a text of at most 1000 bytes");
    refused(*state, "no_workers", arguments, SERVICE_USAGE, "why has to be a text of at most 1000 bytes");
    free(arguments);
}

static void without_workers_the_session_ends(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "no_workers", "{\"why\": \"they have left\"}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_NO_WORKERS);
    snapshot_fini(&snapshot);
}

static void an_end_under_way_is_not_for_want_of_workers(void **state)
{
    struct stage *stage = *state;
    struct snapshot snapshot;
    accepted(stage, "drain", "{\"why\": \"interrupted\"}");
    accepted(stage, "no_workers", "{}");
    look(stage, &snapshot);
    assert_int_equal(snapshot.reason, REASON_INTERRUPTED);
    snapshot_fini(&snapshot);
}

static void readers_are_answered_by_the_store(void **state)
{
    struct stage *stage = *state;
    struct service_question question = {0};
    service_question_ask(&question, stage->loop, &stage->dir, "read", "{\"function\": \"trials\"}");
    assert_int_equal(question.status, 0);
    assert_int_equal(json_integer_value(json_array_get(question.answer, 0)), 131);
    json_decref(question.answer);
    refused(*state, "read", "{\"fail\": true}", 1, "no such table");
}

static void an_answer_that_is_too_large_is_refused_with_what_to_do(void **state)
{
    refused(*state, "read", "{\"large\": true}", 1, "ask for less");
}

static void an_unknown_question_lists_the_known_ones(void **state)
{
    refused(*state, "statsu", "{}", 2, "status, workers, read, drain, stop, cancel, leave, worker_dead");
}

static void arguments_that_are_no_object_are_refused(void **state)
{
    refused(*state, "stop", "[1, 2]", 2, "no JSON object");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STAGED(status_is_a_snapshot_and_says_whose),
        STAGED(status_says_that_nothing_can_be_written),
        STAGED(drain_starts_nothing_new),
        STAGED(stop_means_stopped_unless_it_says_interrupted),
        STAGED(a_trial_is_cancelled_by_its_number),
        STAGED(the_death_of_an_unknown_worker_does_no_harm),
        STAGED(questions_that_make_no_sense_are_refused_and_do_no_harm),
        STAGED(more_names_of_workers_than_anybody_needs_at_once_are_refused),
        STAGED(a_reason_without_end_is_refused),
        STAGED(without_workers_the_session_ends),
        STAGED(an_end_under_way_is_not_for_want_of_workers),
        STAGED(readers_are_answered_by_the_store),
        STAGED(an_answer_that_is_too_large_is_refused_with_what_to_do),
        STAGED(an_unknown_question_lists_the_known_ones),
        STAGED(arguments_that_are_no_object_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
