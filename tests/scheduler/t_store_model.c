/* The store against its model: whatever history is written, in groups of any size, with restarts anywhere, what is
 * recalled and read is what the model says. Each claim is tried on several seeds, which are printed when it breaks. */
#include "tests/claims.h"
#include "tests/test_metrics.h"
#include "tests/reference.h"
#include "tests/random_history.h"
#include "tests/stores.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 6, STEPS = 1200 };

/* A history that goes into a store and into the model. */
struct both {
    struct random_history *history;
    struct reference *reference;
    struct store *store;
    char *path;
    struct rng rng;
};

static struct both both_make(void **state, uint64_t seed)
{
    struct store_experiment experiment = {.name = "model",
                                          .spec = "",
                                          .metrics = seed % 2 ? metrics_max : metrics_min,
                                          .strategy = "random",
                                          .parameters = "[]",
                                          .seed = seed};
    struct err err;
    char name[32];
    snprintf(name, sizeof name, "%u.db", (unsigned)seed);
    struct both both = {.history = random_history_create(seed),
                        .reference = reference_create(seed % 2),
                        .path = mem_text(path_in(state, name)),
                        .rng = rng_make(seed, "groups", 0)};
    both.store = store_make(both.path, &experiment, &err);
    fine(!both.store, &err);
    return both;
}

static void both_fini(struct both *both)
{
    store_close(both->store);
    random_history_destroy(both->history);
    reference_destroy(both->reference);
    unlink(both->path);
    free(both->path);
}

/* Writes the next few events in one group; how many. */
static size_t write_some(struct both *both)
{
    enum { MOST = 40 };
    struct event events[MOST];
    struct err err;
    size_t count = 1 + rng_below(&both->rng, rng_below(&both->rng, 4) ? 5 : MOST);
    for (size_t i = 0; i < count; i++) {
        events[i] = random_history_next(both->history);
        reference_take(both->reference, &events[i]);
    }
    fine(store_write(both->store, events, count, &err), &err);
    for (size_t i = 0; i < count; i++)
        event_fini(&events[i]);
    return count;
}

/* --- what is recalled --- */

static void same_real(double a, double b)
{
    assert_true(a == b || (isnan(a) && isnan(b)));
}

static void same_seen(const struct memory_seen *a, const struct memory_seen *b)
{
    assert_int_equal(!a, !b);
    for (int i = 0; a && i < 2; i++) { /* of the objective, and of before an attempt began anew */
        assert_int_equal(a[i].any, b[i].any);
        assert_int_equal(a[i].step, b[i].step);
        same_real(a[i].last, b[i].last);
        same_real(a[i].min, b[i].min);
        same_real(a[i].max, b[i].max);
    }
}

static void same_trial(const struct memory_trial *a, const struct memory_trial *b)
{
    assert_int_equal(a->trial, b->trial);
    assert_string_equal(a->params, b->params);
    assert_true(a->proposed == b->proposed);
    assert_int_equal(a->attempts, b->attempts);
    assert_int_equal(a->failures, b->failures);
    assert_int_equal(a->losses, b->losses);
    assert_int_equal(a->running, b->running);
    assert_int_equal(a->attempt, b->attempt);
    assert_int_equal(a->worker, b->worker);
    assert_int_equal(a->slot, b->slot);
    assert_int_equal(a->resumed, b->resumed);
    assert_true(a->cut == b->cut);
    assert_int_equal(a->said, b->said);
    same_seen(a->seen, b->seen);
    assert_int_equal(a->run_count, b->run_count);
    for (uint32_t i = 0; i < a->run_count; i++) {
        assert_int_equal(a->runs[i].attempt, b->runs[i].attempt);
        assert_int_equal(a->runs[i].worker, b->runs[i].worker);
    }
}

static const struct memory_worker *find_worker(const struct memory *memory, uint64_t number)
{
    for (uint32_t i = 0; i < memory->worker_count; i++)
        if (memory->workers[i].worker == number)
            return &memory->workers[i];
    fail_msg("a worker is missing");
    return NULL;
}

