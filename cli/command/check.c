/* gannet check: reads an experiment file and shows what it means, without starting anything. */
#include "cli/command.h"
#include "cli/view/describe.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/session/prepare.h"
#include "cli/session/rerun.h"
#include "cli/session/site.h"
#include "cli/data/sibling.h"
#include "scheduler/rundir/earlier.h"
#include "common/gpu_share.h"
#include "common/json.h"
#include "common/path.h"
#include "scheduler/session/search.h"
#include "search/searcher.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SAMPLES = 3, POINTS = 1000 };

/* --- the first trials --- */

/* A trial that was proposed, as {trial, params, command}; NULL with a sentence when its command can't be made. */
static json_t *sample_of(const struct spec *spec, const char *programs, uint64_t number, struct proposal *proposal,
                         struct err *err)
{
    json_t *trial = json_object();
    struct buf command = {0};
    char *usual = path_join("runs", spec->name), *directory = path_absolute(usual);
    json_object_set_new(trial, "trial", json_integer((json_int_t)number));
    json_object_set_new(trial, "params", json_loads(proposal->params, 0, NULL));
    int failed = rerun_add(&(struct rerun){spec, directory, programs, false}, trial, &command, err);
    json_object_set_new(trial, "command", json_string(buf_str(&command)));
    if (failed)
        json_decref(trial);
    buf_fini(&command);
    free(directory);
    free(usual);
    free(proposal->params);
    return failed ? NULL : trial;
}

/* The trials that the strategy proposes first, knowing those of earlier experiments as the run will: an array of
 * {trial, params, command}; NULL with a sentence and the key of the file that it is about. */
static json_t *sample_trials(const struct spec *spec, const struct earlier *earlier, const char *programs,
                             const char **culprit, struct err *err)
{
    *culprit = "strategy";
    struct searcher *searcher = search_make(spec, earlier->items, earlier->count, err);
    if (!searcher)
        return NULL;
    json_t *trials = json_array();
    enum searcher_answer answer = SEARCHER_PROPOSED;
    for (uint64_t number = 1; number <= SAMPLES && answer == SEARCHER_PROPOSED; number++) {
        struct proposal proposal = {0};
        answer = searcher_ask(searcher, number, &proposal, err);
        json_t *trial = answer == SEARCHER_PROPOSED ? sample_of(spec, programs, number, &proposal, err) : NULL;
        if (answer == SEARCHER_PROPOSED && !trial) {
            answer = SEARCHER_BROKEN;
            *culprit = "trial";
        }
        if (trial)
            json_array_append_new(trials, trial);
    }
    if (answer == SEARCHER_BROKEN) {
        json_decref(trials);
        trials = NULL;
    }
    searcher_destroy(searcher);
    return trials;
}

/* --- for people --- */

static void add_space(const struct spec *spec, struct buf *out)
{
    buf_text(out, "\n# The space: ");
    describe_size(spec->space, out);
    buf_text(out, "\n");
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const struct param *param = space_param(spec->space, i);
        struct buf name = {0};
        format_safe(param->name, &name);
        buf_format(out, "#   %-14s ", buf_str(&name));
        describe_param(spec->space, param, out);
        buf_text(out, "\n");
        buf_fini(&name);
    }
    uint32_t constraints = space_constraint_count(spec->space);
    if (constraints) {
        buf_text(out, "#   ");
        format_count(constraints, "constraint", out);
        buf_format(out, ", which forbid%s %.1f %% of %d random points\n", constraints == 1 ? "s" : "",
                   100 * describe_rejection(spec->space, spec->seed, POINTS), POINTS);
    }
}

/* How many trials of which earlier experiments the search learns from. */
static void add_earlier(const struct earlier *earlier, struct buf *out)
{
    for (uint32_t i = 0; i < earlier->source_count; i++) {
        buf_text(out, i ? "#   " : "\n# It learns from earlier experiments\n#   ");
        format_count(earlier->sources[i].used, "trial", out);
        buf_text(out, " of ");
        format_safe(earlier->sources[i].directory, out);
        if (earlier->sources[i].dropped)
            buf_format(out, "; %" PRIu64 " have values that are not in this space", earlier->sources[i].dropped);
        buf_text(out, "\n");
    }
}

static void add_samples(const struct spec *spec, const json_t *trials, struct buf *out)
{
    size_t index;
    const json_t *trial;
    buf_format(out, "\n# The first trials (strategy %s, ", spec->strategy.name);
    if (spec->has_seed)
        buf_format(out, "seed %" PRIu64 ")\n", spec->seed);
    else
        buf_text(out, "an example: without `seed:` each experiment draws its own)\n");
    json_array_foreach(trials, index, trial)
    {
        buf_text(out, "#   ");
        format_scalar(json_object_get(trial, "trial"), out);
        buf_text(out, "  ");
        format_params(json_object_get(trial, "params"), " ", out);
        buf_format(out, "\n#      %s\n", json_text(trial, "command"));
    }
}

/* ", with half of a GPU each", when trials share GPUs. */
static void add_share(const json_t *slots, struct buf *out)
{
    char words[32];
    const json_t *first = json_array_get(slots, 0);
    uint32_t sharers = (uint32_t)json_integer_value(json_object_get(first, "gpu_slots"));
    if (sharers > 1)
        buf_format(out, ", with %sa GPU each", gpu_share_words(sharers, words, sizeof words));
}

