/* See check.h. */
#include "worker/trainer/check.h"

#include "common/buf.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/texts.h"
#include "worker/data/copy.h"
#include "worker/data/generate.h"
#include "worker/data/read.h"
#include "worker/kernels/kernel.h"

#include <jansson.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_UNFIT = 2 };

/* --- who asks --- */

static atomic_bool answered;

/* Nobody waits for the answer any more. */
static void *await_end(void *unused)
{
    char byte;
    (void)unused;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    if (!atomic_load(&answered))
        kill(getpid(), SIGTERM);
    return NULL;
}

static bool is_asked(void)
{
    struct stat input;
    return fstat(STDIN_FILENO, &input) == 0 && S_ISFIFO(input.st_mode);
}

/* Signals are the first thread's, which knows what it is doing. */
static void watch_asker(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, await_end, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Until a trainer has the copy as well, or nobody will start one. */
static void hold_copy(const struct dataset *data)
{
    enum { PAUSE = 100 /* milliseconds */, TIMES = 600 };
    struct pollfd asker = {.fd = STDIN_FILENO, .events = POLLIN};
    for (int i = 0; i < TIMES && copy_is_alone(data) && poll(&asker, 1, PAUSE) == 0; i++)
        continue;
}

/* --- the answer --- */

/* "60,000" */
static void add_grouped(size_t number, struct buf *out)
{
    if (number >= 1000)
        add_grouped(number / 1000, out);
    buf_format(out, number >= 1000 ? ",%03zu" : "%zu", number % 1000);
}

/* " (3 to 32 of 40 steps, without padding)". */
static void describe_lengths(const struct dataset *data, struct buf *out)
{
    size_t least = data->steps, most = 0;
    for (size_t n = 0; data->lengths && n < data->count; n++) {
        size_t length = (size_t)data->lengths[n];
        least = length < least ? length : least;
        most = length > most ? length : most;
    }
    if (data->lengths)
        buf_format(out, " (%zu to %zu of %zu steps, without padding)", least, most, data->steps);
}

static void describe_shape(const struct dataset *data, struct buf *out)
{
    for (int i = 0; i < data->shape.rank; i++)
        buf_format(out, i ? " x %zu" : "%zu", data->shape.size[i]);
    if (!data->shape.rank)
        buf_format(out, "%zu", data->inputs);
    if (data->shape.rank < 2)
        buf_text(out, !data->x ? " bytes" : data->inputs == 1 ? " input" : " inputs");
    describe_lengths(data, out);
}

/* A text has no examples in memory. */
static void describe_examples(const struct dataset *data, struct buf *out)
{
    add_grouped(data->count, out);
    buf_text(out, data->x ? " examples of " : " windows of ");
    describe_shape(data, out);
    if (data->targets)
        buf_text(out, ", a number to learn");
    else if (data->x)
        buf_format(out, ", %zu classes", data->classes);
    buf_text(out, "; ");
    add_grouped(data->count - data->training, out);
    buf_text(out, " of them for validation");
}

static void add_examples(const struct dataset *data, json_t *answer)
{
    struct buf text = {0};
    json_t *shape = json_array();
    describe_examples(data, &text);
    for (int i = 0; i < data->shape.rank; i++)
        json_array_append_new(shape, json_integer((json_int_t)data->shape.size[i]));
    if (!data->shape.rank)
        json_array_append_new(shape, json_integer((json_int_t)data->inputs));
    json_object_set_new(answer, "data", json_string(buf_str(&text)));
    json_object_set_new(answer, "examples", json_integer((json_int_t)data->count));
    json_object_set_new(answer, "validation", json_integer((json_int_t)(data->count - data->training)));
    json_object_set_new(answer, "shape", shape);
    json_object_set_new(answer, "classes", json_integer((json_int_t)data->classes));
    buf_fini(&text);
}

/* Classes that are validated with and never trained on. */
static void add_unseen(const struct dataset *data, json_t *answer)
{
    size_t classes = 0, examples = 0;
    size_t *trained = MEM_ARRAY(size_t, data->classes + 1), *kept = MEM_ARRAY(size_t, data->classes + 1);
    for (size_t n = 0; data->labels && n < data->count; n++)
        (n < data->training ? trained : kept)[data->labels[n]]++;
    for (size_t i = 0; data->labels && i < data->classes; i++) {
        classes += !trained[i] && kept[i];
        examples += trained[i] ? 0 : kept[i];
    }
    free(trained);
    free(kept);
    if (classes)
        json_object_set_new(answer, "warning",
                            json_sprintf("%zu of the %zu classes occur%s in the validation data alone (%zu of its %zu "
                                         "examples), and can't be learned",
                                         classes, data->classes, classes == 1 ? "s" : "", examples,
                                         data->count - data->training));
}

static const char *option_text(const struct kernel_task *task, const char *name)
{
    const char *text = json_string_value(json_object_get(task->options, name));
    return text ? text : "";
}

/* The files that were read: also those that no option names, such as the test part beside train.csv. */
static void add_files(const struct kernel_task *task, json_t *answer)
{
    const struct dataset_source source = {.base = task->base,
                                          .file = option_text(task, "data"),
                                          .labels = option_text(task, "labels"),
                                          .validation_data = option_text(task, "validation_data"),
                                          .validation_labels = option_text(task, "validation_labels")};
    struct texts paths = {0};
    json_t *files = json_array();
    char *file = path_join(task->base, source.file);
    if (*source.file && !generate_named(source.file))
        read_parts_list(file, &source, &paths);
    for (size_t i = 0; i < paths.count; i++)
        json_array_append_new(files, json_of_text(paths.items[i]));
    json_object_set_new(answer, "files", files);
    texts_fini(&paths);
    free(file);
}

static void print_answer(json_t *answer)
{
    char *text = json_dumps(answer, JSON_COMPACT);
    puts(text);
    fflush(stdout);
    free(text);
    json_decref(answer);
    atomic_store(&answered, true);
}

/* --- a trial --- */

/* Whether all trials can start when one can: they differ in nothing that this follows from. */
static bool is_decided(const struct kernel *kernel, const char *searched)
{
    const char *at = kernel->shapes;
    for (size_t length; searched && at && *at; at += length + (at[length] == ' ')) {
        length = strcspn(at, " ");
        if (texts_lists(searched, ',', at, length))
            return false;
    }
    return searched && at;
}

/* What a trial takes that has just been started, with the data; and of several that train together what they share, and
 * what each of them takes. `before`: the data alone. */
static void add_bytes(const struct kernel *kernel, const void *self, uint64_t before, json_t *answer)
{
    uint64_t all = kernel->taken(self), room = kernel->fusion ? kernel->fusion->room(self) : 0;
    json_object_set_new(answer, "bytes", json_integer((json_int_t)all));
    if (!room)
        return;
    json_object_set_new(answer, "shared", json_integer((json_int_t)before));
    json_object_set_new(answer, "each", json_integer((json_int_t)(all - before + room)));
}

/* Starts a trial with what the options fix and the defaults, and ends it before its first step. Says why that can't be,
 * or how much memory it takes with the data. */
static void try_trial(const struct kernel *kernel, void *self, json_t *answer)
{
    struct err err;
    int64_t steps;
    json_t *params = json_object();
    const struct kernel_trial trial = {.number = 1, .attempt = 1, .params = params};
    uint64_t before = kernel->taken ? kernel->taken(self) : 0;
    if (kernel->start(self, &trial, &steps, &err)) {
        json_object_set_new(answer, "trial", json_of_text(err.text));
    } else {
        if (kernel->taken)
            add_bytes(kernel, self, before, answer);
        kernel->finish(self);
    }
    json_decref(params);
}

/* Opens the kernel, answers, and closes it. */
static int look_at_data(const struct kernel *kernel, const struct kernel_task *task, const char *searched, bool hold,
                        struct err *err)
{
    void *self;
    if (kernel->open(task, &self, err))
        return -1;
    const struct dataset *data = kernel->data ? kernel->data(self) : NULL;
    json_t *answer = json_pack("{s:b}", "fine", 1);
    if (data)
        add_examples(data, answer);
    if (data)
        add_unseen(data, answer);
    if (data)
        add_files(task, answer);
    if (is_decided(kernel, searched))
        try_trial(kernel, self, answer);
    json_object_set_new(answer, "held", json_boolean(data && hold && data->copy));
    print_answer(answer);
    if (data && hold)
        hold_copy(data);
    kernel->close(self);
    return 0;
}

int check_and_print(const struct by_hand *wanted)
{
    struct err err;
    json_t *options = NULL;
    const struct kernel *kernel = kernel_find(wanted->kernel);
    bool asked = is_asked();
    if (asked)
        watch_asker();
    int result = kernel ? by_hand_object("--options", wanted->options, &options, &err)
                        : err_set(&err, "there is no kernel '%s'; gannet-trainer --kernels lists them", wanted->kernel);
    const struct kernel_task task = {.options = options,
                                     .base = wanted->base,
                                     .metric = wanted->metric ? wanted->metric : "",
                                     .threads = wanted->threads};
    if (!result)
        result = look_at_data(kernel, &task, wanted->searched, asked, &err);
    if (result)
        print_answer(json_pack("{s:b, s:o}", "fine", 0, "error", json_of_text(err.text)));
    json_decref(options);
    return result ? EXIT_UNFIT : EXIT_SUCCESS;
}
