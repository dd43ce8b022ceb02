/* gannet best: the best trials, for people, programs and shells. */
#include "cli/command.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/data/target.h"
#include "cli/session/rerun.h"
#include "cli/view/unfinished.h"
#include "common/trial_args.h"
#include "common/trial_command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- the forms of --as: each adds the params of one trial, with its end of line --- */

/* As the command of the experiment writes them where it has ${args}; without an experiment --NAME=VALUE. */
static void as_args(const json_t *params, const struct spec *spec, struct buf *out)
{
    const char *name;
    json_t *value;
    struct texts words = {0};
    json_object_foreach((json_t *)params, name, value) trial_args_add(
        spec ? spec->trial.args_style : ARGS_EQUALS,
        spec ? json_string_value(json_object_get(spec->trial.args, name)) : NULL, name, value, &words, NULL);
    for (size_t i = 0; i < words.count; i++) {
        buf_text(out, i ? " " : "");
        format_shell(words.items[i], out);
    }
    buf_text(out, "\n");
    texts_fini(&words);
}

static void as_json(const json_t *params, const struct spec *spec, struct buf *out)
{
    (void)spec;
    json_add(params, out);
    buf_text(out, "\n");
}

/* Whether YAML reads the name as it is: a character, then characters, digits, '_' and dots. */
static bool is_plain(const char *name)
{
    if (!isalpha((unsigned char)*name))
        return false;
    while (isalnum((unsigned char)*name) || *name == '_' || *name == '.')
        name++;
    return !*name;
}

/* JSON scalars are YAML scalars. */
static void as_yaml(const json_t *params, const struct spec *spec, struct buf *out)
{
    (void)spec;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)params, name, value)
    {
        json_t *key = json_string(name);
        if (is_plain(name))
            buf_text(out, name);
        else
            json_add(key, out);
        json_decref(key);
        buf_text(out, ": ");
        json_add(value, out);
        buf_text(out, "\n");
    }
}

/* The names that a person's program finds in its environment: GANNET_PARAM_lr; other characters become '_'. */
static void as_env(const json_t *params, const struct spec *spec, struct buf *out)
{
    (void)spec;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)params, name, value)
    {
        struct buf text = {0};
        char *variable = trial_command_variable_name(name);
        buf_format(out, "%s=", variable);
        free(variable);
        if (json_is_string(value))
            buf_text(&text, json_string_value(value));
        else
            json_add(value, &text);
        format_shell(buf_str(&text), out);
        buf_text(out, "\n");
        buf_fini(&text);
    }
}

static const struct form {
    const char *name;
    void (*add)(const json_t *params, const struct spec *spec, struct buf *out);
} forms[] = {{"args", as_args}, {"json", as_json}, {"yaml", as_yaml}, {"env", as_env}};

/* For people: "trial 12  val_accuracy 0.97222  lr=0.001 width=64". */
static void as_line(const json_t *trial, struct buf *out)
{
    buf_text(out, "trial ");
    format_scalar(json_object_get(trial, "trial"), out);
    format_values(trial, out);
    buf_text(out, "  ");
    format_params(json_object_get(trial, "params"), " ", out);
    if (unfinished_is(trial)) {
        buf_text(out, "  (");
        unfinished_add(trial, out);
        buf_text(out, ")");
    }
    buf_text(out, "\n");
}

/* Several trials are a list in YAML: each is an item, whose lines but the first stand below its dash. */
static void as_item(const json_t *params, struct buf *out)
{
    struct buf map = {0};
    as_yaml(params, NULL, &map);
    const char *line = buf_str(&map), *before = "- ";
    if (!map.length)
        buf_text(out, "- {}\n");
    for (const char *end; (end = strchr(line, '\n')); line = end + 1) {
        buf_format(out, "%s%.*s\n", before, (int)(end - line), line);
        before = "  ";
    }
    buf_fini(&map);
}

static void add_trial(const char *as, const json_t *trial, const struct spec *spec, struct buf *out)
{
    if (!as)
        as_line(trial, out);
    for (size_t i = 0; as && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, as) == 0)
            forms[i].add(json_object_get(trial, "params"), spec, out);
}

/* --- the command --- */

/* Drops the trials at the end that have no value, break a limit, or are ignored. */
static void drop_worthless(json_t *trials)
{
    for (size_t i = json_array_size(trials); i > 0; i--) {
        const json_t *trial = json_array_get(trials, i - 1);
        if (!json_is_true(json_object_get(trial, "feasible")) || json_is_true(json_object_get(trial, "ignored")))
            json_array_remove(trials, i - 1);
    }
}

