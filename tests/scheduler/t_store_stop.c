/* What the store keeps of early stopping: the order in which it was told, what a restart recalls of trials that pause,
 * and which samples of several attempts count. */
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORKER = 7 };

static void put(struct store *store, struct event event)
{
    struct err err;
    fine(store_write(store, &event, 1, &err), &err);
}

static void put_run(struct store *store, uint32_t attempt, uint64_t resumed, enum ending ending, int64_t first_step,
                    uint32_t count)
{
    struct msg_sample samples[8];
    for (uint32_t i = 0; i < count; i++)
        samples[i] = (struct msg_sample){"loss", first_step + i, 10.0 * attempt + (double)(first_step + i), 1};
    put(store, (struct event){.kind = EVENT_LEASED, .trial = 1, .attempt = attempt, .worker = WORKER});
    put(store, (struct event){.kind = EVENT_RUN_ENDED,
                              .trial = 1,
                              .attempt = attempt,
                              .worker = WORKER,
                              .run = {.sampled = {.resumed = resumed, .samples = samples, .samples_count = count},
                                      .ending = ending,
                                      .given_up = ending == ENDING_LOST,
                                      .seconds = 2}});
}

static void put_decided(struct store *store, uint64_t step, double value, enum early_stop_action decision,
                        uint64_t told)
{
    put(store, (struct event){.kind = EVENT_DECIDED,
                              .trial = 1,
                              .decided = {.step = step,
                                          .advance = step,
                                          .max_steps = 9,
                                          .values = &value,
                                          .values_count = 1,
                                          .decision = decision,
                                          .cut_off = decision ? value - 0.5 : NAN,
                                          .bracket = decision ? 2 : 0,
                                          .detail = decision ? "a reason" : "",
                                          .told = told}});
}

/* Trial 1 paused after step 2, having been looked at twice. */
static struct store *make_paused(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    put(store, (struct event){.kind = EVENT_PROPOSED, .trial = 1, .proposed = {.params = "{}", .from = 5}});
    put_run(store, 1, 0, ENDING_PAUSED, 1, 2);
    put_decided(store, 1, 11, EARLY_STOP_GO_ON, 0);
    put_decided(store, 2, 12, EARLY_STOP_PAUSE, 1);
    put(store, (struct event){.kind = EVENT_PAUSED, .trial = 1, .paused = {.step = 2}});
    return store;
}

static void a_paused_trial_is_recalled_with_all_that_it_came_to(void **state)
{
    struct store *store = make_paused(state);
    struct memory memory;
    struct err err;
    fine(store_recall(store, &memory, &err), &err);
    assert_int_equal(memory.trial_count, 1);
    const struct memory_trial *trial = memory.trials;
    assert_true(trial->paused && trial->held && !trial->running && !trial->stop);
    assert_int_equal(trial->reached, 2);
    assert_int_equal(trial->ended_attempt, 1);
    assert_int_equal(trial->decided, 2);
    assert_int_equal(trial->from, 5);
    assert_true(trial->spent == 2);
    assert_true(trial->seen && trial->seen[0].any && trial->seen[0].last == 12 && trial->seen[0].min == 11);
    assert_int_equal(memory.tells, 1);
    assert_int_equal(memory.steps, 3); /* as the events say: 1 and 2 further ones */
    memory_fini(&memory);
    store_close(store);
}

static void what_a_trial_was_compared_with_is_shown_with_the_decision(void **state)
{
    struct store *store = make_paused(state);
    struct err err;
    struct event_resumed resumed = {.detail = "it may", .held_back = true, .cut_off = 11.25};
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = resumed});
    json_t *show = reader_show(store_reader(store), 1, &err), *said = json_object_get(show, "decisions"),
           *decided = reader_decided(store_reader(store), 0, 0, &err);
    assert_int_equal(json_array_size(said), 2);
    assert_true(json_real_value(json_object_get(json_array_get(said, 0), "cut_off")) == 11.5);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(said, 0), "bracket")), 2);
    assert_true(json_real_value(json_object_get(json_array_get(said, 1), "cut_off")) == 11.25);
    assert_int_equal(json_array_size(decided), 3);
    assert_true(json_is_null(json_array_get(json_array_get(decided, 0), 6))); /* it went on without a comparison */
    assert_true(json_real_value(json_array_get(json_array_get(decided, 1), 6)) == 11.5);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(decided, 1), 7)), 2);
    json_decref(show);
    json_decref(decided);
    store_close(store);
}

