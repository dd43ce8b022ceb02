/* What filters read of very many trials is what the trials themselves say. */
#include "scheduler/store/reader.h"
#include "tests/claims.h"
#include "tests/full_store.h"
#include "tests/stores.h"

#include <string.h>

static const char *const members[] = {"reason", "attempts", "params",  "value",  "started",  "ended",   "seconds",
                                      "node",   "slot",     "cpus",    "gpus",   "feasible", "job",     "ignored",
                                      "added",  "nodes",    "verdict", "figure", "step",     "metrics", "profile"};
enum { MEMBERS = sizeof members / sizeof *members };

static json_t *names(size_t first, size_t count)
{
    json_t *list = json_array();
    for (size_t i = first; i < first + count; i++)
        json_array_append_new(list, json_string(members[i]));
    return list;
}

/* Takes over the members' names. */
static json_t *facts(struct reader *reader, json_t *wanted, struct facts_query query)
{
    struct err err = {""};
    query.members = wanted;
    query.limit = query.limit ? query.limit : 1000;
    json_t *list = reader_facts(reader, &query, &err);
    fine(!list, &err);
    json_decref(wanted);
    return list;
}

/* Of phases the seconds alone. */
static json_t *in_short(const json_t *profile)
{
    json_t *out = json_object(), *times;
    const char *name;
    json_object_foreach((json_t *)profile, name, times)
        json_object_set_new(out, name, json_pack("{s:O}", "seconds", json_object_get(times, "seconds")));
    return out;
}

static void same_member(const json_t *trial, const json_t *fact, const char *name)
{
    json_t *expected = json_object_get(trial, name), *got = json_object_get(fact, name);
    assert_non_null(got);
    assert_non_null(expected);
    same_json(json_incref(got), strcmp(name, "profile") == 0 ? in_short(expected) : json_incref(expected));
}

static void each_member_is_as_the_trial_has_it(void **state)
{
    struct err err = {""};
    struct store *store = full_store_make(path_in(state, "a.db"));
    struct reader *reader = store_reader(store);
    json_t *trials = reader_trials(reader, &(struct trial_query){0}, &err), *trial;
    json_t *all = facts(reader, names(0, MEMBERS), (struct facts_query){0});
    size_t index;
    assert_true(json_array_size(trials) > 1);
    assert_int_equal(json_array_size(all), json_array_size(trials));
    json_array_foreach(trials, index, trial)
    {
        const json_t *fact = json_array_get(all, index);
        same_member(trial, fact, "trial");
        same_member(trial, fact, "state");
        for (size_t i = 0; i < MEMBERS; i++)
            same_member(trial, fact, members[i]);
    }
    json_decref(trials);
    json_decref(all);
    store_close(store);
}

static void what_is_not_wanted_does_not_come(void **state)
{
    struct store *store = full_store_make(path_in(state, "a.db"));
    struct reader *reader = store_reader(store);
    for (size_t i = 0; i < MEMBERS; i++) {
        json_t *list = facts(reader, names(i, 1), (struct facts_query){0});
        bool has_metrics = json_object_get(json_array_get(list, 0), "metrics") != NULL;
        assert_non_null(json_object_get(json_array_get(list, 0), members[i]));
        assert_int_equal(has_metrics, strcmp(members[i], "metrics") == 0 || strcmp(members[i], "step") == 0);
        assert_true(has_metrics || json_object_size(json_array_get(list, 0)) == 3); /* trial and state beside it */
        json_decref(list);
    }
    store_close(store);
}

static void they_come_in_pages_and_of_lists(void **state)
{
    struct err err = {""};
    struct store *store = stores_make(path_in(state, "a.db"));
    struct reader *reader = store_reader(store);
    fine(stores_write(store, 1, 5, &err), &err);
    same_json(facts(reader, names(3, 1), (struct facts_query){.after = 2, .limit = 2}),
              json_loads("[{\"trial\": 3, \"state\": \"completed\", \"value\": 3.0},"
                         " {\"trial\": 4, \"state\": \"completed\", \"value\": 4.0}]",
                         0, NULL));
    json_t *numbers = json_pack("[i, i, i]", 5, 99, 1);
    same_json(facts(reader, names(3, 1), (struct facts_query){.numbers = numbers}),
              json_loads("[{\"trial\": 5, \"state\": \"completed\", \"value\": 5.0},"
                         " {\"trial\": 1, \"state\": \"completed\", \"value\": 1.0}]",
                         0, NULL));
    json_decref(numbers);
    store_close(store);
}

#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, leave_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM(each_member_is_as_the_trial_has_it),
        CLAIM(what_is_not_wanted_does_not_come),
        CLAIM(they_come_in_pages_and_of_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