static void same_memory(const struct memory *a, const struct memory *b)
{
    assert_int_equal(a->session, b->session);
    assert_int_equal(a->idle, b->idle);
    assert_int_equal(a->next_trial, b->next_trial);
    assert_int_equal(a->tells, b->tells);
    assert_memory_equal(a->tally.ended, b->tally.ended, sizeof a->tally.ended);
    assert_int_equal(a->tally.has_best, b->tally.has_best);
    assert_int_equal(a->tally.best_trial, b->tally.best_trial);
    assert_true(a->tally.best == b->tally.best);
    assert_true(a->held == b->held);
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->trial_count, b->trial_count);
    for (uint32_t i = 0; i < a->trial_count; i++)
        same_trial(&a->trials[i], &b->trials[i]);
    assert_int_equal(a->worker_count, b->worker_count);
    for (uint32_t i = 0; i < a->worker_count; i++) {
        const struct memory_worker *worker = find_worker(b, a->workers[i].worker);
        assert_string_equal(a->workers[i].node, worker->node);
        assert_int_equal(a->workers[i].pid, worker->pid);
        assert_int_equal(a->workers[i].job.job, worker->job.job);
        assert_int_equal(a->workers[i].job.element, worker->job.element);
        assert_int_equal(a->workers[i].job_ended, worker->job_ended);
        assert_int_equal(a->workers[i].ending, worker->ending);
    }
    assert_int_equal(a->duration_count, b->duration_count);
    for (uint32_t i = 0; i < a->duration_count; i++) {
        assert_string_equal(a->durations[i].params, b->durations[i].params);
        assert_true(a->durations[i].seconds == b->durations[i].seconds);
    }
}

static void recall(struct both *both)
{
    struct memory recalled, expected;
    struct err err;
    fine(store_recall(both->store, &recalled, &err), &err);
    reference_recall(both->reference, &expected);
    same_memory(&recalled, &expected);
    memory_fini(&recalled);
    memory_fini(&expected);
}

static void what_is_recalled_is_the_reference_of_what_was_written(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        recall(&both);
        for (size_t steps = 0; steps < STEPS;) {
            steps += write_some(&both);
            recall(&both);
        }
        both_fini(&both);
    }
}

static void a_store_that_is_closed_and_opened_recalls_the_same(void **state)
{
    struct err err;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        for (int sessions = 0; sessions < 10; sessions++) {
            for (size_t steps = 0; steps < 100;)
                steps += write_some(&both);
            store_close(both.store);
            both.store = store_open(both.path, &err);
            fine(!both.store, &err);
            recall(&both);
        }
        both_fini(&both);
    }
}

/* --- what is read --- */

static void every_trial_is_read_as_it_was_written(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        for (size_t steps = 0; steps < STEPS;)
            steps += write_some(&both);
        struct err err;
        struct reader *reader = reader_open(both.path, &err);
        fine(!reader, &err);
        json_t *all = json_array();
        for (uint64_t trial = 1; trial <= reference_trials(both.reference); trial++) {
            json_array_append_new(all, reference_trial(both.reference, trial));
            json_t *show = reader_show(reader, trial, &err);
            fine(!show, &err);
            same_json(show, reference_show(both.reference, trial));
        }
        json_t *trials = reader_trials(reader, &(struct trial_query){0}, &err);
        fine(!trials, &err);
        same_json(trials, all);
        reader_close(reader);
        both_fini(&both);
    }
}

/* Takes a number out of an object. */
static double take_number(json_t *json, const char *member)
{
    double number = json_number_value(json_object_get(json, member));
    json_object_del(json, member);
    return number;
}

/* The wasted seconds are summed in another order. */
static void same_faults(json_t *found, json_t *expected)
{
    size_t index;
    json_t *ending;
    double wasted = take_number(found, "wasted_seconds");
    assert_true(fabs(wasted - take_number(expected, "wasted_seconds")) <= 1e-9 * fmax(wasted, 1));
    json_object_del(found, "wasted");
    json_object_del(found, "workers");
    json_array_foreach(json_object_get(found, "endings"), index, ending) json_object_del(ending, "seconds");
    same_json(found, expected);
}

