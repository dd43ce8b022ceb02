/* A program's experiment file; see from_program.h. */
#include "cli/start/from_program.h"
#include "cli/start/ranges.h"
#include "cli/format.h"
#include "cli/json.h"
#include "common/json.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

/* --- the command --- */

static bool is_flag(const json_t *option)
{
    return strcmp(json_text(option, "type"), "flag") == 0;
}

static bool is_long(const json_t *option)
{
    return strncmp(json_text(option, "spelling"), "--", 2) == 0;
}

static bool is_plain(const json_t *option)
{
    return json_is_true(json_object_get(option, "plain"));
}

char *from_program_arg(const json_t *option)
{
    if (is_plain(option)) /* as all of the program's, by args_style */
        return NULL;
    const char *spelling = json_text(option, "spelling"), *negative = json_text(option, "negative");
    char *name = sketch_parameter_name(json_text(option, "name")), *arg = NULL;
    bool own = is_long(option) && strcmp(spelling + 2, name) == 0;
    if (is_flag(option) && own && !*negative)
        arg = mem_text("flag");
    else if (is_flag(option) && own && strncmp(negative, "--no-", 5) == 0 && strcmp(negative + 5, name) == 0)
        arg = mem_text("no-flag");
    else if (is_flag(option))
        arg = mem_format("%s/%s", spelling, negative);
    else if (!own)
        arg = mem_text(*spelling ? spelling : "positional");
    free(name);
    return arg;
}

