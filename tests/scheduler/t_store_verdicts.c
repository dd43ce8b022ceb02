/* What is read of a store about what bounded its runs: joules by verdict, damaged counters, and phases. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "scheduler/store/counted.h"
#include "scheduler/verdict/verdict.h"

#include <math.h>
#include <stdlib.h>

static void has_joules(const json_t *verdict, double joules, double lost, int runs)
{
    assert_int_equal(json_integer_value(json_object_get(verdict, "joules_runs")), runs);
    assert_float_equal(json_number_value(json_object_get(verdict, "joules")), joules, 1e-9);
    assert_float_equal(json_number_value(json_object_get(verdict, "joules_lost")), lost, 1e-9);
}

/* Of ten runs that waited for data a quarter of the time four know their joules, of one that computed it is not known.
 */
static void joules_are_summed_by_what_bounded_the_runs(void **state)
{
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    struct run_counters counters;
    char text[COUNTED_BYTES], sql[COUNTED_BYTES + 400];
    run_counters_clear(&counters);
    counters.values[COUNT_ENERGY_PROCESSORS] = 3;
    counters.values[COUNT_ENERGY_GPUS] = 1.5;
    fine(stores_write(store, 1, 11, &err), &err);
    store_close(store);
    snprintf(sql, sizeof sql,
             "UPDATE runs SET verdict = %d, figure = 0.25, seconds = 2, counters = CASE WHEN trial < 5 THEN '%s' END;"
             " UPDATE runs SET verdict = %d, figure = 1, seconds = 1 WHERE trial = 11",
             VERDICT_DATA, counted_encode(&counters, text), VERDICT_COMPUTING);
    free(stores_sql(path, sql));
    struct reader *reader = reader_open(path, &err);
    json_t *verdicts = reader_verdicts(reader, 1, &err);
    has_joules(json_array_get(verdicts, 0), 18, 4.5, 4);
    assert_true(json_is_null(json_object_get(json_array_get(verdicts, 1), "joules")));
    assert_int_equal(json_integer_value(json_object_get(json_array_get(verdicts, 1), "joules_runs")), 0);
    json_decref(verdicts);
    reader_close(reader);
}

/* Joules of runs whose counters are damaged are not known, and nothing else suffers. */
static void damaged_counters_are_not_known(void **state)
{
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 2, &err), &err);
    store_close(store);
    free(stores_sql(path, "UPDATE runs SET verdict = 1, figure = 0.5, seconds = 1, counters = 'x'"));
    struct reader *reader = reader_open(path, &err);
    json_t *verdicts = reader_verdicts(reader, 1, &err), *row = json_array_get(verdicts, 0);
    fine(!verdicts, &err);
    assert_int_equal(json_integer_value(json_object_get(row, "runs")), 2);
    assert_true(json_is_null(json_object_get(row, "joules")));
    json_decref(verdicts);
    reader_close(reader);
}

/* Each of 300 runs has a phase of its own, of a second: 255 keep their names. Two have it in common, and a damaged one
 * has none. */
static void phases_that_programs_name_without_end_are_summed_as_others(void **state)
{
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 303, &err), &err);
    store_close(store);
    free(stores_sql(path, "UPDATE runs SET profile = '[[\"p' || trial || '\",1000000000,1]]';"
                          "UPDATE runs SET profile = '[[\"p1\",1000000000,1]]' WHERE trial IN (301, 302);"
                          "UPDATE runs SET profile = '[[\"p303\",' WHERE trial = 303"));
    struct reader *reader = reader_open(path, &err);
    json_t *phases = reader_phases(reader, 1, &err), *first = json_array_get(phases, 0),
           *last = json_array_get(phases, 255);
    fine(!phases, &err);
    assert_int_equal(json_array_size(phases), 256);
    assert_string_equal(json_string_value(json_object_get(first, "phase")), "p1");
    assert_float_equal(json_number_value(json_object_get(first, "seconds")), 3, 1e-9);
    assert_string_equal(json_string_value(json_object_get(last, "phase")), "others");
    assert_float_equal(json_number_value(json_object_get(last, "seconds")), 45, 1e-9);
    assert_true(fabs(json_number_value(json_object_get(last, "share")) - 45. / 302) < 1e-9);
    json_decref(phases);
    reader_close(reader);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(joules_are_summed_by_what_bounded_the_runs),
        IN_SCRATCH(damaged_counters_are_not_known),
        IN_SCRATCH(phases_that_programs_name_without_end_are_summed_as_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
