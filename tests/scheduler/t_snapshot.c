/* Names of states and reasons, and snapshots as JSON. */
#include "common/mem.h"
#include "scheduler/core/snapshot.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void every_reason_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < REASONS_COUNT; i++) {
        assert_int_equal(reason_named(reason_name((enum reason)i)), i);
        assert_true(*reason_sentence((enum reason)i));
    }
    assert_int_equal(reason_named("no such reason"), -1);
}

static void every_state_of_an_experiment_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = EXPERIMENT_RUNNING; i <= EXPERIMENT_ENDED; i++)
        assert_int_equal(experiment_state_named(experiment_state_name((enum experiment_state)i)), i);
    assert_int_equal(experiment_state_named("asleep"), -1);
}

static struct snapshot make(void)
{
    struct snapshot snapshot = {.state = EXPERIMENT_DRAINING,
                                .reason = REASON_TARGET,
                                .trials = {1, 2, 0, 40, 5, 6, 7},
                                .max_trials = 100,
                                .added = 11,
                                .ignored = 13,
                                .attempts_failed = 3,
                                .version = "0.2.0",
                                .late = 1,
                                .refused = 2,
                                .slots = 8,
                                .busy = 2,
                                .has_best = true,
                                .best_trial = 17,
                                .best = 0.1,
                                .held = 12.25,
                                .rate = 3.5,
                                .left = 9,
                                .uncommitted = 4,
                                .workers = MEM_ARRAY(struct snapshot_worker, 1),
                                .worker_count = 1};
    snapshot.workers[0] = (struct snapshot_worker){.name = "n01",
                                                   .worker = 0xfedcba9876543210,
                                                   .slots = 8,
                                                   .busy = 2,
                                                   .heard = 0.5,
                                                   .version = "0.1.0",
                                                   .ahead = -12.5,
                                                   .suspect = true,
                                                   .aside = "it talks nonsense",
                                                   .waiting = 1,
                                                   .why = "no space"};
    return snapshot;
}

static void assert_same(const struct snapshot *a, const struct snapshot *b)
{
    assert_string_equal(a->version, b->version);
    assert_int_equal(a->state, b->state);
    assert_int_equal(a->reason, b->reason);
    assert_memory_equal(a->trials, b->trials, sizeof a->trials);
    assert_int_equal(a->max_trials, b->max_trials);
    assert_int_equal(a->attempts_failed, b->attempts_failed);
    assert_int_equal(a->added, b->added);
    assert_int_equal(a->ignored, b->ignored);
    assert_int_equal(a->late, b->late);
    assert_int_equal(a->refused, b->refused);
    assert_int_equal(a->slots, b->slots);
    assert_int_equal(a->busy, b->busy);
    assert_int_equal(a->has_best, b->has_best);
    assert_int_equal(a->best_trial, b->best_trial);
    assert_true(a->best == b->best && a->held == b->held && a->rate == b->rate && a->left == b->left);
    assert_int_equal(a->uncommitted, b->uncommitted);
    assert_int_equal(a->worker_count, b->worker_count);
    for (uint32_t i = 0; i < a->worker_count; i++) {
        assert_string_equal(a->workers[i].name, b->workers[i].name);
        assert_int_equal(a->workers[i].worker, b->workers[i].worker);
        assert_int_equal(a->workers[i].slots, b->workers[i].slots);
        assert_int_equal(a->workers[i].busy, b->workers[i].busy);
        assert_true(a->workers[i].heard == b->workers[i].heard);
        assert_string_equal(a->workers[i].version, b->workers[i].version);
        assert_true(a->workers[i].ahead == b->workers[i].ahead);
        assert_int_equal(a->workers[i].suspect, b->workers[i].suspect);
        assert_string_equal(a->workers[i].aside, b->workers[i].aside);
        assert_int_equal(a->workers[i].waiting, b->workers[i].waiting);
        assert_string_equal(a->workers[i].why, b->workers[i].why);
    }
}

static void a_snapshot_survives_the_way_through_json(void **state)
{
    (void)state;
    struct snapshot snapshot = make(), back;
    struct err err;
    json_t *json = snapshot_encode(&snapshot);
    char *text = json_dumps(json, 0);
    json_t *again = json_loads(text, 0, NULL);
    assert_int_equal(snapshot_decode(again, &back, &err), 0);
    assert_same(&snapshot, &back);
    snapshot_fini(&back);
    snapshot_fini(&snapshot);
    json_decref(json);
    json_decref(again);
    free(text);
}

/* One with early stopping, in a job whose time is up soon. */
static struct snapshot make_in_job(void)
{
    struct snapshot snapshot = make();
    snapshot.early_stop = snapshot.has_deadline = true;
    snapshot.steps = 300;
    snapshot.stepped = 30;
    snapshot.max_steps = 27;
    snapshot.deadline = 90.5;
    snapshot.warn = 10;
    snapshot.exceeds_walltime = 4;
    snapshot.exceeding_trial = 19;
    snapshot.exceeding_seconds = 120.5;
    snapshot.workers[0].job = (struct node_job){77, 3};
    snapshot.workers[0].part = 2;
    return snapshot;
}

