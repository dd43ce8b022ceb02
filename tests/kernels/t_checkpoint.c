/* Trials that pause and go on: what each kernel reports is the same as without the pause, and a checkpoint that can't
 * be used costs steps only. */
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "tests/checkpoint_files.h"
#include "tests/claims.h"
#include "worker/backend/team.h"
#include "worker/kernels/kernel.h"
#include "worker/trainer/checkpoint.h"
#include "worker/trainer/training.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* A kernel at work on one configuration. */
struct work {
    const char *kernel, *metric, *options, *params;
};

static const struct work works[] = {
    {"mlp", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4}",
     "{\"lr\": 0.01, \"width\": 8, \"dropout\": 0.3, \"optimizer\": \"adam\", \"schedule\": \"cosine\"}"},
    {"mlp", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4}", "{\"lr\": 0.01, \"width\": 8, \"momentum\": 0.9}"},
    {"cnn", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4, \"height\": 1}",
     "{\"lr\": 0.01, \"layers\": \"conv\", \"filters1\": 3, \"padding\": 1, \"width\": 4, \"dropout\": 0.3, "
     "\"batch_norm\": true,"
     " \"optimizer\": \"rmsprop\", \"ema\": 0.9}"},
    {"cnn", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4, \"height\": 1, \"data_threads\": 2}",
     "{\"lr\": 0.01, \"layers\": \"conv\", \"filters1\": 3, \"padding\": 1, \"width\": 4, \"flip\": 0.5, \"shift\": "
     "0.5, "
     "\"crop\": 1, \"cutout\": 1, \"batch\": 7}"},
    {"logreg", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4}", "{\"lr\": 0.1}"},
    {"synth", "value", "{\"steps\": 4, \"curve\": 1, \"noise\": 0.1}", "{\"x1\": 1, \"x2\": 2}"},
    {"table", "loss", "{\"file\": \"CURVES\"}", "{\"a\": 2}"},
    {"gbt", "val_loss", "{\"data\": \"DATA\", \"rounds\": 4}", "{\"min_rows\": 3, \"subsample\": 0.6}"},
    {"mlp", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4, \"backend\": \"ref\"}",
     "{\"precision\": \"bf16\", \"width\": 8, \"ema\": 0.9, \"optimizer\": \"adam\","
     " \"loss_scale\": \"dynamic\", \"loss_scale_interval\": 2}"},
    {"transformer", "val_loss",
     "{\"data\": \"CURVES\", \"learn\": \"next\", \"context\": 5, \"validation\": 0.3, \"epochs\": 4}",
     "{\"width\": 8, \"heads\": 2, \"dropout\": 0.2, \"batch\": 3, \"schedule\": \"cosine\"}"},
    {"transformer", "val_loss", "{\"data\": \"DATA\", \"steps\": 2, \"epochs\": 4}",
     "{\"width\": 8, \"heads\": 2, \"dropout\": 0.2, \"positions\": \"sinusoids\"}"},
    {"transformer", "val_loss", "{\"data\": \"DATA\", \"steps\": 2, \"epochs\": 4}",
     "{\"width\": 8, \"heads\": 2, \"layers\": 2, \"dropout\": 0.2, \"attention_dropout\": 0.3, \"batch\": 7}"},
    /* Wide enough that zeros are left out, in batches of some and of more than there are. */
    {"mlp", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4}",
     "{\"lr\": 0.01, \"width\": 300, \"depth\": 2, \"dropout\": 0.3, \"batch\": 33}"},
    {"mlp", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4}",
     "{\"lr\": 0.01, \"width\": 300, \"depth\": 2, \"batch\": 1000, \"optimizer\": \"adam\"}"},
    {"lstm", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4, \"steps\": 2, \"clip\": 1}",
     "{\"width\": 5, \"layers\": 2, \"dropout\": 0.2, \"batch\": 10}"},
    {"resnet", "val_loss", "{\"data\": \"DATA\", \"epochs\": 4, \"height\": 1}",
     "{\"lr\": 0.01, \"depth\": 2, \"width\": 3, \"batch\": 10}"},
};
enum { WORKS = sizeof works / sizeof *works };

static const char curves[] = "a,step,loss\n1,1,9\n1,2,8\n1,3,7\n1,4,6\n2,1,5\n2,2,4\n2,3,3\n2,4,2\n";

