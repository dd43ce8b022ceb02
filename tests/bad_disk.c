/* The bad disk; see bad_disk.h. It is one per program: SQLite's list of layers is, too. */
#include "tests/bad_disk.h"
#include "tests/claims.h"

#include "common/buf.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/rng.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

/* A write or, with no bytes, a truncation that was not synced yet. */
struct pending {
    char *bytes;
    size_t length, offset;
};

/* What is known of the database file or of its WAL. */
struct image {
    char *path;
    struct buf synced;
    struct pending *pending;
    size_t count, capacity;
};

/* An open file: SQLite's struct, then what is ours; the real file lies behind it. */
struct bad_file {
    sqlite3_file base;
    struct image *image; /* NULL: this file is not watched */
    enum bad_disk_file kind;
    sqlite3_file *real;
};

static struct bad_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    sqlite3_io_methods methods;
    struct image images[2]; /* of the database, of its WAL */
    int fail_after, code;   /* 0: nothing is to fail */
    enum bad_disk_file failing;
    bool failed;
    int cut_after; /* 0: the power stays */
    char *cut_to;
    uint64_t cut_seed;
    int temporary; /* files without a name that were opened */
} disk;

/* --- images --- */

static void image_drop_pending(struct image *image)
{
    while (image->count)
        free(image->pending[--image->count].bytes);
}

static void image_fini(struct image *image)
{
    image_drop_pending(image);
    free(image->pending);
    free(image->path);
    buf_fini(&image->synced);
    *image = (struct image){0};
}

static void image_note(struct image *image, const void *bytes, size_t length, size_t offset)
{
    MEM_GROW(image->pending, image->capacity, image->count + 1);
    char *copy = length ? memcpy(mem_zero(length, 1), bytes, length) : NULL;
    image->pending[image->count++] = (struct pending){copy, length, offset};
}

static void grow(struct buf *bytes, size_t length)
{
    static const char zeros[4096];
    while (bytes->length < length)
        buf_add(bytes, zeros, length - bytes->length < sizeof zeros ? length - bytes->length : sizeof zeros);
}

/* Does the first `length` bytes of an operation to the bytes of a file. */
static void apply(struct buf *bytes, const struct pending *pending, size_t length)
{
    if (!pending->bytes && bytes->length > pending->offset)
        bytes->length = pending->offset;
    if (!pending->bytes || !length)
        return;
    grow(bytes, pending->offset + length);
    memcpy(bytes->data + pending->offset, pending->bytes, length);
}

static void image_sync(struct image *image)
{
    for (size_t i = 0; i < image->count; i++)
        apply(&image->synced, &image->pending[i], image->pending[i].length);
    image_drop_pending(image);
}

/* --- power --- */

static void write_found(const struct image *image, const char *suffix, struct rng *rng)
{
    struct buf found = {0};
    struct err err;
    buf_add(&found, image->synced.data ? image->synced.data : "", image->synced.length);
    for (size_t i = 0; i < image->count; i++) {
        size_t length = image->pending[i].length, sectors = length / SECTOR;
        switch (rng_below(rng, 4)) {
        case 0:
            break;
        case 1:
            if (sectors)
                apply(&found, &image->pending[i], rng_below(rng, sectors) * SECTOR);
            break;
        default:
            apply(&found, &image->pending[i], length);
        }
    }
    char *path = mem_format("%s%s", disk.cut_to, suffix);
    if (path_write(path, found.data ? found.data : "", found.length, 0600, &err))
        fail_msg("%s", err.text);
    free(path);
    buf_fini(&found);
}

static void cut(void)
{
    struct rng rng = rng_make(disk.cut_seed, "power", 0);
    write_found(&disk.images[0], "", &rng);
    write_found(&disk.images[1], "-wal", &rng);
}

/* An operation is to happen: SQLITE_OK, or the code that it fails with. */
static int operate(const struct bad_file *file)
{
    if (disk.cut_after && --disk.cut_after == 0)
        cut();
    if (!disk.fail_after || !(file->kind & disk.failing))
        return SQLITE_OK;
    if (disk.fail_after > 1) {
        disk.fail_after--;
        return SQLITE_OK;
    }
    disk.failed = true;
    return disk.code ? disk.code : SQLITE_FULL;
}

/* --- SQLite's methods of a file --- */

static struct bad_file *bad(sqlite3_file *file)
{
    return (struct bad_file *)file;
}

static sqlite3_file *real(sqlite3_file *file)
{
    return bad(file)->real;
}

static int bad_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
    int code = bad(file)->image ? operate(bad(file)) : SQLITE_OK;
    if (code == SQLITE_OK && bad(file)->image)
        image_note(bad(file)->image, bytes, (size_t)length, (size_t)offset);
    return code ? code : real(file)->pMethods->xWrite(real(file), bytes, length, offset);
}

