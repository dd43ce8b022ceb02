/* Rungs of early stopping: who waits at each is named, at the cost of looking at each trial that waits once. */
#include "cli/fetch/rungs.h"
#include "tests/claims.h"

enum { WAITING = 5000 };

/* Trials 1 to WAITING, each at the rung that its number gives, the last ones first. */
static void fill(struct rungs *rungs, size_t count)
{
    *rungs = (struct rungs){.count = count};
    for (uint64_t trial = WAITING; trial >= 1; trial--) {
        struct rung_looks *rung = &rungs->items[trial % count];
        rung->step = trial % count + 1;
        rung->waiting++;
        map_put(&rungs->paused, trial, (char *)rungs + (trial % count) + 1);
    }
}

static void the_first_that_wait_at_each_rung_are_named_in_order(void **state)
{
    (void)state;
    struct rungs rungs;
    fill(&rungs, 3);
    json_t *list = rungs_json(&rungs);
    assert_int_equal(json_array_size(list), 3);
    for (size_t i = 0; i < 3; i++) {
        json_t *who = json_object_get(json_array_get(list, i), "who");
        assert_int_equal(json_array_size(who), RUNG_NAMED);
        for (size_t j = 0; j < RUNG_NAMED; j++)
            assert_int_equal(json_integer_value(json_array_get(who, j)), i ? i + 3 * j : 3 + 3 * j);
    }
    json_decref(list);
    rungs_fini(&rungs);
}

static void however_many_rungs_each_trial_is_looked_at_once(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 7, RUNGS_MOST};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct rungs rungs;
        struct rung_waiting waiting[RUNGS_MOST];
        fill(&rungs, counts[i]);
        assert_int_equal(rungs_name_waiting(&rungs, waiting), WAITING);
        for (size_t j = 0; j < counts[i]; j++)
            assert_int_equal(waiting[j].count, RUNG_NAMED);
        rungs_fini(&rungs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_that_wait_at_each_rung_are_named_in_order),
        cmocka_unit_test(however_many_rungs_each_trial_is_looked_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
