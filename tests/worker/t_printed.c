/* Metrics in what programs print. */
#include "common/line_pattern.h"
#include "common/rng.h"
#include "common/units.h"
#include "tests/claims.h"
#include "worker/program/printed.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"loss", "val/acc-1", NULL};

static void write_down(void *context, const char *name, int64_t step, double value)
{
    char number[32];
    buf_format(context, "%s@%lld=%s;", name, (long long)step, units_show_real(value, number, sizeof number));
}

/* Reads a text in pieces of this size; what was found, as "name@step=value;". */
static void read_pieces(const char *text, size_t length, size_t piece, struct buf *out)
{
    struct printed *printed = printed_create(names, NULL, write_down, out);
    for (size_t at = 0; at < length; at += piece)
        printed_read(printed, PRINTED_OUT, text + at, length - at < piece ? length - at : piece);
    printed_end(printed);
    printed_destroy(printed);
}

static void assert_found(const char *text, const char *expected)
{
    size_t length = strlen(text);
    for (size_t piece = 1; piece <= length; piece++) {
        struct buf out = {0};
        read_pieces(text, length, piece, &out);
        assert_string_equal(buf_str(&out), expected);
        buf_fini(&out);
    }
}

static void both_ways_of_writing_are_read(void **state)
{
    (void)state;
    assert_found("loss=0.5\n", "loss@1=0.5;");
    assert_found("loss: 0.5", "loss@1=0.5;");
    assert_found("loss = 1e-3, done\n", "loss@1=0.001;");
    assert_found("INFO:root:loss=-2\n", "loss@1=-2.0;");
    assert_found("{\"loss\": 0.25}\n{'loss': 0.5}\n", "loss@1=0.25;loss@2=0.5;");
    assert_found("a val/acc-1=97.5% b\n", "val/acc-1@1=97.5;");
    assert_found("ends loss=3.\n", "loss@1=3.0;");
    assert_found("loss 0.5\tval/acc-1 0.25\n| loss | 2 |", "loss@1=0.5;val/acc-1@1=0.25;loss@2=2.0;");
}

static void names_are_whole_words(void **state)
{
    (void)state;
    assert_found("val_loss=1 loss_2=1 xloss=1 train/loss=1 --loss=1 .loss=1 Loss=1 loss==1 loss=x\n", "");
    assert_found("loss=1.2.3 loss=4x loss=5_ loss= loss\n", "");
}

static void values_as_python_shows_them_are_read(void **state)
{
    (void)state;
    assert_found("loss: tensor(0.25)", "loss@1=0.25;");
    assert_found("loss tensor(0.25, device='cuda:0', grad_fn=<NllLossBackward0>) epoch 3", "loss@3=0.25;");
    assert_found("loss=tensor([0.25], device='cuda:0')\n", "loss@1=0.25;");
    assert_found("{'loss': np.float64(0.25)}\n", "loss@1=0.25;");
    assert_found("loss [0.25]\nloss=array([[0.5]], dtype=float32)\n", "loss@1=0.25;loss@2=0.5;");
    assert_found("{\"loss\": \"0.25\"}\n", "loss@1=0.25;");
    assert_found("loss=[0.25, 0.5] loss=tensor([1., 2.]) loss=foo(1) loss=tensor(1 loss=[1\n", "");
}

static void times_of_day_are_no_values(void **state)
{
    (void)state;
    assert_found("2026-01-02 12:30:45,123 INFO root: epoch=1 loss=0.25\n", "loss@1=0.25;");
    assert_found("loss 12:30:45\n", "");
    assert_found("[12:30:45] epoch 2 eta: 0:03:20 loss: 0.25 (0.31)\n", "loss@2=0.25;");
}

