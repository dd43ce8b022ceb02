/* The disk in memory as SQLite's layer; see ram_disk.h. */
#include "tests/ram_disk.h"
#include "tests/ram_disk_parts.h"

#include "common/mem.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

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
    const char *looked; /* the name of a file that is only looked at; NULL: of any other */
};

/* Those that are only looked at: files of some connections, and their logs. */
enum { MOST_LOOKED = 8 };
static struct ram_handle *looking[MOST_LOOKED];

/* --- SQLite's methods of a file --- */

static struct ram_handle *ram(sqlite3_file *file)
{
    return (struct ram_handle *)file;
}

static bool is_dead(sqlite3_file *file)
{
    return !ram(file)->looked && (ram_disk.off || ram(file)->life != ram_disk.life);
}

/* At the cut itself the write is among those that were not synced. */
static int change(sqlite3_file *base, const void *bytes, size_t length, size_t offset)
{
    struct ram_file *file = ram(base)->file;
    if (is_dead(base))
        return SQLITE_IOERR_WRITE;
    if (ram(base)->looked)
        return SQLITE_READONLY;
    MEM_GROW(file->writes, file->capacity, file->count + 1);
    char *copy = bytes ? memcpy(mem_raw(length + 1), bytes, length) : NULL;
    file->writes[file->count++] = (struct ram_write){copy, length, offset};
    int code = ram_disk_operate();
    if (code == SQLITE_OK)
        ram_file_apply(&file->now, &file->writes[file->count - 1]);
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
    int code = ram_disk_operate();
    if (code != SQLITE_OK)
        return code == SQLITE_FULL ? SQLITE_IOERR_FSYNC : code;
    for (size_t i = 0; i < file->count; i++)
        ram_file_apply(&file->synced, &file->writes[i]);
    ram_file_forget_writes(file);
    if (!file->linked)
        ram_disk_sync_directory();
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
        ram_file_forget(ram(base)->file);
    for (int i = 0; i < MOST_LOOKED; i++)
        if (looking[i] == ram(base))
            looking[i] = NULL;
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
    *ram(base) = (struct ram_handle){.life = ram_disk.life, .temporary = !path};
    if (ram_disk.off)
        return SQLITE_CANTOPEN;
    if (!path)
        path = sqlite3_snprintf(sizeof temporary, temporary, "temporary %lld", (long long)++ram_disk.operations);
    struct ram_file *file = ram_file_find(path);
    if (!file && flags & SQLITE_OPEN_CREATE)
        file = ram_file_make(path);
    if (!file)
        return SQLITE_CANTOPEN;
    ram(base)->file = file;
    base->pMethods = &methods;
    if (out)
        *out = flags;
    return SQLITE_OK;
}

/* --- who only looks --- */

static void find_looked(struct ram_handle *handle)
{
    static struct ram_file none; /* is empty */
    struct ram_file *file = ram_file_find(handle->looked);
    handle->file = file ? file : &none;
}

void ram_disk_look(void)
{
    const size_t header = 136; /* without it SQLite reads the log anew */
    for (int i = 0; i < MOST_LOOKED; i++) {
        if (!looking[i])
            continue;
        find_looked(looking[i]);
        if (looking[i]->shared && looking[i]->shared->regions[0])
            memset(looking[i]->shared->regions[0], 0, header);
    }
}

static int look_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out)
{
    int at = 0;
    (void)vfs;
    *ram(base) = (struct ram_handle){.looked = path};
    while (at < MOST_LOOKED && looking[at])
        at++;
    if (!path || at == MOST_LOOKED)
        return SQLITE_CANTOPEN;
    looking[at] = ram(base);
    find_looked(ram(base));
    base->pMethods = &methods;
    if (out)
        *out = (flags & ~SQLITE_OPEN_READWRITE) | SQLITE_OPEN_READONLY;
    return SQLITE_OK;
}

static int look_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs, (void)path, (void)sync;
    return SQLITE_IOERR_DELETE;
}

/* --- SQLite's methods of the layer, on --- */

static int ram_delete(sqlite3_vfs *vfs, const char *path, int sync)
{
    (void)vfs;
    struct ram_file *file = ram_file_find(path);
    int code = ram_disk_operate();
    if (code != SQLITE_OK || !file)
        return code ? code : SQLITE_IOERR_DELETE_NOENT;
    file->exists = false;
    if (!file->linked)
        ram_file_forget(file);
    if (sync)
        ram_disk_sync_directory();
    return SQLITE_OK;
}

static int ram_access(sqlite3_vfs *vfs, const char *path, int flags, int *is)
{
    const struct ram_file *file = ram_file_find(path);
    (void)vfs;
    *is = file && (flags != SQLITE_ACCESS_EXISTS || file->now.length > 0);
    return ram_disk.off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int ram_full_path(sqlite3_vfs *vfs, const char *path, int size, char *out)
{
    (void)vfs;
    sqlite3_snprintf(size, out, "%s", path);
    return SQLITE_OK;
}

void ram_disk_install(void)
{
    static sqlite3_vfs layer, look;
    if (layer.zName)
        return;
#ifndef GANNET_SANITIZED
    ram_memory_install();
#endif
    /* What a connection to a store costs is mostly the reading of SQL: small memory without locks. */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 512, 500);
    layer = *sqlite3_vfs_find(NULL); /* for time, chance and sleep */
    layer.zName = "ram disk";
    layer.szOsFile = (int)sizeof(struct ram_handle);
    layer.xOpen = ram_open;
    layer.xDelete = ram_delete;
    layer.xAccess = ram_access;
    layer.xFullPathname = ram_full_path;
    sqlite3_vfs_register(&layer, 1);
    look = layer;
    look.zName = RAM_DISK_LOOK;
    look.xOpen = look_open;
    look.xDelete = look_delete;
    sqlite3_vfs_register(&look, 0);
}
