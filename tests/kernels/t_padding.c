/* Data of sequences that differ in length: where each ends, how it is scaled and divided, and what is refused. */
#include "common/buf.h"
#include "common/mem.h"
#include "tests/claims.h"
#include "tests/data_source.h"
#include "tests/kernel_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dataset data;
static struct err said;
static struct tried tried;

static int forget(void **state)
{
    dataset_close(&data);
    tried_fini(&tried);
    tried = (struct tried){0};
    return leave_scratch(state);
}

static int open_table(void **state, const char *text, struct dataset_padding padding, enum dataset_scaling scaling)
{
    const char *path = path_in(state, "a.csv");
    data_source_write(path, text, strlen(text));
    return data_source_open(&data,
                            (struct dataset_source){.file = path,
                                                    .padding = padding,
                                                    .missing = padding.kind == PADDING_NAN,
                                                    .scaling = scaling,
                                                    .stage = DATASET_STAGE_NONE},
                            &said);
}

/* The number of steps of the example whose first number is `first`. */
static int length_of(float first)
{
    for (size_t n = 0; n < data.count; n++)
        if (data.x[n * data.inputs] == first)
            return data.lengths[n];
    return -1;
}

static const struct dataset_padding empty_cells = {.kind = PADDING_NAN, .steps = 3};
static const struct dataset_padding zeros = {.kind = PADDING_NUMBER, .number = 0, .steps = 3};
static const struct dataset_padding token_zero = {.kind = PADDING_NUMBER, .number = 0, .tokens = true};

static const struct dataset_padding tokens = {.tokens = true};

#define HEAD "a1,b1,a2,b2,a3,b3,y\n"

static void empty_cells_end_a_sequence(void **state)
{
    assert_int_equal(
        open_table(state, HEAD "1,2,3,4,5,6,u\n2,3,,,,,v\n3,4,0,0,,,u\n4,5,6,7,0,0,v\n", empty_cells, DATASET_NONE), 0);
    assert_int_equal(data.steps, 3);
    assert_int_equal(length_of(1), 3);
    assert_int_equal(length_of(2), 1);
    assert_int_equal(length_of(3), 2);
    assert_int_equal(length_of(4), 3); /* zeros are numbers as others */
    for (size_t i = 0; i < data.count * data.inputs; i++)
        assert_true(isfinite(data.x[i]));
}

static void a_number_ends_a_sequence_where_whole_steps_have_it(void **state)
{
    assert_int_equal(
        open_table(state, HEAD "1,2,3,4,0,6,u\n2,3,0,0,0,0,v\n3,0,0,0,5,6,u\n4,5,6,0,0,0,v\n", zeros, DATASET_NONE), 0);
    assert_int_equal(length_of(1), 3);
    assert_int_equal(length_of(2), 1);
    assert_int_equal(length_of(3), 3); /* a silence in its middle */
    assert_int_equal(length_of(4), 2);
}

/* By column, of all steps of the training part together; padding is 0 then. */
static void scaling_knows_no_padding(void **state)
{
    assert_int_equal(
        open_table(state, HEAD "1,9,3,9,,,u\n1,9,3,9,,,v\n1,9,3,9,,,u\n1,9,3,9,,,v\n", empty_cells, DATASET_STANDARD),
        0);
    for (size_t n = 0; n < data.count; n++) {
        static const float wanted[] = {-1, 0, 1, 0, 0, 0};
        assert_memory_equal(data.x + n * 6, wanted, sizeof wanted);
        assert_int_equal(data.lengths[n], 2);
    }
}