/* Puts the paths of the data into the options. */
static json_t *read_options(const struct work *work, void **state)
{
    char *text = mem_text(work->options), *at;
    static const char *const names[] = {"DATA", "CURVES"};
    for (size_t i = 0; i < 2; i++)
        if ((at = strstr(text, names[i]))) {
            const char *path = i ? path_in(state, "curves.csv") : path_in(state, "points.csv");
            *at = '\0';
            char *whole = mem_format("%s%s%s", text, path, at + strlen(names[i]));
            free(text);
            text = whole;
        }
    json_t *options = json_loads(text, 0, NULL);
    assert_non_null(options);
    free(text);
    return options;
}

/* Two classes of points on a line and a little beside it. */
static void write_data(void **state)
{
    struct buf csv = {0};
    buf_text(&csv, "x,y,label\n");
    for (int i = 0; i < 60; i++)
        buf_format(&csv, "%g,%g,%d\n", i / 60.0, (double)(i * 7 % 11) / 11, i > 30);
    write_file(path_in(state, "points.csv"), buf_str(&csv), 0600);
    write_file(path_in(state, "curves.csv"), curves, 0600);
    buf_fini(&csv);
}

/* Runs it by a plan; the objective's values are added to `values` as text, "STEP=VALUE ". The ending. */
static enum ending run_it(const struct work *work, void **state, const struct training_plan *plan, struct buf *values,
                          char *detail)
{
    struct err err;
    json_t *options = read_options(work, state), *params = json_loads(work->params, 0, NULL);
    struct kernel_task task = {.options = options, .base = "/", .metric = work->metric, .threads = 1};
    struct opened_kernel opened = {.kernel = kernel_find(work->kernel), .metric = work->metric};
    if (opened.kernel->open(&task, &opened.self, &err))
        fail_msg("%s: %s", work->kernel, err.text);
    struct training run = {.plan = *plan};
    struct kernel_trial trial = {.number = 1, .attempt = 1, .seed = 7, .params = params};
    training_run(&run, &opened, &trial);
    for (uint32_t i = 0; i < run.sample_count; i++)
        if (strcmp(run.samples[i].metric, work->metric) == 0)
            buf_format(values, "%lld=%.17g ", (long long)run.samples[i].step, run.samples[i].value);
    enum ending ending = run.ending;
    if (detail)
        strcpy(detail, run.detail.text);
    training_fini(&run);
    opened.kernel->close(opened.self);
    json_decref(options);
    json_decref(params);
    return ending;
}

static void a_trial_that_paused_and_went_on_reports_what_it_would_have_without(void **state)
{
    write_data(state);
    for (size_t i = 0; i < WORKS; i++) {
        struct buf whole = {0}, parts = {0}, again = {0};
        char *path = mem_format("%s.%zu", path_in(state, "checkpoint"), i);
        assert_int_equal(run_it(&works[i], state, &(struct training_plan){0}, &whole, NULL), ENDING_COMPLETED);
        struct training_plan plan = {.checkpoint = path, .until = 1};
        assert_int_equal(run_it(&works[i], state, &plan, &parts, NULL), ENDING_PAUSED);
        plan.until = 3;
        plan.known = 1;
        assert_int_equal(run_it(&works[i], state, &plan, &parts, NULL), ENDING_PAUSED);
        plan.until = 0;
        plan.known = 2; /* step 3 is not on record: it is reported again */
        assert_int_equal(run_it(&works[i], state, &plan, &again, NULL), ENDING_COMPLETED);
        assert_has(buf_str(&again), "3=");
        assert_null(strstr(buf_str(&again), "2="));
        buf_text(&parts, strstr(buf_str(&again), "4="));
        assert_string_equal(buf_str(&whole), buf_str(&parts));
        free(path);
        buf_fini(&whole);
        buf_fini(&parts);
        buf_fini(&again);
    }
}

/* It had saved its checkpoint, and neither its value nor that it pauses came to be known. */
static void one_that_was_killed_where_it_was_to_pause_pauses_there(void **state)
{
    write_data(state);
    for (size_t i = 0; i < WORKS; i++) {
        struct buf first = {0}, again = {0};
        char *path = mem_format("%s.%zu", path_in(state, "checkpoint"), i);
        struct training_plan plan = {.checkpoint = path, .until = 2};
        assert_int_equal(run_it(&works[i], state, &plan, &first, NULL), ENDING_PAUSED);
        assert_int_equal(run_it(&works[i], state, &plan, &again, NULL), ENDING_PAUSED);
        assert_string_equal(buf_str(&first), buf_str(&again));
        free(path);
        buf_fini(&first);
        buf_fini(&again);
    }
}

