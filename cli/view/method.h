/* The options of strategies and of early stopping, as their tables say. */
#ifndef GANNET_CLI_VIEW_METHOD_H
#define GANNET_CLI_VIEW_METHOD_H

#include "cli/console.h"
#include "search/strategy.h"

#include <jansson.h>

/* An array of objects with name, type, default and help; of NULL an empty one. */
json_t *method_options_json(const struct gannet_option *options);

/* A table with the heading over the names. */
void method_options_draw(const char *heading, const struct gannet_option *options, const struct look *look,
                         struct buf *out);

#endif