static void steps_behind_the_last_decision_are_recalled_as_used(void **state)
{
    struct store *store = make_paused(state);
    struct memory memory;
    struct err err;
    put(store,
        (struct event){.kind = EVENT_TRIAL_ENDED,
                       .trial = 1,
                       .end = {.ending = ENDING_CANCELLED, .step = 4, .advance = 2, .told = 2, .watched = true}});
    fine(store_recall(store, &memory, &err), &err);
    assert_int_equal(memory.steps, 5);
    memory_fini(&memory);
    store_close(store);
}

static void a_trial_that_was_to_stop_is_recalled_with_the_reason(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    struct memory memory;
    struct err err;
    put(store, (struct event){.kind = EVENT_PROPOSED, .trial = 1, .proposed = {.params = "{}"}});
    put(store, (struct event){.kind = EVENT_LEASED, .trial = 1, .attempt = 1, .worker = WORKER});
    put_decided(store, 3, 1, EARLY_STOP_STOP, 1);
    fine(store_recall(store, &memory, &err), &err);
    assert_string_equal(memory.trials[0].stop, "a reason");
    assert_true(memory.trials[0].running);
    memory_fini(&memory);
    store_close(store);
}

static void samples_count_once_however_many_attempts_took_the_step(void **state)
{
    struct store *store = make_paused(state);
    char *path = mem_text(path_in(state, "a.db"));
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_run(store, 2, 2, ENDING_LOST, 3, 3);      /* steps 3 to 5, then its worker was lost */
    put_run(store, 3, 4, ENDING_COMPLETED, 5, 2); /* went on behind step 4 */
    put(store, (struct event){
                   .kind = EVENT_TRIAL_ENDED,
                   .trial = 1,
                   .end = {.ending = ENDING_COMPLETED, .has_value = true, .value = 36, .told = 2, .watched = true}});
    store_close(store);
    /* A lost run's worker said nothing about where it began: it stays what was expected, 0 here. */
    char *counted = stores_sql(path, "SELECT group_concat(attempt || ':' || step) FROM v_metrics WHERE counts");
    assert_string_equal(counted, "2:3,2:4,3:5,3:6");
    free(counted);
    counted = stores_sql(path, "UPDATE runs SET resumed = 2 WHERE attempt = 2");
    free(counted);
    counted = stores_sql(path, "SELECT group_concat(attempt || ':' || step) FROM v_metrics WHERE counts");
    assert_string_equal(counted, "1:1,1:2,2:3,2:4,3:5,3:6");
    free(counted);
    free(path);
}

/* What trial 1 came to by a store that is opened anew. */
static struct memory_seen recall_seen(struct store *store)
{
    struct memory memory;
    struct err err;
    fine(store_recall(store, &memory, &err), &err);
    struct memory_seen seen = memory.trials[0].seen[0];
    memory_fini(&memory);
    return seen;
}

/* The third attempt went on behind step 2 and ended before it had a sample: the worker of the fourth hears that step 3
 * is recorded, and does not report it. */
static void a_step_that_was_not_taken_again_counts_on(void **state)
{
    struct store *store = make_paused(state);
    char *path = mem_text(path_in(state, "a.db"));
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_run(store, 2, 2, ENDING_PREEMPTED, 3, 1);
    put_run(store, 3, 2, ENDING_PREEMPTED, 3, 0);
    struct memory_seen seen = recall_seen(store);
    assert_int_equal(seen.step, 3);
    assert_true(seen.last == 23 && seen.min == 11 && seen.max == 23);
    put_run(store, 4, 3, ENDING_COMPLETED, 4, 1);
    put(store, (struct event){.kind = EVENT_TRIAL_ENDED,
                              .trial = 1,
                              .end = {.ending = ENDING_COMPLETED, .has_value = true, .value = 44, .told = 2}});
    store_close(store);
    char *counted = stores_sql(path, "SELECT group_concat(attempt || ':' || step) FROM v_metrics WHERE counts");
    assert_string_equal(counted, "1:1,1:2,2:3,4:4");
    free(counted);
    free(path);
}

/* The trainer of the second attempt was killed before it could say from where it went on. The worker of the third heard
 * that steps 1 and 2 are recorded, and does not report them. */
