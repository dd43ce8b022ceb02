/* Which trials live and in which order others ended is found however many there are, and no trial is missed: neither
 * one that outlives thousands, nor one that a person has tried again, nor after a commit that failed. */
#include "tests/claims.h"
#include "tests/sqlite_faults.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/ends.h"
#include "scheduler/store/living.h"

#include <sqlite3.h>
#include <stdlib.h>

/* --- events --- */

static struct event proposed(uint64_t trial)
{
    return (struct event){.kind = EVENT_PROPOSED, .trial = trial, .proposed = {.params = "{}"}};
}

/* A trial that never ran ends at this place. */
static struct event ended(uint64_t trial, uint64_t told)
{
    return (struct event){.kind = EVENT_TRIAL_ENDED, .trial = trial, .end = {.ending = ENDING_CRASHED, .told = told}};
}

static struct event reopened(uint64_t trial, uint64_t told)
{
    return (struct event){.kind = EVENT_REOPENED, .trial = trial, .reopened = {.told = told}};
}

static void write_events(struct store *store, const struct event *events, size_t count)
{
    struct err err = {""};
    fine(store_write(store, events, count, &err), &err);
}

static void propose_some(struct store *store, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        write_events(store, (struct event[]){proposed(first + i)}, 1);
}

/* Trials that end as soon as they were proposed, in one commit; each at the place of its number. */
static void pass_some(struct store *store, uint64_t first, uint64_t count)
{
    struct event *events = MEM_ARRAY(struct event, 2 * count);
    for (uint64_t i = 0; i < count; i++) {
        events[2 * i] = proposed(first + i);
        events[2 * i + 1] = ended(first + i, first + i);
    }
    write_events(store, events, 2 * count);
    free(events);
}

/* --- what is found --- */

/* What lives, as readers find it and as a look at every row does: both are this list. */
static void live(void **state, struct store *store, const char *expected)
{
    struct err err = {""};
    json_t *rows = reader_living(store_reader(store), 0, 0, &err), *numbers = json_array();
    fine(!rows, &err);
    for (size_t i = 0; i < json_array_size(rows); i++)
        json_array_append(numbers, json_array_get(json_array_get(rows, i), 0));
    json_decref(rows);
    same_json(numbers, json_loads(expected, 0, NULL));
    char *text = stores_sql(path_in(state, "a.db"), "SELECT json_group_array(trial) FROM trials WHERE ending IS NULL");
    same_json(json_loads(text, 0, NULL), json_loads(expected, 0, NULL));
    free(text);
}

/* [place, trial] of what ended behind a place. */
static void ends_are(struct store *store, uint64_t after, uint64_t limit, const char *expected)
{
    struct err err = {""};
    json_t *rows = reader_ended(store_reader(store), after, limit, &err), *found = json_array();
    fine(!rows, &err);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        json_array_append_new(found, json_pack("[O, O]", json_array_get(row, 0), json_array_get(row, 1)));
    }
    json_decref(rows);
    same_json(found, json_loads(expected, 0, NULL));
}

static void table_is(void **state, const char *sql, const char *expected)
{
    char *text = stores_sql(path_in(state, "a.db"), sql);
    assert_string_equal(text, expected);
    free(text);
}

/* --- who lives --- */

static void trials_that_outlive_thousands_are_found_and_leave_no_row_when_they_end(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    propose_some(store, 1, 3);
    pass_some(store, 4, 3000);
    live(state, store, "[1, 2, 3]");
    table_is(state, "SELECT json_group_array(trial) FROM older", "[1,2,3]");
    write_events(store, (struct event[]){ended(2, 5000)}, 1);
    live(state, store, "[1, 3]");
    write_events(store, (struct event[]){ended(1, 5001), ended(3, 5002)}, 2);
    live(state, store, "[]");
    table_is(state, "SELECT count(*) FROM older", "0");
    store_close(store);
}

/* However many have ended, readers look at LIVING_SPARE of them, and LIVING_EACH for each that lives. */
static void few_recent_trials_are_looked_through_where_few_live(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    for (uint64_t first = 1; first < 6000; first += 500) {
        propose_some(store, first, 1);
        pass_some(store, first + 1, 499);
        table_is(state, "SELECT (SELECT max(trial) FROM trials) + 1 - recent <= 1024 + 4 * 12 FROM progress", "1");
    }
    live(state, store, "[1, 501, 1001, 1501, 2001, 2501, 3001, 3501, 4001, 4501, 5001, 5501]");
    store_close(store);
}

