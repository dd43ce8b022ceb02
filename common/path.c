/* Files and directories, the careful way; see path.h. */
#include "common/path.h"
#include "common/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_join(const char *a, const char *b)
{
    size_t length = strlen(a);
    if (*b == '/' || !length)
        return mem_text(b);
    return mem_format(a[length - 1] == '/' ? "%s%s" : "%s/%s", a, b);
}

char *path_absolute(const char *path)
{
    if (*path == '/')
        return mem_text(path);
    char *here = getcwd(NULL, 0);
    char *absolute = path_join(here ? here : "/", path);
    free(here);
    return absolute;
}

char *path_directory(const char *path)
{
    const char *base = path_base(path);
    if (base == path)
        return mem_text(".");
    size_t length = (size_t)(base - path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return mem_text_n(path, length);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);
    return length > own && strcmp(path + length - own, ending) == 0;
}

bool path_is_directory(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && S_ISDIR(at.st_mode);
}

static int make_one(const char *path, unsigned mode, struct err *err)
{
    if (mkdir(path, mode) == 0)
        return 0;
    int why = errno;
    if (path_is_directory(path)) /* whatever mkdir said: some filesystems refuse before they look */
        return 0;
    errno = why == EEXIST ? ENOTDIR : why;
    return err_errno(err, "can't make the directory '%s'", path);
}

int path_make_directory(const char *path, unsigned mode, struct err *err)
{
    if (mkdir(path, (mode_t)mode) == 0)
        return 0; /* the usual case: what it lies in is there */
    char *part = mem_text(path);
    int result = 0;
    for (char *slash = strchr(part + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        result = make_one(part, 0777, err);
        *slash = '/';
    }
    if (result == 0)
        result = make_one(part, mode, err);
    free(part);
    return result;
}

int path_check_private(const char *path, struct err *err)
{
    struct stat at;
    if (lstat(path, &at))
        return err_errno(err, "can't look at the directory '%s'", path);
    if (S_ISLNK(at.st_mode))
        return err_set(err, "'%s' is a symbolic link; name the directory itself", path);
    if (!S_ISDIR(at.st_mode))
        return err_set(err, "'%s' is no directory", path);
    if (at.st_uid != geteuid())
        return err_set(err, "the directory '%s' belongs to user %u, not to this one; use a directory of your own", path,
                       (unsigned)at.st_uid);
    if (at.st_mode & 077)
        return err_set(err, "the directory '%s' is open to others (mode %04o); close it with: chmod 700 '%s'", path,
                       (unsigned)at.st_mode & 07777, path);
    return 0;
}

int path_check_ours(const char *path, struct err *err)
{
    struct stat at;
    if (stat(path, &at))
        return err_errno(err, "can't look at the directory '%s'", path);
    if (at.st_uid != geteuid() && geteuid() != 0)
        return err_set(err, "the directory '%s' belongs to user %u, not to this one", path, (unsigned)at.st_uid);
    if (at.st_mode & 022)
        return err_set(err, "others may write to the directory '%s' (mode %04o); close it with: chmod go-w '%s'", path,
                       (unsigned)at.st_mode & 07777, path);
    return 0;
}

static int read_all(int fd, struct buf *out, size_t limit, const char *path, struct err *err)
{
    char chunk[16384];
    for (;;) {
        ssize_t count = read(fd, chunk, sizeof chunk);
        if (count == 0)
            return 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return err_errno(err, "can't read '%s'", path);
        if ((size_t)count > limit - out->length)
            return err_set(err, "'%s' is larger than %zu bytes", path, limit);
        buf_add(out, chunk, (size_t)count);
    }
}

int path_read(const char *path, struct buf *out, size_t limit, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_errno(err, "can't open '%s'", path);
    buf_clear(out);
    int result = read_all(fd, out, limit, path, err);
    close(fd);
    return result;
}

static int check_owner(int fd, uid_t owner, const char *path, struct err *err)
{
    struct stat at;
    if (fstat(fd, &at))
        return err_errno(err, "can't look at '%s'", path);
    if (!S_ISREG(at.st_mode))
        return err_set(err, "'%s' is no regular file", path);
    if (at.st_uid != owner)
        return err_set(err, "'%s' belongs to user %u, not to user %u: it is not read", path, (unsigned)at.st_uid,
                       (unsigned)owner);
    if (at.st_mode & 022)
        return err_set(err, "others may write to '%s' (mode %04o): it is not read; close it with: chmod go-w '%s'",
                       path, (unsigned)at.st_mode & 07777, path);
    return 0;
}

int path_read_of(uid_t owner, const char *path, struct buf *out, size_t limit, struct err *err)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno == ELOOP)
        return err_set(err, "'%s' is a symbolic link: it is not followed", path);
    if (fd < 0)
        return err_errno(err, "can't open '%s'", path);
    buf_clear(out);
    int result = check_owner(fd, owner, path, err) ? -1 : read_all(fd, out, limit, path, err);
    close(fd);
    return result;
}

