/* The directory of local sockets: a new one each time, whose name nobody can guess; see sockets.h.
 *
 * Its maker holds a flock of the directory itself, which goes with the process however it ends. So whoever makes the
 * next one can remove those that dead processes of the same user left behind, and systemd-tmpfiles, which clears
 * /tmp of what is old, passes over those of living ones. */
#include "common/sockets.h"
#include "common/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST_BASE = 60,     /* bytes: sun_path has 108, our part of it at most 40 */
    ATTEMPTS = 10,         /* somebody else's sweep may take one that we had not locked yet */
    TEMPLATE_SIZE = 32,    /* bytes of "gannet-1000-XXXXXX" at most, */
    RANDOM_LETTERS = 6,    /* of which so many are mkdtemp's */
    MOST_LOOKED_AT = 10000 /* names in a crowded directory: the rest waits for the next one */
};

static const char *const socket_names[] = {"workers", "control", "programs"};

/* In somebody else's directory, or in one where everybody may rename what is ours, the sockets could be taken away. */
static bool is_usable_base(const char *base)
{
    struct stat at;
    if (!base || *base != '/' || strlen(base) > LONGEST_BASE || stat(base, &at) || access(base, W_OK | X_OK))
        return false;
    return (at.st_uid == geteuid() || at.st_uid == 0) && (!(at.st_mode & 022) || at.st_mode & S_ISVTX);
}

static const char *choose_base(void)
{
    const char *const bases[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR")};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        if (is_usable_base(bases[i]))
            return bases[i];
    return "/tmp";
}

static void write_template(char out[TEMPLATE_SIZE])
{
    snprintf(out, TEMPLATE_SIZE, "gannet-%lu-XXXXXX", (unsigned long)geteuid());
}

/* --- what the dead left --- */

/* Opens a directory below `base` that is ours and not a link, and takes its lock; -1: it is not ours, or in use. */
static int take_directory(int base, const char *name)
{
    struct stat at;
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &at) == 0 && at.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Other programs name the files in there, which are plain ones and sockets. */
static void remove_mps(int directory)
{
    struct dirent *entry;
    int fd = openat(directory, SOCKETS_MPS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    while (list && (entry = readdir(list)))
        (void)unlinkat(fd, entry->d_name, 0);
    if (list)
        closedir(list);
    else if (fd >= 0)
        close(fd);
    (void)unlinkat(directory, SOCKETS_MPS, AT_REMOVEDIR);
}

/* A directory in which there is anything but our sockets stays. */
static void remove_directory(int base, const char *name, int fd)
{
    for (size_t i = 0; i < sizeof socket_names / sizeof *socket_names; i++)
        (void)unlinkat(fd, socket_names[i], 0);
    remove_mps(fd);
    (void)unlinkat(base, name, AT_REMOVEDIR);
}

static void sweep_directory(int base, const char *name)
{
    int fd = take_directory(base, name);
    if (fd < 0)
        return;
    remove_directory(base, name, fd);
    close(fd);
}

/* Other names, such as those of earlier versions, whose coordinators hold no lock of theirs, are not ours. */
static void sweep_base(const char *path)
{
    char template[TEMPLATE_SIZE];
    DIR *base = opendir(path);
    write_template(template);
    size_t length = strlen(template);
    struct dirent *entry;
    for (int i = 0; base && i < MOST_LOOKED_AT && (entry = readdir(base)); i++)
        if (strlen(entry->d_name) == length && strncmp(entry->d_name, template, length - RANDOM_LETTERS) == 0)
            sweep_directory(dirfd(base), entry->d_name);
    if (base)
        closedir(base);
}

void sockets_sweep(void)
{
    sweep_base(choose_base());
}

/* --- ours --- */

/* Whether the open directory is still the one of that name: a sweep may have come between its making and its lock. */
static bool is_still_there(int fd, const char *path)
{
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

/* -1: it can't be made, or was taken away at once. */
static int make_directory(const char *base, struct sockets *out)
{
    char template[TEMPLATE_SIZE];
    write_template(template);
    out->path = path_join(base, template);
    out->fd = mkdtemp(out->path) ? open(out->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    if (out->fd >= 0 && flock(out->fd, LOCK_EX) == 0 && is_still_there(out->fd, out->path))
        return 0;
    return -1;
}

int sockets_make(struct sockets *out, struct err *err)
{
    const char *base = choose_base();
    sweep_base(base);
    for (int i = 0; i < ATTEMPTS; i++) {
        if (make_directory(base, out) == 0)
            return 0;
        err_write_errno(err, "can't make a directory for the sockets below '%s'; TMPDIR may name another place", base);
        if (out->fd >= 0)
            close(out->fd);
        free(out->path);
        *out = (struct sockets){.fd = -1};
    }
    return -1;
}

void sockets_remove(struct sockets *sockets)
{
    if (!sockets->path)
        return;
    char *base = path_directory(sockets->path);
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        remove_directory(fd, path_base(sockets->path), sockets->fd);
        close(fd);
    }
    close(sockets->fd);
    free(base);
    free(sockets->path);
    *sockets = (struct sockets){.fd = -1};
}
