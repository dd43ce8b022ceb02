/* gannet metric, checkpoint, should-stop: what a trial's script says to its worker, and asks it. */
#include "cli/command.h"
#include "cli/data/trial_stream.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The step that --step says, added to the line. */
static int add_step(const struct args *args, json_t *line, struct err *err)
{
    const char *text = args_text(args, "step", NULL);
    int64_t step;
    if (!text)
        return 0;
    if (!units_integer(text, &step) || step < 0)
        return err_set(err, "--step takes a whole number from 0 on, not '%s'", text);
    json_object_set_new(line, "step", json_integer(step));
    return 0;
}

/* --- metric --- */

/* "loss=0.3" into the values. */
static int add_metric(json_t *values, const char *text, struct err *err)
{
    const char *equals = strrchr(text, '=');
    char *end = NULL;
    double number = equals ? strtod(equals + 1, &end) : 0;
    if (!equals || equals == text || end == equals + 1 || *end)
        return err_set(err, "'%s' is no NAME=NUMBER", text);
    char *name = mem_text_n(text, (size_t)(equals - text));
    json_object_set_new(values, name, json_of_real(number));
    free(name);
    return 0;
}

static json_t *read_metrics(const struct args *args, struct err *err)
{
    json_t *line = json_object(), *values = json_object();
    int failed = add_step(args, line, err);
    json_object_set_new(line, "metric", values);
    for (size_t i = 0; !failed && args_rest(args, i); i++)
        failed = add_metric(values, args_rest(args, i), err);
    if (!failed)
        return line;
    json_decref(line);
    return NULL;
}

/* As a worker finds it in the output, and a person reads it: "loss=0.3 step=4". */
static void print_metrics(struct console *console, const struct args *args)
{
    const char *step = args_text(args, "step", NULL);
    for (size_t i = 0; args_rest(args, i); i++)
        fprintf(console->out, "%s%s", i ? " " : "", args_rest(args, i));
    if (step)
        fprintf(console->out, " step=%s", step);
    fputs("\n", console->out);
}

/* A training goes on whatever became of the worker: what can't be said is printed, and read from there. */
static int run_metric(struct console *console, const struct args *args)
{
    struct err err;
    json_t *line = read_metrics(args, &err);
    if (!line)
        return console_fail(console, STATUS_USAGE, &err);
    json_t *answer = trial_stream_is_trial() ? trial_stream_say(json_incref(line), &err) : NULL;
    if (!answer && trial_stream_is_trial())
        console_fail(console, STATUS_OK, &err);
    if (!answer && (!trial_stream_is_trial() || !trial_stream_rank()))
        print_metrics(console, args);
    json_decref(answer);
    json_decref(line);
    return STATUS_OK;
}

static const struct argument metric_arguments[] = {
    {"NAME=VALUE...", "metrics and their values; nan and inf are values, too", true}, {0}};

#define OPTION_STEP(sentence) OPTION_VALUE("step", TEXT, "N", sentence)

static const struct option metric_options[] = {
    OPTION_STEP("the step that they belong to (default: one more than the last)"), {0}};

const struct command cmd_metric = {.name = "metric",
                                   .group = GROUP_TRIAL,
                                   .summary = "Tells values of the trial's metrics",
                                   .text = "For scripts that `gannet run` starts. Without a trial around it, it prints "
                                           "them.",
                                   .arguments = metric_arguments,
                                   .options = metric_options,
                                   .examples = "gannet metric val_loss=0.31 --step 4",
                                   .run = run_metric};

/* --- checkpoint --- */

static int copy_bytes(int from, int to)
{
    char bytes[1 << 16];
    ssize_t length;
    while ((length = read(from, bytes, sizeof bytes)) != 0)
        if ((length < 0 && errno != EINTR) || (length > 0 && path_write_all(to, bytes, (size_t)length)))
            return -1;
    return fsync(to);
}