static int bad_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    int code = bad(file)->image ? operate(bad(file)) : SQLITE_OK;
    if (code == SQLITE_OK && bad(file)->image)
        image_note(bad(file)->image, NULL, 0, (size_t)size);
    return code ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int bad_sync(sqlite3_file *file, int flags)
{
    int code = bad(file)->image ? operate(bad(file)) : SQLITE_OK;
    if (code == SQLITE_OK && bad(file)->image)
        image_sync(bad(file)->image);
    return code ? (code == SQLITE_FULL ? SQLITE_IOERR_FSYNC : code) : real(file)->pMethods->xSync(real(file), flags);
}

/* The rest goes through as it is. */
static int bad_close(sqlite3_file *file)
{
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

static int bad_read(sqlite3_file *file, void *bytes, int length, sqlite3_int64 offset)
{
    return real(file)->pMethods->xRead(real(file), bytes, length, offset);
}

static int bad_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int bad_lock(sqlite3_file *file, int level)
{
    return real(file)->pMethods->xLock(real(file), level);
}

static int bad_unlock(sqlite3_file *file, int level)
{
    return real(file)->pMethods->xUnlock(real(file), level);
}

static int bad_is_reserved(sqlite3_file *file, int *is)
{
    return real(file)->pMethods->xCheckReservedLock(real(file), is);
}

static int bad_control(sqlite3_file *file, int what, void *argument)
{
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}

static int bad_sector_size(sqlite3_file *file)
{
    (void)file;
    return SECTOR;
}

/* Nothing is promised of this disk. */
static int bad_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int bad_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **map)
{
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, map);
}

static int bad_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void bad_shm_barrier(sqlite3_file *file)
{
    real(file)->pMethods->xShmBarrier(real(file));
}

static int bad_shm_unmap(sqlite3_file *file, int remove)
{
    return real(file)->pMethods->xShmUnmap(real(file), remove);
}

/* --- SQLite's methods of the layer --- */

static struct image *image_of(const char *path)
{
    for (int i = 0; path && i < 2; i++)
        if (disk.images[i].path && strcmp(disk.images[i].path, path) == 0)
            return &disk.images[i];
    return NULL;
}

static int bad_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *out_flags)
{
    (void)vfs;
    struct bad_file *mine = bad(file);
    mine->image = image_of(name);
    disk.temporary += !name;
    mine->kind = flags & SQLITE_OPEN_WAL ? BAD_DISK_WAL : BAD_DISK_DATABASE;
    mine->real = (sqlite3_file *)(mine + 1);
    int code = disk.real->xOpen(disk.real, name, mine->real, flags, out_flags);
    mine->base.pMethods = code == SQLITE_OK ? &disk.methods : NULL;
    return code;
}

static int bad_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    struct image *image = image_of(path);
    if (image) {
        image_drop_pending(image);
        image->synced.length = 0;
    }
    return disk.real->xDelete(disk.real, path, sync);
}

static void install(void)
{
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "bad disk";
    disk.vfs.szOsFile = (int)sizeof(struct bad_file) + disk.real->szOsFile;
    disk.vfs.xOpen = bad_open;
    disk.vfs.xDelete = bad_delete;
    disk.methods = (sqlite3_io_methods){2,
                                        bad_close,
                                        bad_read,
                                        bad_write,
                                        bad_truncate,
                                        bad_sync,
                                        bad_size,
                                        bad_lock,
                                        bad_unlock,
                                        bad_is_reserved,
                                        bad_control,
                                        bad_sector_size,
                                        bad_characteristics,
                                        bad_shm_map,
                                        bad_shm_lock,
                                        bad_shm_barrier,
                                        bad_shm_unmap,
                                        NULL,
                                        NULL};
    sqlite3_vfs_register(&disk.vfs, 1);
}

/* --- the test's side --- */

void bad_disk_watch(const char *path)
{
    if (!disk.real)
        install();
    bad_disk_forget();
    disk.images[0].path = mem_text(path);
    disk.images[1].path = mem_format("%s-wal", path);
    disk.temporary = 0;
}

void bad_disk_forget(void)
{
    bad_disk_mend();
    image_fini(&disk.images[0]);
    image_fini(&disk.images[1]);
    free(disk.cut_to);
    disk.cut_to = NULL;
    disk.cut_after = 0;
}

void bad_disk_fail(int after, int code, enum bad_disk_file files)
{
    disk.fail_after = after;
    disk.code = code;
    disk.failing = files;
    disk.failed = false;
}

bool bad_disk_mend(void)
{
    disk.fail_after = 0;
    return disk.failed;
}

void bad_disk_cut_power(int after, const char *to, uint64_t seed)
{
    free(disk.cut_to);
    disk.cut_to = mem_text(to);
    disk.cut_after = after;
    disk.cut_seed = seed;
}

bool bad_disk_is_cut(void)
{
    return !disk.cut_after;
}

int bad_disk_temporary(void)
{
    return disk.temporary;
}
