/* How a trial's parameters become arguments of a person's program: ${args} for all of them, ${args.NAME} for one. The
 * experiment has a style; a parameter may have its own `arg`:
 *
 *     equals, space, plain, positional, words   this style
 *     flag                --NAME when it is true, nothing when it is false
 *     no-flag             --NAME when it is true, --no-NAME when it is false
 *     none                nothing
 *     --amp/--fp32        the first when it is true, the second when it is false; either may be left out
 *     --rate={}, -l {}    with the value for {}; blanks part arguments
 *     --rate, -l, opt.lr  the name that stands for the parameter's own, in the style of the experiment */
#ifndef GANNET_COMMON_TRIAL_ARGS_H
#define GANNET_COMMON_TRIAL_ARGS_H

#include "common/err.h"
#include "common/texts.h"

#include <jansson.h>
#include <stdbool.h>

enum args_style {
    ARGS_EQUALS,     /* --NAME=VALUE */
    ARGS_SPACE,      /* --NAME VALUE */
    ARGS_PLAIN,      /* NAME=VALUE */
    ARGS_POSITIONAL, /* VALUE */
    ARGS_WORDS,      /* --NAME and each word of the value */
    ARGS_STYLES
};

/* Their words, NULL at the end. */
extern const char *const args_style_words[];

/* The style of that word; ARGS_STYLES: none. */
enum args_style args_style_named(const char *word);

/* Whether an `arg` is one for true and false alone. */
bool trial_arg_is_switch(const char *arg);

/* Adds the arguments of a parameter. `arg`: its own, or NULL. -1 with a sentence when the value can't be one. */
int trial_args_add(enum args_style style, const char *arg, const char *name, const json_t *value, struct texts *list,
                   struct err *err);

#endif
