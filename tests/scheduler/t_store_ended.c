/* What a reader asks again and again: what has ended since, what the best value was, which trials live. */
#include "scheduler/store/db.h"
#include "scheduler/store/reader.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

enum { WORKER = 7 };

/* A trial from its proposal to its end, told at this place; NaN: it failed. */
static void end_trial(struct store *store, uint64_t trial, uint64_t told, double value)
{
    struct err err = {""};
    enum ending ending = isnan(value) ? ENDING_CRASHED : ENDING_COMPLETED;
    struct event events[] = {
        {.kind = EVENT_PROPOSED, .trial = trial, .time = 100, .proposed = {.params = "{}"}},
        {.kind = EVENT_LEASED, .trial = trial, .attempt = 1, .worker = WORKER},
        {.kind = EVENT_RUN_ENDED,
         .trial = trial,
         .attempt = 1,
         .worker = WORKER,
         .run = {.ending = ending, .started = 100, .seconds = 2.5}},
        {.kind = EVENT_TRIAL_ENDED,
         .trial = trial,
         .time = 100 + (double)told,
         .end = {.ending = ending, .seconds = 2.5, .has_value = !isnan(value), .value = value, .told = told}}};
    fine(store_write(store, events, sizeof events / sizeof *events, &err), &err);
}

/* Trials 2, 1 and 3 have ended, in this order, and 4 waits, 5 runs. */
static struct store *make_store(void **state)
{
    struct err err = {""};
    struct store *store = stores_make(path_in(state, "a.db"));
    struct msg_slot slot = {.cpus = "0-2,8", .numa = "", .gpus = ""};
    struct event worker[] = {
        {.kind = EVENT_WORKER, .worker = WORKER, .hello = {.node = "n1", .version = "1", .machine = "m"}},
        {.kind = EVENT_SLOTS, .worker = WORKER, .offered = {.slots = &slot, .slots_count = 1}}};
    struct msg_sample sample = {.metric = "loss", .step = 30, .value = 0.25};
    struct event alive[] = {{.kind = EVENT_PROPOSED, .trial = 4, .time = 104, .proposed = {.params = "{}"}},
                            {.kind = EVENT_PROPOSED, .trial = 5, .time = 105, .proposed = {.params = "{}"}},
                            {.kind = EVENT_LEASED, .trial = 5, .attempt = 1, .worker = WORKER, .time = 106},
                            {.kind = EVENT_SAMPLED,
                             .trial = 5,
                             .attempt = 1,
                             .worker = WORKER,
                             .sampled = {.samples = &sample, .samples_count = 1}}};
    fine(store_write(store, worker, 2, &err), &err);
    end_trial(store, 2, 1, 4);
    end_trial(store, 1, 2, NAN);
    end_trial(store, 3, 4, 3);
    fine(store_write(store, alive, sizeof alive / sizeof *alive, &err), &err);
    return store;
}

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

static void ends_come_in_the_order_in_which_they_were_told(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    same_json(reader_ended(reader, 0, 0, &err),
              parse("[[1, 2, \"completed\", 101.0, 100.0, 2.5, 4, 4.0, true, false],"
                    " [2, 1, \"failed\", 102.0, 100.0, 2.5, 4, null, null, false],"
                    " [4, 3, \"completed\", 104.0, 100.0, 2.5, 4, 3.0, true, false]]"));
    store_close(store);
}

static void a_page_goes_on_behind_the_last_place(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    uint64_t after = 0, seen = 0, trials[3] = {2, 1, 3};
    json_t *page;
    for (; (page = reader_ended(reader, after, 1, &err)) && json_array_size(page); json_decref(page)) {
        json_t *row = json_array_get(page, 0);
        assert_int_equal(json_array_size(page), 1);
        assert_true(seen < 3);
        assert_int_equal(json_integer_value(json_array_get(row, 1)), trials[seen++]);
        after = (uint64_t)json_integer_value(json_array_get(row, 0));
    }
    json_decref(page);
    assert_int_equal(seen, 3);
    same_json(reader_ended(reader, 3, 0, &err),
              parse("[[4, 3, \"completed\", 104.0, 100.0, 2.5, 4, 3.0, true, false]]"));
    store_close(store);
}

static void what_is_said_of_an_end_later_comes_once_more(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    struct event ignored = {.kind = EVENT_IGNORED, .trial = 2, .ignored = {.ignored = true, .told = 5}},
                 reopened = {.kind = EVENT_REOPENED, .trial = 1, .reopened = {.told = 6}};
    fine(store_write(store, &ignored, 1, &err), &err);
    same_json(reader_ended(reader, 4, 0, &err),
              parse("[[5, 2, \"completed\", 101.0, 100.0, 2.5, 4, 4.0, true, true]]"));
    fine(store_write(store, &reopened, 1, &err), &err);
    same_json(reader_ended(reader, 5, 0, &err),
              parse("[[6, 1, \"waiting\", null, null, null, null, null, null, false]]"));
    store_close(store);
}

static void of_what_lives_it_is_known_where_it_runs_and_how_far_it_is(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    same_json(reader_living(reader, 0, 0, &err),
              parse("[[4, \"waiting\", null, 104.0, null, null, null, null, null],"
                    " [5, \"running\", 1, 106.0, \"n1\", \"0000000000000007\", 0, 30, 0.25]]"));
    json_t *first = reader_living(reader, 0, 1, &err), *rest = reader_living(reader, 4, 0, &err);
    assert_int_equal(json_array_size(first), 1);
    assert_int_equal(json_integer_value(json_array_get(json_array_get(rest, 0), 0)), 5);
    json_decref(first);
    json_decref(rest);
    store_close(store);
}

