/* Pages of profiles, drawn from made-up ones: phases, steps, what bounded trials, two side by side. */
#include "cli/data/verdict_words.h"
#include "cli/view/profile.h"
#include "cli/view/profile_sections.h"
#include "tests/claims.h"

#include <string.h>

static const struct look pipe_look = {0};

static json_t *parse(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(json);
    return json;
}

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

static void a_trial_that_runs_has_no_operations_yet(void **state)
{
    (void)state;
    json_t *page = parse("{\"trial\": 1, \"state\": \"running\", \"operations\": []}");
    struct buf text = {0};
    profile_operations_draw_alone(page, &pipe_look, &text);
    assert_string_equal(buf_str(&text),
                        "No operations are known: those of a kernel's trial are when it ends; of a program those on "
                        "GPUs are counted, by resources: {gpus: 1} and profile: {operations: true}\n");
    buf_fini(&text);
    json_decref(page);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_of_the_time_that_something_ran),
        cmocka_unit_test(of_a_program_that_tells_no_phases_nothing_is_drawn),
        cmocka_unit_test(the_sum_of_the_store_is_read_too),
        cmocka_unit_test(phases_that_a_program_named_are_drawn_behind_ours),
        cmocka_unit_test(hostile_profiles_are_harmless),
        cmocka_unit_test(what_took_the_most_time_is_said_with_its_advice),
        cmocka_unit_test(compared_parameters_are_those_of_both),
        cmocka_unit_test(what_bounded_the_runs_has_its_joules_beside_its_time),
        cmocka_unit_test(a_trial_that_runs_has_no_operations_yet),
        cmocka_unit_test(steps_have_their_objective_first_and_say_what_is_left_out),
        cmocka_unit_test(a_profile_of_nothing_says_so),
        cmocka_unit_test(what_was_measured_of_ranks_and_disks_stands_behind_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
