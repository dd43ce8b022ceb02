/* The disk in memory; see ram_disk.h. */
#include "tests/ram_disk.h"

#include "common/mem.h"
#include "common/rng.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512, FILES = 16 };

/* A write or, with no bytes, a truncation that was not synced yet. */
struct ram_write {
    char *bytes;
    size_t length, offset;
};

/* A file by its name. One that was deleted stays until its directory is synced: a power cut may bring it back. */
struct ram_file {
    char *name;        /* NULL: this place is free */
    bool exists;       /* for programs */
    bool linked;       /* its name is on the disk */
    struct buf synced; /* what is on the disk for certain */
    struct buf now;    /* what programs see */
    struct ram_write *writes;
    size_t count, capacity;
};

/* Memory that connections share; here each has its own, as there is one connection to a file. */
struct ram_shared {
    void *regions[64];
};

/* An open file: SQLite's struct, then what is ours. */
struct ram_handle {
    sqlite3_file base;
    struct ram_file *file;
    uint64_t life; /* of the disk: what was open before a power cut is not any more */
    bool temporary;
    struct ram_shared *shared;
};

static struct ram_disk {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    struct ram_file files[FILES];
    uint64_t life, operations;
    bool off;
    uint32_t cut_after; /* 0: the power stays */
    uint64_t cut_seed;
    uint32_t fail_after; /* 0: nothing is to fail */
    int code;
} disk;

/* --- files --- */

static void forget_writes(struct ram_file *file)
{
    while (file->count)
        free(file->writes[--file->count].bytes);
}

static void forget_file(struct ram_file *file)
{
    forget_writes(file);
    free(file->writes);
    free(file->name);
    buf_fini(&file->synced);
    buf_fini(&file->now);
    *file = (struct ram_file){0};
}

/* Of this name, whether programs see it or not; NULL: none. */
static struct ram_file *find_file(const char *name)
{
    for (int i = 0; i < FILES; i++)
        if (disk.files[i].name && strcmp(disk.files[i].name, name) == 0)
            return &disk.files[i];
    return NULL;
}

static struct ram_file *find_seen(const char *name)
{
    struct ram_file *file = find_file(name);
    return file && file->exists ? file : NULL;
}

static struct ram_file *make_file(const char *name)
{
    struct ram_file *file = find_file(name);
    if (file)
        forget_file(file);
    for (int i = 0; !file && i < FILES; i++)
        if (!disk.files[i].name)
            file = &disk.files[i];
    if (file)
        *file = (struct ram_file){.name = mem_text(name), .exists = true};
    return file;
}

static void set_length(struct buf *bytes, size_t length)
{
    static const char zeros[4096];
    while (bytes->length < length)
        buf_add(bytes, zeros, length - bytes->length < sizeof zeros ? length - bytes->length : sizeof zeros);
    bytes->length = length;
}

static void overwrite(struct buf *to, const char *bytes, size_t length, size_t offset)
{
    if (to->length < offset + length)
        set_length(to, offset + length);
    memcpy(to->data + offset, bytes, length);
}

static void apply(struct buf *to, const struct ram_write *write)
{
    if (write->bytes)
        overwrite(to, write->bytes, write->length, write->offset);
    else if (to->length > write->offset)
        to->length = write->offset;
}

static void set_bytes(struct buf *to, const struct buf *from)
{
    buf_clear(to);
    if (from->length)
        buf_add(to, from->data, from->length);
}

static void sync_directory(void)
{
    for (int i = 0; i < FILES; i++)
        if (disk.files[i].name && !disk.files[i].exists)
            forget_file(&disk.files[i]);
        else
            disk.files[i].linked = true;
}

/* --- power --- */

/* Of a write each sector is there or not; the sectors end where those of the file do. */
static void tear(struct buf *to, const struct ram_write *write, struct rng *rng)
{
    for (size_t at = 0, next; at < write->length; at = next) {
        next = ((write->offset + at) / SECTOR + 1) * SECTOR - write->offset;
        next = next < write->length ? next : write->length;
        if (rng_below(rng, 2))
            overwrite(to, write->bytes + at, next - at, write->offset + at);
    }
}

static void find_bytes(struct ram_file *file, struct rng *rng)
{
    uint64_t all = rng_below(rng, 4); /* now and then the disk had just written all of it, or nothing */
    for (size_t i = 0; i < file->count; i++) {
        uint64_t fate = all == 0 ? 2 : all == 1 ? 0 : rng_below(rng, 4);
        if (fate == 1 && file->writes[i].bytes)
            tear(&file->synced, &file->writes[i], rng);
        else if (fate)
            apply(&file->synced, &file->writes[i]);
    }
    forget_writes(file);
    set_bytes(&file->now, &file->synced);
}

