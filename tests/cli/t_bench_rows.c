/* Contenders, rows of results and what they come down to. */
#include "cli/bench/contender.h"
#include "cli/bench/bench_summary.h"
#include "tests/claims.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- contenders --- */

static void a_list_is_split_where_a_strategy_begins(void **state)
{
    (void)state;
    struct contenders contenders = {0};
    struct err err;
    assert_int_equal(contenders_read(&contenders, "random,grid:a=1,b=true,sobol,exec:./prog --x=1,2", &err), 0);
    assert_int_equal(contenders.count, 4);
    assert_string_equal(contenders.items[1].text, "grid:a=1,b=true");
    assert_string_equal(contenders.items[1].name, "grid");
    assert_int_equal(json_integer_value(json_object_get(contenders.items[1].options, "a")), 1);
    assert_true(json_is_true(json_object_get(contenders.items[1].options, "b")));
    assert_string_equal(contenders.items[2].text, "sobol");
    assert_string_equal(contenders.items[3].command, "./prog --x=1,2");
    assert_null(contenders.items[3].name);
    contenders_fini(&contenders);
}

static void refused(const char *list, const char *sentence)
{
    struct contenders contenders = {0};
    struct err err = {""};
    assert_int_equal(contenders_read(&contenders, list, &err), -1);
    assert_has(err.text, sentence);
    contenders_fini(&contenders);
}

static void what_is_no_strategy_gets_a_sentence(void **state)
{
    (void)state;
    refused("rnadom", "did you mean 'random'?");
    refused("random,random", "named twice");
    refused("sobol:scramble", "the option 'scramble' needs a value");
    refused("random,,sobol", "a comma too many");
    refused("exec:", "needs a program");
    refused("./nowhere.so", "nowhere.so");
}

static void every_contender_meets_every_stopper(void **state)
{
    (void)state;
    struct contenders contenders = {0};
    struct err err;
    assert_int_equal(contenders_read(&contenders, "random,sobol", &err), 0);
    assert_int_equal(contenders_stop(&contenders, "none,asha:eta=4,brackets=2,median", &err), 0);
    assert_int_equal(contenders.count, 6);
    assert_string_equal(contenders.items[0].text, "random");
    assert_null(contenders.items[0].stopper);
    assert_string_equal(contenders.items[3].text, "sobol+asha:eta=4,brackets=2");
    assert_string_equal(contenders.items[3].stopper, "asha");
    assert_int_equal(json_integer_value(json_object_get(contenders.items[3].stop_options, "eta")), 4);
    assert_int_equal(contenders_stop(&contenders, "ahsa", &err), -1);
    assert_has(err.text, "asha");
    contenders_fini(&contenders);
}

/* --- rows --- */

static void add(struct bench_rows *rows, const char *table, const char *strategy, uint64_t seed, uint64_t trials,
                double regret)
{
    rows_add(rows, &(struct bench_row){table, strategy, seed, 8, trials, 1 - regret, regret, 0.25, 1.5});
}

static void rows_come_back_from_csv_as_they_were(void **state)
{
    struct bench_rows rows = {0}, again = {0};
    struct buf text = {0};
    struct err err;
    add(&rows, "a", "gp:acquisition=ei,warp=false", 1, 10, 0.1 + 0.2);
    add(&rows, "a \"quoted\" one", "random", 2, 25, NAN);
    rows_write(&rows, &text);
    assert_has(buf_str(&text), "table,strategy,seed,workers,trials,best,regret,ask_ms_p50,ask_ms_p99\n"
                               "a,\"gp:acquisition=ei,warp=false\",1,8,10,");
    write_file(path_in(state, "rows.csv"), buf_str(&text), 0600);
    assert_int_equal(rows_read(&again, path_in(state, "rows.csv"), &err), 0);
    assert_int_equal(again.count, 2);
    assert_string_equal(again.items[0].strategy, rows.items[0].strategy);
    assert_true(again.items[0].regret == 0.1 + 0.2);
    assert_string_equal(again.items[1].table, "a \"quoted\" one");
    assert_int_equal(again.items[1].trials, 25);
    assert_true(isnan(again.items[1].regret));
    assert_float_equal(again.items[1].ask_ms_p99, 1.5, 0);
    buf_fini(&text);
    rows_fini(&again);
    rows_fini(&rows);
}

static void columns_may_stand_in_any_order_among_others(void **state)
{
    struct bench_rows rows = {0};
    struct err err;
    write_file(path_in(state, "x.csv"),
               "note,regret,best,trials,workers,seed,strategy,table,ask_ms_p99,ask_ms_p50\n"
               "hello,0.5,7,25,8,3,tpe,branin,2,\n",
               0600);
    assert_int_equal(rows_read(&rows, path_in(state, "x.csv"), &err), 0);
    assert_string_equal(rows.items[0].table, "branin");
    assert_int_equal(rows.items[0].seed, 3);
    assert_float_equal(rows.items[0].best, 7, 0);
    assert_true(isnan(rows.items[0].ask_ms_p50));
    rows_fini(&rows);
}

