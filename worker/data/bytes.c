/* Files as rows of bytes; see bytes.h. */
#include "worker/data/bytes.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opening a pipe would wait for its other end, a directory has no bytes. */
static FILE *open_regular(const char *path, uint64_t *length, struct err *err)
{
    struct stat about;
    FILE *file = NULL;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        err_write(err, "%s is no regular file", path);
    else if (!(file = fopen(path, "re")) || fstat(fileno(file), &about))
        err_write_errno(err, "can't open %s", path);
    else
        *length = (uint64_t)about.st_size;
    return file;
}

static long pull_plain(void *self, void *to, size_t size, struct err *err)
{
    size_t count = fread(to, 1, size, self);
    return count == 0 && ferror((FILE *)self) ? err_errno(err, "can't read on") : (long)count;
}

static void shut_plain(void *self)
{
    fclose(self);
}

int bytes_magic(const char *path, unsigned char magic[BYTES_MAGIC], struct err *err)
{
    uint64_t length;
    FILE *file = open_regular(path, &length, err);
    memset(magic, 0, BYTES_MAGIC);
    if (!file)
        return -1;
    size_t count = fread(magic, 1, BYTES_MAGIC, file);
    int result = count ? 0 : ferror(file) ? err_errno(err, "can't read %s", path) : err_set(err, "%s: is empty", path);
    fclose(file);
    return result;
}

int bytes_open(struct bytes *bytes, const char *path, struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    *bytes = (struct bytes){0};
    if (bytes_magic(path, magic, err))
        return -1;
    if (magic[0] == 0x1f && magic[1] == 0x8b)
        return bytes_open_gzip(bytes, path, err);
    *bytes = (struct bytes){.name = path, .pull = pull_plain, .shut = shut_plain};
    bytes->self = open_regular(path, &bytes->length, err);
    return bytes->self ? 0 : -1;
}

void bytes_close(struct bytes *bytes)
{
    if (bytes->self)
        bytes->shut(bytes->self);
    *bytes = (struct bytes){0};
}

int bytes_read(struct bytes *bytes, void *to, size_t size, struct err *err)
{
    for (size_t done = 0; done < size;) {
        long count = bytes->pull(bytes->self, (char *)to + done, size - done, err);
        if (count < 0)
            return err_prefix(err, "%s: byte %llu", bytes->name, (unsigned long long)bytes->at);
        if (count == 0)
            return err_set(err, "%s: ends at byte %llu, where more was expected; is it whole?", bytes->name,
                           (unsigned long long)bytes->at);
        done += (size_t)count;
        bytes->at += (uint64_t)count;
    }
    return 0;
}

int bytes_end(struct bytes *bytes, struct err *err)
{
    char more;
    long count = bytes->pull(bytes->self, &more, 1, err);
    if (count < 0)
        return err_prefix(err, "%s: byte %llu", bytes->name, (unsigned long long)bytes->at);
    return count ? err_set(err, "%s: goes on behind byte %llu, where its header says that it ends", bytes->name,
                           (unsigned long long)bytes->at)
                 : 0;
}

int bytes_promise(const struct bytes *bytes, uint64_t more, double memory, const char *what, struct err *err)
{
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    uint64_t left = bytes->length - bytes->at;
    if (bytes->length != BYTES_UNKNOWN && more != left)
        return err_set(
            err, "%s: its header says that %s follow, %llu bytes from byte %llu on; there are %llu. Is it whole?",
            bytes->name, what, (unsigned long long)more, (unsigned long long)bytes->at, (unsigned long long)left);
    if (memory > 0.9 * there)
        return err_set(err, "%s: %s take %.1f GiB of memory as floats; this machine has %.1f", bytes->name, what,
                       memory / 0x1p30, there / 0x1p30);
    return 0;
}
