/* Options in a program's source; see options.h.
 *
 * The source is looked at and not run: a training script that ignores --help would begin to train. What is found is the
 * call in which an option's name stands in quotes: add_argument("--bn", action="store_true"). */
#include "cli/session/options.h"
#include "common/buf.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CALL = 1000 }; /* bytes */

/* --- finding the call --- */

/* Behind the bracket that closes the call around `at`; the end of the text when there is none. */
static const char *call_end(const char *at)
{
    int depth = 1;
    for (const char *begin = at; *at && at - begin < LONGEST_CALL; at++) {
        if (strchr("([{", *at))
            depth++;
        else if (strchr(")]}", *at) && --depth == 0)
            return at;
    }
    return at;
}

/* The rest of the call in which the option stands in quotes; NULL: there is none. free() it. */
static char *find_option(const char *source, const char *option)
{
    for (const char *quotes = "\"'"; *quotes; quotes++) {
        char *literal = mem_format("%c%s%c", *quotes, option, *quotes);
        const char *at = strstr(source, literal);
        size_t length = strlen(literal);
        free(literal);
        if (at)
            return mem_text_n(at + length, (size_t)(call_end(at + length) - at) - length);
    }
    return NULL;
}

/* "--learning-rate" of "learning_rate". free() it. */
static char *with_dashes(const char *name)
{
    char *option = mem_format("--%s", name);
    for (char *c = option; *c; c++)
        if (*c == '_')
            *c = '-';
    return option;
}

/* The option of a parameter and its call: by its name, or with dashes for _. Both NULL: there is none. */
static void find_named(const char *source, const char *name, char **option, char **call)
{
    *option = mem_format("--%s", name);
    *call = find_option(source, *option);
    if (*call)
        return;
    free(*option);
    *option = with_dashes(name);
    *call = find_option(source, *option);
    if (*call)
        return;
    free(*option);
    *option = NULL;
}

/* --- switches --- */

static bool call_has(const char *call, const char *a, const char *b)
{
    return strstr(call, a) && (!b || strstr(call, b));
}

/* How click has it: "--bn/--no-bn" in one text. */
static char *find_pair(const char *source, const char *name)
{
    char *dashed = with_dashes(name);
    char *pairs[] = {mem_format("--%s/--no-%s", name, name), mem_format("%s/--no-%s", dashed, dashed + 2)};
    char *found = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *call = found ? NULL : find_option(source, pairs[i]);
        found = call ? mem_text(pairs[i]) : found;
        free(call);
        free(pairs[i]);
    }
    free(dashed);
    return found;
}

/* The option that turns it off: "--no-bn", declared with store_false. free() it. */
static char *find_off(const char *source, const char *name)
{
    char *no = mem_format("no_%s", name), *option, *call;
    find_named(source, no, &option, &call);
    bool off = call && strstr(call, "store_false");
    free(no);
    free(call);
    if (off)
        return option;
    free(option);
    return NULL;
}

/* The `arg` of a switch as the source declares it; NULL: it does not, or as one that takes a value. free() it. */
static char *find_switch(const char *source, const char *name)
{
    char *option, *call, *off = find_off(source, name), *found = find_pair(source, name);
    find_named(source, name, &option, &call);
    bool on = call && (strstr(call, "store_true") || call_has(call, "is_flag", "True"));
    if (!found && call && strstr(call, "BooleanOptionalAction"))
        found = mem_format("%s/--no-%s", option, option + 2);
    else if (!found && call && strstr(call, "store_false"))
        found = mem_format("/%s", option);
    else if (!found && (on || off))
        found = mem_format("%s/%s", on ? option : "", off ? off : "");
    free(off);
    free(option);
    free(call);
    return found;
}

/* --- settling --- */

static bool is_switch(const struct param *param)
{
    if (param->kind != PARAM_CHOICE)
        return false;
    for (uint32_t i = 0; i < param->count; i++)
        if (param->values[i].kind != VALUE_BOOL)
            return false;
    return true;
}

static void warn_option(struct problems *problems, const char *name, const char *code, const char *format,
                        const char *hint)
{
    char *key = mem_format("parameters.%s", name), *message = mem_format(format, name);
    problems_report(problems, true, key, true, code, message, hint);
    free(key);
    free(message);
}

/* Whether the source declares its options itself and takes no others. */
static bool knows_all(const char *source)
{
    return strstr(source, "add_argument(") && strstr(source, ".parse_args(");
}

static void settle_option(struct spec *spec, const struct param *param, const char *source, struct problems *problems)
{
    const char *name = param->name;
    char *option, *call, *arg = is_switch(param) ? find_switch(source, name) : NULL;
    find_named(source, name, &option, &call);
    if (!arg && option && strcmp(option + 2, name) != 0)
        arg = mem_text(option);
    if (is_switch(param) && call && call_has(call, "type=bool", NULL))
        warn_option(problems, name, "bool_trap", "argparse's type=bool takes '--%s=false' as true: any text is",
                    "in the program write action=\"store_true\" instead; gannet then writes the flag or nothing");
    else if (!option && !arg && knows_all(source))
        warn_option(problems, name, "no_option", "the program declares no option '--%s'",
                    "an option of another name is written with the parameter: arg: --NAME; or none, to leave it out");
    if (arg && !spec->trial.args)
        spec->trial.args = json_object();
    if (arg)
        json_object_set_new(spec->trial.args, name, json_string(arg));
    free(arg);
    free(option);
    free(call);
}

/* Whether the command has it written by ${args} or ${args.NAME}. */
static bool is_written(const struct spec *spec, const char *name)
{
    char *own = mem_format("${args.%s}", name);
    bool written = false;
    for (uint32_t i = 0; i < spec->trial.command_count; i++)
        written |= strstr(spec->trial.command[i], "${args}") || strstr(spec->trial.command[i], own);
    free(own);
    return written;
}

void options_settle(struct spec *spec, const char *source, struct problems *problems)
{
    enum args_style style = spec->trial.args_style;
    if (style == ARGS_PLAIN || style == ARGS_POSITIONAL)
        return;
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const struct param *param = space_param(spec->space, i);
        if (!json_object_get(spec->trial.args, param->name) && is_written(spec, param->name))
            settle_option(spec, param, source, problems);
    }
}
