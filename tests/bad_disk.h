/* A disk that fails and loses power, for one database: a layer (VFS) between SQLite and the real filesystem. Operations
 * are writes, truncations and syncs of the database file and of its WAL, in the order in which SQLite asks for them. */
#ifndef GANNET_TESTS_BAD_DISK_H
#define GANNET_TESTS_BAD_DISK_H

#include <stdbool.h>
#include <stdint.h>

enum bad_disk_file { BAD_DISK_DATABASE = 1, BAD_DISK_WAL = 2, BAD_DISK_BOTH = 3 };

/* Puts this database, which need not exist yet, on the bad disk: before it is opened. */
void bad_disk_watch(const char *path);
void bad_disk_forget(void);

/* The operation number `after` from now on (1: the next one) on these files fails with this code of SQLite (0: as a
 * full disk does), and so do all later ones until the disk is mended. */
void bad_disk_fail(int after, int code, enum bad_disk_file files);

/* The disk works again; whether anything failed meanwhile. */
bool bad_disk_mend(void);

/* At the operation number `after` from now on the power goes: what is then found on the disk is written to `to` and
 * to-wal. What was synced is there; of what was written since, each operation is there wholly, in part, or not, by the
 * seed. The database itself goes on. */
void bad_disk_cut_power(int after, const char *to, uint64_t seed);

/* Whether the power went. */
bool bad_disk_is_cut(void);

/* How many temporary files SQLite has made since the database was put on the bad disk. */
int bad_disk_temporary(void);

#endif
