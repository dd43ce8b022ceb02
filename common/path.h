/* Files and directories, the careful way. */
#ifndef GANNET_COMMON_PATH_H
#define GANNET_COMMON_PATH_H

#include "common/buf.h"
#include "common/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* "a/b" of "a" and "b"; b alone when it is absolute. free() it. */
char *path_join(const char *a, const char *b);

/* Absolute form with our working directory in front; nothing is resolved, need not exist. free() it. */
char *path_absolute(const char *path);

/* The directory part ("." when there is none), and the last part. free() the first. */
char *path_directory(const char *path);
const char *path_base(const char *path);

/* Whether something stands before this ending: of "a.yaml", not of ".yaml". */
bool path_ends_with(const char *path, const char *ending);

bool path_is_directory(const char *path); /* a link to one is one, too */

/* Makes a directory with this mode and, with 0777 less the umask, the ones above it. One that exists is fine. */
int path_make_directory(const char *path, unsigned mode, struct err *err);

/* Whether a directory is ours, not a link, and closed to others (0700); the sentence says what to do when not. */
int path_check_private(const char *path, struct err *err);

/* Whether nobody but its owner may write to a directory, and we are the owner (or root); the sentence says what to do
 * when not. */
int path_check_ours(const char *path, struct err *err);

/* Whole files. path_read overwrites `out` and refuses a file of more than `limit` bytes. path_write replaces the file
 * at once (temporary file, fsync, rename); a link in its place is replaced, not followed. */
int path_read(const char *path, struct buf *out, size_t limit, struct err *err);
int path_write(const char *path, const void *bytes, size_t length, unsigned mode, struct err *err);

/* For a path that a person names as an output: path_write of a regular file, behind a link of what that leads to; a
 * device or a pipe is written into. */
int path_put(const char *path, const void *bytes, size_t length, unsigned mode, struct err *err);

/* path_read of a file that belongs to `owner` and that nobody else may write; a link is refused. */
int path_read_of(uid_t owner, const char *path, struct buf *out, size_t limit, struct err *err);

/* For those who write a file their own way; -1 with errno. All bytes to a descriptor; what a rename or a new name in
 * the directory of `path` needs to last. */
int path_write_all(int fd, const void *bytes, size_t length);
int path_sync_directory(const char *path);

bool path_exists(const char *path);

/* Whether it is a regular file, or a link to one: no pipe, which would let who reads it wait for ever. */
bool path_is_file(const char *path);

/* Removes a directory with everything in it, following no link; one that is not there is fine. */
int path_remove_tree(const char *path, struct err *err);

/* The file of the program that runs (/proc/self/exe), and its directory: where our other programs are. free() it. */
char *path_program_directory(void);

/* Where a module of ours is looked for that is built apart: .. of the program's directory (a build directory),
 * ../lib/gannet of it (installed), else below the prefix. free() it. */
char *path_of_module(const char *name);

#endif
