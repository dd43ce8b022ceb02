/* gannet profile: where the time of a trial, or of all trials, went. */
#include "cli/command.h"
#include "cli/data/profile_page.h"
#include "cli/data/target.h"
#include "cli/flame/write.h"
#include "cli/session/flame_live.h"
#include "cli/data/trace.h"
#include "cli/view/profile_sections.h"

#include <string.h>

/* What one wants to know of the file is said aside: the standard output may be the trace. */
static int write_trace(struct console *console, struct source *source, const struct target *target, const char *path,
                       struct err *err)
{
    enum { MANY_MB = 1000 }; /* what a viewer in a browser hardly takes */
    struct trace_size size;
    int status = trace_write(source, target->has_trial ? target->trial : 0, path, &size, err);
    if (status)
        return status;
    double mb = (double)size.bytes / 1e6;
    console_tell(console, "%s: %llu %s that ended, %.*f MB; %s", strcmp(path, "-") == 0 ? "the trace" : path,
                 (unsigned long long)size.runs, size.runs == 1 ? "attempt" : "attempts", mb < 10 ? 3 : 0, mb,
                 mb < MANY_MB ? "open it at https://ui.perfetto.dev or chrome://tracing"
                              : "more than a browser takes: open it with trace_processor_shell of Perfetto");
    return STATUS_OK;
}

static int show_profile(struct console *console, const struct args *args, struct source *source,
                        const struct target *target, struct err *err)
{
    struct buf text = {0};
    json_t *page = NULL;
    if (flame_is_wanted(args))
        return flame_live(console, args, source, target->trial, err);
    const char *trace = args_text(args, "trace", NULL);
    if (trace)
        return write_trace(console, source, target, trace, err);
    uint64_t most = args_has(args, "all") ? 0 : PROFILE_SAMPLE;
    int status = profile_page_read(source, target->has_trial ? target->trial : 0, most, &page, err);
    if (!status && args_has(args, "json"))
        console_json(console, json_incref(page));
    else if (!status)
        (args_has(args, "operations") ? profile_operations_draw_alone : profile_sections_draw)(page, &console->out_look,
                                                                                               &text);
    console_print(console, &text);
    json_decref(page);
    return status;
}

/* --- two trials --- */

/* The numbers of the last two arguments; -1 with a sentence. */
static int read_numbers(const struct args *args, uint64_t numbers[2], struct err *err)
{
    for (size_t i = 0; i < 2; i++) {
        struct target target = {0};
        const char *text = args->rest_count >= 2 ? args->rest[args->rest_count - 2 + i] : "";
        int failed = target_read(NULL, text, &target, err);
        numbers[i] = target.trial;
        if (failed || !target.trial)
            return err_set(err, "--compare takes the numbers of two trials: gannet profile EXP --compare 3 7");
    }
    return 0;
}

static int compare_trials(struct console *console, const struct args *args, struct source *source,
                          const uint64_t numbers[2], struct err *err)
{
    struct buf text = {0};
    json_t *pages[2] = {NULL};
    int status = STATUS_OK;
    for (size_t i = 0; i < 2 && !status; i++)
        status = profile_page_read(source, numbers[i], 0, &pages[i], err);
    if (!status && args_has(args, "json"))
        console_json(console, json_pack("[O, O]", pages[0], pages[1]));
    else if (!status)
        profile_compare_draw(pages[0], pages[1], &console->out_look, &text);
    console_print(console, &text);
    json_decref(pages[0]);
    json_decref(pages[1]);
    return status;
}

/* EXP stands before the two numbers, or is missing. */
static int run_compare(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err = {""};
    uint64_t numbers[2];
    if (read_numbers(args, numbers, &err))
        return console_fail(console, STATUS_USAGE, &err);
    int status = source_open(args->rest_count > 2 ? args_rest(args, 0) : NULL, &source, &err);
    if (!status) {
        status = compare_trials(console, args, source, numbers, &err);
        source_close(source);
    }
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

static int run_profile(struct console *console, const struct args *args)
{
    if (args_has(args, "compare"))
        return run_compare(console, args);
    const char *needs = flame_is_wanted(args) ? "a flame graph is that of one trial, which runs: EXP/TRIAL" : NULL;
    return target_visit_trial(console, args, args_rest(args, 1), needs, show_profile);
}

static const struct argument arguments[] = {
    {"EXP", "the experiment, or EXP/TRIAL: digits/12, digits/best", false},
    {"TRIAL", "the trial's number, when it does not stand behind a slash; with --compare the first of two", false},
    {"OTHER", "with --compare: the second one", false},
    {0}};
static const struct option options[] = {
    {.name = "all", .help = "read every trial of an experiment of 40,000 and more, and not a sample of them"},
    {.name = "operations", .help = "the table of operations alone"},
    {.name = "compare", .help = "two trials side by side: gannet profile EXP --compare 3 7"},
    OPTIONS_FLAME,
    OPTION_VALUE("seconds", COUNT, "N", "how long a trial that runs is sampled for --flame; default 10"),
    OPTION_VALUE("trace", TEXT, "FILE",
                 "write a trace for ui.perfetto.dev or chrome://tracing: trials on their slots;\nof one trial its "
                 "steps and metrics, too; -: to the standard output"),
    OPTION_JSON("an object with phases (docs/json.md); with --compare an array of two"),
    {0}};

const struct command cmd_profile = {
    .name = "profile",
    .group = GROUP_LOOK,
    .summary = "Shows where the time of a trial, or of all trials, went",
    .text = "Without a trial: the sums over all runs of the experiment; of 40,000 trials and more over those of a "
            "uniform sample.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet profile digits\ngannet profile digits/12\ngannet profile "
                "digits/12 --operations\ngannet profile digits/13 --flame out.svg\ngannet profile digits --compare 3 7"
                "\ngannet profile digits --trace digits.json",
    .run = run_profile};