static void cut(void)
{
    struct rng rng = rng_make(disk.cut_seed, "power", 0);
    for (int i = 0; i < FILES; i++) {
        struct ram_file *file = &disk.files[i];
        bool settled = file->exists && file->linked;
        if (!file->name)
            continue;
        if (!settled && rng_below(&rng, 2)) {
            forget_file(file);
            continue;
        }
        find_bytes(file, &rng);
        file->exists = file->linked = true;
    }
    ram_disk_kill();
}

/* An operation is to happen: SQLITE_OK, or the code that it fails with. */
static int operate(void)
{
    disk.operations++;
    if (disk.off)
        return SQLITE_IOERR;
    if (disk.cut_after && --disk.cut_after == 0) {
        cut();
        return SQLITE_IOERR;
    }
    if (disk.fail_after > 1)
        disk.fail_after--;
    else if (disk.fail_after)
        return disk.code;
    return SQLITE_OK;
}

/* --- SQLite's methods of a file --- */

static struct ram_handle *ram(sqlite3_file *file)
{
    return (struct ram_handle *)file;
}

static bool is_dead(sqlite3_file *file)
{
    return disk.off || ram(file)->life != disk.life;
}

/* At the cut itself the write is among those that were not synced. */
static int change(sqlite3_file *base, const void *bytes, size_t length, size_t offset)
{
    struct ram_file *file = ram(base)->file;
    if (is_dead(base))
        return SQLITE_IOERR_WRITE;
    MEM_GROW(file->writes, file->capacity, file->count + 1);
    char *copy = bytes ? memcpy(mem_zero(length + 1, 1), bytes, length) : NULL;
    file->writes[file->count++] = (struct ram_write){copy, length, offset};
    int code = operate();
    if (code == SQLITE_OK)
        apply(&file->now, &file->writes[file->count - 1]);
    else if (!is_dead(base)) /* a write that fails leaves nothing */
        free(file->writes[--file->count].bytes);
    return code;
}

static int ram_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
    return change(file, bytes, (size_t)length, (size_t)offset);
}

static int ram_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return change(file, NULL, 0, (size_t)size);
}

static int ram_sync(sqlite3_file *base, int flags)
{
    struct ram_file *file = ram(base)->file;
    (void)flags;
    if (is_dead(base))
        return SQLITE_IOERR_FSYNC;
    int code = operate();
    if (code != SQLITE_OK)
        return code == SQLITE_FULL ? SQLITE_IOERR_FSYNC : code;
    for (size_t i = 0; i < file->count; i++)
        apply(&file->synced, &file->writes[i]);
    forget_writes(file);
    if (!file->linked)
        sync_directory();
    return SQLITE_OK;
}

static int ram_read(sqlite3_file *base, void *bytes, int length, sqlite3_int64 offset)
{
    const struct ram_file *file = ram(base)->file;
    size_t from = (size_t)offset, size = (size_t)length;
    if (is_dead(base))
        return SQLITE_IOERR_READ;
    size_t there = from < file->now.length ? file->now.length - from : 0;
    if (there)
        memcpy(bytes, file->now.data + from, there < size ? there : size);
    if (there >= size)
        return SQLITE_OK;
    memset((char *)bytes + there, 0, size - there);
    return SQLITE_IOERR_SHORT_READ;
}

static int ram_size(sqlite3_file *file, sqlite3_int64 *size)
{
    if (is_dead(file))
        return SQLITE_IOERR_FSTAT;
    *size = (sqlite3_int64)ram(file)->file->now.length;
    return SQLITE_OK;
}

static int ram_shared_unmap(sqlite3_file *file, int remove)
{
    struct ram_shared *shared = ram(file)->shared;
    (void)remove;
    for (size_t i = 0; shared && i < sizeof shared->regions / sizeof *shared->regions; i++)
        free(shared->regions[i]);
    free(shared);
    ram(file)->shared = NULL;
    return SQLITE_OK;
}

static int ram_close(sqlite3_file *base)
{
    ram_shared_unmap(base, 0);
    if (ram(base)->temporary && !is_dead(base))
        forget_file(ram(base)->file);
    return SQLITE_OK;
}

static int ram_shared_map(sqlite3_file *file, int page, int size, int extend, void volatile **map)
{
    struct ram_handle *handle = ram(file);
    *map = NULL;
    if (page >= 64)
        return SQLITE_NOMEM;
    if (!handle->shared)
        handle->shared = MEM_NEW(struct ram_shared);
    if (!handle->shared->regions[page] && extend)
        handle->shared->regions[page] = mem_zero((size_t)size, 1);
    *map = handle->shared->regions[page];
    return SQLITE_OK;
}

