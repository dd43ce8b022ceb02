/* A commit writes to the store and its WAL alone: it needs no room in /tmp. */
#include "tests/bad_disk.h"
#include "tests/claims.h"
#include "tests/stores.h"

#include "common/mem.h"

#include <stdlib.h>

/* As many runs as one statement ends, each on a page of its own: some 200 rows of runs that have not ended fill one. */
enum { ENDED = 16, APART = 256, TRIALS = ENDED * APART };

static void begin_trials(struct store *store)
{
    struct event *events = MEM_ARRAY(struct event, 2 * TRIALS);
    struct err err;
    for (uint64_t i = 0; i < TRIALS; i++) {
        events[i] = (struct event){.kind = EVENT_PROPOSED, .trial = 1 + i, .time = 1, .proposed = {.params = "{}"}};
        events[TRIALS + i] = (struct event){.kind = EVENT_LEASED, .trial = 1 + i, .attempt = 1, .worker = 7, .time = 2};
    }
    fine(store_write(store, events, 2 * TRIALS, &err), &err);
    free(events);
}

static void end_some(struct store *store)
{
    static const struct phase_time profile[PHASES_COUNT];
    struct event events[ENDED];
    struct err err;
    for (uint64_t i = 0; i < ENDED; i++)
        events[i] = (struct event){.kind = EVENT_RUN_ENDED,
                                   .trial = 1 + i * APART,
                                   .attempt = 1,
                                   .worker = 7,
                                   .time = 3,
                                   .run = {.ending = ENDING_COMPLETED, .detail = "", .tail = "", .profile = profile}};
    fine(store_write(store, events, ENDED, &err), &err);
}

static void a_statement_that_changes_many_pages_makes_no_file(void **state)
{
    store_close(stores_make(path_in(state, "first.db"))); /* what is said to SQLite counts before its first use */
    const char *path = path_in(state, "a.db");
    bad_disk_watch(path);
    struct store *store = stores_make(path);
    begin_trials(store);
    end_some(store);
    assert_int_equal(bad_disk_temporary(), 0);
    store_close(store);
    bad_disk_forget();
    char *ended = stores_sql(path, "SELECT count(*) FROM runs WHERE ending IS NOT NULL");
    assert_string_equal(ended, "16");
    free(ended);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_statement_that_changes_many_pages_makes_no_file, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
