/* What runs counted, as a text in the store: written, read back, and damaged. */
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "scheduler/store/counted.h"
#include "scheduler/store/write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- versions --- */

static void counters_come_back_as_they_were_counted(void **state)
{
    (void)state;
    char text[COUNTED_BYTES];
    struct run_counters counters, read;
    run_counters_clear(&counters);
    assert_null(counted_encode(&counters, text));
    assert_null(counted_encode(NULL, text));
    counters.values[COUNT_SYSTEM] = 0.25;
    counters.values[COUNT_MAJOR_FAULTS] = 0;
    assert_string_equal(counted_encode(&counters, text), "[null,250000,null,null,null,0]");
    counted_decode(text, &read);
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        assert_true(read.values[i] == counters.values[i] || (isnan(read.values[i]) && isnan(counters.values[i])));
    for (int i = 0; i < RUN_COUNTERS_COUNT; i++)
        counters.values[i] = RUN_COUNTER_MOST / run_counter_scale((enum run_counter)i);
    assert_true(strlen(counted_encode(&counters, text)) < COUNTED_BYTES);
    counted_decode(text, &read);
    enum run_counter last = RUN_COUNTERS_COUNT - 1;
    assert_true(read.values[last] == RUN_COUNTER_MOST / run_counter_scale(last));
}

static void a_damaged_text_of_counters_is_read_as_far_as_it_goes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        NULL, "", "[", "[]", "[,", "[1", "x", "[1,-3,x,99999999999999999999999", "[[1,2]]", "[1.5e9,null", "[1}{2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct run_counters read;
        counted_decode(texts[i], &read);
        for (int k = 0; k < RUN_COUNTERS_COUNT; k++)
            assert_true(isnan(read.values[k]) || run_counter_is_sane((enum run_counter)k, read.values[k]));
    }
}

static void what_a_hostile_worker_can_not_count_breaks_no_view(void **state)
{
    static const char *const said[] = {"", "nonsense", "[1]", "{\"user\":5,\"joy\":\"none\"}",
                                       "{\"user\":\"so it is\",\"joy\":\"none\"}"};
    struct err err;
    char *path = mem_text(path_in(state, "a.db"));
    struct store *store = stores_make(path);
    for (uint32_t i = 0; i < sizeof said / sizeof *said; i++) {
        struct event event = {.kind = EVENT_WORKER,
                              .worker = i + 1,
                              .hello = {.node = "n", .version = "1", .machine = "m", .pid = 1, .uncounted = said[i]}};
        fine(store_write(store, &event, 1, &err), &err);
    }
    store_close(store);
    char *text = stores_sql(path, "SELECT group_concat(worker || counter || why) FROM v_uncounted");
    assert_string_equal(text, "5userso it is");
    free(text);
    free(path);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        IN_SCRATCH(counters_come_back_as_they_were_counted),
        IN_SCRATCH(a_damaged_text_of_counters_is_read_as_far_as_it_goes),
        IN_SCRATCH(what_a_hostile_worker_can_not_count_breaks_no_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
