/* What `gannet explain` says of jobs, from made-up tables; see cli/view/why.h. */
#include "cli/view/why.h"
#include "tests/claims.h"

#include <stdlib.h>
#include <string.h>

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    return json;
}

/* Two workers of jobs that Slurm ended, and one of a job that it did not. */
static const char faults[] =
    "{\"jobs\": ["
    "{\"job\": 9, \"restarts\": 0, \"role\": \"worker\", \"state\": \"preempted\", \"nodes\": \"n7\","
    " \"started\": \"2026-11-23T05:00:00.000Z\"},"
    "{\"job\": 9, \"restarts\": 1, \"role\": \"worker\", \"state\": \"out_of_memory\", \"nodes\": \"n7\","
    " \"started\": \"2026-11-23T06:00:00.000Z\"},"
    "{\"job\": 12, \"element\": 3, \"restarts\": 0, \"role\": \"worker\", \"state\": \"cancelled\","
    " \"reason\": \"by ada\", \"nodes\": \"n8\", \"started\": \"2026-11-23T05:00:00.000Z\"},"
    "{\"job\": 13, \"restarts\": 0, \"role\": \"worker\", \"state\": \"failed\", \"exit\": \"3\"},"
    "{\"job\": 14, \"restarts\": 0, \"role\": \"worker\", \"state\": \"no state at all\"}],"
    "\"workers\": ["
    "{\"worker\": \"a\", \"node\": \"n7\", \"job\": \"9\", \"joined\": \"2026-11-23T05:00:01.000Z\","
    " \"gone\": \"2026-11-23T05:10:00.000Z\", \"why\": \"it was told to end by SIGTERM\"},"
    "{\"worker\": \"b\", \"node\": \"n8\", \"job\": \"12_3\", \"joined\": \"2026-11-23T05:00:01.000Z\","
    " \"gone\": \"2026-11-23T05:20:00.000Z\", \"why\": \"it was told to end by SIGTERM\"},"
    "{\"worker\": \"c\", \"node\": \"n9\", \"job\": \"13\", \"joined\": \"2026-11-23T05:00:01.000Z\","
    " \"gone\": \"2026-11-23T05:05:00.000Z\", \"why\": \"it left\"}],"
    "\"endings\": []}";

static const struct overview overview = {.snapshot = {.state = EXPERIMENT_RUNNING}, .lives = true};

static void says(json_t *sentences, const char *expected)
{
    char *text = json_dumps(sentences, JSON_INDENT(1));
    assert_has(text, expected);
    free(text);
}

static void what_slurm_did_to_each_job_is_said(void **state)
{
    (void)state;
    json_t *json = parse(faults),
           *sentences = why_experiment(&(struct why_facts){.overview = &overview, .faults = json});
    says(sentences, "job 9 (worker): preempted on n7: it was preempted: Slurm gave its nodes to a job of higher");
    says(sentences, "job 9, requeued 1 time before, (worker): out_of_memory on n7: it needed more memory than");
    says(sentences, "job 12_3 (worker): cancelled on n8: it was cancelled by ada");
    says(sentences, "job 13 (worker): failed: it ended with status 3");
    says(sentences, "job 14 (worker): no state at all");
    says(sentences, "3 workers are gone; the last on n8: it was told to end by SIGTERM; job 12_3 was cancelled by ada");
    json_decref(sentences);
    json_decref(json);
}

static void nodes_that_were_set_aside_are_said(void **state)
{
    (void)state;
    json_t *json = parse(faults),
           *experiment = parse("{\"aside\": [{\"node\": \"n9\", \"why\": \"trials fail there\"}]}");
    struct overview after = {.snapshot = {.state = EXPERIMENT_ENDED}, .experiment = experiment};
    json_t *sentences = why_experiment(&(struct why_facts){.overview = &after, .faults = json});
    says(sentences, "a worker on n9 was set aside: trials fail there");
    json_decref(sentences);
    json_decref(experiment);
    json_decref(json);
}

static void a_worker_that_went_is_told_with_the_end_of_its_job(void **state)
{
    (void)state;
    json_t *json = parse(faults);
    struct why_facts known = {.overview = &overview, .faults = json, .place = "n7"};
    json_t *sentences = why_place(&known);
    says(sentences, "it was told to end by SIGTERM; job 9 was preempted: Slurm");
    json_decref(sentences);
    known.place = "n9";
    sentences = why_place(&known);
    says(sentences, "it left\"");
    json_decref(sentences);
    json_decref(json);
}

static void an_attempt_that_went_with_its_job_says_how_that_ended(void **state)
{
    (void)state;
    json_t *json = parse(faults);
    json_t *trial = parse("{\"trial\": 4, \"state\": \"waiting\", \"runs\": [{\"attempt\": 1, \"reason\": \"lost\", "
                          "\"node\": \"n7\", \"slot\": 0, \"job\": \"9\", \"started\": \"2026-11-23T06:00:01.000Z\"},"
                          "{\"attempt\": 2, \"reason\": \"exited\", \"node\": \"n8\", \"slot\": 0, \"job\": \"12_3\","
                          "\"detail\": \"status 1\", \"started\": \"2026-11-23T05:00:02.000Z\"}]}");
    json_t *sentences = why_trial(&(struct why_facts){.overview = &overview, .faults = json, .trial = trial});
    says(sentences, "as lost: its worker was lost; job 9 needed more memory than it had asked for");
    says(sentences, "as exited: status 1\"");
    json_decref(sentences);
    json_decref(trial);
    json_decref(json);
}

