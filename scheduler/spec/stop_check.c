/* Whether the early stopping that a file names is there, has the options it is given, and can work in this experiment;
 * see read.h. */
#include "scheduler/spec/option_check.h"
#include "scheduler/spec/read.h"
#include "scheduler/spec/unknown.h"
#include "search/stop/stopper.h"

#include <string.h>

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
        problem_hint(problem_add(reading->problems, PROBLEM_MISSING_KEY, name ? name->mark : node->mark,
                                 "early_stop needs a name"),
                     "write early_stop: {name: asha, ...}");
        return;
    }
    size_t errors = reading->problems->errors;
    const struct stopper_info *info = stopper_find(name->text);
    if (!info)
        unknown_stopper(reading, name);
    for (uint32_t i = 0; info && node->kind == NODE_MAP && i < node->count; i++)
        if (strcmp(node->entries[i].key, "name") != 0)
            option_check(reading, "early stopping", info->name, info->options, &node->entries[i]);
    if (info && reading->problems->errors == errors)
        try_out(reading, info, node);
}
