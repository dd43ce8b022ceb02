/* Questions that are read from the store by the name of a function: what they may ask for at once. */
#include "tests/claims.h"
#include "tests/stores.h"
#include "scheduler/coordinator/query.h"

#include <stdlib.h>

static json_t *numbers_of(int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(1));
    return list;
}

/* However many rows somebody names, the store's thread is not kept from the others. */
static void more_rows_than_anybody_needs_at_once_are_refused(void **state)
{
    static const struct {
        const char *function;
        int most;
    } cases[] = {{"trials", 2000}, {"workers", 2000}, {"trends", 2000}, {"params", 20000}};
    struct err err;
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, 1, &err), &err);
    store_close(store);
    struct reader *reader = stores_read(path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int over = 0; over < 2; over++) {
            json_t *question = json_pack("{s:s, s:o, s:i}", "function", cases[i].function, "numbers",
                                         numbers_of(cases[i].most + over), "limit", 1);
            json_t *answer = read_run(reader, question, &err);
            assert_int_equal(answer == NULL, over);
            if (over)
                assert_has(err.text, "at once");
            json_decref(answer);
            json_decref(question);
        }
    reader_close(reader);
}

/* Nobody has the coordinator make an answer that no message could carry. */
static void what_is_asked_for_without_end_ends(void **state)
{
    enum { TRIALS = 5001 };
    struct err err = {""};
    const char *path = path_in(state, "a.db");
    struct store *store = stores_make(path);
    fine(stores_write(store, 1, TRIALS, &err), &err);
    store_close(store);
    struct reader *reader = stores_read(path);
    json_t *question = json_pack("{s:s}", "function", "trials"), *answer = read_run(reader, question, &err);
    assert_int_equal(json_array_size(answer), TRIALS - 1);
    json_decref(answer);
    json_object_set_new(question, "limit", json_integer(1000000));
    answer = read_run(reader, question, &err);
    assert_int_equal(json_array_size(answer), TRIALS - 1);
    json_decref(answer);
    json_decref(question);
    question = json_pack("{s:s, s:i, s:i}", "function", "spans", "after", 5, "last", 1000000);
    assert_null(read_run(reader, question, &err));
    assert_has(err.text, "at most 20000 trials at once");
    json_decref(question);
    reader_close(reader);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_asked_for_without_end_ends, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(more_rows_than_anybody_needs_at_once_are_refused, enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