/* Beside its place first, so that there is never half a checkpoint. */
static int put_file(const char *file, const char *place, struct err *err)
{
    struct stat status;
    char *beside = mem_format("%s.new", place);
    int from = open(file, O_RDONLY | O_CLOEXEC), to = -1, result = -1;
    if (from < 0 || fstat(from, &status))
        err_write_errno(err, "can't read '%s'", file);
    else if (!S_ISREG(status.st_mode))
        err_write(err, "'%s' is no regular file; put a directory in the place of $GANNET_CHECKPOINT_OUT by mv", file);
    else if ((to = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600)) < 0 ||
             copy_bytes(from, to) || rename(beside, place) || path_sync_directory(place))
        err_write_errno(err, "can't save '%s' as '%s'", file, place);
    else
        result = 0;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    free(beside);
    return result;
}

/* Whether the trial's checkpoint lies there already. */
static bool is_there(const char *file, const char *place)
{
    struct stat a, b;
    return stat(file, &a) == 0 && stat(place, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int run_checkpoint(struct console *console, const struct args *args)
{
    struct err err;
    json_t *line = json_object();
    const char *file = args_rest(args, 0), *place = getenv("GANNET_CHECKPOINT_OUT");
    json_object_set_new(line, "checkpoint", json_true());
    int status = add_step(args, line, &err) ? STATUS_USAGE : STATUS_OK;
    if (!status && trial_stream_is_trial() && trial_stream_rank()) {
        json_decref(line); /* the first of several processes saves for all */
        return STATUS_OK;
    }
    if (!status && (!trial_stream_is_trial() || !place)) {
        fprintf(console->out, "checkpoint %s%s\n", file,
                trial_stream_is_trial() ? " (not kept: trial.checkpoint is not true)" : "");
    } else if (!status && !is_there(file, place) && put_file(file, place, &err)) {
        status = STATUS_FAILED;
    } else if (!status) {
        json_decref(trial_stream_say(json_incref(line), NULL)); /* the file is what counts */
    }
    json_decref(line);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument checkpoint_arguments[] = {{"FILE", "what to go on from", true}, {0}};

static const struct option checkpoint_options[] = {OPTION_STEP("the step after which it was saved"), {0}};

const struct command cmd_checkpoint = {
    .name = "checkpoint",
    .group = GROUP_TRIAL,
    .summary = "Makes a file the trial's checkpoint, at once",
    .text = "A copy of it takes the place of $GANNET_CHECKPOINT_OUT, and the worker hears of it. Without a trial\n"
            "around it, it prints the name.",
    .arguments = checkpoint_arguments,
    .options = checkpoint_options,
    .examples = "gannet checkpoint model.bin --step 4",
    .run = run_checkpoint};

/* --- should-stop --- */

static int run_should_stop(struct console *console, const struct args *args)
{
    struct err err;
    json_t *line = json_object();
    json_object_set_new(line, "should_stop", json_true());
    if (add_step(args, line, &err)) {
        json_decref(line);
        return console_fail(console, STATUS_USAGE, &err);
    }
    json_t *answer = trial_stream_is_trial() ? trial_stream_say(json_incref(line), &err) : NULL;
    bool stops = json_is_true(json_object_get(answer, "stop"));
    if (!answer && trial_stream_is_trial())
        console_fail(console, STATUS_FAILED, &err);
    if (stops)
        console_tell(console, "%s: %s", json_string_value(json_object_get(answer, "reason")),
                     json_string_value(json_object_get(answer, "detail")));
    json_decref(answer);
    json_decref(line);
    return stops ? STATUS_OK : STATUS_FAILED;
}

static const struct option should_stop_options[] = {OPTION_STEP("the step that is done"), {0}};

const struct command cmd_should_stop = {
    .name = "should-stop",
    .group = GROUP_TRIAL,
    .summary = "Asks whether the trial is to stop: status 0 says yes, 1 no",
    .text = "Yes is: early stopping, the end of the job's time, a step to pause after, or somebody has stopped it.\n"
            "The reason goes to the standard error. Without a trial around it the answer is no.",
    .options = should_stop_options,
    .examples = "if gannet should-stop --step 4; then exit 0; fi",
    .run = run_should_stop};
