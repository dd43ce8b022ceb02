/* Advice for verdicts: what it names is there, and it fits the run. */
#include "cli/data/verdict_words.h"
#include "scheduler/verdict/advice.h"
#include "cli/command.h"
#include "scheduler/spec/key.h"
#include "tests/claims.h"
#include "worker/kernels/kernel.h"

#include <stdlib.h>
#include <string.h>

static bool has_option(const struct kernel_option *options, const char *name)
{
    for (; options && options->name; options++)
        if (strcmp(options->name, name) == 0)
            return true;
    return false;
}

/* Whether all kernels of a kind have an option, or a parameter, of that name. */
static bool kernels_have(unsigned whom, const char *name, bool is_option)
{
    bool any = false;
    for (const struct kernel *const *at = kernel_list; *at; at++) {
        unsigned kinds = advice_whom(&(struct advice_facts){.kernel = (*at)->name, .has_threads = true});
        bool made = whom & (FOR_MEMORY | FOR_AUGMENTED) && kinds & FOR_NETWORK,
             counts = !strcmp((*at)->name, "synth") || !strcmp((*at)->name, "table");
        if (!(kinds & whom || made) || counts)
            continue;
        any = true;
        if (!has_option(is_option ? (*at)->options : (*at)->params, name) && !has_option((*at)->options, name))
            return false;
    }
    return any;
}

/* "gannet run --dir": a command, and one of its options. */
static bool is_command(char *words)
{
    char *rest = NULL, *name = strtok_r(words, " ", &rest), *option;
    const struct command *command = name ? command_find(name) : NULL;
    if (!command)
        return false;
    if (!(option = strtok_r(NULL, " ", &rest)))
        return true;
    for (const struct option *at = command->options; at && at->name; at++)
        if (strcmp(at->name, option + 2) == 0)
            return true;
    return strcmp(option, "--dir") == 0; /* it is one of every command that starts something */
}

/* A word in backquotes, of an advice for runs of these kinds. */
static bool is_there(unsigned whom, char *word)
{
    static const char options[] = "trial.options.", command[] = "gannet ";
    if (strncmp(word, command, strlen(command)) == 0)
        return is_command(word + strlen(command));
    if (strncmp(word, "with trial.", strlen("with trial.")) == 0)
        return true; /* a line of Python */
    char *colon = strchr(word, ':');
    if (colon)
        *colon = '\0';
    if (strncmp(word, options, strlen(options)) == 0)
        return kernels_have(whom, word + strlen(options), true);
    return key_of_path(word) || kernels_have(whom, word, false);
}

static size_t check_words(unsigned whom, const char *advice)
{
    char *copy = strdup(advice), *at = copy, *end;
    size_t count = 0;
    while ((at = strchr(at, '`')) && (end = strchr(at + 1, '`'))) {
        *end = '\0';
        char *word = strdup(at + 1);
        if (!is_there(whom, word))
            fail_msg("'%s' of '%s' is nowhere", at + 1, advice);
        free(word);
        at = end + 1;
        count++;
    }
    free(copy);
    return count;
}

static void every_key_that_is_named_exists(void **state)
{
    (void)state;
    static const struct {
        unsigned whom;
        const char *text;
    } rows[] = {
#define X(kind, whom, text) {FOR_##whom, text},
        ADVICES(X)
#undef X
    };
    size_t named = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        named += check_words(rows[i].whom, rows[i].text);
    assert_true(named > sizeof rows / sizeof *rows / 2);
}

/* Of nothing it is not known what would help. */
static void every_verdict_has_an_advice(void **state)
{
    (void)state;
    for (int i = 0; i < VERDICTS_COUNT; i++) {
        if (i == VERDICT_UNKNOWN)
            continue;
        if (i != VERDICT_PROGRAM && i != VERDICT_SYNC && i != VERDICT_EVALUATION && i != VERDICT_MEMORY)
            assert_string_not_equal(advice_find((enum verdict_kind)i, FOR_KERNEL), "");
        assert_string_not_equal(
            advice_find((enum verdict_kind)i, i == VERDICT_PROGRAM ? FOR_PROGRAM : FOR_NETWORK | FOR_KERNEL), "");
        if (i != VERDICT_LATENCY) /* operations of programs are not counted */
            assert_string_not_equal(advice_find((enum verdict_kind)i, FOR_PROGRAM), "");
    }
}

static const char *data_advice(const char *spec)
{
    return advice_find(VERDICT_DATA, advice_kinds(spec));
}

