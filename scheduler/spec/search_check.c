/* Whether the strategy and the early stopping that a file names are there, have the options they are given, and can
 * work in this experiment; see read.h. A plug-in's options are checked when it is loaded: reading an experiment file
 * loads no code. */
#include "scheduler/spec/read.h"
#include "scheduler/spec/foreign.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"
#include "search/registry.h"
#include "search/stop/stopper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- options --- */

static const struct gannet_option *option_of(const struct gannet_option *options, const char *name)
{
    for (const struct gannet_option *option = options; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

static void unknown_option(struct reading *reading, const char *what, const char *name,
                           const struct gannet_option *options, const struct entry *entry)
{
    size_t count = 0;
    while (options && options[count].name)
        count++;
    const char **names = MEM_ARRAY(const char *, count);
    for (size_t i = 0; i < count; i++)
        names[i] = options[i].name;
    struct problem *problem = problem_add(reading->problems, PROBLEM_BAD_OPTION, entry->mark,
                                          "the %s '%s' has no option '%s'", what, name, entry->key);
    if (count)
        unknown_hint_nearest(problem, entry->key, names, count, "its options are");
    else
        problem_hint(problem, "it has no options");
    free(names);
}

/* Adds what an option takes: "a whole number from 1 to 1000". */
static void option_words(struct buf *out, const struct gannet_option *option)
{
    switch (option->type) {
    case GANNET_SWITCH:
        buf_text(out, "true or false");
        break;
    case GANNET_WORD:
        unknown_add_choice(out, option->words);
        break;
    default:
        buf_text(out, option->type == GANNET_INTEGER ? "a whole number" : "a number");
        if (isfinite(option->min))
            buf_format(out, " from %.15g", option->min);
        if (isfinite(option->max))
            buf_format(out, isfinite(option->min) ? " to %.15g" : " up to %.15g", option->max);
    }
}

static bool is_one_of(const char *const *words, const char *text)
{
    for (; *words; words++)
        if (strcmp(*words, text) == 0)
            return true;
    return false;
}

static bool option_takes(const struct gannet_option *option, const struct node *node)
{
    double number;
    if (option->type == GANNET_SWITCH)
        return node_is(node, SCALAR_BOOL);
    if (option->type == GANNET_WORD)
        return node_is(node, SCALAR_TEXT) && is_one_of(option->words, node->text);
    return node_number(node, &number) && number >= option->min && number <= option->max &&
           (option->type == GANNET_NUMBER || number == floor(number));
}

/* Reports an option that is not in the table (which may be NULL), or has a value that it can't take. `what` and `name`
 * say whose it is: "strategy", "grid". */
static void check_option(struct reading *reading, const char *what, const char *name,
                         const struct gannet_option *options, const struct entry *entry)
{
    const struct gannet_option *option = option_of(options, entry->key);
    if (!option) {
        unknown_option(reading, what, name, options, entry);
    } else if (!option_takes(option, entry->node)) {
        struct buf words = {0};
        option_words(&words, option);
        problem_say(reading->problems, PROBLEM_BAD_OPTION, entry->node->mark, option->help,
                    "the option '%s' takes %s, not %s", entry->key, buf_str(&words), node_show(entry->node).text);
        buf_fini(&words);
    }
}

/* --- strategies --- */

static size_t builtin_names(const char **names, size_t capacity)
{
    size_t count = 0;
    while (registry_builtin[count] && count < capacity) {
        names[count] = registry_builtin[count]->name;
        count++;
    }
    return count;
}

static void unknown_strategy(struct reading *reading, const struct node *name)
{
    enum { MOST = 32 };
    const char *names[MOST];
    const struct foreign_word *foreign = foreign_find_word("strategy.name", name->text);
    if (foreign && !foreign->here) {
        problem_say(reading->problems, PROBLEM_NOT_YET, name->mark, foreign->advice,
                    "the strategy '%s' comes with a later version of gannet", name->text);
        return;
    }
    struct problem *problem =
        problem_add(reading->problems, PROBLEM_UNKNOWN_STRATEGY, name->mark, "there is no strategy '%s'", name->text);
    if (foreign)
        problem_hint(problem, "it is called '%s' here", foreign->here);
    else
        unknown_hint_nearest(problem, name->text, names, builtin_names(names, MOST), "the strategies are");
}

void strategy_check(struct reading *reading)
{
    const struct node *node = node_find(reading->root, "strategy");
    const struct node *name = node_is(node, SCALAR_TEXT) ? node : node_find(node, "name");
    const struct node *options = node_find(node, "options");
    if (reading->spec->strategy.plugin || node_find(node, "plugin") || !reading->spec->strategy.name)
        return;
    const struct gannet_strategy *strategy = registry_find(reading->spec->strategy.name);
    if (!strategy && name)
        unknown_strategy(reading, name);
    for (uint32_t i = 0; strategy && options && options->kind == NODE_MAP && i < options->count; i++)
        check_option(reading, "strategy", strategy->name, strategy->options, &options->entries[i]);
}

/* --- early stopping --- */

static void unknown_stopper(struct reading *reading, const struct node *name)
{
    enum { MOST = 16 };
    const char *names[MOST] = {"none"};
    size_t count = 1;
    for (; count < MOST && stopper_info(count - 1); count++)
        names[count] = stopper_info(count - 1)->name;
    struct problem *problem = problem_add(reading->problems, PROBLEM_UNKNOWN_STOPPER, name->mark,
                                          "there is no early stopping '%s'", name->text);
    unknown_hint_nearest(problem, name->text, names, count, "there are");
}

/* What only shows when it is made: options that exclude each other, too many objectives. */
static void try_out(struct reading *reading, const struct stopper_info *info, const struct node *node)
{
    struct err err;
    const struct metrics metrics = spec_metrics(reading->spec);
    json_t *options = json_copy(reading->spec->early_stop);
    json_object_del(options, "name");
    struct stopper_setup setup = {.name = info->name,
                                  .options = options,
                                  .objectives = metrics_objectives(&metrics),
                                  .can_pause = reading->spec->trial.checkpoint == CHECKPOINT_YES};
    struct stopper *stopper = stopper_create(&setup, &err);
    if (!stopper)
        problem_add(reading->problems, PROBLEM_BAD_OPTION, node->mark, "%s", err.text);
    stopper_destroy(stopper);
    json_decref(options);
}

void stop_check(struct reading *reading)
{
    const struct node *node = node_find(reading->root, "early_stop");
    if (!reading->spec->early_stop || !node)
        return;
    const struct node *name = node_is(node, SCALAR_TEXT) ? node : node_find(node, "name");
    if (!node_is(name, SCALAR_TEXT)) {
        problem_say(reading->problems, PROBLEM_MISSING_KEY, name ? name->mark : node->mark,
                    "write early_stop: {name: asha, ...}", "early_stop needs a name");
        return;
    }
    size_t errors = reading->problems->errors;
    const struct stopper_info *info = stopper_find(name->text);
    if (!info)
        unknown_stopper(reading, name);
    for (uint32_t i = 0; info && node->kind == NODE_MAP && i < node->count; i++)
        if (strcmp(node->entries[i].key, "name") != 0)
            check_option(reading, "early stopping", info->name, info->options, &node->entries[i]);
    if (info && reading->problems->errors == errors)
        try_out(reading, info, node);
}
