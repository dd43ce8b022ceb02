/* Pictures of experiments, drawn from made-up ones: the overview, trials on their way, one trial. Profiles:
 * t_profile_page.c. */
#include "cli/view/overview.h"
#include "cli/view/progress.h"
#include "cli/view/show.h"
#include "cli/view/running.h"
#include "tests/claims.h"

#include <string.h>

static const struct look pipe_look = {0};

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

static json_t *digits(void)
{
    return parse("{\"name\": \"digits\", \"metric\": \"val_accuracy\", \"goal\": \"maximize\"}");
}

static json_t *best(void)
{
    return parse("{\"trial\": 12, \"value\": 0.97222, \"params\": {\"lr\": 0.003, \"width\": 64}}");
}

/* --- the overview --- */

static struct overview middle(json_t *experiment, json_t *trial)
{
    struct overview overview = {.experiment = experiment, .best = trial, .directory = "/x/runs/digits", .lives = true};
    overview.snapshot = (struct snapshot){.max_trials = 40,
                                          .has_best = true,
                                          .best = 0.97222,
                                          .best_trial = 12,
                                          .held = 66,
                                          .rate = 3.14,
                                          .left = 7,
                                          .slots = 4,
                                          .busy = 2};
    overview.snapshot.trials[TRIAL_COMPLETED] = 18;
    overview.snapshot.trials[TRIAL_RUNNING] = 2;
    return overview;
}

static void the_overview_is_pairs_of_names_and_values_off_a_terminal(void **state)
{
    (void)state;
    json_t *experiment = digits(), *trial = best();
    struct overview overview = middle(experiment, trial);
    struct snapshot_worker workers[] = {{.name = "n1", .slots = 2, .busy = 2, .heard = 0.5},
                                        {.name = "n2", .slots = 2, .heard = 75, .suspect = true}};
    overview.snapshot.workers = workers;
    overview.snapshot.worker_count = 2;
    struct buf text = {0};
    overview_draw(&overview, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "name: digits  (/x/runs/digits)\n"
                                        "state: running, ran for 1m06s\n"
                                        "trials: 18/40  2 running  18 completed\n"
                                        "best: val_accuracy 0.97222 (trial 12)  lr=0.003 width=64\n"
                                        "rate: 3.14 trials/s, about 7.0s left\n"
                                        "slots: 2 of 4 busy\n"
                                        "\n"
                                        "node  slots  busy  heard\n"
                                        "n1        2     2  500ms\n"
                                        "n2        2     0  1m15s\n");
    buf_fini(&text);
    json_decref(experiment);
    json_decref(trial);
}

static void the_overview_has_every_value_of_the_best_trial(void **state)
{
    (void)state;
    json_t *experiment = digits(), *trial = best();
    json_object_set_new(trial, "values", json_pack("{s:f, s:f}", "val_accuracy", 0.97222, "latency", 13.5));
    struct overview overview = middle(experiment, trial);
    struct buf text = {0};
    overview_draw(&overview, &pipe_look, &text);
    assert_has(buf_str(&text), "best: val_accuracy 0.97222  latency 13.5 (trial 12)  lr=0.003");
    json_t *json = overview_json(&overview);
    assert_true(json_equal(json_object_get(json, "best_values"), json_object_get(trial, "values")));
    json_decref(json);
    buf_clear(&text);
    overview.snapshot.best_trial = 13; /* newer than what was read */
    overview.snapshot.best = 0.98;
    overview_draw(&overview, &pipe_look, &text);
    assert_has(buf_str(&text), "best: val_accuracy 0.98 (trial 13)");
    json = overview_json(&overview);
    assert_true(json_is_null(json_object_get(json, "best_values")));
    json_decref(json);
    buf_fini(&text);
    json_decref(experiment);
    json_decref(trial);
}

