/* The kernel table: configurations looked up in CSV files. */
#include "common/mem.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tried tried; /* what the last look_up found */

static int forget(void **state)
{
    tried_fini(&tried);
    return leave_scratch(state);
}

/* Looks params up in a table of this text; `more`: further options, "" or ", 'repeat': 1". */
static enum ending look_up(void **state, const char *table, const char *more, const char *params)
{
    const char *path = path_in(state, "table.csv");
    write_file(path, table, 0600);
    char *options = mem_format("{'file': '%s'%s}", path, more);
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){"table", "loss", options, params, 5, 1});
    free(options);
    return tried.opened ? tried.run.ending : ENDINGS_COUNT;
}

static void assert_found(void **state, const char *table, const char *params, double value)
{
    assert_int_equal(look_up(state, table, "", params), ENDING_COMPLETED);
    assert_true(tried_last(&tried, "loss") == value);
}

static const char grid[] =
    "lr,width,kind,loss\n1e-05,16,relu,0.5\n1e-05,32,relu,0.25\n0.1,16,tanh,0.75\n0.3,16,tanh,2\n";

static void a_configuration_has_its_row_s_value(void **state)
{
    assert_found(state, grid, "{'lr': 1e-05, 'width': 32, 'kind': 'relu'}", 0.25);
    assert_found(state, grid, "{'kind': 'tanh', 'width': 16, 'lr': 0.1}", 0.75);
    assert_int_equal(tried.run.sample_count, 1);
    assert_int_equal(tried.run.samples[0].step, 1);
}

static void numbers_are_compared_as_numbers(void **state)
{
    assert_found(state, grid, "{'lr': 0.00001, 'width': 16.0, 'kind': 'relu'}", 0.5);
    assert_found(state, grid, "{'lr': 0.30000000000000004, 'width': 16, 'kind': 'tanh'}", 2);
    assert_found(state, grid, "{'lr': '1e-5', 'width': '16', 'kind': 'relu'}", 0.5);
    assert_found(state, "n,loss\n-0.0,1\n1e3,2\n+5,3\n", "{'n': 0}", 1);
    assert_found(state, "n,loss\n-0.0,1\n1e3,2\n+5,3\n", "{'n': 1000}", 2);
    assert_found(state, "n,loss\n-0.0,1\n1e3,2\n+5,3\n", "{'n': 5}", 3);
}

static void texts_switches_and_nothing_are_compared_as_such(void **state)
{
    static const char table[] = "name,flag,extra,loss\nnan,True,,1\nnan,False,,2\ninf,True,3,3\n";
    assert_found(state, table, "{'name': 'nan', 'flag': true}", 1);
    assert_found(state, table, "{'name': 'nan', 'flag': false, 'extra': null}", 2);
    assert_found(state, table, "{'name': 'inf', 'flag': true, 'extra': 3}", 3);
    assert_int_equal(look_up(state, table, "", "{'name': 'nan', 'flag': true, 'extra': 3}"), ENDING_BAD_CONFIG);
}

