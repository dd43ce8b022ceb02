/* Several metrics and limits in the store: what trials are judged by, and what they came to. */
#include "common/mem.h"
#include "scheduler/store/reader.h"
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/stores.h"

#include <math.h>
#include <stdlib.h>

static const double outcomes[][3] = {{0.5, 0.9, 7}, {0.1, 0.8, 9}, {0.3, 0.7, 1}, {0.2, 0.6, NAN}};
enum { ENDED = sizeof outcomes / sizeof *outcomes };

/* Trials 1 .. 4 with the values above - 2 breaks the limit, 4 does not say - and trial 5, which failed. */
static struct store *five_trials(void **state)
{
    struct store_experiment experiment = {
        .name = "x", .spec = "", .metrics = metrics_three, .strategy = "random", .parameters = "[]"};
    struct event events[2 * (ENDED + 1)];
    struct err err;
    struct store *store = store_make(path_in(state, "five.db"), &experiment, &err);
    fine(!store, &err);
    for (uint64_t i = 0; i <= ENDED; i++) {
        events[2 * i] =
            (struct event){.kind = EVENT_PROPOSED, .trial = i + 1, .proposed = {.params = "{}", .told_before = i}};
        events[2 * i + 1] = (struct event){
            .kind = EVENT_TRIAL_ENDED,
            .trial = i + 1,
            .end = {.told = i + 1, .ending = i < ENDED ? ENDING_COMPLETED : ENDING_CRASHED, .has_value = i < ENDED}};
        if (i < ENDED) {
            events[2 * i + 1].end.value = outcomes[i][0];
            events[2 * i + 1].end.values = outcomes[i];
            events[2 * i + 1].end.values_count = 3;
            events[2 * i + 1].end.infeasible = !metrics_feasible(&metrics_three, outcomes[i]);
        }
    }
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
    return store;
}

static void trials_show_all_values_and_whether_they_keep_the_limits(void **state)
{
    struct store *store = five_trials(state);
    struct err err;
    json_t *trials = reader_trials(store_reader(store), &(struct trial_query){0}, &err), *shown = json_array();
    size_t index;
    json_t *trial;
    json_array_foreach(trials, index, trial) json_array_append_new(
        shown, json_pack("[O, O]", json_object_get(trial, "values"), json_object_get(trial, "feasible")));
    same_json(shown, json_loads("[[{\"loss\": 0.5, \"accuracy\": 0.9, \"memory\": 7.0}, true],"
                                " [{\"loss\": 0.1, \"accuracy\": 0.8, \"memory\": 9.0}, false],"
                                " [{\"loss\": 0.3, \"accuracy\": 0.7, \"memory\": 1.0}, true],"
                                " [{\"loss\": 0.2, \"accuracy\": 0.6, \"memory\": null}, false], [{}, null]]",
                                0, NULL));
    json_decref(trials);
    store_close(store);
}

static void the_best_trial_keeps_the_limits_and_others_come_behind_it(void **state)
{
    struct store *store = five_trials(state);
    struct err err;
    json_t *best = reader_best(store_reader(store), &err);
    assert_int_equal(json_integer_value(json_object_get(best, "trial")), 3);
    json_decref(best);
    json_t *trials = reader_trials(store_reader(store), &(struct trial_query){.by_value = true}, &err);
    const json_int_t order[] = {3, 1, 2, 4, 5};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(json_integer_value(json_object_get(json_array_get(trials, i), "trial")), order[i]);
    json_decref(trials);
    store_close(store);
}

static void the_front_has_the_feasible_trials_that_nothing_dominates(void **state)
{
    struct store *store = five_trials(state);
    struct err err;
    json_t *front = reader_front(store_reader(store), &err), *trials = json_object_get(front, "front");
    /* Of 1 (loss 0.5, accuracy 0.9) and 3 (0.3, 0.7) each is better in one; 2 and 4 keep no limit, 5 failed. */
    assert_int_equal(json_array_size(trials), 2);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(trials, 0), "trial")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(trials, 1), "trial")), 3);
    /* The reference lies a tenth of the range beyond: loss 0.52, accuracy 0.68. */
    assert_float_equal(json_real_value(json_object_get(json_object_get(front, "reference"), "loss")), 0.52, 1e-9);
    assert_float_equal(json_real_value(json_object_get(json_object_get(front, "reference"), "accuracy")), 0.68, 1e-9);
    assert_float_equal(json_real_value(json_object_get(front, "hypervolume")), (float)(0.22 * 0.02 + 0.02 * 0.2), 1e-6);
    json_decref(front);
    store_close(store);
}

static int see_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    buf_format(context, "%u", (unsigned)tell->trial);
    for (uint32_t i = 0; tell->has_value && i < tell->value_count; i++)
        buf_format(context, i ? ",%g" : "=%g", tell->values[i]);
    buf_text(context, " ");
    return 0;
}

static int see_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                        struct err *err)
{
    (void)context, (void)trial, (void)params, (void)told_before, (void)from_start, (void)err;
    return 0;
}

static void a_replay_tells_all_values(void **state)
{
    struct store *store = five_trials(state);
    struct buf told = {0};
    struct err err;
    struct replay_visitor visitor = {&told, see_proposal, see_tell, NULL, NULL, NULL};
    fine(reader_replay(store_reader(store), &visitor, &err), &err);
    assert_string_equal(buf_str(&told), "1=0.5,0.9,7 2=0.1,0.8,9 3=0.3,0.7,1 4=0.2,0.6,nan 5 ");
    buf_fini(&told);
    store_close(store);
}

static void one_metric_without_limits_needs_no_rows_of_its_own(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 3, &err), &err);
    store_close(store);
    char *count =
        stores_sql(path, "SELECT (SELECT count(*) FROM outcomes) || ' ' || (SELECT sum(value) FROM v_outcomes)");
    assert_string_equal(count, "0 6.0");
    free(count);
    free(path);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(trials_show_all_values_and_whether_they_keep_the_limits),
        IN_SCRATCH(the_best_trial_keeps_the_limits_and_others_come_behind_it),
        IN_SCRATCH(the_front_has_the_feasible_trials_that_nothing_dominates),
        IN_SCRATCH(a_replay_tells_all_values),
        IN_SCRATCH(one_metric_without_limits_needs_no_rows_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
