/* The disk in memory: its files, and what becomes of them when the power goes; see ram_disk.h. */
#include "tests/ram_disk.h"
#include "tests/ram_disk_parts.h"

#include "common/hash.h"
#include "common/mem.h"
#include "common/rng.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { SECTOR = 512 };

struct ram_disk ram_disk;

/* --- files --- */

void ram_file_forget_writes(struct ram_file *file)
{
    while (file->count)
        free(file->writes[--file->count].bytes);
}

void ram_file_forget(struct ram_file *file)
{
    ram_file_forget_writes(file);
    free(file->writes);
    free(file->name);
    buf_fini(&file->synced);
    buf_fini(&file->now);
    *file = (struct ram_file){0};
}

/* Of this name, whether programs see it or not; NULL: none. */
static struct ram_file *find_file(const char *name)
{
    for (int i = 0; i < RAM_FILES; i++)
        if (ram_disk.files[i].name && strcmp(ram_disk.files[i].name, name) == 0)
            return &ram_disk.files[i];
    return NULL;
}

struct ram_file *ram_file_find(const char *name)
{
    struct ram_file *file = find_file(name);
    return file && file->exists ? file : NULL;
}

struct ram_file *ram_file_make(const char *name)
{
    struct ram_file *file = find_file(name);
    if (file)
        ram_file_forget(file);
    for (int i = 0; !file && i < RAM_FILES; i++)
        if (!ram_disk.files[i].name)
            file = &ram_disk.files[i];
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
    size_t there = offset < to->length ? to->length - offset : 0;
    if (to->length < offset)
        set_length(to, offset);
    if (there)
        memcpy(to->data + offset, bytes, there < length ? there : length);
    if (there < length)
        buf_add(to, bytes + there, length - there);
}

void ram_file_apply(struct buf *to, const struct ram_write *write)
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

void ram_disk_sync_directory(void)
{
    for (int i = 0; i < RAM_FILES; i++)
        if (ram_disk.files[i].name && !ram_disk.files[i].exists)
            ram_file_forget(&ram_disk.files[i]);
        else
            ram_disk.files[i].linked = true;
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
            ram_file_apply(&file->synced, &file->writes[i]);
    }
    ram_file_forget_writes(file);
    set_bytes(&file->now, &file->synced);
}

/* What becomes of a file is drawn for itself: it does not depend on which others are there. */
static struct rng rng_of(const struct ram_file *file)
{
    const char *slash = strrchr(file->name, '/');
    return rng_make(ram_disk.cut_seed, "power", hash_text(slash ? slash + 1 : file->name));
}

static void cut(void)
{
    for (int i = 0; i < RAM_FILES; i++) {
        struct ram_file *file = &ram_disk.files[i];
        bool settled = file->exists && file->linked;
        if (!file->name)
            continue;
        struct rng rng = rng_of(file);
        if (!settled && rng_below(&rng, 2)) {
            ram_file_forget(file);
            continue;
        }
        find_bytes(file, &rng);
        file->exists = file->linked = true;
    }
    ram_disk_kill();
}

int ram_disk_operate(void)
{
    ram_disk.operations++;
    if (ram_disk.off)
        return SQLITE_IOERR;
    if (ram_disk.cut_after && --ram_disk.cut_after == 0) {
        cut();
        return SQLITE_IOERR;
    }
    if (ram_disk.fail_after > 1)
        ram_disk.fail_after--;
    else if (ram_disk.fail_after)
        return ram_disk.code;
    return SQLITE_OK;
}

/* --- the test's side --- */

void ram_disk_clear(void)
{
    for (int i = 0; i < RAM_FILES; i++)
        ram_file_forget(&ram_disk.files[i]);
    ram_disk.life++;
    ram_disk.off = false;
    ram_disk.cut_after = ram_disk.fail_after = 0;
}

void ram_disk_put(const char *path, const void *bytes, size_t length)
{
    struct ram_file *file = ram_file_make(path);
    if (length) {
        buf_add(&file->synced, bytes, length);
        buf_add(&file->now, bytes, length);
    }
    file->linked = true;
}

bool ram_disk_get(const char *path, struct buf *out)
{
    const struct ram_file *file = ram_file_find(path);
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
            ram_file_forget(old);
        if (ram_disk_get(source, &bytes))
            ram_disk_put(target, bytes.data, bytes.length);
        buf_fini(&bytes);
        free(source);
        free(target);
    }
}

void ram_disk_cut_power(uint32_t after, uint64_t seed)
{
    ram_disk.cut_seed = seed;
    ram_disk.cut_after = after;
    if (!after)
        cut();
}

void ram_disk_kill(void)
{
    ram_disk.off = true;
    ram_disk.cut_after = ram_disk.fail_after = 0;
    ram_disk.life++;
}

bool ram_disk_is_off(void)
{
    return ram_disk.off;
}

void ram_disk_start(void)
{
    ram_disk.off = false;
    ram_disk.cut_after = ram_disk.fail_after = 0;
}

void ram_disk_fail(uint32_t after, int code)
{
    ram_disk.fail_after = after;
    ram_disk.code = code;
}

void ram_disk_mend(void)
{
    ram_disk.fail_after = 0;
}

uint64_t ram_disk_operations(void)
{
    return ram_disk.operations;
}
