/* The options of a strategy or a stopper, checked against its table. */
#ifndef GANNET_SEARCH_STRATEGY_SETTINGS_H
#define GANNET_SEARCH_STRATEGY_SETTINGS_H

#include "common/err.h"
#include "search/strategy.h"

#include <jansson.h>

/* The settings for the strategy's table of options, in its order: what `options` (an object, or NULL) says, else the
 * defaults. free() it; words belong to the table. NULL with a sentence for an unknown option (with a suggestion and the
 * list), a value of the wrong type or outside the range, and for a table that is broken itself. */
struct gannet_setting *strategy_settings_read(const struct gannet_strategy *strategy, const json_t *options,
                                              struct err *err);

/* Whose options they are, for sentences: {"strategy", "grid", "strategy.options", its table}. */
struct settings_owner {
    const char *what, *name, *prefix;
    const struct gannet_option *options; /* ends with a NULL name; NULL: none */
};

/* The same for any table. */
struct gannet_setting *strategy_settings_read_table(const struct settings_owner *owner, const json_t *options,
                                                    struct err *err);

#endif
