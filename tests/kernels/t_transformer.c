/* The kernel transformer: it learns classes of sequences and the next byte of texts, and says what does not fit. */
#include "tests/claims.h"
#include "tests/kernel_trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct tried tried; /* the last one */

static int forget(void **state)
{
    tried_fini(&tried);
    tried = (struct tried){0};
    return leave_scratch(state);
}

/* FILE in the options is a file of the scratch directory. */
static void try_with(void **state, const char *options, const char *params)
{
    char whole[1000];
    const char *file = strstr(options, "FILE");
    tried_fini(&tried);
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(file ? file - options : 0), options,
             file ? path_in(state, "FILE") : "", file ? file + 4 : options);
    tried = try_trial(&(struct trial_text){"transformer", "val_loss", whole, params, 1, 1});
}

static void assert_last(const char *metric, double least, double most)
{
    double last = tried.opened ? tried_last(&tried, metric) : NAN;
    if (!(last >= least && last <= most))
        fail_msg("%s is %g: %s%s", metric, last, tried.trouble.text, tried.opened ? tried.run.detail.text : "");
}

/* Words in a random order: within a word the next letter is certain, the first one of a word is not. */
static void write_words(void **state)
{
    static const char *const words[] = {"alpha ", "gamma ", "delta ", "omega "};
    FILE *file = fopen(path_in(state, "FILE"), "w");
    uint32_t draw = 1;
    for (int i = 0; i < 1500; i++) {
        draw = draw * 1664525u + 1013904223u;
        fputs(words[draw >> 30], file);
    }
    fclose(file);
}

#define NEXT "{'data': 'FILE', 'learn': 'next', 'context': 16, 'validation': 0.1}"

/* Two bits a word of six bytes can't be known, which are 0.33 bits a byte. */
static void the_next_byte_of_a_text_is_learned_as_far_as_it_is_certain(void **state)
{
    static const char *const ways[] = {
        "{'width': 32, 'heads': 2, 'lr': 0.01, 'epochs': 4, 'batch': 16}",
        "{'width': 32, 'heads': 4, 'lr': 0.01, 'epochs': 4, 'batch': 16, 'layers': 1, 'positions': 'sinusoids'}",
        "{'width': 32, 'lr': 0.01, 'epochs': 4, 'batch': 16, 'layers': 1, 'activation': 'relu', 'feed_forward': 48}",
    };
    write_words(state);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        try_with(state, NEXT, ways[i]);
        assert_last("val_bits_per_byte", 0.3, 0.6); /* the first bytes of a window are known from less */
        assert_last("val_accuracy", 0.75, 0.95);
        assert_true(fabs(tried_last(&tried, "val_bits_per_byte") * M_LN2 - tried_last(&tried, "val_loss")) < 1e-9);
    }
}

static void classes_of_sequences_are_learned(void **state)
{
    try_with(state, "{'data': {'generate': 'sequences', 'examples': 600, 'noise': 0.1}}",
             "{'width': 32, 'heads': 4, 'lr': 0.003, 'epochs': 12, 'batch': 16, 'clip': 1}");
    assert_last("val_accuracy", 0.9, 1);
}

static void rows_of_an_image_are_steps(void **state)
{
    try_with(state, "{'data': 'examples/data/digits.csv', 'steps': 8}",
             "{'width': 32, 'heads': 4, 'layers': 1, 'lr': 0.003, 'epochs': 6, 'batch': 32, 'causal': true}");
    assert_last("val_accuracy", 0.9, 1);
}

/* Of eight tokens, the class is whether there is a 7; where it stands does not matter. */
static void classes_of_tokens_are_learned(void **state)
{
    FILE *file = fopen(path_in(state, "FILE"), "w");
    uint32_t draw = 5;
    fputs("a,b,c,d,e,f,g,h,label\n", file);
    for (int i = 0; i < 600; i++) {
        for (int t = 0; t < 8; t++) {
            draw = draw * 1664525u + 1013904223u;
            fprintf(file, "%d,", i % 2 && t == i / 2 % 8 ? 7 : (int)(draw >> 16) % 7);
        }
        fprintf(file, "%s\n", i % 2 ? "yes" : "no");
    }
    fclose(file);
    try_with(state, "{'data': 'FILE', 'inputs': 'tokens'}",
             "{'width': 16, 'heads': 2, 'layers': 1, 'lr': 0.01, 'epochs': 6, 'batch': 16}");
    assert_last("val_accuracy", 0.97, 1);
}