/* The names are other ones here. */
static void names_with_blanks_are_found(void **state)
{
    (void)state;
    static const char *const spaced[] = {"val loss", "loss", "acc (top-1)", NULL};
    static const char text[] =
        "val loss: 0.5 loss=2\n{\"val loss\": 0.25}\nacc (top-1) = 3, xval loss: 1 val losses 4\n";
    struct buf out = {0};
    struct printed *printed = printed_create(spaced, NULL, write_down, &out);
    printed_read(printed, PRINTED_OUT, text, sizeof text - 1);
    printed_end(printed);
    assert_string_equal(buf_str(&out), "val loss@1=0.5;loss@1=2.0;val loss@2=0.25;acc (top-1)@1=3.0;loss@2=1.0;");
    printed_destroy(printed);
    buf_fini(&out);
}

static void other_metrics_count_where_the_line_is_about_metrics(void **state)
{
    (void)state;
    assert_found("loss=1 acc=2 time: 0.5\n", "loss@1=1.0;acc@1=2.0;time@1=0.5;");
    assert_found("epoch 3: train/acc=0.5\n{\"step\": 4, \"lr\": 0.1, \"note\": \"x\"}\n", "train/acc@3=0.5;lr@4=0.1;");
    assert_found("Loading data: 100 files\nNamespace(epochs=10, lr=0.1, seed=3)\nlistens on port: 8080\n", "");
    assert_found("epoch 3 took 5 s, INFO: 7, 12:30, line: 3, a4=1\n", "a4@3=1.0;");
}

static void other_metrics_are_bounded(void **state)
{
    (void)state;
    struct buf text = {0}, out = {0};
    for (int i = 0; i < 100; i++)
        buf_format(&text, "loss=1 n%d=1\n", i);
    for (int i = 0; i < 3000; i++)
        buf_format(&text, "step=%d n1=%d\n", i, i);
    read_pieces(buf_str(&text), text.length, text.length, &out);
    assert_has(buf_str(&out), "n31@");
    assert_null(strstr(buf_str(&out), "n32@"));
    assert_has(buf_str(&out), "n1@998=998.0;n1@2999=2999.0;"); /* its first value was of the lines before */
    buf_fini(&text);
    buf_fini(&out);
}

/* A line of a program that writes all it knows, or its whole history, at once. */
static void what_is_looked_for_is_found_in_a_line_with_many_metrics(void **state)
{
    (void)state;
    struct buf text = {0}, out = {0};
    for (int i = 0; i < 100; i++)
        buf_format(&text, "m%d=%d ", i, i);
    buf_text(&text, "loss=0.5\n{\"history\": [");
    for (int i = 0; i < 99; i++)
        buf_text(&text, "{\"loss\": 9}, ");
    buf_text(&text, "{\"loss\": 0.25}]}\n");
    read_pieces(buf_str(&text), text.length, text.length, &out);
    assert_has(buf_str(&out), "loss@1=0.5;");
    assert_has(buf_str(&out), "loss@101=0.25;");
    buf_fini(&text);
    buf_fini(&out);
}

/* What is said of a trial that printed this and no value. */
static void is_said(const char *text, const char *expected)
{
    struct buf out = {0}, others = {0};
    struct printed *printed = printed_create(names, NULL, write_down, &out);
    printed_read(printed, PRINTED_OUT, text, strlen(text));
    printed_end(printed);
    printed_others(printed, &others);
    assert_string_equal(buf_str(&out), "");
    assert_string_equal(buf_str(&others), expected);
    printed_destroy(printed);
    buf_fini(&out);
    buf_fini(&others);
}

static void what_is_no_number_is_quoted(void **state)
{
    (void)state;
    is_said("loss: None of 3\nloss=N/A\n", "it printed 'loss: None', which is not read as a number");
    is_said("loss=1_000\n", "it printed 'loss=1_000', which is not read as a number");
    is_said("{\"loss\": null, \"acc\": \"x\"}\n", "it printed 'loss\": null,', which is not read as a number");
    is_said("loss of all\nloss=\nloss: \n", "");
    is_said("Loss=0.5\n", "it printed Loss");
    is_said("loss: wait\nval_loss=0.5\n",
            "it printed 'loss: wait', which is not read as a number; and it printed val_loss");
}

