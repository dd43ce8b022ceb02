/* Checkpoint files; see checkpoint.h. */
#include "worker/trainer/checkpoint.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "gannet checkpoint 2\n"

/* What the name of a file that is being written has behind that of its place, before six random characters. */
#define FRESH ".new-"

/* Work that is synced: 1 s. A sync takes 1 to 30 ms on what people have, so it costs a trial that lasts at most some
 * percent. */
static const double lasting_seconds = 1;

enum {
    MOST_SAMPLES = 10000,        /* in a file */
    MOST_SAMPLE_BYTES = 4 << 20, /* of them, each with a name of at most 255 bytes and three numbers */
    BUFFER = 1 << 16,            /* of small items on their way to or from a file */
};

struct checkpoint_head {
    char magic[sizeof MAGIC - 1];
    char kernel[36];
    int64_t step, base, shown;
    double worked;
    uint64_t samples; /* bytes of them */
};

struct tail {
    uint64_t length, hash;
};

static void free_checkpoint(struct checkpoint *checkpoint)
{
    arena_fini(&checkpoint->memory);
}

bool checkpoint_lasts(const struct checkpoint *checkpoint)
{
    return checkpoint->worked >= lasting_seconds;
}

/* --- samples --- */

/* Of very many the last ones: only those that were just made may not have been delivered. */
static void encode_samples(const struct checkpoint *checkpoint, struct buf *out)
{
    size_t count = checkpoint->sample_count < MOST_SAMPLES ? checkpoint->sample_count : MOST_SAMPLES;
    struct msg_batch batch = {.samples_count = (uint32_t)count};
    if (count) /* else there need not be any list */
        batch.samples = checkpoint->samples + (checkpoint->sample_count - count);
    struct msg msg = {.kind = MSG_SAMPLES, .samples = {.batches = &batch, .batches_count = 1}};
    msg_encode(&msg, out);
}

static int decode_samples(const char *bytes, size_t length, struct checkpoint *out, struct err *err)
{
    struct msg msg;
    if (msg_decode(&msg, bytes, length, err))
        return -1;
    out->memory = msg.memory;
    if (msg.kind != MSG_SAMPLES || msg.samples.batches_count != 1)
        return err_set(err, "it is not whole");
    out->samples = msg.samples.batches[0].samples;
    out->sample_count = msg.samples.batches[0].samples_count;
    return 0;
}

/* --- writing --- */

static void write_parts(struct pack_writer *out, const struct checkpoint *checkpoint, const struct kernel *kernel,
                        void *self)
{
    struct buf samples = {0};
    encode_samples(checkpoint, &samples);
    struct checkpoint_head head = {.step = checkpoint->step,
                                   .base = checkpoint->base,
                                   .shown = checkpoint->shown,
                                   .worked = checkpoint->worked,
                                   .samples = samples.length};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    snprintf(head.kernel, sizeof head.kernel, "%s", kernel->name);
    pack_add_bytes(out, &head, sizeof head);
    pack_add_bytes(out, samples.data, samples.length);
    uint64_t before = out->length;
    kernel->save(self, out);
    struct tail tail = {.length = out->length - before, .hash = pack_hash_value(&out->hash)};
    pack_add_bytes(out, &tail, sizeof tail);
    buf_fini(&samples);
}

/* What a network file system or a quota refuses may become known by the sync or by the close alone. */
static int write_file(int fd, const struct checkpoint *checkpoint, const struct kernel *kernel, void *self)
{
    struct pack_writer out = {.file = fdopen(fd, "w")};
    if (!out.file) {
        close(fd);
        return -1;
    }
    setvbuf(out.file, NULL, _IOFBF, BUFFER);
    write_parts(&out, checkpoint, kernel, self);
    if (!out.error && (fflush(out.file) || (checkpoint_lasts(checkpoint) && fsync(fd))))
        out.error = errno;
    if (fclose(out.file) && !out.error)
        out.error = errno;
    errno = out.error;
    return out.error ? -1 : 0;
}

int checkpoint_write(const char *path, const struct checkpoint *checkpoint, const struct kernel *kernel, void *self,
                     struct err *err)
{
    char *directory = path_directory(path), *fresh = mem_format("%s" FRESH "XXXXXX", path);
    int result = share_make_directory(directory, err);
    free(directory);
    int fd = result ? -1 : mkostemp(fresh, O_CLOEXEC); /* 0600 and new, whatever lies there */
    if (fd >= 0)
        share_file(fd, path);
    if (!result && (fd < 0 || write_file(fd, checkpoint, kernel, self) || rename(fresh, path)))
        result = err_errno(err, "can't write '%s'", path);
    if (result && fd >= 0)
        unlink(fresh);
    /* Without its sync the one before may be back after a loss of power: that is a whole one, too. */
    if (!result && checkpoint_lasts(checkpoint))
        path_sync_directory(path);
    free(fresh);
    return result;
}

