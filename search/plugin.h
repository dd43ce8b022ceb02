/* Strategies from shared objects: the one place where gannet loads code. */
#ifndef GANNET_SEARCH_PLUGIN_H
#define GANNET_SEARCH_PLUGIN_H

#include "common/err.h"
#include "search/strategy.h"

struct plugin;

/* Loads the strategy of a file; nothing of it is called yet. NULL with a sentence: no such file, a file or a directory
 * that any user may write to, no shared object, no descriptor in it, one for another gannet, or one that lacks a name
 * or a function that it must have. */
struct plugin *plugin_open(const char *path, struct err *err);
void plugin_close(struct plugin *plugin); /* NULL is fine */

/* Its file, links followed; NULL of NULL. Whoever calls its functions says so by guard_enter of this (guard.h). */
const char *plugin_path(const struct plugin *plugin);

/* Its descriptor; valid until plugin_close. */
const struct gannet_strategy *plugin_strategy(const struct plugin *plugin);

#endif
