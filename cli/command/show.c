/* gannet show: everything about one trial. */
#include "cli/command.h"
#include "cli/json.h"
#include "cli/session/rerun.h"
#include "cli/view/running.h"
#include "cli/view/show.h"
#include "cli/data/target.h"
#include "cli/data/verdict_words.h"
#include "common/clock.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

static void draw_trial_command(struct console *console, struct source *source, json_t *trial)
{
    struct buf text = {0}, again = {0};
    json_t *experiment = source_read(source, "experiment", NULL, NULL);
    struct spec *spec = source_spec(source, NULL);
    running_fill(trial, json_text(experiment, "metric"), clock_wall());
    if (spec && rerun_is_there(spec))
        rerun_add(&(struct rerun){spec, source_dir(source)->path, console->programs, true}, trial, &again, NULL);
    char *files = mem_format("%s/%06" JSON_INTEGER_FORMAT, source_dir(source)->trials,
                             json_integer_value(json_object_get(trial, "trial")));
    json_t *verdict = verdict_words(experiment, trial);
    struct shown_trial show = {.trial = trial,
                               .metric = json_text(experiment, "metric"),
                               .bound = json_text(verdict, "sentence"),
                               .again = buf_str(&again),
                               .ranks = spec ? spec->resources.ranks : 1,
                               .files = path_exists(files) ? files : NULL,
                               .own_loop =
                                   experiment && json_integer_value(json_object_get(experiment, "sessions")) == 0};
    show_draw(&show, &console->out_look, &text);
    console_write(console->out, &text);
    free(files);
    json_decref(verdict);
    spec_destroy(spec);
    json_decref(experiment);
    buf_fini(&text);
    buf_fini(&again);
}

static int show_trial(struct console *console, const struct args *args, struct source *source,
                      const struct target *target, struct err *err)
{
    json_t *trial;
    int status = source_show(source, target->trial, &trial, err);
    if (!status && args_has(args, "json"))
        console_json(console, json_incref(trial));
    else if (!status)
        draw_trial_command(console, source, trial);
    json_decref(trial);
    return status;
}

static int run_show(struct console *console, const struct args *args)
{
    return target_visit_trial(
        console, args, args_rest(args, 1),
        "gannet show needs a trial: EXP/TRIAL, a number or best. For the whole experiment: gannet status", show_trial);
}

static const struct argument arguments[] = {
    {"EXP/TRIAL", "the trial: digits/12, digits/best, or 12 of the last experiment", true},
    {"TRIAL", "its number, when it does not stand behind a slash", false},
    {0}};
static const struct option options[] = {OPTION_JSON("an object with runs and curve (docs/json.md)"), {0}};

const struct command cmd_show = {
    .name = "show",
    .group = GROUP_LOOK,
    .summary = "Shows everything about one trial",
    .text = "Parameters, metrics, every attempt with its place and end, the learning curve, where the\n"
            "time went, the last lines of error output, and the command that trains it again.",
    .arguments = arguments,
    .options = options,
    .examples = "gannet show digits/12\ngannet show best",
    .run = run_show};