/* What to pass next, from an answer; freed. */
static struct improvements next_of(json_t *answer)
{
    struct improvements next = {.best = NAN};
    json_int_t told, ended, taken_back;
    json_t *best;
    assert_int_equal(json_unpack(answer, "{s:I, s:I, s:I, s:o}", "told", &told, "ended", &ended, "taken_back",
                                 &taken_back, "best", &best),
                     0);
    next.told = (uint64_t)told;
    next.ended = (uint64_t)ended;
    next.taken_back = (uint64_t)taken_back;
    next.best = json_is_null(best) ? NAN : json_number_value(best);
    json_decref(answer);
    return next;
}

/* The next page is this; gives what follows it. */
static struct improvements are_improvements(struct reader *reader, struct improvements so_far, uint64_t limit,
                                            const char *expected, bool anew, bool more)
{
    struct err err = {""};
    json_t *answer = reader_improvements(reader, &so_far, limit, &err);
    fine(!answer, &err);
    same_json(json_incref(json_object_get(answer, "improvements")), parse(expected));
    assert_int_equal(json_is_true(json_object_get(answer, "anew")), anew);
    assert_int_equal(json_is_true(json_object_get(answer, "more")), more);
    return next_of(answer);
}

static void improvements_are_found_page_by_page(void **state)
{
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    struct improvements next = {0};
    next = are_improvements(reader, next, 2, "[[1, 101.0, 4.0, 2]]", true, true);
    next = are_improvements(reader, next, 2, "[[3, 104.0, 3.0, 3]]", false, false);
    end_trial(store, 6, 5, 3);
    end_trial(store, 7, 6, 2);
    next = are_improvements(reader, next, 0, "[[5, 106.0, 2.0, 7]]", false, false);
    are_improvements(reader, next, 0, "[]", false, false);
    store_close(store);
}

static void they_begin_anew_when_a_person_says_that_a_trial_does_not_count(void **state)
{
    struct err err = {""};
    struct store *store = make_store(state);
    struct reader *reader = store_reader(store);
    struct event ignored = {.kind = EVENT_IGNORED, .trial = 2, .ignored = {.ignored = true, .told = 5}};
    struct improvements next =
        are_improvements(reader, (struct improvements){0}, 0, "[[1, 101.0, 4.0, 2], [3, 104.0, 3.0, 3]]", true, false);
    fine(store_write(store, &ignored, 1, &err), &err);
    next = are_improvements(reader, next, 0, "[[2, 104.0, 3.0, 3]]", true, false);
    are_improvements(reader, next, 0, "[]", false, false);
    store_close(store);
}

/* How many steps SQLite takes for a statement behind place `after`, and how many of these went from row to row of a
 * whole table. */
static int count_steps(const char *path, enum statement which, uint64_t after, int *scanned)
{
    struct err err = {""};
    struct db db = {0};
    fine(db_open_to_read(&db, path, &err), &err);
    struct query query = QUERY(&db, which, PUT(after), PUT(-1));
    sqlite3_stmt *statement = query.stmt;
    while (query_row(&query, &err) > 0)
        ;
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    *scanned = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0);
    db_close(&db);
    return steps;
}

static void however_many_have_ended_only_what_is_new_is_read(void **state)
{
    static const enum statement statements[] = {STATEMENT_ENDED, STATEMENT_ENDED_VALUES, STATEMENT_LIVING};
    struct store *store = make_store(state);
    const char *path = path_in(state, "a.db");
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        int before, after, scanned;
        uint64_t told = 1000 * i + 10;
        end_trial(store, told, told, 1);
        before = count_steps(path, statements[i], told - 1, &scanned);
        for (uint64_t other = told + 1; other < told + 300; other++)
            end_trial(store, other, other, 1);
        after = count_steps(path, statements[i], told + 298, &scanned);
        assert_int_equal(after, before);
        assert_true(scanned < 100); /* of tables that don't grow: endings, metrics */
    }
    store_close(store);
}

static void attempts_of_all_workers_are_counted_in_one_walk(void **state)
{
    enum { WORKERS = 60, TRIALS = 300 };
    struct err err = {""};
    struct db db = {0};
    struct store *store = make_store(state);
    for (uint64_t i = 0; i < WORKERS; i++) {
        struct event joins = {
            .kind = EVENT_WORKER, .worker = 1000 + i, .hello = {.node = "n", .version = "1", .machine = "m"}};
        fine(store_write(store, &joins, 1, &err), &err);
    }
    for (uint64_t trial = 10; trial < 10 + TRIALS; trial++)
        end_trial(store, trial, trial, 1);
    fine(db_open_to_read(&db, path_in(state, "a.db"), &err), &err);
    struct query query = query_make(&db, STATEMENT_WORKERS);
    sqlite3_stmt *statement = query.stmt;
    while (query_row(&query, &err) > 0)
        ;
    assert_true(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 0) < WORKERS * TRIALS / 10);
    db_close(&db);
    store_close(store);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(ends_come_in_the_order_in_which_they_were_told),
        CLAIM(a_page_goes_on_behind_the_last_place),
        CLAIM(what_is_said_of_an_end_later_comes_once_more),
        CLAIM(of_what_lives_it_is_known_where_it_runs_and_how_far_it_is),
        CLAIM(improvements_are_found_page_by_page),
        CLAIM(they_begin_anew_when_a_person_says_that_a_trial_does_not_count),
        CLAIM(however_many_have_ended_only_what_is_new_is_read),
        CLAIM(attempts_of_all_workers_are_counted_in_one_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
