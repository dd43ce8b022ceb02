/* gannet rerun: trains the configuration of a trial again, by hand, and looks at it as it does. */
#include "cli/command.h"
#include "cli/flame/write.h"
#include "cli/session/rerun.h"
#include "cli/data/target.h"
#include "common/mem.h"
#include "common/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Whether the table of operations is asked for. */
static bool wants_operations(const struct args *args)
{
    return args_has(args, "operations") || args_has(args, "profile");
}

/* What options ask of a person's program that is known of kernels alone; NULL: nothing. */
static const char *asks_too_much(const struct args *args)
{
    return wants_operations(args)
               ? "operations are known of built-in kernels alone; of a program --flame shows the functions"
           : args_has(args, "json") ? "a program prints what it prints: --json is for built-in kernels"
                                    : NULL;
}

/* The command line that gannet show ends with. 0, or an exit status with a sentence. */
static int make_line(struct console *console, const struct args *args, struct source *source, uint64_t number,
                     struct buf *out, struct err *err)
{
    json_t *trial = NULL;
    int status = source_show(source, number, &trial, err);
    struct spec *spec = status ? NULL : source_spec(source, err);
    if (!status && !spec)
        status = STATUS_FAILED;
    else if (!status && !rerun_is_there(spec))
        status = (err_write(err, "the trials of this experiment are run by a loop of its own: there is no command to "
                                 "repeat one"),
                  STATUS_FAILED);
    else if (!status && !spec->trial.kernel && asks_too_much(args))
        status = (err_write(err, "%s", asks_too_much(args)), STATUS_USAGE);
    else if (!status &&
             rerun_add(&(struct rerun){spec, source_dir(source)->path, console->programs, true}, trial, out, err))
        status = STATUS_FAILED;
    spec_destroy(spec);
    json_decref(trial);
    return status;
}

/* Becomes the shell: what the command says and how it ends is the trial's own. */
static int run_plain(struct console *console, const char *line, struct err *err)
{
    fflush(console->out);
    execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    err_write_errno(err, "can't start /bin/sh");
    return STATUS_FAILED;
}

static int run_sampled(struct console *console, const struct args *args, const char *title, const char *line,
                       struct err *err)
{
    struct recording recording;
    if (record_command(line, &recording, err))
        return STATUS_FAILED;
    int status = recording.status;
    if (flame_write(console, args, title, &recording, err))
        status = STATUS_FAILED;
    else if (status)
        err_write(err, "the trial ended with status %d", status);
    recording_fini(&recording);
    return status;
}

static int rerun_trial(struct console *console, const struct args *args, struct source *source,
                       const struct target *target, struct err *err)
{
    struct buf line = {0};
    int status = flame_check(args, err) ? STATUS_USAGE : make_line(console, args, source, target->trial, &line, err);
    if (!status && wants_operations(args))
        buf_text(&line, " --profile '*'");
    if (!status && args_has(args, "json"))
        buf_text(&line, " --json");
    char *title = mem_format("%s/%" PRIu64 ", run again", path_base(source_dir(source)->path), target->trial);
    if (!status)
        status = flame_is_wanted(args) ? run_sampled(console, args, title, buf_str(&line), err)
                                       : run_plain(console, buf_str(&line), err);
    free(title);
    buf_fini(&line);
    return status;
}

static int run_rerun(struct console *console, const struct args *args)
{
    return target_visit_trial(console, args, args_rest(args, 1),
                              "gannet rerun needs a trial: EXP/TRIAL, a number or best", rerun_trial);
}

static const struct argument arguments[] = {
    {"EXP/TRIAL", "the trial: digits/12, digits/best; of the last experiment the number alone", false},
    {"TRIAL", "its number, when it does not stand behind a slash", false},
    {0}};
static const struct option options[] = {
    OPTIONS_FLAME,
    {.name = "operations", .help = "of a built-in kernel: the table of its operations at the end"},
    OPTION_VALUE("profile", WORD, "operations", "the same as --operations, as the experiment file calls it"),
    OPTION_JSON("of a built-in kernel: an object a line, for each step and the end (docs/json.md)"),
    {0}};

const struct command cmd_rerun = {
    .name = "rerun",
    .group = GROUP_LOOK,
    .summary = "Trains the configuration of a trial again, here and now",
    .text = "The command that gannet show ends with: the same seed, nothing is recorded, and what the\n"
            "trial wrote is left alone.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet rerun digits/best\ngannet rerun digits/12 --flame out.svg\ngannet rerun digits/12 --operations"
                "\ngannet rerun digits/12 --json | jq .samples_per_second",
    .run = run_rerun};
