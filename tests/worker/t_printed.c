/* Metrics in what programs print. */
#include "common/rng.h"
#include "common/units.h"
#include "worker/program/printed.h"

#include <setjmp.h>
#include <stdarg.h>
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
    struct printed *printed = printed_create(names, write_down, out);
    for (size_t at = 0; at < length; at += piece)
        printed_read(printed, text + at, length - at < piece ? length - at : piece);
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
}

static void names_are_whole_words(void **state)
{
    (void)state;
    assert_found("val_loss=1 loss_2=1 xloss=1 train/loss=1 --loss=1 .loss=1 Loss=1 loss 1 loss==1 loss=x\n", "");
    assert_found("loss=1.2.3 loss=4x loss=5_ loss= loss\n", "");
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
    assert_found("Epoch: 2/10 - loss: 0.5 - other: 1\n", "loss@2=0.5;");
    assert_found("loss=1 (0.9)\n", "loss@1=1.0;"); /* a running mean, no step */
    assert_found("step=-1 loss=1\nstep=1e99 loss=1\n", "loss@1=1.0;loss@2=1.0;");
}

static void progress_bars_and_colours_are_seen_through(void **state)
{
    (void)state;
    assert_found("50%\rloss=1\r100%\rloss=2\r\n", "loss@1=1.0;loss@2=2.0;");
    assert_found("\033[32mloss\033[0m=\033[1;31m0.5\033[0m\n", "loss@1=0.5;");
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
    struct printed *printed = printed_create(names, write_down, &out);
    static const char text[] = "train_loss=1 acc: 2 acc=3 step=4 12:30 a=x\nb=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1\n";
    printed_read(printed, text, sizeof text - 1);
    printed_others(printed, &others);
    assert_string_equal(buf_str(&others), "train_loss, acc, b, c, d, e, f, g");
    printed_destroy(printed);
    buf_fini(&out);
    buf_fini(&others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_of_writing_are_read),
        cmocka_unit_test(names_are_whole_words),
        cmocka_unit_test(what_is_not_finite_is_a_value),
        cmocka_unit_test(steps_come_from_the_line_or_are_counted),
        cmocka_unit_test(progress_bars_and_colours_are_seen_through),
        cmocka_unit_test(a_line_without_end_is_read_in_parts),
        cmocka_unit_test(garbage_does_no_harm),
        cmocka_unit_test(other_names_are_remembered_for_the_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
