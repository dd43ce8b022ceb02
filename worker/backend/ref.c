/* The backend of plain loops: its memory, which is the host's, and its table; see ref.h. */
#include "worker/backend/ref.h"

#include "common/mem.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- tensors as floats --- */

void ref_fini(struct ref *ref)
{
    for (int i = 0; i < REF_MOST_COPIES; i++)
        free(ref->copies[i].floats);
}

static struct ref_copy *take_copy(struct ref *ref, size_t count)
{
    assert(ref->used < REF_MOST_COPIES);
    struct ref_copy *copy = &ref->copies[ref->used++];
    if (copy->capacity < count) {
        free(copy->floats);
        copy->floats = mem_aligned(count, sizeof(float));
        copy->capacity = count;
    }
    copy->back = (struct tensor){0};
    return copy;
}

static struct ref_copy *widen_tensor(struct ref *ref, const struct tensor *tensor)
{
    size_t count = tensor_count(tensor);
    struct ref_copy *copy = take_copy(ref, count);
    ref_widen(count, tensor->at, copy->floats);
    return copy;
}

const float *ref_read(void *self, const struct tensor *tensor)
{
    if (!tensor || tensor->type == TENSOR_F32)
        return tensor ? tensor->at : NULL;
    assert(tensor->type == TENSOR_BF16);
    return widen_tensor(self, tensor)->floats;
}

float *ref_write(void *self, const struct tensor *tensor)
{
    if (!tensor || tensor->type == TENSOR_F32)
        return tensor ? tensor->at : NULL;
    assert(tensor->type == TENSOR_BF16);
    struct ref_copy *copy = take_copy(self, tensor_count(tensor));
    copy->back = *tensor;
    return copy->floats;
}

float *ref_change(void *self, const struct tensor *tensor)
{
    if (tensor->type == TENSOR_F32)
        return tensor->at;
    struct ref_copy *copy = widen_tensor(self, tensor);
    copy->back = *tensor;
    return copy->floats;
}

float *ref_scratch(void *self, size_t count)
{
    return take_copy(self, count)->floats;
}

void ref_done(void *self)
{
    struct ref *ref = self;
    for (; ref->used > 0; ref->used--) {
        const struct ref_copy *copy = &ref->copies[ref->used - 1];
        if (copy->back.at)
            ref_narrow(tensor_count(&copy->back), copy->floats, copy->back.at);
    }
}

static int ref_takes(void *self, enum tensor_type type, struct err *err)
{
    (void)self;
    (void)type;
    (void)err;
    return 0; /* slowly */
}

/* --- memory and copies --- */

/* That the machine has so much left. The system gives addresses for nearly as much memory as there is in all, and ends
 * a process that then writes to it: some process, perhaps another one's. */
static int check_room(size_t bytes, struct err *err)
{
    enum { SMALL = 64 << 20 /* not looked at: most allocations */ };
    char line[128];
    double kib, left = 0;
    FILE *file = bytes > SMALL ? fopen("/proc/meminfo", "re") : NULL;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lf", &kib) == 1 || sscanf(line, "SwapFree: %lf", &kib) == 1)
            left += 1024 * kib;
    if (file)
        fclose(file);
    if (left <= 0 || (double)bytes <= left)
        return 0;
    return err_set(err,
                   "there is no memory for %zu bytes of a network: %.0f are left on this machine; a smaller batch or "
                   "fewer weights need less",
                   bytes, left);
}

void *ref_allocate(void *self, size_t bytes, struct err *err)
{
    (void)self;
    void *made = NULL;
    if (check_room(bytes, err))
        return NULL;
    if (posix_memalign(&made, 64, bytes ? bytes : 1)) {
        err_write(err, "there is no memory for %zu bytes of a network; a smaller batch or fewer weights need less",
                  bytes);
        return NULL;
    }
    return memset(made, 0, bytes);
}

void ref_release(void *self, void *at)
{
    (void)self;
    free(at);
}

void *ref_share(void *self, const void *host, size_t bytes, struct err *err)
{
    (void)self;
    (void)bytes;
    (void)err;
    return (void *)(uintptr_t)host; /* nobody writes to it */
}

void ref_unshare(void *self, void *at)
{
    (void)self;
    (void)at;
}

void ref_upload(void *self, const void *host, const struct tensor *to)
{
    (void)self;
    memcpy(to->at, host, tensor_bytes(to));
}

void ref_download(void *self, const struct tensor *from, void *host)
{
    (void)self;
    memcpy(host, from->at, tensor_bytes(from));
}

void ref_copy(void *self, const struct tensor *from, const struct tensor *to)
{
    (void)self;
    memcpy(to->at, from->at, tensor_bytes(from));
}

void ref_wait(void *self)
{
    (void)self;
}

/* --- the backend --- */

static int create_ref(void **self, struct err *err)
{
    (void)err;
    *self = MEM_NEW(struct ref);
    return 0;
}

static void destroy_ref(void *self)
{
    if (self)
        ref_fini(self);
    free(self);
}

#define SLOT(slot, words) .slot = ref_##slot,

const struct backend_kind backend_ref = {.version = BACKEND_VERSION,
                                         .name = "ref",
                                         .summary = "plain loops on one thread",
                                         .create = create_ref,
                                         .destroy = destroy_ref,
                                         .takes = ref_takes,
                                         .allocate = ref_allocate,
                                         .release = ref_release,
                                         .share = ref_share,
                                         .unshare = ref_unshare,
                                         .upload = ref_upload,
                                         .download = ref_download,
                                         .copy = ref_copy,
                                         .wait = ref_wait,
                                         .mean_steps = ref_mean_steps,
                                         .mean_steps_back = ref_mean_steps_back,
                                         OPERATIONS(SLOT).stack = &ref_stack};