/* What the program can't do without stands in capitals, for the person to fill in. */
static void add_needed(json_t *command, const json_t *option)
{
    struct buf value = {0};
    for (const char *at = json_text(option, "name"); *at; at++)
        buf_format(&value, "%c", *at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    const char *spelling = json_text(option, "spelling");
    if (is_long(option)) {
        json_array_append_new(command, json_sprintf("%s=%s", spelling, buf_str(&value)));
    } else {
        if (*spelling)
            json_array_append_new(command, json_string(spelling));
        json_array_append_new(command, json_string(buf_str(&value)));
    }
    buf_fini(&value);
}

/* Hydra makes a directory for each run of a second, whose name is the time; runs side by side would share it. */
static void take_hydra(struct sketch *sketch)
{
    json_t *command = json_object_get(sketch->trial, "command");
    json_array_insert_new(command, json_array_size(command) - 1, json_string("hydra.run.dir=${trial.dir}"));
    json_object_set_new(sketch->trial, "args_style", json_string("plain"));
}

json_t *from_program_command(const struct own_files *files, const json_t *needed)
{
    json_t *command = json_array();
    size_t index;
    const json_t *option;
    for (size_t i = 0; i < files->words.count; i++)
        json_array_append_new(command, json_of_text(files->words.items[i]));
    json_array_foreach(needed, index, option) add_needed(command, option);
    json_array_append_new(command, json_string("${args}"));
    return command;
}

/* --- the parameters --- */

/* "--data-dir (./data)": as the program's help has it. */
static void add_title(const json_t *option, struct buf *out)
{
    const char *spelling = json_text(option, "spelling");
    const json_t *value = json_object_get(option, "default");
    buf_text(out, *spelling ? spelling : json_text(option, "name"));
    if (!value || json_is_null(value) || (json_is_string(value) && !*json_string_value(value)))
        return;
    buf_text(out, " (");
    format_scalar(value, out);
    buf_text(out, ")");
}

static void leave_option(struct sketch *sketch, const json_t *option, const char *reason)
{
    struct buf title = {0};
    add_title(option, &title);
    sketch_leave(sketch, "%s: %s", buf_str(&title), reason);
    buf_fini(&title);
}

/* What the help says, and the default where the parameter can't take it. */
static char *make_comment(const json_t *option, const json_t *keys)
{
    const json_t *value = json_object_get(option, "default");
    struct buf text = {0};
    bool outside = value && !json_is_null(value) && !json_object_get(keys, "default");
    if (outside) {
        buf_text(&text, "the program's default, ");
        format_scalar(value, &text);
        buf_text(&text, ", is not in it");
    }
    buf_format(&text, "%s%s", outside && *json_text(option, "help") ? "; " : "", json_text(option, "help"));
    return buf_take(&text);
}

/* Whether a parameter may be called as the option, by whose own name it is given. */
static bool keeps_name(const json_t *option)
{
    char *name = sketch_parameter_name(json_text(option, "name"));
    bool same = strcmp(name, json_text(option, "name")) == 0;
    free(name);
    return same;
}

/* Whether the file can say how the option is written: other signs mean something in `arg`. */
static bool can_be_written(const json_t *option)
{
    static const char usual[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    const char *spelling = json_text(option, "spelling"), *negative = json_text(option, "negative");
    if (is_plain(option))
        return keeps_name(option);
    return *json_text(option, "name") && !spelling[strspn(spelling, usual)] && !negative[strspn(negative, usual)];
}

/* Whether a parameter can be written so: only true and false as a flag. */
static bool suits_values(const char *arg, const json_t *keys)
{
    const json_t *values = json_object_get(keys, "values"), *value;
    size_t index, truths = 0;
    json_array_foreach(values, index, value) truths += json_is_boolean(value);
    bool is_flag_form = strcmp(arg, "flag") == 0 || strcmp(arg, "no-flag") == 0 || strchr(arg, '/');
    return !is_flag_form || (truths == 2 && json_array_size(values) == 2);
}

/* Options that must be given and are not searched go to `needed`. */
static void take_option(struct sketch *sketch, const json_t *option, json_t *needed)
{
    const char *reason = "it has no name that can be given";
    bool given = json_is_true(json_object_get(option, "given"));
    bool required = !given && json_is_true(json_object_get(option, "required"));
    json_t *keys = json_incref(json_object_get(option, "keys"));
    if (json_is_true(json_object_get(option, "left")))
        reason = "left out as you said";
    else if (given && !keys && !*json_text(option, "spelling"))
        reason = "the command has it";
    else if (!keys && can_be_written(option))
        keys = ranges_guess(option, &reason);
    else if (keys) /* what a person wishes; the first trial takes the defaults all the same */
        ranges_add_default(keys, option);
    if (keys && can_be_written(option)) {
        char *comment = make_comment(option, keys), *arg = from_program_arg(option);
        if (arg && suits_values(arg, keys))
            json_object_set_new(keys, "arg", json_string(arg));
        sketch_add(sketch, json_text(option, "name"), keys, comment);
        free(arg);
        free(comment);
        return;
    }
    json_decref(keys);
    if (required) {
        json_array_append(needed, (json_t *)option);
        leave_option(sketch, option, "the program needs it: fill it in where trial.command has it in capitals");
    } else {
        leave_option(sketch, option, reason);
    }
}

/* --- the rest --- */

static void say_metric(const struct user_program *program, const struct metric_guess *metric, struct sketch *sketch)
{
    json_array_append_new(sketch->metric, json_pack("{s:s, s:s}", "name", metric->name, "goal",
                                                    metric->maximize ? "maximize" : "minimize"));
    sketch_say(sketch, SKETCH_METRIC,
               "LOOK HERE FIRST: what counts as good. Once a trial or more often the program prints");
    sketch_say(sketch, SKETCH_METRIC, "a line %s=0.123 (or epoch=3 %s=0.123).", metric->name, metric->name);
    if (metric->printed)
        sketch_say(sketch, SKETCH_METRIC, "Line %zu of %s seems to do that.", metric->line, program->source);
    else if (metric->line)
        sketch_say(sketch, SKETCH_METRIC,
                   "Line %zu of %s has the name, but prints it in another form: add such a line.", metric->line,
                   program->source);
    else if (metric->in_help)
        sketch_say(sketch, SKETCH_METRIC, "The program's help has that name; whether it prints it so is not known.");
    else if (!metric->chosen)
        sketch_say(sketch, SKETCH_METRIC, "No line that prints such a metric was found; the name is a guess.");
}

/* What a person wants searched, and the program's help does not name, may be taken in another way. */
static void say_unknown(const json_t *options, struct sketch *sketch)
{
    size_t index;
    const json_t *option;
    struct buf names = {0};
    json_array_foreach((json_t *)options, index, option)
    {
        if (json_is_true(json_object_get(option, "unknown")))
            buf_format(&names, "%s%s", names.length ? ", " : "", json_text(option, "name"));
    }
    if (names.length) {
        sketch_say(sketch, SKETCH_TRIAL,
                   "LOOK HERE: the program's help does not name %s. They are given as --NAME=VALUE;", buf_str(&names));
        sketch_say(
            sketch, SKETCH_TRIAL,
            "args_style: space gives --NAME VALUE, plain NAME=VALUE, and \"${NAME}\" in the command the value alone.");
    }
    buf_fini(&names);
}

static void say_command(const json_t *needed, const struct own_files *files, struct sketch *sketch)
{
    if (json_array_size(needed))
        sketch_say(sketch, SKETCH_TRIAL, "LOOK HERE: what stands in capitals is for you to fill in.");
    sketch_say(sketch, SKETCH_TRIAL, "What a trial writes belongs into ${trial.dir}: several run at a time.");
    for (size_t i = 0; i < files->said.count; i++) {
        sketch_say(sketch, SKETCH_TRIAL, "In place of %s each trial writes one of its own.", files->said.items[i]);
        texts_add(&sketch->moved, mem_format("%s: %s", files->said.items[i], files->places.items[i]));
    }
    for (size_t i = 0; i < files->filled.count; i++)
        sketch_say(sketch, SKETCH_TRIAL, "LOOK HERE: %s is there already; if the program reads it, write it again.",
                   files->filled.items[i]);
    for (size_t i = 0; i < files->kept.count; i++) {
        sketch_say(sketch, SKETCH_TRIAL,
                   "LOOK HERE: %s is there already and stays. If the program writes it, put it into ${trial.dir}.",
                   files->kept.items[i]);
        texts_add(&sketch->kept, mem_text(files->kept.items[i]));
    }
}

/* Early stopping for the person to switch on: whether the program prints its metric on the way is not known. */
static void say_length(const json_t *options, struct sketch *sketch)
{
    size_t index;
    const json_t *option;
    json_array_foreach(options, index, option)
    {
        int64_t length = ranges_length(option);
        if (!length)
            continue;
        sketch_say(sketch, SKETCH_MORE, "When the program prints its metric on the way (%s is %lld), trials that fall",
                   json_text(option, is_plain(option) ? "name" : "spelling"), (long long)length);
        sketch_say(sketch, SKETCH_MORE, "behind can be stopped early. That saves most of the time:");
        sketch_say(sketch, SKETCH_MORE, "early_stop: {name: asha, max_steps: %lld}", (long long)length);
        return;
    }
}

/* A program that takes name=value has directories of its own making. */
static void take_command(const struct user_program *program, const struct program_answers *asked, const json_t *needed,
                         struct sketch *sketch)
{
    struct own_files files = {0};
    bool hydra = is_plain(json_array_get(asked->options, 0));
    own_files_add(&files, &program->words, asked->options);
    if (!hydra)
        own_files_add_defaults(&files, &program->words, asked->options);
    json_object_set_new(sketch->trial, "command", from_program_command(&files, needed));
    if (hydra)
        take_hydra(sketch);
    say_unknown(asked->options, sketch);
    say_command(needed, &files, sketch);
    own_files_fini(&files);
}

size_t from_program(const struct user_program *program, const struct program_answers *asked, struct sketch *sketch)
{
    json_t *needed = json_array();
    size_t index;
    const json_t *option;
    json_array_foreach(asked->options, index, option) take_option(sketch, option, needed);
    take_command(program, asked, needed, sketch);
    say_metric(program, &asked->metric, sketch);
    say_length(asked->options, sketch);
    json_object_set_new(sketch->more, "start", json_pack("[{}]"));
    json_object_set_new(sketch->more, "limits", json_pack("{s:i}", "max_trials", 50));
    sketch_say(sketch, SKETCH_MORE,
               "The first trial takes the defaults, where parameters have them: what the program does today.");
    json_decref(needed);
    return json_array_size(sketch->parameters);
}
