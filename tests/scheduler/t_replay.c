/* Taking a recorded search up again, and replaying it. The history is written by hand: every third trial is told after
 * the next one was proposed, as with several slots. */
#include "scheduler/session/replay.h"
#include "scheduler/session/search.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/store.h"
#include "search/gp/linalg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 12 };

/* A search that is run and written down at once. */
struct history {
    struct spec *spec;
    struct store *store;
    struct searcher *searcher;
    uint64_t events, told;
    char *params[TRIALS + 2];
};

static void write_event(struct history *history, struct event *event)
{
    struct err err = {0};
    event->number = ++history->events;
    event->time = 1e9 + (double)event->number;
    if (store_write(history->store, event, 1, &err))
        fail_msg("%s", err.text);
    event_fini(event);
}

static void propose(struct history *history, uint64_t trial, bool record)
{
    struct proposal proposal = {0};
    struct err err = {0};
    assert_int_equal(searcher_ask(history->searcher, trial, &proposal, &err), SEARCHER_PROPOSED);
    struct event event = {.kind = EVENT_PROPOSED,
                          .trial = trial,
                          .proposed = {.params = proposal.params,
                                       .fingerprint = proposal.fingerprint,
                                       .told_before = history->told,
                                       .from_start = proposal.from_start}};
    if (record)
        write_event(history, &event);
    history->params[trial] = proposal.params;
}

static double value_of(uint64_t trial)
{
    return (double)((trial * 7) % 13);
}

static void tell(struct history *history, uint64_t trial)
{
    struct event event = {.kind = EVENT_TRIAL_ENDED,
                          .trial = trial,
                          .end = {.ending = ENDING_COMPLETED,
                                  .has_value = true,
                                  .value = value_of(trial),
                                  .seconds = 1,
                                  .told = ++history->told}};
    write_event(history, &event);
    searcher_tell(history->searcher, trial, ENDING_COMPLETED, value_of(trial), 1);
}

/* Runs and records all trials; the last one is not told. */
static void run(void **state, const char *text, struct rundir *dir, struct history *history)
{
    struct err err = {0};
    *history = (struct history){0};
    experiment_make(state, text, dir);
    history->spec = rundir_spec(dir, &err);
    history->store = store_open(dir->store, &err);
    history->searcher = history->store ? search_create(history->spec, store_reader(history->store), &err) : NULL;
    if (!history->spec || !history->store || !history->searcher)
        fail_msg("%s", err.text);
    for (uint64_t trial = 1; trial <= TRIALS; trial++) {
        propose(history, trial, true);
        if (trial % 3 == 0)
            tell(history, trial - 1);
        if (trial > 3 && trial % 3 == 1)
            tell(history, trial - 1);
        if (trial % 3 == 1 && trial < TRIALS)
            tell(history, trial);
    }
    store_close(history->store);
}

static void history_fini(struct history *history)
{
    searcher_destroy(history->searcher);
    spec_destroy(history->spec);
    for (size_t i = 0; i < sizeof history->params / sizeof *history->params; i++)
        free(history->params[i]);
}

static const char *const strategies[] = {"random", "sobol", "{name: grid, options: {levels: 5}}"};

/* The experiment with another strategy and a start point. */
static const char *text_with(const char *strategy)
{
    static char text[1024];
    snprintf(text, sizeof text, "%s", experiment_text);
    char *at = strstr(text, "strategy: random\n");
    snprintf(at, sizeof text - (size_t)(at - text),
             "strategy: %s\nstart: [{x1: 1.0, x2: 2.0}]\nlimits: {max_trials: 20}\n", strategy);
    return text;
}

/* Every strategy in a run directory of its own. */
#define EACH_STRATEGY(text)                                                                                            \
    for (size_t i_ = 0; i_ < sizeof strategies / sizeof *strategies; i_++)                                             \
        for (const char *(text) = text_with(strategies[i_]); (text); (text) = NULL)

static void clear(void **state, struct rundir *dir)
{
    rundir_fini(dir);
    leave_scratch(state);
    enter_scratch(state);
}

static void a_search_that_is_taken_up_again_goes_on_as_if_it_had_not_stopped(void **state)
{
    EACH_STRATEGY(text)
    {
        struct rundir dir;
        struct history history;
        struct err err = {0};
        struct ask_past past;
        struct proposal next = {0};
        run(state, text, &dir, &history);
        struct reader *reader = reader_open(dir.store, &err);
        struct searcher *again = reader ? search_create(history.spec, reader, &err) : NULL;
        if (!reader || search_recall(again, history.spec, reader, &past, &err))
            fail_msg("%s", err.text);
        assert_int_equal(past.told, history.told);
        assert_int_equal(past.open, TRIALS - history.told);
        propose(&history, TRIALS + 1, false);
        assert_int_equal(searcher_ask(again, TRIALS + 1, &next, &err), SEARCHER_PROPOSED);
        assert_string_equal(next.params, history.params[TRIALS + 1]);
        free(next.params);
        reader_close(reader);
        searcher_destroy(again);
        history_fini(&history);
        clear(state, &dir);
    }
}

