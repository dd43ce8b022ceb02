/* See file_watch.h. */
#include "worker/data/file_watch.h"

#include <stddef.h>

struct file_watch file_watch_begin(const char *path)
{
    struct file_watch watch = {.path = path};
    if (path && stat(path, &watch.before))
        watch.path = NULL; /* who opens it says why */
    return watch;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

int file_watch_end(const struct file_watch *watch, int result, struct err *err)
{
    struct stat now;
    if (!watch->path || (stat(watch->path, &now) == 0 && is_same(&now, &watch->before)))
        return result;
    return err_set(err,
                   "%s: was changed or replaced while it was read; run it again when the file is whole, and leave data "
                   "alone while a search uses them",
                   watch->path);
}
