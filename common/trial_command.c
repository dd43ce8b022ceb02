/* Placeholders; see trial_command.h. */
#include "common/trial_command.h"
#include "common/buf.h"
#include "common/container.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/trial_args.h"
#include "common/value.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What one text is expanded with. */
struct expansion {
    const struct task *task;
    const struct trial_command_facts *trial;
    bool shell; /* the text is for a shell: values are quoted, placeholders that are none stay */
    struct buf *out;
    struct err *err;
};

/* --- values --- */

bool trial_command_needs_quotes(const char *value)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    return !*value || strspn(value, plain) < strlen(value);
}

/* Adds a value; for a shell in single quotes, unless it needs none. */
static void add_value(struct expansion *to, const char *value)
{
    if (!to->shell || !trial_command_needs_quotes(value)) {
        buf_text(to->out, value);
        return;
    }
    buf_text(to->out, "'");
    for (; *value; value++)
        if (*value == '\'')
            buf_text(to->out, "'\\''");
        else
            buf_add(to->out, value, 1);
    buf_text(to->out, "'");
}

/* A parameter's value as text. */
static int show_param(const json_t *json, struct buf *out, struct err *err)
{
    struct value value = {0};
    if (value_from_json(json, &value, err))
        return -1;
    value_show(&value, out);
    value_fini(&value);
    return 0;
}

/* What stands behind ":-" in "momentum:-0.9", for trials that don't have the parameter; NULL: nothing does. */
static const char *default_of(const char *name)
{
    const char *sign = strstr(name, ":-");
    return sign ? sign + 2 : NULL;
}

static int add_missing(struct expansion *to, const char *name)
{
    if (!default_of(name))
        return err_set(
            to->err,
            "${params.%s}: this trial has no such parameter; ${args} and ${args.%s} leave out parameters whose "
            "condition does not hold, and ${params.%s:-VALUE} has another value then",
            name, name, name);
    add_value(to, default_of(name));
    return 0;
}

static int add_param(struct expansion *to, const char *name)
{
    size_t length = default_of(name) ? (size_t)(default_of(name) - 2 - name) : strlen(name);
    char *plain = mem_text_n(name, length);
    const json_t *json = json_object_get(to->trial->params, plain);
    struct buf text = {0};
    free(plain);
    if (!json)
        return add_missing(to, name);
    int result = show_param(json, &text, to->err);
    if (result == 0)
        add_value(to, buf_str(&text));
    buf_fini(&text);
    return result;
}

static int add_env(struct expansion *to, const char *name)
{
    const char *value = getenv(name);
    if (!value)
        return err_set(to->err, "${env.%s}: the environment of the worker has no variable '%s'", name, name);
    add_value(to, value);
    return 0;
}

static void add_number(struct expansion *to, uint64_t number)
{
    buf_format(to->out, "%llu", (unsigned long long)number);
}

/* The arguments of one parameter, or of all: `only` is its name, NULL: all. */
static int list_args(const struct task *task, const struct trial_command_facts *trial, const char *only,
                     struct texts *list, struct err *err)
{
    const char *style = json_string_value(json_object_get(task->args, "style")), *name;
    const json_t *own = json_object_get(task->args, "own");
    enum args_style of_all = style ? args_style_named(style) : ARGS_EQUALS;
    json_t *json;
    json_object_foreach((json_t *)trial->params, name, json)
    {
        if (only && strcmp(name, only) != 0)
            continue;
        if (trial_args_add(of_all == ARGS_STYLES ? ARGS_EQUALS : of_all, json_string_value(json_object_get(own, name)),
                           name, json, list, err))
            return -1;
    }
    return 0;
}

/* The same within one text, separated by blanks. */
static int add_args(struct expansion *to, const char *only)
{
    struct texts list = {0};
    int result = list_args(to->task, to->trial, only, &list, to->err);
    for (size_t i = 0; i < list.count; i++) {
        buf_text(to->out, i ? " " : "");
        add_value(to, list.items[i]);
    }
    texts_fini(&list);
    return result;
}

/* --- placeholders --- */

/* What follows a beginning that the name has, or NULL. */
static const char *text_behind(const char *name, const char *beginning)
{
    size_t length = strlen(beginning);
    return strncmp(name, beginning, length) == 0 ? name + length : NULL;
}

static void add_config_file(struct expansion *to, const char *name)
{
    char *path = mem_format("%s/%s", to->trial->directory, name);
    add_value(to, path);
    free(path);
}

enum known { KNOWN, UNKNOWN, BROKEN };

static enum known add_placeholder(struct expansion *to, const char *name)
{
    const struct trial_command_facts *trial = to->trial;
    const char *rest;
    if ((rest = text_behind(name, "params.")))
        return add_param(to, rest) ? BROKEN : KNOWN;
    if ((rest = text_behind(name, "env.")))
        return add_env(to, rest) ? BROKEN : KNOWN;
    if (strcmp(name, "args") == 0)
        return add_args(to, NULL) ? BROKEN : KNOWN;
    if ((rest = text_behind(name, "args.")))
        return add_args(to, rest) ? BROKEN : KNOWN;
    if (strcmp(name, "args_json_file") == 0)
        add_value(to, trial->params_file);
    else if (strcmp(name, "config.yaml") == 0 || strcmp(name, "config.json") == 0)
        add_config_file(to, name);
    else if (strcmp(name, "trial.dir") == 0)
        add_value(to, trial->directory);
    else if (strcmp(name, "trial.id") == 0)
        add_number(to, trial->number);
    else if (strcmp(name, "seed") == 0)
        add_number(to, trial->seed);
    else if (strcmp(name, "resources.cpus") == 0)
        add_number(to, trial->cpus);
    else if (strcmp(name, "resources.gpus") == 0)
        add_number(to, trial->gpus);
    else
        return UNKNOWN;
    return KNOWN;
}

