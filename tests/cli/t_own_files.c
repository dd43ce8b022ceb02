/* Files that a program writes where its options say: which are made each trial's own, and which stay. */
#include "cli/start/own_files.h"
#include "cli/start/help_text.h"
#include "common/buf.h"
#include "tests/claims.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Words of a program whose help has these options; NULL: none is known. */
static void words_with_become(const char *help, const char *words, const char *expected)
{
    struct own_files files = {0};
    struct texts typed = {0};
    json_t *options = help ? help_text_options(help) : NULL;
    struct buf became = {0};
    char *copy = strdup(words), *rest = copy, *word;
    while ((word = strsep(&rest, " ")))
        texts_add(&typed, strdup(word));
    own_files_add(&files, &typed, options);
    for (size_t i = 0; i < files.words.count; i++)
        buf_format(&became, "%s%s", i ? " " : "", files.words.items[i]);
    assert_string_equal(buf_str(&became), expected);
    buf_fini(&became);
    own_files_fini(&files);
    texts_fini(&typed);
    json_decref(options);
    free(copy);
}

static void words_become(const char *words, const char *expected)
{
    words_with_become(NULL, words, expected);
}

static void stays(const char *words)
{
    words_become(words, words);
}

static void what_a_program_writes_is_each_trials_own(void **state)
{
    (void)state;
    words_become("t --out model.pt", "t --out ${trial.dir}/model.pt");
    words_become("t --out=models/m.pt", "t --out=${trial.dir}/m.pt");
    words_become("t -o m.bin", "t -o ${trial.dir}/m.bin");
    words_become("t --save-dir runs/ --log-dir=logs", "t --save-dir ${trial.dir}/runs --log-dir=${trial.dir}/logs");
    words_become("t --outputDir .", "t --outputDir ${trial.dir}");
    words_become("t --checkpoint new.ckpt", "t --checkpoint ${trial.dir}/new.ckpt");
    words_become("t --model-output /scratch/m.pt", "t --model-output ${trial.dir}/m.pt");
    words_become("t --out a.pt --save b/a.pt", "t --out ${trial.dir}/a.pt --save b/a.pt");
}

static void a_directory_that_is_there_becomes_the_trials(void **state)
{
    char words[256], expected[256];
    mkdir(path_in(state, "results"), 0700);
    snprintf(words, sizeof words, "t --out-dir %s --log-dir=%s/", path_in(state, "results"), path_in(state, "results"));
    snprintf(expected, sizeof expected, "t --out-dir ${trial.dir} --log-dir=${trial.dir}");
    words_become(words, expected);
}

static void what_it_reads_and_what_is_no_file_stays(void **state)
{
    char path[256];
    write_file(path_in(state, "begin.ckpt"), "weights", 0600);
    snprintf(path, sizeof path, "t --checkpoint %s", path_in(state, "begin.ckpt"));
    stays(path);
    stays("t --data d.csv --resume r.pt --load-checkpoint x.ckpt --pretrained-path a/b");
    stays("t --checkpoint facebook/opt-125m --save-every 0.5 --output-format json --out-channels 64 --save yes");
    stays("python3 -O t.py --save --out=/dev/null --output s3://bucket/x.pt --out -");
    stays("t --out checkpoint/");
}

static void a_switch_takes_no_file_that_stands_behind_it(void **state)
{
    char words[256];
    write_file(path_in(state, "data.npz"), "numbers", 0600);
    snprintf(words, sizeof words, "t --save-model %s", path_in(state, "data.npz"));
    stays(words);
    words_with_become("  --save-model   afterwards\n", words, words);
    words_with_become("  --save-model   afterwards\n", "t --save-model new.npz", "t --save-model new.npz");
    words_with_become("  --save-model FILE   afterwards\n", words, "t --save-model ${trial.dir}/data.npz");
}

static void what_is_there_and_may_be_read_stays_and_is_said(void **state)
{
    char words[256];
    struct own_files files = {0};
    struct texts typed = {0};
    write_file(path_in(state, "app.log"), "lines", 0600);
    snprintf(words, sizeof words, "t --log-file %s", path_in(state, "app.log"));
    stays(words);
    snprintf(words, sizeof words, "t --results=%s", path_in(state, "app.log"));
    stays(words);
    snprintf(words, sizeof words, "t --out-file=%s", path_in(state, "app.log"));
    words_with_become("  --out-file F   outputs to analyse\n", words, words);
    words_with_become("  --out-file F   what it comes to\n", words, "t --out-file=${trial.dir}/app.log");
    json_t *options = json_pack("[{s:s, s:s}, {s:s, s:s}]", "spelling", "--log-file", "default",
                                path_in(state, "app.log"), "spelling", "--out", "default", path_in(state, "app.log"));
    own_files_add_defaults(&files, &typed, options);
    assert_int_equal(files.kept.count, 1);
    assert_int_equal(files.filled.count, 1);
    assert_int_equal(files.words.count, 1);
    assert_string_equal(files.words.items[0], "--out=${trial.dir}/app.log");
    json_decref(options);
    own_files_fini(&files);
}

static void a_default_file_is_each_trials_own_too(void **state)
{
    (void)state;
    struct own_files files = {0};
    struct texts typed = {0};
    json_t *options =
        json_loads("[{\"spelling\": \"--out\", \"type\": \"text\", \"default\": \"m.pt\"},"
                   "{\"spelling\": \"--log-file\", \"type\": \"text\", \"default\": \"log\"},"
                   "{\"spelling\": \"--output-dir\", \"type\": \"path\", \"default\": \"out\"},"
                   "{\"spelling\": \"--save-path\", \"type\": \"text\"},"
                   "{\"spelling\": \"--results\", \"type\": \"flag\", \"default\": false},"
                   "{\"spelling\": \"--save-to\", \"type\": \"text\", \"default\": \"a.pt\", \"required\": true}]",
                   0, NULL);
    texts_add(&typed, strdup("--log-file=mine"));
    own_files_add_defaults(&files, &typed, options);
    assert_int_equal(files.words.count, 2);
    assert_string_equal(files.words.items[0], "--out=${trial.dir}/m.pt");
    assert_string_equal(files.words.items[1], "--output-dir=${trial.dir}/out");
    assert_string_equal(files.said.items[0], "--out m.pt");
    json_decref(options);
    texts_fini(&typed);
    own_files_fini(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_program_writes_is_each_trials_own),
        cmocka_unit_test_setup_teardown(a_directory_that_is_there_becomes_the_trials, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_it_reads_and_what_is_no_file_stays, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_switch_takes_no_file_that_stands_behind_it, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_there_and_may_be_read_stays_and_is_said, enter_scratch, leave_scratch),
        cmocka_unit_test(a_default_file_is_each_trials_own_too),
    };
    const char *scratch = getenv("TMPDIR");
    if (scratch && strncmp(scratch, "/dev/", 5) == 0) /* what is there is a device, which no program gets of its own */
        setenv("TMPDIR", "/tmp", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
