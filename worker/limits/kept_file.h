/* What was measured, in the user's cache directory, $XDG_CACHE_HOME/gannet/limits (~/.cache): a file for each key,
 * which says whole what it was measured of. What stands there was written by us or is not believed. */
#ifndef GANNET_WORKER_LIMITS_KEPT_FILE_H
#define GANNET_WORKER_LIMITS_KEPT_FILE_H

#include "common/err.h"

#include <jansson.h>

/* What is kept for the key; NULL: nothing is. */
json_t *kept_file_read(const char *key);

/* A number of it; NAN: none that can be one. */
double kept_number(const json_t *json, const char *member);

/* Keeps the object, which is used up. -1 with a sentence: there is no home, it can't be written to. */
int kept_file_write(const char *key, json_t *json, struct err *err);

/* The right to measure; see limits_lock. */
int kept_file_lock(void);

#endif