static void explains(const struct overview *overview, const char *expected)
{
    struct buf text = {0};
    assert_int_equal(overview_explain(overview, &text), *expected != '\0');
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
}

static void a_worker_that_differs_is_named(struct overview *overview, struct snapshot_worker *worker)
{
    strcpy(overview->snapshot.version, "0.2.0");
    strcpy(worker->version, "0.1.0");
    worker->ahead = -75;
    explains(overview, "the strategy has not proposed anything yet; the worker on n1 is gannet 0.1.0, the coordinator "
                       "0.2.0; the clock of n1 is 1m15s behind the coordinator's");
    strcpy(worker->version, "0.2.0");
    worker->ahead = 9;
}

static void why_nothing_runs_is_explained(void **state)
{
    (void)state;
    struct overview overview = middle(NULL, NULL);
    struct snapshot_worker worker = {.name = "n1", .slots = 2, .heard = 75, .suspect = true};
    explains(&overview, "");
    overview.snapshot.trials[TRIAL_RUNNING] = 0;
    explains(&overview, "no worker is connected");
    overview.snapshot.workers = &worker;
    overview.snapshot.worker_count = 1;
    snapshot_add_sums(&overview.snapshot, &worker);
    explains(&overview, "no worker has been heard of for 1m15s");
    strcpy(worker.aside, "it talks nonsense");
    overview.snapshot.sums.aside = 1;
    explains(&overview, "a worker on n1 was set aside: it talks nonsense");
    *worker.aside = '\0';
    worker.suspect = false;
    overview.snapshot.sums = (struct snapshot_sums){.workers = 1};
    a_worker_that_differs_is_named(&overview, &worker);
    explains(&overview, "the strategy has not proposed anything yet");
    overview.snapshot.trials[TRIAL_WAITING] = 2;
    explains(&overview, "trials are about to start");
    overview.snapshot.state = EXPERIMENT_DRAINING;
    explains(&overview, "it ends: nothing new is started");
    overview.snapshot.slots = 0;
    explains(&overview, "the workers offer no slot: a trial wants more than they have");
    overview.trouble = "the disk is full";
    explains(&overview, "the disk is full");
    overview.lives = false;
    explains(&overview, "a loop of its own asks and tells; there is no coordinator");
    memset(overview.snapshot.trials, 0, sizeof overview.snapshot.trials);
    explains(&overview, "it was prepared but never ran; `gannet run --resume` starts it");
    assert_string_equal(overview_state(&overview), "not started");
    json_t *experiment = parse("{\"sessions\": 1}");
    overview.experiment = experiment;
    explains(&overview, "its coordinator is gone without having ended it; `gannet run --resume` goes on");
    overview.waits = true;
    explains(&overview, progress_no_room);
    overview.waits = false;
    assert_string_equal(overview_state(&overview), "interrupted");
    overview.snapshot.state = EXPERIMENT_ENDED;
    explains(&overview, "");
    json_decref(experiment);
}

static void a_search_that_has_ended_and_was_submitted_again_waits(void **state)
{
    (void)state;
    struct overview overview = middle(NULL, NULL);
    struct slurm_submission job = {.id = 7, .looked = 1, .seen = {.state = SLURM_PENDING, .reason = "Priority"}};
    struct slurm_record record = {.items = &job, .count = 1};
    json_t *experiment = parse("{\"sessions\": 1}");
    overview.experiment = experiment;
    overview.lives = false;
    overview.snapshot.state = EXPERIMENT_ENDED;
    overview.snapshot.reason = REASON_STOPPED;
    assert_string_equal(overview_state(&overview), "ended");
    overview.snapshot.reason = REASON_PAUSED;
    assert_string_equal(overview_state(&overview), "paused");
    overview.snapshot.reason = REASON_STOPPED;
    overview.jobs = &record;
    assert_string_equal(overview_state(&overview), "pending");
    explains(&overview, "job 7 waits: Priority - jobs of higher priority come first; a shorter slurm.time lets it "
                        "fill gaps");
    job.seen.state = SLURM_CANCELLED;
    assert_string_equal(overview_state(&overview), "ended");
    explains(&overview, "");
    json_decref(experiment);
}