static void a_decimal_comma_is_no_value(void **state)
{
    (void)state;
    struct buf out = {0}, others = {0};
    struct printed *printed = printed_create(names, NULL, write_down, &out);
    static const char text[] = "loss=0,25 acc=0,5\nloss: 1,234.5\n";
    printed_read(printed, PRINTED_OUT, text, sizeof text - 1);
    printed_others(printed, &others);
    assert_string_equal(buf_str(&out), "");
    assert_has(buf_str(&others), "it printed 'loss=0,25', and a decimal comma is not read");
    printed_destroy(printed);
    buf_fini(&out);
    buf_fini(&others);
    assert_found("loss=1,val/acc-1=2,x\n", "loss@1=1.0;val/acc-1@1=2.0;");
    assert_found("loss=0.5,1\n", "loss@1=0.5;");
    assert_found("loss=1.234,56\nloss: -123.456,7\n", "");
    assert_found("loss=1.234,0.5\nloss=0.234,5\nloss=1.23,4\nloss=1234.567,8\nloss=1.234, 5\n",
                 "loss@1=1.234;loss@2=0.234;loss@3=1.23;loss@4=1234.567;loss@5=1.234;");
}

static void assert_fits(const char *pattern, const char *text, const char *expected)
{
    struct buf out = {0};
    struct printed *printed = printed_create(names, pattern, write_down, &out);
    printed_read(printed, PRINTED_FILE, text, strlen(text));
    printed_end(printed);
    assert_string_equal(buf_str(&out), expected);
    printed_destroy(printed);
    buf_fini(&out);
}

static void a_pattern_says_what_counts(void **state)
{
    (void)state;
    assert_fits("objective is now {value}", "loss=9\nThe objective is   now tensor(0.5) at last\nobjective is now x\n",
                "loss@1=0.5;");
    assert_fits("[{step}] {name} -> {value}", "[7] val/acc-1 -> 0.5\n[8] other -> 1 [9] loss  ->2\n[x] loss -> 3\n",
                "val/acc-1@7=0.5;loss@9=2.0;other@8=1.0;");
    assert_fits("val {value}", "epoch 4: train 1 val 2\n", "loss@4=2.0;"); /* its step as ever */
    assert_fits("at {step} {any}: {name} is {value}", "at 3 of 9: loss is 0.5\n", "loss@3=0.5;");
    assert_fits("{value} percent", "x1 percent, 97.5 percent of 20 percent\n", "loss@1=97.5;loss@2=20.0;");
    assert_fits("{name}: {value}", "val/acc-1: 1, losses: 2\n", "val/acc-1@1=1.0;losses@1=2.0;");
    assert_fits("a{any}b{value}", "a a a b x\n", "");
}

/* Reads a line of which the first metric's percent signs count; a pattern or NULL. */
static void assert_share(const char *pattern, const char *text, const char *expected)
{
    struct buf out = {0};
    struct printed *printed = printed_create(names, pattern, write_down, &out);
    printed_percent(printed, (const char *const[]){"loss", "another", NULL});
    printed_read(printed, PRINTED_OUT, text, strlen(text));
    printed_end(printed);
    assert_string_equal(buf_str(&out), expected);
    printed_destroy(printed);
    buf_fini(&out);
}

