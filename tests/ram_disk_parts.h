/* What the files of the disk in memory have in common: ram_disk.c has the files and what becomes of them,
 * ram_disk_vfs.c is what SQLite calls, ram_memory.c is where SQLite's memory comes from. */
#ifndef GANNET_TESTS_RAM_DISK_PARTS_H
#define GANNET_TESTS_RAM_DISK_PARTS_H

#include "tests/ram_disk.h"

enum { RAM_FILES = 16 };

/* A write or, with no bytes, a truncation that was not synced yet. */
struct ram_write {
    char *bytes;
    size_t length, offset;
};

/* A file by its name. One that was deleted stays until its directory is synced: a power cut may bring it back. */
struct ram_file {
    char *name;        /* NULL: this place is free */
    bool exists;       /* for programs */
    bool linked;       /* its name is on the disk */
    struct buf synced; /* what is on the disk for certain */
    struct buf now;    /* what programs see */
    struct ram_write *writes;
    size_t count, capacity;
};

/* The disk of this program. */
struct ram_disk {
    struct ram_file files[RAM_FILES];
    uint64_t life, operations;
    bool off;
    uint32_t cut_after; /* 0: the power stays */
    uint64_t cut_seed;
    uint32_t fail_after; /* 0: nothing is to fail */
    int code;
};

extern struct ram_disk ram_disk;

/* The file of this name that programs see (NULL: none); a new one (NULL: there are too many). */
struct ram_file *ram_file_find(const char *name);
struct ram_file *ram_file_make(const char *name);
void ram_file_forget(struct ram_file *file);
void ram_file_forget_writes(struct ram_file *file);

/* Does a write or truncation to the bytes of a file. */
void ram_file_apply(struct buf *to, const struct ram_write *write);

/* Names that were made and deleted are so for certain. */
void ram_disk_sync_directory(void);

/* Before SQLite is first used. */
void ram_memory_install(void);

/* An operation is to happen: SQLITE_OK, or the code that it fails with. */
int ram_disk_operate(void);

#endif