static void every_backend_learns_the_same(void **state)
{
    write_words(state);
    try_with(state, NEXT,
             "{'width': 32, 'heads': 2, 'lr': 0.01, 'epochs': 1, 'dropout': 0.1, 'attention_dropout': 0.1}");
    double one = tried_last(&tried, "val_loss");
    try_with(state, "{'data': 'FILE', 'learn': 'next', 'context': 16, 'validation': 0.1, 'backend': 'ref'}",
             "{'width': 32, 'heads': 2, 'lr': 0.01, 'epochs': 1, 'dropout': 0.1, 'attention_dropout': 0.1}");
    assert_last("val_loss", one - 0.01, one + 0.01);
}

static void assert_refused(void **state, const char *options, const char *params, const char *sentence)
{
    try_with(state, options, params);
    assert_has(tried.opened ? tried.run.detail.text : tried.trouble.text, sentence);
    assert_true(!tried.opened || tried.run.ending == ENDING_BAD_CONFIG);
}

static void bits_per_byte_are_of_texts(void **state)
{
    (void)state;
    tried_fini(&tried);
    tried = try_trial(
        &(struct trial_text){"transformer", "val_bits_per_byte", "{'data': 'generate:sequences'}", "{}", 1, 1});
    assert_has(tried.trouble.text, "is of texts, and 'learn' is classes; write learn: next");
}

static void what_does_not_fit_is_refused_in_words(void **state)
{
    write_words(state);
    assert_refused(state, NEXT, "{'width': 32, 'heads': 5}",
                   "the parameter 'width' is 32, which can't be divided among the 5 'heads'");
    assert_refused(state, "{'data': 'FILE', 'learn': 'next', 'context': 20000}", "{}",
                   "is too short for a window of 20000 bytes and the next");
    assert_refused(state, "{'data': 'FILE', 'learn': 'next', 'labels': 'x'}", "{}",
                   "the option 'labels' has no meaning with learn: next; leave it out");
    assert_refused(state, "{'data': 'FILE', 'learn': 'next', 'validation_data': 'x'}", "{}",
                   "the option 'validation_data' has no meaning with learn: next; leave it out");
    assert_refused(state, "{'data': 'FILE', 'context': 3}", "{}",
                   "the option 'context' has no meaning with learn: classes; leave it out");
    assert_refused(state, "{'data': {'generate': 'shapes'}, 'learn': 'next'}", "{}",
                   "learn: next takes the name of a file of text in the option 'data'");
    assert_refused(state, "{'data': 'examples/data/digits.csv'}", "{}",
                   "the data has 64 inputs and does not say of how many steps; the option 'steps' does");
    assert_refused(state, "{'data': 'examples/data/digits.csv', 'steps': 7}", "{}",
                   "the 64 inputs of the data can't be divided among 7 steps");
    assert_refused(state, "{'data': {'generate': 'spirals'}, 'inputs': 'tokens'}", "{}",
                   "inputs: tokens takes whole numbers from 0");
}

int main(void)
{
#define CLAIM(name) cmocka_unit_test_setup_teardown(name, enter_scratch, forget)
    const struct CMUnitTest tests[] = {
        CLAIM(the_next_byte_of_a_text_is_learned_as_far_as_it_is_certain),
        CLAIM(classes_of_sequences_are_learned),
        CLAIM(rows_of_an_image_are_steps),
        CLAIM(classes_of_tokens_are_learned),
        CLAIM(every_backend_learns_the_same),
        CLAIM(bits_per_byte_are_of_texts),
        CLAIM(what_does_not_fit_is_refused_in_words),
    };
    return cmocka_run_group_tests_name("transformer", tests, NULL, NULL);
}
