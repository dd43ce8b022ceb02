/* Entries of ZIP archives, as numpy.savez writes them; see npy.h. The only file that knows minizip. */
#include "worker/data/npy.h"

#ifdef HAVE_MINIZIP
#include "common/buf.h"
#include "common/mem.h"

#include <minizip/unzip.h>
#include <stdlib.h>
#include <string.h>

static long pull_entry(void *self, void *to, size_t size, struct err *err)
{
    int count = unzReadCurrentFile(self, to, size < 1 << 20 ? (unsigned)size : 1 << 20);
    if (count < 0)
        return err_set(err, "the compressed entry is damaged (zlib's error %d)", count);
    if (count == 0 && unzCloseCurrentFile(self) == UNZ_CRCERROR)
        return err_set(err, "the entry's checksum is another one: the file is damaged");
    return count;
}

static void shut_archive(void *self)
{
    unzCloseCurrentFile(self);
    unzClose(self);
}

static void list_entries(unzFile archive, struct buf *out)
{
    unz_file_info about;
    char name[256];
    for (int code = unzGoToFirstFile(archive), count = 0; code == UNZ_OK && count < 20; count++) {
        if (unzGetCurrentFileInfo(archive, &about, name, sizeof name - 1, NULL, 0, NULL, 0) != UNZ_OK)
            return;
        name[sizeof name - 1] = '\0';
        char *end = strrchr(name, '.');
        if (end && strcmp(end, ".npy") == 0)
            *end = '\0';
        buf_format(out, count ? ", %.60s" : "%.60s", name);
        code = unzGoToNextFile(archive);
    }
}

static const char *find_entry(unzFile archive, const char *const *names)
{
    for (; *names; names++) {
        char *entry = mem_format("%s.npy", *names);
        int found = unzLocateFile(archive, entry, 1);
        free(entry);
        if (found == UNZ_OK)
            return *names;
    }
    return NULL;
}

static int open_entry(struct bytes *bytes, const char *path, const char *const *names, char **name, struct err *err)
{
    unz_file_info64 about;
    const char *found = find_entry(bytes->self, names);
    if (!found) {
        struct buf all = {0};
        list_entries(bytes->self, &all);
        err_write(err, "%s: has no array '%s'%s; it has: %s", path, names[0],
                  names[1] ? ", nor one of the other usual names" : "", buf_str(&all));
        buf_fini(&all);
        return -1;
    }
    if (unzGetCurrentFileInfo64(bytes->self, &about, NULL, 0, NULL, 0, NULL, 0) != UNZ_OK ||
        unzOpenCurrentFile(bytes->self) != UNZ_OK)
        return err_set(err, "%s: its entry %s.npy can't be opened: the file is damaged", path, found);
    bytes->length = about.uncompressed_size;
    bytes->name = *name = mem_format("%s, array %s", path, found);
    return 0;
}

int npz_open(struct bytes *bytes, const char *path, const char *const *names, char **name, struct err *err)
{
    *name = NULL;
    *bytes = (struct bytes){.pull = pull_entry, .shut = shut_archive, .self = unzOpen64(path)};
    if (!bytes->self)
        return err_set(err, "%s: is no whole ZIP archive: its directory, at its end, can't be read", path);
    if (open_entry(bytes, path, names, name, err) == 0)
        return 0;
    bytes_close(bytes);
    return -1;
}

#else

int npz_open(struct bytes *bytes, const char *path, const char *const *names, char **name, struct err *err)
{
    (void)names;
    *bytes = (struct bytes){0};
    *name = NULL;
    return err_set(err,
                   "%s: is an archive of arrays (NPZ), and this gannet was built without minizip; save each array with "
                   "numpy.save, or build with the package libminizip-dev",
                   path);
}
#endif
