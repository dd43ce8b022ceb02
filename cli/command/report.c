/* gannet report: one file of HTML about an experiment, or about several side by side. */
#include "cli/data/target.h"
#include "cli/data/whole_file.h"
#include "cli/report/report.h"
#include "cli/command.h"
#include "cli/report/subject.h"
#include "cli/session/rerun.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

/* What was read. */
struct report_reading {
    struct plot_subject *subjects;
    size_t count;
    char *command, *directory; /* of the first */
};

/* The best trial's command line. One that can't be made is left out. */
static char *read_command(const struct console *console, struct source *source, const struct trial_data *data)
{
    struct err ignored;
    struct buf text = {0};
    json_t *best = data->best_count ? source_read(source, "best", NULL, &ignored) : NULL;
    struct spec *spec = source_spec(source, &ignored);
    if (json_is_object(best) && spec && rerun_is_there(spec))
        rerun_add(&(struct rerun){spec, source_dir(source)->path, console->programs, true}, best, &text, &ignored);
    spec_destroy(spec);
    json_decref(best);
    return text.length ? buf_take(&text) : NULL;
}

static int read_one(const struct console *console, const char *name, unsigned needs, struct report_reading *out,
                    struct err *err)
{
    struct source *source;
    int status = source_open(name, &source, err);
    if (status)
        return status;
    struct plot_subject *subject = &out->subjects[out->count];
    status = subject_read(source, needs, subject, err) ? STATUS_FAILED : STATUS_OK;
    if (!status && out->count++ == 0) {
        out->command = read_command(console, source, &subject->data);
        out->directory = mem_text(source_dir(source)->path);
    }
    source_close(source);
    return status;
}

static const char *path_of(const struct args *args)
{
    return args_text(args, "output", "report.html");
}

/* Names of nodes become "node 1", "node 2", ...; the same name the same one. */
static void rename_nodes(struct plot_subject *subject)
{
    struct trial_data *data = &subject->data;
    for (size_t i = 0; i < subject->spans.slot_count; i++) {
        struct slot_row *slot = &subject->spans.slots[i];
        size_t node = 0;
        while (node < data->node_count && strcmp(data->nodes[node], slot->node) != 0)
            node++;
        free(slot->node);
        slot->node = mem_format("node %zu", node + 1);
    }
    for (size_t i = 0; i < data->node_count; i++) {
        free(data->nodes[i]);
        data->nodes[i] = mem_format("node %zu", i + 1);
    }
}

/* Before an experiment is read: that may take long. */
static int check_place(const struct args *args, struct err *err)
{
    static const struct own_mark marks[] = {{REPORT_BEGIN, NULL}, {0}};
    return own_file_check(path_of(args), marks, args_has(args, "force"), "report", err);
}

static int write_report(struct console *console, const struct args *args, const struct report_reading *reading,
                        struct err *err)
{
    bool no_env = args_has(args, "no-env"), no_commands = args_has(args, "no-commands");
    struct report report = {.subjects = reading->subjects,
                            .count = reading->count,
                            .command = no_env || no_commands ? NULL : reading->command,
                            .directory = reading->directory,
                            .no_commands = no_commands,
                            .no_env = no_env};
    const char *path = path_of(args);
    struct buf page = {0};
    int status = STATUS_OK, large;
    for (size_t i = 0; i < reading->count && no_env; i++)
        rename_nodes(&reading->subjects[i]);
    report_write(&report, &page);
    large = page.length >= 1000000;
    if (strcmp(path, "-") == 0)
        console_write(console->out, &page);
    else if (path_put(path, page.data, page.length, 0644, err))
        status = STATUS_FAILED;
    else
        console_tell(console, "%s: %.*f %s; open it in a browser, it needs no network", path, large,
                     (double)page.length / (large ? 1e6 : 1e3), large ? "MB" : "kB");
    buf_fini(&page);
    return status;
}

static int run_report(struct console *console, const struct args *args)
{
    struct err err = {""};
    struct experiment_names names = {0};
    int status = check_place(args, &err) ? STATUS_USAGE : STATUS_OK;
    for (size_t i = 0; i < args->rest_count && !status; i++)
        status = experiment_names_add(&names, args->rest[i], &err);
    size_t count = names.count ? names.count : 1;
    struct report_reading reading = {.subjects = MEM_ARRAY(struct plot_subject, count)};
    for (size_t i = 0; i < count && !status; i++)
        status = read_one(console, names.count ? names.items[i] : NULL, report_needs(count), &reading, &err);
    experiment_names_fini(&names);
    if (!status && plot_check_comparable(reading.subjects, reading.count, &err))
        status = STATUS_USAGE;
    if (!status)
        status = write_report(console, args, &reading, &err);
    for (size_t i = 0; i < reading.count; i++)
        plot_subject_fini(&reading.subjects[i]);
    free(reading.subjects);
    free(reading.command);
    free(reading.directory);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static const struct argument arguments[] = {
    {"EXP...", "the experiment; several are compared, 'a-*' is all that match; default: the last one", false}, {0}};
static const struct option options[] = {
    OPTION_LETTER("output", 'o', TEXT, "FILE", "the file; default report.html; -: the standard output"),
    {.name = "no-commands", .help = "without the best trial's command and the experiment file"},
    {.name = "no-env",
     .help = "without names of nodes and directories, and without the best trial's\ncommand, which "
             "has some; the experiment file stays as it is"},
    {.name = "force", .help = "replace the file that lies there, whatever it is"},
    {0}};

const struct command cmd_report = {
    .name = "report",
    .group = GROUP_LOOK,
    .summary = "Writes a report of an experiment: one file of HTML to read, print and mail",
    .text = "History, learning curves, importance, parallel coordinates, each parameter, pairs, the\n"
            "front of several objectives, the timeline of the slots with where the time went, profiles,\n"
            "failures, all trials, and what is needed to do it again. The file makes no request to\n"
            "anywhere and is readable without scripts. Of several experiments: their bests over trials,\n"
            "time and core-hours, and their tables side by side. A report is replaced by a newer one; another\n"
            "file that lies there is not.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet report digits -o digits.html\n"
                "gannet report digits --no-commands --no-env -o public.html\n"
                "gannet report 'random-*' 'tpe-*' -o comparison.html",
    .run = run_report};