static void the_overview_for_programs_has_a_schema_and_the_snapshot(void **state)
{
    (void)state;
    json_t *experiment = digits();
    struct overview overview = middle(experiment, NULL);
    json_t *json = overview_json(&overview);
    assert_string_equal(json_string_value(json_object_get(json, "schema")), "gannet.status/1");
    assert_string_equal(json_string_value(json_object_get(json, "name")), "digits");
    assert_true(json_is_true(json_object_get(json, "lives")));
    assert_true(json_is_null(json_object_get(json, "note")));
    assert_int_equal(json_integer_value(json_object_get(json, "best_trial")), 12);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "trials"), "completed")), 18);
    json_decref(json);
    json_decref(experiment);
}

/* --- trials on their way --- */

static void a_running_trial_shows_how_far_it_is(void **state)
{
    (void)state;
    json_t *trials =
        parse("[{\"trial\": 7, \"state\": \"running\", \"started\": \"1970-01-01T00:16:40.500Z\", \"value\": null, "
              "\"seconds\": null, \"step\": 3, \"metrics\": {\"loss\": 0.25, \"acc\": 0.5}}, {\"trial\": 8, \"state\": "
              "\"running\", \"started\": \"soon\", \"step\": null, \"metrics\": {}}]");
    struct buf text = {0};
    for (size_t i = 0; i < 2; i++)
        running_fill(json_array_get(trials, i), "loss", 1065.5);
    running_describe(json_array_get(trials, 0), "loss", &text);
    assert_string_equal(buf_str(&text), "step 3, loss 0.25, 1m05s");
    buf_clear(&text);
    running_describe(json_array_get(trials, 1), "loss", &text);
    assert_string_equal(buf_str(&text), "");
    running_draw(trials, "loss", 5, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "\n"
                                        "running  step  loss    for\n"
                                        "      7     3  0.25  1m05s\n"
                                        "      8     -     -      -\n"
                                        "and 3 more; gannet trials --state running shows all\n");
    json_decref(trials);
    buf_fini(&text);
}

static void an_ended_trial_stays_as_it_is(void **state)
{
    (void)state;
    json_t *trial =
        parse("{\"trial\": 7, \"state\": \"completed\", \"started\": \"1970-01-01T00:16:40.500Z\", \"value\": 1.0, "
              "\"seconds\": 2.0, \"metrics\": {\"loss\": 0.25}}");
    json_t *copy = json_deep_copy(trial);
    running_fill(trial, "loss", 9999);
    assert_true(json_equal(trial, copy));
    json_decref(copy);
    json_decref(trial);
}

/* --- one trial --- */