static void a_file_of_something_else_is_refused(void **state)
{
    struct bench_rows rows = {0};
    struct err err;
    write_file(path_in(state, "a.csv"), "table,strategy\nx,y\n", 0600);
    assert_int_equal(rows_read(&rows, path_in(state, "a.csv"), &err), -1);
    assert_has(err.text, "there is no column 'seed'");
    write_file(path_in(state, "b.csv"),
               "table,strategy,seed,workers,trials,best,regret,ask_ms_p50,ask_ms_p99\nx,y,-1,1,1,1,1,1,1\n", 0600);
    assert_int_equal(rows_read(&rows, path_in(state, "b.csv"), &err), -1);
    assert_has(err.text, "b.csv:2: '-1' can't be a 'seed'");
    rows_fini(&rows);
}

/* --- summaries --- */

static void ranks_come_from_searches_that_all_have_done(void **state)
{
    (void)state;
    struct bench_rows rows = {0};
    struct cube cube;
    struct bench_summary all[2];
    add(&rows, "t", "a", 1, 10, 0.1);
    add(&rows, "t", "b", 1, 10, 0.2);
    add(&rows, "t", "a", 2, 10, 0.3);
    add(&rows, "t", "b", 2, 10, 0.3);
    add(&rows, "t", "a", 3, 10, 0.9); /* b never did this one */
    add(&rows, "u", "a", 1, 10, NAN); /* found nothing: worse than anything */
    add(&rows, "u", "b", 1, 10, 5);
    cube_init(&cube, &rows);
    bench_summary_make(&cube, (struct summary_place){SUMMARY_ALL, 0, 0}, all);
    assert_int_equal(all[0].searches, 4);
    assert_int_equal(all[0].ranked, 3);
    assert_float_equal(all[0].rank, (1 + 1.5 + 2) / 3, 1e-12);
    assert_float_equal(all[1].rank, (2 + 1.5 + 1) / 3, 1e-12);
    assert_float_equal(all[1].regret, 0.3, 0);
    assert_true(isinf(all[0].mean_regret));
    bench_summary_make(&cube, (struct summary_place){0, 0, 0}, all);
    assert_float_equal(all[0].regret, 0.3, 0);
    assert_float_equal(all[0].best, 0.7, 0);
    cube_fini(&cube);
    rows_fini(&rows);
}

static void the_better_of_a_pair_wins_on_its_tables(void **state)
{
    (void)state;
    struct bench_rows rows = {0};
    struct cube cube;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        add(&rows, "t", "a", seed, 10, 0.1);
        add(&rows, "t", "b", seed, 10, 0.1 + 0.01 * (double)seed);
        add(&rows, "u", "a", seed, 10, seed % 2 ? 0.1 : 0.2);
        add(&rows, "u", "b", seed, 10, seed % 2 ? 0.2 : 0.1);
    }
    cube_init(&cube, &rows);
    struct summary_place everywhere = {SUMMARY_ALL, 0, 0};
    struct wilcoxon test = bench_summary_pair(&cube, everywhere, 0, 1);
    assert_int_equal(test.below, 15);
    assert_int_equal(test.above, 5);
    assert_int_equal(bench_summary_better(&cube, everywhere, 0, 1), 1);
    assert_int_equal(bench_summary_better(&cube, everywhere, 1, 0), 0);
    cube_fini(&cube);
    rows_fini(&rows);
}

static void the_last_of_several_rows_of_a_search_counts(void **state)
{
    (void)state;
    struct bench_rows rows = {0};
    struct cube cube;
    add(&rows, "t", "a", 1, 10, 0.1);
    add(&rows, "t", "a", 1, 10, 0.4);
    cube_init(&cube, &rows);
    assert_float_equal(cube_at(&cube, 0, 0, 0, 0, 0)->regret, 0.4, 0);
    cube_fini(&cube);
    rows_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_split_where_a_strategy_begins),
        cmocka_unit_test(what_is_no_strategy_gets_a_sentence),
        cmocka_unit_test(every_contender_meets_every_stopper),
        cmocka_unit_test_setup_teardown(rows_come_back_from_csv_as_they_were, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(columns_may_stand_in_any_order_among_others, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_file_of_something_else_is_refused, enter_scratch, leave_scratch),
        cmocka_unit_test(ranks_come_from_searches_that_all_have_done),
        cmocka_unit_test(the_better_of_a_pair_wins_on_its_tables),
        cmocka_unit_test(the_last_of_several_rows_of_a_search_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