static void a_recorded_search_is_replayed_to_the_letter(void **state)
{
    EACH_STRATEGY(text)
    {
        struct rundir dir;
        struct history history;
        struct err err = {0};
        json_t *result;
        run(state, text, &dir, &history);
        int status = replay_check(&dir, &result, &err);
        if (status < 0)
            fail_msg("%s", err.text);
        assert_int_equal(status, 0);
        assert_int_equal(json_integer_value(json_object_get(result, "proposals")), TRIALS);
        assert_int_equal(json_integer_value(json_object_get(result, "same")), TRIALS);
        assert_int_equal(json_array_size(json_object_get(result, "different")), 0);
        json_decref(result);
        history_fini(&history);
        clear(state, &dir);
    }
}

static void a_proposal_that_was_not_the_strategys_is_shown(void **state)
{
    struct rundir dir;
    struct history history;
    struct err err = {0};
    json_t *result;
    run(state, experiment_text, &dir, &history);
    history.store = store_open(dir.store, &err);
    struct event forged = {.kind = EVENT_PROPOSED,
                           .trial = TRIALS + 1,
                           .proposed = {.params = "{\"x1\": 1.0, \"x2\": 2.0}", .told_before = history.told}};
    write_event(&history, &forged);
    store_close(history.store);
    assert_int_equal(replay_check(&dir, &result, &err), 1);
    const json_t *first = json_array_get(json_object_get(result, "different"), 0);
    assert_int_equal(json_integer_value(json_object_get(first, "trial")), TRIALS + 1);
    assert_string_equal(json_string_value(json_object_get(first, "recorded")), "{\"x1\": 1.0, \"x2\": 2.0}");
    assert_string_not_equal(json_string_value(json_object_get(first, "replayed")), "{\"x1\": 1.0, \"x2\": 2.0}");
    json_decref(result);
    history_fini(&history);
    rundir_fini(&dir);
}

static void record_here(const struct rundir *dir, uint64_t first)
{
    struct processor here;
    processor_here(&here, linalg_core());
    char *sql = mem_format("INSERT INTO processors (trial, since, model, vector, kernels, gannet)"
                           " VALUES (%u, 0, '%s', '%s', '%s', '%s')",
                           (unsigned)first, here.model, here.vector, here.kernels, here.gannet);
    free(stores_sql(dir->store, sql));
    free(sql);
}

/* A store of schema version 4 that was brought up to date has no processor of its first trials. */
static void trials_of_an_unrecorded_processor_are_compared_within_the_tolerance(void **state)
{
    static const struct {
        const char *sql, *compared, *why, *comparison;
        int unrecorded;
    } cases[] = {{"SELECT 1", "4 of 12 compared", "the processor that 4 were proposed on is not recorded", "mixed", 4},
                 {"UPDATE processors SET kernels = 'Other'", "12 of 12 compared",
                  "is not recorded, and may round differently; the others were proposed on another kind of processor (",
                  "tolerant", 4},
                 {"DELETE FROM processors", "12 of 12 compared",
                  "the processor that 12 were proposed on is not recorded", "tolerant", 12}};
    struct rundir dir;
    struct history history;
    struct err err = {0};
    json_t *result;
    run(state, experiment_text, &dir, &history);
    record_here(&dir, 5);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        free(stores_sql(dir.store, cases[i].sql));
        assert_int_equal(replay_check(&dir, &result, &err), 0);
        const char *note = json_string_value(json_object_get(result, "note"));
        assert_has(note, cases[i].compared);
        assert_has(note, cases[i].why);
        assert_int_equal(strstr(note, "another kind") != NULL, i == 1);
        assert_int_equal(json_integer_value(json_object_get(result, "unrecorded")), cases[i].unrecorded);
        assert_string_equal(json_string_value(json_object_get(result, "comparison")), cases[i].comparison);
        json_decref(result);
    }
    history_fini(&history);
    rundir_fini(&dir);
}

/* Records what the strategy has left to propose; the number behind the last one. */
static uint64_t propose_all(struct history *history, const struct rundir *dir)
{
    struct err err = {0};
    struct proposal proposal;
    uint64_t trial = TRIALS + 1;
    history->store = store_open(dir->store, &err);
    for (; searcher_ask(history->searcher, trial, &proposal, &err) == SEARCHER_PROPOSED; trial++) {
        struct event event = {.kind = EVENT_PROPOSED,
                              .trial = trial,
                              .proposed = {.params = proposal.params, .told_before = history->told}};
        write_event(history, &event);
        free(proposal.params);
    }
    store_close(history->store);
    return trial;
}

