/* gannet logs: what the processes of an experiment logged, or what a trial's program wrote. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/data/logs.h"
#include "cli/data/target.h"
#include "common/endings.h"
#include "common/mem.h"
#include "scheduler/rundir/pass.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whether more may be written: by the experiment while it lives, by a trial until it has ended. */
static bool goes_on(const struct target *target)
{
    struct source *source;
    if (source_open(target->experiment, &source, NULL))
        return false;
    bool on = source_lives(source) || source_is_hidden(source);
    if (on && target->has_trial) {
        json_t *trials = source_trials(source, &(struct trial_query){.trial = target->trial}, NULL);
        on = !trial_state_name_is_end(json_text(json_array_get(trials, 0), "state"));
        json_decref(trials);
    }
    source_close(source);
    return on;
}

/* Writes what there is and, when following, what comes. False when there was nothing at all. */
static bool write_logs(struct console *console, const struct args *args, struct logs *logs, const struct target *target)
{
    static const struct timespec pause = {.tv_nsec = 250 * 1000 * 1000};
    struct buf text = {0}, safe = {0};
    size_t most = args_count(args, "count", 0);
    bool any = false, on = args_has(args, "follow");
    do {
        on = on && goes_on(target);
        logs_read(logs, most, !on, &text);
        any = any || text.length;
        most = 0;
        if (!args_has(args, "raw"))
            format_safe_lines(buf_str(&text), text.length, &safe);
        console_write(console->out, args_has(args, "raw") ? &text : &safe);
        buf_clear(&text);
        fflush(console->out);
        if (on)
            nanosleep(&pause, NULL);
    } while (on);
    buf_fini(&text);
    buf_fini(&safe);
    return any;
}

/* Trials of built-in kernels seldom write files; the store keeps the last lines of their errors. */
static int write_tail(struct console *console, struct source *source, uint64_t number, bool raw, struct err *err)
{
    struct buf text = {0};
    json_t *trial;
    int status = source_show(source, number, &trial, err);
    const json_t *runs = json_object_get(trial, "runs");
    const char *tail = json_text(json_array_get(runs, json_array_size(runs) - 1), "tail");
    if (raw)
        buf_text(&text, tail);
    else
        format_safe_lines(tail, strlen(tail), &text);
    if (!status && *tail)
        fprintf(console->out, "%s\n", buf_str(&text));
    else if (!status)
        fprintf(console->err, "gannet: trial %" PRIu64 " wrote nothing\n", number);
    buf_fini(&text);
    json_decref(trial);
    return status;
}

/* Names the files of a trial that are no text, where they are. */
static void name_others(struct console *console, const struct logs *logs, const char *directory)
{
    json_t *others = logs_others(logs), *name;
    struct buf line = {0};
    size_t index;
    json_array_foreach(others, index, name)
    {
        buf_text(&line, index ? ", " : "");
        format_safe(json_string_value(name), &line);
    }
    if (line.length)
        fprintf(console->err, "gannet: other files, which are no text, in %s: %s\n", directory, buf_str(&line));
    buf_fini(&line);
    json_decref(others);
}

static int show_logs(struct console *console, const struct args *args, struct source *source,
                     const struct target *target, struct err *err)
{
    const struct rundir *dir = source_dir(source);
    if (pass_is(dir)) {
        err_write(err, "%s is a pass, which opens no files: logs and what trials print are its owner's", dir->path);
        return STATUS_USAGE;
    }
    char *directory = target->has_trial ? mem_format("%s/%06" PRIu64, dir->trials, target->trial) : mem_text(dir->logs);
    struct logs *logs = logs_open(directory, !target->has_trial);
    bool any = write_logs(console, args, logs, target);
    if (target->has_trial)
        name_others(console, logs, directory);
    logs_close(logs);
    free(directory);
    return any || !target->has_trial ? STATUS_OK
                                     : write_tail(console, source, target->trial, args_has(args, "raw"), err);
}

/* --- events: what the store remembers as worth telling --- */

static void add_event(const json_t *event, struct buf *out)
{
    const json_t *trial = json_object_get(event, "trial");
    buf_format(out, "%s  %-15s ", json_text(event, "time"), json_text(event, "kind"));
    if (json_integer_value(trial))
        buf_format(out, "trial %" JSON_INTEGER_FORMAT ": ", json_integer_value(trial));
    format_safe(json_text(event, "text"), out);
    buf_text(out, "\n");
}

static int show_events(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    struct buf text = {0};
    size_t index;
    const json_t *event;
    json_t *events = source_read(source, "events", NULL, err);
    if (!events)
        return STATUS_FAILED;
    size_t count = json_array_size(events), most = args_count(args, "count", count);
    json_array_foreach(events, index, event) if (index + most >= count) add_event(event, &text);
    console_print(console, &text);
    json_decref(events);
    return STATUS_OK;
}

static int show_target(struct console *console, const struct args *args, struct source *source,
                       const struct target *target, struct err *err)
{
    return args_has(args, "events") ? show_events(console, args, source, err)
                                    : show_logs(console, args, source, target, err);
}

static int run_logs(struct console *console, const struct args *args)
{
    return target_visit_trial(console, args, args_rest(args, 1), NULL, show_target);
}

static const struct argument arguments[] = {
    {"EXP/TRIAL", "an experiment or one of its trials (digits/12); default: the last experiment", false},
    {"TRIAL", "the trial's number, when it does not stand behind a slash", false},
    {0}};
static const struct option options[] = {
    OPTION_N("only the last N lines"),
    {.name = "events",
     .short_name = 'e',
     .help = "instead what the store remembers as worth telling: workers that\ncame and went, retries, late results"},
    {.name = "follow", .short_name = 'f', .help = "go on writing what comes, until it has ended"},
    {.name = "raw",
     .help = "byte for byte: otherwise control characters, which could do\nanything to a terminal, are shown as ?"},
    {0}};

const struct command cmd_logs = {
    .name = "logs",
    .group = GROUP_LOOK,
    .summary = "Shows the logs of an experiment, or what one of its trials wrote",
    .text = "Of an experiment: the lines of its coordinator and workers, merged by time. Of a trial: its\n"
            "output and errors, and what else its program wrote there as text (other files are named),\n"
            "else the last lines of its errors.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet logs digits -n 20\ngannet logs digits/12 --follow",
    .run = run_logs};
