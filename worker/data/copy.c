/* See copy.h. */
#include "worker/data/copy.h"
#include "common/buf.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/stage.h"
#include "worker/data/generate.h"
#include "worker/data/packed.h"
#include "worker/data/read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

/* Adds it: each file's path, device, inode, size and times, and each option that shapes the examples. -1: a file can't
 * be looked at; who reads it says why. */
static int origin_write(const struct dataset_source *source, struct buf *out)
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

enum { NAME_SIZE = 17, PART_SIZE = NAME_SIZE + sizeof STAGE_PART - 1 };

/* A file in the directory, while it is opened, made or used. */
struct copy {
    int directory, file;  /* -1: not open; the file is locked */
    char *path;           /* of the directory */
    struct buf origin;    /* what the data is made from */
    char name[NAME_SIZE]; /* the file's, */
    char part[PART_SIZE]; /* and while it is made */
};

/* What a signal that ends this process is to remove; NULL: nothing. */
static struct copy *volatile present;

static void close_file(struct copy *copy)
{
    int file = copy->file;
    copy->file = -1;
    if (file >= 0)
        close(file);
}

static void destroy_copy(struct copy *copy)
{
    present = NULL;
    close_file(copy);
    if (copy->directory >= 0)
        close(copy->directory);
    if (copy->path)
        (void)rmdir(copy->path); /* if it is empty */
    free(copy->path);
    buf_fini(&copy->origin);
    free(copy);
}

static struct copy *create_copy(void)
{
    struct copy *copy = MEM_NEW(struct copy);
    copy->directory = copy->file = -1;
    present = copy;
    return copy;
}

