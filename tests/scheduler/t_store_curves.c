/* Which samples count of trials that had several attempts: every statement that is asked for them says the same as the
 * view v_metrics, and none looks at all samples for each of them. */
#include "common/buf.h"
#include "common/mem.h"
#include "common/rng.h"
#include "scheduler/store/db.h"
#include "scheduler/store/reader_trial.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 150 };

/* An attempt that went on from a step that was drawn, and reported some, mostly one after the other. */
static void add_attempt(struct rng *rng, int trial, uint32_t attempt, struct buf *sql)
{
    int step = (int)rng_below(rng, 7) - 1;
    uint64_t count = rng_below(rng, 7), resumed = rng_below(rng, 2) * rng_below(rng, 6);
    buf_format(sql,
               "INSERT OR REPLACE INTO runs (trial, attempt, worker, slot, leased, resumed)"
               " VALUES (%d, %u, 1, 0, 1.0, %llu);",
               trial, attempt, (unsigned long long)resumed);
    for (uint64_t i = 0; i < count; i++) {
        step += (int)rng_below(rng, 4) - (int)rng_below(rng, 2);
        buf_format(sql, "INSERT OR REPLACE INTO samples VALUES (%d, %u, %llu, 1, %d, %.9f, 1.0);", trial, attempt,
                   (unsigned long long)i, step, rng_unit(rng));
    }
}

/* Trials that have ended, of up to six attempts each. */
static char *make_drawn(void **state)
{
    struct err err = {""};
    struct rng rng = rng_make(7, "curves", 0);
    struct buf sql = {0};
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, TRIALS, &err), &err);
    store_close(store);
    buf_text(&sql, "DELETE FROM samples; UPDATE runs SET ending = NULL;");
    for (int trial = 1; trial <= TRIALS; trial++)
        for (uint32_t attempt = 1, most = 1 + (uint32_t)rng_below(&rng, 6); attempt <= most; attempt++)
            add_attempt(&rng, trial, attempt, &sql);
    free(stores_sql(path, buf_str(&sql)));
    buf_fini(&sql);
    return path;
}

/* The steps and values of a curve as the view lists them below. */
static char *list_curve(const json_t *curve)
{
    struct buf list = {0};
    size_t index;
    json_t *sample;
    json_array_foreach((json_t *)curve, index, sample)
        buf_format(&list, "%s%lld:%.9f", index ? "," : "", json_integer_value(json_object_get(sample, "step")),
                   json_real_value(json_object_get(sample, "value")));
    return buf_take(&list);
}

static void a_curve_is_what_the_view_counts(void **state)
{
    struct err err = {""};
    char *path = make_drawn(state);
    struct reader *reader = stores_read(path);
    for (int trial = 1; trial <= TRIALS; trial++) {
        json_t *shown = reader_show(reader, (uint64_t)trial, &err);
        fine(!shown, &err);
        char *got = list_curve(json_object_get(shown, "curve"));
        char *ask =
            mem_format("SELECT group_concat(step || ':' || printf('%%.9f', value)) FROM (SELECT * FROM v_metrics"
                       " WHERE trial = %d AND counts ORDER BY attempt, number)",
                       trial);
        char *expected = stores_sql(path, ask);
        assert_string_equal(got, expected);
        free(expected);
        free(ask);
        free(got);
        json_decref(shown);
    }
    reader_close(reader);
    free(path);
}

static void trials_are_sorted_by_their_last_sample_that_counts(void **state)
{
    struct err err = {""};
    char *path = make_drawn(state);
    struct reader *reader = stores_read(path);
    json_t *numbers = reader_numbers(reader, &(struct trial_query){.order = "metric.loss"}, &err);
    fine(!numbers, &err);
    char *got = json_dumps(numbers, JSON_COMPACT);
    char *expected =
        stores_sql(path, "SELECT json_group_array(trial) FROM (SELECT trial, (SELECT value FROM v_metrics v"
                         " WHERE v.trial = t.trial AND counts ORDER BY step DESC, attempt DESC, number DESC LIMIT 1) AS"
                         " last FROM trials t ORDER BY last IS NULL, last, trial)");
    assert_string_equal(got, expected);
    free(expected);
    free(got);
    json_decref(numbers);
    reader_close(reader);
    free(path);
}

/* Trial 1 began anew and came half as far. */
static void put_samples(const char *path, int steps)
{
    char *sql = mem_format("DELETE FROM samples; INSERT OR IGNORE INTO runs (trial, attempt, worker, slot, leased)"
                           " VALUES (1, 2, 1, 0, 1.0);"
                           "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
                           " INSERT INTO samples SELECT 1, 1, i, 1, i + 1, 1.0, 1.0 FROM n UNION ALL"
                           " SELECT 1, 2, i, 1, i + 1, 1.0, 1.0 FROM n WHERE i < %d",
                           steps, steps / 2);
    free(stores_sql(path, sql));
    free(sql);
}

static int count_steps(const char *path, bool sorts)
{
    struct err err = {""};
    struct db db = {0};
    fine(db_open_to_read(&db, path, &err), &err);
    struct query query = sorts ? QUERY(&db, STATEMENT_TRIALS_SORTED, PUT("metric"), PUT("loss"), PUT(0), PUT(-1))
                               : QUERY(&db, STATEMENT_SAMPLES, PUT(1), PUT(2));
    sqlite3_stmt *statement = query.stmt;
    while (query_row(&query, &err) > 0)
        ;
    int steps = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    db_close(&db);
    return steps;
}

static void very_many_samples_are_not_looked_through_for_each_of_them(void **state)
{
    struct err err = {""};
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 1, &err), &err);
    store_close(store);
    for (int sorts = 0; sorts < 2; sorts++) {
        put_samples(path, 500);
        int before = count_steps(path, sorts);
        put_samples(path, 2000);
        assert_true(count_steps(path, sorts) < 6 * before);
    }
    free(path);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(a_curve_is_what_the_view_counts),
        CLAIM(trials_are_sorted_by_their_last_sample_that_counts),
        CLAIM(very_many_samples_are_not_looked_through_for_each_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