static int refuse_placeholder(struct expansion *to, const char *name)
{
    return err_set(
        to->err,
        "${%s} is no placeholder; there are ${params.NAME}, ${args}, ${args.NAME}, ${args_json_file}, ${config.yaml}, "
        "${config.json}, ${trial.id}, ${trial.dir}, ${seed}, ${resources.cpus}, ${resources.gpus} and ${env.NAME}; $${ "
        "is a plain ${",
        name);
}

/* Expands the placeholder that begins at `at` ("${"); the end of it, or NULL with a sentence. */
static const char *expand_one(struct expansion *to, const char *at)
{
    const char *end = strchr(at, '}');
    if (!end && !to->shell)
        err_write(to->err, "'%s' opens a placeholder and does not close it; $${ is a plain ${", at);
    if (!end) {
        buf_text(to->out, "${");
        return to->shell ? at + 2 : NULL;
    }
    char *name = mem_text_n(at + 2, (size_t)(end - at) - 2);
    enum known known = add_placeholder(to, name);
    if (known == UNKNOWN && to->shell)
        buf_add(to->out, at, (size_t)(end - at) + 1);
    else if (known == UNKNOWN)
        refuse_placeholder(to, name);
    free(name);
    return known == KNOWN || (known == UNKNOWN && to->shell) ? end + 1 : NULL;
}

static int expand_text(struct expansion *to, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "$");
        buf_add(to->out, text, plain);
        text += plain;
        if (strncmp(text, "$${", 3) == 0) {
            buf_text(to->out, "${");
            text += 3;
        } else if (strncmp(text, "${", 2) == 0) {
            text = expand_one(to, text);
            if (!text)
                return -1;
        } else if (*text) {
            buf_add(to->out, text++, 1);
        }
    }
    return 0;
}

/* --- arguments and environment --- */

/* Whether a text is ${args} or ${args.NAME} and no more, which becomes as many arguments as it takes; the name, NULL
 * for all, in *only (free() it). */
static bool is_whole_args(const char *text, char **only)
{
    size_t length = strlen(text);
    const char *rest = text_behind(text, "${args");
    if (!rest || text[length - 1] != '}' || strchr(text, '}') != text + length - 1 || (*rest != '}' && *rest != '.'))
        return false;
    *only = *rest == '.' ? mem_text_n(rest + 1, strlen(rest) - 2) : NULL;
    return true;
}

static int append_argument(const struct task *task, const struct trial_command_facts *trial, size_t index,
                           struct texts *list, struct err *err)
{
    const char *text = task->command[index];
    bool shell = index == 2 && strcmp(task->command[0], "/bin/sh") == 0 && strcmp(task->command[1], "-c") == 0;
    char *only;
    if (!shell && is_whole_args(text, &only)) {
        int failed = list_args(task, trial, only, list, err);
        free(only);
        return failed;
    }
    struct buf out = {0};
    struct expansion to = {task, trial, shell, &out, err};
    int result = expand_text(&to, text);
    char *argument = buf_take(&out);
    if (index == 0 && strchr(argument, '/')) {
        const char *plain = argument;
        while (strncmp(plain, "./", 2) == 0)
            plain += 1 + strspn(plain + 1, "/");
        char *absolute = path_join(task->base, plain);
        free(argument);
        argument = absolute;
    }
    texts_add(list, argument);
    return result;
}

static int append_env(const struct task *task, const struct trial_command_facts *trial, struct texts *list,
                      struct err *err)
{
    const char *name;
    json_t *json;
    json_object_foreach((json_t *)task->env, name, json)
    {
        struct buf out = {0};
        buf_format(&out, "%s=", name);
        struct expansion to = {task, trial, false, &out, err};
        int result = expand_text(&to, json_string_value(json));
        texts_add(list, buf_take(&out));
        if (result)
            return err_prefix(err, "trial.env.%s", name);
    }
    return 0;
}

int trial_command_make(const struct task *task, const struct trial_command_facts *trial, struct trial_command *out,
                       struct err *err)
{
    int result = 0;
    *out = (struct trial_command){0};
    if (task->command)
        result = container_add(task, trial->directory, trial->gpus, &out->argv, err);
    size_t before = out->argv.count;
    for (size_t i = 0; task->command && task->command[i] && result == 0; i++)
        result = append_argument(task, trial, i, &out->argv, err);
    if (result == 0 && task->command && out->argv.count == before)
        result = err_set(err, "the command is empty: it is ${args} alone, and the trial has no parameter");
    if (result == 0)
        result = append_env(task, trial, &out->env, err);
    if (result)
        trial_command_fini(out);
    return result;
}

void trial_command_fini(struct trial_command *command)
{
    texts_fini(&command->argv);
    texts_fini(&command->env);
}

char *trial_command_variable_name(const char *name)
{
    char *variable = mem_format("GANNET_PARAM_%s", name);
    for (char *c = variable; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return variable;
}

char *trial_command_variable(const char *name, const json_t *json)
{
    struct buf entry = {0};
    struct value value = {0};
    char *variable = trial_command_variable_name(name);
    buf_format(&entry, "%s=", variable);
    free(variable);
    if (value_from_json(json, &value, NULL) == 0)
        value_show(&value, &entry);
    value_fini(&value);
    return buf_take(&entry);
}
