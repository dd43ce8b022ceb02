/* What the disk or file server that a directory lies on can do at most, by files that are written and read without the
 * system's memory for files. Kept as limits of cores are, for each file system by its kind, source and place. */
#ifndef GANNET_WORKER_LIMITS_DISK_H
#define GANNET_WORKER_LIMITS_DISK_H

#include "common/err.h"

#include <jansson.h>
#include <stdbool.h>

/* Bytes a second; NAN: not known. */
struct disk_limits {
    double write; /* of one file, up to the moment at which it is safe */
    double read;  /* of one file that is not in memory */
};

/* Writes and reads a file of 64 MiB in the directory three times, which has no name. Unknown is the reading where the
 * system keeps files in memory all the same. -1 with a sentence. */
int disk_measure(const char *directory, struct disk_limits *out, struct err *err);

/* Where the path lies: "ext4, /dev/vda1 on /"; free() it. NULL: it is not there, or the system does not say. */
char *disk_place(const char *path);

/* What is kept for the file system of the path; false: nothing is. */
bool disk_load(const char *path, struct disk_limits *out);

/* Keeps it. -1 with a sentence. */
int disk_keep(const char *path, const struct disk_limits *disk, struct err *err);

/* The better of both, number by number. */
void disk_raise(struct disk_limits *disk, const struct disk_limits *more);

/* {write, read}; null stands for what is not known. */
json_t *disk_json(const struct disk_limits *disk);

#endif