/* 1; 0: there is no such file; -1 with a sentence. */
static int open_file(struct copy *copy, const char *name, int flags, struct err *err)
{
    struct stat at;
    copy->file = openat(copy->directory, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (copy->file < 0)
        return errno == ENOENT ? 0 : err_errno(err, "can't open %s/%s", copy->path, name);
    if (fstat(copy->file, &at) == 0 && S_ISREG(at.st_mode) && at.st_uid == geteuid())
        return 1;
    close_file(copy);
    return err_set(err, "%s/%s is no file of this user; remove it", copy->path, name);
}

static int lock_file(struct copy *copy, int operation, struct err *err)
{
    while (flock(copy->file, operation))
        if (errno != EINTR)
            return err_errno(err, "can't lock a file in %s", copy->path);
    return 0;
}

static int open_directory(struct copy *copy, enum dataset_stage stage, struct err *err)
{
    if (copy->directory >= 0)
        close(copy->directory);
    free(copy->path);
    copy->directory = stage_open(stage == DATASET_STAGE_LOCAL ? STAGE_LOCAL : STAGE_SHM, &copy->path, err);
    return copy->directory < 0 ? -1 : 0;
}

/* --- a copy that is there --- */

/* 1: the data is that of the file; 0: there is none, or it was removed at this moment; -1 with a sentence. What is
 * damaged is removed. */
static int use_copy(struct copy *copy, struct dataset *data, struct err *err)
{
    int found = open_file(copy, copy->name, O_RDONLY, err);
    if (found <= 0)
        return found;
    if (lock_file(copy, LOCK_SH, err))
        return -1;
    if (stage_is_named(copy->directory, copy->name, copy->file)) {
        if (packed_map(copy->file, copy->name, buf_str(&copy->origin), data, err) == 0)
            return 1;
        log_warning("%s/%s; it is made anew", copy->path, err->text);
        (void)unlinkat(copy->directory, copy->name, 0);
    }
    close_file(copy);
    return 0;
}

/* --- making one --- */

/* Says so when it takes long. */
static int await_maker(struct copy *copy, struct err *err)
{
    enum { PAUSE = 5000 /* microseconds */, LONG = 400 /* pauses */ };
    for (int i = 0; i < LONG; i++) {
        if (flock(copy->file, LOCK_SH | LOCK_NB) == 0)
            return 0;
        usleep(PAUSE);
    }
    log_info("waits for another process that packs the data into %s/%s", copy->path, copy->name);
    return lock_file(copy, LOCK_SH, err);
}

/* 1: it is ours to make; 0: somebody has made it, or given up; -1 with a sentence. Who waits for a maker waits for a
 * shared lock: the file that is made will be used with such ones. */
static int lock_part(struct copy *copy, struct err *err)
{
    if (open_file(copy, copy->part, O_RDWR | O_CREAT, err) < 0)
        return -1;
    if (copy->file < 0) /* the directory is gone: it was empty */
        return 0;
    bool ours = flock(copy->file, LOCK_EX | LOCK_NB) == 0;
    if (!ours && await_maker(copy, err))
        return -1;
    if (ours && stage_is_named(copy->directory, copy->part, copy->file))
        return 1;
    close_file(copy);
    return 0;
}

/* Half of what is free is left to others when nobody has asked for staging. */
static int check_room(const struct copy *copy, const struct dataset *data, enum dataset_stage stage, struct err *err)
{
    struct statvfs about;
    bool asked = stage != DATASET_STAGE_AUTO;
    double needed = (double)packed_length(data, copy->origin.length);
    if (fstatvfs(copy->directory, &about))
        return err_errno(err, "can't look at %s", copy->path);
    double there = (double)about.f_bavail * (double)about.f_frsize, room = asked ? there : there / 2;
    if (needed > 0 && needed <= room)
        return 0;
    return err_set(err, "the data takes %.1f MiB in %s, where %.1f MiB are free%s; make room, or let 'stage' be %s",
                   needed / 0x1p20, copy->path, there / 0x1p20, asked ? "" : ", of which half may be taken",
                   stage == DATASET_STAGE_LOCAL ? "none" : "local or none");
}

/* Whether the sources are still those that the copy is called by. */
static int check_origin(const struct copy *copy, const struct dataset_source *source, struct err *err)
{
    struct buf now = {0};
    int result = origin_write(source, &now);
    bool same = result == 0 && strcmp(buf_str(&now), buf_str(&copy->origin)) == 0;
    buf_fini(&now);
    return same ? 0 : err_set(err, "the data has changed while it was read; begin again when it is complete");
}

/* Writes what was read, and calls it by its name. */
static int publish_copy(struct copy *copy, const struct dataset *data, const struct dataset_source *source,
                        struct err *err)
{
    if (ftruncate(copy->file, 0))
        return err_errno(err, "can't empty %s/%s", copy->path, copy->part);
    if (check_room(copy, data, source->stage, err))
        return -1;
    if (packed_write(copy->file, data, source->scaling, buf_str(&copy->origin), err))
        return err_prefix(err, "%s/%s", copy->path, copy->part);
    if (renameat(copy->directory, copy->part, copy->directory, copy->name))
        return err_errno(err, "can't rename %s/%s", copy->path, copy->part);
    return 0;
}

/* Reads the data and packs it: 1: the copy is there, to be used; 0: the data stays in this process's memory; -1 with a
 * sentence. */
static int make_copy(struct copy *copy, struct dataset *data, const struct dataset_source *source, struct err *err)
{
    bool asked = source->stage != DATASET_STAGE_AUTO;
    struct err why;
    stage_sweep(); /* there may be no room for what nobody uses */
    int result = dataset_read(data, source, err) || check_origin(copy, source, err) ? -1 : 0;
    bool small = !result && !asked && packed_length(data, 0) < COPY_LEAST;
    int failed = result || small ? 0 : publish_copy(copy, data, source, &why);
    if (failed && asked)
        result = err_set(err, "%s", why.text);
    else if (failed)
        log_warning("each trainer holds the data for itself: %s", why.text);
    else if (!result && !small)
        result = 1;
    if (result)
        dataset_close(data);
    if (result <= 0)
        (void)unlinkat(copy->directory, copy->part, 0);
    return result;
}

/* --- both --- */

/* What was asked for and can't be had is an error, what was not asked for is done without. */
static int do_without(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    struct err why = *err;
    if (source->stage != DATASET_STAGE_AUTO)
        return -1;
    err->text[0] = '\0';
    if (dataset_read(data, source, err))
        return -1;
    if (packed_length(data, 0) >= COPY_LEAST)
        log_warning("each trainer holds the data for itself: %s", why.text);
    return 0;
}

/* 1: `data` is that of the copy; 0: of this process; -1 with a sentence. Others may make and remove the copy, and an
 * empty directory, at any moment: then once more. */
static int use_or_make(struct copy *copy, struct dataset *data, const struct dataset_source *source, struct err *err)
{
    enum { TIMES = 10000, PAUSE = 1000 /* microseconds, for others to get on as well */ };
    for (int i = 0; i < TIMES; i++) {
        if (i > 2)
            usleep(PAUSE);
        int result = open_directory(copy, source->stage, err) ? -1 : use_copy(copy, data, err);
        if (result > 0)
            return 1;
        if (result == 0)
            result = lock_part(copy, err);
        if (result < 0)
            return do_without(data, source, err);
        if (result && (result = make_copy(copy, data, source, err)) <= 0)
            return result;
        close_file(copy);
    }
    err_write(err, "%s/%s is removed again and again", copy->path, copy->name);
    return do_without(data, source, err);
}

int copy_open(struct dataset *data, const struct dataset_source *source, struct err *err)
{
    struct copy *copy = create_copy();
    *data = (struct dataset){0};
    bool known = origin_write(source, &copy->origin) == 0;
    snprintf(copy->name, sizeof copy->name, "%016" PRIx64, hash_text(buf_str(&copy->origin)));
    snprintf(copy->part, sizeof copy->part, "%s" STAGE_PART, copy->name);
    /* Who reads what can't be looked at says why. */
    int result = known ? use_or_make(copy, data, source, err) : dataset_read(data, source, err);
    if (result > 0)
        data->copy = copy;
    else
        destroy_copy(copy);
    return result < 0 ? -1 : 0;
}

bool copy_is_alone(const struct dataset *data)
{
    const struct copy *copy = data->copy;
    return copy && flock(copy->file, LOCK_EX | LOCK_NB) == 0 && flock(copy->file, LOCK_SH | LOCK_NB) == 0;
}

/* System calls only. A file that is made has the name of a part. */
static void end_by_signal(int number)
{
    const struct copy *copy = present;
    if (copy && copy->directory >= 0 && copy->file >= 0) {
        stage_drop(copy->directory, copy->part, copy->file);
        stage_drop(copy->directory, copy->name, copy->file);
        (void)rmdir(copy->path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

void copy_end_by_signals(void)
{
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
    struct sigaction now, before;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        now = (struct sigaction){.sa_handler = end_by_signal};
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &now, NULL);
    }
}

void copy_close(struct dataset *data)
{
    struct copy *copy = data->copy;
    munmap(data->map, data->map_length);
    if (!copy)
        return;
    stage_drop(copy->directory, copy->name, copy->file);
    destroy_copy(copy);
}