static void an_attempt_whose_trainer_was_killed_before_it_said_anything_takes_no_sample_back(void **state)
{
    struct store *store = make_paused(state);
    char *path = mem_text(path_in(state, "a.db"));
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_run(store, 2, 0, ENDING_CRASHED, 1, 0);
    assert_int_equal(recall_seen(store).step, 2);
    char *began = stores_sql(path, "SELECT group_concat(attempt || ':' || coalesce(resumed, 'unknown')) FROM v_runs");
    assert_string_equal(began, "1:0,2:unknown");
    free(began);
    struct err err;
    json_t *show = reader_show(store_reader(store), 1, &err), *runs = json_object_get(show, "runs");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(runs, 0), "resumed")), 0);
    assert_true(json_is_integer(json_object_get(json_array_get(runs, 0), "resumed")));
    assert_true(json_is_null(json_object_get(json_array_get(runs, 1), "resumed")));
    json_decref(show);
    put_run(store, 3, 2, ENDING_COMPLETED, 3, 2);
    put(store, (struct event){.kind = EVENT_TRIAL_ENDED,
                              .trial = 1,
                              .end = {.ending = ENDING_COMPLETED, .has_value = true, .value = 34, .told = 2}});
    store_close(store);
    char *counted = stores_sql(path, "SELECT group_concat(attempt || ':' || step) FROM v_metrics WHERE counts");
    assert_string_equal(counted, "1:1,1:2,3:3,3:4");
    free(counted);
    free(path);
}

/* The third attempt goes on from the checkpoint after step 3, which the second could not read. */
static void what_came_before_an_attempt_that_began_anew_counts_when_one_goes_on_from_there(void **state)
{
    struct store *store = make_paused(state);
    char *path = mem_text(path_in(state, "a.db"));
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_run(store, 2, 2, ENDING_PREEMPTED, 3, 3);
    put_run(store, 3, 0, ENDING_CRASHED, 1, 2);
    struct memory_seen seen = recall_seen(store);
    assert_int_equal(seen.step, 2);
    assert_true(seen.min == 31 && seen.max == 32);
    put_run(store, 4, 4, ENDING_PREEMPTED, 5, 1);
    seen = recall_seen(store);
    assert_int_equal(seen.step, 5);
    assert_true(seen.last == 45 && seen.min == 11 && seen.max == 45);
    put_run(store, 5, 5, ENDING_COMPLETED, 6, 1);
    put(store, (struct event){.kind = EVENT_TRIAL_ENDED,
                              .trial = 1,
                              .end = {.ending = ENDING_COMPLETED, .has_value = true, .value = 56, .told = 2}});
    store_close(store);
    char *counted = stores_sql(path, "SELECT group_concat(attempt || ':' || step) FROM v_metrics WHERE counts");
    assert_string_equal(counted, "2:3,2:4,3:1,3:2,4:5,5:6");
    free(counted);
    free(path);
}

/* A lease says from where it is expected to go on; a worker that was lost before it said anything took nothing back. */
static void an_attempt_that_said_nothing_takes_nothing_back(void **state)
{
    struct store *store = make_paused(state);
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_run(store, 2, 0, ENDING_LOST, 1, 0);
    struct memory_seen seen = recall_seen(store);
    assert_int_equal(seen.step, 2);
    put_run(store, 3, 0, ENDING_PREEMPTED, 1, 1);
    seen = recall_seen(store);
    assert_int_equal(seen.step, 1);
    assert_true(seen.min == 31);
    store_close(store);
}

static void a_late_result_is_noted_of_the_worker_that_had_the_run_alone(void **state)
{
    struct store *store = make_paused(state);
    char *path = mem_text(path_in(state, "a.db"));
    put_run(store, 2, 0, ENDING_LOST, 1, 0);
    struct event late = {.kind = EVENT_LATE, .trial = 1, .attempt = 2, .run = {.ending = ENDING_CRASHED, .seconds = 9}};
    for (late.worker = WORKER + 1; late.worker >= WORKER; late.worker--) {
        put(store, late);
        char *found = stores_sql(path, "SELECT (late IS NOT NULL) || ' ' || seconds FROM runs WHERE attempt = 2");
        assert_string_equal(found, late.worker == WORKER ? "1 9.0" : "0 2.0");
        free(found);
    }
    store_close(store);
    free(path);
}

/* --- the order --- */

static void see_sample(void *context, uint64_t trial, uint64_t step, const double *values)
{
    buf_format(context, "%u@%u=%g ", (unsigned)trial, (unsigned)step, values[0]);
}

static void see_went_on(void *context, uint64_t trial)
{
    buf_format(context, "%u+ ", (unsigned)trial);
}

static void see_ended(void *context, uint64_t trial, enum ending ending)
{
    buf_format(context, "%u %s ", (unsigned)trial, ending_name(ending));
}

static int see_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                        struct err *err)
{
    (void)params, (void)told_before, (void)from_start, (void)err;
    buf_format(context, "?%u ", (unsigned)trial);
    return 0;
}

static int see_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    buf_format(context, "!%u@%u ", (unsigned)tell->trial, (unsigned)tell->step);
    return 0;
}

static int see_observation(void *context, const struct replay_observation *seen, struct err *err)
{
    (void)err;
    buf_format(context, "~%u@%u=%g ", (unsigned)seen->trial, (unsigned)seen->step, seen->values[0]);
    return 0;
}

