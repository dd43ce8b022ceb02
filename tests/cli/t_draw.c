/* Pictures of experiments, drawn from made-up ones: the overview, the end of a run, one trial, profiles. */
#include "cli/data/verdict_words.h"
#include "cli/view/overview.h"
#include "cli/view/profile.h"
#include "cli/view/profile_sections.h"
#include "cli/view/progress.h"
#include "cli/view/show.h"
#include "cli/view/running.h"
#include "tests/claims.h"

#include <math.h>
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

/* --- profiles --- */

static void draws_profile(const char *json, const char *expected_lines)
{
    struct buf text = {0}, expected = {0};
    json_t *profile = parse(json);
    if (*expected_lines)
        buf_format(&expected, "\nWhere the time went\n%s  memory bounds it\n", expected_lines);
    profile_draw(profile, "memory bounds it", &pipe_look, &text);
    assert_string_equal(buf_str(&text), buf_str(&expected));
    buf_fini(&expected);
    buf_fini(&text);
    json_decref(profile);
}

static void shares_are_of_the_time_that_something_ran(void **state)
{
    (void)state;
    draws_profile("{\"queue\": {\"seconds\": 100.0}, \"forward\": {\"seconds\": 3.0, \"count\": 2},"
                  " \"data\": {\"seconds\": 1.0}}",
                  "  data            1.0s   25 %  ########......................\n"
                  "  forward         3.0s   75 %  #######################.......\n");
}

static void of_a_program_that_tells_no_phases_nothing_is_drawn(void **state)
{
    (void)state;
    draws_profile("{\"launch\": {\"seconds\": 0.1, \"count\": 1}, \"work\": {\"seconds\": 9.0, \"count\": 1}}",
                  "  the program does not say: `with trial.phase(\"data\")` in Python, or a line time.data=SECONDS "
                  "(docs/trial.md)\n");
    draws_profile("{\"data\": {\"seconds\": 1.0, \"count\": 1}, \"work\": {\"seconds\": 3.0, \"count\": 1}}",
                  "  data            1.0s   25 %  ########......................\n"
                  "  work            3.0s   75 %  #######################.......\n");
    draws_profile("{\"launch\": {\"seconds\": 3.0, \"count\": 1}, \"work\": {\"seconds\": 1.0, \"count\": 1}}",
                  "  launch          3.0s   75 %  #######################.......\n"
                  "  work            1.0s   25 %  ########......................\n");
}

static void the_sum_of_the_store_is_read_too(void **state)
{
    (void)state;
    draws_profile("[{\"phase\": \"data\", \"seconds\": 2.0}, {\"phase\": \"no name\", \"seconds\": 5.0}]",
                  "  data            2.0s  100 %  ##############################\n");
}

static void phases_that_a_program_named_are_drawn_behind_ours(void **state)
{
    (void)state;
    draws_profile("{\"augment\": {\"seconds\": 6.0}, \"data\": {\"seconds\": 2.0}}",
                  "  data            2.0s   25 %  ########......................\n"
                  "  augment         6.0s   75 %  #######################.......\n");
}

static void hostile_profiles_are_harmless(void **state)
{
    (void)state;
    draws_profile("{}", "");
    draws_profile("null", "");
    draws_profile("[1, null, {\"phase\": 3}]", "");
    draws_profile("{\"forward\": {\"seconds\": \"nan\"}, \"data\": {\"seconds\": -3}}", "");
}

static void says_most(const char *experiment_json, const char *verdicts_json, const char *expected)
{
    struct buf text = {0};
    json_t *experiment = parse(experiment_json), *verdicts = parse(verdicts_json);
    verdict_words_most(experiment, verdicts, &text);
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
    json_decref(experiment);
    json_decref(verdicts);
}

static void what_took_the_most_time_is_said_with_its_advice(void **state)
{
    (void)state;
    const char *program = "{\"spec\": \"trial:\\n  command: [x]\\n\"}";
    says_most(
        program, "[{\"verdict\": \"computing\", \"seconds\": 3}, {\"verdict\": \"data\", \"seconds\": 1}]",
        "75 % of the time was in runs with the verdict computing: `gannet rerun --flame` draws the functions that "
        "took it");
    says_most("{\"spec\": \"trial:\\n  kernel: mlp\\n\"}",
              "[{\"verdict\": \"computing\", \"seconds\": 1}, {\"verdict\": \"evaluation\", \"seconds\": 4}]",
              "80 % of the time was in runs with the verdict evaluation: validate on less data: "
              "`trial.options.validation`");
    says_most(program, "[]", "");
    says_most("null", "null", "");
    says_most(program, "[3, {\"verdict\": \"magic\", \"seconds\": 5}, {\"verdict\": 3, \"seconds\": -1}]", "");
    says_most(program, "[{\"verdict\": \"data\", \"seconds\": \"nan\"}]", "");
}

