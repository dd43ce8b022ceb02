/* Trials that pause and go on: what each kernel reports is the same as without the pause, and a checkpoint that can't
 * be used costs steps only. */
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"
#include "tests/claims.h"
#include "worker/kernels/kernel.h"
#include "worker/trainer/checkpoint.h"
#include "worker/trainer/training.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

static void a_trial_is_complete_at_max_steps(void **state)
{
    struct buf values = {0};
    struct training_plan plan = {.most = 2};
    assert_int_equal(run_it(&works[5], state, &plan, &values, NULL), ENDING_COMPLETED);
    assert_null(strstr(buf_str(&values), "3="));
    buf_fini(&values);
}

/* --- files made by hand --- */

/* What stands for a kernel: bytes that are saved and taken back. */
struct content {
    struct buf bytes;
    const char *path;      /* not NULL: another writer writes `other` there before this one has ended */
    struct content *other; /* saved by it */
};

static void save_content(void *self, struct pack_writer *out);

static int resume_content(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    (void)step, (void)err;
    struct content *content = self;
    buf_clear(&content->bytes);
    char byte;
    while (in->left && pack_take_bytes(in, &byte, 1))
        buf_add(&content->bytes, &byte, 1);
    return 0;
}

/* A kernel by this name whose bytes are a struct content's. */
static struct kernel bytes_as(const char *name)
{
    return (struct kernel){.name = name, .save = save_content, .resume = resume_content};
}

static void write_content(const char *path, const char *name, int64_t step, struct content *content)
{
    struct err err;
    struct kernel kernel = bytes_as(name);
    struct checkpoint checkpoint = {.step = step, .shown = step, .worked = step > 100 ? 1e3 : 0};
    if (checkpoint_write(path, &checkpoint, &kernel, content, &err))
        fail_msg("%s", err.text);
}

static void save_content(void *self, struct pack_writer *out)
{
    struct content *content = self;
    pack_add_bytes(out, content->bytes.data, content->bytes.length / 2);
    if (content->path)
        write_content(content->path, "mlp", 7, content->other);
    pack_add_bytes(out, content->bytes.data + content->bytes.length / 2,
                   content->bytes.length - content->bytes.length / 2);
}

/* Reads a whole file: its step, and its bytes. -1 with a sentence. */
static int64_t read_content(const char *path, const char *name, struct content *out, struct err *err)
{
    struct checkpoint_file file;
    struct kernel kernel = bytes_as(name);
    if (checkpoint_open(path, &kernel, &file, err) <= 0)
        return -1;
    resume_content(out, 0, &file.bytes, err);
    int64_t step = checkpoint_check(&file, err) ? -1 : file.checkpoint.step;
    checkpoint_close(&file);
    return step;
}

/* How many files the scratch directory holds whose names begin like that. */
static int count_files(void **state, const char *begin)
{
    char *command = mem_format("ls -A '%s' | grep -c '^%s'", path_in(state, ""), begin);
    FILE *pipe = popen(command, "r");
    int count = -1;
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    free(command);
    return count;
}

static void two_writers_leave_a_whole_file_each(void **state)
{
    struct err err;
    char *path = mem_text(path_in(state, "checkpoint"));
    struct content inner = {0}, outer = {.path = path, .other = &inner}, found = {0};
    for (int i = 0; i < 5000; i++) {
        buf_text(&outer.bytes, "outer bytes");
        buf_text(&inner.bytes, "the inner's");
    }
    write_content(path, "mlp", 500, &outer);
    assert_int_equal(read_content(path, "mlp", &found, &err), 500);
    assert_string_equal(buf_str(&found.bytes), buf_str(&outer.bytes));
    assert_int_equal(count_files(state, "checkpoint"), 1);
    buf_fini(&inner.bytes);
    buf_fini(&outer.bytes);
    buf_fini(&found.bytes);
    free(path);
}