static void forge(struct history *history, const struct rundir *dir, uint64_t first, uint64_t count)
{
    struct err err = {0};
    history->store = store_open(dir->store, &err);
    for (uint64_t trial = first; trial < first + count; trial++) {
        struct event forged = {.kind = EVENT_PROPOSED,
                               .trial = trial,
                               .proposed = {.params = "{\"x1\": 1.0, \"x2\": 2.0}", .told_before = history->told}};
        write_event(history, &forged);
    }
    store_close(history->store);
}

static void where_the_strategy_had_nothing_it_is_said_and_a_long_list_is_cut(void **state)
{
    enum { MORE = 30 };
    struct rundir dir;
    struct history history;
    struct err err = {0};
    json_t *result;
    run(state, text_with("{name: grid, options: {levels: 5}}"), &dir, &history);
    uint64_t behind = propose_all(&history, &dir);
    assert_true(behind > 5 * 5);
    forge(&history, &dir, behind, MORE);
    assert_int_equal(replay_check(&dir, &result, &err), 1);
    const json_t *different = json_object_get(result, "different"), *last = json_array_get(different, 19);
    assert_int_equal(json_array_size(different), 20);
    assert_int_equal(json_integer_value(json_object_get(result, "proposals")), behind - 1 + MORE);
    assert_int_equal(json_integer_value(json_object_get(result, "same")), behind - 1);
    assert_int_equal(json_integer_value(json_object_get(last, "trial")), behind + 19);
    assert_string_equal(json_string_value(json_object_get(last, "replayed")), "nothing left to propose");
    json_decref(result);
    history_fini(&history);
    rundir_fini(&dir);
}

/* On another kind of processor a parameter that a trial does not have is no difference, and one that it has is. */
static void a_parameter_that_is_left_out_is_compared_as_one(void **state)
{
    static const char text[] = "version: 1\nname: small\nseed: 7\n"
                               "trial: {kernel: synth, options: {function: branin}}\n"
                               "metric: {name: value, goal: minimize}\n"
                               "parameters:\n"
                               "  kind: [a, b]\n"
                               "  x: {min: 0.0, max: 1.0, when: {kind: a}}\n"
                               "  y: {min: 0.0, max: 1.0, when: {kind: b}}\n"
                               "strategy: random\nlimits: {max_trials: 20}\n";
    struct rundir dir;
    struct history history;
    struct err err = {0};
    json_t *result;
    run(state, text, &dir, &history);
    free(stores_sql(dir.store, "UPDATE trials SET params = replace(params, '}', ' }') WHERE params LIKE '%\"b\"%'"));
    char *rounded = stores_sql(dir.store, "SELECT count(*) FROM trials WHERE params LIKE '% }'");
    assert_int_equal(replay_check(&dir, &result, &err), 0);
    assert_int_equal(json_integer_value(json_object_get(result, "close")), atoi(rounded));
    assert_true(atoi(rounded) > 0 && atoi(rounded) < TRIALS);
    json_decref(result);
    free(stores_sql(dir.store, "UPDATE trials SET params = '{\"kind\": \"a\", \"x\": 0.5}' WHERE params LIKE '% }'"));
    assert_int_equal(replay_check(&dir, &result, &err), 1);
    assert_int_equal(json_array_size(json_object_get(result, "different")), atoi(rounded));
    json_decref(result);
    free(rounded);
    history_fini(&history);
    rundir_fini(&dir);
}

static void what_is_no_experiment_can_not_be_replayed(void **state)
{
    struct rundir dir;
    struct err err = {0};
    json_t *result;
    rundir_name(*state, &dir);
    assert_int_equal(replay_check(&dir, &result, &err), -1);
    assert_has(err.text, "no run directory");
    assert_null(result);
    rundir_fini(&dir);
}

int main(void)
{
#define PLACED(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        PLACED(a_search_that_is_taken_up_again_goes_on_as_if_it_had_not_stopped),
        PLACED(a_recorded_search_is_replayed_to_the_letter),
        PLACED(a_proposal_that_was_not_the_strategys_is_shown),
        PLACED(trials_of_an_unrecorded_processor_are_compared_within_the_tolerance),
        PLACED(where_the_strategy_had_nothing_it_is_said_and_a_long_list_is_cut),
        PLACED(a_parameter_that_is_left_out_is_compared_as_one),
        PLACED(what_is_no_experiment_can_not_be_replayed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
