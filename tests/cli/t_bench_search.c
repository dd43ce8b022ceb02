/* Whole searches on the virtual clock: what is asked when, and what counts. */
#include "cli/bench/series.h"
#include "common/mem.h"
#include "tests/claims.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- objectives and searches for tests --- */

static struct bench_objective *try_objective(void **state, const char *text, struct err *err)
{
    struct problems problems = {0};
    write_file(path_in(state, "task.yaml"), text, 0600);
    struct spec *spec = spec_read(path_in(state, "task.yaml"), NULL, 0, &problems);
    if (!spec)
        fail_msg("%s", problems.items[0].message);
    problems_fini(&problems);
    return objective_open(spec, err);
}

static struct bench_objective *make_objective(void **state, const char *text)
{
    struct err err = {""};
    struct bench_objective *objective = try_objective(state, text, &err);
    if (!objective)
        fail_msg("%s", err.text);
    return objective;
}

/* Ten configurations: losses 9, 8, ..., 0; the last two can't be had. */
static struct bench_objective *make_table(void **state, const char *options)
{
    char text[512];
    write_file(path_in(state, "t.csv"),
               "x,loss,loss.s0,loss.s1,seconds\n0,9,10,8,1\n1,8,8,8,2\n2,7,7,7,3\n3,6,6,6,4\n4,5,5,5,5\n"
               "5,4,4,4,6\n6,3,3,3,7\n7,2,2,2,8\n8,nan,nan,nan,9\n",
               0600);
    snprintf(text, sizeof text,
             "version: 1\ntrial: {kernel: table, options: {file: t.csv, also: [seconds]%s}}\n"
             "metric: {name: loss, goal: minimize}\nparameters: {x: {min: 0, max: 9, type: int}}\n",
             options);
    return make_objective(state, text);
}

static const char synth[] = "version: 1\ntrial: {kernel: synth, options: {function: sphere, noise: 1.0}}\n"
                            "metric: {name: value, goal: minimize}\nparameters: {x1: {min: -5.0, max: 5.0}}\n";

/* Writes a program of the shell and returns the contender that runs it. */
static void make_program(void **state, struct contenders *contenders, const char *text)
{
    struct err err;
    write_file(path_in(state, "prog"), text, 0700);
    char *list = mem_format("exec:sh %s", path_in(state, "prog"));
    assert_int_equal(contenders_read(contenders, list, &err), 0);
    free(list);
}

/* A program that asks for x = 0, 1, 2, ... and writes down every line that it reads. */
static void make_counting(void **state, struct contenders *contenders)
{
    char *text =
        mem_format("n=0\nwhile read -r line; do\n  printf '%%s\\n' \"$line\" >>%s\n  case $line in '{\"ask\"'*)\n"
                   "    echo \"{\\\"params\\\": {\\\"x\\\": $n}}\"; n=$((n + 1));;\n  esac\ndone\n",
                   path_in(state, "heard"));
    make_program(state, contenders, text);
    free(text);
}

