/* Reading the names of functions that were made; see perf_map.h. */
#include "cli/flame/perf_map.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_LONGEST = 4096 };

/* A hexadecimal number and the space behind it; NULL: there is none. */
static const char *read_number(const char *at, uint64_t *out)
{
    char *end;
    if (!isxdigit((unsigned char)*at))
        return NULL;
    *out = strtoull(at, &end, 16);
    return *end == ' ' ? end + 1 : NULL;
}

static void take_line(struct perf_map *map, const char *line)
{
    uint64_t start, size;
    const char *at = read_number(line, &start);
    at = at ? read_number(at, &size) : NULL;
    if (at && *at && size && start <= UINT64_MAX - size && map->functions.count < PERF_MAP_MOST)
        symbols_add(&map->functions, start, size, at, strlen(at));
}

void perf_map_take(struct perf_map *map, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n') {
            take_line(map, buf_str(&map->rest));
            buf_clear(&map->rest);
        } else if (map->rest.length < LINE_LONGEST) {
            buf_add(&map->rest, &text[i], 1);
        }
    symbols_sort(&map->functions);
}

/* The file, when it is one that its owner wrote; else -1. */
static int open_map(const char *path, uid_t owner, uint64_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == owner && !(status.st_mode & 022)) {
        *size = (uint64_t)status.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

void perf_map_read(struct perf_map *map, const char *path, uid_t owner)
{
    char bytes[65536];
    uint64_t size = 0;
    ssize_t got;
    int fd = open_map(path, owner, &size);
    if (fd < 0)
        return;
    map->is_there = true;
    size = size < PERF_MAP_LARGEST ? size : PERF_MAP_LARGEST;
    struct buf more = {0};
    while (map->read < size && (got = pread(fd, bytes, sizeof bytes, (off_t)map->read)) > 0) {
        buf_add(&more, bytes, (size_t)got);
        map->read += (uint64_t)got;
    }
    close(fd);
    if (more.length)
        perf_map_take(map, more.data, more.length);
    buf_fini(&more);
}

void perf_map_fini(struct perf_map *map)
{
    symbols_fini(&map->functions);
    buf_fini(&map->rest);
}
