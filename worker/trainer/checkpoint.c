/* Checkpoint files; see checkpoint.h. A head of fixed length, the kernel's bytes, and the hash of all before it. */
#include "worker/trainer/checkpoint.h"

#include "common/hash.h"
#include "common/mem.h"
#include "common/path.h"

#include <errno.h>
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
    uint64_t length; /* of the kernel's bytes */
};

void checkpoint_fini(struct checkpoint *checkpoint)
{
    buf_fini(&checkpoint->bytes);
}

static struct head make_head(const char *kernel, const struct checkpoint *checkpoint)
{
    struct head head = {.step = checkpoint->step,
                        .base = checkpoint->base,
                        .shown = checkpoint->shown,
                        .length = checkpoint->bytes.length};
    memcpy(head.magic, MAGIC, sizeof head.magic);
    snprintf(head.kernel, sizeof head.kernel, "%s", kernel);
    return head;
}

static int write_file(const char *path, const struct head *head, const struct buf *bytes, struct err *err)
{
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, head, sizeof *head), bytes->data, bytes->length);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool written = fd >= 0 && !path_write_all(fd, head, sizeof *head) &&
                   !path_write_all(fd, bytes->data, bytes->length) && !path_write_all(fd, &hash, sizeof hash);
    int result = written ? 0 : err_errno(err, "can't write '%s'", path);
    if (fd >= 0)
        close(fd);
    return result;
}

int checkpoint_write(const char *path, const char *kernel, const struct checkpoint *checkpoint, struct err *err)
{
    struct head head = make_head(kernel, checkpoint);
    char *directory = path_directory(path), *fresh = mem_format("%s.new", path);
    int result = path_make_directory(directory, 0700, err);
    if (result == 0)
        result = write_file(fresh, &head, &checkpoint->bytes, err);
    if (result == 0 && rename(fresh, path))
        result = err_errno(err, "can't write '%s'", path);
    if (result)
        unlink(fresh);
    free(directory);
    free(fresh);
    return result;
}

/* Whether the file is whole, and this kernel's. */
static int check(const struct buf *file, const char *kernel, struct head *head, struct err *err)
{
    uint64_t hash;
    if (file->length < sizeof *head + sizeof hash)
        return err_set(err, "it is not whole");
    memcpy(head, file->data, sizeof *head);
    memcpy(&hash, file->data + file->length - sizeof hash, sizeof hash);
    head->kernel[sizeof head->kernel - 1] = '\0';
    if (memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return err_set(err, "it is no checkpoint of this gannet");
    if (head->length != file->length - sizeof *head - sizeof hash ||
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
    int result = path_read(path, &file, most_bytes, err) || check(&file, kernel, &head, err) ? -1 : 1;
    if (result > 0) {
        *out = (struct checkpoint){.step = head.step, .base = head.base, .shown = head.shown};
        buf_add(&out->bytes, file.data + sizeof head, head.length);
    }
    buf_fini(&file);
    return result;
}
