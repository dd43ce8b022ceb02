/* The state of a store's files; see stamp.h. */
#include "scheduler/store/stamp.h"

#include "common/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add_file(const struct stat *file, struct buf *out)
{
    buf_format(out, "%ju.%ju.%jd.%jd.%09ld.%jd.%09ld", (uintmax_t)file->st_dev, (uintmax_t)file->st_ino,
               (intmax_t)file->st_size, (intmax_t)file->st_mtim.tv_sec, file->st_mtim.tv_nsec,
               (intmax_t)file->st_ctim.tv_sec, file->st_ctim.tv_nsec);
}

/* A write-ahead log comes and goes with readers while it is empty. */
bool store_stamp(const char *path, struct buf *out)
{
    struct stat file, log;
    if (stat(path, &file))
        return false;
    char *beside = mem_format("%s-wal", path);
    add_file(&file, out);
    if (stat(beside, &log) == 0 && log.st_size) {
        buf_text(out, "+");
        add_file(&log, out);
    }
    free(beside);
    return true;
}

bool store_stamp_holds(const char *path, const char *stamp)
{
    struct buf now = {0};
    bool holds = stamp && *stamp && store_stamp(path, &now) && strcmp(buf_str(&now), stamp) == 0;
    buf_fini(&now);
    return holds;
}