static void percent_signs_count_of_metrics_that_say_so(void **state)
{
    (void)state;
    assert_share(NULL, "loss=25% val/acc-1=25% other=25%\n", "loss@1=0.25;val/acc-1@1=25.0;other@1=25.0;");
    assert_share(NULL, "loss 0.25\nloss: 25 %, loss=25%|##\n", "loss@1=0.25;loss@2=0.25;loss@3=0.25;");
    assert_share(NULL, "{\"loss\": \"25%\"}\nloss [25.0 %]\nloss: tensor(25.)%\n",
                 "loss@1=0.25;loss@2=0.25;loss@3=0.25;");
    assert_share(NULL, "loss=250% loss=-1e1% loss=nan%\n", "loss@1=2.5;loss@2=-0.1;loss@3=nan;");
    assert_share(NULL, "loss=25%s loss=25%% loss=25%_\n", "loss@1=25.0;loss@2=25.0;loss@3=25.0;");
    assert_share("now {value}%", "now 25%\n", "loss@1=0.25;");
    assert_share("{name} is {value}", "val/acc-1 is 25% loss is 25 % loss is 0.25\n",
                 "val/acc-1@1=25.0;loss@1=0.25;loss@2=0.25;");
    assert_found("{\"loss\": \"25%\"}\n", "");
}

static void a_pattern_costs_no_more_than_a_line_is_worth(void **state)
{
    (void)state;
    enum { LENGTH = 3 << 20 };
    char *text = malloc(LENGTH + 1);
    memset(text, 'a', LENGTH);
    text[LENGTH] = '\0';
    assert_fits("a{any}b{value}", text, "");
    free(text);
}

/* From each of thousands of places in a line all the rest of it could be looked over. */
static void what_is_looked_over_for_a_value_is_bounded(void **state)
{
    (void)state;
    char gap[300 + 1], text[3000];
    snprintf(gap, sizeof gap, "%*s", 200, "");
    snprintf(text, sizeof text, "loss%s=%s0.5\n", gap, gap);
    assert_found(text, "loss@1=0.5;");
    assert_fits("loss{any} is {value}", text, "");
    snprintf(gap, sizeof gap, "%*s", 300, "");
    snprintf(text, sizeof text, "loss%s0.5\n", gap);
    assert_found(text, "");
    snprintf(text, sizeof text, "loss=tensor(0.5, %0*d) (7)\n", 100, 0);
    assert_found(text, "loss@7=0.5;");
    snprintf(text, sizeof text, "loss=tensor(0.5, %0*d) (7)\n", 2000, 0);
    assert_found(text, "loss@1=0.5;");
}

static void a_pattern_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const bad[][2] = {
        {"loss", "it has {value} nowhere"},
        {"{value} {value}", "{value} more than once"},
        {"{name}{value}", "no text between {value} and"},
        {"{any} {value}", "{any} at its beginning"},
        {"{loss}={value}", "{loss} is none of {value}, {name}, {step} and {any}"},
        {"a\n{value}", "longer than a line"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct line_pattern pattern;
        struct err err = {""};
        assert_int_equal(line_pattern_read(bad[i][0], &pattern, &err), -1);
        assert_has(err.text, bad[i][1]);
    }
    struct line_pattern pattern;
    assert_int_equal(line_pattern_read("{\"a\": {value}}", &pattern, NULL), 0); /* braces that are text */
}