static void so_does_one_that_three_threads_train(void **state)
{
    size_t before = team_set(3);
    a_trial_that_paused_and_went_on_reports_what_it_would_have_without(state);
    team_set(before);
}

static void a_trial_is_complete_at_max_steps(void **state)
{
    struct buf values = {0};
    struct training_plan plan = {.most = 2};
    assert_int_equal(run_it(&works[5], state, &plan, &values, NULL), ENDING_COMPLETED);
    assert_null(strstr(buf_str(&values), "3="));
    buf_fini(&values);
}

/* Those of a run whose process was killed, each of the size of a model. Other files are left alone. */
static void what_a_killed_writer_left_is_removed_when_the_trial_goes_on(void **state)
{
    struct buf values = {0};
    char *path = mem_text(path_in(state, "checkpoint"));
    write_data(state);
    struct training_plan plan = {.checkpoint = path, .until = 2};
    assert_int_equal(run_it(&works[0], state, &plan, &values, NULL), ENDING_PAUSED);
    write_file(path_in(state, "checkpoint.new-a1B2c3"), "half of one", 0600);
    write_file(path_in(state, "checkpoint.new-a1B2c"), "a person's", 0600);
    write_file(path_in(state, "checkpoint.backup"), "a person's", 0600);
    plan.until = 3;
    assert_int_equal(run_it(&works[0], state, &plan, &values, NULL), ENDING_PAUSED);
    assert_int_equal(content_count_files(state, "checkpoint"), 3);
    assert_int_equal(content_count_files(state, "checkpoint.new-a1B2c3"), 0);
    free(path);
    buf_fini(&values);
}

/* It decides whether a file is synced. */
static void the_work_of_a_checkpoint_is_that_of_all_runs_of_its_trial(void **state)
{
    struct err err;
    struct checkpoint_file file;
    struct buf values = {0};
    double worked = 0;
    char *path = mem_text(path_in(state, "checkpoint"));
    write_data(state);
    for (uint64_t until = 1; until <= 3; until++) {
        struct training_plan plan = {.checkpoint = path, .until = until};
        assert_int_equal(run_it(&works[0], state, &plan, &values, NULL), ENDING_PAUSED);
        assert_int_equal(checkpoint_open(path, kernel_find("mlp"), &file, &err), 1);
        assert_true(file.checkpoint.worked > worked);
        worked = file.checkpoint.worked;
        checkpoint_close(&file);
    }
    assert_false(checkpoint_lasts(&(struct checkpoint){.worked = 0.5}));
    assert_true(checkpoint_lasts(&(struct checkpoint){.worked = 2}));
    free(path);
    buf_fini(&values);
}

/* --- a disk that is full --- */

