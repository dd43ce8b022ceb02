/* Text files that grow: the logs of several processes merged by time, or what a trial's program wrote. */
#ifndef GANNET_CLI_DATA_LOGS_H
#define GANNET_CLI_DATA_LOGS_H

#include "common/buf.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct logs;

/* The files of a directory, read as far as nothing yet; the directory and files may come later. `by_time`: lines are
 * merged by the time that each begins with (common/log.h); else they come file by file, with headings: what a program
 * wrote to its output and errors, and other files as far as they are text. */
struct logs *logs_open(const char *directory, bool by_time);
void logs_close(struct logs *logs); /* NULL is fine */

/* The other files and directories there that were passed over so far: an array of names, a new reference. */
json_t *logs_others(const struct logs *logs);

/* Adds the whole lines that are new since the last call, at most the last `most` of them (0: all); with `rest` also a
 * last line that is not finished. */
void logs_read(struct logs *logs, size_t most, bool rest, struct buf *out);

#endif