static void data_that_is_made_is_not_staged(void **state)
{
    (void)state;
    const char *made = data_advice(
                   "version: 1\ntrial:\n  kernel: mlp\n  options: {data: \"generate:shapes\", epochs: 3}\n"),
               *augmented = data_advice("trial:\n  kernel: cnn\n  options: {data: {generate: shapes}}\nparameters:\n"
                                        "  flip: {min: 0, max: 0.5}\n"),
               *read = data_advice(
                   "trial:\n  kernel: cnn\n  options: {data: a.npz}\nparameters:\n  x: {values: [generate]}\n");
    assert_null(strstr(made, "stage"));
    assert_null(strstr(made, "data_threads"));
    assert_null(strstr(made, "disk"));
    assert_null(strstr(augmented, "stage"));
    assert_non_null(strstr(augmented, "`trial.options.data_threads`"));
    assert_non_null(strstr(read, "`trial.options.stage`"));
    assert_non_null(strstr(data_advice("trial:\n  command: [a]\n"), "num_workers"));
}

static void trees_have_no_batch(void **state)
{
    (void)state;
    unsigned trees = advice_kinds("trial:\n  kernel: gbt\n  options: {data: a.csv}\n");
    for (int i = 0; i < VERDICTS_COUNT; i++) {
        const char *advice = advice_find((enum verdict_kind)i, trees);
        assert_null(strstr(advice, "batch"));
        assert_null(strstr(advice, "precision"));
    }
    assert_non_null(strstr(advice_find(VERDICT_COMPUTING, trees), "`bins`"));
}

static const char *underused_advice(const char *spec)
{
    return advice_find(VERDICT_UNDERUSED, advice_kinds(spec));
}

/* A search that tries numbers of threads on a slot of four cores is not told to take the cores away. */
static void who_searches_threads_is_told_to_search_more_of_them(void **state)
{
    (void)state;
    static const char range[] = "raise the range of `threads`";
    assert_memory_equal(underused_advice("trial:\n  kernel: cnn\nparameters:\n  threads: {min: 1, max: 2}\n"), range,
                        strlen(range));
    assert_memory_equal(underused_advice("trial:\n  command: [a]\nparameters:\n  threads: {values: [1]}\n"), range,
                        strlen(range));
    assert_null(strstr(underused_advice("trial:\n  kernel: cnn\nparameters:\n  lr: {min: 1, max: 2}\n"), "range"));
}

/* Words that stand elsewhere in a file mean nothing. */
static void kinds_are_those_of_the_keys_and_not_of_words(void **state)
{
    (void)state;
    assert_int_equal(advice_kinds("description: |\n  a\n  kernel: mlp\ntrial:\n  command: [a]\n"), FOR_PROGRAM);
    assert_int_equal(advice_kinds("trial:\n  command: [a]\n  config:\n    trial:\n      kernel: mlp\n"), FOR_PROGRAM);
    assert_int_equal(advice_kinds("trial:\n  kernel: gbt\nstart:\n- {threads: 3}\n"), FOR_KERNEL | FOR_TREES);
    assert_int_equal(advice_kinds("trial:\n  options: {data: generate:shapes}\n  kernel: cnn\n"
                                  "description: 'flip: of a coin'\n"),
                     FOR_KERNEL | FOR_NETWORK | FOR_MEMORY);
    assert_int_equal(advice_kinds("trial:\n  options: {data: generate.npz}\n  kernel: 'cnn'\n"),
                     FOR_KERNEL | FOR_NETWORK);
    assert_int_equal(advice_kinds("{trial: {kernel: logreg}, parameters: {threads: {min: 1, max: 8}}}"),
                     FOR_KERNEL | FOR_NETWORK | FOR_SMALL | FOR_THREADS);
}

static void what_is_no_experiment_has_the_kind_of_a_program(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "\n", "3", "- a", "trial: 3", "trial: {kernel: [a]}", "trial: {", "a: *b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(advice_kinds(texts[i]), FOR_PROGRAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_that_is_named_exists),
        cmocka_unit_test(every_verdict_has_an_advice),
        cmocka_unit_test(data_that_is_made_is_not_staged),
        cmocka_unit_test(trees_have_no_batch),
        cmocka_unit_test(who_searches_threads_is_told_to_search_more_of_them),
        cmocka_unit_test(kinds_are_those_of_the_keys_and_not_of_words),
        cmocka_unit_test(what_is_no_experiment_has_the_kind_of_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
