/* Paths as people write them: "~" and "${env.NAME}" filled in, relative ones from a directory. */
#ifndef GANNET_SCHEDULER_SPEC_EXPAND_H
#define GANNET_SCHEDULER_SPEC_EXPAND_H

#include "scheduler/spec/key.h"

/* The absolute form of the path in a text node; free() it. NULL and a problem when a variable isn't set. */
char *expand_path(struct reading *reading, const struct node *node, const char *base);

/* The other way: an absolute path as YAML that expand_path leaves as it is. */
void expand_write_path(struct buf *out, const char *path);

/* The end of the placeholder that begins at `text` ("${"): behind its "}"; NULL when it isn't closed. */
const char *expand_placeholder_end(const char *text);

#endif
