/* Placeholders in the command and the environment: ${params.lr}, ${trial.dir}, ... Workers fill them in (docs/task.md
 * says with what); here they are checked, so that a typing error is found before anything runs. */
#include "scheduler/spec/expand.h"
#include "scheduler/spec/parameters.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"args",           "args_json_file", "trial.id",    "trial.dir", "seed",
                                    "resources.cpus", "resources.gpus", "params.NAME", "env.NAME"};
enum { NAMES = sizeof names / sizeof *names };

/* What other tools, and the shell, write there. */
static const struct {
    const char *name, *advice;
} others[] = {
    {"args_no_hyphens", "write the arguments out: lr=${params.lr}"},
    {"args_no_boolean_flags", "write ${args}"},
    {"args_flags", "write ${args}: a switch becomes --name=true"},
    {"args_json", "write ${args_json_file}: the name of a file that holds the parameters as JSON"},
    {"program", "write the program's name"},
    {"interpreter", "write python"},
    {"checkpoint.dir", "checkpoints come with a later version; ${trial.dir} is the trial's directory"},
};

static bool is_placeholder(const char *name, const struct parameters *parameters)
{
    if (strncmp(name, "params.", 7) == 0)
        return !parameters->count || draft_find(parameters->drafts, parameters->count, name + 7);
    if (strncmp(name, "env.", 4) == 0)
        return name[4];
    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static void report(struct reading *reading, struct mark mark, const char *name, const struct parameters *parameters)
{
    if (strncmp(name, "params.", 7) == 0) {
        draft_unknown(reading, PROBLEM_BAD_PLACEHOLDER, mark, name + 7, parameters->drafts, parameters->count);
        return;
    }
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "gannet doesn't fill in '${%s}'", name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0) {
            problem_hint(problem, "%s", others[i].advice);
            return;
        }
    if (getenv(name))
        problem_hint(problem, "write ${env.%s}, or $${%s} to leave it to the shell", name, name);
    else
        unknown_hint_nearest(problem, name, names, NAMES, "write $${...} to leave it to the shell; gannet has");
}

static void check_text(struct reading *reading, const struct node *node, const struct parameters *parameters)
{
    for (const char *at = node->text; (at = strstr(at, "${")); at += 2) {
        if (at > node->text && at[-1] == '$')
            continue; /* "$${" is a literal "${" */
        const char *end = expand_placeholder_end(at);
        struct mark mark = node_mark_within(node, (size_t)(at - node->text), end ? (size_t)(end - at) : strlen(at));
        if (!end) {
            problem_hint(problem_add(reading->problems, PROBLEM_BAD_PLACEHOLDER, mark, "this '${' has no '}'"),
                         "write $${ if the two characters are meant");
            return;
        }
        char *name = mem_text_n(at + 2, (size_t)(end - at) - 3);
        if (!is_placeholder(name, parameters))
            report(reading, mark, name, parameters);
        free(name);
    }
}

static void check_node(struct reading *reading, const struct node *node, const struct parameters *parameters)
{
    if (!node)
        return;
    if (node->kind == NODE_SCALAR)
        check_text(reading, node, parameters);
    for (uint32_t i = 0; i < node->count; i++)
        if (node->entries[i].node->kind == NODE_SCALAR)
            check_text(reading, node->entries[i].node, parameters);
}

void parameters_check_placeholders(struct reading *reading, const struct parameters *parameters)
{
    const struct node *trial = node_find(reading->root, "trial");
    check_node(reading, node_find(trial, "command"), parameters);
    check_node(reading, node_find(trial, "env"), parameters);
}
