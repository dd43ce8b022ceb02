/* What a command makes of the parameters. Each trial would run the same if none of them reached the program, which is
 * what happens when "{lr}" or $lr stands where ${params.lr} was meant: those are found here, with their place in the
 * file. This is about a file that a person writes; an experiment that is frozen already is what it is. */
#include "scheduler/spec/load.h"
#include "scheduler/spec/quotes.h"
#include "scheduler/spec/read.h"
#include "common/mem.h"
#include "common/trial_command.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The texts that reach a program: its arguments, and the values of its environment. */
struct param_use {
    const struct node **texts;
    size_t count, capacity;
    const struct node *shell; /* the text for a shell, in which ${lr} is the shell's; NULL: there is none */
    const struct node *parameters;
};

/* --- what is used --- */

static void add_texts(struct param_use *use, const struct node *node)
{
    if (!node)
        return;
    MEM_GROW(use->texts, use->capacity, use->count + node->count + 1);
    if (node->kind == NODE_SCALAR)
        use->texts[use->count++] = node;
    for (uint32_t i = 0; node->kind != NODE_SCALAR && i < node->count; i++)
        if (node->entries[i].node->kind == NODE_SCALAR)
            use->texts[use->count++] = node->entries[i].node;
}

static bool has_text(const struct param_use *use, const char *part)
{
    for (size_t i = 0; i < use->count; i++)
        if (strstr(use->texts[i]->text, part))
            return true;
    return false;
}

static bool uses_all(const struct param_use *use)
{
    return has_text(use, "${args}") || has_text(use, "${config.yaml}") || has_text(use, "${config.json}") ||
           has_text(use, "${args_json_file}") || has_text(use, "GANNET_PARAMS_FILE");
}

static bool uses_name(const struct param_use *use, const char *name)
{
    char *variable = trial_command_variable_name(name);
    bool used = has_text(use, variable);
    static const char *const placeholders[] = {"${params.%s}", "${params.%s:-", "${args.%s}"};
    for (size_t i = 0; i < sizeof placeholders / sizeof *placeholders && !used; i++) {
        const char *gap = strstr(placeholders[i], "%s");
        char *text = mem_format("%.*s%s%s", (int)(gap - placeholders[i]), placeholders[i], name, gap + 2);
        used = has_text(use, text);
        free(text);
    }
    free(variable);
    return used;
}

/* A constant is the same in each trial, and may be there for strategies and people alone. */
static bool is_searched(const struct entry *entry)
{
    return entry->node->kind == NODE_LIST || (entry->node->kind == NODE_MAP && !node_find(entry->node, "value"));
}

/* --- what was meant --- */

/* How other tools, and shells, write a value that is to be filled in. */
static const char *const spellings[] = {"${%s}",  "{{%s}}", "{{ %s }}", "{%s}", "$(%s)",
                                        "%(%s)s", "%%s%",   "<%s>",     "@%s@", "$%s"};

/* Where a word of a text begins as the spelling has it; NULL: it does not. $lr is no part of $lrate, nor {lr} one of
 * ${lr} and {{lr}}, which are reported as what they are. */
static const char *find_spelled(const char *text, const char *spelled)
{
    size_t length = strlen(spelled);
    bool variable = spelled[0] == '$' && !strchr("{(", spelled[1]);
    for (const char *at = text; (at = strstr(at, spelled)); at++) {
        bool goes_on = variable && (isalnum((unsigned char)at[length]) || at[length] == '_');
        bool is_inner = spelled[0] == '{' && at > text && (at[-1] == '$' || at[-1] == '{');
        if (!goes_on && !is_inner)
            return at;
    }
    return NULL;
}

/* Reports a name that stands in a text in this spelling. */
static bool report_spelling(struct problems *problems, const struct node *node, const char *spelling, const char *name,
                            const char *meant)
{
    const char *gap = strstr(spelling, "%s");
    char *spelled = mem_format("%.*s%s%s", (int)(gap - spelling), spelling, name, gap + 2);
    const char *at = find_spelled(node->text, spelled);
    if (at)
        problem_hint(problem_add(problems, PROBLEM_NOT_FILLED_IN,
                                 node_mark_within(node, (size_t)(at - node->text), strlen(spelled)),
                                 "'%s' is not filled in", spelled),
                     "write %s", meant);
    free(spelled);
    return at != NULL;
}

/* Reports each text in which the name stands in one of those spellings; whether there was any. ${lr} is reported when
 * the file is read, but in a text for a shell. */
static bool report_spelled(struct problems *problems, const struct param_use *use, const char *name, const char *meant)
{
    size_t before = problems->count;
    for (size_t i = 0; i < use->count; i++)
        for (size_t k = use->texts[i] != use->shell; k < sizeof spellings / sizeof *spellings; k++)
            if (report_spelling(problems, use->texts[i], spellings[k], name, meant))
                break;
    return problems->count > before;
}