static void so_do_the_steps_and_the_time_of_the_job(void **state)
{
    (void)state;
    struct snapshot snapshot = make_in_job(), back;
    struct err err;
    json_t *json = snapshot_encode(&snapshot);
    assert_int_equal(snapshot_decode(json, &back, &err), 0);
    assert_same(&snapshot, &back);
    assert_true(back.early_stop && back.steps == 300 && back.stepped == 30 && back.max_steps == 27);
    assert_true(back.has_deadline && back.deadline == 90.5 && back.warn == 10 && back.exceeds_walltime == 4);
    assert_true(back.exceeding_trial == 19 && back.exceeding_seconds == 120.5);
    assert_true(back.workers[0].job.job == 77 && back.workers[0].job.element == 3);
    assert_true(back.workers[0].part == 2);
    snapshot_fini(&back);
    snapshot_fini(&snapshot);
    json_decref(json);
}

static void a_job_whose_time_is_enough_names_no_trial(void **state)
{
    (void)state;
    struct snapshot snapshot = make_in_job(), back;
    struct err err;
    snapshot.exceeds_walltime = 0;
    json_t *json = snapshot_encode(&snapshot);
    assert_int_equal(snapshot_decode(json, &back, &err), 0);
    assert_true(back.has_deadline && back.exceeding_trial == 0);
    snapshot_fini(&back);
    snapshot_fini(&snapshot);
    json_decref(json);
}

static void each_member_of_these_is_needed(void **state)
{
    (void)state;
    static const char *const members[][2] = {
        {"steps", "taken"},   {"steps", "trials"},   {"steps", "max_steps"},    {"deadline", "seconds"},
        {"deadline", "warn"}, {"deadline", "trial"}, {"deadline", "predicted"}, {"deadline", "exceeds_walltime"}};
    struct snapshot snapshot = make_in_job(), back;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        struct err err = {0};
        json_t *json = snapshot_encode(&snapshot);
        assert_int_equal(json_object_del(json_object_get(json, members[i][0]), members[i][1]), 0);
        assert_int_equal(snapshot_decode(json, &back, &err), -1);
        assert_non_null(strstr(err.text, members[i][1]));
        json_decref(json);
    }
    snapshot_fini(&snapshot);
}

static void what_is_not_known_is_null(void **state)
{
    (void)state;
    struct snapshot snapshot = {.left = -1}, back;
    struct err err;
    json_t *json = snapshot_encode(&snapshot);
    assert_true(json_is_null(json_object_get(json, "best")));
    assert_true(json_is_null(json_object_get(json, "best_trial")));
    assert_true(json_is_null(json_object_get(json, "left")));
    assert_int_equal(snapshot_decode(json, &back, &err), 0);
    assert_false(back.has_best);
    assert_true(back.left < 0);
    snapshot_fini(&back);
    json_decref(json);
}

static void members_that_are_not_known_are_passed_over(void **state)
{
    (void)state;
    struct snapshot snapshot = make(), back;
    struct err err;
    json_t *json = snapshot_encode(&snapshot);
    json_object_set_new(json, "later", json_true());
    assert_int_equal(snapshot_decode(json, &back, &err), 0);
    snapshot_fini(&back);
    snapshot_fini(&snapshot);
    json_decref(json);
}

/* Each member is taken away, and then set to something that it can't be. */
static void a_snapshot_with_a_wrong_member_is_refused_by_its_name(void **state)
{
    (void)state;
    static const char *const members[] = {
        "state", "reason",     "trials", "max_trials", "attempts_failed", "late",    "refused", "slots",
        "busy",  "best_trial", "held",   "rate",       "uncommitted",     "workers", "added",   "ignored"};
    struct snapshot snapshot = make(), back;
    for (size_t i = 0; i < 2 * sizeof members / sizeof *members; i++) {
        const char *member = members[i / 2];
        struct err err = {0};
        json_t *json = snapshot_encode(&snapshot);
        if (i % 2)
            json_object_set_new(json, member, json_pack("[s]", "?"));
        else
            json_object_del(json, member);
        assert_int_equal(snapshot_decode(json, &back, &err), -1);
        assert_true(strlen(err.text) > 0);
        assert_null(back.workers);
        json_decref(json);
    }
    struct err err = {0};
    assert_int_equal(snapshot_decode(json_null(), &back, &err), -1);
    assert_int_equal(snapshot_decode(NULL, &back, &err), -1);
    snapshot_fini(&snapshot);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_is_found_by_its_name),
        cmocka_unit_test(every_state_of_an_experiment_is_found_by_its_name),
        cmocka_unit_test(a_snapshot_survives_the_way_through_json),
        cmocka_unit_test(so_do_the_steps_and_the_time_of_the_job),
        cmocka_unit_test(a_job_whose_time_is_enough_names_no_trial),
        cmocka_unit_test(each_member_of_these_is_needed),
        cmocka_unit_test(what_is_not_known_is_null),
        cmocka_unit_test(members_that_are_not_known_are_passed_over),
        cmocka_unit_test(a_snapshot_with_a_wrong_member_is_refused_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