static void who_reads_one_that_is_replaced_reads_the_old_one_to_its_end(void **state)
{
    struct err err;
    struct checkpoint_file file;
    struct kernel kernel = bytes_as("mlp");
    const char *path = path_in(state, "checkpoint");
    struct content old = {0}, fresh = {0}, found = {0};
    for (int i = 0; i < 100000; i++)
        buf_text(&old.bytes, "old");
    buf_text(&fresh.bytes, "new");
    write_content(path, "mlp", 1, &old);
    assert_int_equal(checkpoint_open(path, &kernel, &file, &err), 1);
    write_content(path, "mlp", 2, &fresh);
    resume_content(&found, 1, &file.bytes, &err);
    assert_int_equal(checkpoint_check(&file, &err), 0);
    assert_string_equal(buf_str(&found.bytes), buf_str(&old.bytes));
    checkpoint_close(&file);
    assert_int_equal(read_content(path, "mlp", &found, &err), 2);
    buf_fini(&old.bytes);
    buf_fini(&fresh.bytes);
    buf_fini(&found.bytes);
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
    assert_int_equal(count_files(state, "checkpoint"), 3);
    assert_int_equal(count_files(state, "checkpoint.new-a1B2c3"), 0);
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

/* The tail is looked at first: what was cut off is refused before a kernel sees a byte. Anything else is known behind
 * the last one. */
static void no_byte_of_a_file_can_be_lost_or_changed_unseen(void **state)
{
    struct err err;
    struct checkpoint_file file;
    struct buf whole = {0};
    struct content content = {0}, found = {0};
    struct kernel kernel = bytes_as("mlp");
    char *path = mem_text(path_in(state, "checkpoint"));
    buf_text(&content.bytes, "some weights and some more");
    write_content(path, "mlp", 3, &content);
    assert_int_equal(path_read(path, &whole, 1 << 20, &err), 0);
    for (size_t i = 0; i < whole.length; i++) {
        assert_int_equal(path_write(path, whole.data, i, 0600, &err), 0);
        assert_int_equal(checkpoint_open(path, &kernel, &file, &err), -1);
        whole.data[i] ^= 4;
        assert_int_equal(path_write(path, whole.data, whole.length, 0600, &err), 0);
        if (read_content(path, "mlp", &found, &err) != -1)
            fail_msg("byte %d of %d", (int)i, (int)whole.length);
        whole.data[i] ^= 4;
    }
    assert_int_equal(path_write(path, whole.data, whole.length, 0600, &err), 0);
    assert_int_equal(read_content(path, "mlp", &found, &err), 3);
    buf_fini(&whole);
    buf_fini(&content.bytes);
    buf_fini(&found.bytes);
    free(path);
}

static void what_is_no_file_is_not_waited_for(void **state)
{
    struct err err;
    struct content found = {0};
    const char *path = path_in(state, "checkpoint");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(read_content(path, "mlp", &found, &err), -1);
    assert_has(err.text, "it is no file");
    remove(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(read_content(path, "mlp", &found, &err), -1);
    assert_has(err.text, "it is no file");
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
    assert_int_equal(count_files(state, "checkpoint"), 1);
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
    assert_int_equal(read_content(path, "gbt", &whole, &err), 2);
    plan.until = 0;
    for (int i = 0; i < CHANGES; i++) {
        struct content changed = {0};
        size_t length = i % 2 ? whole.bytes.length : (size_t)rng_below(&rng, whole.bytes.length);
        buf_add(&changed.bytes, whole.bytes.data, length);
        for (uint64_t left = i % 2 ? 1 + rng_below(&rng, 4) : 0; left; left--)
            changed.bytes.data[rng_below(&rng, length)] = (char)rng_below(&rng, 256);
        write_content(path, "gbt", 2, &changed);
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
        write_content(path, works[i].kernel, 2, &odd);
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
        cmocka_unit_test_setup_teardown(a_trial_is_complete_at_max_steps, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(two_writers_leave_a_whole_file_each, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(who_reads_one_that_is_replaced_reads_the_old_one_to_its_end, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(what_a_killed_writer_left_is_removed_when_the_trial_goes_on, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(the_work_of_a_checkpoint_is_that_of_all_runs_of_its_trial, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(no_byte_of_a_file_can_be_lost_or_changed_unseen, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_not_waited_for, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_does_not_fit_costs_itself_alone, enter_scratch,
                                        leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_proves_torn_behind_its_last_byte_leaves_no_trace,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_of_trees_may_hold_anything, enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_checkpoint_that_is_missing_or_broken_begins_the_trial_anew_and_says_so,
                                        enter_scratch, leave_scratch),
        cmocka_unit_test_setup_teardown(a_trial_can_start_from_another_ones_checkpoint_and_takes_its_own_steps,
                                        enter_scratch, leave_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
