/* Options of strategies and of early stopping against their tables; see option_check.h. */
#include "scheduler/spec/option_check.h"
#include "scheduler/spec/unknown.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void option_check(struct reading *reading, const char *what, const char *name, const struct gannet_option *options,
                  const struct entry *entry)
{
    const struct gannet_option *option = option_of(options, entry->key);
    if (!option) {
        unknown_option(reading, what, name, options, entry);
    } else if (!option_takes(option, entry->node)) {
        char given[NODE_WORDS];
        struct buf words = {0};
        option_words(&words, option);
        problem_hint(problem_add(reading->problems, PROBLEM_BAD_OPTION, entry->node->mark,
                                 "the option '%s' takes %s, not %s", entry->key, buf_str(&words),
                                 node_words(entry->node, given, sizeof given)),
                     "%s", option->help);
        buf_fini(&words);
    }
}
