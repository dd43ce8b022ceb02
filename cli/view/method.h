/* What gannet can choose from - kernels, strategies, kinds of early stopping - as lists, and one of them with its
 * options. Each list is an array of objects as programs read it: name, summary, options (name, type, default, help). */
#ifndef GANNET_CLI_VIEW_METHOD_H
#define GANNET_CLI_VIEW_METHOD_H

#include "cli/console.h"
#include "search/strategy.h"

#include <jansson.h>
#include <stdbool.h>

/* One of these lists, in words. */
struct method_kind {
    const char *title;   /* above the names: "strategy" */
    const char *unknown; /* "there is no strategy" */
    const char *plural;  /* "strategies" */
    const char *hint;    /* the sentence below the list */
    bool metrics;        /* the list also has what each reports */
    void (*explain)(const json_t *method, const struct look *look, struct buf *out); /* adds one with its options */
};

/* Shows the list, or the one of the name (NULL: the list), for people or as JSON. The exit status; a name that is not
 * there is said. */
int method_show(struct console *console, const struct method_kind *kind, json_t *list, const char *name, bool json);

/* What a method reports; "any": the experiment file says. */
const char *method_metrics(const json_t *method);

/* Adds the table of a method's options; `values` is the title above what each may be set to. */
void method_options_draw(const char *title, const char *values, const json_t *options, const struct look *look,
                         struct buf *out);

/* The options of a strategy or a stopper as such an array; of NULL an empty one. */
json_t *method_options_json(const struct gannet_option *options);

#endif