static void numbers_far_apart_are_found_all_the_same(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    write_events(store, (struct event[]){proposed(1), proposed(LIVING_MOST), proposed(LIVING_MOST + 1)}, 3);
    live(state, store, "[1, 16384, 16385]");
    write_events(store, (struct event[]){proposed(UINT64_C(9000000000000000)), ended(LIVING_MOST, 1)}, 2);
    live(state, store, "[1, 16385, 9000000000000000]");
    write_events(store, (struct event[]){ended(1, 2), ended(UINT64_C(9000000000000000), 3)}, 2);
    live(state, store, "[16385]");
    store_close(store);
}

static void a_trial_that_is_tried_again_lives_whether_it_is_old_or_recent(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    pass_some(store, 1, 2000);
    propose_some(store, 2001, 2);
    write_events(store, (struct event[]){ended(2002, 2001)}, 1);
    write_events(store, (struct event[]){reopened(7, 2002), reopened(2002, 2003)}, 2);
    live(state, store, "[7, 2001, 2002]");
    write_events(store, (struct event[]){ended(7, 2004), ended(2002, 2005)}, 2);
    live(state, store, "[2001]");
    store_close(store);
}

static void who_lives_is_known_again_after_a_restart(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    propose_some(store, 1, 2);
    pass_some(store, 3, 2000);
    propose_some(store, 2003, 2);
    store_close(store);
    store = stores_open(path_in(state, "a.db"));
    pass_some(store, 2005, 2);
    write_events(store, (struct event[]){ended(2, 3000), ended(2003, 3001)}, 2);
    live(state, store, "[1, 2004]");
    store_close(store);
}

/* Each statement of the commit fails once: nothing of it is there, and nothing of it is remembered. */
static void a_commit_that_fails_changes_nobody_who_lives(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    propose_some(store, 1, 2);
    pass_some(store, 3, LIVING_SPARE - 2);
    const struct event events[] = {proposed(2000), proposed(9000), ended(1, 9001), proposed(20000)};
    for (unsigned at = 1;; at++) {
        struct err err = {""};
        fail_at(at, SQLITE_FULL);
        int failed = store_write(store, events, sizeof events / sizeof *events, &err);
        mend();
        if (!failed)
            break;
        live(state, store, "[1, 2]");
    }
    live(state, store, "[2, 2000, 9000, 20000]");
    write_events(store, (struct event[]){ended(2, 9002), ended(2000, 9003)}, 2);
    live(state, store, "[9000, 20000]");
    store_close(store);
}

/* --- what ended --- */

static void pages_of_ends_go_across_commits_and_rows(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    pass_some(store, 1, ENDS_MOST + 3);
    pass_some(store, ENDS_MOST + 4, 2);
    table_is(state, "SELECT count(*) FROM ends", "3");
    ends_are(store, 0, 2, "[[1, 1], [2, 2]]");
    ends_are(store, ENDS_MOST - 1, 3, "[[512, 512], [513, 513], [514, 514]]");
    ends_are(store, ENDS_MOST + 2, 0, "[[515, 515], [516, 516], [517, 517]]");
    ends_are(store, ENDS_MOST + 5, 0, "[]");
    store_close(store);
}

static void a_trial_that_ends_once_more_is_told_at_its_last_place(void **state)
{
    struct store *store = stores_make(path_in(state, "a.db"));
    propose_some(store, 1, 2);
    write_events(store, (struct event[]){ended(2, 1), ended(1, 2), reopened(2, 3), ended(2, 4)}, 4);
    ends_are(store, 0, 0, "[[2, 1], [3, 2], [4, 2]]");
    ends_are(store, 3, 0, "[[4, 2]]");
    store_close(store);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(trials_that_outlive_thousands_are_found_and_leave_no_row_when_they_end),
        CLAIM(few_recent_trials_are_looked_through_where_few_live),
        CLAIM(numbers_far_apart_are_found_all_the_same),
        CLAIM(a_trial_that_is_tried_again_lives_whether_it_is_old_or_recent),
        CLAIM(who_lives_is_known_again_after_a_restart),
        CLAIM(a_commit_that_fails_changes_nobody_who_lives),
        CLAIM(pages_of_ends_go_across_commits_and_rows),
        CLAIM(a_trial_that_ends_once_more_is_told_at_its_last_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
