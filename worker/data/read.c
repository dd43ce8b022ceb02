/* Which format a file has; see read.h. */
#include "worker/data/read.h"

#include "worker/data/bytes.h"

#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), own = strlen(end);
    return length > own && strcmp(path + length - own, end) == 0;
}

static bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* A table in a CSV file begins with none of these. */
static const struct {
    size_t length;
    const char *magic;
    int (*read)(struct dataset *data, const struct part *part, struct err *err);
} formats[] = {
    {6, "\x93NUMPY", read_npy}, {4, "PK\3\4", read_npz}, {4, "PK\5\6", read_npz}, /* an empty archive */
    {2, "\x1f\x8b", read_idx},  {2, "\0\0", read_idx},
};
enum { FORMATS = sizeof formats / sizeof *formats };

int read_part(struct dataset *data, const struct part *part, struct err *err)
{
    unsigned char magic[BYTES_MAGIC];
    if (is_directory(part->file) || ends_with(part->file, ".bin"))
        return read_cifar(data, part, err);
    if (bytes_magic(part->file, magic, err))
        return -1;
    for (int i = 0; i < FORMATS; i++)
        if (memcmp(magic, formats[i].magic, formats[i].length) == 0)
            return formats[i].read(data, part, err);
    return read_csv(data, part, err);
}
