/* gannet profile: where the time of a trial, or of all trials, went. */
#include "cli/command.h"
#include "cli/data/profile_page.h"
#include "cli/data/sample.h"
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
    uint64_t most = args_has(args, "all") ? 0 : SAMPLE_TRIALS;
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

/* "EXP/2 3", "EXP 2 3", "2 3" of the last experiment: what is compared, the experiment with the first; -1 with a
 * sentence. */
static int read_pair(const struct args *args, struct target pair[2], struct err *err)
{
    size_t count = args->rest_count;
    struct err ignored;
    bool are_two = count >= 2 && !target_read(args->rest[0], count > 2 ? args->rest[1] : NULL, &pair[0], &ignored) &&
                   !target_read(NULL, args->rest[count - 1], &pair[1], &ignored);
    return are_two && pair[0].has_trial
               ? 0
               : err_set(err, "--compare takes the numbers of two trials: gannet profile EXP --compare 3 7, or gannet "
                              "profile EXP/3 --compare 7");
}

static int compare_trials(struct console *console, const struct args *args, struct source *source,
                          struct target pair[2], struct err *err)
{
    struct buf text = {0};
    json_t *pages[2] = {NULL};
    int status = STATUS_OK;
    for (size_t i = 0; i < 2 && !status; i++) {
        status = target_find_best(&pair[i], source, err);
        if (!status)
            status = profile_page_read(source, pair[i].trial, 0, &pages[i], err);
    }
    if (!status && args_has(args, "json"))
        console_json(console, json_pack("[O, O]", pages[0], pages[1]));
    else if (!status)
        profile_compare_draw(pages[0], pages[1], &console->out_look, &text);
    console_print(console, &text);
    json_decref(pages[0]);
    json_decref(pages[1]);
    return status;
}

static int run_compare(struct console *console, const struct args *args)
{
    struct source *source;
    struct err err = {""};
    struct target pair[2] = {{0}};
    int status = read_pair(args, pair, &err) ? STATUS_USAGE : source_open(pair[0].experiment, &source, &err);
    if (!status) {
        status = compare_trials(console, args, source, pair, &err);
        source_close(source);
    }
    target_fini(&pair[0]);
    target_fini(&pair[1]);
    return status ? console_fail(console, status, &err) : STATUS_OK;
}

/* What would be left out in silence is refused; -1 with a sentence. */
static int check_options(const struct args *args, struct err *err)
{
    static const char *const others[] = {"trace", "json", "operations", "compare"};
    bool has_flame = flame_is_wanted(args);
    if (args_has(args, "seconds") && !has_flame)
        return err_set(err, "--seconds is how long a trial is sampled: it goes with --flame FILE or --folded FILE");
    for (size_t i = has_flame ? 0 : 1; i < sizeof others / sizeof *others; i++)
        if ((has_flame || args_has(args, "trace")) && args_has(args, others[i]))
            return err_set(err, "--%s writes a file and no page: it goes without --%s", has_flame ? "flame" : "trace",
                           others[i]);
    return 0;
}

static int run_profile(struct console *console, const struct args *args)
{
    struct err err;
    if (check_options(args, &err))
        return console_fail(console, STATUS_USAGE, &err);
    if (args_has(args, "compare"))
        return run_compare(console, args);
    const char *needs = flame_is_wanted(args) ? "a flame graph is that of one trial, which runs: EXP/TRIAL" : NULL;
    return target_visit_trial(console, args, args_rest(args, 1), needs, show_profile);
}

static const struct argument arguments[] = {
    {"EXP", "the experiment, or EXP/TRIAL: digits/12, digits/best", false},
    {"TRIAL", "the trial's number, when it does not stand behind a slash; with --compare the first of two", false},
    {"OTHER", "with --compare: the second one: a number, or best", false},
    {0}};
static const struct option options[] = {
    {.name = "all", .help = "read every trial of an experiment of 40,000 and more, and not a sample of them"},
    {.name = "operations", .help = "the table of operations alone"},
    {.name = "compare", .help = "two trials side by side: gannet profile EXP --compare 3 7, or EXP/3 --compare 7"},
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
