/* A file that is written and read; see disk.h. */
#include "worker/limits/disk.h"

#include "common/clock.h"
#include "common/json.h"
#include "common/mem.h"
#include "common/path.h"
#include "worker/limits/kept_file.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20, PIECES = 64, TIMES = 3, PAGE = 4096 };

/* --- measuring --- */

/* Others use the disk as well: the best of all times. */
static double better(double best, double seconds)
{
    double rate = seconds > 0 ? (double)PIECE * PIECES / seconds : NAN;
    return fmax(best, rate); /* of a number and NAN the number */
}

/* Numbers that no file system makes smaller. */
static void fill_piece(char *piece, unsigned seed)
{
    uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1);
    for (size_t at = 0; at < PIECE; at += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(piece + at, &state, sizeof state);
    }
}

static int write_pieces(int fd, char *piece)
{
    for (int i = 0; i < PIECES; i++) {
        memcpy(piece, &i, sizeof i); /* no two pieces are the same */
        if (path_write_all(fd, piece, PIECE))
            return -1;
    }
    return fdatasync(fd);
}

/* Around the system's memory for files, which may hold all of it; what refuses that is not measured. */
static double time_reading(int written, char *piece)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", written); /* it has no name any more */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
    double began = clock_monotonic();
    size_t all = 0;
    ssize_t length = 0;
    while (fd >= 0 && (length = read(fd, piece, PIECE)) > 0)
        all += (size_t)length;
    double seconds = clock_monotonic() - began;
    if (fd >= 0)
        close(fd);
    return all == (size_t)PIECE * PIECES ? seconds : NAN;
}

static int measure_once(int fd, const char *path, char *piece, struct disk_limits *out, struct err *err)
{
    if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) < 0)
        return err_errno(err, "can't begin %s anew", path);
    double began = clock_monotonic();
    if (write_pieces(fd, piece))
        return err_errno(err, "can't write %d MiB to %s", PIECES, path);
    out->write = better(out->write, clock_monotonic() - began);
    out->read = better(out->read, time_reading(fd, piece));
    return 0;
}

int disk_measure(const char *directory, struct disk_limits *out, struct err *err)
{
    char *path = mem_format("%s/.gannet-calibrate.XXXXXX", directory), *piece = NULL;
    int fd = mkostemp(path, O_CLOEXEC), failed = 0;
    *out = (struct disk_limits){NAN, NAN};
    if (fd < 0)
        failed = err_errno(err, "can't make a file in %s", directory);
    else if (unlink(path)) /* so it is gone however this process ends */
        failed = err_errno(err, "can't remove %s", path);
    else if (posix_memalign((void **)&piece, PAGE, PIECE))
        failed = err_set(err, "no memory for a piece of a file");
    for (int i = 0; i < TIMES && !failed; i++) {
        fill_piece(piece, (unsigned)i);
        failed = measure_once(fd, path, piece, out, err);
    }
    if (fd >= 0)
        close(fd);
    free(piece);
    free(path);
    return failed ? -1 : 0;
}

/* --- which disk --- */

/* Of "36 35 98:0 / /mnt/a rw,noatime master:1 - ext3 /dev/root rw" (proc(5)), escaped as \040 all three. */
struct mount_line {
    char at[PATH_MAX], kind[64], source[PATH_MAX];
};

static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++, to++) {
        bool is_octal = from[0] == '\\' && strspn(from + 1, "01234567") >= 3;
        *to = is_octal ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0') : *from;
        from += is_octal ? 3 : 0;
    }
    *to = '\0';
}

static bool read_mount(const char *line, struct mount_line *out)
{
    const char *rest = strstr(line, " - ");
    if (!rest || sscanf(line, "%*s %*s %*s %*s %4095s", out->at) != 1 ||
        sscanf(rest, " - %63s %4095s", out->kind, out->source) != 2)
        return false;
    unescape(out->at);
    unescape(out->source);
    return true;
}

static bool lies_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    if (strcmp(directory, "/") == 0)
        return true;
    return strncmp(path, directory, length) == 0 && (!path[length] || path[length] == '/');
}

/* The deepest directory that something is mounted on, and the last of those mounted there. */
char *disk_place(const char *path)
{
    char *real = realpath(path, NULL), *line = NULL, *found = NULL;
    FILE *file = real ? fopen("/proc/self/mountinfo", "re") : NULL;
    struct mount_line *mount = MEM_NEW(struct mount_line);
    size_t size = 0, deepest = 0;
    while (file && getline(&line, &size, file) > 0) {
        if (!read_mount(line, mount) || !lies_below(real, mount->at) || strlen(mount->at) < deepest)
            continue;
        deepest = strlen(mount->at);
        free(found);
        found = mem_format("%s, %s on %s", mount->kind, mount->source, mount->at);
    }
    if (file)
        fclose(file);
    free(mount);
    free(line);
    free(real);
    return found;
}

/* --- keeping --- */

/* free() it; NULL: it is not known which disk it is. */
static char *make_key(const char *path)
{
    char *place = disk_place(path), *key = place ? mem_format("disk: %s", place) : NULL;
    free(place);
    return key;
}

bool disk_load(const char *path, struct disk_limits *out)
{
    char *key = make_key(path);
    json_t *json = key ? kept_file_read(key) : NULL;
    *out = (struct disk_limits){kept_number(json, "write"), kept_number(json, "read")};
    bool found = json != NULL;
    json_decref(json);
    free(key);
    return found;
}

int disk_keep(const char *path, const struct disk_limits *disk, struct err *err)
{
    char *key = make_key(path);
    int failed = key ? kept_file_write(key, disk_json(disk), err)
                     : err_set(err, "the system does not say which file system %s lies on", path);
    free(key);
    return failed;
}

void disk_raise(struct disk_limits *disk, const struct disk_limits *more)
{
    disk->write = fmax(disk->write, more->write);
    disk->read = fmax(disk->read, more->read);
}

json_t *disk_json(const struct disk_limits *disk)
{
    return json_pack("{s:o, s:o}", "write", json_of_real(disk->write), "read", json_of_real(disk->read));
}
