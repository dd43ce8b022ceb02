/* A strategy as a person names it for a benchmark:
 *
 *     random                                  a built-in one
 *     gp:acquisition=ei,warp=false            with options
 *     ./mine.so:width=3                       a plug-in; what has a slash in it is a path
 *     exec:./prog --fast                      an outside program (external.h), with its arguments
 *
 * A list of them is separated by commas: a part with a '=' before any ':' belongs to the options of the one before it.
 * `exec:` takes the rest of the text. */
#ifndef GANNET_CLI_BENCH_CONTENDER_H
#define GANNET_CLI_BENCH_CONTENDER_H

#include "common/err.h"

#include <jansson.h>
#include <stddef.h>

struct contender {
    char *text;           /* as written: its name in every table */
    char *name;           /* of the strategy; NULL: an outside program */
    char *plugin;         /* the path of its shared object; NULL: built in */
    char *command;        /* of the outside program; else NULL */
    json_t *options;      /* an object; NULL: none */
    char *stopper;        /* how its trials are stopped early; NULL: they are not */
    json_t *stop_options; /* an object; NULL: none */
};

struct contenders {
    struct contender *items;
    size_t count, capacity;
};

/* {0} is an empty list. */
void contenders_fini(struct contenders *contenders);

/* Adds those of a list. Loads plug-ins to learn their names. -1 with a sentence: no strategy of that name, an option
 * without a value, the same contender twice, ... */
int contenders_read(struct contenders *contenders, const char *list, struct err *err);

/* Makes of each contender one for each way of stopping early in a list "none,asha:eta=4,median"; all but those of
 * "none" are called STRATEGY+STOPPER from then on. -1 with a sentence. */
int contenders_stop(struct contenders *contenders, const char *list, struct err *err);

/* Adds one that is known by its parts; `options` is borrowed. */
void contenders_add(struct contenders *contenders, const char *name, const char *plugin, const json_t *options);

#endif