int path_write_all(int fd, const void *bytes, size_t length)
{
    for (const char *at = bytes; length;) {
        ssize_t count = write(fd, at, length);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -1;
        at += count;
        length -= (size_t)count;
    }
    return 0;
}

int path_sync_directory(const char *path)
{
    char *directory = path_directory(path);
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (fd < 0)
        return -1;
    int result = fsync(fd);
    close(fd);
    return result;
}

/* Fills the new file and puts it in the place of the old one. */
static int write_and_rename(int fd, const char *temporary, const char *path, const void *bytes, size_t length,
                            unsigned mode)
{
    if (fchmod(fd, mode) || path_write_all(fd, bytes, length) || fsync(fd) || rename(temporary, path))
        return -1;
    return path_sync_directory(path);
}

int path_write(const char *path, const void *bytes, size_t length, unsigned mode, struct err *err)
{
    char *temporary = mem_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC); /* 0600 and new, whatever lies there */
    if (fd < 0) {
        free(temporary);
        return err_errno(err, "can't write '%s'", path);
    }
    int result = write_and_rename(fd, temporary, path, bytes, length, mode);
    if (result) {
        err_write_errno(err, "can't write '%s'", path);
        unlink(temporary);
    }
    close(fd);
    free(temporary);
    return result;
}

static int write_into(const char *path, const void *bytes, size_t length, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    int failed = fd < 0 || path_write_all(fd, bytes, length);
    if (fd >= 0 && close(fd))
        failed = 1;
    return failed ? err_errno(err, "can't write '%s'", path) : 0;
}

int path_put(const char *path, const void *bytes, size_t length, unsigned mode, struct err *err)
{
    struct stat at;
    if (stat(path, &at) == 0 && !S_ISREG(at.st_mode))
        return write_into(path, bytes, length, err);
    char *target = realpath(path, NULL);
    int failed = path_write(target ? target : path, bytes, length, mode, err);
    free(target);
    return failed;
}

bool path_exists(const char *path)
{
    struct stat at;
    return lstat(path, &at) == 0;
}

bool path_is_file(const char *path)
{
    struct stat at;
    return stat(path, &at) == 0 && S_ISREG(at.st_mode);
}

static int remove_one(const char *path, const struct stat *at, int kind, struct FTW *where)
{
    (void)at, (void)kind, (void)where;
    return remove(path) && errno != ENOENT ? -1 : 0;
}

int path_remove_tree(const char *path, struct err *err)
{
    enum { OPEN_DIRECTORIES = 32 };
    if (nftw(path, remove_one, OPEN_DIRECTORIES, FTW_DEPTH | FTW_PHYS) && errno != ENOENT)
        return err_errno(err, "can't remove '%s'", path);
    return 0;
}

char *path_program_directory(void)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return mem_text(".");
    program[length] = '\0'; /* " (deleted)" behind it, after an upgrade, is in the last part and goes with it */
    return path_directory(program);
}

/* `part` of the program's directory when there is such a file, or NULL. */
static char *find_beside(const char *part, const char *name)
{
    char *here = path_program_directory(), *path = mem_format("%s/%s/%s", here, part, name);
    free(here);
    if (path_exists(path))
        return path;
    free(path);
    return NULL;
}

char *path_of_module(const char *name)
{
    char *path = find_beside("..", name);
    if (!path)
        path = find_beside("../lib/gannet", name);
    return path ? path : mem_format(GANNET_PREFIX "/lib/gannet/%s", name);
}