static void a_metrics_file_is_one_of_the_trials_own(void **state)
{
    (void)state;
    static const char *const good[] = {"metrics.jsonl",  "logs/version_0/metrics.csv", "..a", ".hidden", "a..b/c.",
                                       "./metrics.jsonl"};
    static const char *const bad[][2] = {
        {"", "it is empty"},
        {"/tmp/metrics", "no file of the trial's directory"},
        {"..", "no file of the trial's directory"},
        {"a/../../b", "no file of the trial's directory"},
        {"a/.", "no file of the trial's directory"},
        {"a/..", "no file of the trial's directory"},
        {".", "no file of the trial's directory"},
        {"././stdout", "gannet's own name"},
        {"logs/", "no file of the trial's directory"},
        {"stdout", "gannet's own name"},
        {"params.json", "gannet's own name"},
        {"config.yaml", "gannet's own name"}, /* of trial.config */
        {"config.json", "gannet's own name"},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(line_pattern_check_file(good[i], NULL), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {""};
        assert_int_equal(line_pattern_check_file(bad[i][0], &err), -1);
        assert_has(err.text, bad[i][1]);
    }
}

static void what_is_said_on_both_streams_counts_once(void **state)
{
    (void)state;
    struct buf out = {0};
    struct printed *printed = printed_create(names, NULL, write_down, &out);
    printed_read(printed, PRINTED_OUT, "loss=1\n", 7);
    printed_read(printed, PRINTED_ERR, "loss=1\n", 7);
    printed_read(printed, PRINTED_ERR, "val/acc", 7);
    printed_read(printed, PRINTED_OUT, "loss=2\n", 7);
    printed_read(printed, PRINTED_ERR, "-1=3\n", 5);
    printed_read(printed, PRINTED_ERR, "step=9 loss=3\n", 14);
    assert_string_equal(buf_str(&out), "loss@1=1.0;loss@2=2.0;val/acc-1@1=3.0;loss@9=3.0;");
    printed_destroy(printed);
    buf_fini(&out);
}

static void what_is_not_finite_is_a_value(void **state)
{
    (void)state;
    assert_found("loss=nan\nloss=-inf\nloss=Infinity\nloss=information\nloss=nano\n",
                 "loss@1=nan;loss@2=-inf;loss@3=inf;");
}

static void steps_come_from_the_line_or_are_counted(void **state)
{
    (void)state;
    assert_found("epoch=3 loss=1\nloss=2\n", "loss@3=1.0;loss@4=2.0;");
    assert_found("loss=1 step=100 epoch=3\n", "loss@100=1.0;");
    assert_found("loss=1 (7) val/acc-1=2 (8)\n", "loss@7=1.0;val/acc-1@8=2.0;");
    assert_found("Epoch: 2/10 - loss: 0.5\n", "loss@2=0.5;");
    assert_found("Epoch 2: loss 1\nEpoch [3/10], loss: 2\nepoch: 4.5 loss=3\n", "loss@2=1.0;loss@3=2.0;loss@4=3.0;");
    assert_found("loss=1 (0.9)\n", "loss@1=1.0;"); /* a running mean, no step */
    assert_found("step=-1 loss=1\nstep=1e99 loss=1\n", "loss@1=1.0;loss@2=1.0;");
}

static void progress_bars_and_colours_are_seen_through(void **state)
{
    (void)state;
    assert_found("50%\rloss=1\r100%\rloss=2\r\n", "loss@1=2.0;");
    assert_found("loss=1\r\nloss=2\r\n", "loss@1=1.0;loss@2=2.0;"); /* lines as Windows ends them */
    assert_found("\r 10%|# | 1/10 [00:01<00:09,  1.00it/s, loss=9]\r 20%|## | 2/10 [00:02<00:08, loss=8]\repoch 1 "
                 "loss=0.5\n",
                 "loss@1=0.5;");
    assert_found("loss=1\r", "loss@1=1.0;"); /* what stands there in the end */
    assert_found("\033[32mloss\033[0m=\033[1;31m0.5\033[0m\n", "loss@1=0.5;");
    assert_found("\033[2K\033[?25lloss=\033[1m0.5\033[0m,\n", "loss@1=0.5;");
}

static void a_line_without_end_is_read_in_parts(void **state)
{
    (void)state;
    enum { LENGTH = 300000 };
    char *text = malloc(LENGTH);
    memset(text, ' ', LENGTH);
    memcpy(text + LENGTH - 7, "loss=11", 7);
    memcpy(text + 100, "loss=22", 7);
    struct buf out = {0};
    read_pieces(text, LENGTH, 1000, &out);
    assert_string_equal(buf_str(&out), "loss@1=22.0;loss@2=11.0;");
    buf_fini(&out);
    free(text);
}

/* The history of a training, as one line of JSON: a piece of a number is another number. */
static void a_value_is_not_cut_where_a_long_line_is(void **state)
{
    (void)state;
    for (int shift = 0; shift < 40; shift++) {
        struct buf text = {0}, out = {0};
        buf_format(&text, "%*s[", shift, "");
        for (int i = 0; i < 4000; i++)
            buf_text(&text, "{\"epoch\": 7, \"loss\": 0.125}, ");
        read_pieces(buf_str(&text), text.length, 4096, &out);
        size_t values = 0;
        for (const char *at = buf_str(&out); *at; at = strchr(at, ';') + 1, values++)
            assert_memory_equal(at, "loss@7=0.125;", 13);
        assert_int_equal(values, 4000);
        buf_fini(&text);
        buf_fini(&out);
    }
}

static void garbage_does_no_harm(void **state)
{
    (void)state;
    static const char alphabet[] = "loss=:. 0123\n\"'()\033[step\r\0\xff\x80";
    struct rng rng = rng_make(3, "garbage", 0);
    for (int round = 0; round < 2000; round++) {
        char text[200];
        size_t length = rng_below(&rng, sizeof text);
        for (size_t i = 0; i < length; i++)
            text[i] = round % 2 ? (char)rng_next(&rng) : alphabet[rng_below(&rng, sizeof alphabet)];
        struct buf whole = {0}, parts = {0};
        read_pieces(text, length, length + 1, &whole);
        read_pieces(text, length, 1 + rng_below(&rng, 20), &parts);
        assert_string_equal(buf_str(&whole), buf_str(&parts));
        buf_fini(&whole);
        buf_fini(&parts);
    }
}

static void other_names_are_remembered_for_the_sentence(void **state)
{
    (void)state;
    struct buf out = {0}, others = {0};
    struct printed *printed = printed_create(names, NULL, write_down, &out);
    static const char text[] = "train_loss=1 acc: 2 acc=3 step=4 12:30 a=x\nb=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1\n";
    printed_read(printed, PRINTED_OUT, text, sizeof text - 1);
    printed_others(printed, &others);
    assert_string_equal(buf_str(&others), "it printed train_loss, acc, b, c, d, e, f, g");
    printed_destroy(printed);
    buf_fini(&out);
    buf_fini(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_of_writing_are_read),
        cmocka_unit_test(values_as_python_shows_them_are_read),
        cmocka_unit_test(times_of_day_are_no_values),
        cmocka_unit_test(names_with_blanks_are_found),
        cmocka_unit_test(other_metrics_count_where_the_line_is_about_metrics),
        cmocka_unit_test(other_metrics_are_bounded),
        cmocka_unit_test(what_is_looked_for_is_found_in_a_line_with_many_metrics),
        cmocka_unit_test(what_is_no_number_is_quoted),
        cmocka_unit_test(a_decimal_comma_is_no_value),
        cmocka_unit_test(a_pattern_says_what_counts),
        cmocka_unit_test(percent_signs_count_of_metrics_that_say_so),
        cmocka_unit_test(a_pattern_costs_no_more_than_a_line_is_worth),
        cmocka_unit_test(what_is_looked_over_for_a_value_is_bounded),
        cmocka_unit_test(a_pattern_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_metrics_file_is_one_of_the_trials_own),
        cmocka_unit_test(what_is_said_on_both_streams_counts_once),
        cmocka_unit_test(names_are_whole_words),
        cmocka_unit_test(what_is_not_finite_is_a_value),
        cmocka_unit_test(steps_come_from_the_line_or_are_counted),
        cmocka_unit_test(progress_bars_and_colours_are_seen_through),
        cmocka_unit_test(a_line_without_end_is_read_in_parts),
        cmocka_unit_test(a_value_is_not_cut_where_a_long_line_is),
        cmocka_unit_test(garbage_does_no_harm),
        cmocka_unit_test(other_names_are_remembered_for_the_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