/* As much of a file as fits; the trainer ignores the signal of `ulimit -f`, too. */
static void allow_bytes(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_checkpoint_that_does_not_fit_costs_itself_alone(void **state)
{
    struct buf whole = {0}, values = {0};
    char detail[sizeof((struct err *)0)->text];
    char *path = mem_text(path_in(state, "checkpoint"));
    write_data(state);
    run_it(&works[0], state, &(struct training_plan){0}, &whole, NULL);
    struct training_plan plan = {.checkpoint = path, .until = 2};
    assert_int_equal(run_it(&works[0], state, &plan, &values, NULL), ENDING_PAUSED);
    plan = (struct training_plan){.checkpoint = path, .keep = true, .reached = 2, .known = 2};
    allow_bytes(100);
    assert_int_equal(run_it(&works[0], state, &plan, &values, detail), ENDING_COMPLETED);
    allow_bytes(RLIM_INFINITY);
    assert_has(detail, "its checkpoint could not be saved: can't write ");
    assert_has(detail, "File too large");
    assert_string_equal(buf_str(&whole), buf_str(&values));
    assert_int_equal(content_count_files(state, "checkpoint"), 1);
    plan.until = 3;
    buf_clear(&values);
    assert_int_equal(run_it(&works[0], state, &plan, &values, detail), ENDING_PAUSED); /* the one of step 2 is there */
    assert_null(strstr(detail, "began anew"));
    free(path);
    buf_fini(&whole);
    buf_fini(&values);
}

/* --- a whole file with something else in it --- */

static const struct work three_classes = {"gbt", "val_loss", "{\"data\": \"DATA\"}",
                                          "{\"rounds\": 3, \"min_rows\": 3}"};

static void write_three_classes(void **state)
{
    struct buf csv = {0};
    buf_text(&csv, "x,y,label\n");
    for (int i = 0; i < 90; i++)
        buf_format(&csv, "%g,%g,%d\n", i / 60.0, (double)(i * 7 % 11) / 11, i / 30);
    write_file(path_in(state, "points.csv"), buf_str(&csv), 0600);
    buf_fini(&csv);
}

/* Trees of a round that is not whole are let go as well, which a sanitizer sees. */
static void a_checkpoint_of_trees_may_hold_anything(void **state)
{
    enum { CHANGES = 300 };
    struct err err;
    struct content whole = {0};
    struct buf values = {0};
    struct rng rng = rng_make(1, "checkpoint", 0);
    char *path = mem_text(path_in(state, "checkpoint"));
    struct training_plan plan = {.checkpoint = path, .until = 2};
    write_three_classes(state);
    assert_int_equal(run_it(&three_classes, state, &plan, &values, NULL), ENDING_PAUSED);
    assert_int_equal(content_read(path, "gbt", &whole, &err), 2);
    plan.until = 0;
    for (int i = 0; i < CHANGES; i++) {
        struct content changed = {0};
        size_t length = i % 2 ? whole.bytes.length : (size_t)rng_below(&rng, whole.bytes.length);
        buf_add(&changed.bytes, whole.bytes.data, length);
        for (uint64_t left = i % 2 ? 1 + rng_below(&rng, 4) : 0; left; left--)
            changed.bytes.data[rng_below(&rng, length)] = (char)rng_below(&rng, 256);
        content_write(path, "gbt", 2, &changed);
        enum ending ending = run_it(&three_classes, state, &plan, &values, NULL);
        assert_true(ending == ENDING_COMPLETED || ending == ENDING_DIVERGED);
        buf_fini(&changed.bytes);
    }
    buf_fini(&whole.bytes);
    buf_fini(&values);
    free(path);
}

/* --- what is not whole --- */

static void a_checkpoint_that_is_missing_or_broken_begins_the_trial_anew_and_says_so(void **state)
{
    write_data(state);
    char *path = mem_text(path_in(state, "checkpoint"));
    for (size_t i = 0; i < WORKS; i++) {
        struct buf whole = {0}, again = {0};
        char detail[sizeof((struct err *)0)->text];
        run_it(&works[i], state, &(struct training_plan){0}, &whole, NULL);
        struct training_plan plan = {.checkpoint = path, .reached = 2};
        assert_int_equal(run_it(&works[i], state, &plan, &again, detail), ENDING_COMPLETED);
        assert_has(detail, "it began anew: its checkpoint can't be used: it is not there");
        assert_string_equal(buf_str(&whole), buf_str(&again));
        write_file(path, "gannet checkpoint 2\nnot quite", 0600);
        buf_clear(&again);
        assert_int_equal(run_it(&works[i], state, &plan, &again, detail), ENDING_COMPLETED);
        assert_has(detail, "it is not whole");
        assert_string_equal(buf_str(&whole), buf_str(&again));
        write_file(path, "gannet checkpoint 1\nof an earlier version, however long it may have been", 0600);
        buf_clear(&again);
        assert_int_equal(run_it(&works[i], state, &plan, &again, detail), ENDING_COMPLETED);
        assert_has(detail, "it began anew: its checkpoint can't be used: it is no checkpoint of this gannet");
        assert_string_equal(buf_str(&whole), buf_str(&again));
        struct content odd = {0};
        buf_text(&odd.bytes, "some other kernel's bytes");
        content_write(path, works[i].kernel, 2, &odd);
        buf_clear(&again);
        assert_int_equal(run_it(&works[i], state, &plan, &again, detail), ENDING_COMPLETED);
        assert_has(detail, "it began anew");
        assert_string_equal(buf_str(&whole), buf_str(&again));
        buf_fini(&odd.bytes);
        remove(path);
        buf_fini(&whole);
        buf_fini(&again);
    }
    free(path);
}

/* The kernel has taken up its weights by the time that the last byte shows them to be wrong. */
static void a_checkpoint_that_proves_torn_behind_its_last_byte_leaves_no_trace(void **state)
{
    struct err err;
    write_data(state);
    char *path = mem_text(path_in(state, "checkpoint"));
    for (size_t i = 0; i < WORKS; i++) {
        struct buf whole = {0}, again = {0}, bytes = {0};
        char detail[sizeof((struct err *)0)->text];
        run_it(&works[i], state, &(struct training_plan){0}, &whole, NULL);
        struct training_plan plan = {.checkpoint = path, .until = 2};
        assert_int_equal(run_it(&works[i], state, &plan, &again, NULL), ENDING_PAUSED);
        assert_int_equal(path_read(path, &bytes, 1 << 24, &err), 0);
        bytes.data[bytes.length - 1] ^= 1;
        assert_int_equal(path_write(path, bytes.data, bytes.length, 0600, &err), 0);
        plan = (struct training_plan){.checkpoint = path, .reached = 2};
        buf_clear(&again);
        assert_int_equal(run_it(&works[i], state, &plan, &again, detail), ENDING_COMPLETED);
        assert_has(detail, "it began anew: its checkpoint can't be used: it is not whole");
        assert_string_equal(buf_str(&whole), buf_str(&again));
        remove(path);
        buf_fini(&whole);
        buf_fini(&again);
        buf_fini(&bytes);
    }
    free(path);
}

/* Bin 5 of 9 lies elsewhere than bin 5 of 255. */
static void trees_of_other_bins_are_not_taken_up(void **state)
{
    write_data(state);
    char *first = mem_text(path_in(state, "first")), *second = mem_text(path_in(state, "second")),
         detail[sizeof((struct err *)0)->text];
    const struct work of_255 = {"gbt", "val_loss", "{\"data\": \"DATA\", \"rounds\": 4}", "{\"min_rows\": 3}"},
                      of_9 = {"gbt", "val_loss", "{\"data\": \"DATA\", \"rounds\": 4}",
                              "{\"min_rows\": 3, \"bins\": 9}"};
    struct buf values = {0};
    struct training_plan plan = {.checkpoint = first, .keep = true};
    assert_int_equal(run_it(&of_255, state, &plan, &values, NULL), ENDING_COMPLETED);
    plan = (struct training_plan){.checkpoint = second, .origin = first};
    assert_int_equal(run_it(&of_9, state, &plan, &values, detail), ENDING_COMPLETED);
    assert_has(detail, "it began anew: its checkpoint can't be used: its trees are of 255 bins, and this trial has 9");
    buf_fini(&values);
    free(first);
    free(second);
}

static void a_trial_can_start_from_another_ones_checkpoint_and_takes_its_own_steps(void **state)
{
    write_data(state);
    char *first = mem_text(path_in(state, "first")), *second = mem_text(path_in(state, "second"));
    struct buf values = {0};
    struct training_plan plan = {.checkpoint = first, .keep = true};
    assert_int_equal(run_it(&works[2], state, &plan, &values, NULL), ENDING_COMPLETED);
    buf_clear(&values);
    plan = (struct training_plan){.checkpoint = second, .origin = first, .until = 6};
    assert_int_equal(run_it(&works[2], state, &plan, &values, NULL), ENDING_PAUSED);
    assert_has(buf_str(&values), "5=");
    assert_null(strstr(buf_str(&values), "4="));
    plan.until = 0;
    assert_int_equal(run_it(&works[2], state, &plan, &values, NULL), ENDING_COMPLETED);
    assert_has(buf_str(&values), "8=");
    assert_null(strstr(buf_str(&values), "9="));
    free(first);
    free(second);
    buf_fini(&values);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_trial_that_paused_and_went_on_reports_what_it_would_have_without,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(one_that_was_killed_where_it_was_to_pause_pauses_there, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(so_does_one_that_three_threads_train, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_is_complete_at_max_steps, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_a_killed_writer_left_is_removed_when_the_trial_goes_on, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(the_work_of_a_checkpoint_is_that_of_all_runs_of_its_trial, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_does_not_fit_costs_itself_alone, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_proves_torn_behind_its_last_byte_leaves_no_trace,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_of_trees_may_hold_anything, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_is_missing_or_broken_begins_the_trial_anew_and_says_so,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(trees_of_other_bins_are_not_taken_up, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_can_start_from_another_ones_checkpoint_and_takes_its_own_steps,
                                        enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
