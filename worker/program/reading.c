/* Reading behind; see reading.h. */
#include "worker/program/reading.h"
#include "common/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct metrics_file {
    char *path;
    int fd;      /* -1: not open */
    off_t taken; /* how far it was read */
};

/* A file is read short at its end only. */
bool reading_part(int fd, off_t *taken, struct printed *printed, enum printed_stream stream)
{
    enum { PART = 4 << 20 }; /* read and searched in about 10 ms, a turn of the loop */
    char bytes[8192];        /* compilers are told to clear it, each time */
    for (size_t read = 0; read < PART;) {
        ssize_t length = pread(fd, bytes, sizeof bytes, *taken);
        if (length < 0 && errno == EINTR)
            continue;
        if (length <= 0)
            return false;
        *taken += length;
        printed_read(printed, stream, bytes, (size_t)length);
        if ((size_t)length < sizeof bytes)
            return false;
        read += (size_t)length;
    }
    return true;
}

struct metrics_file *metrics_file_create(const char *directory, const char *name, uint32_t attempt, bool goes_on)
{
    struct metrics_file *file = MEM_NEW(struct metrics_file);
    struct stat found;
    file->path = mem_format("%s/%s", directory, name);
    file->fd = -1;
    if (lstat(file->path, &found))
        return file;
    if (goes_on) {
        file->taken = found.st_size;
        return file;
    }
    char *aside = mem_format("%s.%u", file->path, attempt - 1);
    if (rename(file->path, aside))
        file->taken = found.st_size; /* what can't be moved is at least not taken for this attempt's */
    free(aside);
    return file;
}

void metrics_file_destroy(struct metrics_file *file)
{
    if (!file)
        return;
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file);
}

/* Opens the file that is there now, if it is another than the open one. A pipe would hold up the worker. */
static void open_present(struct metrics_file *file, struct printed *printed)
{
    struct stat at, open_one;
    if (stat(file->path, &at) || !S_ISREG(at.st_mode))
        return;
    bool known = file->fd >= 0 && fstat(file->fd, &open_one) == 0;
    if (known && at.st_ino == open_one.st_ino && at.st_dev == open_one.st_dev)
        return;
    int fd = open(file->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (file->fd >= 0) {
        close(file->fd);
        file->taken = 0;
        printed_forget(printed, PRINTED_FILE);
    }
    file->fd = fd;
}

bool metrics_file_part(struct metrics_file *file, struct printed *printed)
{
    struct stat at;
    open_present(file, printed);
    if (file->fd < 0 || fstat(file->fd, &at))
        return false;
    if (at.st_size < file->taken) {
        file->taken = 0;
        printed_forget(printed, PRINTED_FILE);
    }
    return reading_part(file->fd, &file->taken, printed, PRINTED_FILE);
}