/* Whichever of the two is first. */
static void compared_parameters_are_those_of_both(void **state)
{
    (void)state;
    json_t *one = parse("{\"trial\": 1, \"params\": {\"lr\": 0.5, \"size\": 3}}"),
           *two = parse("{\"trial\": 2, \"params\": {\"lr\": 0.5, \"size\": 3, \"momentum\": 0.75}}");
    struct buf text = {0};
    profile_compare_draw(one, two, &pipe_look, &text);
    assert_non_null(strstr(buf_str(&text), "momentum         -     0.75\n"));
    buf_clear(&text);
    profile_compare_draw(two, one, &pipe_look, &text);
    assert_non_null(strstr(buf_str(&text), "momentum      0.75        -\n"));
    assert_null(strstr(buf_str(&text), "size"));
    buf_fini(&text);
    json_decref(one);
    json_decref(two);
}

static void draws_verdicts(const char *page_json, const char *expected)
{
    json_t *page = parse(page_json);
    struct buf text = {0};
    profile_verdict_draw(page, &pipe_look, &text);
    if (!strstr(buf_str(&text), expected))
        fail_msg("no '%s' in:\n%s", expected, buf_str(&text));
    buf_fini(&text);
    json_decref(page);
}

/* Shares of what a processor can do are no loss, and where no joules are known there is no column for them. */
static void what_bounded_the_runs_has_its_joules_beside_its_time(void **state)
{
    (void)state;
    draws_verdicts("{\"verdicts\": [{\"verdict\": \"data\", \"runs\": 3, \"seconds\": 30, \"lost\": 15,"
                   " \"joules\": 12000, \"joules_lost\": 600, \"joules_runs\": 2}, {\"verdict\": \"compute\","
                   " \"runs\": 1, \"seconds\": 10, \"lost\": 9, \"joules\": 12e6, \"joules_lost\": 9,"
                   " \"joules_runs\": 1}, {\"verdict\": \"idle\", \"runs\": 1, \"seconds\": 10,"
                   " \"joules\": null, \"joules_runs\": 0}]}",
                   "bounded by  runs  time  share  lost   energy  energy lost  energy of runs\n"
                   "data           3   30s   60 %   15s  12.0 kJ        600 J          2 of 3\n"
                   "compute        1   10s   20 %     -  12.0 MJ            -          1 of 1\n"
                   "idle           1   10s   20 %     -        -            -          0 of 1\n");
    draws_verdicts("{\"verdicts\": [{\"verdict\": \"data\", \"runs\": 3, \"seconds\": 30, \"lost\": 15,"
                   " \"joules\": null, \"joules_lost\": null}]}",
                   "bounded by  runs  time  share  lost\n");
}

/* A metric behind the sixth is not dropped in silence, nor is ever the objective. */
static void steps_have_their_objective_first_and_say_what_is_left_out(void **state)
{
    (void)state;
    json_t *page = parse("{\"trial\": 3, \"metric\": \"loss\", \"curve\": []}"),
           *curve = json_object_get(page, "curve");
    struct buf text = {0};
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "\033[31mg", "loss"};
    for (int step = 1; step <= 2; step++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            json_array_append_new(curve, json_pack("{s:s, s:i, s:f, s:f}", "metric", names[i], "step", step, "value",
                                                   (double)i, "time", (double)step));
    profile_sections_draw(page, &pipe_look, &text);
    assert_has(buf_str(&text), "step    at  took  loss  a  b  c  d  e\n");
    assert_has(buf_str(&text), "   2  2.0s  1.0s     7  0  1  2  3  4\n");
    assert_has(buf_str(&text), "  not shown, and in --json: f, ?[31mg\n");
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "m%d", i);
        json_array_append_new(curve,
                              json_pack("{s:s, s:i, s:f, s:f}", "metric", name, "step", 2, "value", 1.0, "time", 2.0));
    }
    buf_clear(&text);
    profile_sections_draw(page, &pipe_look, &text);
    assert_has(buf_str(&text), "  not shown, and in --json: f, ?[31mg, m0, m1, m2, m3 and 16 more\n");
    buf_fini(&text);
    json_decref(page);
}

static void draws_page(const char *page_json, const char *expected)
{
    json_t *page = parse(page_json);
    struct buf text = {0};
    profile_sections_draw(page, &pipe_look, &text);
    assert_string_equal(buf_str(&text), expected);
    buf_fini(&text);
    json_decref(page);
}

