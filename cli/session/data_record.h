/* What the files of a kernel's data held when a search began, kept beside it in data.json: trials of a search that goes
 * on with other data are not to be compared with those before, and nothing else would say so. */
#ifndef GANNET_CLI_SESSION_DATA_RECORD_H
#define GANNET_CLI_SESSION_DATA_RECORD_H

#include "scheduler/rundir/rundir.h"
#include "scheduler/spec/spec.h"

#include <jansson.h>

/* [{option, path, bytes, hash}, ...] of a file, or of each .bin file in a directory, added to `files`; what can't be
 * read, or is there already, is left out. */
void data_record_add(const char *option, const char *path, json_t *files);

/* Keeps it in the run directory; NULL or an empty list: nothing. -1 with a sentence. */
int data_record_write(const struct rundir *dir, const json_t *files, struct err *err);

/* Reports files that hold something else now, or can't be read any more: a warning each. Files that a trial would not
 * see here are not known. */
void data_record_compare(const struct rundir *dir, struct problems *problems);

#endif
