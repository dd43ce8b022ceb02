/* What the store says of a search's speed: which value of a parameter goes with what bounded the runs, and which trial
 * was fast and good. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/verdict/verdict.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRIALS = 40 };

/* A store of so many trials, each with the one parameter p as SQL makes it of its number, a JSON text; those for which
 * `computed` holds computed, the others waited for data. */
static const char *make_many(void *const *state, uint64_t trials, const char *p, const char *computed)
{
    struct err err = {0};
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, trials, &err), &err);
    store_close(store);
    char *sql = mem_format("UPDATE trials SET params = '{\"p\": ' || (%s) || '}';"
                           "UPDATE runs SET verdict = CASE WHEN (%s) THEN %d ELSE %d END, figure = 0.5",
                           p, computed, VERDICT_COMPUTING, VERDICT_DATA);
    free(stores_sql(path, sql));
    free(sql);
    return path;
}

static const char *make_store(void *const *state, const char *p, const char *computed)
{
    return make_many(state, TRIALS, p, computed);
}

/* Its split is this. */
static void is_split(const char *path, const char *expected)
{
    struct err err = {0};
    struct reader *reader = reader_open(path, &err);
    json_t *speed = reader ? reader_speed(reader, 1, &err) : NULL;
    fine(!speed, &err);
    same_json(json_incref(json_object_get(speed, "split")), json_loads(expected, JSON_DECODE_ANY, NULL));
    json_decref(speed);
    reader_close(reader);
}

static void a_number_divides_below_and_above(void **state)
{
    is_split(make_store(state, "trial", "trial < 13"),
             "{\"parameter\": \"p\", \"is\": \"below\", \"value\": 13.0, \"verdict\": \"data\", \"here\": 12,"
             " \"bounded_here\": 0, \"there\": 28, \"bounded_there\": 28}");
}

static void a_name_divides_those_that_are_it_from_the_others(void **state)
{
    is_split(make_store(state, "'\"' || substr('abcd', trial % 4 + 1, 1) || '\"'", "trial % 4 = 2 OR trial = 4"),
             "{\"parameter\": \"p\", \"is\": \"equal\", \"value\": \"c\", \"verdict\": \"data\", \"here\": 10,"
             " \"bounded_here\": 0, \"there\": 30, \"bounded_there\": 29}");
}

/* A choice may have numbers and texts: 0 and the first text are two values, also when the texts come later. */
static void numbers_among_names_are_values_of_their_own(void **state)
{
    static const char *const values[] = {"CASE trial % 4 WHEN 0 THEN '\"auto\"' ELSE trial % 4 - 1 END",
                                         "CASE trial % 4 WHEN 1 THEN '\"auto\"' ELSE (trial + 2) % 4 END",
                                         "CASE trial % 4 WHEN 1 THEN '\"auto\"' WHEN 2 THEN '0' ELSE 'true' END",
                                         "CASE trial % 4 WHEN 1 THEN 'null' WHEN 2 THEN '0' ELSE 'false' END"};
    static const char *const computed[] = {"trial % 4 = 1", "trial % 4 = 2", "trial % 4 = 2", "trial % 4 = 2"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        is_split(make_store(state, values[i], computed[i]),
                 "{\"parameter\": \"p\", \"is\": \"equal\", \"value\": 0.0, \"verdict\": \"data\", \"here\": 10,"
                 " \"bounded_here\": 0, \"there\": 30, \"bounded_there\": 30}");
        leave_scratch((void **)state);
        enter_scratch((void **)state);
    }
}

static void nothing_and_no_are_not_the_same(void **state)
{
    is_split(make_store(state, "CASE trial % 2 WHEN 1 THEN 'null' ELSE 'false' END", "trial % 2 = 0"),
             "{\"parameter\": \"p\", \"is\": \"equal\", \"value\": null, \"verdict\": \"data\", \"here\": 20,"
             " \"bounded_here\": 20, \"there\": 20, \"bounded_there\": 0}");
}

static void the_text_inf_is_a_name(void **state)
{
    is_split(make_store(state, "CASE trial % 4 WHEN 1 THEN '\"inf\"' WHEN 2 THEN '\"nan\"' ELSE '\"l2\"' END",
                        "trial % 4 = 2"),
             "{\"parameter\": \"p\", \"is\": \"equal\", \"value\": \"nan\", \"verdict\": \"data\", \"here\": 10,"
             " \"bounded_here\": 0, \"there\": 30, \"bounded_there\": 30}");
}

static void a_parameter_that_says_nothing_is_not_named(void **state)
{
    is_split(make_store(state, "trial % 4", "trial % 3 = 0"), "null");
}

static void names_beyond_256_are_one_without_a_name(void **state)
{
    is_split(make_many(state, 300, "'\"' || trial || '\"'", "trial < 257"),
             "{\"parameter\": \"p\", \"is\": \"equal\", \"value\": null, \"verdict\": \"computing\", \"here\": 44,"
             " \"bounded_here\": 0, \"there\": 256, \"bounded_there\": 256}");
}

static void rows_that_make_no_sense_are_on_no_side(void **state)
{
    const char *path = make_store(state, "trial", "trial < 13");
    free(stores_sql(path, "UPDATE trials SET params = CASE trial WHEN 10 THEN '[13]' WHEN 20 THEN x'ff' ELSE '{' END"
                          " WHERE trial % 10 = 0; UPDATE runs SET verdict = 77 WHERE trial % 10 = 1"));
    is_split(path, "{\"parameter\": \"p\", \"is\": \"below\", \"value\": 13.0, \"verdict\": \"data\", \"here\": 9,"
                   " \"bounded_here\": 0, \"there\": 23, \"bounded_there\": 23}");
}

static void a_fast_trial_within_a_hundredth_of_the_best_is_named(void **state)
{
    struct err err = {0};
    const char *path = make_store(state, "trial", "0");
    free(stores_sql(path, "UPDATE trials SET value = 100 + trial * 0.1, seconds = 100 - trial"));
    free(stores_sql(path, "UPDATE progress SET best_trial = 1, best = 100.1"));
    free(stores_sql(
        path, "UPDATE trials SET ignored = 1 WHERE trial = 11; UPDATE trials SET infeasible = 1 WHERE trial = 10"));
    struct reader *reader = reader_open(path, &err);
    json_t *speed = reader ? reader_speed(reader, 1, &err) : NULL;
    fine(!speed, &err);
    same_json(json_incref(json_object_get(speed, "fastest")),
              json_loads("{\"trial\": 9, \"value\": 100.9, \"seconds\": 91.0, \"best_seconds\": 99.0}", 0, NULL));
    json_decref(speed);
    reader_close(reader);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_number_divides_below_and_above),
        IN_SCRATCH(a_name_divides_those_that_are_it_from_the_others),
        IN_SCRATCH(numbers_among_names_are_values_of_their_own),
        IN_SCRATCH(nothing_and_no_are_not_the_same),
        IN_SCRATCH(the_text_inf_is_a_name),
        IN_SCRATCH(a_parameter_that_says_nothing_is_not_named),
        IN_SCRATCH(names_beyond_256_are_one_without_a_name),
        IN_SCRATCH(rows_that_make_no_sense_are_on_no_side),
        IN_SCRATCH(a_fast_trial_within_a_hundredth_of_the_best_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
