/* A store that holds what makes no sense is refused with the row and what is expected, and stays as it is. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "scheduler/store/stamp.h"
#include "tests/claims.h"
#include "tests/stores.h"
#include "tests/test_metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Three trials: the first one has ended, the second one runs on worker 7, the third one waits. */
static void make_store(const char *path)
{
    struct err err;
    struct msg_sample sample = {.metric = "loss", .step = 1, .value = 2, .time = 1};
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = 2, .time = 1.7e9, .proposed = {.params = "{\"lr\": 1}", .told_before = 1}},
        {.kind = EVENT_LEASED, .trial = 2, .attempt = 1, .worker = 7, .time = 1.7e9},
        {.kind = EVENT_SAMPLED,
         .trial = 2,
         .attempt = 1,
         .worker = 7,
         .time = 1.7e9,
         .sampled = {.samples = &sample, .samples_count = 1}},
        {.kind = EVENT_PROPOSED, .trial = 3, .time = 1.7e9, .proposed = {.params = "{\"lr\": 2}", .told_before = 1}}};
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 1, &err), &err);
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
    store_close(store);
}

/* What one change leads to: the words that the refusal has. */
static void refuses(const char *path, const char *spoil, const char *table, const char *row, const char *what)
{
    struct err err = {""};
    struct memory memory;
    free(stores_sql(path, spoil));
    if (store_check(path, &metrics_min, NULL, &err) != STORE_DAMAGED)
        fail_msg("nothing is said of: %s", spoil);
    assert_has(err.text, path);
    assert_has(err.text, table);
    assert_has(err.text, row);
    assert_has(err.text, what);
    struct store *store = stores_open(path);
    assert_int_equal(store_recall(store, &memory, &err), STORE_DAMAGED);
    assert_has(err.text, what);
    assert_int_equal(memory.trial_count, 0);
    assert_int_equal(store_look(store, &memory, &err), STORE_DAMAGED);
    store_close(store);
    char *sessions = stores_sql(path, "SELECT sessions || ' ' || (SELECT count(*) FROM processors) FROM progress");
    assert_string_equal(sessions, "0 0");
    free(sessions);
}

static void a_row_that_makes_no_sense_is_refused_with_what_is_expected(void **state)
{
    static const struct {
        const char *spoil, *table, *row, *what;
    } cases[] = {
        {"UPDATE runs SET slot = -1", "table runs", "trial 2, attempt 1", "slot is -1; a whole number from 0 to 4095"},
        {"UPDATE runs SET slot = 2000000000", "table runs", "trial 2, attempt 1", "slot is 2000000000; "},
        {"UPDATE runs SET slot = 'x'", "table runs", "trial 2, attempt 1", "slot is 'x'"},
        {"UPDATE runs SET worker = 99", "table runs", "trial 2, attempt 1", "worker is 99; a row of the table workers"},
        {"UPDATE runs SET attempt = 0 WHERE trial = 2", "table runs", "trial 2, attempt 0", "attempt is 0; "},
        {"UPDATE runs SET attempt = 4294967297 WHERE trial = 2", "table runs", "trial 2", "attempt is 4294967297; "},
        {"UPDATE runs SET resumed = -1 WHERE trial = 2", "table runs", "trial 2", "resumed is -1; "},
        {"UPDATE runs SET trial = 4 WHERE trial = 2", "table runs", "trial 4", "trial is 4; a trial of this store"},
        {"UPDATE trials SET params = '[1' WHERE trial = 3", "table trials", "trial 3", "params is '[1'; a JSON object"},
        {"UPDATE trials SET params = '{\"a\": \"' || hex(zeroblob(500000)) || '\"}' WHERE trial = 3", "table trials",
         "trial 3", "of at most a million letters"},
        {"UPDATE trials SET attempts = -1 WHERE trial = 2", "table trials", "trial 2", "attempts is -1; "},
        {"UPDATE trials SET losses = 9e18 WHERE trial = 2", "table trials", "trial 2", "losses is 9"},
        {"UPDATE trials SET trial = -2 WHERE trial = 2", "table trials", "trial -2", "trial is -2; "},
        {"UPDATE trials SET reached = 9223372036854775807 WHERE trial = 2", "table trials", "trial 2", "reached is 9"},
        {"UPDATE trials SET told = NULL WHERE trial = 1", "table trials", "trial 1", "told is NULL; "},
        {"UPDATE trials SET paused = 7 WHERE trial = 2", "table trials", "trial 2", "paused is 7; 0 or 1"},
        {"UPDATE samples SET step = 9223372036854775807 WHERE trial = 2", "table samples", "number 0", "step is 9"},
        {"UPDATE samples SET metric = 99 WHERE trial = 2", "table samples", "number 0", "metric is 99; "},
        {"INSERT INTO decisions (trial, decision, step) VALUES (2, 9, 1)", "table decisions", "id 1", "decision is 9"},
        {"INSERT INTO decisions (trial, decision, step) VALUES (9, 0, 1)", "table decisions", "id 1", "trial is 9; "},
        {"INSERT INTO decisions (trial, decision, step) VALUES (2, 0, -1)", "table decisions", "id 1", "step is -1; "},
        {"UPDATE workers SET number = 0", "table workers", "worker 1", "number is 0; "},
        {"UPDATE workers SET pid = -5", "table workers", "worker 1", "pid is -5; "},
        {"UPDATE progress SET held = 9e999", "table progress", "1", "held is "},
        {"UPDATE progress SET recent = -1", "table progress", "1", "recent is -1; "},
        {"UPDATE progress SET recent = 3", "table trials", "trial 2", "ending is NULL; a row of the table older"},
        {"UPDATE progress SET idle = -1", "table progress", "1", "idle is -1; "},
        {"UPDATE progress SET steps = -1", "table progress", "1", "steps is -1; "},
        {"UPDATE progress SET best_trial = 77", "table progress", "1", "best_trial is 77; a trial of this store"},
        {"UPDATE criteria SET use = 'worst'", "table criteria", "1", "use is 'worst'; last or best"},
        {"UPDATE parameters SET definition = '['", "table parameters", "position 1", "definition is '['; "},
        {"INSERT INTO earlier (source, params) VALUES (-1, '{}')", "table earlier", "number 1", "source is -1; "},
    };
    struct buf whole = {0};
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    make_store(path);
    fine(store_check(path, &metrics_min, NULL, &err), &err);
    fine(path_read(path, &whole, 100 << 20, &err), &err);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fine(path_write(path, whole.data, whole.length, 0600, &err), &err);
        refuses(path, cases[i].spoil, cases[i].table, cases[i].row, cases[i].what);
    }
    buf_fini(&whole);
    free(path);
}