/* --- the check --- */

/* What a script starts may read the environment, which can't be seen from here: then it is a warning. */
static void report_none(struct problems *problems, const struct node *command, const char *name, bool starts_others)
{
    bool list = command->kind == NODE_LIST;
    problem_hint(
        starts_others ? problem_add(problems, PROBLEM_UNUSED_PARAMETER, command->mark,
                                    "the command uses no parameter: unless what it starts reads GANNET_PARAM_%s, every "
                                    "trial runs the same",
                                    name)
                      : problem_add(problems, PROBLEM_NO_PARAMETER, command->mark,
                                    "the command uses no parameter: every trial would run the same"),
        list ? "add \"${args}\" for one --NAME=VALUE each, or name them: \"--%s=${params.%s}\"; a program that "
               "reads its environment: env: {%s: \"${params.%s}\"}"
             : "add ${args} for one --NAME=VALUE each, or name them: --%s=${params.%s}; a program that "
               "reads its environment: env: {%s: \"${params.%s}\"}",
        name, name, name, name);
}

/* How many parameters it uses. */
static size_t check_use(struct problems *problems, const struct param_use *use, const struct node *command,
                        bool starts_others)
{
    const char *first = NULL;
    size_t used = 0, errors = problems->errors;
    if (uses_all(use) || report_spelled(problems, use, "args", "${args}"))
        return use->parameters->count;
    for (uint32_t i = 0; i < use->parameters->count; i++) {
        const struct entry *entry = &use->parameters->entries[i];
        char *meant = mem_format("${params.%s}", entry->key);
        if (uses_name(use, entry->key))
            used++;
        else if (!report_spelled(problems, use, entry->key, meant) && !first && is_searched(entry))
            first = entry->key;
        free(meant);
    }
    if (!used && first && !errors && !problems->errors)
        report_none(problems, command, first, starts_others);
    return used;
}

static void warn_of_unused(struct problems *problems, const struct param_use *use)
{
    for (uint32_t i = 0; !uses_all(use) && i < use->parameters->count; i++) {
        const struct entry *entry = &use->parameters->entries[i];
        if (is_searched(entry) && !uses_name(use, entry->key))
            problem_hint(problem_add(problems, PROBLEM_UNUSED_PARAMETER, entry->mark, "the command does not use '%s'",
                                     entry->key),
                         "write ${params.%s} where its value belongs, or ${args} for all", entry->key);
    }
}

/* `true` and `:` do nothing, whatever they are given: so people write whose trials run in a loop of their own. */
static bool does_nothing(const struct node *command)
{
    const struct node *first = command->kind == NODE_LIST && command->count ? command->entries[0].node : command;
    return first->kind == NODE_SCALAR && (strcmp(first->text, "true") == 0 || strcmp(first->text, ":") == 0);
}

/* The text of a command that is one, or of [/bin/sh, -c, TEXT], which it becomes. */
static const struct node *shell_text(const struct node *command)
{
    bool list = command->kind == NODE_LIST && command->count == 3;
    if (command->kind == NODE_SCALAR)
        return command;
    return list && node_is(command->entries[0].node, SCALAR_TEXT) && node_is(command->entries[1].node, SCALAR_TEXT) &&
                   strcmp(command->entries[1].node->text, "-c") == 0
               ? command->entries[2].node
               : NULL;
}

static void check_tree(const struct node *root, bool starts_others, struct problems *problems)
{
    const struct node *trial = node_find(root, "trial"), *command = node_find(trial, "command");
    struct param_use use = {.parameters = node_find(root, "parameters")};
    if (!command || command->kind == NODE_MAP || does_nothing(command) || !use.parameters ||
        use.parameters->kind != NODE_MAP)
        return;
    use.shell = shell_text(command);
    add_texts(&use, command);
    add_texts(&use, node_find(trial, "env"));
    if (command->kind == NODE_SCALAR) /* of a list values go to the program as they are */
        quotes_check(problems, command, use.parameters);
    size_t before = problems->count;
    size_t used = check_use(problems, &use, command, starts_others);
    if (used && problems->count == before) /* of one that uses none it is not known how it gets them */
        warn_of_unused(problems, &use);
    free(use.texts);
}

void problems_check_use(struct problems *problems, bool starts_others)
{
    struct tree tree = {0};
    struct problems ignored = {0}; /* they were reported when the file was read */
    if (problems->text && load_tree(problems->text, strlen(problems->text), (struct load_source){0}, &tree, &ignored)) {
        for (size_t i = 0; i < problems->option_count; i++)
            override_apply(&tree, problems->options[i], &ignored);
        check_tree(tree.root, starts_others, problems);
        problems_sort(problems);
    }
    tree_fini(&tree);
    problems_fini(&ignored);
}