static void what_can_not_be_padding_is_refused_with_the_example(void **state)
{
    static const struct {
        const char *rows;
        const struct dataset_padding *padding;
        const char *said;
    } cases[] = {
        {"1,2,3,4,5,6,u\n,,,,,,v\n", &empty_cells, "a.csv: example 1 (counted from 0) is nothing but padding"},
        {"1,2,3,4,5,6,u\n1,2,,,3,4,v\n", &empty_cells,
         "example 1 (counted from 0) has padding at step 1 and more behind"},
        {"1,2,3,,,,u\n1,2,3,4,5,6,v\n", &empty_cells,
         "example 0 (counted from 0) has padding at step 1 and more behind"},
        {",,,,5,6,u\n1,2,3,4,5,6,v\n", &empty_cells, "padding='post'"},
        {"0,0,3,4,5,6,u\n1,2,3,4,5,6,v\n", &zeros, "no sequence ends with padding, and 1 of 2 begin with it"},
        {"0,0,0,4,5,6,u\n1,2,3,4,5,6,v\n", &token_zero, "example 0 (counted from 0) has padding at step 0 and more"},
        {"1,2,0,4,5,6,u\n1,2,3,4,5,6,v\n", &token_zero, "example 0 (counted from 0) has padding at step 2 and more"},
        {"1,2,3,4,0,0,u\n1,2.5,3,4,5,6,v\n", &token_zero,
         "example 1 (counted from 0) is 2.5 at step 1; inputs: tokens"},
        {"1,2,3,4,5,6,u\n1,2,3,-1,5,6,v\n", &tokens, "example 1 (counted from 0) is -1 at step 3; inputs: tokens"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = mem_format("%s%s", HEAD, cases[i].rows);
        assert_int_equal(open_table(state, text, *cases[i].padding, DATASET_NONE), -1);
        assert_has(said.text, cases[i].said);
        free(text);
    }
    assert_int_equal(open_table(state, HEAD "1,2,3,4,5,6,u\n1,2,3,4,5,6,v\n",
                                (struct dataset_padding){.kind = PADDING_NAN}, DATASET_NONE),
                     -1);
    assert_has(said.text, "does not say of how many steps; the option 'steps' does");
}

/* An example of validation data is counted in its own file. */
static void examples_of_validation_data_are_named_as_such(void **state)
{
    const char *a = HEAD "1,2,3,4,5,6,u\n1,2,3,4,5,6,v\n", *b = HEAD "1,2,3,4,5,6,u\n,,,,,,v\n";
    data_source_write(path_in(state, "a.csv"), a, strlen(a));
    data_source_write(path_in(state, "b.csv"), b, strlen(b));
    char *training = mem_text(path_in(state, "a.csv")), *validation = mem_text(path_in(state, "b.csv"));
    assert_int_equal(
        data_source_open(&data,
                         (struct dataset_source){
                             .file = training, .validation_data = validation, .padding = empty_cells, .missing = true},
                         &said),
        -1);
    assert_has(said.text, "example 1 of the validation data (counted from 0) is nothing but padding");
    free(training);
    free(validation);
}

/* --- kernels --- */

/* Texts of 1 to 12 tokens, 1 to 6; the class is whether the last one is larger than 3. Behind them comes `filling`. */
static void write_texts(void **state, const char *filling)
{
    struct buf text = {0};
    uint32_t draw = 9;
    for (int t = 0; t < 12; t++)
        buf_format(&text, "t%d,", t);
    buf_text(&text, "label\n");
    for (int i = 0; i < 800; i++) {
        int last = 0;
        for (int t = 0; t < 12; t++) {
            draw = draw * 1664525u + 1013904223u;
            if (t <= i % 12)
                buf_format(&text, "%d,", last = 1 + (int)(draw >> 16) % 6);
            else
                buf_format(&text, "%s,", filling);
        }
        buf_format(&text, "%s\n", last > 3 ? "high" : "low");
    }
    data_source_write(path_in(state, "texts.csv"), buf_str(&text), text.length);
    buf_fini(&text);
}

/* The loss of a trial of texts that are filled up with something. */
static double try_texts(void **state, const char *kernel, const char *filling, const char *options, const char *params)
{
    write_texts(state, filling);
    char *whole = mem_format("{'data': '%s', %s}", path_in(state, "texts.csv"), options);
    tried_fini(&tried);
    tried = try_trial(&(struct trial_text){kernel, "val_loss", whole, params, 1, 1});
    free(whole);
    double loss = tried.opened ? tried_last(&tried, "val_loss") : NAN;
    if (!(loss >= 0))
        fail_msg("%s, %s: %s%s", kernel, options, tried.trouble.text, tried.opened ? tried.run.detail.text : "");
    return loss;
}

static void an_lstm_sees_the_last_step_of_each_sequence(void **state)
{
    static const char params[] = "{'width': 16, 'lr': 0.01, 'epochs': 6, 'batch': 16, 'clip': 1}";
    try_texts(state, "lstm", "0", "'steps': 12, 'padding': 0", params);
    assert_true(tried_last(&tried, "val_accuracy") > 0.97);
}

/* Nor on the backend; and it is no matter that is forgotten: without the option it changes what is learned. */
static void losses_do_not_depend_on_what_fills_up(void **state)
{
    static const struct {
        const char *kernel, *form, *params;
    } cases[] = {
        {"lstm", "'steps': 12", "{'width': 8, 'epochs': 2}"},
        {"lstm", "'steps': 12", "{'width': 8, 'epochs': 1, 'layers': 2, 'dropout': 0.2}"},
        {"transformer", "'steps': 12", "{'width': 8, 'heads': 2, 'epochs': 1, 'attention_dropout': 0.2}"},
        {"transformer", "'inputs': 'tokens'", "{'width': 8, 'heads': 2, 'epochs': 2}"},
    };
    static const char *const fillings[] = {"0", "-5", "9", "", "nan"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double first = NAN;
        for (size_t k = 0; k < sizeof fillings / sizeof *fillings; k++) {
            bool number = k < 3;
            char *options = mem_format("%s, 'padding': %s", cases[i].form, number ? fillings[k] : "'nan'");
            double loss = try_texts(state, cases[i].kernel, fillings[k], options, cases[i].params);
            free(options);
            first = k ? first : loss;
            assert_true(loss == first);
        }
        assert_true(try_texts(state, cases[i].kernel, "9", cases[i].form, cases[i].params) != first);
        char *plain = mem_format("%s, 'padding': 0, 'backend': 'ref'", cases[i].form);
        assert_true(fabs(try_texts(state, cases[i].kernel, "0", plain, cases[i].params) - first) < 0.01);
        free(plain);
    }
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(empty_cells_end_a_sequence),
        CLAIM(a_number_ends_a_sequence_where_whole_steps_have_it),
        CLAIM(scaling_knows_no_padding),
        CLAIM(what_can_not_be_padding_is_refused_with_the_example),
        CLAIM(examples_of_validation_data_are_named_as_such),
        CLAIM(an_lstm_sees_the_last_step_of_each_sequence),
        CLAIM(losses_do_not_depend_on_what_fills_up),
    };
    return cmocka_run_group_tests_name("padding", tests, NULL, NULL);
}