static void what_is_not_in_the_table_is_refused_with_its_name(void **state)
{
    assert_int_equal(look_up(state, grid, "", "{'lr': 0.2, 'width': 16, 'kind': 'tanh'}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "no row of table.csv has lr 0.2");
    assert_int_equal(look_up(state, grid, "", "{'lr': 0.3, 'width': 32, 'kind': 'relu'}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "no row of table.csv has the configuration {");
    assert_int_equal(look_up(state, grid, "", "{'lr': 0.3, 'width': 32, 'depth': 1}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "no column 'depth' of parameters; these are: lr, width, kind");
    assert_int_equal(look_up(state, grid, "", "{'lr': 0.3}"), ENDING_BAD_CONFIG);
    assert_has(tried.run.detail.text, "says nothing of 'width'");
    assert_int_equal(look_up(state, grid, "", "{'lr': [1], 'width': 32, 'kind': 'relu'}"), ENDING_BAD_CONFIG);
}

static void a_missing_value_diverges(void **state)
{
    assert_int_equal(look_up(state, "x,loss\n1,nan\n2,\n", "", "{'x': 1}"), ENDING_DIVERGED);
    assert_int_equal(tried.run.sample_count, 0);
    assert_has(tried.run.detail.text, "loss became NaN at step 1");
    assert_int_equal(look_up(state, "x,loss\n1,nan\n2,\n", "", "{'x': 2}"), ENDING_DIVERGED);
}

static const char curves[] = "row,step,loss,time\n7,0,3,1\n7,1,2,2\n8,0,5,1\n7,2,1,3\n8,1,nan,2\n8,2,nan,3\n";

static void a_learning_curve_is_reported_step_by_step(void **state)
{
    assert_int_equal(look_up(state, curves, ", 'also': ['time']", "{'row': 7}"), ENDING_COMPLETED);
    assert_int_equal(tried.run.sample_count, 6);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(tried.run.samples[2 * i].metric, "loss");
        assert_int_equal(tried.run.samples[2 * i].step, i);
        assert_true(tried.run.samples[2 * i].value == 3 - i);
        assert_string_equal(tried.run.samples[2 * i + 1].metric, "time");
    }
}

static void a_curve_that_diverges_keeps_the_values_before(void **state)
{
    assert_int_equal(look_up(state, curves, ", 'also': ['time']", "{'row': 8}"), ENDING_DIVERGED);
    assert_true(tried_last(&tried, "loss") == 5);
}

static void other_metrics_must_be_columns(void **state)
{
    assert_int_equal(look_up(state, curves, ", 'also': ['tiem']", "{'row': 7}"), ENDINGS_COUNT);
    assert_has(tried.trouble.text, "has no column 'tiem', which the option 'also' names");
    assert_int_equal(look_up(state, curves, ", 'also': [1]", "{'row': 7}"), ENDINGS_COUNT);
    assert_has(tried.trouble.text, "must hold names of columns");
}

static void a_table_without_parameters_has_one_configuration(void **state)
{
    assert_found(state, "loss\n4\n", "{}", 4);
    assert_int_equal(look_up(state, "loss\n4\n5\n", "", "{}"), ENDINGS_COUNT);
    assert_int_equal(look_up(state, "loss\n", "", "{}"), ENDING_BAD_CONFIG);
}

static const char repeats[] = "x,loss,loss.s0,loss.s1,loss.s2\n1,2,1,2,3\n2,20,10,20,30\n";

static void repeats_are_taken_as_the_option_says(void **state)
{
    assert_int_equal(look_up(state, repeats, "", "{'x': 2}"), ENDING_COMPLETED);
    assert_true(tried_last(&tried, "loss") == 20);
    assert_int_equal(look_up(state, repeats, ", 'repeat': 2", "{'x': 2}"), ENDING_COMPLETED);
    assert_true(tried_last(&tried, "loss") == 30);
    assert_int_equal(look_up(state, repeats, ", 'repeat': 3", "{'x': 2}"), ENDINGS_COUNT);
    assert_has(tried.trouble.text, "it has 3 columns loss.s0");
    assert_int_equal(look_up(state, "x,loss\n1,2\n", ", 'repeat': 'random'", "{'x': 1}"), ENDINGS_COUNT);
}

static void without_a_column_of_means_the_mean_is_taken(void **state)
{
    assert_found(state, "x,loss.s0,loss.s1\n1,1,4\n", "{'x': 1}", 2.5);
}

static void a_random_repeat_is_the_trial_s_own(void **state)
{
    char *options = mem_format("{'file': '%s', 'repeat': 'random'}", path_in(state, "table.csv"));
    write_file(path_in(state, "table.csv"), repeats, 0600);
    int counts[4] = {0};
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct trial_text text = {"table", "loss", options, "{'x': 1}", seed, 1};
        struct tried once = try_trial(&text), again = try_trial(&text);
        assert_true(tried_last(&once, "loss") == tried_last(&again, "loss"));
        counts[(int)tried_last(&once, "loss")]++;
        tried_fini(&once);
        tried_fini(&again);
    }
    assert_true(counts[1] > 5 && counts[2] > 5 && counts[3] > 5 && counts[1] + counts[2] + counts[3] == 60);
    free(options);
}

static void the_metric_s_column_may_have_another_name(void **state)
{
    assert_int_equal(look_up(state, "x,time_ms\n1,4.5\n", ", 'metric': 'time_ms'", "{'x': 1}"), ENDING_COMPLETED);
    assert_true(tried_last(&tried, "loss") == 4.5);
}

static void tables_that_make_no_sense_are_trouble_for_all_trials(void **state)
{
    static const struct {
        const char *table, *sentence;
    } bad[] = {
        {"a,b\n1,2\n", "table.csv: has no column 'loss', the metric; its columns are a, b"},
        {"a,a,loss\n1,2,3\n", "table.csv:1: the columns 1 and 2 have the same name 'a'"},
        {"a,loss\n1,2\n1.0,3\n", "table.csv:3: has the same configuration as line 2"},
        {"a,loss\n1,two\n", "table.csv:2: column 'loss' holds 'two', which is no number"},
        {"a,step,loss\n1,x,2\n", "table.csv:2: column 'step' holds 'x'; a step is an integer from 0"},
        {"a,step,loss\n1,-1,2\n", "a step is an integer from 0"},
        {"a,step,loss\n1,2,2\n1,1,2\n", "table.csv:3: the steps of a configuration must ascend; line 2"},
        {"a,step,loss\n1,2,2\n1,2,2\n", "table.csv:3: has the same configuration as line 2"},
        {"a,loss\n1\n", "table.csv:2: has 1 cells where the header has 2"},
        {"", "is empty"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(look_up(state, bad[i].table, "", "{'a': 1}"), ENDINGS_COUNT);
        assert_has(tried.trouble.text, bad[i].sentence);
    }
}

/* --- against a reader that knows nothing of levels and hashes --- */

enum { LEVELS = 6, COLUMNS = 4, ROWS = 400 };

/* Six values, each written in two ways; the last two are texts. */
static const char *const cells[LEVELS][2] = {{"1e-3", "0.001"}, {"16", "16.0"},   {"-2.5", "-25e-1"},
                                             {"0", "-0"},       {"relu", "relu"}, {"16px", "16px"}};
static const char *const values[LEVELS] = {"0.001", "16", "-2.5", "0.0", "'relu'", "'16px'"};

/* Draws a configuration; its number, different for each. */
static int draw(struct rng *rng, int *levels)
{
    int number = 0;
    for (int c = 0; c < COLUMNS; c++) {
        levels[c] = (int)rng_below(rng, LEVELS);
        number = number * LEVELS + levels[c];
    }
    return number;
}

static void random_tables_agree_with_a_naive_reader(void **state)
{
    enum { CONFIGURATIONS = LEVELS * LEVELS * LEVELS * LEVELS };
    static double known[CONFIGURATIONS];
    struct rng rng = rng_make(3, "table", 0);
    struct buf text = {0};
    int levels[COLUMNS];
    for (int i = 0; i < CONFIGURATIONS; i++)
        known[i] = NAN;
    buf_text(&text, "a,b,c,d,loss\n");
    for (int n = 0; n < ROWS; n++) {
        int number = draw(&rng, levels);
        if (!isnan(known[number]))
            continue;
        known[number] = (double)n / 8;
        for (int c = 0; c < COLUMNS; c++)
            buf_format(&text, "%s,", cells[levels[c]][rng_below(&rng, 2)]);
        buf_format(&text, "%.17g\n", known[number]);
    }
    for (int n = 0; n < 200; n++) {
        int number = draw(&rng, levels);
        char *params = mem_format("{'d': %s, 'a': %s, 'c': %s, 'b': %s}", values[levels[3]], values[levels[0]],
                                  values[levels[2]], values[levels[1]]);
        enum ending ending = look_up(state, buf_str(&text), "", params);
        assert_int_equal(ending, isnan(known[number]) ? ENDING_BAD_CONFIG : ENDING_COMPLETED);
        if (!isnan(known[number]))
            assert_true(tried_last(&tried, "loss") == known[number]);
        free(params);
    }
    buf_fini(&text);
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(a_configuration_has_its_row_s_value),
        CLAIM(numbers_are_compared_as_numbers),
        CLAIM(texts_switches_and_nothing_are_compared_as_such),
        CLAIM(what_is_not_in_the_table_is_refused_with_its_name),
        CLAIM(a_missing_value_diverges),
        CLAIM(a_learning_curve_is_reported_step_by_step),
        CLAIM(a_curve_that_diverges_keeps_the_values_before),
        CLAIM(other_metrics_must_be_columns),
        CLAIM(a_table_without_parameters_has_one_configuration),
        CLAIM(repeats_are_taken_as_the_option_says),
        CLAIM(without_a_column_of_means_the_mean_is_taken),
        CLAIM(a_random_repeat_is_the_trial_s_own),
        CLAIM(the_metric_s_column_may_have_another_name),
        CLAIM(tables_that_make_no_sense_are_trouble_for_all_trials),
        CLAIM(random_tables_agree_with_a_naive_reader),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
