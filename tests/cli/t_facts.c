/* Trials that a filter keeps are found page by page, in any order, and those that live come with them. */
#include "cli/data/facts.h"
#include "cli/status.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include <string.h>

enum { TRIALS = 4500 }; /* more than two pages */

static struct source *begin(void **state)
{
    struct err err = {""};
    struct rundir dir;
    struct source *source = NULL;
    struct event waits = {.kind = EVENT_PROPOSED, .trial = TRIALS + 1, .time = 1, .proposed = {.params = "{}"}};
    experiment_make(state, experiment_text, &dir);
    struct store *store = store_open(dir.store, &err);
    fine(!store || stores_write(store, 1, TRIALS, &err) || store_write(store, &waits, 1, &err), &err);
    store_close(store);
    fine(source_open_dir(&dir, &source, &err), &err);
    rundir_fini(&dir);
    return source;
}

struct visited {
    uint64_t numbers[TRIALS + 1];
    size_t count;
};

static int visit(void *context, json_t *trial, struct err *err)
{
    struct visited *visited = context;
    (void)err;
    assert_non_null(json_object_get(trial, "metrics")); /* all of it */
    visited->numbers[visited->count++] = (uint64_t)json_integer_value(json_object_get(trial, "trial"));
    return 0;
}

static void visits(struct source *source, const struct trial_query *query, const char *text, struct visited *out)
{
    struct err err = {""};
    int status;
    struct filter *filter = filter_open(source, text, &status, &err);
    fine(!filter, &err);
    out->count = 0;
    fine(facts_each_trial(source, query, filter, visit, out, &err), &err);
    filter_destroy(filter);
}

static void by_number_all_pages_are_looked_at(void **state)
{
    struct source *source = begin(state);
    static struct visited visited;
    visits(source, &(struct trial_query){0}, "trial == 2 or metric.loss == 2001 or seconds == -1 or trial == 4500",
           &visited);
    assert_int_equal(visited.count, 4);
    assert_int_equal(visited.numbers[0], 2);
    assert_int_equal(visited.numbers[1], 2001);
    assert_int_equal(visited.numbers[2], TRIALS);
    assert_int_equal(visited.numbers[3], TRIALS + 1); /* it waits: who visits it may know more */
    visits(source, &(struct trial_query){.state = TRIAL_COMPLETED + 1}, "trial > 4499", &visited);
    assert_int_equal(visited.count, 1);
    visits(source, &(struct trial_query){.after = 4000}, "trial < 4003", &visited);
    assert_int_equal(visited.count, 3);
    source_close(source);
}

static void in_an_order_they_come_in_it(void **state)
{
    struct source *source = begin(state);
    static struct visited visited;
    visits(source, &(struct trial_query){.order = "trial", .reverse = true}, "trial < 3 or trial > 2500", &visited);
    assert_int_equal(visited.count, 2 + TRIALS + 1 - 2500);
    for (size_t i = 1; i < visited.count; i++)
        assert_true(visited.numbers[i] < visited.numbers[i - 1]);
    visits(source, &(struct trial_query){.by_value = true}, "value == 3 or value == 4444", &visited);
    assert_int_equal(visited.numbers[0], 3);
    assert_int_equal(visited.numbers[1], 4444);
    assert_int_equal(visited.count, 3);
    source_close(source);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(by_number_all_pages_are_looked_at),
        CLAIM(in_an_order_they_come_in_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
