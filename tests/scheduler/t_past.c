/* Trials that somebody else ran, in the store of an experiment that is made for them. */
#include "scheduler/session/past.h"
#include "tests/claims.h"
#include "tests/experiment.h"
#include "tests/stores.h"

#include <math.h>
#include <stdlib.h>

static const char two_metrics[] = "version: 1\n"
                                  "name: taken-over\n"
                                  "trial: {kernel: synth, options: {function: branin}}\n"
                                  "metric:\n"
                                  "  - {name: loss, goal: minimize}\n"
                                  "  - {name: size, goal: minimize}\n"
                                  "parameters:\n"
                                  "  x1: {min: -5.0, max: 10.0}\n"
                                  "  x2: {min: 0.0, max: 15.0}\n"
                                  "limits: {max_trials: 20}\n";

/* An experiment of trials that others ran, in SCRATCH/run. */
struct taken {
    struct spec *spec;
    struct rundir dir;
    struct past *past;
    struct err err;
};

static void begin(void **state, struct taken *taken)
{
    *taken = (struct taken){.spec = experiment_spec(state, two_metrics)};
    rundir_name(path_in(state, "run"), &taken->dir);
    taken->past = past_create(&taken->dir, taken->spec, "another tool", &taken->err);
    fine(!taken->past, &taken->err);
}

static void taken_fini(struct taken *taken)
{
    past_destroy(taken->past);
    spec_destroy(taken->spec);
    rundir_fini(&taken->dir);
}

static json_t *json_of(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

/* Adds a trial with these values; `steps` may be NULL. */
static void add(struct taken *taken, enum ending ending, const char *detail, double loss, double size,
                const char *params, const char *steps)
{
    json_t *point = json_of(params), *way = steps ? json_of(steps) : NULL;
    const double values[] = {loss, size};
    struct past_trial trial = {.params = point,
                               .ending = ending,
                               .detail = detail,
                               .values = values,
                               .started = 1000,
                               .seconds = 40,
                               .steps = way};
    fine(past_add(taken->past, &trial, &taken->err), &taken->err);
    json_decref(point);
    json_decref(way);
}

/* Ends it and gives up the lock, so that anybody may look. */
static void end(struct taken *taken)
{
    fine(past_end(taken->past, &taken->err), &taken->err);
    past_destroy(taken->past);
    taken->past = NULL;
}

/* The store says this of it. */
static void stored(const struct taken *taken, const char *sql, const char *expected)
{
    char *got = stores_sql(taken->dir.store, sql);
    assert_string_equal(got, expected);
    free(got);
}

static void what_others_ran_is_an_experiment_that_has_ended(void **state)
{
    struct taken taken;
    struct snapshot snapshot;
    begin(state, &taken);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    add(&taken, ENDING_REPORTED, "no memory", NAN, NAN, "{\"x1\": 2.0, \"x2\": 2.0}", NULL);
    add(&taken, ENDING_COMPLETED, NULL, 2, 9, "{\"x1\": 3.0, \"x2\": 2.0}", NULL);
    end(&taken);
    struct reader *reader = reader_open(taken.dir.store, &taken.err);
    fine(!reader || reader_snapshot(reader, &snapshot, &taken.err), &taken.err);
    assert_int_equal(snapshot.state, EXPERIMENT_ENDED);
    assert_int_equal(snapshot.reason, REASON_MAX_TRIALS);
    assert_int_equal(snapshot.trials[TRIAL_COMPLETED], 2);
    assert_int_equal(snapshot.trials[TRIAL_FAILED], 1);
    snapshot_fini(&snapshot);
    reader_close(reader);
    stored(&taken, "SELECT detail FROM trials WHERE trial = 2", "no memory");
    taken_fini(&taken);
}

static void a_value_that_is_none_makes_a_trial_diverge_and_says_which_metric_it_was(void **state)
{
    struct taken taken;
    begin(state, &taken);
    add(&taken, ENDING_COMPLETED, NULL, NAN, 7, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    add(&taken, ENDING_COMPLETED, NULL, 1, INFINITY, "{\"x1\": 1.5, \"x2\": 2.0}", NULL);
    add(&taken, ENDING_COMPLETED, "as told", 1, NAN, "{\"x1\": 1.75, \"x2\": 2.0}", NULL);
    end(&taken);
    stored(
        &taken,
        "SELECT group_concat(reason || ':' || coalesce(detail, '-'), ' ') FROM (SELECT * FROM v_trials ORDER BY trial)",
        "diverged:- diverged:the metric is 'size' diverged:as told");
    taken_fini(&taken);
}

static void steps_are_samples_of_the_first_metric_within_its_time(void **state)
{
    struct taken taken;
    begin(state, &taken);
    add(&taken, ENDING_STOPPED_EARLY, NULL, 0.5, NAN, "{\"x1\": 1.0, \"x2\": 2.0}",
        "[[10, 3.0], [-1, 9.0], [20, \"nan\"], [30, 1], [40, \"text\"]]");
    end(&taken);
    stored(&taken,
           "SELECT group_concat(metric || ' ' || step || ' ' || coalesce(value, 'none') || ' ' || round(time, 1), ', "
           "') FROM"
           " (SELECT * FROM v_metrics ORDER BY number)",
           "loss 10 3.0 6.7, loss 30 1.0 26.7, loss 30 0.5 40.0");
    taken_fini(&taken);
}

/* A configuration of the space is written as the space writes it; one that is none is kept as it was. */
static void a_configuration_outside_the_space_is_kept_as_it_was(void **state)
{
    struct taken taken;
    begin(state, &taken);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x2\": 2, \"x1\": 1}", NULL);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x2\": 2, \"x1\": 100, \"old\": \"yes\"}", NULL);
    end(&taken);
    stored(&taken, "SELECT params FROM trials WHERE trial = 1", "{\"x1\": 1.0, \"x2\": 2.0}");
    stored(&taken, "SELECT params FROM trials WHERE trial = 3", "{\"x2\":2,\"x1\":100,\"old\":\"yes\"}");
    stored(&taken, "SELECT count(DISTINCT fingerprint) FROM trials", "2");
    taken_fini(&taken);
}

