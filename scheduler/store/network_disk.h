/* Whether a file lies on a network filesystem, where a store can't be shared between processes: SQLite's WAL needs
 * memory that all of them map, and locks that hold. */
#ifndef GANNET_SCHEDULER_STORE_NETWORK_DISK_H
#define GANNET_SCHEDULER_STORE_NETWORK_DISK_H

#include "common/err.h"

#include <stdbool.h>

/* Whether the filesystem of this file is a network one; what can't be found out counts as local. The environment
 * variable GANNET_STORE_LOCKING overrides it: "exclusive" is as on a network filesystem, "shared" as on a local one; -1
 * with a sentence when it says anything else. */
int network_disk_check(const char *path, bool *is_network, struct err *err);

/* By the number that statfs gives as f_type. */
bool network_disk_is(unsigned long type);

#endif
