/* gannet tell: what came of a trial that gannet ask proposed. */
#include "cli/command.h"
#include "cli/session/ask_tell_loop.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdlib.h>
#include <string.h>

/* A number as people and programs write it; false when it is none. */
static bool read_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return *text && !*end;
}

/* Adds "loss=0.3" to the values. */
static int add_value(json_t *values, const char *text, struct err *err)
{
    const char *equals = strrchr(text, '=');
    double number;
    if (!equals || equals == text || !read_number(equals + 1, &number))
        return err_set(err, "'%s' is no METRIC=NUMBER; --value NUMBER needs no name", text);
    char *name = mem_text_n(text, (size_t)(equals - text));
    json_object_set_new(values, name, json_of_real(number));
    free(name);
    return 0;
}

/* What the arguments say, as ask_tell_loop_tell takes it. NULL with a sentence. */
static json_t *read_result(const struct args *args, struct err *err)
{
    int64_t trial;
    double value;
    const char *number = args_rest(args, 1), *first = args_text(args, "value", NULL);
    json_t *result = json_object(), *values = json_object();
    int failed = 0;
    json_object_set_new(result, "values", values);
    if (!units_integer(number, &trial) || trial < 1)
        failed = err_set(err, "'%s' is no trial: a number from 1", number);
    else
        json_object_set_new(result, "trial", json_integer(trial));
    if (!failed && first && !read_number(first, &value))
        failed = err_set(err, "--value takes a number, not '%s'", first);
    else if (!failed && first)
        json_object_set_new(result, "value", json_of_real(value));
    if (args_has(args, "failed"))
        json_object_set_new(result, "failed", json_of_text(args_text(args, "failed", "")));
    for (size_t i = 2; !failed && args_rest(args, i); i++)
        failed = add_value(values, args_rest(args, i), err);
    if (!failed)
        return result;
    json_decref(result);
    return NULL;
}

static int tell_result(struct console *console, const struct args *args, const json_t *result)
{
    struct ask_tell *ask_tell;
    struct err err;
    int status = ask_tell_loop_open(console, args, ASK_TELL_TELLS, &ask_tell);
    if (status)
        return status;
    status = ask_tell_loop_tell(ask_tell, result, &err);
    if (!status && ask_tell_commit(ask_tell, &err))
        status = STATUS_FAILED;
    ask_tell_close(ask_tell);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static int run_tell(struct console *console, const struct args *args)
{
    struct err err;
    json_t *result = read_result(args, &err);
    int status = result ? tell_result(console, args, result) : console_fail(console, STATUS_USAGE, &err);
    json_decref(result);
    return status;
}

static const struct argument arguments[] = {{"EXP|FILE", "the experiment, or its file", true},
                                            {"TRIAL", "the trial's number", true},
                                            {"METRIC=VALUE...", "what it came to, by the metrics' names", false},
                                            {0}};

static const struct option options[] = {
    OPTION_VALUE("value", TEXT, "X", "the value of the first metric"),
    OPTION_VALUE("failed", TEXT, "WHY",
                 "it has no value; why, in words or as an ending's name (diverged,\nout_of_memory, cancelled, ...)"),
    OPTION_DIR("the run directory of a file's experiment (default: runs/NAME)"),
    OPTION_VALUE("wait", COUNT, "SECONDS", "how long to wait for other loops (default: 10)"),
    {0}};

const struct command cmd_tell = {.name = "tell",
                                 .group = GROUP_RUN,
                                 .summary = "Says what came of a trial of your own loop",
                                 .text = "The other half of `gannet ask`. When it returns the result is on disk.",
                                 .arguments = arguments,
                                 .options = options,
                                 .examples = "gannet tell my 1 --value 0.25\n"
                                             "gannet tell my 2 val_loss=0.21 latency=13.5\n"
                                             "gannet tell my 3 --failed diverged",
                                 .run = run_tell};