static void everything_is_told_again_in_its_order(void **state)
{
    struct store *store = make_paused(state);
    struct err err;
    struct buf story = {0};
    put(store, (struct event){.kind = EVENT_PROPOSED, .trial = 2, .proposed = {.params = "{}", .told_before = 1}});
    put(store, (struct event){.kind = EVENT_RESUMED, .trial = 1, .resumed = {.held_back = true}});
    put_decided(store, 3, NAN, EARLY_STOP_STOP, 2);
    put(store, (struct event){.kind = EVENT_TRIAL_ENDED,
                              .trial = 1,
                              .end = {.ending = ENDING_STOPPED_EARLY,
                                      .has_value = true,
                                      .value = 12,
                                      .step = 3,
                                      .told = 3,
                                      .watched = true}});
    struct decision_visitor decisions = {&story, see_sample, see_went_on, see_ended};
    fine(reader_decisions(store_reader(store), &decisions, &err), &err);
    assert_string_equal(buf_str(&story), "1@1=11 1@2=12 1+ 1@3=nan 1 stopped_early ");
    buf_clear(&story);
    struct replay_visitor replay = {&story, see_proposal, see_tell, see_observation, NULL, NULL};
    fine(reader_replay(store_reader(store), &replay, &err), &err);
    assert_string_equal(buf_str(&story), "?1 ~1@2=12 ?2 ~1@3=nan !1@3 ");
    buf_fini(&story);
    store_close(store);
}

/* Its end stays among what early stopping was told, with what that was; its own steps count from the first again. */
static void what_is_tried_again_is_told_as_it_was(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    struct err err;
    struct buf story = {0};
    struct memory memory;
    put(store, (struct event){.kind = EVENT_PROPOSED, .trial = 1, .proposed = {.params = "{}"}});
    put_run(store, 1, 0, ENDING_CRASHED, 1, 2);
    put_decided(store, 1, 11, EARLY_STOP_GO_ON, 0);
    put_decided(store, 2, 12, EARLY_STOP_STOP, 1);
    put(store, (struct event){.kind = EVENT_TRIAL_ENDED,
                              .trial = 1,
                              .end = {.ending = ENDING_CRASHED, .told = 2, .watched = true}});
    put(store, (struct event){.kind = EVENT_REOPENED, .trial = 1, .reopened = {.told = 3}});
    fine(store_recall_trial(store, 1, &memory, &err), &err);
    assert_int_equal(memory.trial_count, 1);
    assert_int_equal(memory.trials[0].decided, 0);
    assert_null(memory.trials[0].stop);
    memory_fini(&memory);
    put_decided(store, 1, 31, EARLY_STOP_GO_ON, 4);
    fine(store_recall_trial(store, 1, &memory, &err), &err);
    assert_int_equal(memory.trials[0].decided, 1);
    memory_fini(&memory);
    put(store, (struct event){
                   .kind = EVENT_TRIAL_ENDED,
                   .trial = 1,
                   .end = {.ending = ENDING_COMPLETED, .has_value = true, .value = 31, .told = 5, .watched = true}});
    struct decision_visitor decisions = {&story, see_sample, see_went_on, see_ended};
    fine(reader_decisions(store_reader(store), &decisions, &err), &err);
    assert_string_equal(buf_str(&story), "1@1=11 1@2=12 1 crashed 1@1=31 1 completed ");
    buf_clear(&story);
    struct replay_visitor replay = {&story, see_proposal, see_tell, see_observation, NULL, NULL};
    fine(reader_replay(store_reader(store), &replay, &err), &err);
    assert_string_equal(buf_str(&story), "?1 ~1@2=12 !1@0 ~1@1=31 !1@0 ");
    buf_fini(&story);
    store_close(store);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_paused_trial_is_recalled_with_all_that_it_came_to, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_a_trial_was_compared_with_is_shown_with_the_decision, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(steps_behind_the_last_decision_are_recalled_as_used, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_that_was_to_stop_is_recalled_with_the_reason, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(samples_count_once_however_many_attempts_took_the_step, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_step_that_was_not_taken_again_counts_on, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(
            an_attempt_whose_trainer_was_killed_before_it_said_anything_takes_no_sample_back, enter_scratch,
            leave_scratch),
        cmocka_unit_test_setup_teardown(an_attempt_that_said_nothing_takes_nothing_back, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_came_before_an_attempt_that_began_anew_counts_when_one_goes_on_from_there,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_late_result_is_noted_of_the_worker_that_had_the_run_alone, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(everything_is_told_again_in_its_order, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_tried_again_is_told_as_it_was, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
