/* Placeholders in the command and the environment: ${params.lr}, ${trial.dir}, ... Workers fill them in (docs/task.md
 * says with what); here they are checked, so that a typing error is found before anything runs. */
#include "scheduler/spec/expand.h"
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"args",           "args.NAME",      "args_json_file", "config.yaml",
                                    "config.json",    "trial.id",       "trial.dir",      "seed",
                                    "resources.cpus", "resources.gpus", "params.NAME",    "env.NAME"};
enum { NAMES = sizeof names / sizeof *names };

/* What other tools, and the shell, write there. */
static const struct {
    const char *name, *advice;
} others[] = {
    {"args_no_hyphens", "write ${args}, and args_style: plain"},
    {"args_no_boolean_flags", "write ${args}, and arg: flag with the parameters that are switches"},
    {"args_flags", "write ${args}, and arg: flag with the parameters that are switches"},
    {"args_json", "write ${args_json_file}: the name of a file that holds the parameters as JSON"},
    {"program", "write the program's name"},
    {"interpreter", "write python"},
    {"checkpoint.dir", "checkpoints come with a later version; ${trial.dir} is the trial's directory"},
};

/* Whether workers know the name; whether the parameter is there is another question. */
static bool is_placeholder(const char *name)
{
    if (strncmp(name, "params.", 7) == 0 || strncmp(name, "env.", 4) == 0 || strncmp(name, "args.", 5) == 0)
        return strchr(name, '.')[1];
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Whether it is another one in each trial. */
static bool is_of_trial(const char *name)
{
    static const char *const same[] = {"resources.cpus", "resources.gpus"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i]) == 0)
            return false;
    return strncmp(name, "env.", 4) != 0;
}

/* The command of a persistent program is run once for many trials. */
static void refuse_of_trial(struct reading *reading, struct source_mark mark, const char *name)
{
    bool is_param = strncmp(name, "params.", 7) == 0;
    struct problem *problem = problem_add(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark,
                                          "'${%s}' can't stand in the command of a persistent program, which is "
                                          "started once for many trials",
                                          name);
    if (is_param)
        problem_hint(problem, "leave it out: gannet.serve(train) calls train(trial), which has trial.params[\"%.*s\"]",
                     (int)strcspn(name + 7, ":"), name + 7);
    else
        problem_hint(problem,
                     "leave it out: gannet.serve(train) calls train(trial), which has trial.params, trial.seed, "
                     "trial.dir and so on");
}

/* A parameter must be there; where nothing stands for it, in every trial. "momentum:-0.9" has something to fill in. */
static void check_parameter(struct reading *reading, struct source_mark mark, const char *name, bool may_miss,
                            const struct parameters *parameters)
{
    const char *sign = strstr(name, ":-");
    char *plain = mem_text_n(name, sign ? (size_t)(sign - name) : strlen(name));
    const struct draft *draft = draft_find(parameters, plain);
    if (!draft && parameters->count)
        draft_unknown(reading, PROBLEM_BAD_PLACEHOLDER, mark, plain, parameters);
    else if (draft && draft->param.condition_count && !sign && !may_miss)
        problem_hint(
            problem_add(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark,
                        "'%s' is left out of trials whose conditions don't hold: there is nothing to fill in", name),
            "${args} leaves it out with them, and so does ${args.%s}; ${params.%s:-VALUE} has a value for them", name,
            name);
    free(plain);
}

/* The parameter that a name may mean: ${lr}, or ${trialParameters.lr} as others have it; NULL: none. */
static const char *parameter_meant(const char *name, const struct parameters *parameters)
{
    const char *dot = strchr(name, '.'), *rest = draft_find(parameters, name) ? name : dot ? dot + 1 : NULL;
    return rest && draft_find(parameters, rest) ? rest : NULL;
}

static void report_unknown(struct reading *reading, struct source_mark mark, const char *name,
                           const struct parameters *parameters)
{
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "gannet doesn't fill in '${%s}'", name);
    if (parameter_meant(name, parameters)) {
        problem_hint(problem, "write ${params.%s}", parameter_meant(name, parameters));
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) {
            problem_hint(problem, "%s", others[i].advice);
            return;
        }
    if (getenv(name))
        problem_hint(problem, "write ${env.%s}", name);
    else
        unknown_hint_nearest(problem, name, names, NAMES, "a literal ${ is written $${; gannet fills in");
}

/* What a text is for. */
enum { FOR_SHELL = 1, FOR_MANY = 2 /* of a command that is started once for many trials */ };

/* For a shell, what workers don't know stays as it is, but no variable of a shell has a dot in its name. */
static void check_name(struct reading *reading, struct source_mark mark, const char *name, unsigned use,
                       const struct parameters *parameters)
{
    bool shell = use & FOR_SHELL;
    if ((use & FOR_MANY) && is_placeholder(name) && is_of_trial(name))
        refuse_of_trial(reading, mark, name);
    else if (!is_placeholder(name) && (!shell || strchr(name, '.')))
        report_unknown(reading, mark, name, parameters);
    else if (strncmp(name, "params.", 7) == 0)
        check_parameter(reading, mark, name + 7, false, parameters);
    else if (strncmp(name, "args.", 5) == 0)
        check_parameter(reading, mark, name + 5, true, parameters);
}

static void check_text(struct reading *reading, const struct node *node, unsigned use,
                       const struct parameters *parameters)
{
    for (const char *at = node->text; (at = strstr(at, "${")); at += 2) {
        if (at > node->text && at[-1] == '$')
            continue; /* "$${" is a literal "${" */
        const char *end = expand_placeholder_end(at);
        struct source_mark mark =
            node_mark_within(node, (size_t)(at - node->text), end ? (size_t)(end - at) : strlen(at));
        if (!end && !(use & FOR_SHELL))
            problem_say(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "write $${ if the two characters are meant",
                        "this '${' has no '}'");
        if (!end)
            return;
        char *name = mem_text_n(at + 2, (size_t)(end - at) - 3);
        check_name(reading, mark, name, use, parameters);
        free(name);
    }
}

static bool is_text(const struct node *list, uint32_t index, const char *text)
{
    const struct node *item = index < list->count ? list->entries[index].node : NULL;
    return item && item->kind == NODE_SCALAR && strcmp(item->text, text) == 0;
}

/* The items of a command or an environment; [/bin/sh, -c, TEXT] is what a command of one text becomes. */
static void check_items(struct reading *reading, const struct node *list, unsigned use,
                        const struct parameters *parameters)
{
    bool shell = list->kind == NODE_LIST && is_text(list, 0, "/bin/sh") && is_text(list, 1, "-c");
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].node->kind == NODE_SCALAR)
            check_text(reading, list->entries[i].node, use | (shell && i == 2 ? FOR_SHELL : 0u), parameters);
}

void parameters_check_placeholders(struct reading *reading, const struct parameters *parameters)
{
    const struct node *trial = node_find(reading->root, "trial");
    const struct node *command = node_find(trial, "command"), *env = node_find(trial, "env");
    unsigned many = reading->spec->trial.persistent.on ? FOR_MANY : 0;
    if (command && command->kind == NODE_SCALAR)
        check_text(reading, command, many | FOR_SHELL, parameters);
    else if (command)
        check_items(reading, command, many, parameters);
    if (env)
        check_items(reading, env, 0, parameters);
}
