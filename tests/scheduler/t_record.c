/* A recorded search in memory, and strategies that live through it up to some place: they propose what was proposed
 * there. The history is one of a strategy that learns from all that can happen to trials. */
#include "scheduler/session/search_record.h"
#include "scheduler/session/add.h"
#include "scheduler/session/ask_tell.h"
#include "scheduler/session/ignore.h"
#include "scheduler/session/retry.h"
#include "scheduler/session/search.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include "common/mem.h"

#include <stdlib.h>

static const char text[] = "version: 1\n"
                           "name: small\n"
                           "seed: 7\n"
                           "trial: {command: [\"true\"]}\n"
                           "metric: {name: loss, goal: minimize}\n"
                           "parameters:\n"
                           "  x: {min: 0.0, max: 1.0}\n"
                           "  y: {min: 0.0, max: 1.0}\n"
                           "strategy: {name: evolution, options: {population: 4, startup_trials: 4}}\n"
                           "early_stop: {name: asha, max_steps: 9}\n"
                           "limits: {max_trials: 100}\n";

enum { MOST = 32 };

/* A search in SCRATCH/run, and what it proposed. */
struct history {
    struct rundir dir;
    struct spec *spec;
    uint64_t trials, told; /* proposed; numbers among the tells */
    char *params[MOST + 1];
};

static void begin(void **state, struct history *history)
{
    struct err err = {0};
    *history = (struct history){0};
    experiment_make(state, text, &history->dir);
    history->spec = rundir_spec(&history->dir, &err);
    fine(!history->spec, &err);
}

static void history_fini(struct history *history)
{
    for (uint64_t i = 1; i <= history->trials; i++)
        free(history->params[i]);
    spec_destroy(history->spec);
    rundir_fini(&history->dir);
}

static double loss_of(uint64_t trial)
{
    return (double)((trial * 7) % 13);
}

/* So many trials, one after the other, each told; every third has reported a value on its way, the fifth fails. */
static void run_trials(struct history *history, uint64_t count)
{
    struct err err = {0};
    struct ask_tell *loop = ask_tell_open(&history->dir, 1, &err);
    fine(!loop, &err);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t trial;
        char *params;
        struct ask_tell_decision decision;
        assert_int_equal(ask_tell_ask(loop, &trial, &params, &err), SEARCHER_PROPOSED);
        assert_in_range(trial, 1, MOST);
        history->trials = trial;
        history->params[trial] = params;
        double value = loss_of(trial);
        struct ask_tell_step step = {.trial = trial, .step = 1, .values = &value, .told = &(bool){true}};
        if (trial % 3 == 0)
            fine(ask_tell_report(loop, &step, &decision, &err), &err);
        struct ask_tell_result result = {
            .trial = trial, .ending = trial == 5 ? ENDING_REPORTED : ENDING_COMPLETED, .values = &value};
        fine(ask_tell_tell(loop, &result, &err), &err);
    }
    fine(ask_tell_commit(loop, &err), &err);
    ask_tell_close(loop);
}

/* What the record up to there leads to: the next proposal, which the caller frees. */
static char *next_of(const struct history *history, uint64_t told, uint64_t visits, uint64_t trial,
                     struct ask_past *past)
{
    struct err err = {0};
    struct proposal next = {0};
    struct reader *reader = reader_open(history->dir.store, &err);
    struct search_record *record = reader ? search_record_read(reader, told, visits, &err) : NULL;
    reader_close(reader); /* living through it needs no store */
    struct searcher *searcher = record ? search_record_live(record, history->spec, past, &err) : NULL;
    fine(!searcher, &err);
    search_record_destroy(record);
    assert_int_equal(searcher_ask(searcher, trial, &next, &err), SEARCHER_PROPOSED);
    searcher_destroy(searcher);
    return next.params;
}

/* What a session that takes the search up would propose; the caller frees it. */
static char *next_of_session(const struct history *history, uint64_t trial, struct ask_past *past)
{
    struct err err = {0};
    struct proposal next = {0};
    struct reader *reader = reader_open(history->dir.store, &err);
    struct searcher *searcher = reader ? search_create(history->spec, reader, &err) : NULL;
    fine(!searcher || search_recall(searcher, history->spec, reader, past, &err), &err);
    assert_int_equal(searcher_ask(searcher, trial, &next, &err), SEARCHER_PROPOSED);
    searcher_destroy(searcher);
    reader_close(reader);
    return next.params;
}

/* How many things were told before that trial was proposed, by the store. */
static uint64_t told_before(const struct history *history, uint64_t trial)
{
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT told_before FROM trials WHERE trial = %d", (int)trial);
    char *count = stores_sql(history->dir.store, sql);
    uint64_t told = strtoull(count, NULL, 10);
    free(count);
    return told;
}