static void a_trial_is_shown_with_its_curve_attempts_and_last_words(void **state)
{
    (void)state;
    json_t *trial = parse(
        "{\"trial\": 12, \"state\": \"failed\", \"reason\": \"crashed\", \"detail\": \"SIGSEGV\", \"params\": {\"lr\": "
        "0.5},"
        " \"metrics\": {\"acc\": 0.5}, \"profile\": {},"
        " \"curve\": [{\"metric\": \"acc\", \"step\": 1, \"value\": 0.1},"
        "             {\"metric\": \"other\", \"step\": 1, \"value\": 7.0},"
        "             {\"metric\": \"acc\", \"step\": 2, \"value\": 0.5}],"
        " \"runs\": [{\"attempt\": 1, \"reason\": \"lost\", \"seconds\": 1.5, \"node\": \"n1\", \"slot\": 0,"
        "             \"cpus\": [0], \"gpus\": [], \"detail\": \"\", \"tail\": \"\"},"
        "            {\"attempt\": 2, \"reason\": \"crashed\", \"seconds\": 2.0, \"cpu_seconds\": 1.8, "
        "\"peak_memory\": 734003200, \"node\": \"n2\", \"slot\": 1,"
        "             \"cpus\": [0, 1], \"gpus\": [3], \"detail\": \"SIGSEGV\", \"tail\": \"a\\u001bb\\nlast\"}]}");
    struct shown_trial show = {
        .trial = trial, .metric = "acc", .bound = "", .again = "gannet-trainer --run x", .files = "/x/trials/000012"};
    struct buf text = {0};
    show_draw(&show, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "Trial 12: failed, its process was killed by a signal: SIGSEGV\n"
                                        "\n"
                                        "Parameters\n"
                                        "  lr             0.5\n"
                                        "\n"
                                        "Metrics\n"
                                        "  acc            0.5\n"
                                        "\n"
                                        "Learning curve\n"
                                        "  _#\n"
                                        "  acc: 0.1 at first, 0.5 at last, 2 values\n"
                                        "\n"
                                        "Attempts\n"
                                        "attempt  reason   seconds   cpu   memory  node  slot  cpus  gpus  detail\n"
                                        "      1  lost        1.5s     -        -  n1       0  0     -     \n"
                                        "      2  crashed     2.0s  1.8s  700 MiB  n2       1  0-1   3     SIGSEGV\n"
                                        "\n"
                                        "Its last words\n"
                                        "  a?b\n"
                                        "  last\n"
                                        "\n"
                                        "Train it again\n"
                                        "  gannet-trainer --run x\n"
                                        "\n"
                                        "Its files are in /x/trials/000012\n");
    buf_fini(&text);
    json_decref(trial);
}

static void a_curve_without_numbers_is_said_to_be_one(void **state)
{
    (void)state;
    json_t *trial = parse("{\"trial\": 3, \"state\": \"failed\", \"reason\": \"diverged\", \"params\": {},"
                          " \"curve\": [{\"metric\": \"acc\", \"step\": 1, \"value\": \"nan\"},"
                          "             {\"metric\": \"acc\", \"step\": 2, \"value\": \"inf\"}]}");
    struct shown_trial show = {.trial = trial, .metric = "acc", .bound = "", .again = ""};
    struct buf text = {0};
    show_draw(&show, &pipe_look, &text);
    assert_has(buf_str(&text), "Learning curve\n  all 2 values of acc were NaN or infinite\n");
    buf_fini(&text);
    json_decref(trial);
}

static void a_trial_that_waits_is_shown_without_what_it_has_not(void **state)
{
    (void)state;
    json_t *trial = parse("{\"trial\": 3, \"state\": \"waiting\", \"reason\": null, \"params\": {\"lr\": 0.5}}");
    struct shown_trial show = {.trial = trial, .metric = "acc", .bound = "", .again = ""};
    struct buf text = {0};
    show_draw(&show, &pipe_look, &text);
    assert_string_equal(buf_str(&text), "Trial 3: waiting\n\nParameters\n  lr             0.5\n");
    buf_fini(&text);
    json_decref(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_overview_is_pairs_of_names_and_values_off_a_terminal),
        cmocka_unit_test(the_overview_has_every_value_of_the_best_trial),
        cmocka_unit_test(why_nothing_runs_is_explained),
        cmocka_unit_test(a_search_that_has_ended_and_was_submitted_again_waits),
        cmocka_unit_test(the_overview_for_programs_has_a_schema_and_the_snapshot),
        cmocka_unit_test(a_running_trial_shows_how_far_it_is),
        cmocka_unit_test(an_ended_trial_stays_as_it_is),
        cmocka_unit_test(a_trial_is_shown_with_its_curve_attempts_and_last_words),
        cmocka_unit_test(a_curve_without_numbers_is_said_to_be_one),
        cmocka_unit_test(a_trial_that_waits_is_shown_without_what_it_has_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
