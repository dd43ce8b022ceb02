/* Which format a file has; see read.h. */
#include "worker/data/read.h"
#include "common/path.h"

#include <stddef.h>
#include <string.h>

static int read_file(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    if (bytes_magic(part->file, magic, err))
        return -1;
    return (arrays_are_in(part->file, magic) ? read_arrays : read_csv)(data, part, err);
}

int read_part(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    if (path_is_directory(part->file) || path_ends_with(part->file, ".bin"))
        return read_cifar(data, part, err);
    struct file_watch file = file_watch_begin(part->file), labels = file_watch_begin(part->labels);
    return file_watch_end(&file, file_watch_end(&labels, read_file(data, part, err), err), err);
}

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