/* `why` is why there are none. */
static void add_slots(const struct spec *spec, const json_t *slots, const char *why, struct buf *out)
{
    if (spec->resources.nodes > 1)
        buf_format(out, "\n# A trial takes a slot on each of %u nodes; this machine has slots for ",
                   spec->resources.nodes);
    else
        buf_text(out, "\n# This machine would run ");
    format_count(json_array_size(slots), "trial", out);
    buf_text(out, " at a time");
    add_share(slots, out);
    if (spec->resources.ranks > 1)
        buf_format(out, ", each of %u processes%s", spec->resources.ranks,
                   spec->trial.launch_first ? " that its program starts by itself" : "");
    if (!slots)
        buf_format(out, ": %s", why);
    buf_text(out, "\n");
}

static void show_experiment(struct console *console, const struct spec *spec, const char *data, const json_t *trials,
                            const json_t *slots, const struct earlier *earlier, const char *why)
{
    struct buf text = {0};
    spec_write(spec, &text);
    if (spec->origin_count)
        buf_text(&text, "\n# What the file does not give\n");
    site_describe(spec, "#   ", &text);
    if (data)
        buf_format(&text, "\n# The data: %s\n", data);
    add_space(spec, &text);
    add_earlier(earlier, &text);
    add_samples(spec, trials, &text);
    add_slots(spec, slots, why, &text);
    console_print(console, &text);
}

/* --- for programs --- */

static json_t *describe_json(const struct space *space)
{
    bool exact;
    double size = space_size(space, &exact);
    return json_pack("{s:i, s:o, s:b, s:i, s:o}", "parameters", (int)space_dimension(space), "size", json_of_real(size),
                     "exact", (int)exact, "constraints", (int)space_constraint_count(space), "forbidden",
                     json_of_real(describe_rejection(space, 0, POINTS)));
}

static void show_json(struct console *console, const struct spec *spec, const char *data, json_t *trials, json_t *slots,
                      struct problems *problems)
{
    struct buf text = {0};
    if (spec)
        spec_write(spec, &text);
    console_json(console, json_pack("{s:s?, s:s?, s:s?, s:o, s:O?, s:O?, s:o}", "name", spec ? spec->name : NULL,
                                    "experiment", spec ? buf_str(&text) : NULL, "data", data, "space",
                                    spec ? describe_json(spec->space) : json_null(), "trials", trials, "slots", slots,
                                    "problems", problems_json(problems)));
    buf_fini(&text);
}

/* --- the command --- */

/* Shows a file that was read, or what is wrong with it. */
static int report_check(struct console *console, const struct args *args, const struct spec *spec, const char *data,
                        const struct earlier *earlier, struct problems *problems)
{
    struct err err = {""};
    bool json = args_has(args, "json");
    const char *culprit;
    json_t *trials = spec ? sample_trials(spec, earlier, console->programs, &culprit, &err) : NULL;
    json_t *slots = trials ? sibling_slots(&spec->resources, &(struct slots_machine){0}, &err) : NULL;
    if (spec && !trials)
        problems_report(problems, false, culprit, true, "no_proposal", err.text, NULL);
    if (json)
        show_json(console, trials ? spec : NULL, data, trials, slots, problems);
    else
        prepare_show_problems(console, problems, "this file can't be run");
    if (!json && trials)
        show_experiment(console, spec, data, trials, slots, earlier, err.text);
    json_decref(slots);
    json_decref(trials);
    return trials ? STATUS_OK : STATUS_USAGE;
}

/* The file, and the earlier experiments that it learns from; NULL when something of it is wrong. */
static struct spec *read_file(const char *file, const char *const *overrides, size_t count,
                              const struct spec_defaults *defaults, struct kernel_data *seen, struct earlier *earlier,
                              struct problems *problems)
{
    struct err err;
    struct spec *spec = prepare_spec(file, overrides, count, defaults, PROGRAM_OF_FILE, seen, problems);
    if (spec)
        prepare_check_container(spec, false, problems);
    if (!spec || earlier_read(spec, earlier, &err) == 0)
        return spec;
    problems_report(problems, false, "start_from", true, "no_earlier", err.text, NULL);
    spec_destroy(spec);
    return NULL;
}

static int run_check(struct console *console, const struct args *args)
{
    struct problems problems = {0};
    size_t count;
    const char *const *overrides = args_list(args, "set", &count);
    struct earlier earlier = {0};
    struct spec_defaults defaults = {0};
    struct kernel_data data = {0};
    int status = site_read(console, &defaults);
    if (status) {
        spec_defaults_fini(&defaults);
        return status;
    }
    struct spec *spec = read_file(args_rest(args, 0), overrides, count, &defaults, &data, &earlier, &problems);
    spec_defaults_fini(&defaults);
    status = report_check(console, args, spec, data.summary, &earlier, &problems);
    kernel_data_fini(&data);
    earlier_fini(&earlier);
    spec_destroy(spec);
    problems_fini(&problems);
    return status;
}

static const struct argument arguments[] = {{"FILE", "the experiment file", true}, {0}};
static const struct option options[] = {
    OPTION_SET("a key of the experiment file, such as limits.max_trials=50;\nmay be given several times"),
    OPTION_JSON("an object: problems, and of a good file experiment, space, trials, slots"),
    {0}};

const struct command cmd_check = {
    .name = "check",
    .group = GROUP_RUN,
    .summary = "Reads an experiment file and shows what it means",
    .text = "Prints the experiment with everything filled in (it is a valid experiment file again), the size of\n"
            "the space, the first trials with their exact commands, and how many trials this machine would run\n"
            "at a time. Starts nothing. All problems of a file are shown at once, with line and column.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet check my.yaml",
    .run = run_check};