/* There is one connection: every lock is free. */
static int ram_lock(sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int ram_is_reserved(sqlite3_file *file, int *is)
{
    (void)file;
    *is = 0;
    return SQLITE_OK;
}

static int ram_shared_lock(sqlite3_file *file, int offset, int count, int flags)
{
    (void)file, (void)offset, (void)count, (void)flags;
    return SQLITE_OK;
}

static void ram_shared_barrier(sqlite3_file *file)
{
    (void)file;
}

static int ram_control(sqlite3_file *file, int what, void *argument)
{
    (void)file, (void)what, (void)argument;
    return SQLITE_NOTFOUND;
}

static int ram_sector_size(sqlite3_file *file)
{
    (void)file;
    return SECTOR;
}

/* What SQLite believes of every disk under Linux: a write changes no byte beside it. */
static int ram_characteristics(sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

/* --- SQLite's methods of the layer --- */

static const sqlite3_io_methods methods = {2,
                                           ram_close,
                                           ram_read,
                                           ram_write,
                                           ram_truncate,
                                           ram_sync,
                                           ram_size,
                                           ram_lock,
                                           ram_lock,
                                           ram_is_reserved,
                                           ram_control,
                                           ram_sector_size,
                                           ram_characteristics,
                                           ram_shared_map,
                                           ram_shared_lock,
                                           ram_shared_barrier,
                                           ram_shared_unmap,
                                           NULL,
                                           NULL};

static int ram_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out)
{
    char temporary[32];
    (void)vfs;
    *ram(base) = (struct ram_handle){.life = disk.life, .temporary = !path};
    if (disk.off)
        return SQLITE_CANTOPEN;
    if (!path)
        path = sqlite3_snprintf(sizeof temporary, temporary, "temporary %lld", (long long)++disk.operations);
    struct ram_file *file = find_seen(path);
    if (!file && flags & SQLITE_OPEN_CREATE)
        file = make_file(path);
    if (!file)
        return SQLITE_CANTOPEN;
    ram(base)->file = file;
    base->pMethods = &methods;
    if (out)
        *out = flags;
    return SQLITE_OK;
}

static int ram_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    struct ram_file *file = find_seen(path);
    int code = operate();
    if (code != SQLITE_OK || !file)
        return code ? code : SQLITE_IOERR_DELETE_NOENT;
    file->exists = false;
    if (!file->linked)
        forget_file(file);
    if (sync)
        sync_directory();
    return SQLITE_OK;
}

static int ram_access(sqlite3_vfs *vfs, const char *path, int flags, int *is)
{
    const struct ram_file *file = find_seen(path);
    (void)vfs;
    *is = file && (flags != SQLITE_ACCESS_EXISTS || file->now.length > 0);
    return disk.off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int ram_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
    (void)vfs;
    sqlite3_snprintf(size, out, "%s", path);
    return SQLITE_OK;
}

void ram_disk_install(void)
{
    if (disk.real)
        return;
    disk.real = sqlite3_vfs_find(NULL);
    disk.vfs = *disk.real;
    disk.vfs.zName = "ram disk";
    disk.vfs.szOsFile = (int)sizeof(struct ram_handle);
    disk.vfs.xOpen = ram_open;
    disk.vfs.xDelete = ram_delete;
    disk.vfs.xAccess = ram_access;
    disk.vfs.xFullPathname = ram_full_path;
    sqlite3_vfs_register(&disk.vfs, 1);
}

/* --- the test's side --- */

void ram_disk_clear(void)
{
    for (int i = 0; i < FILES; i++)
        forget_file(&disk.files[i]);
    disk.life++;
    disk.off = false;
    disk.cut_after = disk.fail_after = 0;
}

void ram_disk_put(const char *path, const void *bytes, size_t length)
{
    struct ram_file *file = make_file(path);
    if (length) {
        buf_add(&file->synced, bytes, length);
        buf_add(&file->now, bytes, length);
    }
    file->linked = true;
}

bool ram_disk_get(const char *path, struct buf *out)
{
    const struct ram_file *file = find_seen(path);
    buf_clear(out);
    if (file)
        set_bytes(out, &file->now);
    return file;
}

void ram_disk_copy(const char *from, const char *to)
{
    static const char *const endings[] = {"", "-wal", "-journal"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *source = mem_format("%s%s", from, endings[i]), *target = mem_format("%s%s", to, endings[i]);
        struct buf bytes = {0};
        struct ram_file *old = find_file(target);
        if (old)
            forget_file(old);
        if (ram_disk_get(source, &bytes))
            ram_disk_put(target, bytes.data, bytes.length);
        buf_fini(&bytes);
        free(source);
        free(target);
    }
}

void ram_disk_cut_power(uint32_t after, uint64_t seed)
{
    disk.cut_seed = seed;
    disk.cut_after = after;
    if (!after)
        cut();
}

void ram_disk_kill(void)
{
    disk.off = true;
    disk.cut_after = disk.fail_after = 0;
    disk.life++;
}

bool ram_disk_is_off(void)
{
    return disk.off;
}

void ram_disk_start(void)
{
    disk.off = false;
    disk.cut_after = disk.fail_after = 0;
}

void ram_disk_fail(uint32_t after, int code)
{
    disk.fail_after = after;
    disk.code = code;
}

void ram_disk_mend(void)
{
    disk.fail_after = 0;
}

uint64_t ram_disk_operations(void)
{
    return disk.operations;
}
