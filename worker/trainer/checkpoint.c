/* Checkpoint files; see checkpoint.h. A head of fixed length, the samples as a message of SAMPLES, the
 * kernel's bytes, and the hash of all before it. */
#include "worker/trainer/checkpoint.h"

#include "common/hash.h"
#include "common/mem.h"
#include "common/path.h"
#include "common/share.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC "gannet checkpoint 1\n"

/* The largest file that is read: no kernel of ours comes near it. */
static const size_t most_bytes = (size_t)1 << 36;

struct head {
    char magic[sizeof MAGIC - 1];
    char kernel[36];
    int64_t step, base, shown;
    uint64_t samples, length; /* bytes of the samples, of the kernel */
};

void checkpoint_fini(struct checkpoint *checkpoint)
{
    buf_fini(&checkpoint->bytes);
    arena_fini(&checkpoint->memory);
}

/* --- samples --- */

/* Of very many the last ones: only those that were just made may not have been delivered. */
static void pack_samples(const struct checkpoint *checkpoint, struct buf *out)
{
    enum { MOST = 10000 };
    size_t count = checkpoint->sample_count < MOST ? checkpoint->sample_count : MOST;
    struct msg_batch batch = {.samples = checkpoint->samples + (checkpoint->sample_count - count),
                              .samples_count = (uint32_t)count};
    struct msg msg = {.kind = MSG_SAMPLES, .samples = {.batches = &batch, .batches_count = 1}};
    msg_encode(&msg, out);
}

static int unpack_samples(const char *bytes, size_t length, struct checkpoint *out, struct err *err)
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

/* --- the file --- */

static struct head make_head(const char *kernel, const struct checkpoint *checkpoint, size_t samples)
{
    struct head head = {.step = checkpoint->step,
                        .base = checkpoint->base,
                        .shown = checkpoint->shown,
                        .samples = samples,
                        .length = checkpoint->bytes.length};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    snprintf(head.kernel, sizeof head.kernel, "%s", kernel);
    return head;
}

static int write_file(const char *path, const struct head *head, const struct buf *samples, const struct buf *bytes,
                      struct err *err)
{
    uint64_t hash = hash_bytes(HASH_START, head, sizeof *head);
    hash = hash_bytes(hash_bytes(hash, samples->data, samples->length), bytes->data, bytes->length);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0)
        share_file(fd, path);
    bool written = fd >= 0 && !path_write_all(fd, head, sizeof *head) &&
                   !path_write_all(fd, samples->data, samples->length) &&
                   !path_write_all(fd, bytes->data, bytes->length) && !path_write_all(fd, &hash, sizeof hash);
    int result = written ? 0 : err_errno(err, "can't write '%s'", path);
    if (fd >= 0)
        close(fd);
    return result;
}

int checkpoint_write(const char *path, const char *kernel, const struct checkpoint *checkpoint, struct err *err)
{
    struct buf samples = {0};
    pack_samples(checkpoint, &samples);
    struct head head = make_head(kernel, checkpoint, samples.length);
    char *directory = path_directory(path), *fresh = mem_format("%s.new", path);
    int result = share_make_directory(directory, err);
    if (result == 0)
        result = write_file(fresh, &head, &samples, &checkpoint->bytes, err);
    if (result == 0 && rename(fresh, path))
        result = err_errno(err, "can't write '%s'", path);
    if (result)
        unlink(fresh);
    buf_fini(&samples);
    free(directory);
    free(fresh);
    return result;
}

/* Whether the file is whole, and this kernel's. */
static int check_head(const struct buf *file, const char *kernel, struct head *head, struct err *err)
{
    uint64_t hash;
    if (file->length < sizeof *head + sizeof hash)
        return err_set(err, "it is not whole");
    memcpy(head, file->data, sizeof *head);
    memcpy(&hash, file->data + file->length - sizeof hash, sizeof hash);
    head->kernel[sizeof head->kernel - 1] = '\0';
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return err_set(err, "it is no checkpoint of this gannet");
    size_t rest = file->length - sizeof *head - sizeof hash;
    if (head->samples > rest || head->length != rest - head->samples ||
        hash != hash_bytes(HASH_START, file->data, file->length - sizeof hash) || head->step < 1 || head->base < 0 ||
        head->base > head->step)
        return err_set(err, "it is not whole");
    return strcmp(head->kernel, kernel) ? err_set(err, "it is of the kernel %s", head->kernel) : 0;
}

int checkpoint_read(const char *path, const char *kernel, struct checkpoint *out, struct err *err)
{
    struct buf file = {0};
    struct head head;
    *out = (struct checkpoint){0};
    if (!path_exists(path))
        return 0;
    int result = path_read(path, &file, most_bytes, err) || check_head(&file, kernel, &head, err) ? -1 : 1;
    if (result > 0) {
        *out = (struct checkpoint){.step = head.step, .base = head.base, .shown = head.shown};
        buf_add(&out->bytes, file.data + sizeof head + head.samples, head.length);
        if (unpack_samples(file.data + sizeof head, head.samples, out, err)) {
            checkpoint_fini(out);
            result = -1;
        }
    }
    buf_fini(&file);
    return result;
}
