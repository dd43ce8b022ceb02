/* Names of functions that a process makes as it runs: CPython from 3.12 on with PYTHONPERFSUPPORT=1, Julia, Node and
 * others write them into /tmp/perf-PID.map, a line a function: "START SIZE NAME", the numbers hexadecimal. The file
 * grows while the process runs. */
#ifndef GANNET_CLI_FLAME_PERF_MAP_H
#define GANNET_CLI_FLAME_PERF_MAP_H

#include "cli/flame/symbols.h"
#include "common/buf.h"

#include <sys/types.h>

enum {
    PERF_MAP_LARGEST = 64 << 20, /* bytes that are read of a file */
    PERF_MAP_MOST = 1000000      /* functions */
};

/* {0} has read nothing. */
struct perf_map {
    struct symbols functions;
    uint64_t read;   /* bytes of the file so far */
    struct buf rest; /* the beginning of a line */
    bool is_there;
};

/* Reads what the file has more than the last time. It must belong to `owner` and be a regular file, no link: everybody
 * can put files into /tmp. */
void perf_map_read(struct perf_map *map, const char *path, uid_t owner);

/* Takes some of its text. Lines that are none are passed over. */
void perf_map_take(struct perf_map *map, const char *text, size_t length);
void perf_map_fini(struct perf_map *map);

#endif
