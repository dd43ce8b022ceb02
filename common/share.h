/* Run directories that a group may read (`share:` in the experiment file). Such a directory is known by its mode alone:
 * set-group-ID, readable for its group, and not writable for it. What gannet makes in one is readable for the group,
 * too, but for keys, sockets and what says where the coordinator listens. Everything else is closed to others. */
#ifndef GANNET_COMMON_SHARE_H
#define GANNET_COMMON_SHARE_H

#include "common/err.h"

#include <stdbool.h>
#include <sys/types.h>

/* The mode of a file that is to be made: 0600, or 0640 where its directory is shared. */
unsigned share_mode(const char *path);

/* Gives a file of ours that is open that mode, whatever the umask. */
void share_file(int fd, const char *path);

/* path_make_directory, closed to others or as the directory that it lies in. */
int share_make_directory(const char *path, struct err *err);

/* The group of that name or number, of which we have to be a member. -1 with a sentence. */
int share_find_group(const char *name, gid_t *out, struct err *err);

/* The group's name; its number where it has none. free() it. */
char *share_group_name(gid_t group);

/* Opens a directory or a file of ours to the group. */
int share_open(const char *path, gid_t group, struct err *err);

#endif