static void a_profile_of_nothing_says_so(void **state)
{
    (void)state;
    draws_page(
        "{\"experiment\": \"x\", \"trial\": null, \"phases\": [], \"verdicts\": []}",
        "All trials of x\n  nothing is recorded of its trials yet: what a trial spends its time with is known when it "
        "ends\n");
    draws_page("{\"experiment\": \"x\", \"trial\": 1, \"state\": \"running\", \"phases\": [], \"verdict\": null}",
               "Trial 1 of x: running\n  it runs, and nothing is recorded of it before it ends; --flame FILE samples a "
               "program as it runs\n");
    draws_page(
        "{\"experiment\": \"x\", \"trial\": 1, \"state\": \"failed\", \"phases\": [], \"verdict\": null}",
        "Trial 1 of x: failed\n  nothing is recorded of it: no attempt at it came to an end and told what it did\n");
}

static void remarks(const char *verdict, const char *trial_json, const char *expected)
{
    json_t *experiment = parse("{\"spec\": \"trial:\\n  kernel: mlp\\n\"}"), *trial = parse(trial_json);
    json_object_set_new(trial, "verdict", json_string(verdict));
    json_object_set_new(trial, "figure", json_real(0.5));
    json_t *words = verdict_words(experiment, trial);
    const char *sentence = json_string_value(json_object_get(words, "sentence")), *semicolon = strchr(sentence, ';');
    assert_string_equal(semicolon ? semicolon : "", expected);
    json_decref(words);
    json_decref(trial);
    json_decref(experiment);
}

static void what_was_measured_of_ranks_and_disks_stands_behind_the_verdict(void **state)
{
    (void)state;
    const char *sums = "{\"counters\": {\"allreduce_least\": 0.5}, \"profile\": {\"allreduce\": {\"seconds\": 4}}}";
    remarks("sync", sums, "; at best its sums take 500ms of these 4.0s");
    remarks("imbalance", sums, "; at best its sums take 500ms of these 4.0s");
    remarks("checkpoint", sums, "");
    remarks("sync", "{\"counters\": {}, \"profile\": {\"allreduce\": {\"seconds\": 4}}}", "");
    remarks("checkpoint",
            "{\"counters\": {\"disk_write_limit\": 4e8, \"disk_written\": 2e8},"
            " \"profile\": {\"checkpoint\": {\"seconds\": 2}}}",
            "; it wrote 100 of the 400 MB/s that its disk can");
    remarks("data",
            "{\"runs\": [{}, {\"counters\": {\"disk_read_limit\": 4e8, \"disk_read\": 4e9},"
            " \"profile\": {\"data\": {\"seconds\": 2}}}]}",
            "; it read 400 of the 400 MB/s that its disk can");
    remarks("data",
            "{\"counters\": {\"disk_read_limit\": 4e8, \"disk_read\": 1e6}, \"profile\": {\"data\": {\"seconds\": 2}}}",
            ""); /* it read next to nothing */
    remarks("data", "{\"counters\": 3, \"profile\": [], \"runs\": 7}", "");
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
    explains(&overview, "no worker has been heard of for 1m15s");
    strcpy(worker.aside, "it talks nonsense");
    explains(&overview, "a worker on n1 was set aside: it talks nonsense");
    *worker.aside = '\0';
    worker.suspect = false;
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
        cmocka_unit_test(compared_parameters_are_those_of_both),
        cmocka_unit_test(what_took_the_most_time_is_said_with_its_advice),
        cmocka_unit_test(what_bounded_the_runs_has_its_joules_beside_its_time),
        cmocka_unit_test(steps_have_their_objective_first_and_say_what_is_left_out),
        cmocka_unit_test(a_profile_of_nothing_says_so),
        cmocka_unit_test(what_was_measured_of_ranks_and_disks_stands_behind_the_verdict),
        cmocka_unit_test(shares_are_of_the_time_that_something_ran),
        cmocka_unit_test(of_a_program_that_tells_no_phases_nothing_is_drawn),
        cmocka_unit_test(the_sum_of_the_store_is_read_too),
        cmocka_unit_test(phases_that_a_program_named_are_drawn_behind_ours),
        cmocka_unit_test(hostile_profiles_are_harmless),
        cmocka_unit_test(the_overview_is_pairs_of_names_and_values_off_a_terminal),
        cmocka_unit_test(the_overview_has_every_value_of_the_best_trial),
        cmocka_unit_test(why_nothing_runs_is_explained),
        cmocka_unit_test(a_search_that_has_ended_and_was_submitted_again_waits),
        cmocka_unit_test(the_overview_for_programs_has_a_schema_and_the_snapshot),
        cmocka_unit_test(a_running_trial_shows_how_far_it_is),
        cmocka_unit_test(an_ended_trial_stays_as_it_is),
        cmocka_unit_test(a_trial_is_shown_with_its_curve_attempts_and_last_words),
        cmocka_unit_test(a_trial_that_waits_is_shown_without_what_it_has_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