static void a_trial_has_the_dates_that_it_had(void **state)
{
    struct taken taken;
    begin(state, &taken);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    end(&taken);
    stored(&taken, "SELECT started || ' ' || seconds || ' ' || ended FROM v_trials",
           "1970-01-01T00:16:40.000Z 40.0 1970-01-01T00:17:20.000Z");
    taken_fini(&taken);
}

/* So many that they are written in several commits; numbered as they came. */
static void many_trials_are_all_written(void **state)
{
    enum { MANY = 3000 };
    struct taken taken;
    begin(state, &taken);
    for (int i = 1; i <= MANY; i++)
        add(&taken, ENDING_COMPLETED, NULL, i, MANY - i, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    end(&taken);
    stored(&taken,
           "SELECT count(*) || ' ' || min(trial) || ' ' || max(trial) || ' ' || sum(value = trial) FROM v_trials",
           "3000 1 3000 3000");
    taken_fini(&taken);
}

static void nothing_is_taken_over_into_a_directory_that_has_a_search(void **state)
{
    struct taken taken;
    struct err err = {0};
    begin(state, &taken);
    assert_null(past_create(&taken.dir, taken.spec, "another tool", &err));
    assert_has(err.text, taken.dir.path);
    add(&taken, ENDING_COMPLETED, NULL, 3, 7, "{\"x1\": 1.0, \"x2\": 2.0}", NULL);
    end(&taken); /* and what was there stays */
    stored(&taken, "SELECT count(*) FROM trials", "1");
    taken_fini(&taken);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_others_ran_is_an_experiment_that_has_ended),
        IN_SCRATCH(a_value_that_is_none_makes_a_trial_diverge_and_says_which_metric_it_was),
        IN_SCRATCH(steps_are_samples_of_the_first_metric_within_its_time),
        IN_SCRATCH(a_configuration_outside_the_space_is_kept_as_it_was),
        IN_SCRATCH(a_trial_has_the_dates_that_it_had),
        IN_SCRATCH(many_trials_are_all_written),
        IN_SCRATCH(nothing_is_taken_over_into_a_directory_that_has_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
