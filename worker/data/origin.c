/* See origin.h. */
#include "worker/data/origin.h"

#include "common/mem.h"
#include "common/path.h"
#include "worker/data/generate.h"
#include "worker/data/packed.h"
#include "worker/data/read.h"

#include <stdlib.h>
#include <sys/stat.h>

/* A changed file has another time of its inode, even where somebody has set back that of its contents. */
static int add_file(const char *path, struct buf *out)
{
    struct stat at;
    char *absolute = path_absolute(path);
    int result = stat(absolute, &at);
    if (result == 0)
        buf_format(out, "file %s: device %llu, inode %llu, %lld bytes, %lld.%09ld, %lld.%09ld\n", absolute,
                   (unsigned long long)at.st_dev, (unsigned long long)at.st_ino, (long long)at.st_size,
                   (long long)at.st_mtim.tv_sec, at.st_mtim.tv_nsec, (long long)at.st_ctim.tv_sec, at.st_ctim.tv_nsec);
    free(absolute);
    return result;
}

static int add_files(const struct dataset_source *source, struct buf *out)
{
    struct texts paths = {0};
    char *file = path_join(source->base, source->file);
    int result = 0;
    read_parts_list(file, source, &paths);
    for (size_t i = 0; i < paths.count && result == 0; i++)
        result = add_file(paths.items[i], out);
    texts_fini(&paths);
    free(file);
    return result;
}

static void add_generator(const struct dataset_source *source, struct buf *out)
{
    char *made = source->file ? NULL : json_dumps(source->made, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    buf_format(out, "made: %s\n", source->file ? source->file : made ? made : "?");
    free(made);
}

int origin_write(const struct dataset_source *source, struct buf *out)
{
    buf_format(out, "gannet %s, packed data %d\n", GANNET_VERSION, PACKED_VERSION);
    if (!source->file || generate_named(source->file))
        add_generator(source, out);
    else if (add_files(source, out))
        return -1;
    buf_format(out, "label: %s\narray: %s\nvalidation_data: %s\n", source->label, source->array,
               source->validation_data);
    buf_format(out, "numbers: %d\nmissing: %d\nvalidation: %.17g\nstratified: %d\nsplit_seed: %llu\nscaling: %d\n",
               source->numbers, source->missing, source->validation, source->stratified,
               (unsigned long long)source->split_seed, (int)source->scaling);
    buf_format(out, "padding: %d, %.9g, %d, %zu\n", (int)source->padding.kind, (double)source->padding.number,
               source->padding.tokens, source->padding.steps);
    return 0;
}
