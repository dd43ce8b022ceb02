/* A disk in memory that loses power, for SQLite: a layer (VFS) that keeps every file of the program and nothing of the
 * real filesystem. What was written and not synced is lost at a power cut, or torn, or there, each write by itself; so
 * are files that were made or deleted since the last sync of their directory. One per program: SQLite's list of layers
 * is, too.
 *
 * Operations are writes, truncations, syncs and deletions, of all files, in the order in which SQLite asks for them. */
#ifndef GANNET_TESTS_RAM_DISK_H
#define GANNET_TESTS_RAM_DISK_H

#include "common/buf.h"

#include <stdbool.h>
#include <stdint.h>

/* SQLite's layer from now on, for the whole program. */
void ram_disk_install(void);

/* Forgets every file; the disk works, and nothing is to happen to it. */
void ram_disk_clear(void);

/* A file that is safely on the disk; and a file's bytes as programs see them (false: there is none). */
void ram_disk_put(const char *path, const void *bytes, size_t length);
bool ram_disk_get(const char *path, struct buf *out);

/* The database `from`, with its log and its journal, as another one. */
void ram_disk_copy(const char *from, const char *to);

/* Another layer, for who looks at the files: it finds them as they are at the last ram_disk_look, and changes nothing.
 * A connection that was opened by its name may look for ever, whatever becomes of the files; but not while a rollback
 * journal is there, which somebody would have to undo. */
#define RAM_DISK_LOOK "ram look"
void ram_disk_look(void);

/* At the operation number `after` from now on (1: the next one) the power goes; 0: at once. What is then found on the
 * disk follows from the seed. Nothing works until ram_disk_start, and what was open then never works again. */
void ram_disk_cut_power(uint32_t after, uint64_t seed);

/* The program that had files open is killed: nothing is lost but what it had not written yet. */
void ram_disk_kill(void);

/* Whether the power is off, or the program killed; and back to work, with nothing that is to happen. */
bool ram_disk_is_off(void);
void ram_disk_start(void);

/* The operation number `after` from now on, and all behind it, fail with this code of SQLite, until the disk is mended
 * (or forgotten). */
void ram_disk_fail(uint32_t after, int code);
void ram_disk_mend(void);

/* Operations so far. */
uint64_t ram_disk_operations(void);

#endif
