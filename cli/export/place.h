/* Directories that exports make: a mark by which they are known as ours, names of files from names that may be
 * anything, times as other tools count them. */
#ifndef GANNET_CLI_EXPORT_PLACE_H
#define GANNET_CLI_EXPORT_PLACE_H

#include "cli/export/export.h"
#include "cli/export/whole_directory.h"

/* The file in a directory that says whose export it is. */
#define PLACE_MARK ".gannet-export"

/* Whether the directory is empty, or was made by an export of this experiment. */
bool place_may_replace(const struct export *export);

/* Writes the mark. -1 with a sentence. */
int place_mark(const struct export *export, struct whole_directory *whole, struct err *err);

/* Adds a name that is one part of a path and of what other tools allow: letters, digits, '_', '-', '.', ' ', and with
 * `slash` '/' between parts; else '_'. No part is empty, "." or "..", or longer than 200 bytes. What had to be changed
 * ends in a number that is the name's own, so that two names stay two. */
void place_name(const char *name, bool slash, struct buf *out);

/* Seconds since 1970 of a time of docs/json.md; `otherwise` when it is none. */
double place_seconds(const json_t *time, double otherwise);

#endif