/* The trials asked for; of a front with what belongs to it in *front. NULL with a sentence. */
static json_t *fetch_best(const struct args *args, struct source *source, json_t **front, struct err *err)
{
    struct trial_query query = {.state = args_has(args, "completed") ? TRIAL_COMPLETED + 1 : 0,
                                .by_value = true,
                                .limit = args_count(args, "count", 1)};
    *front = args_has(args, "front") ? source_read(source, "front", NULL, err) : NULL;
    if (args_has(args, "front"))
        return json_incref(json_object_get(*front, "front"));
    json_t *trials = source_trials(source, &query, err);
    drop_worthless(trials);
    return trials;
}

/* Below a best trial that was not trained to its end: what does that, and which one was. */
static void add_completed(const struct args *args, struct source *source, struct buf *out)
{
    struct trial_query query = {.state = TRIAL_COMPLETED + 1, .by_value = true, .limit = 1};
    json_t *trials = source_trials(source, &query, NULL);
    struct spec *spec = source_spec(source, NULL);
    drop_worthless(trials);
    buf_text(out, "  ");
    unfinished_add_completed(json_array_get(trials, 0), out);
    buf_text(out, json_array_size(trials) ? "  (--completed)\n" : "\n");
    if (spec && rerun_is_there(spec)) {
        buf_text(out, "  The command that trains it to its end: gannet show ");
        if (args_rest(args, 0)) {
            format_shell(args_rest(args, 0), out);
            buf_text(out, " ");
        }
        buf_text(out, "best\n");
    }
    spec_destroy(spec);
    json_decref(trials);
}

static void write_trials(struct console *console, const struct args *args, struct source *source, const json_t *trials,
                         const json_t *front)
{
    struct buf text = {0};
    size_t index;
    const json_t *trial;
    const char *as = args_text(args, "as", NULL);
    struct spec *spec = as && strcmp(as, "args") == 0 ? source_spec(source, NULL) : NULL;
    bool list = as && strcmp(as, "yaml") == 0 && (front || args_has(args, "count"));
    json_array_foreach((json_t *)trials, index, trial)
    {
        if (list)
            as_item(json_object_get(trial, "params"), &text);
        else
            add_trial(as, trial, spec, &text);
    }
    spec_destroy(spec);
    if (!as && !front && !args_has(args, "count") && unfinished_is(json_array_get(trials, 0)))
        add_completed(args, source, &text);
    if (front && !as) {
        buf_text(&text, "hypervolume ");
        format_scalar(json_object_get(front, "hypervolume"), &text);
        buf_text(&text, ", up to ");
        format_params(json_object_get(front, "reference"), " ", &text);
        buf_text(&text, "\n");
    }
    console_print(console, &text);
}

/* Whether metrics have limits, by the experiment as the store has it. */
static bool has_limits(struct source *source)
{
    json_t *experiment = source_read(source, "experiment", NULL, NULL), *metric;
    size_t index;
    bool found = false;
    json_array_foreach(json_object_get(experiment, "metrics"), index, metric) found |=
        json_is_number(json_object_get(metric, "min")) || json_is_number(json_object_get(metric, "max"));
    json_decref(experiment);
    return found;
}

static int show_best_command(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    json_t *front, *trials = fetch_best(args, source, &front, err);
    int status = STATUS_OK;
    if (args_has(args, "front") && args_has(args, "completed")) {
        err_write(err, "--front is of all trials: leave --completed out");
        status = STATUS_USAGE;
    } else if (!trials) {
        status = STATUS_FAILED;
    } else if (!json_array_size(trials)) {
        target_no_value(source, args_has(args, "completed") ? " that was trained to its end" : "",
                        has_limits(source) ? " that keeps every limit" : "", err);
        status = STATUS_NOT_FOUND;
    } else if (args_has(args, "json")) {
        json_t *one = args_has(args, "count") ? trials : json_array_get(trials, 0);
        console_json(console, json_incref(front ? front : one));
    } else {
        write_trials(console, args, source, trials, front);
    }
    json_decref(trials);
    json_decref(front);
    return status;
}

static const struct option options[] = {
    OPTION_N("the N best instead of one"),
    {.name = "completed",
     .help =
         "only of those that were trained to their end; a value of one that was\nstopped early is of the step that it "
         "came to"},
    {.name = "front",
     .help = "of several objectives, every trial that no other is better than in\none and worse than in none, and the "
             "hypervolume"},
    OPTION_VALUE("as", WORD, "args|json|yaml|env",
                 "the parameters alone: as ${args} has them (--lr=0.001), {\"lr\": 0.001},\nlr: 0.001 or "
                 "GANNET_PARAM_lr=0.001; several trials (-n, --front) are a\nlist in YAML"),
    OPTION_JSON("the trial as an object, the shape of docs/json.md; with -n an array,\nwith --front the front"),
    {0}};

const struct command cmd_best = {.name = "best",
                                 .group = GROUP_LOOK,
                                 .summary = "Shows the best trial",
                                 .arguments = argument_experiment,
                                 .options = options,
                                 .examples = "gannet best\n"
                                             "gannet best digits --as args | xargs python train.py",
                                 .visit = show_best_command};