/* Whether the name is that of a file on its way to this one. */
static bool is_fresh(const char *name, const char *base)
{
    size_t length = strlen(base), random = sizeof "XXXXXX" - 1;
    return strncmp(name, base, length) == 0 && strncmp(name + length, FRESH, strlen(FRESH)) == 0 &&
           strlen(name) == length + strlen(FRESH) + random;
}

void checkpoint_sweep(const char *path)
{
    char *directory = path_directory(path);
    DIR *files = opendir(directory);
    for (struct dirent *entry; files && (entry = readdir(files));)
        if (is_fresh(entry->d_name, path_base(path)))
            unlinkat(dirfd(files), entry->d_name, 0);
    if (files)
        closedir(files);
    free(directory);
}

/* --- reading --- */

/* The head makes sense and is this kernel's, and all that it and the tail speak of is there. */
static int check_frame(const struct checkpoint_file *file, const struct checkpoint_head *head, uint64_t size,
                       const char *kernel, struct err *err)
{
    uint64_t rest = size - sizeof *head - sizeof(struct tail);
    if (head->samples > MOST_SAMPLE_BYTES || head->samples > rest || file->length != rest - head->samples ||
        head->step < 1 || head->base < 0 || head->base > head->step || !(head->worked >= 0) || isinf(head->worked))
        return err_set(err, "it is not whole");
    return strcmp(head->kernel, kernel) ? err_set(err, "it is of the kernel %s", head->kernel) : 0;
}

/* Reads the head, and the tail: a file that was cut off is known before anything is made of it. */
static int read_frame(struct checkpoint_file *file, struct checkpoint_head *head, const char *kernel, struct err *err)
{
    struct stat at;
    struct tail tail;
    if (fstat(fileno(file->file), &at))
        return err_errno(err, "it can't be read");
    if (!S_ISREG(at.st_mode))
        return err_set(err, "it is no file");
    uint64_t size = (uint64_t)at.st_size;
    file->bytes = (struct pack_reader){.file = file->file, .left = size};
    if (pack_take_bytes(&file->bytes, head, sizeof head->magic) && memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return err_set(err, "it is no checkpoint of this gannet");
    pack_take_bytes(&file->bytes, (char *)head + sizeof head->magic, sizeof *head - sizeof head->magic);
    if (file->bytes.torn || file->bytes.left < sizeof tail ||
        pread(fileno(file->file), &tail, sizeof tail, at.st_size - (off_t)sizeof tail) != (ssize_t)sizeof tail)
        return err_set(err, "it is not whole");
    head->kernel[sizeof head->kernel - 1] = '\0';
    file->length = tail.length;
    file->hash = tail.hash;
    return check_frame(file, head, size, kernel, err);
}

static int read_samples(struct checkpoint_file *file, size_t length, struct err *err)
{
    char *bytes = mem_raw(length + 1);
    int result = pack_take_bytes(&file->bytes, bytes, length) ? decode_samples(bytes, length, &file->checkpoint, err)
                                                              : err_set(err, "it is not whole");
    free(bytes);
    return result;
}

int checkpoint_open(const char *path, const struct kernel *kernel, struct checkpoint_file *out, struct err *err)
{
    struct checkpoint_head head;
    *out = (struct checkpoint_file){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a pipe is not waited for */
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (fd < 0 || !(out->file = fdopen(fd, "r"))) {
        err_write_errno(err, "can't open '%s'", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    setvbuf(out->file, NULL, _IOFBF, BUFFER);
    if (read_frame(out, &head, kernel->name, err) || read_samples(out, head.samples, err)) {
        checkpoint_close(out);
        return -1;
    }
    out->checkpoint.step = head.step;
    out->checkpoint.base = head.base;
    out->checkpoint.shown = head.shown;
    out->checkpoint.worked = head.worked;
    out->bytes.left = out->length;
    return 1;
}

int checkpoint_check(struct checkpoint_file *file, struct err *err)
{
    struct pack_reader *in = &file->bytes;
    char bytes[4096];
    int failed = in->error;
    in->torn = false;
    while (!failed && in->left && pack_take_bytes(in, bytes, in->left < sizeof bytes ? in->left : sizeof bytes))
        ;
    errno = failed ? failed : in->error;
    if (errno)
        return err_errno(err, "it can't be read");
    return in->left || pack_hash_value(&in->hash) != file->hash ? err_set(err, "it is not whole") : 0;
}

void checkpoint_close(struct checkpoint_file *file)
{
    if (file->file)
        fclose(file->file);
    free_checkpoint(&file->checkpoint);
    *file = (struct checkpoint_file){0};
}
