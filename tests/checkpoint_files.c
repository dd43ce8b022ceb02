/* Files of checkpoints made by hand; see checkpoint_files.h. */
#include "tests/checkpoint_files.h"

#include "common/mem.h"
#include "tests/claims.h"
#include "worker/trainer/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>

static void save_content(void *self, struct pack_writer *out);

static int resume_content(void *self, int64_t step, struct pack_reader *in, struct err *err)
{
    (void)step, (void)err;
    struct content *content = self;
    buf_clear(&content->bytes);
    char byte;
    while (in->left && pack_take_bytes(in, &byte, 1))
        buf_add(&content->bytes, &byte, 1);
    return 0;
}

struct kernel content_kernel(const char *name)
{
    return (struct kernel){.name = name, .save = save_content, .resume = resume_content};
}

void content_write(const char *path, const char *name, int64_t step, struct content *content)
{
    struct err err;
    struct kernel kernel = content_kernel(name);
    struct checkpoint checkpoint = {.step = step, .shown = step, .worked = step > 100 ? 1e3 : 0};
    if (checkpoint_write(path, &checkpoint, &kernel, content, &err))
        fail_msg("%s", err.text);
}

static void save_content(void *self, struct pack_writer *out)
{
    struct content *content = self;
    pack_add_bytes(out, content->bytes.data, content->bytes.length / 2);
    if (content->path)
        content_write(content->path, "mlp", 7, content->other);
    pack_add_bytes(out, content->bytes.data + content->bytes.length / 2,
                   content->bytes.length - content->bytes.length / 2);
}

int64_t content_read(const char *path, const char *name, struct content *out, struct err *err)
{
    struct checkpoint_file file;
    struct kernel kernel = content_kernel(name);
    if (checkpoint_open(path, &kernel, &file, err) <= 0)
        return -1;
    resume_content(out, 0, &file.bytes, err);
    int64_t step = checkpoint_check(&file, err) ? -1 : file.checkpoint.step;
    checkpoint_close(&file);
    return step;
}

int content_count_files(void **state, const char *begin)
{
    char *command = mem_format("ls -A '%s' | grep -c '^%s'", path_in(state, ""), begin);
    FILE *pipe = popen(command, "r");
    int count = -1;
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    free(command);
    return count;
}
