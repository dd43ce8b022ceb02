/* Which format a file has; see read.h. */
#include "worker/data/read.h"

#include "common/path.h"
#include "worker/data/bytes.h"
#include "worker/data/file_watch.h"

#include <string.h>

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), own = strlen(end);
    return length > own && strcmp(path + length - own, end) == 0;
}

static int read_file(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    if (bytes_magic(part->file, magic, err))
        return -1;
    return (arrays_are_in(part->file, magic) ? read_arrays : read_csv)(data, part, err);
}

int read_part(struct dataset *data, const struct dataset_part *part, struct err *err)
{
    if (path_is_directory(part->file) || ends_with(part->file, ".bin"))
        return read_cifar(data, part, err);
    struct file_watch file = file_watch_begin(part->file), labels = file_watch_begin(part->labels);
    return file_watch_end(&file, file_watch_end(&labels, read_file(data, part, err), err), err);
}