static void why_a_trial_failed_is_said_once(void **state)
{
    (void)state;
    json_t *trial = parse("{\"trial\": 4, \"state\": \"failed\", \"reason\": \"exited\", \"detail\": \"status 1\","
                          " \"runs\": [{\"attempt\": 1, \"reason\": \"crashed\", \"detail\": \"SIGSEGV\"},"
                          " {\"attempt\": 2, \"reason\": \"exited\", \"detail\": \"status 1\"}]}");
    json_t *sentences = why_trial(&(struct why_facts){.overview = &overview, .trial = trial});
    says(sentences, ": status 1\"");
    says(sentences, "as crashed: SIGSEGV\"");
    says(sentences, "as exited\"");
    json_decref(sentences);
    json_decref(trial);
}

static void what_bounded_attempts_is_told_with_the_sample_that_it_is_of(void **state)
{
    (void)state;
    json_t *json = parse(faults), *verdicts = json_pack("[{s:s, s:i, s:f, s:s}]", "verdict", "data", "runs", 7,
                                                        "seconds", 60.0, "advice", "raise it");
    json_t *sample = parse("{\"trials\": 20004, \"of\": 1000000}"), *all = json_null();
    struct why_facts known = {.overview = &overview, .faults = json, .verdicts = verdicts, .sample = sample};
    json_t *sentences = why_experiment(&known);
    says(sentences, "what bounded attempts is told by a sample: 20004 of 1000000 trials\"");
    says(sentences, "7 attempts of 1m00s bounded by data: raise it\"");
    json_decref(sentences);
    known.sample = all;
    sentences = why_experiment(&known);
    char *text = json_dumps(sentences, 0);
    assert_null(strstr(text, "sample"));
    free(text);
    json_decref(sentences);
    json_decref(sample);
    json_decref(verdicts);
    json_decref(json);
}

/* What a search that went well leaves behind, and one that failed in a way that is told by itself. */
static void attention_is_not_called_to_what_is_as_it_should_be(void **state)
{
    (void)state;
    json_t *json = parse("{\"wasted\": 0.004, \"wasted_seconds\": 0.008, \"run_seconds\": 973, \"jobs\": ["
                         "{\"job\": 9, \"restarts\": 0, \"role\": \"worker\", \"state\": \"running\"}],"
                         "\"workers\": [{\"worker\": \"a\", \"node\": \"vm\", \"gone\": \"2026\","
                         " \"why\": \"the experiment has ended\"}],"
                         "\"endings\": [{\"reason\": \"cancelled\", \"attempts\": 3, \"seconds\": 49},"
                         "{\"reason\": \"paused\", \"attempts\": 2, \"seconds\": 1},"
                         "{\"reason\": \"walltime\", \"attempts\": 2, \"seconds\": 1},"
                         "{\"reason\": \"preempted\", \"attempts\": 2, \"seconds\": 1},"
                         "{\"reason\": \"completed\", \"attempts\": 2, \"seconds\": 1},"
                         "{\"reason\": \"exited\", \"attempts\": 1, \"seconds\": 0.106}]}"),
           *failures = parse("[{\"trial\": 4, \"reason\": \"exited\", \"line\": \"no such file\"}]");
    struct overview paused = overview;
    paused.snapshot.has_deadline = true;
    paused.snapshot.deadline = 3600;
    struct why_facts known = {.overview = &paused, .faults = json, .failures = failures, .trouble = true};
    json_t *sentences = why_experiment(&known);
    assert_int_equal(json_array_size(sentences), 0);
    json_decref(sentences);
    known.failures = NULL; /* it was tried again, and that went well */
    json_object_set_new(json, "wasted", json_real(0.02));
    json_array_append_new(json_object_get(json, "workers"),
                          parse("{\"worker\": \"b\", \"node\": \"n8\", \"gone\": \"2026\", \"why\": \"silent\"}"));
    sentences = why_experiment(&known);
    assert_int_equal(json_array_size(sentences), 3);
    says(sentences, "1 worker is gone; the last on n8: silent");
    says(sentences, "1 attempt (106ms) ended as exited");
    says(sentences, "2.0 % of the time of all attempts was not kept");
    json_decref(sentences);
    json_decref(failures);
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_slurm_did_to_each_job_is_said),
        cmocka_unit_test(nodes_that_were_set_aside_are_said),
        cmocka_unit_test(a_worker_that_went_is_told_with_the_end_of_its_job),
        cmocka_unit_test(what_bounded_attempts_is_told_with_the_sample_that_it_is_of),
        cmocka_unit_test(attention_is_not_called_to_what_is_as_it_should_be),
        cmocka_unit_test(why_a_trial_failed_is_said_once),
        cmocka_unit_test(an_attempt_that_went_with_its_job_says_how_that_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
