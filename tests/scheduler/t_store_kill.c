/* A writer that is killed at any moment: what it reported as committed is there, and nothing in half. */
#include "tests/claims.h"
#include "tests/reference.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include "common/mem.h"
#include "common/rng.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 12 };

/* A history in groups of events. Parent and child have the same one, and make the same groups of it. */
struct groups {
    struct random_history *history;
    struct rng rng;
    struct event events[MOST];
    size_t count;
};

static void make_group(struct groups *groups)
{
    groups->count = 1 + rng_below(&groups->rng, MOST);
    for (size_t i = 0; i < groups->count; i++)
        groups->events[i] = random_history_next(groups->history);
}

static void drop_group(struct groups *groups)
{
    while (groups->count)
        event_fini(&groups->events[--groups->count]);
}

/* The child: writes group after group, and reports each that was committed with one byte. Never returns. */
static void write_until_killed(const char *path, struct groups *groups, int report)
{
    struct err err;
    struct store *store = store_open(path, &err);
    while (store) {
        make_group(groups);
        if (store_write(store, groups->events, groups->count, &err) || write(report, "", 1) != 1)
            break;
        drop_group(groups);
    }
    _exit(1);
}

/* Lets a child write until so many reports came, kills it; how many reports came in all. */
static unsigned run_and_kill(const char *path, struct groups *groups, unsigned wanted)
{
    int pipes[2];
    char byte;
    unsigned reports = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_until_killed(path, groups, pipes[1]);
    close(pipes[1]);
    while (reports < wanted && read(pipes[0], &byte, 1) == 1)
        reports++;
    kill(child, SIGKILL);
    while (read(pipes[0], &byte, 1) == 1)
        reports++;
    close(pipes[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    return reports;
}

static bool is_same(struct reader *reader, const struct reference *reference)
{
    struct err err;
    json_t *got = reader_trials(reader, &(struct trial_query){0}, &err), *expected = json_array();
    fine(!got, &err);
    for (uint64_t trial = 1; trial <= reference_trials(reference); trial++)
        json_array_append_new(expected, reference_trial(reference, trial));
    bool same = json_equal(got, expected);
    json_decref(got);
    json_decref(expected);
    return same;
}

static void take_group(struct groups *groups, struct reference *reference)
{
    make_group(groups);
    for (size_t i = 0; i < groups->count; i++)
        reference_take(reference, &groups->events[i]);
    drop_group(groups);
}

/* A second reader looks before any writer has opened the store again: it sees what the WAL has. */
static void check(const char *path, struct groups *groups, struct reference *reference, unsigned reports)
{
    struct reader *reader = stores_read(path);
    while (reports--)
        take_group(groups, reference);
    if (!is_same(reader, reference)) {
        take_group(groups, reference); /* it was committed, and the report did not come any more */
        assert_true(is_same(reader, reference));
    }
    reader_close(reader);
    char *sound = stores_sql(path, "PRAGMA integrity_check");
    assert_string_equal(sound, "ok");
    free(sound);
}

static void what_was_reported_as_committed_survives_the_killing_of_its_writer(void **state)
{
    enum { ROUNDS = 60, MOST_REPORTS = 25 };
    char *path = mem_text(path_in(state, "a.db"));
    store_close(stores_make(path));
    struct groups groups = {.history = random_history_create(11), .rng = rng_make(11, "groups", 0)};
    struct reference *reference = reference_create(false);
    struct rng rng = rng_make(11, "kills", 0);
    for (int round = 0; round < ROUNDS; round++) {
        unsigned reports = run_and_kill(path, &groups, (unsigned)rng_below(&rng, MOST_REPORTS));
        check(path, &groups, reference, reports);
    }
    assert_true(reference_trials(reference) > ROUNDS);
    reference_destroy(reference);
    random_history_destroy(groups.history);
    free(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_reported_as_committed_survives_the_killing_of_its_writer,
                                        enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