/* Up to the place where each trial was proposed: all before it were proposed and told. */
static void proposes_as_recorded(const struct history *history, uint64_t trial)
{
    struct ask_past past;
    uint64_t told = told_before(history, trial);
    char *next = next_of(history, UINT64_MAX, told + trial - 1, trial, &past);
    assert_string_equal(next, history->params[trial]);
    assert_int_equal(past.told, told);
    assert_int_equal(past.open, 0);
    free(next);
}

static void a_record_up_to_any_place_leads_to_what_was_proposed_there(void **state)
{
    struct history history;
    begin(state, &history);
    run_trials(&history, 16);
    for (uint64_t trial = 1; trial <= history.trials; trial++)
        proposes_as_recorded(&history, trial);
    history_fini(&history);
}

static void a_record_ends_behind_the_tell_of_a_number(void **state)
{
    struct history history;
    struct ask_past past;
    begin(state, &history);
    run_trials(&history, 8);
    for (uint64_t trial = 2; trial <= history.trials; trial++) {
        free(next_of(&history, told_before(&history, trial), UINT64_MAX, trial + 1, &past));
        assert_int_equal(past.told, told_before(&history, trial));
        assert_int_equal(past.open, 1); /* proposed after that tell, and not told by then */
    }
    history_fini(&history);
}

/* The whole record leads where a session would go on, and not where it would without the last change. */
static void record_and_session_agree(const struct history *history, char **before)
{
    struct ask_past lived, taken_up;
    char *next = next_of(history, UINT64_MAX, UINT64_MAX, MOST, &lived),
         *expected = next_of_session(history, MOST, &taken_up);
    assert_string_equal(next, expected);
    assert_int_equal(lived.told, taken_up.told);
    assert_int_equal(lived.open, taken_up.open);
    if (*before)
        assert_string_not_equal(next, *before);
    free(*before);
    free(expected);
    *before = next;
}

static void changes_by_a_person_are_lived_through_as_by_a_session(void **state)
{
    struct history history;
    struct err err = {0};
    size_t changed;
    uint64_t first;
    char *before = NULL;
    begin(state, &history);
    run_trials(&history, 14);
    record_and_session_agree(&history, &before);
    char *unchanged = mem_text(before);
    const uint64_t good[] = {2, 4, 6, 13}; /* those with the least losses */
    assert_int_equal(ignore_trials(&history.dir, good, 4, false, &changed, &err), AMEND_FINE);
    record_and_session_agree(&history, &before);
    assert_int_equal(ignore_trials(&history.dir, good, 4, true, &changed, &err), AMEND_FINE);
    record_and_session_agree(&history, &before);
    assert_string_equal(before, unchanged);
    json_t *points = json_loads("[{\"params\": {\"x\": 0.125, \"y\": 0.375}, \"values\": {\"loss\": -3.0}},"
                                " {\"params\": {\"x\": 0.25, \"y\": 0.75}, \"values\": {\"loss\": -4.0}}]",
                                0, NULL);
    fine(add_trials(&history.dir, points, &first, &err) != AMEND_FINE, &err);
    json_decref(points);
    record_and_session_agree(&history, &before);
    free(before);
    free(unchanged);
    history_fini(&history);
}

/* Trial 5 failed, was tried again, and waits: up to the place of that change its end holds, then it is void. */
static void an_end_that_was_taken_back_holds_up_to_that_place(void **state)
{
    struct history history;
    struct err err = {0};
    struct ask_past past;
    size_t changed;
    char *before = NULL;
    begin(state, &history);
    run_trials(&history, 10);
    assert_int_equal(retry_trials(&history.dir, (uint64_t[]){5}, 1, &changed, &err), AMEND_FINE);
    assert_int_equal(changed, 1);
    record_and_session_agree(&history, &before);
    free(next_of(&history, UINT64_MAX, UINT64_MAX, MOST, &past));
    assert_int_equal(past.open, 1);
    for (uint64_t trial = 1; trial <= history.trials; trial++)
        proposes_as_recorded(&history, trial);
    free(before);
    history_fini(&history);
}

static void a_trial_that_was_ignored_at_a_later_place_counts_before_it(void **state)
{
    struct history history;
    struct err err = {0};
    size_t changed;
    begin(state, &history);
    run_trials(&history, 12);
    assert_int_equal(ignore_trials(&history.dir, (uint64_t[]){2, 11}, 2, false, &changed, &err), AMEND_FINE);
    for (uint64_t trial = 1; trial <= history.trials; trial++)
        proposes_as_recorded(&history, trial);
    history_fini(&history);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_record_up_to_any_place_leads_to_what_was_proposed_there),
        IN_SCRATCH(a_record_ends_behind_the_tell_of_a_number),
        IN_SCRATCH(changes_by_a_person_are_lived_through_as_by_a_session),
        IN_SCRATCH(an_end_that_was_taken_back_holds_up_to_that_place),
        IN_SCRATCH(a_trial_that_was_ignored_at_a_later_place_counts_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
