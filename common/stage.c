/* Files that processes of a user share; see stage.h. */
#include "common/stage.h"

#include "common/mem.h"
#include "common/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 16, MOST_LOOKED_AT = 10000 /* names in a crowded directory */ };

static const char *base_of(enum stage_place place)
{
    const char *local = getenv("TMPDIR");
    return place == STAGE_SHM ? "/dev/shm" : local && *local == '/' ? local : "/tmp";
}

static char *path_of(enum stage_place place)
{
    return mem_format("%s/gannet-data-%lu", base_of(place), (unsigned long)geteuid());
}

/* In somebody else's directory, or in one where everybody may rename what is ours, it could be exchanged. */
static int check_base(const char *base, struct err *err)
{
    struct stat at;
    if (stat(base, &at))
        return err_errno(err, "can't look at %s", base);
    if ((at.st_uid != geteuid() && at.st_uid != 0) || ((at.st_mode & 022) && !(at.st_mode & S_ISVTX)))
        return err_set(err, "%s belongs to somebody else, or anybody may rename what is in it", base);
    return 0;
}

/* Opens a directory that is there; -1 with errno, EPERM when it is not this user's alone. */
static int open_ours(const char *path)
{
    struct stat at;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, &at) == 0 && at.st_uid == geteuid() && !(at.st_mode & 077)))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

/* Another process may remove it between the two, since it is empty. */
static int make_and_open(const char *path, struct err *err)
{
    enum { TIMES = 1000 };
    int fd = -1;
    errno = ENOENT;
    for (int i = 0; fd < 0 && errno == ENOENT && i < TIMES; i++)
        if (mkdir(path, 0700) == 0 || errno == EEXIST)
            fd = open_ours(path);
    if (fd >= 0)
        return fd;
    err_write_errno(err, "can't make or open the directory %s", path);
    struct err why;
    if (path_exists(path) && path_check_private(path, &why))
        *err = why;
    return -1;
}

int stage_open(enum stage_place place, char **path, struct err *err)
{
    *path = path_of(place);
    int fd = check_base(base_of(place), err) ? -1 : make_and_open(*path, err);
    if (fd >= 0)
        return fd;
    free(*path);
    *path = NULL;
    return -1;
}

bool stage_is_named(int directory, const char *name, int fd)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

void stage_drop(int directory, const char *name, int fd)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && stage_is_named(directory, name, fd))
        (void)unlinkat(directory, name, 0);
}

/* --- what nobody uses --- */

static bool is_staged(const char *name)
{
    size_t digits = strspn(name, "0123456789abcdef");
    return digits == DIGITS && (!name[digits] || strcmp(name + digits, STAGE_PART) == 0);
}

/* Whether it is still there. */
static bool sweep_file(int directory, const char *name)
{
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    stage_drop(directory, name, fd);
    bool is_there = stage_is_named(directory, name, fd);
    close(fd);
    return is_there;
}

static int sweep_directory(int directory)
{
    int left = 0;
    struct dirent *entry;
    DIR *list = fdopendir(directory);
    if (!list)
        close(directory);
    for (int i = 0; list && i < MOST_LOOKED_AT && (entry = readdir(list)); i++)
        if (is_staged(entry->d_name))
            left += sweep_file(directory, entry->d_name);
    if (list)
        closedir(list);
    return left;
}

int stage_sweep(void)
{
    int left = 0;
    for (int place = 0; place < STAGE_PLACES; place++) {
        char *path = path_of((enum stage_place)place);
        int directory = open_ours(path);
        if (directory >= 0) {
            left += sweep_directory(directory);
            (void)rmdir(path); /* if it is empty */
        }
        free(path);
    }
    return left;
}