static char *heard(void **state)
{
    static char text[1 << 16];
    FILE *file = fopen(path_in(state, "heard"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* One search of a contender, and what came of it. */
struct tried {
    struct bench_objective *objective;
    struct contenders contenders; /* the last of them searches */
    struct simulated out;
    struct err err;
};

static void tried_fini(struct tried *tried)
{
    simulated_fini(&tried->out);
    contenders_fini(&tried->contenders);
    objective_close(tried->objective);
}

static int run_search(struct tried *tried, const char *strategy, uint32_t workers, uint64_t trials, bool asks_take_time)
{
    const atomic_bool stop = false;
    if (strategy)
        assert_int_equal(contenders_read(&tried->contenders, strategy, &tried->err), 0);
    struct simulation simulation = {.objective = tried->objective,
                                    .contender = &tried->contenders.items[tried->contenders.count - 1],
                                    .seed = 1,
                                    .trials = trials,
                                    .workers = workers,
                                    .durations = {.kind = DURATION_CONSTANT, .mean = 60},
                                    .asks_take_time = asks_take_time,
                                    .stop = &stop};
    return simulate(&simulation, &tried->out, &tried->err);
}

static int search(struct tried *tried, const char *strategy, uint32_t workers, uint64_t trials)
{
    return run_search(tried, strategy, workers, trials, false);
}

/* The lines that a program heard begin so, one after the other. */
static void begin_with(const char *at, const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_true(strncmp(at, lines[i], strlen(lines[i])) == 0);
        at = strchr(at, '\n') + 1;
    }
}

/* --- objectives --- */

static void a_tables_scale_is_that_of_its_configurations(void **state)
{
    struct bench_objective *objective = make_table(state, "");
    assert_float_equal(objective_optimum(objective), 2, 0);
    assert_float_equal(objective_median(objective), 5.5, 0);
    assert_float_equal(objective_regret(objective, 9), 2, 0);
    objective_close(objective);
}

static void without_noise_is_what_counts(void **state)
{
    struct bench_objective *objective = make_table(state, ", repeat: 0");
    struct objective_outcome outcome = {0};
    json_t *params = json_pack("{s:i}", "x", 0);
    objective_run(objective, 1, 1, params, &outcome);
    assert_float_equal(outcome.truth, 10, 0);
    objective_close(objective);

    objective = make_table(state, ", repeat: random");
    bool low = false, high = false;
    for (uint64_t trial = 1; trial <= 40; trial++) {
        objective_run(objective, 1, trial, params, &outcome);
        low |= outcome.value == 8;
        high |= outcome.value == 10;
        assert_float_equal(outcome.truth, 9, 0);
    }
    assert_true(low && high);
    json_decref(params);
    objective_outcome_fini(&outcome);
    objective_close(objective);

    objective = make_objective(state, synth);
    params = json_pack("{s:f}", "x1", 2.0);
    objective_run(objective, 1, 1, params, &outcome);
    assert_float_equal(outcome.truth, 4, 1e-12);
    assert_true(fabs(outcome.value - 4) > 1e-6);
    assert_float_equal(objective_optimum(objective), 0, 0);
    assert_float_equal(objective_median(objective), 6.25, 0.3); /* half of all |x| are below 2.5 */
    json_decref(params);
    objective_outcome_fini(&outcome);
    objective_close(objective);
}

static void trials_that_fail_by_chance_have_a_true_value(void **state)
{
    struct tried tried = {
        .objective = make_objective(
            state, "version: 1\ntrial: {kernel: synth, options: {function: sphere, refuse: 0.3, diverge: 0.3}}\n"
                   "metric: {name: value, goal: minimize}\nparameters: {x1: {min: -5.0, max: 5.0}}\n")};
    assert_float_equal(objective_median(tried.objective), 6.25, 0.3);
    assert_int_equal(search(&tried, "random", 2, 100), 0);
    assert_in_range(tried.out.failed, 30, 75); /* 51 are expected */
    tried_fini(&tried);
}

static void what_cant_be_benchmarked_is_refused(void **state)
{
    struct err err;
    assert_null(try_objective(state,
                              "version: 1\ntrial: {command: [./train]}\nmetric: {name: m, goal: minimize}\n"
                              "parameters: {x: {min: 0.0, max: 1.0}}\n",
                              &err));
    assert_has(err.text, "only the kernels table and synth");
    assert_null(try_objective(state,
                              "version: 1\ntrial: {kernel: synth, options: {crash: 0.5}}\n"
                              "metric: {name: value, goal: minimize}\nparameters: {x1: {min: 0.0, max: 1.0}}\n",
                              &err));
    assert_has(err.text, "the option 'crash' can't be used");
    assert_null(try_objective(state,
                              "version: 1\ntrial: {kernel: synth}\nmetric: {name: value, goal: minimize}\n"
                              "parameters: {x7: {min: 0.0, max: 1.0}}\n",
                              &err));
    assert_has(err.text, "no configuration of this space has a value");
}

/* --- searches --- */

static void free_workers_ask_and_ends_are_told_in_the_order_of_the_clock(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    make_counting(state, &tried.contenders);
    /* x takes x + 1 seconds. Two workers: 1 (0-1), 2 (0-2), 3 (1-4), 4 (2-6), 5 (4-9). */
    assert_int_equal(search(&tried, NULL, 2, 5), 0);
    const char *const order[] = {"{\"start\"",  "{\"ask\":1}",  "{\"ask\":2}", "{\"tell\":1,",
                                 "{\"ask\":3}", "{\"tell\":2,", "{\"ask\":4}", "{\"tell\":3,",
                                 "{\"ask\":5}", "{\"tell\":4,", "{\"tell\":5,"};
    const char *at = heard(state);
    begin_with(at, order, sizeof order / sizeof *order);
    assert_has(heard(state), "\"params\":{\"x\":4},\"failed\":false,\"value\":5.0,\"loss\":5.0,\"seconds\":5.0");
    assert_int_equal(tried.out.ended, 5);
    assert_float_equal(tried.out.utilisation, 1, 1e-12);
    assert_int_equal(tried.out.standings[0].trials, 5);
    assert_float_equal(tried.out.standings[0].best, 5, 0);
    tried_fini(&tried);
}

static void failures_count_as_trials_and_the_end_of_a_space_ends_a_search(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    assert_int_equal(search(&tried, "random", 3, 60), 0);
    assert_int_equal(tried.out.ended, 10);
    assert_int_equal(tried.out.failed, 2);
    assert_true(*tried.out.failure.text);
    assert_int_equal(tried.out.count, 4); /* at 10, 25, 50 and 60 trials */
    for (size_t i = 0; i < tried.out.count; i++)
        assert_float_equal(tried.out.standings[i].regret, 0, 0);
    tried_fini(&tried);
}

static void a_program_that_breaks_down_ends_its_search_with_a_sentence(void **state)
{
    static const struct {
        const char *program, *sentence;
    } cases[] = {
        {"exit 3\n", "/prog"}, /* which of two things it notices first: nobody listens, or nobody answers */
        {"read -r a; read -r b; echo hello; read -r c\n", "wrote what is no JSON object: hello"},
        {"read -r a; read -r b; echo '{\"params\": {\"y\": 1}}'; read -r c\n", "there is no parameter 'y'"},
        {"read -r a; read -r b; echo '{\"params\": {\"x\": 77}}'; read -r c\n", "trial 1: "},
        {"read -r a; read -r b; echo '{\"error\": \"out of ideas\"}'; read -r c\n", "failed: out of ideas"},
        {"read -r a; read -r b; echo '{\"later\": true}'; read -r c\n", "none runs"},
        {"read -r a; read -r b; echo '{}'; read -r c\n", "its answer has no"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tried tried = {.objective = make_table(state, "")};
        make_program(state, &tried.contenders, cases[i].program);
        assert_int_equal(search(&tried, NULL, 1, 3), -1);
        assert_has(tried.err.text, cases[i].sentence);
        tried_fini(&tried);
    }
}

static void a_program_may_say_that_there_is_no_more(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    make_program(
        state, &tried.contenders,
        "read -r a; read -r b; echo '{\"params\": {\"x\": 7}}'; read -r c; echo '{\"no_more\": true}'; read -r d\n");
    assert_int_equal(search(&tried, NULL, 1, 30), 0);
    assert_int_equal(tried.out.ended, 1);
    assert_float_equal(tried.out.standings[tried.out.count - 1].regret, 0, 0);
    tried_fini(&tried);
}

/* --- strategies that take their time --- */

static void one_proposal_for_every_eight_workers_is_kept_ready(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    make_counting(state, &tried.contenders);
    assert_int_equal(run_search(&tried, NULL, 8, 10, true), 0);
    const char *at = strchr(heard(state), '\n') + 1;
    const char *const order[] = {"{\"ask\":1}", "{\"ask\":2}",  "{\"ask\":3}", "{\"ask\":4}",
                                 "{\"ask\":5}", "{\"ask\":6}",  "{\"ask\":7}", "{\"ask\":8}",
                                 "{\"ask\":9}", "{\"tell\":1,", "{\"ask\":10}"};
    begin_with(at, order, sizeof order / sizeof *order);
    assert_int_equal(tried.out.ended, 10);
    tried_fini(&tried);
}

static void an_ask_that_is_put_off_waits_for_the_next_tell(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    make_program(state, &tried.contenders,
                 "n=0\nfree=1\nwhile read -r line; do\n  case $line in '{\"ask\"'*)\n"
                 "    if [ $free = 1 ]; then echo \"{\\\"params\\\": {\\\"x\\\": $n}}\"; n=$((n + 1)); free=0\n"
                 "    else echo '{\"later\": true}'; fi;;\n  '{\"tell\"'*) free=1;;\n  esac\ndone\n");
    assert_int_equal(run_search(&tried, NULL, 4, 6, true), 0);
    assert_int_equal(tried.out.ended, 6);
    assert_true(tried.out.utilisation < 0.5);
    tried_fini(&tried);
}

static void with_a_queue_the_end_of_a_space_ends_a_search(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    assert_int_equal(run_search(&tried, "random", 3, 60, true), 0);
    assert_int_equal(tried.out.ended, 10);
    assert_int_equal(tried.out.failed, 2);
    assert_float_equal(tried.out.standings[tried.out.count - 1].regret, 0, 0);
    tried_fini(&tried);
}

static void a_program_that_breaks_down_with_a_queue_ends_its_search_too(void **state)
{
    struct tried tried = {.objective = make_table(state, "")};
    make_program(state, &tried.contenders,
                 "read -r a; read -r b; echo '{\"params\": {\"x\": 7}}'; read -r c; exit 3\n");
    assert_int_equal(run_search(&tried, NULL, 4, 60, true), -1);
    assert_has(tried.err.text, "/prog");
    tried_fini(&tried);
}

/* --- series --- */

/* The rows of a series, without their milliseconds. */
static char *rows_of(struct bench_objective *objective, const char *strategies, const char *stoppers, unsigned jobs)
{
    struct contenders contenders = {0};
    struct bench_rows rows = {0};
    struct buf text = {0};
    struct err err = {""};
    assert_int_equal(contenders_read(&contenders, strategies, &err), 0);
    if (stoppers)
        assert_int_equal(contenders_stop(&contenders, stoppers, &err), 0);
    struct series_setup setup = {.objectives = &objective,
                                 .objective_count = 1,
                                 .contenders = &contenders,
                                 .seeds = 4,
                                 .trials = 30,
                                 .workers = 4,
                                 .by_steps = stoppers,
                                 .durations = {DURATION_LOGNORMAL, 60},
                                 .jobs = jobs};
    struct series *series = series_start(&setup, &err);
    assert_non_null(series);
    while (!series_wait(series, 60))
        ;
    assert_int_equal(series_ended(series), series_count(series));
    series_rows(series, &rows);
    for (size_t i = 0; i < rows.count; i++)
        rows.items[i].ask_ms_p50 = rows.items[i].ask_ms_p99 = 0;
    rows_write(&rows, &text);
    series_end(series);
    rows_fini(&rows);
    contenders_fini(&contenders);
    return buf_take(&text);
}

static void the_number_of_jobs_changes_nothing(void **state)
{
    struct bench_objective *objective = make_objective(state, synth);
    char *one = rows_of(objective, "random,sobol", NULL, 1), *three = rows_of(objective, "random,sobol", NULL, 3);
    assert_string_equal(one, three);
    assert_has(one, "task,sobol,4,4,30,");
    free(three);
    free(one);
    objective_close(objective);
}

static void a_stopped_series_ends_and_keeps_what_is_complete(void **state)
{
    struct bench_objective *objective = make_objective(state, synth);
    struct contenders contenders = {0};
    struct bench_rows rows = {0};
    struct err err;
    make_program(state, &contenders, "while read -r line; do :; done\n"); /* never answers */
    struct series_setup setup = {.objectives = &objective,
                                 .objective_count = 1,
                                 .contenders = &contenders,
                                 .seeds = 3,
                                 .trials = 30,
                                 .workers = 4,
                                 .durations = {DURATION_CONSTANT, 60},
                                 .jobs = 2};
    struct series *series = series_start(&setup, &err);
    assert_non_null(series);
    assert_false(series_wait(series, 0.01));
    series_stop(series);
    while (!series_wait(series, 60))
        ;
    series_rows(series, &rows);
    assert_int_equal(rows.count, 0);
    series_end(series);
    rows_fini(&rows);
    contenders_fini(&contenders);
    objective_close(objective);
}

/* --- early stopping --- */

/* Twenty curves of nine steps that fall from 20 towards their end; a fifth of them fails at the fifth. */
static struct bench_objective *make_curves(void **state)
{
    struct buf text = {0};
    buf_text(&text, "x,step,loss\n");
    for (int x = 0; x < 20; x++)
        for (int step = 1; step <= 9; step++) {
            if (x % 5 == 0 && step >= 5)
                buf_format(&text, "%d,%d,nan\n", x, step);
            else
                buf_format(&text, "%d,%d,%g\n", x, step, x + 20.0 / step);
        }
    write_file(path_in(state, "c.csv"), buf_str(&text), 0600);
    buf_fini(&text);
    return make_objective(state, "version: 1\ntrial: {kernel: table, options: {file: c.csv}}\n"
                                 "metric: {name: loss, goal: minimize, step: step}\n"
                                 "parameters: {x: {min: 0, max: 19, type: int}}\n");
}

static void steps_are_counted_when_trials_are_stopped_early(void **state)
{
    struct bench_objective *objective = make_curves(state);
    struct contenders contenders = {0};
    struct err err;
    const atomic_bool stop = false;
    assert_int_equal(objective_steps(objective), 9);
    assert_int_equal(objective_last_step(objective), 9);
    assert_int_equal(contenders_read(&contenders, "random", &err), 0);
    assert_int_equal(contenders_stop(&contenders, "none,asha,median", &err), 0);
    double regret[3];
    for (size_t i = 0; i < contenders.count; i++) {
        struct simulated out;
        struct simulation simulation = {.objective = objective,
                                        .contender = &contenders.items[i],
                                        .seed = 3,
                                        .trials = 10,
                                        .by_steps = true,
                                        .workers = 2,
                                        .durations = {DURATION_CONSTANT, 60},
                                        .stop = &stop};
        assert_int_equal(simulate(&simulation, &out, &err), 0);
        assert_true(out.steps <= 90);
        assert_true(i == 0 ? out.stopped == 0 && out.ended >= 9 : out.ended > 0);
        assert_int_equal(out.standings[out.count - 1].trials, 10);
        regret[i] = out.standings[out.count - 1].regret;
        simulated_fini(&out);
    }
    assert_true(regret[1] <= regret[0]);
    contenders_fini(&contenders);
    objective_close(objective);
}

static void early_stopping_is_as_deterministic(void **state)
{
    struct bench_objective *objective = make_curves(state);
    char *one = rows_of(objective, "random,sobol", "none,asha,hyperband,median,patience,extrapolate", 1);
    char *three = rows_of(objective, "random,sobol", "none,asha,hyperband,median,patience,extrapolate", 3);
    assert_string_equal(one, three);
    assert_has(one, "task,sobol+asha,4,4,30,");
    free(three);
    free(one);
    objective_close(objective);
}

int main(void)
{
#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, enter_scratch, leave_scratch)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_tables_scale_is_that_of_its_configurations),
        IN_SCRATCH(without_noise_is_what_counts),
        IN_SCRATCH(trials_that_fail_by_chance_have_a_true_value),
        IN_SCRATCH(what_cant_be_benchmarked_is_refused),
        IN_SCRATCH(free_workers_ask_and_ends_are_told_in_the_order_of_the_clock),
        IN_SCRATCH(failures_count_as_trials_and_the_end_of_a_space_ends_a_search),
        IN_SCRATCH(a_program_that_breaks_down_ends_its_search_with_a_sentence),
        IN_SCRATCH(a_program_may_say_that_there_is_no_more),
        IN_SCRATCH(one_proposal_for_every_eight_workers_is_kept_ready),
        IN_SCRATCH(an_ask_that_is_put_off_waits_for_the_next_tell),
        IN_SCRATCH(with_a_queue_the_end_of_a_space_ends_a_search),
        IN_SCRATCH(a_program_that_breaks_down_with_a_queue_ends_its_search_too),
        IN_SCRATCH(the_number_of_jobs_changes_nothing),
        IN_SCRATCH(a_stopped_series_ends_and_keeps_what_is_complete),
        IN_SCRATCH(steps_are_counted_when_trials_are_stopped_early),
        IN_SCRATCH(early_stopping_is_as_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