static void metrics_under_ever_new_names_are_one(void **state)
{
    enum { MORE = 50, COUNT = 10000 + MORE };
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    struct msg_sample *samples = MEM_ARRAY(struct msg_sample, COUNT);
    struct arena memory = {0};
    char name[32];
    make_store(path);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "m%d", i);
        samples[i] = (struct msg_sample){.metric = arena_text(&memory, name), .step = 1, .value = i};
    }
    struct event event = {.kind = EVENT_SAMPLED, .trial = 2, .attempt = 1, .worker = 7};
    event.sampled = (struct event_sampled){.first = 1, .samples = samples, .samples_count = COUNT};
    struct store *store = stores_open(path);
    fine(store_write(store, &event, 1, &err), &err);
    store_close(store);
    char *names = stores_sql(path, "SELECT count(*) || ' ' || max(metric) FROM metrics");
    char *others = stores_sql(path, "SELECT count(*) FROM samples JOIN metrics USING (metric) WHERE name = '(others)'");
    assert_string_equal(names, "10001 10001");
    assert_int_equal(atoi(others), MORE + 1); /* loss was there before */
    free(names);
    free(others);
    free(samples);
    arena_fini(&memory);
    free(path);
}

static void other_metrics_than_those_of_the_experiment_are_refused(void **state)
{
    static const struct metric other[] = {{.name = "accuracy", .objective = true}};
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    make_store(path);
    assert_int_equal(store_check(path, &(struct metrics){other, 1}, NULL, &err), STORE_DAMAGED);
    assert_has(err.text, "table criteria");
    free(stores_sql(path, "INSERT INTO criteria VALUES (2, 'accuracy', NULL, 'last', NULL, NULL)"));
    assert_int_equal(store_check(path, &metrics_min, NULL, &err), STORE_DAMAGED);
    free(path);
}

static void of_what_is_not_there_nothing_is_known_and_a_log_is_part_of_a_store(void **state)
{
    struct err err;
    struct buf at_rest = {0}, written = {0}, none = {0};
    char *path = mem_text(path_in(state, "a.db"));
    make_store(path);
    assert_false(store_stamp(path_in(state, "b.db"), &none));
    assert_false(store_stamp_holds(path, NULL));
    assert_false(store_stamp_holds(path, ""));
    assert_true(store_stamp(path, &at_rest));
    assert_false(store_stamp_holds(path_in(state, "b.db"), buf_str(&at_rest)));
    struct store *store = stores_open(path);
    fine(stores_write(store, 4, 1, &err), &err);
    assert_true(store_stamp(path, &written));
    fine(stores_write(store, 5, 1, &err), &err); /* into the log, beside the file */
    assert_false(store_stamp_holds(path, buf_str(&written)));
    store_close(store);
    buf_fini(&none);
    buf_fini(&at_rest);
    buf_fini(&written);
    free(path);
}

static void what_was_checked_is_known_again_until_it_is_written(void **state)
{
    struct err err;
    struct memory memory;
    struct buf stamp = {0};
    char *path = mem_text(path_in(state, "a.db"));
    make_store(path);
    fine(store_check(path, &metrics_min, &stamp, &err), &err);
    assert_true(store_stamp_holds(path, buf_str(&stamp)));
    free(stores_sql(path, "SELECT count(*) FROM trials")); /* who only reads changes nothing */
    assert_true(store_stamp_holds(path, buf_str(&stamp)));
    free(stores_sql(path, "UPDATE trials SET losses = 9e18 WHERE trial = 2"));
    assert_false(store_stamp_holds(path, buf_str(&stamp)));
    buf_clear(&stamp);
    assert_int_equal(store_check(path, &metrics_min, &stamp, &err), STORE_DAMAGED);
    assert_false(store_stamp_holds(path, buf_str(&stamp)));
    struct store *store = stores_open(path);
    store_was_checked(store); /* which is not true: so it shows that nobody looks again, */
    fine(store_look(store, &memory, &err), &err);
    memory_fini(&memory);
    assert_int_equal(store_look(store, &memory, &err), STORE_DAMAGED); /* but for this once */
    store_close(store);
    buf_fini(&stamp);
    free(path);
}

static void what_can_not_be_read_is_no_damage_of_rows(void **state)
{
    struct err err;
    assert_int_equal(store_check(path_in(state, "none.db"), &metrics_min, NULL, &err), -1);
    assert_has(err.text, "none.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_row_that_makes_no_sense_is_refused_with_what_is_expected, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(metrics_under_ever_new_names_are_one, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(other_metrics_than_those_of_the_experiment_are_refused, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(of_what_is_not_there_nothing_is_known_and_a_log_is_part_of_a_store,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_was_checked_is_known_again_until_it_is_written, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_can_not_be_read_is_no_damage_of_rows, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
