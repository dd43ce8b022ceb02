/* Reads files behind whoever writes them: a program's outputs, and a file of its own that has its metrics. */
#ifndef GANNET_WORKER_PROGRAM_READING_H
#define GANNET_WORKER_PROGRAM_READING_H

#include "worker/program/printed.h"

#include <stdbool.h>
#include <sys/types.h>

/* Reads what is in a file behind *taken, a part of it when that is very much; true when there may be more. */
bool reading_part(int fd, off_t *taken, struct printed *printed, enum printed_stream stream);

/* A file that a program may write in its trial's directory, at any time from now on. */
struct metrics_file;

/* What an earlier attempt left there belongs to that: it is moved away (NAME.1 is attempt 1's), or read on behind when
 * the program goes on from a checkpoint and so may add to it. */
struct metrics_file *metrics_file_create(const char *directory, const char *name, uint32_t attempt, bool goes_on);
void metrics_file_destroy(struct metrics_file *file); /* NULL is fine */

/* As reading_part. The file may come late, be cut short or be replaced by another: then it is read from its beginning.
 */
bool metrics_file_part(struct metrics_file *file, struct printed *printed);

#endif