static void jobs_and_what_went_wrong_are_read_as_they_were_written(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        struct err err;
        for (size_t steps = 0; steps < STEPS;) {
            steps += write_some(&both);
            json_t *faults = reader_faults(store_reader(both.store), &err);
            fine(!faults, &err);
            same_faults(faults, reference_faults(both.reference));
        }
        both_fini(&both);
    }
}

static void same_standing(struct reader *reader, const struct reference *reference)
{
    struct snapshot snapshot, expected;
    struct err err;
    fine(reader_snapshot(reader, &snapshot, &err), &err);
    reference_snapshot(reference, &expected);
    same_json(snapshot_encode(&snapshot), snapshot_encode(&expected));
    json_t *best = reader_best(reader, &err);
    fine(!best, &err);
    same_json(best, expected.has_best ? reference_trial(reference, expected.best_trial) : json_null());
    snapshot_fini(&snapshot);
}

static void the_snapshot_and_the_best_trial_follow_every_commit(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        struct err err;
        struct reader *beside = reader_open(both.path, &err);
        fine(!beside, &err);
        for (size_t steps = 0; steps < STEPS / 4;) {
            same_standing(beside, both.reference);
            same_standing(store_reader(both.store), both.reference);
            steps += write_some(&both);
        }
        reader_close(beside);
        both_fini(&both);
    }
}

/* --- replay --- */

static int see_proposal(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                        struct err *err)
{
    (void)err;
    buf_format(context, "propose %u after %u: %s %d\n", (unsigned)trial, (unsigned)told_before, params, from_start);
    return 0;
}

static int see_tell(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)err;
    buf_format(context, "tell %u: %s %d %.17g %.17g\n", (unsigned)tell->trial, ending_name(tell->ending),
               tell->has_value, tell->value, tell->seconds);
    return 0;
}

static void replay_visits_proposals_and_tells_as_they_happened(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        print_message("# seed %u\n", (unsigned)seed);
        struct both both = both_make(state, seed);
        struct buf seen = {0}, expected = {0};
        struct err err;
        for (size_t steps = 0; steps < STEPS;)
            steps += write_some(&both);
        fine(reader_replay(store_reader(both.store),
                           &(struct replay_visitor){&seen, see_proposal, see_tell, NULL, NULL, NULL}, &err),
             &err);
        reference_replay(both.reference, &expected);
        assert_string_equal(buf_str(&seen), buf_str(&expected));
        buf_fini(&seen);
        buf_fini(&expected);
        both_fini(&both);
    }
}

static int refuse(void *context, uint64_t trial, const char *params, uint64_t told_before, bool from_start,
                  struct err *err)
{
    (void)params;
    (void)told_before;
    (void)from_start;
    ++*(int *)context;
    return trial == 3 ? err_set(err, "trial 3 is not liked") : 0;
}

static int accept(void *context, const struct replay_tell *tell, struct err *err)
{
    (void)context, (void)tell, (void)err;
    return 0;
}

static void replay_ends_where_a_visit_fails_and_can_be_begun_anew(void **state)
{
    struct both both = both_make(state, 1);
    struct reader *reader = store_reader(both.store);
    for (size_t steps = 0; steps < 200;)
        steps += write_some(&both);
    for (int i = 0; i < 2; i++) {
        struct err err = {0};
        int proposals = 0;
        assert_int_equal(
            reader_replay(reader, &(struct replay_visitor){&proposals, refuse, accept, NULL, NULL, NULL}, &err), -1);
        assert_int_equal(proposals, 3);
        assert_string_equal(err.text, "trial 3 is not liked");
    }
    write_some(&both);
    both_fini(&both);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_recalled_is_the_reference_of_what_was_written, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_store_that_is_closed_and_opened_recalls_the_same, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(every_trial_is_read_as_it_was_written, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(jobs_and_what_went_wrong_are_read_as_they_were_written, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(the_snapshot_and_the_best_trial_follow_every_commit, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(replay_visits_proposals_and_tells_as_they_happened, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(replay_ends_where_a_visit_fails_and_can_be_begun_anew, enter_scratch,
                                        leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
